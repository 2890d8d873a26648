package verilog

import (
	"fmt"
	"slices"

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
	Held    *rtl.Mem[uint64] `rtl:"sim"`    // of these, the ones that wait at a barrier
	Issued  *rtl.Mem[issued] `rtl:"sim"`    // by slot
	Pushed  *rtl.Mem[uint32] `rtl:"sim"`    // by warp: PC of its last ssy or outcome, which can spill
	Own     rtl.State[struct {
		Running uint64 `bits:"warps"` // warps that have started and not retired
		Moving  uint64 `bits:"warps"` // of these, the ones whose words move to or from memory
		Busy    bool   // the unit asks for the next edge
	}]

	m     *model `rtl:"-"`
	sim   *rtl.Sim
	shape Shape
	slots int // of a warp
}

// issued are the threads of the control instructions of a slot whose outcomes are on the way, the oldest
// first. The slot can have another path meanwhile: see stacks.DPE.
type issued struct {
	N    uint8
	Path [2]divergence.Side
}

// newUnit makes the bench and its unit.
func newUnit(e divergence.Env, s Shape, start func() (bench, error), about *description) *Unit {
	p := &Unit{
		Warps: divergence.NewWarps(e, s.Slots), Live: rtl.NewMem[uint64](e.Warps), Held: rtl.NewMem[uint64](e.Warps),
		Issued: rtl.NewMem[issued](e.Warps * s.Slots), Pushed: rtl.NewMem[uint32](e.Warps),
		shape: s, slots: s.Slots,
	}
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
	if p.shape.Spills && p.Answer.Valid() && p.Retire.Ready() {
		p.answer(p.Answer.Front())
		p.Answer.Pop()
	}
	f := p.Fire.Get()
	if f.Valid {
		in.Fire, in.FirePC = 1, f.PC
		in.FireWarp, in.FireSlot = p.number(int(f.Slot))
		if f.Control {
			in.FireControl = 1
			p.issue(int(f.Slot))
		}
		if p.shape.Tokens {
			p.fireTokens(f)
		}
	}
	p.Serve(p)
	if in.Fire|in.Outcome|in.Launch|in.Answer == 0 && in.Resume == 0 && !p.Own.Q().Busy {
		return
	}
	p.m.try(func(b bench) error { return b.clock(in, &p.m.out) })
	if p.Failure.Err != nil {
		return
	}
	p.Verilog.Clocked()
	p.copy(&p.m.out)
}

// fireTokens says which instruction of tokens has been issued.
func (p *Unit) fireTokens(f divergence.Fire) {
	switch inst, in := p.Inst(f.PC), &p.m.in; inst.Op {
	case isa.OpSSY:
		in.FireSSY, in.FireTarget = 1, inst.Target
		*p.Pushed.Edit(int(in.FireWarp)) = f.PC
	case isa.OpSync:
		in.FireSync = 1
	}
}

// answer gives the unit the words that memory returns, or tells it that memory has taken some.
func (p *Unit) answer(t *divergence.Transferred) {
	in := &p.m.in
	in.Answer, in.AnswerWarp, in.AnswerData = 1, t.Row, t.Data
	p.Own.D().Moving &^= 1 << t.Row
}

// transfer moves words of a warp to or from memory. A store behind its memory is a fault of the
// instruction that pushed, which the SM finds.
func (p *Unit) transfer(out *Outputs) {
	w, end, room := int(out.Mover), int(out.From)+int(out.Count), divergence.SpillWordsOf(p.Program())
	switch {
	case w >= p.Live.Len() || p.Own.Next().Running>>w&1 == 0:
		p.fail(fmt.Errorf("the unit moves words of warp %d, which is not running", w))
	case p.Own.Next().Moving>>w&1 != 0:
		p.fail(fmt.Errorf("the unit moves words of warp %d, whose last transfer memory has not answered", w))
	case out.Count < 1 || out.Count > Words:
		p.fail(fmt.Errorf("the unit moves %d words of warp %d, want 1 to %d", out.Count, w, Words))
	case out.Store == 0 && end > room:
		p.fail(fmt.Errorf("the unit loads words %d to %d of warp %d, whose memory has %d", out.From, end-1, w, room))
	default:
		p.Own.D().Moving |= 1 << w
		s, st := p.Table.Next(w*p.slots), &p.D().Stats
		t := divergence.Transfer{Row: s.Row, At: out.From, Words: out.Count}
		if out.Store != 0 {
			t.Store, t.PC, t.Data = true, *p.Pushed.Next(w), out.Data
			st.Spills++
		} else {
			st.Fills++
		}
		p.Memory.Push(t)
	}
}

// number returns the warp of a slot, and which of its slots it is.
func (p *Unit) number(slot int) (warp, of uint8) { return uint8(slot / p.slots), uint8(slot % p.slots) }

// issue records the threads of a control instruction.
func (p *Unit) issue(slot int) {
	x, s := p.Issued.Edit(slot), p.Table.At(slot)
	if int(x.N) == len(x.Path) {
		p.fail(fmt.Errorf("slot %d of the unit issues a control instruction, of two others the outcome is on the way", slot))
		return
	}
	x.Path[x.N] = divergence.Side{At: s.At(), Mask: s.Mask}
	x.N++
}

// resolved returns the path of the oldest control instruction of a slot.
func (p *Unit) resolved(slot int) divergence.Side {
	x := p.Issued.Edit(slot)
	first := x.Path[0]
	x.N--
	x.Path = [2]divergence.Side{x.Path[1]}
	return first
}

// copy takes the outputs of the unit over.
func (p *Unit) copy(out *Outputs) {
	if out.Error != 0 {
		p.fail(fmt.Errorf("the unit reports error %d", out.Error))
		return
	}
	if i := out.Valid.Next(p.Table.Len(), len(out.Valid)); i >= p.Table.Len() {
		p.fail(fmt.Errorf("slot %d of the unit is valid, the machine has %d slots", i, p.Table.Len()))
		return
	}
	var changed units.Set
	any := false
	for i := range p.Table.Len() {
		valid, s := out.Valid.Has(i), p.Table.Next(i)
		wait := s.Wait
		if p.slots > 1 {
			wait = waitOf(i, out)
		}
		if s.Valid == valid && (!valid || s.PC == out.PC[i] && s.Mask == uint64(out.Mask[i]) &&
			s.Depth == out.Depth[i] && s.Wait == wait) {
			continue
		}
		if err := p.wrong(i, valid, out); err != nil {
			p.fail(err)
			return
		}
		s = p.Table.Edit(i)
		if s.Valid = valid; valid {
			s.PC, s.Mask, s.Depth, s.Wait = out.PC[i], uint64(out.Mask[i]), out.Depth[i], wait
		}
		changed.Add(i)
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
	if p.shape.Spills && out.Moves != 0 {
		p.transfer(out)
	}
	if out.Retire != 0 {
		p.retire(int(out.Gone))
	}
}

// waitOf is what a slot of a warp with several slots waits for.
func waitOf(i int, out *Outputs) divergence.Wait {
	switch {
	case out.Pending.Has(i):
		return divergence.WaitsControl
	case out.Held.Has(i):
		return divergence.WaitsBarrier
	}
	return divergence.Runs
}

// wrong describes a slot with which the front end cannot go on.
func (p *Unit) wrong(i int, valid bool, out *Outputs) error {
	live, insts := *p.Live.Next(i / p.slots), len(p.Program().Insts)
	switch mask := uint64(out.Mask[i]); {
	case !valid:
	case mask == 0:
		return fmt.Errorf("slot %d of the unit is valid and has no threads", i)
	case mask&^live != 0:
		return fmt.Errorf("slot %d of the unit has lanes %#x, the warp has threads %#x", i, mask, live)
	case int(out.PC[i]) >= insts:
		return fmt.Errorf("slot %d of the unit is at PC %d, the kernel has %d instructions", i, out.PC[i], insts)
	}
	return nil
}

// retire frees the row of a warp.
func (p *Unit) retire(w int) {
	switch {
	case w >= p.Live.Len() || p.Own.Next().Running>>w&1 == 0:
		p.fail(fmt.Errorf("the unit retires warp %d, which is not running", w))
	case *p.Live.Next(w) != 0:
		p.fail(fmt.Errorf("the unit retires warp %d, of which the threads %#x have not exited", w, *p.Live.Next(w)))
	case p.Own.Next().Moving>>w&1 != 0:
		p.fail(fmt.Errorf("the unit retires warp %d, whose last transfer memory has not answered", w))
	default:
		p.Own.D().Running &^= 1 << w
		s := p.Table.Next(w * p.slots)
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
	*p.Live.Edit(int(l.Row)), *p.Held.Edit(int(l.Row)) = l.Mask, 0
	p.Own.D().Running |= 1 << l.Row
	for k := 1; k < p.slots; k++ {
		*p.Table.Edit(int(l.Row)*p.slots + k) = divergence.Slot{CTA: l.CTA, Row: l.Row}
	}
}

// Resolve is told of an outcome.
func (p *Unit) Resolve(inst *isa.Inst, o *divergence.Outcome) {
	s, in := p.Table.Edit(int(o.Slot)), &p.m.in
	s.Wait = divergence.Runs
	x := p.resolved(int(o.Slot))
	in.Outcome, in.OutcomeKind = 1, Next
	in.OutcomeWarp, in.OutcomeSlot = p.number(int(o.Slot))
	*p.Pushed.Edit(int(in.OutcomeWarp)) = o.PC
	switch {
	case inst.Branches():
		p.D().Stats.Count(inst, x.Mask&o.Taken, x.Mask&^o.Taken)
		j := o.Jump(inst, x.At.Depth)
		in.OutcomeKind, in.Taken = Branch, uint32(x.Mask&o.Taken)
		in.Target, in.Fall, in.Meet = point(j.Target), point(j.Fall), point(j.Meet)
	case inst.Op == isa.OpSync:
		in.OutcomeKind, in.Target = Sync, uint64(inst.Target)
	case inst.Op == isa.OpBar:
		p.bar(inst, s, x.Mask, o)
	default:
		in.OutcomeKind, in.Taken = Exit, uint32(o.Taken)
		live := p.Live.Edit(int(s.Row))
		switch *live &^= o.Taken; {
		case *live == 0:
			p.Leave(p, s)
		case *live == *p.Held.Next(int(s.Row)):
			p.Meet(p, s)
		}
	}
}

// bar executes a barrier, at which a warp arrives as a whole. With one slot a warp arrives with the
// threads of the slot, with several when all its threads wait.
func (p *Unit) bar(inst *isa.Inst, s *divergence.Slot, mask uint64, o *divergence.Outcome) {
	live, in := *p.Live.Next(int(s.Row)), &p.m.in
	if !p.Bar(p, s, inst, o, mask != live) {
		return
	}
	s.Wait, in.OutcomeKind = divergence.WaitsBarrier, Barrier
	if p.slots == 1 || *p.Held.Next(int(s.Row))|mask == live {
		p.Meet(p, s)
	}
	if in.OutcomeKind == Barrier {
		*p.Held.Edit(int(s.Row)) |= mask
	}
}

// Resume is told that a barrier has opened. A slot that arrives last has both: its barrier becomes the
// next instruction. Others of its warp may have waited for it.
func (p *Unit) Resume(w int) {
	in, others := &p.m.in, *p.Held.Next(w)
	*p.Held.Edit(w) = 0
	for k := range p.slots {
		p.Table.Edit(w*p.slots + k).Wait = divergence.Runs
	}
	if in.Outcome != 0 && in.OutcomeKind == Barrier && int(in.OutcomeWarp) == w {
		in.OutcomeKind = Next
	}
	if others != 0 {
		in.Resume |= 1 << w
	}
}

// Arriving returns the threads of the slot that wait; otherwise, and with one slot, all of the warp.
func (p *Unit) Arriving(slot int, active uint64, waits bool) uint64 {
	if waits && p.slots > 1 {
		return active
	}
	return *p.Live.At(slot / p.slots)
}

// Paths lists the slots, and the parked groups of threads as the debug port has them.
func (p *Unit) Paths(to []divergence.Path) []divergence.Path {
	if p.Failure.Err != nil {
		return to
	}
	for w := range p.Live.Len() {
		if p.Own.Q().Running>>w&1 == 0 {
			continue
		}
		above, list := uint64(0), p.m.groups(w)
		for i, e := range list {
			s := p.Table.At(w*p.slots + min(i, p.slots-1))
			path := divergence.Path{
				CTA: s.CTA, Row: s.Row, PC: uint32(e.At), Reconv: uint32(e.Meet), Mask: uint64(e.Mask) &^ above,
			}
			switch first := i < p.slots; {
			case first && s.Valid:
				reconv := path.Reconv
				path = s.Path()
				path.Reconv = reconv
			case first, waitsFor(list[max(0, i-p.slots):i], e.At):
				path.Wait = divergence.WaitsJoin
				path.Comes = first && (p.Own.Q().Busy || p.Own.Q().Moving>>w&1 != 0)
			}
			if path.Mask != 0 {
				to = append(to, path)
			}
			above |= path.Mask
		}
	}
	return to
}

// waitsFor reports whether threads at a point wait for others.
func waitsFor(above []Entry, at uint64) bool {
	return slices.ContainsFunc(above, func(e Entry) bool { return e.Meet == at })
}

// entries lists the stack of a warp, from the bottom, for a unit that promises one.
func (p *Unit) entries(w int, to []divergence.Entry) []divergence.Entry {
	list := p.m.groups(w)
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
