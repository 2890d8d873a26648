package divergence

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Warps is what a mechanism of static warps is built on: ports, slot table, CTA
// barrier, counters, and the order in which the events of a cycle are served. It
// has every method of a Policy but Tick, which calls Serve, and Paths, and Start; a
// mechanism overrides what is otherwise for it. Row and warp are the same number.
type Warps struct {
	Ports
	rtl.State[struct {
		Stats Stats `rtl:"sim"`
	}]
	Barrier Barrier
	Table   *rtl.Mem[Slot]    `trace:"true"`
	Meeting *rtl.Mem[Meeting] // by row

	code     *Code
	redirect units.Set // of this cycle
}

// Reconverger is what a mechanism adds to Warps.
type Reconverger interface {
	Start(l *WarpStart)               // the first slot of the row has a new warp, with its threads at PC 0
	Advance(slot int)                 // the slot went on to the next PC
	Resolve(in *isa.Inst, o *Outcome) // of a slot in WaitsControl
	Resume(row int)                   // the barrier lets the warp go
}

// Named is a barrier as an instruction names it.
type Named struct {
	ID   uint8 `bits:"4"`
	Need uint8 `bits:"7"` // warps expected; 0: all live ones
}

// Meeting is the barrier that threads of a warp wait at while others of the
// warp are still on their way to it.
type Meeting struct {
	Held  bool // there are such threads
	Apart bool // and others at another barrier
	Bar   Named
}

// Side is a path that a divergent branch leads to.
type Side struct {
	At   Point
	Mask uint32 `bits:"lanes"`
	Wait Wait   `bits:"2"` // WaitsBarrier: it has executed the barrier at PC
}

// NewWarps makes slots for the given number of paths of each warp.
func NewWarps(e Env, paths int) Warps {
	b := NewBarrier(e.Geometry)
	return Warps{
		Ports:   Ports{Tallies: b.Tallies, Pairs: true},
		Barrier: b,
		Table:   rtl.NewMem[Slot](paths * e.Warps),
		Meeting: rtl.NewMem[Meeting](e.Warps),
		code:    e.Code,
	}
}

// Pass lets a path go on that waits at a barrier.
func (x *Side) Pass() {
	if x.Wait == WaitsBarrier {
		x.At.PC++
		x.Wait = Runs
	}
}

// Pass lets a slot go on that waits at a barrier.
func (s *Slot) Pass() {
	if s.Wait == WaitsBarrier {
		s.PC++
		s.Wait = Runs
	}
}

// Path is the path of a slot.
func (s *Slot) Path() Path {
	return Path{CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: isa.NoPC, Mask: s.Mask, Wait: s.Wait, Running: true}
}

// Parked is a path that waits for the slot.
func (s *Slot) Parked(x *Side) Path {
	return Path{CTA: s.CTA, Row: s.Row, PC: x.At.PC, Reconv: isa.NoPC, Mask: x.Mask, Wait: x.Wait}
}

// Slots is the slot table.
func (p *Warps) Slots() *rtl.Mem[Slot] { return p.Table }

// Homes is nil: all threads of a warp are in one row, in their lanes.
func (p *Warps) Homes() *rtl.Mem[units.Homes] { return nil }

// Stats is what was counted since reset.
func (p *Warps) Stats() Stats { return p.Q().Stats }

// Begin forgets the peak of the launch before.
func (p *Warps) Begin() {
	q := *p.Q()
	q.Stats.MaxDepth = 0
	p.Init(q)
}

// Arriving is the path of the slot, which waits as a whole, and the whole warp
// where it need not wait: it arrives with its first path.
func (p *Warps) Arriving(_ int, active uint32, waits bool) uint32 {
	if waits {
		return active
	}
	return ^uint32(0)
}

// PathsOf lists the path of each slot and those that wait in a stack for it, for
// mechanisms with a slot for each warp.
func (p *Warps) PathsOf(in *units.Stack[Side], to []Path) []Path {
	for w := range p.Table.Len() {
		if s := p.Table.At(w); s.Valid {
			to = append(to, s.Path())
			for i := range int(*in.Depth.At(w)) {
				to = append(to, s.Parked(in.At(w, i)))
			}
		}
	}
	return to
}

// Start has nothing to add to the slot.
func (p *Warps) Start(*WarpStart) {}

// Counts is nil.
func (p *Warps) Counts() Counting { return nil }

// Logic is none.
func (p *Warps) Logic(Geometry) []units.Logic { return nil }

// Parts is nil.
func (p *Warps) Parts() map[string]bool { return nil }

// Program is the program that runs.
func (p *Warps) Program() *isa.Program { return p.code.Prog }

// Inst is the instruction at a PC of it.
func (p *Warps) Inst(pc uint32) *isa.Inst { return &p.code.Prog.Insts[pc] }

// Changed tells fetch and issue that a slot is not where its last instruction
// leads, or not as it was. They know it of the slot of Resolve, and of those of
// the row of Start and Resume.
func (p *Warps) Changed(slot int) { p.redirect.Add(slot) }

// PathsPerWarp is how many slots a warp has, one for each of its paths that can run.
func (p *Warps) PathsPerWarp() int { return p.Table.Len() / p.Meeting.Len() }

// ChangedRow tells it of all slots of a row.
func (p *Warps) ChangedRow(row int) {
	for i := range p.PathsPerWarp() {
		p.Changed(row*p.PathsPerWarp() + i)
	}
}

// Serve serves at most one issued instruction, one outcome and one launch; where a
// second instruction issues in a cycle, two and two.
func (p *Warps) Serve(k Reconverger) {
	if f := p.Fire.Get(); f.Valid {
		p.issued(k, f)
	}
	if p.Second != nil {
		if f := p.Second.Get(); f.Valid {
			p.issued(k, f)
		}
		p.resolve(k)
	}
	p.resolve(k)
	if p.Launch.Valid() {
		l := p.Launch.Front()
		*p.Table.Edit(int(l.Row) * p.PathsPerWarp()) = Slot{Valid: true, CTA: l.CTA, Row: l.Row, Mask: l.Mask}
		p.ChangedRow(int(l.Row))
		k.Start(l)
		p.Barrier.Launch(l)
		p.Launch.Pop()
	}
	p.Drive(&p.redirect, p.Table.Len())
}

// issued moves a slot on, or has it wait.
func (p *Warps) issued(k Reconverger, f Fire) {
	s := p.Table.Edit(int(f.Slot))
	if f.Control {
		s.Wait = WaitsControl
	} else {
		s.PC = f.PC + 1
		k.Advance(int(f.Slot))
	}
}

// resolve serves an outcome, if there is one and room for a warp that it ends.
func (p *Warps) resolve(k Reconverger) {
	if !p.Outcome.Valid() || !p.Retire.Ready() {
		return
	}
	o := p.Outcome.Front()
	p.Changed(int(o.Slot))
	in := p.Inst(o.PC)
	if in.Reduces() {
		p.Barrier.Count(p.Table.At(int(o.Slot)).CTA, o)
	}
	k.Resolve(in, o)
	p.Outcome.Pop()
}

// After is where the threads of slot s go on, which is at a control instruction: of
// a branch those that take it and the others, else those that it leaves, or has
// wait at a CTA barrier, of which see Bar. Either may be nobody.
func (p *Warps) After(k Reconverger, s *Slot, in *isa.Inst, o *Outcome, part bool) (sides [2]Side) {
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	next := Point{o.PC + 1, s.Depth}
	switch {
	case in.Branches():
		p.D().Stats.Count(in, taken, not)
		j := o.Jump(in, s.Depth)
		return [2]Side{{At: j.Target, Mask: taken}, {At: j.Fall, Mask: not}}
	case in.Op != isa.OpBar: // exit
		return [2]Side{{At: next, Mask: not}}
	case p.Bar(k, s, in, o, part):
		return [2]Side{{At: s.At(), Mask: s.Mask, Wait: WaitsBarrier}}
	}
	return [2]Side{{At: next, Mask: s.Mask}}
}

// Bar executes a barrier for the threads of slot s, which may be part of their
// warp, and reports whether they have to wait. A warp arrives at a barrier that
// it need not wait at as soon as a path of it gets there. At one that it waits
// at it arrives when no path of it can run: see Meet.
func (p *Warps) Bar(k Reconverger, s *Slot, in *isa.Inst, o *Outcome, part bool) (waits bool) {
	if o.Taken == 0 {
		return false
	}
	if part {
		p.D().Stats.BarDiverged++
	}
	if in.Mode == isa.ModeArrive {
		p.Arrive(k, s, o.Bar, o.Warps, false)
		return false
	}
	m := p.Meeting.Edit(int(s.Row))
	*m = Meeting{Held: true, Apart: m.Apart || m.Held && m.Bar.ID != o.Bar, Bar: Named{o.Bar, o.Warps}}
	return true
}

// Meet lets a warp arrive at the barrier that its last path has executed.
// A warp is at one barrier at a time: if its threads wait at several, which before
// sm_70 is undefined (PTX ISA, bar: executed by the warp), it never arrives.
func (p *Warps) Meet(k Reconverger, s *Slot) {
	if m := p.Meeting.Next(int(s.Row)); m.Held && !m.Apart {
		p.Arrive(k, s, m.Bar.ID, m.Bar.Need, true)
	}
}

// Arrive brings the warp of slot s to a barrier.
func (p *Warps) Arrive(k Reconverger, s *Slot, id, need uint8, waits bool) {
	p.release(k, p.Barrier.Arrive(s.CTA, s.Row, id, need, waits))
}

// End ends the warp of slot s.
func (p *Warps) End(k Reconverger, s *Slot) {
	s.Valid = false
	p.Retire.Push(Retire{CTA: s.CTA, Row: s.Row})
	p.release(k, p.Barrier.Exit(s.CTA, s.Row))
}

// release lets the warps of a barrier go on.
func (p *Warps) release(k Reconverger, rows uint64) {
	if rows != 0 {
		p.D().Stats.BarReleases++
	}
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		p.Meeting.Edit(row).Held = false
		p.ChangedRow(row)
		k.Resume(row)
	}
}
