package blocks

import (
	"math/bits"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/stacks"
	"divergo/units"
)

var dpe = &Block{
	Name: "dpe", Source: "sm/divergence/stacks/dpe.go",
	Doc: "mechanism dpe: a dual-path stack for each warp, both paths of whose top entry can issue",
	Notes: "An event pops all entries that it leaves without a path: a priority encoder finds the first one with\n" +
		"a path. A warp that a CTA barrier releases pops one entry a cycle. A path that arrives at a barrier while\n" +
		"the branch of its sibling covers it is error 1. The model lets it wait in the stack.\n",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 2, 32, true, 4},
		{"warps", "warps of an SM", 8, 2, 64, true, 2},
	},
	promises: "meets in_step prompt=1",
	slots:    2,
	derive:   func(s Sizes) { s["calls"], s["slots"], s["paths"] = 1, 2*s["warps"], 1 },
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[MechanismIn]) (rtl.Ticker, *rtl.Wire[MechanismOut]) {
			none := stacks.Fork{Side: [2]divergence.Side{divergence.NoSide, divergence.NoSide}, RPC: divergence.Nowhere}
			b := &DPE{
				In: in, Table: rtl.NewMem[divergence.Slot](2 * s["warps"]), deep: s["lanes"],
				Stack: units.NewStack(s["warps"], s["lanes"], none),
			}
			return b, &b.Out
		})
	},
}

// DPE is the dual-path stack, between the ports of a Verilog unit: see stacks.DPE. Warp w has slots 2w
// and 2w+1.
type DPE struct {
	rtl.State[struct {
		Retire bool   // the last threads of a warp have ended
		Warp   uint8  `bits:"warps_bits"`
		Again  uint64 `bits:"warps"` // warps with another entry to pop
		Wrong  bool   // a covered path is at a barrier
	}]
	Table *rtl.Mem[divergence.Slot]
	Stack units.Stack[stacks.Fork] `reset:"none"` // of warps that run
	In    *rtl.Wire[MechanismIn]
	Out   rtl.Wire[MechanismOut]
	deep  int
}

// Tick pops the remaining entries and serves the events. Both slots of a warp can have an event.
func (b *DPE) Tick() {
	in, q, d := b.In.At(), b.Q(), b.D()
	b.Out.Set(b.outputs(in))
	d.Retire, d.Again = false, 0
	busy := uint64(0) // warps with an event
	if in.FireValid {
		busy |= 1 << in.FireWarp
		b.fire(int(in.FireWarp), int(in.FireSlot&1), in.FireControl)
	}
	if in.OutcomeValid {
		busy |= 1 << in.OutcomeWarp
		b.outcome(int(in.OutcomeWarp), int(in.OutcomeSlot&1), in)
	}
	for set := (q.Again | in.Resume) &^ busy; set != 0; set &= set - 1 {
		w := bits.TrailingZeros64(set)
		again := q.Again>>w&1 != 0
		if s := [2]divergence.Slot{*b.Table.At(2 * w), *b.Table.At(2*w + 1)}; again || s[0].Valid || s[1].Valid {
			b.resume(w, s)
		}
	}
	if w := int(in.LaunchWarp); in.LaunchValid && in.LaunchMask != 0 && !b.runs(w) {
		*b.Table.Edit(2 * w) = divergence.Slot{Valid: true, Mask: in.LaunchMask}
		*b.Table.Edit(2*w + 1) = divergence.Slot{}
		*b.Stack.Depth.Edit(w) = 1
		*b.Stack.Entry(w, 0) = stacks.Fork{Side: [2]divergence.Side{{Mask: in.LaunchMask}}, RPC: divergence.Nowhere}
	}
}

// runs reports whether a warp has threads.
func (b *DPE) runs(w int) bool {
	return b.Table.At(2*w).Valid || b.Table.At(2*w+1).Valid || b.Q().Again>>w&1 != 0
}

// fire moves a path to its next instruction, or lets it wait for its outcome.
func (b *DPE) fire(w, k int, control bool) {
	s := b.Table.Edit(2*w + k)
	switch {
	case !s.Valid || s.Wait != divergence.Runs:
	case control:
		s.Wait = divergence.WaitsControl
	default:
		s.PC++
		b.settle(w, 0)
	}
}

// outcome serves a control instruction: of the path in the entry below the top if that one waits for
// it, the first one that comes.
func (b *DPE) outcome(w, k int, in *MechanismIn) {
	n, s := b.Stack.Len(w), b.Table.Edit(2*w+k)
	if b.runs(w) && n > 1 {
		if below := *b.Stack.At(w, n-2); below.Side[k].Wait == divergence.WaitsControl {
			b.covered(w, k, n, below, in)
			return
		}
	}
	if !s.Valid || s.Wait != divergence.WaitsControl {
		return
	}
	s.Wait = divergence.Runs
	switch in.OutcomeKind {
	case kindBranch:
		if b.branch(w, k, n, in) {
			return
		}
	case kindExit:
		s.PC++
		b.exit(w, n, in.OutcomeTaken)
		b.pass(w, in)
		b.settle(w, in.OutcomeTaken)
		return
	case kindBarrier:
		s.Wait = divergence.WaitsBarrier
	case kindNext:
		s.PC++
	}
	b.pass(w, in)
	b.settle(w, 0)
}

// pass moves the paths of a warp that a barrier releases at the edge of its outcome.
func (b *DPE) pass(w int, in *MechanismIn) {
	if in.Resume>>w&1 != 0 {
		b.Table.Edit(2 * w).Pass()
		b.Table.Edit(2*w + 1).Pass()
	}
}

// branch moves a path of the top entry, the last one of n. It reports whether it splits the path.
func (b *DPE) branch(w, k, n int, in *MechanismIn) (diverges bool) {
	x, y := b.Table.Edit(2*w+k), b.Table.Edit(2*w+k^1)
	taken, not := x.Mask&in.OutcomeTaken, x.Mask&^in.OutcomeTaken
	j := divergence.Jump{Target: in.OutcomeTarget, Fall: in.OutcomeFall, Meet: in.OutcomeMeet}
	if !forks(j, taken, not) {
		x.Set(j.Fall)
		if taken != 0 {
			x.Set(j.Target)
		}
		return false
	}
	e := *b.Stack.At(w, n-1)
	if j.Meet != e.RPC || y.Valid {
		e.Side[k] = divergence.Side{At: j.Meet, Mask: x.Mask}
		e.Side[k^1] = divergence.Side{At: y.At(), Mask: y.Mask, Wait: y.Wait}
		*b.Stack.Entry(w, n-1) = e
		e = stacks.Forked(j, taken, not)
		*b.Stack.Entry(w, n) = e
		*b.Stack.Depth.Edit(w) = uint8(n + 1)
	}
	b.load(w, stacks.Forked(j, taken, not))
	return true
}

// forks reports whether a branch has a path that does not end at once.
func forks(j divergence.Jump, taken, not uint64) bool {
	return taken != 0 && not != 0 && (j.Target != j.Meet || j.Fall != j.Meet)
}

// covered serves a control instruction of a path in the entry below the top, of n.
func (b *DPE) covered(w, k, n int, below stacks.Fork, in *MechanismIn) {
	x := &below.Side[k]
	taken, not := x.Mask&in.OutcomeTaken, x.Mask&^in.OutcomeTaken
	x.Wait = divergence.Runs
	j := divergence.Jump{Target: in.OutcomeTarget, Fall: in.OutcomeFall, Meet: in.OutcomeMeet}
	switch in.OutcomeKind {
	case kindBranch:
		switch {
		case taken != 0 && not != 0: // the pair goes under the top entry
			x.At = j.Meet
			*b.Stack.Entry(w, n) = *b.Stack.At(w, n-1)
			*b.Stack.Entry(w, n-1) = stacks.Forked(j, taken, not)
			*b.Stack.Depth.Edit(w) = uint8(n + 1)
		case taken != 0:
			x.At = j.Target
		default:
			x.At = j.Fall
		}
	case kindBarrier:
		b.D().Wrong = true
	default:
		x.At.PC++
	}
	*b.Stack.Entry(w, n-2) = below
	if in.OutcomeKind == kindExit {
		b.exit(w, n, in.OutcomeTaken)
	}
}

// exit ends threads in all paths of a warp with n entries.
func (b *DPE) exit(w, n int, gone uint64) {
	b.Table.Edit(2 * w).Mask &^= gone
	b.Table.Edit(2*w + 1).Mask &^= gone
	for i := range b.deep {
		if i < n {
			e := b.Stack.Entry(w, i)
			e.Side[0].Mask &^= gone
			e.Side[1].Mask &^= gone
		}
	}
}

// settle ends paths that have no threads or are where they meet. If none is left, the next entry with
// a path is the top one. Threads that have exited leave it.
func (b *DPE) settle(w int, gone uint64) {
	n := b.Stack.Len(w)
	if b.ends(w, b.Stack.At(w, n-1).RPC) {
		return
	}
	live := uint64(0)
	for i := range b.deep {
		if e := *b.Stack.At(w, i); i+1 < n {
			if e.Lives(e.Side[0].At, e.Side[0].Mask&^gone) || e.Lives(e.Side[1].At, e.Side[1].Mask&^gone) {
				live |= 1 << i
			}
		}
	}
	left := bits.Len64(live)
	*b.Stack.Depth.Edit(w) = uint8(left)
	if left == 0 {
		d := b.D()
		d.Retire, d.Warp = true, uint8(w)
		return
	}
	e := *b.Stack.At(w, left-1)
	e.Side[0].Mask &^= gone
	e.Side[1].Mask &^= gone
	b.load(w, e)
}

// ends ends paths of a warp that have no threads or are where they meet, and reports whether one is
// left.
func (b *DPE) ends(w int, meet divergence.Point) (left bool) {
	e := stacks.Fork{RPC: meet}
	x, y := b.Table.Edit(2*w), b.Table.Edit(2*w+1)
	x.Valid = e.Lives(x.At(), x.Mask)
	y.Valid = e.Lives(y.At(), y.Mask)
	return x.Valid || y.Valid
}

// load puts the paths of an entry into the slots of a warp.
func (b *DPE) load(w int, e stacks.Fork) {
	for k := range e.Side {
		x := e.Side[k]
		*b.Table.Edit(2*w + k) = divergence.Slot{
			Valid: e.Lives(x.At, x.Mask), PC: x.At.PC, Depth: x.At.Depth, Mask: x.Mask, Wait: x.Wait,
		}
	}
}

// resume moves the paths of a warp, in slots s, that waits at a barrier as a whole, or pops another
// entry.
func (b *DPE) resume(w int, s [2]divergence.Slot) {
	n := int(*b.Stack.Depth.At(w))
	e := *b.Stack.At(w, n-1)
	for k := range s {
		s[k].Pass()
		s[k].Valid = e.Lives(s[k].At(), s[k].Mask)
		*b.Table.Edit(2*w + k) = s[k]
	}
	if s[0].Valid || s[1].Valid || n < 2 { // the bottom entry has no reconvergence point
		return
	}
	e = *b.Stack.At(w, n-2)
	*b.Stack.Depth.Edit(w) = uint8(n - 1)
	b.load(w, e)
	if !e.Lives(e.Side[0].At, e.Side[0].Mask) && !e.Lives(e.Side[1].At, e.Side[1].Mask) {
		b.D().Again |= 1 << w
	}
}

// outputs reads the registers.
func (b *DPE) outputs(in *MechanismIn) (out MechanismOut) {
	q := b.Q()
	out.slots(b.Table)
	out.RetireValid, out.RetireWarp, out.Busy = q.Retire, q.Warp, q.Again != 0
	if q.Wrong {
		out.Error = 1
	}
	w, k := int(in.DebugWarp), int(in.DebugIndex&1)
	n, i := int(*b.Stack.Depth.At(w)), int(in.DebugIndex>>1)
	if !b.runs(w) || i >= n {
		return out
	}
	e := b.Stack.At(w, n-1-i)
	x := e.Side[k]
	if i == 0 {
		s := b.Table.At(2*w + k)
		if x.At, x.Mask = s.At(), s.Mask; !s.Valid { // threads that wait in the entry below
			x.Mask = 0
		}
	}
	out.DebugValid, out.DebugAt, out.DebugMeet, out.DebugMask = true, x.At, e.RPC, x.Mask
	return out
}
