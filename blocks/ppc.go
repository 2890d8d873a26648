package blocks

import (
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/paths"
	"divergo/units"
)

var ppc = &Block{
	Name: "ppc", Source: "sm/divergence/paths/ppc.go",
	Doc: "mechanism ppc: a stack of path pairs for each warp, with paired-path comparison",
	Notes: "A warp deletes one pair a cycle. Its threads arrive at a CTA barrier together: otherwise it reports\n" +
		"error 1. The model lets its paths arrive one by one.\n",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 2, 32, true, 4},
		{"warps", "warps of an SM", 8, 2, 64, true, 2},
	},
	promises: "prompt=1",
	derive:   func(s Sizes) { s["calls"], s["slots"] = 1, s["warps"] },
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[MechanismIn]) (rtl.Ticker, *rtl.Wire[MechanismOut]) {
			none := paths.Pair{Side: [2]divergence.Side{divergence.NoSide, divergence.NoSide}}
			b := &PPC{
				In: in, Table: rtl.NewMem[divergence.Slot](s["warps"]), deep: s["lanes"],
				Stack: units.NewStack(s["warps"], s["lanes"], none),
			}
			return b, &b.Out
		})
	},
}

// PPC is paired-path comparison, between the ports of a Verilog unit: see paths.PPC.
type PPC struct {
	rtl.State[struct {
		Retire bool   // the last threads of a warp have ended
		Warp   uint8  `bits:"warps_bits"`
		Again  uint64 `bits:"warps"` // warps with another pair to delete
		Wrong  bool   // part of a warp is at a barrier
	}]
	Table *rtl.Mem[divergence.Slot]
	Stack units.Stack[paths.Pair] `reset:"none"` // of warps that run
	In    *rtl.Wire[MechanismIn]
	Out   rtl.Wire[MechanismOut]
	deep  int
}

// Tick deletes the remaining pairs and serves the events.
func (b *PPC) Tick() {
	in, q, d := b.In.At(), b.Q(), b.D()
	b.Out.Set(b.outputs(in))
	d.Retire, d.Again = false, 0
	busy := uint64(0) // warps with an event; illegal ones are ignored
	if in.FireValid && !in.FireControl {
		busy |= 1 << in.FireWarp
		if w := int(in.FireWarp); b.runs(w) {
			b.step(w)
		}
	}
	if in.OutcomeValid && busy>>in.OutcomeWarp&1 == 0 {
		busy |= 1 << in.OutcomeWarp
		if w := int(in.OutcomeWarp); b.runs(w) {
			b.outcome(w, in)
		}
	}
	for set := (q.Again | in.Resume) &^ busy; set != 0; set &= set - 1 {
		w := bits.TrailingZeros64(set)
		if b.Table.At(w).Valid {
			e, n := b.top(w)
			if q.Again>>w&1 == 0 {
				e.Side[e.Cur&1].At.PC++
			}
			b.compare(w, e, n, 0)
		}
	}
	if w := int(in.LaunchWarp); in.LaunchValid && in.LaunchMask != 0 && !b.Table.At(w).Valid {
		*b.Table.Edit(w) = divergence.Slot{Valid: true, Mask: in.LaunchMask}
		*b.Stack.Depth.Edit(w) = 1
		*b.Stack.Entry(w, 0) = paths.Pair{Side: [2]divergence.Side{{Mask: in.LaunchMask}}}
	}
}

// runs reports whether a warp can have an event.
func (b *PPC) runs(w int) bool { return b.Table.At(w).Valid && b.Q().Again>>w&1 == 0 }

// top returns the top pair of a warp and the number of pairs.
func (b *PPC) top(w int) (paths.Pair, int) {
	n := int(*b.Stack.Depth.At(w))
	return *b.Stack.At(w, n-1), n
}

// step moves the running path to its next instruction.
func (b *PPC) step(w int) {
	e, n := b.top(w)
	e.Side[e.Cur&1].At.PC++
	b.compare(w, e, n, 0)
}

// compare deletes a pair whose paths meet, or one of which has ended: e, the top one of n. Otherwise
// the path with the smaller PC runs. Threads that have exited leave the pair below.
func (b *PPC) compare(w int, e paths.Pair, n int, gone uint64) {
	cur := e.Cur & 1
	ended, at := e.Side[cur].Mask == 0, e.Side[0].At
	if ended {
		at = e.Side[cur^1].At
	}
	if ended || e.Meets() {
		n--
		e = *b.Stack.At(w, n-1)
		e.Side[0].Mask &^= gone
		e.Side[1].Mask &^= gone
		e.Side[e.Cur&1].At = at
	}
	if e.Meets() {
		b.D().Again |= 1 << w
	} else {
		e.Elect()
	}
	*b.Stack.Depth.Edit(w) = uint8(n)
	*b.Stack.Entry(w, n-1) = e
	x, s := &e.Side[e.Cur&1], b.Table.Edit(w)
	s.Set(x.At)
	s.Mask = x.Mask
}

// outcome serves a control instruction.
func (b *PPC) outcome(w int, in *MechanismIn) {
	switch in.OutcomeKind {
	case kindBranch:
		b.branch(w, in)
	case kindExit:
		b.exit(w, in.OutcomeTaken)
	case kindBarrier:
		if b.Table.At(w).Mask != b.live(w) {
			b.D().Wrong = true
		}
	case kindNext:
		b.step(w)
	}
}

// live returns the mask of all threads of a warp.
func (b *PPC) live(w int) uint64 { return b.Stack.At(w, 0).Side[0].Mask }

// branch moves the running path, or pushes a pair.
func (b *PPC) branch(w int, in *MechanismIn) {
	mask := b.Table.At(w).Mask
	taken, not := mask&in.OutcomeTaken, mask&^in.OutcomeTaken
	e, n := b.top(w)
	switch {
	case taken != 0 && not != 0:
		e = paths.Pair{Side: [2]divergence.Side{{At: in.OutcomeTarget, Mask: taken}, {At: in.OutcomeFall, Mask: not}}}
		n++
	case taken != 0:
		e.Side[e.Cur&1].At = in.OutcomeTarget
	default:
		e.Side[e.Cur&1].At = in.OutcomeFall
	}
	b.compare(w, e, n, 0)
}

// exit ends threads in all pairs.
func (b *PPC) exit(w int, gone uint64) {
	e, n := b.top(w)
	for i := range b.deep {
		if i < n {
			x := b.Stack.Entry(w, i)
			x.Side[0].Mask &^= gone
			x.Side[1].Mask &^= gone
		}
	}
	if b.live(w)&^gone == 0 {
		b.Table.Edit(w).Valid = false
		d := b.D()
		d.Retire, d.Warp = true, uint8(w)
		return
	}
	e.Side[0].Mask &^= gone
	e.Side[1].Mask &^= gone
	e.Side[e.Cur&1].At.PC++
	b.compare(w, e, n, gone)
}

// outputs reads the registers.
func (b *PPC) outputs(in *MechanismIn) (out MechanismOut) {
	q := b.Q()
	out.slots(b.Table)
	for w := range b.Table.Len() {
		if q.Again>>w&1 != 0 {
			out.SlotValid[w] = false
		}
	}
	out.RetireValid, out.RetireWarp, out.Busy = q.Retire, q.Warp, q.Again != 0
	if q.Wrong {
		out.Error = 1
	}
	w := int(in.DebugWarp)
	s, n := b.Table.At(w), int(*b.Stack.Depth.At(w))
	if !s.Valid || int(in.DebugIndex) > n {
		return out
	}
	out.DebugValid, out.DebugMeet = true, divergence.Nowhere
	out.DebugAt, out.DebugMask = s.At(), s.Mask
	if in.DebugIndex > 0 { // the path that waits in a pair
		e := b.Stack.At(w, n-int(in.DebugIndex))
		x := e.Side[e.Cur&1^1]
		out.DebugAt, out.DebugMask = x.At, x.Mask
	}
	return out
}
