package gpu_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
)

// program compiles the body of a kernel. It has one pointer parameter in %rd0, the thread's number
// in the grid in %r0, and that in the CTA in %r1.
func program(t testing.TB, body string) *isa.Program {
	t.Helper()
	src := `.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 buffer)
{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.reg .f32 %f<8>;
	.shared .align 4 .b8 tile[1024];
	ld.param.u64 %rd0, [buffer];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r0, %r2, %r3, %r1;
` + body + "\n}\n"
	m, err := ptx.Parse("k.ptx", []byte(src))
	require.NoError(t, err)
	p, err := m.Program("k")
	require.NoError(t, err)
	require.NoError(t, isa.Bind(p))
	return p
}

// small is a machine that is quick to build.
func small() gpu.Config {
	c := gpu.Default()
	c.GPU.SMs = 3
	c.DRAM.Channels, c.L2.Size = 2, 64<<10
	return c
}

const bufferBytes = 4096

// load starts a kernel on a new machine.
func load(t testing.TB, cfg gpu.Config, p *isa.Program, grid, block uint32) *gpu.Machine {
	t.Helper()
	m, err := gpu.New(cfg)
	require.NoError(t, err)
	require.NoError(t, m.Store.Map(isa.GlobalBase, bufferBytes))
	require.NoError(t, m.Load(sm.Kernel{
		Prog: p, Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, isa.GlobalBase),
		Valid:  []sm.Range{{Start: isa.GlobalBase, End: isa.GlobalBase + bufferBytes}},
	}))
	return m
}

func words(t *testing.T, m *gpu.Machine, n int) []uint32 {
	t.Helper()
	raw := make([]byte, 4*n)
	require.NoError(t, m.Store.Read(isa.GlobalBase, raw))
	out := make([]uint32, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint32(raw[4*i:])
	}
	return out
}

// mixed has a divergent branch and a loop with a different trip count for each thread. It also has
// shared memory, a barrier, an atomic, and local traffic to the L2.
const mixed = `
	mov.u32 %r4, 0;
	and.b32 %r5, %r1, 7;
LOOP:
	add.u32 %r4, %r4, %r0;
	sub.u32 %r5, %r5, 1;
	setp.gt.s32 %p1, %r5, 0;
	@%p1 bra LOOP;
	and.b32 %r6, %r1, 1;
	setp.eq.u32 %p2, %r6, 0;
	@%p2 bra EVEN;
	add.u32 %r4, %r4, 1000;
	bra.uni JOIN;
EVEN:
	shl.b32 %r4, %r4, 1;
JOIN:
	mov.u32 %r7, tile;
	shl.b32 %r8, %r1, 2;
	add.u32 %r9, %r7, %r8;
	st.shared.u32 [%r9], %r4;
	bar.sync 0;
	xor.b32 %r10, %r8, 4;
	add.u32 %r10, %r7, %r10;
	ld.shared.u32 %r11, [%r10];
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r11;
	atom.global.add.u32 %r12, [%rd0+4092], 1;
	exit;`

// result returns the result of the mixed kernel for thread i of CTAs of n threads.
func result(i, n uint32) uint32 {
	partner := i ^ 1
	v := partner * max(partner%n&7, 1)
	if partner&1 == 0 {
		return v * 2
	}
	return v + 1000
}

func TestMixedKernel(t *testing.T) {
	for _, preset := range gpu.Presets() {
		t.Run(preset.Name, func(t *testing.T) {
			cfg := preset.Config()
			cfg.GPU.SMs = min(cfg.GPU.SMs, 3)
			m := load(t, cfg, program(t, mixed), 7, 96)
			require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
			got := words(t, m, bufferBytes/4)
			for i := range uint32(7 * 96) {
				require.Equal(t, result(i, 96), got[i], "thread %d", i)
			}
			assert.EqualValues(t, 7*96, got[bufferBytes/4-1], "atomic counter")
		})
	}
}

// TestMachineProperties compares runs of this machine. The checked run, any order of processes,
// snapshots, reset, tracing, and islands in parallel give the same result.
func TestMachineProperties(t *testing.T) {
	p := program(t, mixed)
	rtltest.SystemProperties(t, func() *rtl.System { return load(t, small(), p, 5, 64).System() }, 1200)
}

// TestDeterministic: any number of workers, and a second run, give the same cycles and memory.
func TestDeterministic(t *testing.T) {
	p := program(t, mixed)
	type outcome struct {
		cycles, hash uint64
		memory       []uint32
	}
	var first outcome
	for _, workers := range []int{1, 1, 2, 3} {
		m := load(t, small(), p, 7, 96)
		m.System().Workers = workers
		require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
		o := outcome{m.Cycles(), m.System().Hash(), words(t, m, bufferBytes/4)}
		if first.memory == nil {
			first = o
		}
		require.Equal(t, first, o, "%d workers", workers)
	}
}

// TestKernelsInSequence: a machine runs two kernels in sequence. The second finds the memory
// contents left by the first.
func TestKernelsInSequence(t *testing.T) {
	double := program(t, `
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	ld.global.u32 %r4, [%rd2];
	add.u32 %r4, %r4, %r4;
	add.u32 %r4, %r4, 1;
	st.global.u32 [%rd2], %r4;
	ret;`)
	m := load(t, small(), double, 4, 64)
	for launch := range 3 {
		if launch > 0 {
			require.NoError(t, m.Load(sm.Kernel{
				Prog: double, Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{64, 1, 1},
				Params: binary.LittleEndian.AppendUint64(nil, isa.GlobalBase),
				Valid:  []sm.Range{{Start: isa.GlobalBase, End: isa.GlobalBase + bufferBytes}},
			}))
		}
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	}
	for i, v := range words(t, m, 256) {
		require.EqualValues(t, 7, v, "thread %d", i)
	}
}

// TestHerdLimit: the SMs together herd as many instructions as the limit allows. Their shares differ
// by one at most.
func TestHerdLimit(t *testing.T) {
	p := program(t, `
	mov.u32 %r4, 20;
LOOP:
	sub.u32 %r4, %r4, 1;
	setp.gt.s32 %p1, %r4, 0;
	@%p1 bra LOOP;
	exit;`)
	branches, _ := p.Herdable()
	for _, c := range []struct {
		sms, limit int
		want       []uint64
	}{{2, 3, []uint64{2, 1}}, {3, 4, []uint64{2, 1, 1}}, {3, 5, []uint64{2, 2, 1}}, {2, 4, []uint64{2, 2}}} {
		herding := isa.Herding{Branches: branches, Threshold: c.limit}
		marked, err := herding.Apply(p)
		require.NoError(t, err)
		cfg := small()
		cfg.GPU.SMs, cfg.Herd.Enable = c.sms, true
		m := load(t, cfg, marked, uint32(2*c.sms), 32)
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		var got []uint64
		for _, s := range m.SMs {
			got = append(got, s.ALU.Herd.Q().Count.Branches)
		}
		assert.ElementsMatch(t, c.want, got, "limit %d on %d SMs", c.limit, c.sms)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, body string
		kind       sm.FaultKind
		addr       uint64
		lane       uint8
	}{
		{"out of bounds", `
	mul.wide.u32 %rd1, %r0, 128;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r0;
	exit;`, sm.OutOfBounds, isa.GlobalBase + bufferBytes, 0},
		{"misaligned", `
	add.u64 %rd2, %rd0, 2;
	ld.global.u32 %r4, [%rd2];
	exit;`, sm.Misaligned, isa.GlobalBase + 2, 0},
		{"shared", `
	mov.u32 %r4, tile;
	mad.lo.u32 %r4, %r1, 64, %r4;
	st.shared.u32 [%r4], %r0;
	exit;`, sm.OutOfBounds, 1024, 16},
		{"trap", `
	setp.ne.u32 %p1, %r1, 5;
	@%p1 bra OUT;
	trap;
OUT:
	exit;`, sm.Trapped, 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := load(t, small(), program(t, c.body), 1, 64)
			require.Equal(t, gpu.Faulted, m.Run(nil, 100_000))
			f, _, ok := m.Fault()
			require.True(t, ok)
			assert.Equal(t, c.kind, f.Kind)
			assert.Equal(t, c.addr, f.Addr)
			assert.Equal(t, c.lane, f.Lane)
		})
	}
}

func TestDeadlocks(t *testing.T) {
	for _, c := range []struct {
		name, body string
		end        gpu.End
		reasons    []string // of the groups of threads
	}{
		{"lock between the threads of a warp", `
LOOP:
	atom.global.cas.b32 %r4, [%rd0], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra LOOP;
	atom.global.exch.b32 %r5, [%rd0], 0;
	exit;`, gpu.Deadlock, []string{"reconvergence"}},
		{"endless loop", "HERE: bra HERE;", gpu.EndlessLoop, []string{"the outcome of its branch"}},
		{"two barriers", `
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra FIRST;
	bar.sync 1;
	exit;
FIRST:
	bar.sync 2;
	exit;`, gpu.Deadlock, []string{"a barrier", "a barrier"}},
		{"barrier that expects too many", `
	bar.sync 0, 96;
	exit;`, gpu.Deadlock, []string{"a barrier", "a barrier"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := load(t, small(), program(t, c.body), 1, 64)
			require.Equal(t, c.end, m.Run(nil, 10_000_000), "cycle %d", m.Cycles())
			var reasons []string
			for _, s := range m.Status() {
				reasons = append(reasons, s.Why)
			}
			for _, want := range c.reasons {
				assert.Contains(t, reasons, want)
			}
		})
	}
}

// TestLongLoopIsNoDeadlock: a warp counts for long, with threads parked at a reconvergence point,
// while another waits for it at a barrier. This is no deadlock.
func TestLongLoopIsNoDeadlock(t *testing.T) {
	m := load(t, small(), program(t, `
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra OUT;
	mov.u32 %r4, 0;
LOOP:
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, 10000;
	@%p2 bra LOOP;
OUT:
	bar.sync 0;
	exit;`), 1, 64)
	require.Equal(t, gpu.Finished, m.Run(nil, 10_000_000))
	assert.Greater(t, m.Cycles(), uint64(100_000))
}

// TestFaultOfASnapshot: restoring a snapshot restores its fault, or the absence of a fault.
func TestFaultOfASnapshot(t *testing.T) {
	p := program(t, "trap;")
	m := load(t, small(), p, 1, 32)
	whole := m.System().Snapshot()
	require.Equal(t, gpu.Faulted, m.Run(nil, 100_000))
	broken := m.System().Snapshot()
	other := load(t, small(), p, 1, 32)
	other.System().Restore(broken)
	assert.Equal(t, gpu.Faulted, other.Run(nil, 100_000))
	assert.Equal(t, m.Core().Now(), other.Core().Now(), "at once")
	other.System().Restore(whole)
	assert.Equal(t, gpu.OutOfTime, other.Run(nil, 4))
}
