package verilog

import (
	"fmt"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/units"
)

// twin is a mechanism in Go that gets the events of a trace, cycle by cycle.
type twin struct {
	name   string
	policy divergence.Policy
	driver *driver
	sim    *rtl.Sim

	barriers barriers
}

// driver gives a mechanism the events of an edge.
type driver struct {
	Fire    rtl.Wire[divergence.Fire]
	Stalled rtl.Wire[units.Set]
	Launch  rtl.Out[divergence.WarpStart]
	Outcome rtl.Out[divergence.Outcome]
	Retire  rtl.In[divergence.Retire]

	prog *isa.Program
	sim  *rtl.Sim
	// The events of this edge, and of the next one: a queue takes a cycle. at has the PCs of the
	// instructions that wait for an outcome.
	now, next Inputs        `rtl:"scratch"`
	at        [Warps]uint32 `rtl:"scratch"`
	masks     [Warps]uint32 `rtl:"scratch"`
	gone      int           `rtl:"scratch"` // warp that has retired, -1: none
}

// newTwin makes the hardware of a mechanism for the program of a trace. The error says why the
// mechanism cannot have the ports of a unit.
func newTwin(m *divergence.Mechanism, o divergence.Options, p *isa.Program) (*twin, error) {
	if m.Spills {
		return nil, fmt.Errorf("mechanism %s spills to memory, for which a unit has no port", m.Name)
	}
	if m.Prepare != nil {
		return nil, fmt.Errorf("mechanism %s puts instructions of its own into programs, which a trace does not have", m.Name)
	}
	policy, err := m.Build(o, divergence.Geometry{Lanes: Lanes, Warps: Warps, CTAs: ctas}, &divergence.Code{Prog: p})
	if err != nil {
		return nil, err
	}
	if n := policy.Slots().Len(); n != Warps || policy.Homes() != nil {
		return nil, fmt.Errorf("mechanism %s has %d slots for %d warps, or moves threads between warps: want a slot for each warp",
			m.Name, n, Warps)
	}
	d := &driver{prog: p, gone: -1}
	launch, retire := rtl.NewQueue[divergence.WarpStart](2), rtl.NewQueue[divergence.Retire](2)
	outcome := rtl.NewQueue[divergence.Outcome](2)
	d.Launch, d.Outcome, d.Retire = launch.Out(), outcome.Out(), retire.In()
	c := policy.Connections()
	c.Launch, c.Outcome, c.Retire, c.Fire = launch.In(), outcome.In(), retire.Out(), &d.Fire
	if m.Stalls {
		c.Stalled = &d.Stalled
	}
	t := &twin{name: m.Name, policy: policy, driver: d}
	t.sim, err = rtl.New("twin", &struct {
		Policy divergence.Policy
		Driver *driver
		Memory *micro.Memory // unused
	}{policy, d, micro.NewMemory(c, Warps, 1)})
	if err != nil {
		return nil, err
	}
	policy.Begin()
	return t, nil
}

// Tick drives the wires with the events of this edge, and fills the queues with those of the next.
func (d *driver) Tick() {
	d.sim.WakeAt(d.sim.Now() + 1)
	d.gone = -1
	if d.Retire.Valid() {
		d.gone = int(d.Retire.Front().Row)
		d.Retire.Pop()
	}
	fire := divergence.Fire{PC: isa.NoPC}
	if in := &d.now; in.Fire != 0 {
		fire = divergence.Fire{Valid: true, Control: in.FireControl != 0, Slot: uint16(in.FireWarp), PC: in.FirePC}
	}
	d.Fire.Set(fire)
	if in := &d.next; in.Launch != 0 {
		d.Launch.Push(divergence.WarpStart{
			CTA: in.LaunchCTA, Row: in.LaunchWarp, First: in.LaunchFirst, Warps: in.LaunchWarps,
			Last: in.LaunchWarp+1 == in.LaunchFirst+in.LaunchWarps, Mask: uint64(in.Started),
		})
	}
	if in := &d.next; in.Outcome != 0 {
		w := in.OutcomeWarp
		o := divergence.Outcome{Slot: uint16(w), PC: d.at[w], Taken: uint64(in.Taken), Target: uint32(in.Target)}
		switch {
		case in.OutcomeKind == Barrier, in.OutcomeKind == Next && d.prog.Insts[d.at[w]].Op == isa.OpBar:
			o.Taken = uint64(d.masks[w])
		case in.OutcomeKind == Next:
			o.Taken = 0
		}
		d.Outcome.Push(o)
	}
}

// step runs the edge of a record, before which the mechanism's slots are compared with the unit's.
func (t *twin) step(now, next *record) (*difference, error) {
	if err := t.barriers.take(&now.In, t.driver.prog, &t.driver.at); err != nil {
		return nil, err
	}
	for w := range Warps {
		if d := t.slot(w, &now.Out); d != nil {
			return d, nil
		}
	}
	d := t.driver
	if d.now = now.In; now.In.Fire != 0 && now.In.FireControl != 0 {
		d.at[now.In.FireWarp], d.masks[now.In.FireWarp] = now.In.FirePC, now.Out.Mask[now.In.FireWarp]
	}
	d.next = next.In
	t.sim.Run(1)
	switch retired := now.Out.Retire != 0; {
	case !retired && d.gone >= 0:
		return &difference{"retire_valid", "0", fmt.Sprintf("1, for warp %d", d.gone)}, nil
	case retired && d.gone != int(now.Out.Gone):
		want := "no warp"
		if d.gone >= 0 {
			want = fmt.Sprint(d.gone)
		}
		return &difference{"retire_warp", fmt.Sprint(now.Out.Gone), want}, nil
	}
	return nil, nil
}

// slot compares a slot.
func (t *twin) slot(w int, out *Outputs) *difference {
	s := t.policy.Slots().At(w)
	of := func(port string) string { return fmt.Sprintf("%s of warp %d", port, w) }
	switch valid := out.Valid.Has(w); {
	case valid != s.Valid:
		bit := out.Valid[0] >> w & 1
		return &difference{of("slot_valid"), fmt.Sprint(bit), fmt.Sprint(1 - bit)}
	case !valid:
	case out.PC[w] != s.PC:
		return &difference{of("slot_pc"), fmt.Sprint(out.PC[w]), fmt.Sprint(s.PC)}
	case uint64(out.Mask[w]) != s.Mask:
		return &difference{of("slot_mask"), fmt.Sprintf("%#x", out.Mask[w]), fmt.Sprintf("%#x", s.Mask)}
	case out.Depth[w] != s.Depth:
		return &difference{of("slot_depth"), fmt.Sprint(out.Depth[w]), fmt.Sprint(s.Depth)}
	}
	return nil
}

// barriers are the barriers of CTAs, which a mechanism in Go opens by itself, in the edge in which
// the last warp arrives or ends.
type barriers struct {
	left  [ctas]int     // warps of each CTA that have threads, or will start
	held  [ctas]uint64  // of these, the ones that wait
	cta   [Warps]uint8  // of each warp
	lives [Warps]uint32 // threads that have not exited
}

// take wants the resume of an edge to be that of the mechanism. at has the PC of the instruction of each
// outcome.
func (b *barriers) take(in *Inputs, p *isa.Program, at *[Warps]uint32) error {
	open := uint64(0)
	if in.Outcome != 0 {
		w := in.OutcomeWarp
		cta := b.cta[w]
		held := b.held[cta]
		ends := false
		switch {
		case in.OutcomeKind == Barrier:
			if bits.OnesCount64(held)+1 == b.left[cta] {
				return fmt.Errorf("outcome_kind = BARRIER, want NEXT: warp %d is the last one of its CTA at the barrier", w)
			}
			b.held[cta] |= 1 << w
		case in.OutcomeKind == Next && p.Insts[at[w]].Op == isa.OpBar:
			if bits.OnesCount64(held)+1 != b.left[cta] {
				return fmt.Errorf("outcome_kind = NEXT, want BARRIER: warp %d is not the last one of its CTA at the barrier", w)
			}
			ends = true
		case in.OutcomeKind == Exit:
			if b.lives[w] &^= in.Taken; b.lives[w] == 0 {
				b.left[cta]--
				ends = bits.OnesCount64(held) == b.left[cta]
			}
		}
		if ends {
			open, b.held[cta] = held, 0
		}
	}
	if in.Resume != open {
		return fmt.Errorf("resume = %#x, want %#x: a mechanism opens a barrier in the edge in which the last warp of the CTA arrives or ends",
			in.Resume, open)
	}
	if in.Launch != 0 {
		w, cta := in.LaunchWarp, in.LaunchCTA
		if b.left[cta] == 0 {
			b.left[cta] = int(in.LaunchWarps)
		}
		b.cta[w], b.lives[w] = cta, in.Started
	}
	return nil
}
