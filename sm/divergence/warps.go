package divergence

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Warps is the base of mechanisms of static warps. It has the ports, slot table, CTA barrier and
// counters, and serves the events of a cycle in order. It implements every method of Policy except
// Tick, which must call Serve, and Paths; a mechanism overrides other methods as needed. It also
// implements Start of Reconverger. Row and warp are the same number.
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

// Reconverger has the methods that a mechanism adds to Warps.
type Reconverger interface {
	// Start: the first slot of the row has a new warp, with its threads at PC 0.
	Start(l *WarpStart)
	// Advance: the slot has moved to the next PC.
	Advance(slot int)
	// Resolve handles the outcome of a slot in WaitsControl.
	Resolve(in *isa.Inst, o *Outcome)
	// Resume: the barrier releases the warp.
	Resume(row int)
}

// Named is a barrier as an instruction names it.
type Named struct {
	ID   uint8 `bits:"4"`
	Need uint8 `bits:"7"` // warps expected; 0: all live ones
}

// Meeting is the barrier that some threads of a warp wait at while others of the warp are still on
// their way to it.
type Meeting struct {
	Held  bool // some threads wait
	Apart bool // others wait at another barrier
	Bar   Named
}

// Side is one path of a divergent branch.
type Side struct {
	At   Point
	Mask uint64 `bits:"lanes"`
	Wait Wait   `bits:"2"` // WaitsBarrier: it has executed the barrier at PC
}

// NoSide is the path of an entry that is not in use.
var NoSide = Side{At: Nowhere}

// NewWarps makes slots for the given number of paths of each warp.
func NewWarps(e Env, paths int) Warps {
	b := NewBarrier(e.Geometry)
	return Warps{
		Ports:   Ports{Tallies: b.Tallies, Pairs: true, Divides: true, Events: new(Events)},
		Barrier: b,
		Table:   rtl.NewMem[Slot](paths * e.Warps),
		Meeting: rtl.NewMem[Meeting](e.Warps),
		code:    e.Code,
	}
}

// Pass releases a path from the barrier that it waits at.
func (x *Side) Pass() {
	if x.Wait == WaitsBarrier {
		x.At.PC++
		x.Wait = Runs
	}
}

// Pass releases a slot from the barrier that it waits at.
func (s *Slot) Pass() {
	if s.Wait == WaitsBarrier {
		s.PC++
		s.Wait = Runs
	}
}

// Path returns the path of a slot.
func (s *Slot) Path() Path {
	return Path{CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: isa.NoPC, Mask: s.Mask, Wait: s.Wait, Running: true}
}

// Parked returns a path that waits for the slot.
func (s *Slot) Parked(x *Side) Path {
	return Path{CTA: s.CTA, Row: s.Row, PC: x.At.PC, Reconv: isa.NoPC, Mask: x.Mask, Wait: x.Wait}
}

// Slots returns the slot table.
func (p *Warps) Slots() *rtl.Mem[Slot] { return p.Table }

// Homes returns nil: all threads of a warp are in one row, in their own lanes.
func (p *Warps) Homes() *rtl.Mem[units.Homes] { return nil }

// Stats returns the counts since reset.
func (p *Warps) Stats() Stats { return p.Q().Stats }

// Begin resets the peak of the last launch.
func (p *Warps) Begin() {
	q := *p.Q()
	q.Stats.MaxDepth = 0
	p.Init(q)
}

// Arriving returns the path of the slot, which waits as a whole. If it need not wait, it returns
// the whole warp, which arrives with its first path.
func (p *Warps) Arriving(_ int, active uint64, waits bool) uint64 {
	if waits {
		return active
	}
	return ^uint64(0)
}

// PathsOf lists the path of each slot and the paths in a stack that wait for it. It serves
// mechanisms with one slot for each warp.
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

// Start does nothing: the slot is complete.
func (p *Warps) Start(*WarpStart) {}

// Counts returns nil.
func (p *Warps) Counts() Counting { return nil }

// Logic returns nil.
func (p *Warps) Logic(Geometry) []units.Logic { return nil }

// Parts returns nil.
func (p *Warps) Parts() map[string]bool { return nil }

// Program returns the running program.
func (p *Warps) Program() *isa.Program { return p.code.Prog }

// Inst returns the instruction at a PC of the running program.
func (p *Warps) Inst(pc uint32) *isa.Inst { return &p.code.Prog.Insts[pc] }

// Changed tells fetch and issue that a slot has changed other than by advancing. Call it for every
// such slot, except the slot of Resolve and the slots of the row of Start or Resume.
func (p *Warps) Changed(slot int) { p.redirect.Add(slot) }

// PathsPerWarp returns the number of slots of a warp, one for each path that can run.
func (p *Warps) PathsPerWarp() int { return p.Table.Len() / p.Meeting.Len() }

// ChangedRow calls Changed for all slots of a row.
func (p *Warps) ChangedRow(row int) {
	for i := range p.PathsPerWarp() {
		p.Changed(row*p.PathsPerWarp() + i)
	}
}

// Serve serves at most one launch, and of each sub-core one issued instruction and one outcome. With
// Second it serves two instructions and two outcomes of each.
func (p *Warps) Serve(k Reconverger) {
	p.fired(k, &p.CorePort)
	for i := range p.Others {
		p.fired(k, &p.Others[i])
	}
	p.resolved(k, &p.CorePort)
	for i := range p.Others {
		p.resolved(k, &p.Others[i])
	}
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

// fired serves the instructions that a sub-core issues.
func (p *Warps) fired(k Reconverger, c *CorePort) {
	if f := c.Fire.Get(); f.Valid {
		p.issued(k, f)
	}
	if c.Second != nil {
		if f := c.Second.Get(); f.Valid {
			p.issued(k, f)
		}
	}
}

// resolved serves the outcomes of a sub-core.
func (p *Warps) resolved(k Reconverger, c *CorePort) {
	p.resolve(k, c)
	if c.Second != nil {
		p.resolve(k, c)
	}
}

// issued advances a slot, or makes it wait for the outcome.
func (p *Warps) issued(k Reconverger, f Fire) {
	s := p.Table.Edit(int(f.Slot))
	if f.Control {
		s.Wait = WaitsControl
	} else {
		s.PC = f.PC + 1
		k.Advance(int(f.Slot))
	}
}

// resolve serves an outcome, if there is one and the Retire queue has room.
func (p *Warps) resolve(k Reconverger, c *CorePort) {
	if !c.Outcome.Valid() || !p.Retire.Ready() {
		return
	}
	o := c.Outcome.Front()
	p.Changed(int(o.Slot))
	in := p.Inst(o.PC)
	if in.Reduces() {
		p.Barrier.Count(p.Table.At(int(o.Slot)).CTA, o)
	}
	k.Resolve(in, o)
	c.Outcome.Pop()
}

// After returns where the threads of slot s continue after a control instruction. For a branch
// these are its taken and not-taken sides; otherwise the threads that an exit leaves or that a CTA
// barrier holds: see Bar. Either side may have no threads.
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

// Bar executes a barrier for the threads of slot s and reports whether they must wait. If part is
// true, they are only part of their warp. At a barrier without a wait the warp arrives with its
// first path. At a barrier with a wait it arrives when no path of it can run: see Meet.
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

// Meet lets a warp arrive at the barrier that its last path has executed. A warp is at one barrier
// at a time. If its threads wait at several, it never arrives. Before sm_70 that is undefined (PTX
// ISA, bar: executed by the warp).
func (p *Warps) Meet(k Reconverger, s *Slot) {
	if m := p.Meeting.Next(int(s.Row)); m.Held && !m.Apart {
		p.Arrive(k, s, m.Bar.ID, m.Bar.Need, true)
	}
}

// Arrive records the arrival of the warp of slot s at a barrier.
func (p *Warps) Arrive(k Reconverger, s *Slot, id, need uint8, waits bool) {
	p.release(k, p.Barrier.Arrive(s.CTA, s.Row, id, need, waits))
}

// End ends the warp of slot s.
func (p *Warps) End(k Reconverger, s *Slot) {
	s.Valid = false
	p.Retire.Push(Retire{CTA: s.CTA, Row: s.Row})
	p.Leave(k, s)
}

// Leave tells the barriers of a CTA that all threads of the warp of slot s have exited.
func (p *Warps) Leave(k Reconverger, s *Slot) { p.release(k, p.Barrier.Exit(s.CTA, s.Row)) }

// release resumes the warps that a barrier releases.
func (p *Warps) release(k Reconverger, rows uint64) {
	if rows != 0 {
		p.D().Stats.BarReleases++
		if p.OnRelease.Any() {
			p.OnRelease.Notify(Released{rows})
		}
	}
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		p.Meeting.Edit(row).Held = false
		p.ChangedRow(row)
		k.Resume(row)
	}
}
