package formation

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

// static enters a static warp into the pool without the table, so that no thread joins it. It gets
// the next free slot. There are as many slots as rows, and a static warp needs one slot, so dynamic
// warps always have some left.
func (p *DWF) static(u *units.Update) {
	p.want(p.Pool.Form(u, u.Req), Place{Static: true, First: true, Slot: u.Row[0]})
}

// resolveStatic handles a control instruction of a static warp.
func (p *DWF) resolveStatic(i int, in *isa.Inst, o *divergence.Outcome) bool {
	s := p.Table.Edit(i)
	row := int(s.Row)
	w := p.Statics.Edit(row)
	switch {
	case in.Branches():
		taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
		if taken != 0 && not != 0 || p.Next().Half {
			return p.diverge(i, in, o, w, taken, not)
		}
		p.D().Stats.Count(in, taken, not)
		j := o.Jump(in, 0)
		s.Wait, s.PC = divergence.Runs, j.Fall.PC
		if taken != 0 {
			s.PC = j.Target.PC
		}
		p.come(i, s)
	case in.Op == isa.OpBar:
		p.barStatic(row, s, in, o, w)
	default:
		u := p.from(i, s.Mask&o.Taken, 0)
		s.Mask &^= o.Taken
		s.Wait, s.PC = divergence.Runs, o.PC+1
		if s.Mask == 0 {
			p.vacate(i)
		} else {
			p.come(i, s)
		}
		p.exit(&u)
	}
	p.redirect.Add(i)
	return true
}

// diverge handles a top-level divergence. The warp's threads become dynamic until they meet at the
// warp barrier.
func (p *DWF) diverge(i int, in *isa.Inst, o *divergence.Outcome, w *StaticWarp, taken, not uint64) bool {
	done := p.branch(i, in, o, taken, not)
	if (done || p.Next().Half) && in.Reconv != isa.NoPC && !w.Barred {
		w.Barred, w.RPC, w.Arrived = true, in.Reconv, 0 // before the first side is inserted
	}
	return done
}

// barStatic handles a static warp at a CTA barrier, where it arrives as a whole.
func (p *DWF) barStatic(row int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome, w *StaticWarp) {
	switch {
	case o.Taken == 0:
		s.Wait = divergence.Runs
		s.PC++
		p.come(int(o.Slot), s)
	case in.Mode == isa.ModeArrive:
		s.Wait = divergence.Runs
		s.PC++
		p.come(int(o.Slot), s)
		p.release(p.Barrier.Arrive(w.CTA, uint8(row), o.Bar, o.Warps, false))
	default:
		s.Wait = divergence.WaitsBarrier
		if in.Reduces() {
			p.Barrier.Count(w.CTA, o)
		}
		p.release(p.Barrier.Arrive(w.CTA, uint8(row), o.Bar, o.Warps, true))
	}
}

// Arriving returns the warp of the slot if it is a static one. The threads of other warps arrive
// one by one.
func (p *DWF) Arriving(slot int, active uint64, _ bool) uint64 {
	if p.Picked.At(slot).Static {
		return active
	}
	return 0
}

// gather removes the threads that have reached their warp barriers from an update.
func (p *DWF) gather(u *units.Update) {
	if !p.warpBarriers || !p.meets[u.PC] {
		return
	}
	rows := uint64(0)
	for m := u.Req; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		row := int(u.Row[lane])
		if w := p.Statics.Next(row); w.Barred && w.RPC == u.PC {
			p.Statics.Edit(row).Arrived |= 1 << lane
			u.Req &^= 1 << lane
			rows |= 1 << (row & 63)
		}
	}
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows)
		w := p.Statics.Edit(row)
		p.restore(row, w)
		p.meet(row, w)
	}
}

// restore makes a row a static warp again when all its live threads have reached the warp barrier.
func (p *DWF) restore(row int, w *StaticWarp) {
	if !w.Barred || w.Arrived != w.Live {
		return
	}
	u := units.Update{PC: w.RPC, Req: w.Live}
	for i := range u.Row {
		u.Row[i] = uint8(row)
	}
	w.Barred, w.Arrived = false, 0
	p.static(&u)
}
