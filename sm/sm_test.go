package sm_test

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/ptx"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/units"
)

// memory models the memory side of an SM. It answers each access after a fixed time, and has a word
// of data for each address.
type memory struct {
	rtl.State[struct{ Accesses uint64 }]
	In  rtl.In[memsys.Access]
	Out rtl.Out[memsys.Reply] // its queue has the latency
	log []memsys.Access       `rtl:"-"` // read by the test
}

func (m *memory) Tick() {
	if !m.In.Valid() || !m.Out.Ready() {
		return
	}
	a := m.In.Front()
	r := m.Out.PushSlot()
	r.Tag, r.Mask = a.Tag, a.Mask
	for lane, addr := range a.Addr {
		r.Data[lane] = [2]uint64{addr, addr + 8}
	}
	m.log = append(m.log, *a)
	m.In.Pop()
	m.D().Accesses++
}

// host starts CTAs and counts those that have ended.
type host struct {
	rtl.State[struct{ Sent, Ended uint64 }]
	Command rtl.Out[sm.Command]
	Notice  rtl.In[sm.Notice]
	ctas    uint64
	room    uint64 // CTAs that the SM holds at once
}

func (h *host) Tick() {
	d := h.D()
	if q := h.Q(); q.Sent < h.ctas && q.Sent-q.Ended < h.room && h.Command.Ready() {
		h.Command.Push(sm.Command{ID: q.Sent})
		d.Sent++
	}
	if h.Notice.Valid() {
		d.Ended++
		h.Notice.Pop()
	}
}

// bench is an SM with a memory and a host.
type bench struct {
	*sm.SM
	Memory *memory
	Host   *host
	sim    *rtl.Sim
	issues []issue
}

type issue struct {
	cycle uint64
	slot  int
	pc    uint32
}

const memoryLatency = 40

func newBench(t testing.TB, cfg *sm.Config, text string, block uint32, ctas uint64) *bench {
	t.Helper()
	return newBenchOf(t, "pdom", cfg, text, block, ctas)
}

func newBenchOf(t testing.TB, mechanism string, cfg *sm.Config, text string, block uint32, ctas uint64) *bench {
	t.Helper()
	command, notice := rtl.NewQueue[sm.Command](1), rtl.NewQueue[sm.Notice](4)
	access := rtl.NewQueue[memsys.Access](cfg.AGULatency+2, rtl.Latency(uint64(cfg.AGULatency)))
	reply := rtl.NewQueue[memsys.Reply](memoryLatency+2, rtl.Latency(memoryLatency))
	herd := units.DefaultHerd()
	s, err := sm.New(cfg, divergence.Options{Mechanism: mechanism, PathOrder: divergence.TakenFirst}, &herd, 16<<10, 0,
		1, sm.Ports{
			Command: command.In(), Notice: notice.Out(), Access: access.Out(), Reply: reply.In(),
		})
	require.NoError(t, err)
	b := &bench{
		SM:     s,
		Memory: &memory{In: access.In(), Out: reply.Out()},
		Host:   &host{Command: command.Out(), Notice: notice.In(), ctas: ctas},
	}
	b.sim, err = rtl.New("bench", &struct {
		*sm.SM
		Memory *memory
		Host   *host
	}{b.SM, b.Memory, b.Host})
	require.NoError(t, err)
	require.NoError(t, s.Load(sm.Kernel{
		Prog: compile(t, text), Grid: [3]uint32{uint32(ctas), 1, 1}, Block: [3]uint32{block, 1, 1},
		Params: binary.LittleEndian.AppendUint32(nil, 7),
		Valid:  []sm.Range{{Start: isa.GlobalBase, End: isa.GlobalBase + 1<<20}},
	}))
	b.Host.room = uint64(s.CTAs())
	s.Issue.OnIssue.Add(func(e sm.Issued) {
		b.issues = append(b.issues, issue{e.Cycle, int(e.Slot), e.PC})
	})
	return b
}

// run runs until all CTAs have ended.
func (b *bench) run(t testing.TB) {
	t.Helper()
	require.True(t, b.sim.RunUntil(func() bool { return b.Host.Q().Ended == b.Host.ctas }, 100_000), "still running")
}

func compile(t testing.TB, body string) *isa.Program {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(`.version 6.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 n)
{
	.reg .pred %p<8>;
	.reg .b32 %r<40>;
	.reg .b64 %rd<8>;
	.reg .f64 %d<8>;
	.local .align 8 .b8 mine[32];
`+body+"\n}\n"))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err)
	require.NoError(t, isa.Bind(p))
	return p
}

// config returns a configuration without narrow parts: 32 lanes, registers tracked one by one, two
// instructions fetched at once.
func config() sm.Config {
	return sm.Config{
		WarpSize: 32, Lanes: units.Sequential, SIMDWidth: 32, Skip: sm.SkipNone, Interweave: sm.InterweaveNone,
		AbsentLane: sm.AbsentZero, Threads: 1024, CTAs: 8, Registers: 16384, RegAlloc: 4,
		Schedulers: 1, Scheduler: sm.LRR, FetchGroup: 8, CTAPriority: sm.PriorityNone, Scoreboard: sm.PerRegister,
		FetchWidth: 2, IBuffer: 4,
		RFBanks: 16, WBPorts: 1,
		ALULatency: 5, DPLatency: 9, DPWidth: 32, SFULatency: 12, SFUWidth: 32, AGULatency: 2, MemQueue: 16,
	}
}

// gaps returns the cycles between issues of consecutive instructions of a single warp, after the
// instruction at pc.
func (b *bench) gaps(pc uint32, n int) (g []uint64) {
	for i := 1; i < len(b.issues) && len(g) < n; i++ {
		if b.issues[i].pc > pc {
			g = append(g, b.issues[i].cycle-b.issues[i-1].cycle)
		}
	}
	return g
}

// TestIssueDistance checks the times in docs/explanation/architecture.md. A dependent instruction
// issues latency+3 cycles after its producer, an independent one in the next cycle.
func TestIssueDistance(t *testing.T) {
	chain := "add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1; exit;"
	free := "add.u32 %r1, %r11, 1; add.u32 %r2, %r12, 1; add.u32 %r3, %r13, 1; exit;"
	for _, c := range []struct {
		name, text string
		change     func(c *sm.Config)
		want       uint64
	}{
		{"dependent", chain, func(*sm.Config) {}, 5 + 3},
		{"independent", free, func(*sm.Config) {}, 1},
		{"one in flight", free, func(c *sm.Config) { c.Scoreboard = sm.OneInFlight }, 5 + 3},
		{"narrow pipe", free, func(c *sm.Config) { c.SIMDWidth = 8 }, 4},
		{
			"special functions", "rcp.approx.f32 %r1, %r1; rcp.approx.f32 %r1, %r1; rcp.approx.f32 %r1, %r1; exit;",
			func(*sm.Config) {}, 12 + 3,
		},
		{
			"special functions on 8 lanes",
			"rcp.approx.f32 %r1, %r11; rcp.approx.f32 %r2, %r12; rcp.approx.f32 %r3, %r13; rcp.approx.f32 %r4, %r14; rcp.approx.f32 %r5, %r15; rcp.approx.f32 %r6, %r16; rcp.approx.f32 %r7, %r17; rcp.approx.f32 %r8, %r18; exit;", func(c *sm.Config) { c.SFUWidth = 8 }, 4,
		},
		{
			"double precision", "add.f64 %d1, %d1, %d1; add.f64 %d1, %d1, %d1; add.f64 %d1, %d1, %d1; exit;",
			func(*sm.Config) {}, 9 + 3,
		},
		{"three sources in a bank", "mad.lo.u32 %r1, %r11, %r12, %r13; mad.lo.u32 %r2, %r11, %r12, %r13; mad.lo.u32 %r3, %r11, %r12, %r13; mad.lo.u32 %r4, %r11, %r12, %r13; mad.lo.u32 %r5, %r11, %r12, %r13; mad.lo.u32 %r6, %r11, %r12, %r13; exit;", func(c *sm.Config) { c.RFBanks = 1 }, 3},
		{"one source three times", "mad.lo.u32 %r1, %r11, %r11, %r11; mad.lo.u32 %r2, %r12, %r12, %r12; mad.lo.u32 %r3, %r13, %r13, %r13; exit;", func(c *sm.Config) { c.RFBanks = 1 }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := config()
			c.change(&cfg)
			require.NoError(t, cfg.Check())
			b := newBench(t, &cfg, c.text, 32, 1)
			b.run(t)
			exit := uint32(len(b.Kernel().Prog.Insts) - 1)
			g := b.gaps(0, int(exit)-1)
			assert.Equal(t, c.want, g[len(g)-1], "gaps %v", g)
		})
	}
}

// TestBranchDistance: the instruction after a branch waits for the outcome, and is then fetched and
// decoded.
func TestBranchDistance(t *testing.T) {
	cfg := config()
	b := newBench(t, &cfg, "bra.uni L; L: add.u32 %r1, %r1, 1; exit;", 32, 1)
	b.run(t)
	// The delays are: Operands 1, ALU 1, its latency, the slot change 1, fetch and decode 1, the
	// I-buffer 1.
	assert.Equal(t, []uint64{1 + 1 + 5 + 1 + 1 + 1}, b.gaps(0, 1))
}

func TestSchedulers(t *testing.T) {
	const text = "add.u32 %r1, %r11, 1; add.u32 %r2, %r12, 1; add.u32 %r3, %r13, 1; add.u32 %r4, %r14, 1; exit;"
	order := func(s sm.Scheduler) (slots []int) {
		cfg := config()
		cfg.Scheduler = s
		cfg.FetchWidth, cfg.IBuffer = 4, 8
		b := newBench(t, &cfg, text, 128, 1)
		b.run(t)
		for _, i := range b.issues {
			if i.pc > 0 && i.pc < 4 { // the first instruction waits for fetch
				slots = append(slots, i.slot)
			}
		}
		return slots
	}
	gto := order(sm.GTO)
	assert.Equal(t, []int{0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3}, gto, "greedy: a warp goes on as long as it can")
	lrr := order(sm.LRR)
	changes := 0
	for i := 1; i < len(lrr); i++ {
		if lrr[i] != lrr[i-1] {
			changes++
		}
	}
	assert.GreaterOrEqual(t, changes, 8, "round robin: %v", lrr)
}

// TestCyclesAddUp: the classes are exclusive and cover every cycle.
func TestCyclesAddUp(t *testing.T) {
	cfg := config()
	cfg.SIMDWidth = 8
	b := newBench(t, &cfg, `
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd1, %r1, 4;
	add.u64 %rd1, %rd1, 268435456;
	ld.global.u32 %r2, [%rd1];
	add.u32 %r2, %r2, 1;
	exit;`, 32, 2)
	b.run(t)
	now := b.sim.Now()
	sum := uint64(0)
	by := b.Issue.CyclesBy(now)
	for _, n := range by {
		sum += n
	}
	assert.Equal(t, now, sum)
	assert.NotZero(t, by[sm.ClassMem])
	assert.NotZero(t, by[sm.ClassEmpty])
	assert.Equal(t, 4*b.Issue.Count.Q().Issued, by.Issue(),
		"each instruction takes 4 cycles to enter a pipe of 8 lanes")
}

// TestLocalMemory: equal local addresses of the lanes of a warp are neighbouring words. A wide
// access is several words of each lane.
func TestLocalMemory(t *testing.T) {
	cfg := config()
	b := newBench(t, &cfg, "ld.local.u64 %rd1, [mine+8]; exit;", 32, 1)
	b.run(t)
	require.Len(t, b.Memory.log, 2)
	for piece, a := range b.Memory.log {
		assert.EqualValues(t, 4, a.Size)
		for lane := range uint64(32) {
			assert.Equal(t, ((2+uint64(piece))*32+lane)*4, a.Addr[lane])
		}
	}
}

// TestSpaces: accesses to device memory carry the space that the program uses, for statistics.
func TestSpaces(t *testing.T) {
	cfg := config()
	b := newBench(t, &cfg, "mov.u64 %rd1, 268435456; ld.const.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1]; st.local.u32 [mine], %r3; exit;", 32, 1)
	b.run(t)
	var spaces []isa.Space
	for _, a := range b.Memory.log {
		spaces = append(spaces, a.Space)
	}
	assert.Equal(t, []isa.Space{isa.SpaceConst, isa.SpaceGlobal, isa.SpaceLocal}, spaces)
}

// TestFenceHolds: a slot waits for its fence, whichever of its other instructions complete
// meanwhile.
func TestFenceHolds(t *testing.T) {
	cfg := config()
	b := newBench(t, &cfg, "rcp.approx.f32 %r1, %r1; membar.gl; add.u32 %r2, %r2, 1; exit;", 32, 1)
	b.run(t)
	g := b.gaps(0, 2)
	assert.GreaterOrEqual(t, g[1], uint64(memoryLatency), "gaps %v", g)
}

// TestOrder: release puts a fence before the access, acquire puts one after it.
func TestOrder(t *testing.T) {
	cfg := config()
	b := newBench(t, &cfg, "mov.u64 %rd1, 268435456; atom.acq_rel.gpu.global.add.u32 %r1, [%rd1], 1; ld.acquire.gpu.global.u32 %r2, [%rd1]; exit;", 32, 1)
	b.run(t)
	var kinds []memsys.Kind
	for _, a := range b.Memory.log {
		kinds = append(kinds, a.Kind)
	}
	assert.Equal(t, []memsys.Kind{memsys.Fence, memsys.Atomic, memsys.Fence, memsys.Load, memsys.Fence}, kinds)
}

// TestWidePredicates: a warp of 64 threads has a bit of a predicate for each.
func TestWidePredicates(t *testing.T) {
	cfg := config()
	cfg.WarpSize = 64
	b := newBench(t, &cfg, "mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 40; exit;", 64, 1)
	b.run(t)
	assert.EqualValues(t, 1<<40-1, b.Preds(0, slices.Index(b.Program().Preds, "%p1")))
}

// TestAbsentCounters: twenty threads read a lane that has none, and a vote names the twelve that the
// warp lacks.
func TestAbsentCounters(t *testing.T) {
	cfg := config()
	b := newBench(t, &cfg, `shfl.sync.idx.b32 %r1, %r2, 25, 31, 0xFFFFFFFF;
	vote.sync.ballot.b32 %r3, %p1, 0xFFFFFFFF;
	exit;`, 20, 1)
	b.run(t)
	assert.Equal(t, sm.AbsentCounters{Reads: 20, Members: 12}, b.ALU.Q().Absent)
}

// TestExitedThreadsOfLastWarp: in each CTA, threads 0 to 3 wait at a shuffle for 4 to 7, which reach
// it by another path. The warp has 8 threads. Those of a new CTA take the lanes of exited ones.
func TestExitedThreadsOfLastWarp(t *testing.T) {
	cfg := config()
	cfg.CTAs = 1
	b := newBenchOf(t, "barrier", &cfg, `
	mov.u32 %r1, %tid.x;
	mov.u64 %rd1, 268435456;
	setp.lt.u32 %p1, %r1, 4;
	setp.gt.u32 %p2, %r1, 100;
	@%p1 bra S;
	@%p2 bra END;
S:	shfl.sync.bfly.b32 %r3, %r1, 4, 31, 0xff;
	st.global.u32 [%rd1], %r3;
END:	exit;`, 8, 3)
	b.run(t)
	var got [8][]uint64 // values that each thread stores
	for _, a := range b.Memory.log {
		for lane := range got {
			if a.Mask>>lane&1 != 0 {
				got[lane] = append(got[lane], a.Data[lane][0])
			}
		}
	}
	for lane, values := range got {
		from := uint64(lane ^ 4)
		assert.Equal(t, []uint64{from, from, from}, values, "thread %d, in three CTAs", lane)
	}
}

// TestNamedBarriers: the arrivals at a barrier do not count at a barrier of another number. Warps 0
// and 1 meet at barrier 6, warps 2 and 3 at one whose number differs in one bit. Warps 1 and 3 come
// late.
func TestNamedBarriers(t *testing.T) {
	for _, other := range []int{7, 4, 2, 14} {
		cfg := config()
		b := newBench(t, &cfg, fmt.Sprintf(`
	mov.u32 %%r1, %%tid.x;
	setp.ge.u32 %%p1, %%r1, 64;
	selp.b32 %%r2, %d, 6, %%p1;
	and.b32 %%r3, %%r1, 32;
	setp.eq.u32 %%p2, %%r3, 0;
	@%%p2 bra EARLY;
	%s
EARLY:	bar.sync %%r2, 64;
	exit;`, other, strings.Repeat("rcp.approx.f32 %r4, %r4;", 20)), 128, 1)
		var comes, goes [4]uint64 // cycles of the barrier and the exit, by warp
		b.Issue.OnIssue.Add(func(e sm.Issued) {
			switch b.Kernel().Prog.Insts[e.PC].Op {
			case isa.OpBar:
				comes[e.Row] = e.Cycle
			case isa.OpExit:
				goes[e.Row] = e.Cycle
			}
		})
		b.run(t)
		for w := range comes {
			assert.Greater(t, goes[w], comes[w^1], "barriers 6 and %d: warp %d waits for warp %d", other, w, w^1)
		}
		assert.Greater(t, comes[1], comes[2]+100, "warps 1 and 3 come late")
		assert.Greater(t, comes[3], comes[0]+100, "warps 1 and 3 come late")
	}
}

func TestOccupancy(t *testing.T) {
	cfg := config()
	p := &isa.Program{LiveRegs: 16}
	for _, c := range []struct {
		block, regs, shared uint32
		want                sm.Occupancy
		err                 string
	}{
		{block: 32, regs: 16, want: sm.Occupancy{CTAs: 8, Limit: "CTAs"}},
		{block: 256, regs: 16, want: sm.Occupancy{CTAs: 4, Limit: "threads"}},
		{block: 250, regs: 16, want: sm.Occupancy{CTAs: 4, Limit: "threads"}},
		{block: 256, regs: 17, want: sm.Occupancy{CTAs: 3, Limit: "registers"}},
		{block: 256, regs: 1, shared: 9000, want: sm.Occupancy{CTAs: 1, Limit: "shared memory"}},
		{block: 2048, regs: 1, err: "2048 threads"},
		{block: 1024, regs: 17, err: "20480 registers"},
		{block: 32, regs: 1, shared: 5456, want: sm.Occupancy{CTAs: 3, Limit: "shared memory"}},
		// the third at 10944 would end at 16404
		{block: 32, regs: 1, shared: 5460, want: sm.Occupancy{CTAs: 2, Limit: "shared memory"}},
		{block: 32, regs: 1, shared: 16<<10 - 3, want: sm.Occupancy{CTAs: 1, Limit: "shared memory"}},
		{block: 32, regs: 1, shared: 20000, err: "20000 bytes of shared memory"},
	} {
		p.LiveRegs, p.SharedBytes = int(c.regs), c.shared
		k := sm.Kernel{Prog: p, Block: [3]uint32{c.block, 1, 1}}
		o, err := k.Occupancy(&cfg, divergence.Mechanism{}, 16<<10)
		if c.err != "" {
			assert.ErrorContains(t, err, c.err)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, o, "%+v", c)
	}
}

func TestConfigCheck(t *testing.T) {
	for _, c := range []struct {
		change func(c *sm.Config)
		want   string
	}{
		{func(c *sm.Config) { c.WarpSize = 0 }, "sm.warp_size = 0: want a power of two from 1 to 64"},
		{func(c *sm.Config) { c.WarpSize = 12 }, "sm.warp_size = 12: want a power of two"},
		{
			func(c *sm.Config) { c.SIMDWidth = 64 },
			"sm.simd_width = 64: want a power of two from 1 to 32 (sm.warp_size)",
		},
		{func(c *sm.Config) { c.Threads = 1000 }, "multiple of sm.warp_size"},
		{func(c *sm.Config) { c.WarpSize, c.SIMDWidth, c.SFUWidth, c.DPWidth = 4, 4, 4, 4 }, "at most 64 warps"},
		{func(c *sm.Config) { c.IBuffer = 1 }, "sm.ibuffer = 1: want 2 (sm.fetch_width) to 16"},
		{func(c *sm.Config) { c.Scheduler = "gtx" }, `sm.scheduler: unknown value "gtx"; did you mean "gto"?`},
		{func(c *sm.Config) { c.CTAPriority = "old" }, `sm.cta_priority: unknown value "old"; want one of none, `},
		{
			func(c *sm.Config) { c.Schedulers, c.Threads = 3, 1024 },
			"32 warps of sm.threads / sm.warp_size: want as many in each sub-core",
		},
		{
			func(c *sm.Config) { c.Schedulers, c.Threads, c.Registers = 3, 960, 16384 },
			"sm.registers = 16384: want as many in each sub-core",
		},
		{func(c *sm.Config) { c.Schedulers, c.Registers = 4, 128*3 }, "want at least sm.warp_size * sm.reg_alloc = 128"},
		{func(c *sm.Config) { c.WBPorts = 9 }, "sm.wb_ports = 9: want 1 to 4"},
		{
			func(c *sm.Config) { c.Registers = 100 },
			"sm.registers = 100: want at least sm.warp_size * sm.reg_alloc = 32 * ",
		},
	} {
		cfg := config()
		c.change(&cfg)
		assert.ErrorContains(t, cfg.Check(), c.want)
	}
}

func TestProperties(t *testing.T) {
	cfg := config()
	rtltest.Properties(t, func() *rtl.Sim {
		return newBench(t, &cfg, `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
LOOP:
	mul.wide.u32 %rd1, %r1, 4;
	add.u64 %rd1, %rd1, 268435456;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r4, %r4, %r3;
	st.local.u32 [mine], %r4;
	sub.s32 %r2, %r2, 1;
	setp.ge.s32 %p1, %r2, 0;
	@%p1 bra LOOP;
	bar.sync 0;
	exit;`, 80, 3).sim
	}, 1500)
}

// An SM runs a CTA of one warp: the log shows when its instructions issue.
func Example() {
	cfg := config()
	b := newBench(&testing.T{}, &cfg, "add.u32 %r1, %r1, 1; add.u32 %r2, %r1, 1; exit;", 32, 1)
	b.run(&testing.T{})
	first := b.issues[0].cycle
	for _, i := range b.issues {
		fmt.Printf("cycle %2d  pc %d\n", i.cycle-first, i.pc)
	}
	// Output:
	// cycle  0  pc 0
	// cycle  8  pc 1
	// cycle 16  pc 2
}
