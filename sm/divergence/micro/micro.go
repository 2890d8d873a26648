// Package micro drives a reconvergence mechanism by itself, without a pipeline. Its front end
// issues one instruction a cycle from the first slot that can run. It answers each branch in the
// next cycle, or after a given latency. A Go function decides each branch of a thread. The
// micro-kernels of the literature can thus be written as published, and compared instruction by
// instruction.
package micro

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Thread is the private state of a thread of a micro-kernel.
type Thread struct {
	TID int
	I   int // the kernel's loop counter
}

// Line is one instruction of a micro-kernel. The zero Line is an instruction without effect.
type Line struct {
	Label string
	Do    func(t *Thread)      // effect, if any
	If    func(t *Thread) bool // the lanes that branch or exit; nil: all of them
	To    string               // target of a branch
	Exit  bool
	Bar   bool // bar.sync 0
	Pass  bool // bar.arrive 0: arrive without waiting
	Load  int  // latency of a load in cycles: the next instruction of the threads waits that long

	Uniform bool // If is the same for all threads of a CTA, and the analysis knows it

	// Op, if set, is a mechanism's own instruction, such as isa.OpSSY. To and If are as for a
	// branch, and Conv is the number of its barrier. No instructions are inserted into a kernel
	// that has some.
	Op   isa.Op
	Conv uint8
}

// Kernel is a micro-kernel.
type Kernel []Line

// Program returns the machine form of k. It panics if a label is missing.
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
		if l.To != "" {
			target, ok := at[l.To]
			if !ok {
				panic("micro: no label " + l.To)
			}
			in.Target = target
		}
		switch {
		case l.Op != isa.OpNone:
			in.Op, in.Conv, in.Text = l.Op, l.Conv, "op "+l.To
		case l.To != "":
			in.Op, in.Text = isa.OpBra, "bra "+l.To
		case l.Exit:
			in.Op, in.Text = isa.OpExit, "exit"
		case l.Bar:
			in.Op, in.Mode, in.Text = isa.OpBar, isa.ModeSync, "bar.sync 0"
		case l.Pass:
			in.Op, in.Mode, in.Text = isa.OpBar, isa.ModeArrive, "bar.arrive 0"
		}
		if l.If != nil {
			in.Guard = isa.Operand{Kind: isa.OperandPred}
		}
		p.Insts = append(p.Insts, in)
	}
	isa.Analyze(p)
	for pc, l := range k { // the analysis does not see what the Go functions do
		p.Insts[pc].Uniform = p.Insts[pc].Uniform && l.If == nil || l.Uniform
	}
	return p
}

// Issue is one issued instruction of the kernel.
type Issue struct {
	Row   int // of all lanes, unless Mixed
	PC    uint32
	Mask  uint64
	Mixed bool
	Homes units.Homes // if Mixed, of the active lanes
}

// Home returns the register-file home of the thread in an active lane.
func (i *Issue) Home(lane int) units.Home {
	if i.Mixed {
		return i.Homes.At(lane)
	}
	return units.Home{Row: uint8(i.Row), Lane: uint8(lane)}
}

// Thread returns the number of the thread in an active lane, counted over all rows of so many
// lanes.
func (i *Issue) Thread(lane, lanes int) int {
	h := i.Home(lane)
	return int(h.Row)*lanes + int(h.Lane)
}

// Result is the outcome of a run.
type Result struct {
	Issues     []Issue
	Lanes      int // active lanes over all issues
	Added      int // inserted instructions issued
	AddedLanes int // their active lanes
	Stats      divergence.Stats
	Counts     any  // the mechanism's own counters
	Done       bool // all threads have exited
}

// Activity returns the activity factor of a run on warps of the given width.
func (r Result) Activity(lanes int) float64 {
	return float64(r.Lanes) / float64(len(r.Issues)*lanes)
}

// Bench is the machine around a mechanism.
type Bench struct {
	Lanes int // of a warp
	Warps int // of a CTA
	CTAs  int // 0: one
	// Latency is the additional cycles until the outcome of a control instruction. Other slots
	// issue in them.
	Latency int

	// Prefer, if set, lists the slots in the order in which they issue if ready. Otherwise they
	// issue in turn.
	Prefer []int

	// Memory is the latency of the mechanism's memory, in cycles, at least 1.
	Memory int
	// Refill, if set, is called with the words that memory returns, and may change them.
	Refill func(*divergence.Transferred)

	// Watch, if set, is called with the mechanism before the first cycle.
	Watch func(p divergence.Policy)

	// Each, if set, is called after every cycle that is not skipped, with all instructions issued so far.
	Each func(p divergence.Policy, issued []Issue)
}

// design is a mechanism with its front end.
type design struct {
	Policy divergence.Policy
	Front  *front
	Memory *Memory
}

// Memory holds the state of a mechanism that does not fit on the chip. It does not answer an access
// outside its words.
type Memory struct {
	In    rtl.In[divergence.Transfer]
	Out   rtl.Out[divergence.Transferred]
	Words *rtl.Mem[uint64] // by row

	refill func(*divergence.Transferred)
}

// NewMemory connects a mechanism to memory for a number of rows, with a latency in cycles.
func NewMemory(p *divergence.Ports, rows, cycles int) *Memory {
	in := rtl.NewQueue[divergence.Transfer](rows)
	out := rtl.NewQueue[divergence.Transferred](rows, rtl.Latency(uint64(max(cycles, 1))))
	p.Memory, p.Answer = in.Out(), out.In()
	return &Memory{In: in.In(), Out: out.Out(), Words: rtl.NewMem[uint64](rows * divergence.SpillWords)}
}

// Tick serves a transfer.
func (m *Memory) Tick() {
	if !m.In.Valid() || !m.Out.Ready() {
		return
	}
	t := *m.In.Front()
	m.In.Pop()
	answer := divergence.Transferred{Row: t.Row}
	if int(t.At)+int(t.Words) > divergence.SpillWords {
		return
	}
	for i := range int(t.Words) {
		if at := int(t.Row)*divergence.SpillWords + int(t.At) + i; t.Store {
			*m.Words.Edit(at) = t.Data[i]
		} else {
			answer.Data[i] = *m.Words.At(at)
		}
	}
	if m.refill != nil && !t.Store {
		m.refill(&answer)
	}
	m.Out.Push(answer)
}

type front struct {
	rtl.State[struct {
		Last    uint16
		Pending bool
		Out     divergence.Outcome
		Retired uint8
		Started uint8
	}]
	Fire    rtl.Wire[divergence.Fire]
	Stalled rtl.Wire[units.Set]
	Div     divergence.Policy
	Launch  rtl.Out[divergence.WarpStart]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	kernel  Kernel
	prog    *isa.Program
	bench   Bench
	threads [][]Thread
	until   [][]uint64 // by row and lane: cycle in which the thread's data arrives
	result  *Result
	sim     *rtl.Sim
}

// Run runs kernel k with the given number of warps in one CTA, for at most max cycles.
func Run(m divergence.Mechanism, o divergence.Options, lanes, warps int, k Kernel, max uint64) (Result, error) {
	return Bench{Lanes: lanes, Warps: warps}.Run(m, o, k, max)
}

// Run runs kernel k for at most limit cycles. The rows of a CTA are adjacent, and its threads are
// numbered from 0.
func (b Bench) Run(m divergence.Mechanism, o divergence.Options, k Kernel, limit uint64) (Result, error) {
	prog := m.Program(o, k.Program(m.Name))
	b.CTAs = max(b.CTAs, 1)
	rows := b.CTAs * b.Warps
	pol, err := m.Build(o, divergence.Geometry{Lanes: b.Lanes, Warps: rows, CTAs: b.CTAs}, &divergence.Code{Prog: prog})
	if err != nil {
		return Result{}, err
	}
	var res Result
	f := &front{Div: pol, kernel: k, prog: prog, bench: b, result: &res}
	for w := range rows {
		row := make([]Thread, b.Lanes)
		for l := range row {
			row[l].TID = w%b.Warps*b.Lanes + l
		}
		f.threads = append(f.threads, row)
		f.until = append(f.until, make([]uint64, b.Lanes))
	}
	launch, retire := rtl.NewQueue[divergence.WarpStart](rows), rtl.NewQueue[divergence.Retire](rows)
	outcome := rtl.NewQueue[divergence.Outcome](b.Latency+2, rtl.Latency(uint64(max(b.Latency, 1))))
	f.Launch, f.Outcome, f.Retire = launch.Out(), outcome.Out(), retire.In()
	c := pol.Connections()
	c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &f.Fire
	if m.Stalls {
		c.Stalled = &f.Stalled
	}
	mem := NewMemory(c, rows, b.Memory)
	mem.refill = b.Refill
	sim, err := rtl.New("bench", &design{pol, f, mem})
	if err != nil {
		return res, fmt.Errorf("micro: %w", err)
	}
	pol.Begin()
	if b.Watch != nil {
		b.Watch(pol)
	}
	res.Done = sim.RunUntil(func() bool {
		if b.Each != nil {
			b.Each(pol, res.Issues)
		}
		return int(f.Q().Retired) == rows
	}, limit)
	res.Stats = pol.Stats()
	if c := pol.Counts(); c != nil {
		res.Counts = c.Values()
	}
	return res, nil
}

// Tick starts warps, issues an instruction, and answers the last branch.
func (f *front) Tick() {
	q, d := f.Regs()
	if n := f.bench.Warps; int(q.Started) < len(f.threads) && f.Launch.Ready() {
		cta, warp := int(q.Started)/n, int(q.Started)%n
		f.Launch.Push(divergence.WarpStart{
			CTA: uint8(cta), Row: q.Started, First: uint8(cta * n), Warps: uint8(n), Last: warp+
				1 == n, Mask: uint64(1<<f.bench.Lanes - 1),
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
	stalled := f.stalled(slots)
	f.Stalled.Set(stalled)
	best, lowest := -1, uint64(0)
	for k := range slots.Len() {
		i := (int(q.Last) + 1 + k) % slots.Len()
		if f.bench.Prefer != nil {
			i = f.bench.Prefer[k]
		}
		if s := slots.At(i); s.Valid && s.Wait == divergence.Runs && !blocked && !stalled.Has(i) {
			rank := uint64(0)
			if r := f.Div.Connections().Ranks; r != nil {
				rank = *r.At(i)
			}
			if best < 0 || rank < lowest {
				best, lowest = i, rank
			}
		}
	}
	if best >= 0 {
		fire = f.issue(best, slots.At(best))
		d.Last = uint16(best)
	}
	f.Fire.Set(fire)
}

// stalled returns the slots that wait for memory.
func (f *front) stalled(slots *rtl.Mem[divergence.Slot]) (set units.Set) {
	for i := range slots.Len() {
		s := slots.At(i)
		for m := s.Mask; m != 0 && !s.Mixed; m &= m - 1 {
			if f.until[s.Row][bits.TrailingZeros64(m)] > f.sim.Now() {
				set.Add(i)
				f.sim.WakeAt(f.sim.Now() + 1)
			}
		}
	}
	return set
}

func (f *front) issue(i int, s *divergence.Slot) divergence.Fire {
	d := f.D()
	in := &f.prog.Insts[s.PC]
	taken := s.Mask
	if in.Inserted {
		f.result.Added++
		f.result.AddedLanes += bits.OnesCount64(s.Mask)
	} else {
		taken = f.execute(i, s)
	}
	if in.Control() {
		d.Pending = true
		d.Out = divergence.Outcome{Slot: uint16(i), PC: s.PC, Taken: taken}
	}
	return divergence.Fire{Valid: true, Control: in.Control(), Slot: uint16(i), PC: s.PC}
}

// execute runs an instruction of the kernel for the threads of slot i. It returns the lanes that
// branch or exit.
func (f *front) execute(i int, s *divergence.Slot) (taken uint64) {
	pc := f.prog.OriginOf(s.PC)
	line := &f.kernel[pc]
	issue := Issue{Row: int(s.Row), PC: pc, Mask: s.Mask, Mixed: s.Mixed}
	if s.Mixed {
		issue.Homes = *f.Div.Homes().At(i)
	}
	f.result.Issues = append(f.result.Issues, issue)
	f.result.Lanes += bits.OnesCount64(s.Mask)
	for m := s.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		h := issue.Home(lane)
		t := &f.threads[h.Row][h.Lane]
		if line.Do != nil {
			line.Do(t)
		}
		f.until[h.Row][h.Lane] = f.sim.Now() + uint64(line.Load)
		if line.If == nil || line.If(t) {
			taken |= 1 << lane
		}
	}
	return taken
}
