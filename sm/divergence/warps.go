package divergence

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Warps is the part that the mechanisms of static warps have in common: ports,
// slot table, CTA barrier, counters, and the order in which the events of a
// cycle are served. Row and warp are the same number.
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

// reconverger is what a mechanism adds to Warps.
type reconverger interface {
	launch(l *Launch)                 // a warp with its threads at PC 0
	advance(slot int)                 // the slot went on to the next PC
	resolve(in *isa.Inst, o *Outcome) // of a slot in WaitsControl
	resume(row int)                   // the barrier lets the warp go
}

// Meeting is the barrier that threads of a warp wait at while others of the
// warp are still on their way to it.
type Meeting struct {
	ID   uint8 `bits:"4"`
	Need uint8 `bits:"7"`
}

// Side is one of two paths that a divergent branch leads to.
type Side struct {
	At   Point
	Mask uint32 `bits:"lanes"`
	Wait Wait   `bits:"2"` // WaitsBarrier: it has executed the barrier at PC
}

// newWarps makes slots for the given number of paths of each warp.
func newWarps(g Geometry, paths int, code *Code) Warps {
	b := NewBarrier(g)
	return Warps{
		Ports:   Ports{Tallies: b.Tallies},
		Barrier: b,
		Table:   rtl.NewMem[Slot](paths * g.Warps),
		Meeting: rtl.NewMem[Meeting](g.Warps),
		code:    code,
	}
}

// Slots is the slot table.
func (p *Warps) Slots() *rtl.Mem[Slot] { return p.Table }

// Homes is nil: all threads of a warp are in one row, in their lanes.
func (p *Warps) Homes() *rtl.Mem[Homes] { return nil }

// Stats is what was counted since reset.
func (p *Warps) Stats() Stats { return p.Q().Stats }

// Arriving is the path of the slot: it waits as a whole.
func (p *Warps) Arriving(slot int) uint32 { return p.Table.At(slot).Mask }

// serve serves at most one issued instruction, one outcome and one launch.
func (p *Warps) serve(k reconverger) {
	if f := p.Fire.Get(); f.Valid {
		s := p.Table.Edit(int(f.Slot))
		if f.Control {
			s.Wait = WaitsControl
		} else {
			s.PC = f.PC + 1
			k.advance(int(f.Slot))
		}
	}
	if p.Outcome.Valid() && p.Retire.Ready() {
		o := p.Outcome.Front()
		p.redirect.Add(int(o.Slot))
		in := &p.code.Prog.Insts[o.PC]
		if in.Reduces() {
			p.Barrier.Count(p.Table.At(int(o.Slot)).CTA, o)
		}
		k.resolve(in, o)
		p.Outcome.Pop()
	}
	if p.Launch.Valid() {
		l := p.Launch.Front()
		k.launch(l)
		p.Barrier.Launch(l)
		p.Launch.Pop()
	}
	p.Redirect.Set(p.redirect)
	p.redirect = units.Set{}
}

// bar executes a barrier for the threads of slot s, which may be some of their
// warp, and reports whether they have to wait. A warp arrives at a barrier that
// it need not wait at as soon as a path of it gets there. At one that it waits
// at it arrives when no path of it can run: see meet.
func (p *Warps) bar(k reconverger, s *Slot, in *isa.Inst, o *Outcome, live uint32) (waits bool) {
	if o.Taken == 0 {
		return false
	}
	if s.Mask != live {
		p.D().Stats.BarDiverged++
	}
	if in.Mode == isa.ModeArrive {
		p.arrive(k, s, o.Bar, o.Warps, false)
		return false
	}
	*p.Meeting.Edit(int(s.Row)) = Meeting{o.Bar, o.Warps}
	return true
}

// meet lets a warp arrive at the barrier that its last path has executed.
// Threads of one warp that wait at different barriers at a time are undefined
// (PTX ISA, bar: before sm_70 a barrier is executed by the warp).
func (p *Warps) meet(k reconverger, s *Slot) {
	m := p.Meeting.Edit(int(s.Row))
	p.arrive(k, s, m.ID, m.Need, true)
}

// arrive brings the warp of slot s to a barrier.
func (p *Warps) arrive(k reconverger, s *Slot, id, need uint8, waits bool) {
	p.release(k, p.Barrier.Arrive(s.CTA, s.Row, id, need, waits))
}

// retire ends the warp of slot s.
func (p *Warps) retire(k reconverger, s *Slot) {
	s.Valid = false
	p.Retire.Push(Retire{CTA: s.CTA, Row: s.Row})
	p.release(k, p.Barrier.Exit(s.CTA, s.Row))
}

// release lets the warps of a barrier go on.
func (p *Warps) release(k reconverger, rows uint64) {
	if rows != 0 {
		p.D().Stats.BarReleases++
	}
	for ; rows != 0; rows &= rows - 1 {
		k.resume(bits.TrailingZeros64(rows))
	}
}
