package blocks

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var pdom = &Block{
	Name: "pdom", Source: "sm/divergence/pathstack.go",
	Doc: "mechanism pdom: a reconvergence stack for each warp, with immediate post-dominators",
	Notes: "An exit pops all entries that it leaves without threads: a priority encoder finds the first one with\n" +
		"threads. Any other event pops one entry of a warp at most.\n",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 2, 32, true, 4},
		{"warps", "warps of an SM", 8, 2, 64, true, 2},
	},
	promises: "meets in_step stack prompt=1",
	derive:   func(s Sizes) { s["depth"], s["calls"], s["slots"] = 2*s["lanes"], 1, s["warps"] },
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[MechanismIn]) (rtl.Ticker, *rtl.Wire[MechanismOut]) {
			b := &PDOM{
				In: in, Table: rtl.NewMem[divergence.Slot](s["warps"]), deep: s["depth"],
				Stack: divergence.PathStack{
					Stack: units.NewStack(s["warps"], s["depth"], divergence.NoEntry),
					First: divergence.Options{}.First(), Deep: s["depth"],
				},
			}
			return b, &b.Out
		})
	},
}

// PDOM is the mechanism pdom, between the ports of a Verilog unit: see stacks.PDOM.
type PDOM struct {
	rtl.State[struct {
		Retire bool  // the last threads of a warp have ended
		Warp   uint8 `bits:"warps_bits"`
	}]
	Table *rtl.Mem[divergence.Slot]
	Stack divergence.PathStack `reset:"none"` // of warps that run
	In    *rtl.Wire[MechanismIn]
	Out   rtl.Wire[MechanismOut]
	deep  int
}

// Tick serves the events.
func (b *PDOM) Tick() {
	in := b.In.At()
	b.Out.Set(b.outputs(in))
	b.D().Retire = false
	busy := uint64(0) // warps with an event; illegal ones are ignored
	if in.FireValid && !in.FireControl {
		busy |= 1 << in.FireWarp
		if s := b.Table.Edit(int(in.FireWarp)); s.Valid {
			b.step(int(in.FireWarp), s)
		}
	}
	if in.OutcomeValid && busy>>in.OutcomeWarp&1 == 0 {
		busy |= 1 << in.OutcomeWarp
		if s := b.Table.Edit(int(in.OutcomeWarp)); s.Valid {
			b.outcome(int(in.OutcomeWarp), s, in)
		}
	}
	for set := in.Resume &^ busy; set != 0; set &= set - 1 {
		w := bits.TrailingZeros64(set)
		if s := *b.Table.At(w); s.Valid {
			b.step(w, &s)
			to := b.Table.Edit(w)
			to.Set(s.At())
			to.Mask = s.Mask
		}
	}
	if in.LaunchValid && in.LaunchMask != 0 && !b.Table.At(int(in.LaunchWarp)).Valid {
		w := int(in.LaunchWarp)
		*b.Table.Edit(w) = divergence.Slot{Valid: true, Mask: in.LaunchMask}
		*b.Stack.Depth.Edit(w) = 1
		*b.Stack.Entry(w, 0) = divergence.Entry{RPC: divergence.Nowhere, LPC: divergence.Nowhere, Mask: in.LaunchMask}
	}
}

// step moves a warp to its next instruction. If that is its reconvergence point, the entry below
// runs: it is not at its own, and has threads.
func (b *PDOM) step(w int, s *divergence.Slot) {
	s.PC++
	n := int(*b.Stack.Depth.At(w))
	if s.At() == b.Stack.At(w, n-1).RPC {
		b.run(w, s, n-1)
	}
}

// run makes a lower entry the top one, the last of n.
func (b *PDOM) run(w int, s *divergence.Slot, n int) {
	e := b.Stack.At(w, n-1)
	s.Set(e.At)
	s.Mask = e.Mask
	*b.Stack.Depth.Edit(w) = uint8(n)
}

// outcome serves a control instruction.
func (b *PDOM) outcome(w int, s *divergence.Slot, in *MechanismIn) {
	switch in.OutcomeKind {
	case kindBranch:
		b.branch(w, s, in)
	case kindExit:
		b.exit(w, s, in.OutcomeTaken)
	case kindNext:
		b.step(w, s)
	}
}

// branch moves a path, or splits it.
func (b *PDOM) branch(w int, s *divergence.Slot, in *MechanismIn) {
	var unused divergence.Stats
	taken, not := s.Mask&in.OutcomeTaken, s.Mask&^in.OutcomeTaken
	switch {
	case taken != 0 && not != 0:
		j := divergence.Jump{Target: in.OutcomeTarget, Fall: in.OutcomeFall, Meet: in.OutcomeMeet}
		b.Stack.Diverge(w, s, &isa.Inst{}, j, taken, not, &unused)
	case taken != 0:
		s.Set(in.OutcomeTarget)
	default:
		s.Set(in.OutcomeFall)
	}
	b.Stack.Join(w, s, &unused)
}

// exit ends threads in all entries of a warp. If none is left in the running path, the next entry
// with threads runs.
func (b *PDOM) exit(w int, s *divergence.Slot, gone uint64) {
	n := int(*b.Stack.Depth.At(w))
	live := uint64(0)
	for i := range b.deep {
		if i+1 < n && b.Stack.At(w, i).Mask&^gone != 0 {
			live |= 1 << i
		}
	}
	s.Mask &^= gone
	switch left := bits.Len64(live); {
	case s.Mask != 0:
		b.step(w, s)
	case left != 0:
		b.run(w, s, left)
	default:
		s.Valid = false
		*b.Stack.Depth.Edit(w) = 0
		d := b.D()
		d.Retire, d.Warp = true, uint8(w)
	}
	s.Mask &^= gone
	for i := range b.deep {
		if i < n {
			b.Stack.Entry(w, i).Mask &^= gone
		}
	}
}

// outputs reads the registers.
func (b *PDOM) outputs(in *MechanismIn) (out MechanismOut) {
	out.slots(b.Table)
	out.RetireValid, out.RetireWarp = b.Q().Retire, b.Q().Warp
	w := int(in.DebugWarp)
	s, n := b.Table.At(w), int(*b.Stack.Depth.At(w))
	if !s.Valid || int(in.DebugIndex) >= n {
		return out
	}
	e := b.Stack.At(w, n-1-int(in.DebugIndex))
	out.DebugValid = true
	out.DebugAt, out.DebugMeet, out.DebugMask = e.At, e.RPC, e.Mask
	if in.DebugIndex == 0 {
		out.DebugAt, out.DebugMask = s.At(), s.Mask
	}
	return out
}
