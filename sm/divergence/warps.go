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
	rtl.State[struct{ Stats Stats }]
	Barrier Barrier
	Table   *rtl.Mem[Slot] `trace:"true"`

	code     *Code
	redirect units.Set // of this cycle
}

// stack is what a mechanism adds to Warps. A slot's PC and Wait are as Fire and
// Outcome left them: resolve makes a slot that waits for control run again.
type stack interface {
	launch(l *Launch)                 // all threads of the warp at PC 0
	advance(slot int)                 // it went on to the next instruction
	resolve(in *isa.Inst, o *Outcome) // branch, barrier or exit
	resume(row int)                   // the barrier lets the warp go
}

// newWarps makes slots for the given number of paths of each warp.
func newWarps(g Geometry, paths int, code *Code) Warps {
	return Warps{Barrier: NewBarrier(g.CTAs), Table: rtl.NewMem[Slot](paths * g.Warps), code: code}
}

// Slots is the slot table.
func (p *Warps) Slots() *rtl.Mem[Slot] { return p.Table }

// LaneRows is nil: all lanes of a warp are in one row.
func (p *Warps) LaneRows() *rtl.Mem[LaneRows] { return nil }

// Stats is what was counted since reset.
func (p *Warps) Stats() Stats { return p.Q().Stats }

// serve serves at most one issued instruction, one outcome and one launch.
func (p *Warps) serve(k stack) {
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
		k.resolve(&p.code.Prog.Insts[o.PC], o)
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

// count counts a branch and reports whether lanes take both ways.
func (p *Warps) count(in *isa.Inst, taken, not uint32) (diverges bool) {
	st := &p.D().Stats
	if in.Conditional() {
		st.Branches++
	}
	if taken == 0 || not == 0 {
		return false
	}
	st.Divergent++
	return true
}

// arrive brings the warp of slot s to a barrier.
func (p *Warps) arrive(k stack, s *Slot, id, need uint8, waits bool) {
	p.release(k, p.Barrier.Arrive(s.CTA, s.Row, id, need, waits))
}

// retire ends the warp of slot s.
func (p *Warps) retire(k stack, s *Slot) {
	s.Valid = false
	p.Retire.Push(Retire{CTA: s.CTA, Row: s.Row})
	p.release(k, p.Barrier.Exit(s.CTA, s.Row))
}

// release lets the warps of a barrier go on.
func (p *Warps) release(k stack, rows uint64) {
	if rows != 0 {
		p.D().Stats.BarReleases++
	}
	for ; rows != 0; rows &= rows - 1 {
		k.resume(bits.TrailingZeros64(rows))
	}
}
