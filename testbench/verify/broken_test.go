package verify

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/rtl"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// probe is a program to break. Threads 0 to 9 of a CTA take the path low.
const probe = `
.version 7.6
.target sm_70
.address_size 64
.visible .entry probe(.param .u64 out)
{
	.reg .u32 %i, %n, %c, %tid, %sum;
	.reg .u64 %to, %at;
	.reg .pred %low;
	mov.u32 %tid, %tid.x;                // 0
	mov.u32 %c, %ctaid.x;
	mov.u32 %n, %ntid.x;
	mad.lo.u32 %i, %c, %n, %tid;
	ld.param.u64 %to, [out];
	mul.wide.u32 %at, %i, 4;
	add.u64 %to, %to, %at;               // 6
	setp.lt.u32 %low, %tid, 10;
	mov.u32 %sum, 100;
	@%low bra low;                       // 9
	add.u32 %sum, %sum, %i;
	bra join;
low:
	sub.u32 %sum, %sum, %i;              // 12
join:
	st.global.u32 [%to], %sum;           // 13
	mov.u32 %c, 7;
	ret;                                 // 15
}
`

// These are PCs in the probe.
const (
	probeSum   = 8 // mov
	probeBra   = 9
	probeJoin  = 13
	probeLast  = 14
	probeBlock = 40
)

// victim is a thread of the second warp of CTA 1, in lane 3.
var victim = golden.ID{CTA: [3]uint32{1, 0, 0}, Thread: [3]uint32{35, 0, 0}}

const victimLane, victimIndex = 3, probeBlock + 35

// index returns the place of a register in the program.
func index(t *testing.T, p *isa.Program, name string) int {
	t.Helper()
	for i := range p.Regs {
		if p.Regs[i].Name == name {
			return i
		}
	}
	require.Fail(t, "no register "+name)
	return 0
}

// injured runs the probe on a machine, and calls harm whenever the victim's warp issues the
// instruction at pc.
func injured(t *testing.T, pc uint32, harm func(s *sm.SM, p *isa.Program, e sm.Issued)) (*testbench.Session,
	testbench.Launch, error,
) {
	t.Helper()
	s := probed(t)
	l, err := injure(t, s, pc, harm)
	return s, l, err
}

// probed returns a machine for injured.
func probed(t *testing.T) *testbench.Session {
	c := small()
	c.GPU.SMs = 2
	return session(t, c)
}

// injure is injured on an existing machine.
func injure(t *testing.T, s *testbench.Session, pc uint32,
	harm func(s *sm.SM, p *isa.Program, e sm.Issued),
) (testbench.Launch, error) {
	t.Helper()
	m, err := ptx.Parse("probe.ptx", []byte(probe))
	require.NoError(t, err)
	r := parse(t, []string{"--grid", "3", "--block", "40", "--arg", "buf:zero:480"})
	l := r.launch(t, s, m)
	return l, behind(s, l, func(m *sm.SM) {
		m.Issue.OnIssue.Add(func(e sm.Issued) {
			if cta, warp := m.Warp(int(e.Row)); e.PC == pc && cta == victim.CTA && warp == 1 {
				harm(m, l.Prog, e)
			}
		})
	})
}

func mismatch(t *testing.T, err error) *Mismatch {
	t.Helper()
	var d *Mismatch
	require.ErrorAs(t, err, &d)
	require.NotEmpty(t, d.Error())
	return d
}

func TestHealthy(t *testing.T) {
	_, _, err := injured(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) {})
	require.NoError(t, err)
}

// TestRegister flips a bit of a register that memory never sees.
func TestRegister(t *testing.T) {
	_, l, err := injured(t, probeLast, func(s *sm.SM, p *isa.Program, e sm.Issued) {
		s.Writeback.Regs.Edit(int(e.Row)*len(p.Regs) + index(t, p, "%sum"))[victimLane] ^= 1 << 4
	})
	d := mismatch(t, err)
	sum := uint64(100 + victimIndex)
	assert.Equal(t, []Register{{victim, "%sum", isa.U32, sum ^ 1<<4, sum}}, d.Registers)
	assert.Equal(t, 1, d.Values)
	assert.Empty(t, d.Paths)
	assert.Empty(t, d.Memory)
	assert.Equal(t, l.Prog, d.Launch.Prog)
	assert.EqualError(t, err, `probe on 3x1x1 CTAs of 40x1x1 threads differs from the golden model
1 register differs at the exit of the thread
  thread (35,0,0) of CTA (1,0,0): %sum is 0x000000bf, in the golden model 0x000000af`)
}

// TestPredicate sends one thread along the wrong path by a wrong predicate.
func TestPredicate(t *testing.T) {
	_, _, err := injured(t, probeSum, func(s *sm.SM, p *isa.Program, e sm.Issued) {
		*s.Writeback.Preds.Edit(int(e.Row) * len(p.Preds)) |= 1 << victimLane
	})
	d := mismatch(t, err)
	require.Len(t, d.Paths, 1)
	assert.Equal(t, Path{
		Thread: victim, At: 10,
		Machine: []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15},
		Golden:  []uint32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15},
	}, d.Paths[0])
	assert.Equal(t, 1, d.Threads)
	assert.Equal(t, d.Steps-1, d.Issued)
	assert.Equal(t, []Register{
		{victim, "%sum", isa.U32, 25, 175},
		{victim, "%low", isa.Pred, 1, 0},
	}, d.Registers)
	assert.Equal(t, 1, d.Bytes)
	assert.EqualError(t, err, `probe on 3x1x1 CTAs of 40x1x1 threads differs from the golden model
1 thread takes another way through the program
  thread (35,0,0) of CTA (1,0,0), from its instruction 10 on (14 on the machine, 15 in the golden model):
             machine                                       golden model
          6  6  add.u64 %to, %to, %at                      6  add.u64 %to, %to, %at                      probe.ptx:16
          7  7  setp.lt.u32 %low, %tid, 10                 7  setp.lt.u32 %low, %tid, 10                 probe.ptx:17
          8  8  mov.u32 %sum, 100                          8  mov.u32 %sum, 100                          probe.ptx:18
          9  9  @%low bra low                              9  @%low bra low                              probe.ptx:19
  >      10  12  sub.u32 %sum, %sum, %i                    10  add.u32 %sum, %sum, %i                    probe.ptx:23  probe.ptx:20
         11  13  st.global.u32 [%to], %sum                 11  bra join                                  probe.ptx:25  probe.ptx:21
         12  14  mov.u32 %c, 7                             13  st.global.u32 [%to], %sum                 probe.ptx:26  probe.ptx:25
         13  15  ret                                       14  mov.u32 %c, 7                             probe.ptx:27  probe.ptx:26
         14  (no further instruction)                      15  ret                                         probe.ptx:27
2 registers differ at the exit of the thread
  thread (35,0,0) of CTA (1,0,0): %sum is 0x00000019, in the golden model 0x000000af
  thread (35,0,0) of CTA (1,0,0): %low is 0x1, in the golden model 0x0
1 byte of device memory differs
  0x1000012c, byte 300 of allocation 0, [0x10000000, 0x100001e0): 19 00 00 00, in the golden model af 00 00 00
the machine issued 1769 thread instructions, the golden model executed 1770`)
}

// TestDroppedLane loses a lane on its way through the pipeline.
func TestDroppedLane(t *testing.T) {
	_, _, err := injured(t, probeJoin, func(_ *sm.SM, _ *isa.Program, e sm.Issued) { e.Mask &^= 1 << victimLane })
	d := mismatch(t, err)
	assert.Equal(t, []Bytes{{
		Addr: isa.GlobalBase + 4*victimIndex, Machine: []byte{0, 0, 0, 0}, Golden: []byte{100 + victimIndex, 0, 0, 0},
		In: "allocation 0, [0x10000000, 0x100001e0)", Offset: 4 * victimIndex,
	}}, d.Memory)
	assert.Empty(t, d.Paths)
	assert.Empty(t, d.Registers)
}

// TestLostThread makes the divergence hardware lose a thread.
func TestLostThread(t *testing.T) {
	_, _, err := injured(t, probeSum, func(s *sm.SM, _ *isa.Program, e sm.Issued) {
		s.Div.Slots().Edit(int(e.Slot)).Mask &^= 1 << victimLane
	})
	d := mismatch(t, err)
	require.Len(t, d.Paths, 1)
	assert.Equal(t, victim, d.Paths[0].Thread)
	assert.Equal(t, 9, d.Paths[0].At)
	require.Len(t, d.Broken, 1)
	assert.Equal(t, victim, d.Broken[0].Thread)
	assert.Equal(t, uint32(probeSum), d.Broken[0].PC)
	assert.ErrorContains(t, err, "ends without exit")
}

// TestWrongInstruction makes the pipeline execute a different instruction from the issued one.
func TestWrongInstruction(t *testing.T) {
	_, _, err := injured(t, probeLast, func(_ *sm.SM, _ *isa.Program, e sm.Issued) { e.Flight.PC = probeSum })
	d := mismatch(t, err)
	first := golden.ID{CTA: victim.CTA, Thread: [3]uint32{32, 0, 0}}
	assert.Empty(t, d.Paths)
	assert.Equal(t, 2*8, d.Values, "two registers of the warp's 8 threads")
	assert.Len(t, d.Registers, maxKept)
	assert.Equal(t, []Register{{first, "%c", isa.U32, 1, 7}, {first, "%sum", isa.U32, 100, 172}}, d.Registers[:2])
	assert.ErrorContains(t, err, "and 8 more")
}

// TestDeadWrite corrupts a value that is overwritten before any read.
func TestDeadWrite(t *testing.T) {
	m, err := ptx.Parse("dead.ptx", []byte(`
.version 7.6
.target sm_70
.address_size 64
.visible .entry dead()
{
	.reg .u32 %c;
	.reg .pred %p;
	mov.u32 %c, %laneid;
	setp.eq.u32 %p, %c, 1;
	mov.u32 %c, 9;
	setp.eq.u32 %p, %c, 1;
	ret;
}
`))
	require.NoError(t, err)
	c := parse(t, []string{"--grid", "1", "--block", "4"})
	runs := func(writes bool, instead uint32) error {
		s := session(t, small())
		l := c.launch(t, s, m)
		return compared(s, writes, func() error {
			leave := s.OnLaunch.Add(func(*testbench.Loaded) {
				s.Machine.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
					if e.PC == 0 {
						e.Flight.PC = instead
					}
				})
			})
			defer leave()
			return s.Launch(l)
		})
	}
	require.NoError(t, runs(true, 0))
	require.NoError(t, runs(false, 2))
	d := mismatch(t, runs(true, 2))
	assert.Equal(t, []Write{
		{golden.ID{}, "%c"},
		{golden.ID{Thread: [3]uint32{1}}, "%c"},
		{golden.ID{Thread: [3]uint32{1}}, "%p"},
		{golden.ID{Thread: [3]uint32{2}}, "%c"},
		{golden.ID{Thread: [3]uint32{3}}, "%c"},
	}, d.Writes)
	assert.Zero(t, d.Values)
	assert.Contains(t, d.Error(), "5 registers differ from the golden model's in what is written to it")
}

// behind compares a launch, and attaches put after the watcher of each SM, or in its place.
func behind(s *testbench.Session, l testbench.Launch, put func(m *sm.SM)) error {
	return compared(s, false, func() error {
		leave := s.OnLaunch.Add(func(*testbench.Loaded) {
			for _, m := range s.Machine.SMs {
				put(m)
			}
		})
		defer leave()
		return s.Launch(l)
	})
}

// TestIssueRules checks the rules of the watcher on a running machine.
func TestIssueRules(t *testing.T) {
	for _, c := range []struct {
		rule   string
		harm   func(e *sm.Issued)
		thread golden.ID
	}{
		{
			"issued for lanes 0x200, which have no thread", func(e *sm.Issued) { e.Mask |= 1 << 9 },
			golden.ID{CTA: victim.CTA},
		},
		{
			"issued with an empty mask", func(e *sm.Issued) { e.Mask = 0 },
			golden.ID{CTA: victim.CTA, Thread: [3]uint32{32, 0, 0}},
		},
		{
			"issued in a cycle in which its sub-core has issued already, or before", func(e *sm.Issued) { e.Cycle = 0 },
			golden.ID{CTA: victim.CTA, Thread: [3]uint32{32, 0, 0}},
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			s, l, err := injured(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) {})
			require.NoError(t, err)
			err = behind(s, l, func(m *sm.SM) {
				see := m.Issue.OnIssue
				m.Issue.OnIssue = rtl.Observers[sm.Issued]{}
				m.Issue.OnIssue.Add(func(e sm.Issued) {
					f := *e.Flight
					e.Flight = &f
					if cta, warp := m.Warp(int(e.Row)); e.PC == probeLast && cta == victim.CTA && warp == 1 {
						c.harm(&e)
					}
					see.Notify(e)
				})
			})
			d := mismatch(t, err)
			require.NotEmpty(t, d.Broken)
			assert.Equal(t, c.rule, d.Broken[0].Rule)
			assert.Equal(t, c.thread, d.Broken[0].Thread)
			assert.Equal(t, uint32(probeLast), d.Broken[0].PC)
		})
	}
}

// TestExitedThread reports an exit of a thread that continues.
func TestExitedThread(t *testing.T) {
	_, _, err := injured(t, probeLast, func(s *sm.SM, _ *isa.Program, e sm.Issued) {
		s.ALU.OnExit.Notify(sm.Exited{Flight: e.Flight, Lanes: 1 << victimLane})
	})
	d := mismatch(t, err)
	require.Len(t, d.Broken, 2)
	for i, rule := range []string{
		"issued for lanes 0x8, whose threads have exited",
		"exits as lanes 0x8, whose threads have exited",
	} {
		assert.Equal(t, rule, d.Broken[i].Rule)
		assert.Equal(t, victim, d.Broken[i].Thread)
		assert.Equal(t, uint32(probeLast+1), d.Broken[i].PC)
	}
}

// TestNeverIssued makes the machine forget CTAs.
func TestNeverIssued(t *testing.T) {
	s, l, err := injured(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) {})
	require.NoError(t, err)
	err = behind(s, l, func(m *sm.SM) {
		if m != s.Machine.SMs[0] {
			m.Issue.OnIssue, m.ALU.OnExit = rtl.Observers[sm.Issued]{}, rtl.Observers[sm.Exited]{}
		}
	})
	d := mismatch(t, err)
	assert.Zero(t, d.Threads%probeBlock, "whole CTAs")
	require.Len(t, d.Paths, maxKept)
	assert.Empty(t, d.Paths[0].Machine)
	assert.Len(t, d.Paths[0].Golden, 14)
	assert.ErrorContains(t, err, "  >       0  (no further instruction)                      0  mov.u32 %tid, %tid.x")
}

// TestTwice makes two SMs execute a CTA.
func TestTwice(t *testing.T) {
	s, l, err := injured(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) {})
	require.NoError(t, err)
	r := loaded(t, s, l)
	for _, w := range r.watchers {
		w.done = []*warp{{id: 1, index: 1, steps: []step{{pc: 5}}}}
	}
	var d Mismatch
	r.owners(&d)
	assert.Equal(t, []Broken{{
		Is: TwoPlaces, Rule: "a warp of a CTA that another SM or row executes too", SM: 1, PC: 5,
		Thread: golden.ID{CTA: victim.CTA, Thread: [3]uint32{32, 0, 0}},
	}}, d.Broken)
}

// TestMixedRows checks that the lanes of a compacted warp belong to the warps of their rows.
func TestMixedRows(t *testing.T) {
	f := sm.Flight{Mixed: true, Row: 63}
	for lane := range f.Homes.Row {
		f.Homes.Row[lane], f.Homes.Lane[lane] = uint8(4+lane%3), uint8(lane)
	}
	see := func(want map[int]uint64) {
		got := map[int]uint64{}
		new(watcher).eachRow(&f, 0b1110_1101, func(row int, lanes uint64) { got[row] |= lanes })
		assert.Equal(t, want, got)
	}
	see(map[int]uint64{4: 0b0100_1001, 5: 0b1000_0000, 6: 0b0010_0100})
	for lane := range f.Homes.Lane {
		f.Homes.Lane[lane] ^= 1 // threads have changed their lanes
	}
	see(map[int]uint64{4: 0b1000_0110, 5: 0b0100_0000, 6: 0b0001_1000})
}

// TestVariable checks that differences in variables of a module are reported by name.
func TestVariable(t *testing.T) {
	p := load(t, "testdata/module.ptx")
	s := session(t, small())
	l := p.runs[0].launch(t, s, p.module)
	err := compared(s, false, func() error {
		err := s.Launch(l)
		for _, g := range l.Prog.Globals {
			if g.Name == "table" {
				s.Write(g.Addr+2, []byte{9})
			}
		}
		s.Write(isa.GlobalBase+1, []byte{9})
		return err
	})
	d := mismatch(t, err)
	require.Len(t, d.Memory, 2)
	assert.Equal(t, "variable table", d.Memory[0].In)
	assert.Equal(t, []byte{0xFF, 0xFF, 9, 0}, d.Memory[0].Machine)
	assert.Equal(t, []byte{0xFF, 0xFF, 2, 0}, d.Memory[0].Golden)
	assert.Contains(t, d.Memory[1].In, "allocation 0, [0x10000000")
}

// TestMemory corrupts a byte of device memory, independent of any instruction.
func TestMemory(t *testing.T) {
	s, l, err := injured(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) {})
	require.NoError(t, err)
	err = compared(s, false, func() error {
		err := s.Launch(l)
		s.Write(isa.GlobalBase+477, []byte{0xEE})
		return err
	})
	d := mismatch(t, err)
	assert.Equal(t, 1, d.Bytes)
	assert.Equal(t, []Bytes{{
		isa.GlobalBase + 476,
		[]byte{219, 0xEE, 0, 0},
		[]byte{219, 0, 0, 0},
		"allocation 0, [0x10000000, 0x100001e0)", 476,
	}}, d.Memory)
}

// TestOnlyMachineFaults checks a wrong address: a fault that the golden model does not have.
func TestOnlyMachineFaults(t *testing.T) {
	_, _, err := injured(t, probeBra, func(s *sm.SM, p *isa.Program, e sm.Issued) {
		s.Writeback.Regs.Edit(int(e.Row)*len(p.Regs) + index(t, p, "%to"))[victimLane] = 0x2000_0000
	})
	d := mismatch(t, err)
	assert.Equal(t, golden.Finished, d.Golden)
	assert.Equal(t, gpu.Faulted, d.Outcome.End)
	assert.Empty(t, d.Paths, "all threads are on their way")
	var o *testbench.Outcome
	require.ErrorAs(t, err, &o)
	assert.Equal(t, victim.Thread, o.Fault.Thread)
	assert.ErrorContains(t, err, "the golden model's end is: finished; the machine's:\n  fault: out of bounds, 4 bytes of global memory at 0x20000000\n    thread (35,0,0) of CTA (1,0,0)")
}

// outcome runs a kernel of one warp and returns its error.
func outcome(t *testing.T, body string, limits testbench.Limits) error {
	t.Helper()
	c := small()
	c.GPU.SMs = 1
	s, err := testbench.NewSession(c, limits)
	require.NoError(t, err)
	m, err := ptx.Parse("k.ptx", []byte(".version 7.6\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out) {\n"+body+"}\n"))
	require.NoError(t, err)
	r := parse(t, []string{"--grid", "1", "--block", "32", "--arg", "buf:zero:128"})
	return Run(s, r.launch(t, s, m))
}

// lock is a spin lock that the threads of a warp take one by one. Under a stack the waiting threads
// keep the owner from releasing it.
const lock = `
	.reg .u64 %p;
	.reg .u32 %old;
	.reg .pred %q;
	ld.param.u64 %p, [out];
again:
	atom.global.cas.b32 %old, [%p], 0, 1;
	setp.ne.u32 %q, %old, 0;
	@%q bra again;
	st.global.u32 [%p], 0;
	ret;
`

func TestOutcomes(t *testing.T) {
	t.Run("a deadlock on the machine alone", func(t *testing.T) {
		err := outcome(t, lock, testbench.Limits{})
		d := mismatch(t, err)
		assert.Equal(t, golden.Finished, d.Golden)
		assert.Equal(t, gpu.Deadlock, d.Outcome.End)
		assert.Equal(t, 31, d.Threads, "all but the first come at once")
	})
	t.Run("the same fault", func(t *testing.T) {
		err := outcome(t, "\t.reg .u32 %r;\n\tld.global.u32 %r, [16];\n\tret;\n", testbench.Limits{})
		var d *Mismatch
		assert.False(t, errors.As(err, &d), "%v", err)
		var o *testbench.Outcome
		require.ErrorAs(t, err, &o)
		assert.Equal(t, gpu.Faulted, o.End)
	})
	t.Run("the same deadlock", func(t *testing.T) {
		err := outcome(t, "\tbar.sync 1, 64;\n\tret;\n", testbench.Limits{})
		var d *Mismatch
		assert.False(t, errors.As(err, &d), "%v", err)
		var o *testbench.Outcome
		require.ErrorAs(t, err, &o)
		assert.Equal(t, gpu.Deadlock, o.End)
	})
	t.Run("stopped", func(t *testing.T) {
		err := outcome(t, lock, testbench.Limits{Stop: func() bool { return true }})
		var o *testbench.Outcome
		require.ErrorAs(t, err, &o)
		assert.Equal(t, gpu.Stopped, o.End)
	})
}

// TestObservers checks that other observers see every instruction and stay attached. An impossible
// launch leaves them attached too.
func TestObservers(t *testing.T) {
	seen := 0
	s, l, err := injured(t, probeLast, func(*sm.SM, *isa.Program, sm.Issued) { seen++ })
	require.NoError(t, err)
	assert.Equal(t, 1, seen)
	require.NoError(t, s.Launch(l))
	assert.Equal(t, 2, seen)
	for _, m := range s.Machine.SMs {
		assert.False(t, m.ALU.OnExit.Any())
	}
	assert.False(t, s.OnLaunch.Any())

	l.Grid[0] = 0
	require.ErrorContains(t, Run(s, l), "grid 0x1x1")
	refused := errors.New("no")
	l.Grid[0] = 3
	s.OnLaunch.Add(func(l *testbench.Loaded) { l.Refuse(refused) })
	require.ErrorIs(t, Run(s, l), refused)
	assert.True(t, s.OnLaunch.Any())
}
