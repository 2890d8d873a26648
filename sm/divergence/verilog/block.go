package verilog

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

// BlockUnit is the bench around a Verilog unit that makes warps of the threads of a CTA, and its
// Policy. A CTA has the slots with the numbers of its warps. The bench has the slot table and the homes
// of the threads, copies of what the unit says; the CTA barriers; and the live threads of each warp.
//
// The unit decides when warps wait for each other, and which of them are parked at a barrier: a slot
// that waits there is then not valid. If all live threads have arrived and some are parked, the unit opens the
// barrier, and makes warps of the parked threads.
type BlockUnit struct {
	divergence.Ports
	rtl.State[blockState]
	Verilog rtl.Foreign
	Table   *rtl.Mem[divergence.Slot] `trace:"true"`
	Home    *rtl.Mem[units.Homes]     `rtl:"inplace" trace:"true"` // by slot
	Live    *rtl.Mem[uint64]          `bits:"lanes"`               // by row: threads that have not exited
	CTAs    *rtl.Mem[uint64]          `bits:"warps"`               // rows of each CTA
	Bars    *rtl.Mem[blockBarrier]    `rtl:"inplace"`              // by CTA and barrier number
	Arrived *rtl.Mem[uint64]          `rtl:"inplace" bits:"lanes"` // by barrier number and row

	code    *divergence.Code
	changed units.Set // slots, in this cycle
	m       *model    `rtl:"-"`
	sim     *rtl.Sim
}

// blockState is the state that the CTAs share.
type blockState struct {
	Stats   divergence.Stats `rtl:"sim"`
	Running uint64           `bits:"warps"` // warps that have started and not retired
	Busy    bool             // the unit asks for the next edge
}

// blockBarrier is a CTA barrier. An instruction that counts warps means those of the launch, all of whose live
// threads have arrived.
type blockBarrier struct {
	Waiting uint64 `bits:"warps"` // slots
	Parked  bool   // the unit has taken threads out of their slots
	Need    uint8  `bits:"7"` // warps expected; 0: all live threads
	Tally   divergence.Tally
}

// newBlockUnit makes the bench and its unit.
func newBlockUnit(e divergence.Env, start func() (bench, error), about *description) *BlockUnit {
	p := &BlockUnit{
		Ports: divergence.Ports{
			Tallies: rtl.NewMem[divergence.Tally](e.Warps),
			Events:  new(divergence.Events), Failure: new(divergence.Failure),
		},
		Table: rtl.NewMem[divergence.Slot](e.Warps), Home: rtl.NewMem[units.Homes](e.Warps),
		Live: rtl.NewMem[uint64](e.Warps), CTAs: rtl.NewMem[uint64](e.CTAs),
		Bars:    rtl.NewMem[blockBarrier](e.CTAs * divergence.Barriers),
		Arrived: rtl.NewMem[uint64](divergence.Barriers * e.Warps), code: e.Code,
	}
	p.m = &model{start: start, about: about, fail: p.fail, heal: func() { p.Failure.Err = nil }}
	p.Verilog.Init(p.m)
	return p
}

// fail ends the run. A machine that is being built has no cycle.
func (p *BlockUnit) fail(err error) {
	cycle := uint64(0)
	if p.sim != nil {
		cycle = p.sim.Now()
	}
	p.Failure.Fail(cycle, err)
}

// Slots returns the slot table.
func (p *BlockUnit) Slots() *rtl.Mem[divergence.Slot] { return p.Table }

// Homes returns the homes of the threads of compacted warps.
func (p *BlockUnit) Homes() *rtl.Mem[units.Homes] { return p.Home }

// Stats returns the counts since reset.
func (p *BlockUnit) Stats() divergence.Stats { return p.Q().Stats }

// Counts returns nil.
func (p *BlockUnit) Counts() divergence.Counting { return nil }

// Begin does nothing: the bench counts no peaks.
func (p *BlockUnit) Begin() {}

// Logic returns nil.
func (p *BlockUnit) Logic(divergence.Geometry) []units.Logic { return nil }

// Parts says that threads do not change lanes.
func (p *BlockUnit) Parts() map[string]bool { return map[string]bool{"crossbar": false} }

// Arriving returns the warp of the slot.
func (p *BlockUnit) Arriving(_ int, active uint64, _ bool) uint64 { return active }

// Tick drives the inputs of the unit with the events of the cycle, gives it a clock edge, and copies
// its outputs.
func (p *BlockUnit) Tick() {
	if p.Failure.Err != nil {
		return
	}
	in := &p.m.in
	*in = Inputs{}
	if f := p.Fire.Get(); f.Valid {
		in.Fire, in.FirePC, in.FireWarp = 1, f.PC, uint8(f.Slot)
		s := p.Table.Edit(int(f.Slot))
		if f.Control {
			in.FireControl = 1
			s.Wait = divergence.WaitsControl
		} else {
			s.PC = f.PC + 1
		}
	}
	if p.Outcome.Valid() {
		o := p.Outcome.Front()
		p.changed.Add(int(o.Slot))
		p.resolve(&p.code.Prog.Insts[o.PC], o)
		p.Outcome.Pop()
	}
	if p.Launch.Valid() {
		p.launch(p.Launch.Front())
		p.Launch.Pop()
	}
	if in.Fire|in.Outcome|in.Launch != 0 || p.Q().Busy {
		p.m.try(func(b bench) error { return b.clock(in, &p.m.out) })
		if p.Failure.Err != nil {
			return
		}
		p.Verilog.Clocked()
		if err := p.copy(&p.m.out); err != nil {
			p.fail(err)
			return
		}
	}
	p.Drive(&p.changed, p.Table.Len())
}

// launch starts a warp. The first one of a CTA clears its barriers.
func (p *BlockUnit) launch(l *divergence.WarpStart) {
	in := &p.m.in
	in.Launch, in.LaunchWarp, in.LaunchCTA, in.Started = 1, l.Row, l.CTA, uint32(l.Mask)
	in.LaunchFirst, in.LaunchWarps = l.First, l.Warps
	if p.code.Prog.NoCompaction {
		in.LaunchStatic = 1
	}
	*p.Live.Edit(int(l.Row)) = l.Mask
	s := p.Table.Edit(int(l.Row))
	s.CTA, s.Row = l.CTA, l.Row
	p.D().Running |= 1 << l.Row
	if l.Row == l.First {
		*p.CTAs.Edit(int(l.CTA)) = (1<<l.Warps - 1) << (l.First & 63)
		for id := range divergence.Barriers {
			p.clear(int(l.CTA), id)
		}
	}
}

// clear empties a barrier.
func (p *BlockUnit) clear(cta, id int) {
	*p.Bars.Edit(cta*divergence.Barriers + id) = blockBarrier{}
	for rows := *p.CTAs.Next(cta); rows != 0; rows &= rows - 1 {
		*p.Arrived.Edit(id*p.Table.Len() + bits.TrailingZeros64(rows)) = 0
	}
}

// threads calls f with the row of each of some lanes of a slot.
func (p *BlockUnit) threads(slot int, lanes uint64, f func(row int, lane uint64)) {
	for ; lanes != 0; lanes &= lanes - 1 {
		f(int(p.Home.At(slot).Row[bits.TrailingZeros64(lanes)&(isa.MaxLanes-1)]), lanes&-lanes)
	}
}

// resolve drives the outcome of a control instruction.
func (p *BlockUnit) resolve(inst *isa.Inst, o *divergence.Outcome) {
	slot := int(o.Slot)
	s, in := p.Table.Edit(slot), &p.m.in
	s.Wait = divergence.Runs
	in.Outcome, in.OutcomeWarp, in.OutcomeKind = 1, uint8(o.Slot), Next
	switch {
	case inst.Branches():
		taken := s.Mask & o.Taken
		p.D().Stats.Count(inst, taken, s.Mask&^taken)
		j := o.Jump(inst, s.Depth)
		in.OutcomeKind, in.Taken = Branch, uint32(taken)
		in.Target, in.Fall, in.Meet = point(j.Target), point(j.Fall), point(j.Meet)
		if !inst.Uniform {
			in.OutcomeCTA = 1
		}
	case inst.Op != isa.OpBar:
		in.OutcomeKind, in.Taken = Exit, uint32(o.Taken)
		p.threads(slot, s.Mask&o.Taken, func(row int, lane uint64) { *p.Live.Edit(row) &^= lane })
		for id := range divergence.Barriers {
			p.open(int(s.CTA), id)
		}
	case o.Taken != 0:
		p.bar(s, inst, o)
	}
}

// bar executes a barrier, at which a warp arrives with all its threads.
func (p *BlockUnit) bar(s *divergence.Slot, inst *isa.Inst, o *divergence.Outcome) {
	in, id := &p.m.in, int(o.Bar)
	p.threads(int(o.Slot), s.Mask, func(row int, lane uint64) { *p.Arrived.Edit(id*p.Table.Len() + row) |= lane })
	bar := p.Bars.Edit(int(s.CTA)*divergence.Barriers + id)
	bar.Need = o.Warps
	if inst.Reduces() {
		bar.Tally.Count(o)
	}
	if inst.Mode != isa.ModeArrive {
		bar.Waiting |= 1 << o.Slot
		in.OutcomeKind, s.Wait = Barrier, divergence.WaitsBarrier
		if o.Warps == 0 {
			in.OutcomeCTA = 1
		}
	}
	p.open(int(s.CTA), id)
	if own := uint64(1) << o.Slot; in.Resume&own != 0 {
		in.Resume &^= own
		in.OutcomeKind, in.OutcomeCTA = Next, 0
	}
}

// open resumes the slots at a barrier if all expected warps have arrived and none is parked.
func (p *BlockUnit) open(cta, id int) {
	bar := p.Bars.Next(cta*divergence.Barriers + id)
	arrived, missing := p.arrived(cta, id)
	if bar.Parked || arrived == 0 || bar.Need == 0 && missing || bits.OnesCount64(arrived) < int(bar.Need) {
		return
	}
	for m := bar.Waiting; m != 0; m &= m - 1 {
		i := bits.TrailingZeros64(m)
		p.Table.Edit(i).Wait = divergence.Runs
		p.changed.Add(i)
	}
	p.m.in.Resume |= bar.Waiting
	p.release(cta, id)
}

// arrived returns the rows of a CTA all of whose live threads have arrived at a barrier, and whether a
// live thread has not.
func (p *BlockUnit) arrived(cta, id int) (rows uint64, missing bool) {
	for m := *p.CTAs.Next(cta); m != 0; m &= m - 1 {
		row := bits.TrailingZeros64(m)
		switch here := *p.Arrived.Next(id*p.Table.Len() + row); {
		case *p.Live.Next(row)&^here != 0:
			missing = true
		case here != 0:
			rows |= 1 << row
		}
	}
	return rows, missing
}

// release gives the rows of a barrier their tally, and empties it.
func (p *BlockUnit) release(cta, id int) {
	bar, rows := *p.Bars.Next(cta*divergence.Barriers + id), uint64(0)
	for m := *p.CTAs.Next(cta); m != 0; m &= m - 1 {
		row := bits.TrailingZeros64(m)
		if *p.Arrived.Next(id*p.Table.Len() + row) != 0 {
			rows |= 1 << row
			if bar.Tally.All != 0 {
				*p.Tallies.Edit(row) = bar.Tally
			}
		}
	}
	if bar.Waiting != 0 || bar.Parked {
		p.D().Stats.BarReleases++
		if p.OnRelease.Any() {
			p.OnRelease.Notify(divergence.Released{Rows: rows})
		}
	}
	p.clear(cta, id)
}

// copy takes the outputs of the unit over.
func (p *BlockUnit) copy(out *Outputs) error {
	if out.Error != 0 {
		return fmt.Errorf("the unit reports error %d", out.Error)
	}
	n := p.Table.Len()
	if i := out.Valid.Next(n, len(out.Valid)); i >= n {
		return fmt.Errorf("slot %d of the unit is valid, the machine has %d slots", i, n)
	}
	if out.Compact != 0 {
		if err := p.compacted(out); err != nil {
			return err
		}
	}
	for i := range n {
		valid, s := out.Valid.Has(i), p.Table.Next(i)
		if s.Valid == valid &&
			(!valid || s.PC == out.PC[i] && s.Mask == uint64(out.Mask[i]) && s.Depth == out.Depth[i]) {
			continue
		}
		if err := p.wrong(i, out); err != nil {
			return err
		}
		s = p.Table.Edit(i)
		p.changed.Add(i)
		if s.Valid = valid; valid {
			s.PC, s.Mask, s.Depth = out.PC[i], uint64(out.Mask[i]), out.Depth[i]
		} else {
			p.left(i, s)
		}
	}
	if busy := out.Busy != 0; busy != p.Next().Busy {
		p.D().Busy = busy
	}
	if out.Busy != 0 {
		p.sim.WakeAt(p.sim.Now() + 1)
	}
	if out.Retire != 0 {
		return p.retire(int(out.Gone))
	}
	return nil
}

// compacted puts a new warp into its slot. If its threads were parked, their barrier has opened.
func (p *BlockUnit) compacted(out *Outputs) error {
	i := int(out.Into)
	if i >= p.Table.Len() || !out.Valid.Has(i) || !p.runs(i) {
		return fmt.Errorf("the unit makes a warp in slot %d, want a valid slot of a CTA that runs", i)
	}
	s, homes := p.Table.Edit(i), p.Home.Edit(i)
	mask := uint64(out.Mask[i])
	*homes = units.Homes{}
	for l := range homes.Lane {
		homes.Lane[l] = uint8(l)
	}
	rows := *p.CTAs.Next(int(s.CTA))
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		row := int(out.Home[l])
		if row >= p.Live.Len() || rows>>row&1 == 0 || *p.Live.Next(row)>>l&1 == 0 {
			return fmt.Errorf("the unit makes a warp in slot %d with the thread of warp %d in lane %d, which is no live thread of the CTA",
				i, row, l)
		}
		homes.Row[l] = uint8(row)
	}
	first := bits.TrailingZeros64(mask) & (isa.MaxLanes - 1)
	s.Row, s.Mixed, s.Wait = homes.Row[first], homes.Row.Several(mask), divergence.Runs
	p.changed.Add(i)
	for later := i + 1; later < p.Table.Len() && rows>>later&1 != 0; later++ { // empty, if warps are fewer than before
		if x := p.Table.Next(later); !x.Valid && x.Wait != divergence.Runs {
			p.Table.Edit(later).Wait = divergence.Runs
		}
	}
	for id := range divergence.Barriers {
		arrived := *p.Arrived.Next(id*p.Table.Len() + int(s.Row))
		if arrived>>first&1 != 0 && p.Bars.Next(int(s.CTA)*divergence.Barriers+id).Parked {
			p.release(int(s.CTA), id)
		}
	}
	return nil
}

// left is told of a slot that is not valid any more. Its live threads wait for others, on the stack or
// parked.
func (p *BlockUnit) left(i int, s *divergence.Slot) {
	s.Wait = divergence.Runs
	p.threads(i, s.Mask, func(row int, lane uint64) {
		if *p.Live.Next(row)&lane != 0 {
			s.Wait = divergence.WaitsJoin
		}
	})
	for id := range divergence.Barriers {
		if at := int(s.CTA)*divergence.Barriers + id; p.Bars.Next(at).Waiting>>i&1 != 0 {
			bar := p.Bars.Edit(at)
			bar.Waiting &^= 1 << i
			bar.Parked = true
		}
	}
}

// wrong describes a slot with which the front end cannot go on.
func (p *BlockUnit) wrong(i int, out *Outputs) (err error) {
	mask, insts := uint64(out.Mask[i]), len(p.code.Prog.Insts)
	switch {
	case !out.Valid.Has(i):
	case mask == 0:
		return fmt.Errorf("slot %d of the unit is valid and has no threads", i)
	case int(out.PC[i]) >= insts:
		return fmt.Errorf("slot %d of the unit is at PC %d, the kernel has %d instructions", i, out.PC[i], insts)
	case !p.runs(i):
		return fmt.Errorf("slot %d of the unit is valid, want a slot of a CTA that runs", i)
	case out.Compact != 0 && int(out.Into) == i:
	case !p.Table.Next(i).Valid || mask&^p.Table.Next(i).Mask != 0:
		return fmt.Errorf("slot %d of the unit has new threads, want compact_valid with their homes", i)
	}
	return nil
}

// runs reports whether a slot is one of a CTA that has threads. Its own row may have retired.
func (p *BlockUnit) runs(slot int) bool {
	return *p.CTAs.Next(int(p.Table.Next(slot).CTA))&p.Next().Running != 0
}

// retire frees the row of a warp.
func (p *BlockUnit) retire(row int) error {
	switch {
	case row >= p.Live.Len() || p.Next().Running>>row&1 == 0:
		return fmt.Errorf("the unit retires warp %d, which is not running", row)
	case *p.Live.Next(row) != 0:
		return fmt.Errorf("the unit retires warp %d, of which the threads %#x have not exited", row, *p.Live.Next(row))
	}
	p.D().Running &^= 1 << row
	p.Retire.Push(divergence.Retire{CTA: p.Table.Next(row).CTA, Row: uint8(row)})
	return nil
}

// Paths lists the slots, and the other threads of each warp as the debug port has them.
func (p *BlockUnit) Paths(to []divergence.Path) []divergence.Path {
	if p.Failure.Err != nil {
		return to
	}
	var seen [Warps]uint64 // by row
	add := func(row int, x divergence.Path) {
		x.Mask &= *p.Live.At(row) &^ seen[row]
		if seen[row] |= x.Mask; x.Mask != 0 {
			x.CTA, x.Row = p.Table.At(row).CTA, uint8(row)
			to = append(to, x)
		}
	}
	for i := range p.Table.Len() {
		if s := p.Table.At(i); s.Valid {
			var lanes [Warps]uint64
			p.threads(i, s.Mask, func(row int, lane uint64) { lanes[row] |= lane })
			for row, mask := range lanes[:p.Table.Len()] {
				add(row, divergence.Path{PC: s.PC, Reconv: isa.NoPC, Mask: mask, Wait: s.Wait, Running: true})
			}
		}
	}
	for row := range p.Live.Len() {
		if p.Q().Running>>row&1 == 0 || *p.Live.At(row)&^seen[row] == 0 {
			continue // all its threads are in slots
		}
		held := uint64(0) // threads that are parked at a barrier
		for id := range divergence.Barriers {
			if p.Bars.At(int(p.Table.At(row).CTA)*divergence.Barriers + id).Parked {
				held |= *p.Arrived.At(id*p.Table.Len() + row)
			}
		}
		list := p.m.groups(row)
		for i, e := range list {
			x := divergence.Path{PC: uint32(e.At), Reconv: uint32(e.Meet), Wait: divergence.WaitsBarrier}
			x.Mask = uint64(e.Mask) & held
			add(row, x)
			x.Mask, x.Wait = uint64(e.Mask)&^held, divergence.Runs
			if waitsFor(list[:i+1], e.At) {
				x.Wait = divergence.WaitsJoin
			}
			add(row, x)
		}
	}
	return to
}
