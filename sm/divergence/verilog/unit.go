package verilog

import (
	"fmt"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// Unit is the bench around a Verilog unit in an SM, and its Policy. The unit has the PCs, the masks
// and what lies behind them. The bench has what is the same for every unit: the slot table that the
// front end reads, a copy of the unit's outputs; the CTA barrier; and the live threads of each warp.
//
// The events of a cycle and the clock edge belong together: after the edge the slots are those that a
// Policy in Go has after its Tick. Without an event the unit gets no clock edge, unless it asks for
// one (busy).
type Unit struct {
	divergence.Warps
	Verilog rtl.Foreign
	Live    *rtl.Mem[uint64] `bits:"lanes"` // threads of each warp that have not exited
	Own     rtl.State[struct {
		Running uint64 `bits:"warps"` // warps that have started and not retired
		Busy    bool   // the unit asks for the next edge
	}]

	m   *model `rtl:"-"`
	sim *rtl.Sim
}

// newUnit makes the bench and its unit.
func newUnit(e divergence.Env, start func() (bench, error), about *description) *Unit {
	p := &Unit{Warps: divergence.NewWarps(e, 1), Live: rtl.NewMem[uint64](e.Warps)}
	p.Pairs, p.Divides, p.Failure = false, false, new(divergence.Failure)
	p.m = &model{start: start, about: about, fail: p.fail, heal: func() { p.Failure.Err = nil }}
	p.Verilog.Init(p.m)
	return p
}

// fail ends the run. A machine that is being built has no cycle.
func (p *Unit) fail(err error) {
	cycle := uint64(0)
	if p.sim != nil {
		cycle = p.sim.Now()
	}
	p.Failure.Fail(cycle, err)
}

// Tick drives the inputs of the unit with the events of the cycle, gives it a clock edge, and copies
// its outputs.
func (p *Unit) Tick() {
	if p.Failure.Err != nil {
		return
	}
	in := &p.m.in
	*in = Inputs{}
	f := p.Fire.Get()
	if f.Valid {
		in.Fire, in.FireWarp, in.FirePC = 1, uint8(f.Slot), f.PC
		if f.Control {
			in.FireControl = 1
		}
	}
	p.Serve(p)
	if in.Fire|in.Outcome|in.Launch == 0 && in.Resume == 0 && !p.Own.Q().Busy {
		return
	}
	p.m.try(func(b bench) error { return b.clock(in, &p.m.out) })
	if p.Failure.Err != nil {
		return
	}
	p.Verilog.Clocked()
	p.copy(&p.m.out)
}

// copy takes the outputs of the unit over.
func (p *Unit) copy(out *Outputs) {
	if out.Error != 0 {
		p.fail(fmt.Errorf("the unit reports error %d", out.Error))
		return
	}
	if n := p.Table.Len(); n < Warps && out.Valid>>n != 0 {
		p.fail(fmt.Errorf("the unit has valid slots %#x, the machine has %d warps", out.Valid, n))
		return
	}
	var changed units.Set
	any := false
	for w := range p.Table.Len() {
		valid := out.Valid>>w&1 != 0
		s := p.Table.Next(w)
		if s.Valid == valid &&
			(!valid || s.PC == out.PC[w] && s.Mask == uint64(out.Mask[w]) && s.Depth == out.Depth[w]) {
			continue
		}
		if err := p.wrong(w, valid, out); err != nil {
			p.fail(err)
			return
		}
		s = p.Table.Edit(w)
		if s.Valid = valid; valid {
			s.PC, s.Mask, s.Depth = out.PC[w], uint64(out.Mask[w]), out.Depth[w]
		}
		changed.Add(w)
		any = true
	}
	if any {
		set := *p.Redirect.At()
		set.Union(&changed, units.Words(p.Table.Len()))
		p.Redirect.Set(set)
	}
	if busy := out.Busy != 0; busy != p.Own.Next().Busy {
		p.Own.D().Busy = busy
	}
	if out.Busy != 0 {
		p.sim.WakeAt(p.sim.Now() + 1)
	}
	if out.Retire != 0 {
		p.retire(int(out.Gone))
	}
}

// wrong describes a slot with which the front end cannot go on.
func (p *Unit) wrong(w int, valid bool, out *Outputs) error {
	live, insts := *p.Live.Next(w), len(p.Program().Insts)
	switch mask := uint64(out.Mask[w]); {
	case !valid:
	case mask == 0:
		return fmt.Errorf("slot %d of the unit is valid and has no threads", w)
	case mask&^live != 0:
		return fmt.Errorf("slot %d of the unit has lanes %#x, the warp has threads %#x", w, mask, live)
	case int(out.PC[w]) >= insts:
		return fmt.Errorf("slot %d of the unit is at PC %d, the kernel has %d instructions", w, out.PC[w], insts)
	}
	return nil
}

// retire frees the row of a warp.
func (p *Unit) retire(w int) {
	switch {
	case w >= p.Table.Len() || p.Own.Next().Running>>w&1 == 0:
		p.fail(fmt.Errorf("the unit retires warp %d, which is not running", w))
	case *p.Live.Next(w) != 0:
		p.fail(fmt.Errorf("the unit retires warp %d, of which the threads %#x have not exited", w, *p.Live.Next(w)))
	default:
		p.Own.D().Running &^= 1 << w
		s := p.Table.Next(w)
		p.Retire.Push(divergence.Retire{CTA: s.CTA, Row: s.Row})
	}
}

// Advance does nothing: Tick has seen the instruction that was issued.
func (p *Unit) Advance(int) {}

// Start is told of a new warp.
func (p *Unit) Start(l *divergence.WarpStart) {
	in := &p.m.in
	in.Launch, in.LaunchWarp, in.LaunchCTA, in.Started = 1, l.Row, l.CTA, uint32(l.Mask)
	in.LaunchFirst, in.LaunchWarps = l.First, l.Warps
	*p.Live.Edit(int(l.Row)) = l.Mask
	p.Own.D().Running |= 1 << l.Row
}

// Resolve is told of an outcome.
func (p *Unit) Resolve(inst *isa.Inst, o *divergence.Outcome) {
	s, in := p.Table.Edit(int(o.Slot)), &p.m.in
	s.Wait = divergence.Runs
	in.Outcome, in.OutcomeWarp, in.OutcomeKind = 1, uint8(o.Slot), Next
	switch {
	case inst.Branches():
		p.D().Stats.Count(inst, s.Mask&o.Taken, s.Mask&^o.Taken)
		j := o.Jump(inst, s.Depth)
		in.OutcomeKind, in.Taken = Branch, uint32(s.Mask&o.Taken)
		in.Target, in.Fall, in.Meet = point(j.Target), point(j.Fall), point(j.Meet)
	case inst.Op == isa.OpBar:
		p.bar(inst, s, o)
	default:
		in.OutcomeKind, in.Taken = Exit, uint32(o.Taken)
		live := p.Live.Edit(int(o.Slot))
		if *live &^= o.Taken; *live == 0 {
			p.Leave(p, s)
		}
	}
}

// bar executes a barrier, at which a warp arrives as a whole.
func (p *Unit) bar(inst *isa.Inst, s *divergence.Slot, o *divergence.Outcome) {
	if o.Taken == 0 {
		return
	}
	if s.Mask != *p.Live.Next(int(o.Slot)) {
		p.D().Stats.BarDiverged++
	}
	waits := inst.Mode != isa.ModeArrive
	if waits {
		s.Wait = divergence.WaitsBarrier
		p.m.in.OutcomeKind = Barrier
	}
	p.Arrive(p, s, o.Bar, o.Warps, waits)
}

// Resume is told that a barrier has opened. A warp that arrives last has both: its barrier becomes the
// next instruction.
func (p *Unit) Resume(w int) {
	p.Table.Edit(w).Wait = divergence.Runs
	in := &p.m.in
	if in.Outcome != 0 && in.OutcomeKind == Barrier && int(in.OutcomeWarp) == w {
		in.OutcomeKind = Next
		return
	}
	in.Resume |= 1 << w
}

// Arriving returns all threads of the warp.
func (p *Unit) Arriving(w int, _ uint64, _ bool) uint64 { return *p.Live.At(w) }

// groups asks the debug port for the groups of threads of a warp.
func (p *Unit) groups(w int) (list []Entry) {
	p.m.try(func(b bench) error {
		n, err := b.debug(w, &p.m.entries)
		list = p.m.entries[:n]
		return err
	})
	return list
}

// Paths lists the slots, and the parked groups of threads as the debug port has them.
func (p *Unit) Paths(to []divergence.Path) []divergence.Path {
	if p.Failure.Err != nil {
		return to
	}
	for w := range p.Table.Len() {
		if p.Own.Q().Running>>w&1 == 0 {
			continue
		}
		s, above := p.Table.At(w), uint64(0)
		var meet uint64
		for i, e := range p.groups(w) {
			path := divergence.Path{
				CTA: s.CTA, Row: s.Row, PC: uint32(e.At), Reconv: uint32(e.Meet), Mask: uint64(e.Mask) &^ above,
			}
			if i == 0 && s.Valid {
				reconv := path.Reconv
				path = s.Path()
				path.Reconv = reconv
			} else if i > 0 && e.At == meet || i == 0 {
				path.Wait, path.Comes = divergence.WaitsJoin, i == 0 && p.Own.Q().Busy
			}
			if path.Mask != 0 {
				to = append(to, path)
			}
			above, meet = above|path.Mask, e.Meet
		}
	}
	return to
}

// entries lists the stack of a warp, from the bottom, for a unit that promises one.
func (p *Unit) entries(w int, to []divergence.Entry) []divergence.Entry {
	list := p.groups(w)
	for i := len(list) - 1; i >= 0; i-- {
		e := &list[i]
		x := divergence.Entry{At: pointOf(e.At), RPC: pointOf(e.Meet), LPC: divergence.Nowhere, Mask: uint64(e.Mask)}
		if s := p.Table.At(w); i == 0 && s.Valid {
			x.At, x.Mask = s.At(), s.Mask
		}
		to = append(to, x)
	}
	return to
}

// point is a position as the ports have it.
func point(p divergence.Point) uint64 { return uint64(p.Depth)<<PCBits | uint64(p.PC) }

func pointOf(p uint64) divergence.Point {
	return divergence.Point{PC: uint32(p), Depth: uint16(p >> PCBits)}
}
