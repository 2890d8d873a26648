package experiments

import (
	"fmt"
	"sync"

	"divergo/gpu"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// patterns is the number of values of M in table I of Bialas & Strzelecki. M is the number of
// threads, of 32, that leave a loop before the others.
const patterns = 32

// loopRun is the run of a loop kernel on the token stack of a new machine. The code before the loop
// takes the same time for all patterns.
type loopRun struct {
	cycles uint64
	issued uint64 // warp instructions, including those of the token stack
	stats  divergence.Stats
	extra  uint64    // instructions at which the stack spilled
	trace  []instant // of a traced run
}

// instant records the issue of a warp instruction.
type instant struct {
	cycle   uint64
	op      isa.Op
	depth   int // tokens before the instruction
	spilled int // tokens in memory
}

// runLoop runs the kernel with the given number of nested loops on a preset, and checks the result.
func runLoop(preset string, loops, m int) (*loopRun, error) {
	found, err := gpu.FindPreset(preset)
	if err != nil {
		return nil, err
	}
	cfg := found.Config()
	cfg.GPU.SMs = 1
	cfg.Divergence.Mechanism = "token"
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
	if err != nil {
		return nil, err
	}
	r := new(loopRun)
	s.OnLaunch.Add(func(*testbench.Loaded) { r.watch(s.Machine.SMs[0]) })
	work := kernels.NewLoop1(m)
	if loops == 2 {
		work = kernels.NewLoop2(m)
	}
	if err = work.Run(runner.New(s)); err == nil {
		err = work.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%d loops, M = %d, on %s: %w", loops, m, preset, err)
	}
	c := &s.Runs[0].Counters
	r.cycles, r.issued, r.stats = c.Cycles, c.Instructions+c.Inserted, c.Divergence
	for i := range r.trace[1:] {
		if r.trace[i].spilled < r.trace[i+1].spilled {
			r.extra++
		}
	}
	return r, nil
}

// watch records the instructions that the kernel's only warp issues.
func (r *loopRun) watch(m *sm.SM) {
	see := func(insts []isa.Inst) func(sm.Issued) {
		return func(e sm.Issued) {
			s := m.Div.Stats()
			r.trace = append(r.trace, instant{
				e.Cycle, insts[e.PC].Op, int(s.Pushes - s.Pops), divergence.TransferWords * int(s.Spills-s.Fills),
			})
		}
	}
	m.Issue.OnIssue.Add(see(m.Kernel().Prog.Insts))
	m.Issue.OnInserted.Add(see(m.Program().Insts))
}

// sweep is a loop kernel on a preset.
type sweep struct {
	preset string
	loops  int
}

// sweeps holds the runs of each sweep, which are made once.
var sweeps sync.Map

// all runs the kernel for all patterns.
func (s sweep) all() ([]*loopRun, error) {
	once, _ := sweeps.LoadOrStore(s, sync.OnceValues(func() (list []*loopRun, err error) {
		for m := range patterns {
			r, err := runLoop(s.preset, s.loops, m)
			if err != nil {
				return nil, err
			}
			list = append(list, r)
		}
		return list, nil
	}))
	return once.(func() ([]*loopRun, error))()
}

// emulation is the paper's emulator (section IV). It models nested loops on a stack that keeps 16
// tokens on the chip and moves 4 at a time.
type emulation struct {
	length, inMemory        int
	pushes, spills, longest int
}

// emulate runs nested loops, each with pattern m.
func emulate(loops, m int) *emulation {
	e := new(emulation)
	e.loop(loops, patterns-m)
	return e
}

// loop runs a loop for threads whose bounds are least, least+1 and so on up to 32. It pushes the
// token of ssy, and one each time that threads leave and others stay.
func (e *emulation) loop(loops, least int) {
	tokens := 1
	e.push()
	for round := 1; round <= patterns; round++ {
		if loops > 1 {
			e.loop(loops-1, max(least, round))
		}
		if least <= round && round < patterns {
			e.push()
			tokens++
		}
	}
	for range tokens {
		e.pop()
	}
}

func (e *emulation) push() {
	if e.length-e.inMemory == 16 {
		e.inMemory += 4
		e.spills++
	}
	e.length++
	e.pushes++
	e.longest = max(e.longest, e.length)
}

func (e *emulation) pop() {
	if e.length == e.inMemory {
		e.inMemory -= 4
	}
	e.length--
}

// fit holds the costs that the paper fitted to the single loop, in cycles.
type fit struct{ branch, spill int }

var fits = map[string]fit{"kepler": {32, 84}, "maxwell": {26, 176}}

// predict returns the paper's prediction of the cycles beyond those of pattern 0. It sums a cost
// for each additional token and one for each additional spill.
func predict(preset string, loops, m int) int {
	e, none, c := emulate(loops, m), emulate(loops, 0), fits[preset]
	return c.branch*(e.pushes-none.pushes) + c.spill*(e.spills-none.spills)
}
