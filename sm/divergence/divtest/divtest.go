// Package divtest drives a reconvergence mechanism alone, without a pipeline:
// its front end issues one instruction a cycle from the first slot that may
// run, and answers each branch in the next cycle, or as late as is asked for.
// What threads do at a branch
// is a Go function, so that the micro-kernels of the literature can be written
// down as they stand, and compared instruction by instruction.
package divtest

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
)

// Thread is the private state of a thread of a micro-kernel.
type Thread struct {
	TID int
	I   int // the kernel's loop counter
}

// Line is one instruction of a micro-kernel. The zero Line is an instruction
// without effect.
type Line struct {
	Label string
	Do    func(t *Thread)      // effect, if any
	If    func(t *Thread) bool // with To: the lanes that branch; nil: all of them
	To    string               // target of a branch
	Exit  bool
	Bar   bool
}

// Kernel is a micro-kernel.
type Kernel []Line

// Program is the machine form of k.
func (k Kernel) Program(name string) *isa.Program {
	p := &isa.Program{Name: name, AddressBits: 64, Preds: []string{"p"}}
	at := map[string]uint32{}
	for pc, l := range k {
		if l.Label != "" {
			at[l.Label] = uint32(pc)
			p.Labels = append(p.Labels, isa.Label{Name: l.Label, PC: uint32(pc)})
		}
	}
	for _, l := range k {
		in := isa.Inst{Op: isa.OpNop, Text: "nop", Reconv: isa.NoPC, Likely: isa.NoPC}
		switch {
		case l.To != "":
			target, ok := at[l.To]
			if !ok {
				panic("divtest: no label " + l.To)
			}
			in.Op, in.Target, in.Text = isa.OpBra, target, "bra "+l.To
			if l.If != nil {
				in.Guard = isa.Operand{Kind: isa.OperandPred}
			}
		case l.Exit:
			in.Op, in.Text = isa.OpExit, "exit"
		case l.Bar:
			in.Op, in.Mode, in.Text = isa.OpBar, isa.ModeSync, "bar.sync 0"
		}
		p.Insts = append(p.Insts, in)
	}
	isa.Analyze(p)
	return p
}

// Issue is one issued instruction.
type Issue struct {
	Row  int
	PC   uint32
	Mask uint32
}

// Result of a run.
type Result struct {
	Issues []Issue
	Lanes  int // active lanes over all issues
	Stats  divergence.Stats
	Done   bool // all threads have exited
}

// Activity is the activity factor of a run on warps of the given width.
func (r Result) Activity(lanes int) float64 {
	return float64(r.Lanes) / float64(len(r.Issues)*lanes)
}

// Bench is the machine around a mechanism.
type Bench struct {
	Lanes   int // of a warp
	Warps   int // of the only CTA
	Latency int // cycles from the issue of a control instruction to its outcome, in which other slots issue; 0: nothing issues until the outcome is there

	// Each, if set, is called after every cycle with what has been issued.
	Each func(p divergence.Policy, issued []Issue)
}

// design is a mechanism with its front end.
type design struct {
	Policy divergence.Policy
	Front  *front
}

type front struct {
	rtl.State[struct {
		Last    uint8
		Pending bool
		Out     divergence.Outcome
		Retired uint8
		Started uint8
	}]
	Fire    rtl.Wire[divergence.Fire]
	Div     divergence.Policy
	Launch  rtl.Out[divergence.Launch]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	kernel  Kernel
	prog    *isa.Program
	bench   Bench
	threads [][]Thread
	result  *Result
}

// Run runs kernel k with the given number of warps in one CTA, for at most max
// cycles.
func Run(m divergence.Mechanism, o divergence.Options, lanes, warps int, k Kernel, max uint64) (Result, error) {
	return Bench{Lanes: lanes, Warps: warps}.Run(m, o, k, max)
}

// Run runs kernel k for at most limit cycles.
func (b Bench) Run(m divergence.Mechanism, o divergence.Options, k Kernel, limit uint64) (Result, error) {
	prog := k.Program(m.Name)
	pol, err := m.New(o, divergence.Geometry{Lanes: b.Lanes, Warps: b.Warps, CTAs: 1}, &divergence.Code{Prog: prog})
	if err != nil {
		return Result{}, err
	}
	var res Result
	f := &front{Div: pol, kernel: k, prog: prog, bench: b, result: &res}
	for w := range b.Warps {
		row := make([]Thread, b.Lanes)
		for l := range row {
			row[l].TID = w*b.Lanes + l
		}
		f.threads = append(f.threads, row)
	}
	launch, retire := rtl.NewQueue[divergence.Launch](b.Warps), rtl.NewQueue[divergence.Retire](b.Warps)
	outcome := rtl.NewQueue[divergence.Outcome](b.Latency+2, rtl.Latency(uint64(max(b.Latency, 1))))
	f.Launch, f.Outcome, f.Retire = launch.Out(), outcome.Out(), retire.In()
	c := pol.Connections()
	c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &f.Fire
	sim, err := rtl.New("bench", &design{pol, f})
	if err != nil {
		return res, fmt.Errorf("divtest: %w", err)
	}
	res.Done = sim.RunUntil(func() bool {
		if b.Each != nil {
			b.Each(pol, res.Issues)
		}
		return int(f.Q().Retired) == b.Warps
	}, limit)
	res.Stats = pol.Stats()
	return res, nil
}

// Tick starts warps, issues an instruction, and answers the last branch.
func (f *front) Tick() {
	q, d := f.Regs()
	if int(q.Started) < f.bench.Warps && f.Launch.Ready() {
		f.Launch.Push(divergence.Launch{
			Row: q.Started, Warps: uint8(f.bench.Warps), Last: int(q.Started)+1 == f.bench.Warps, Mask: uint32(1<<f.bench.Lanes - 1),
		})
		d.Started++
	}
	if f.Retire.Valid() {
		d.Retired++
		f.Retire.Pop()
	}
	if q.Pending && f.Outcome.Ready() {
		f.Outcome.Push(q.Out)
		d.Pending = false
	}
	blocked := q.Pending && (f.bench.Latency == 0 || !f.Outcome.Ready())
	var fire divergence.Fire
	slots := f.Div.Slots()
	for k := range slots.Len() {
		i := (int(q.Last) + 1 + k) % slots.Len()
		if s := slots.At(i); s.Valid && s.Wait == divergence.Runs && !blocked {
			fire = f.issue(i, s)
			d.Last = uint8(i)
			break
		}
	}
	f.Fire.Set(fire)
}

func (f *front) issue(i int, s *divergence.Slot) divergence.Fire {
	d := f.D()
	line, in := &f.kernel[s.PC], &f.prog.Insts[s.PC]
	f.result.Issues = append(f.result.Issues, Issue{int(s.Row), s.PC, s.Mask})
	f.result.Lanes += bits.OnesCount32(s.Mask)
	taken := uint32(0)
	for m := s.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m)
		row := int(s.Row)
		if s.Mixed {
			row = int(f.Div.LaneRows().At(i)[lane])
		}
		t := &f.threads[row][lane]
		if line.Do != nil {
			line.Do(t)
		}
		if line.If == nil || line.If(t) {
			taken |= 1 << lane
		}
	}
	if in.Control() {
		d.Pending = true
		d.Out = divergence.Outcome{Slot: uint8(i), PC: s.PC, Taken: taken}
	}
	return divergence.Fire{Valid: true, Control: in.Control(), Slot: uint8(i), PC: s.PC}
}
