package stacks

import (
	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

var dpeMechanisms = []divergence.Mechanism{
	{
		Name: "dpe",
		Doc:  "dual-path stack: both paths of the innermost divergent branch interleave",
		Promises: divergence.Promises{
			Meets: true, InStep: true, Arrival: divergence.ByPair, Prompt: 1,
			Depth: divergence.PerLane,
		},
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newDPE(e), nil
		},
	},
}

// DPE is the dual-path stack (Rhu & Erez, The Dual-Path Execution Model for Efficient GPU Control
// Flow, HPCA 2013). An entry holds both paths of a divergent branch. Both paths of the top entry
// can issue, so that one hides the latency of the other. A path ends at the reconvergence PC (RPC)
// of its entry. An entry without paths is popped, and the path below continues from there with all
// its threads.
//
//	        slots 2w and 2w+1
//	       +--------+--------+
//	top    | path A | path B |   RPC     interleave
//	       +--------+--------+
//	       | path A | path B |   RPC     one of them is at the RPC of the entry
//	       +--------+--------+           above, the other one has to wait
//	bottom | path A |        |  none
//	       +--------+--------+
//
// A branch replaces the paths of its entry if it has the same RPC and the other path of the entry
// has ended. So a loop that threads leave one after the other does not add an entry in each
// iteration.
//
// Warp w has slots 2w for path A (taken) and 2w+1 for path B. They are the registers that hold the
// paths of the top entry. An entry in the stack memory keeps its RPC; its paths date from when it
// was covered.
//
// The branch of one path can cover its sibling while the sibling's own outcome is on the way.
// Outcomes of a warp come in order, so the first outcome for the sibling's slot is the sibling's.
// If it diverges, its pair goes under the top entry.
//
// A warp arrives at a CTA barrier when no path of the top entry can run. A path below it cannot run
// before those of the top entry meet. If such a path has yet to reach the barrier, the warp never
// arrives.
//
// The scoreboard tracks registers by lane, so that no path waits for the writes of the other.
type DPE struct {
	divergence.Warps
	Stack units.Stack[Fork] // by warp
}

// Fork is an entry of a dual-path stack.
type Fork struct {
	// Side has the taken and the not-taken path. A path without threads or at RPC has ended.
	Side [2]divergence.Side
	RPC  divergence.Point
}

// Lives reports whether a path of the entry has not ended.
func (e *Fork) Lives(at divergence.Point, mask uint64) bool { return mask != 0 && at != e.RPC }

// Forked is the entry of a branch that has diverged.
func Forked(j divergence.Jump, taken, not uint64) Fork {
	return Fork{[2]divergence.Side{{At: j.Target, Mask: taken}, {At: j.Fall, Mask: not}}, j.Meet}
}

// newDPE sizes the stack for the bottom entry and W-1 forks, each of which splits a mask.
func newDPE(e divergence.Env) *DPE {
	none := Fork{Side: [2]divergence.Side{divergence.NoSide, divergence.NoSide}, RPC: divergence.Nowhere}
	return &DPE{Warps: divergence.NewWarps(e, 2), Stack: units.NewStack(e.Warps, e.Lanes, none)}
}

// Tick serves at most one issued instruction, one outcome and one launch.
func (p *DPE) Tick() { p.Serve(p) }

// Logic is the comparator of each path's PC with the reconvergence PC. One warp in a cycle can
// reach a barrier. For it there are the comparators of the paths below the top entry of its stack.
// An encoder finds a path still on its way.
func (p *DPE) Logic(g divergence.Geometry) []units.Logic {
	below := 2 * (g.Lanes - 1)
	return []units.Logic{
		{Kind: units.Equality, Bits: 32, Count: 2 * g.Warps},
		{Kind: units.Equality, Bits: 32, Count: below},
		{Kind: units.Encoder, Bits: below, Count: 1},
	}
}

// Start pushes the bottom entry of a new warp.
func (p *DPE) Start(l *divergence.WarpStart) {
	w := int(l.Row)
	*p.Table.Edit(2*w + 1) = divergence.Slot{CTA: l.CTA, Row: l.Row}
	p.push(w, Fork{Side: [2]divergence.Side{{Mask: l.Mask}}, RPC: divergence.Nowhere})
	p.settle(w)
}

// Advance ends a path at the RPC.
func (p *DPE) Advance(i int) {
	if p.Table.Edit(i).At() == p.Stack.Peek(i/2).RPC {
		p.settle(i / 2)
	}
}

// Resolve serves a control instruction at the end of execution.
func (p *DPE) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w, side := int(o.Slot)/2, int(o.Slot)&1
	if n := p.Stack.Len(w); n > 1 {
		if x := &p.Stack.Entry(w, n-2).Side[side]; x.Wait == divergence.WaitsControl {
			p.covered(w, x, in, o)
			return
		}
	}
	s := p.Table.Edit(int(o.Slot))
	s.Wait = divergence.Runs
	s.PC = o.PC + 1
	switch {
	case in.Branches():
		p.branch(w, side, s, in, o)
	case in.Op == isa.OpBar:
		if p.Bar(p, s, in, o, s.Mask != p.live(w)) {
			s.PC, s.Wait = o.PC, divergence.WaitsBarrier
		}
	default:
		p.exit(w, o.Taken)
	}
	p.settle(w)
}

// branch handles the outcome of a branch of the top entry.
func (p *DPE) branch(w, side int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	j := o.Jump(in, s.Depth)
	if !p.D().Stats.Count(in, taken, not) {
		s.Set(j.Fall)
		if not == 0 {
			s.Set(j.Target)
		}
		return
	}
	e := p.Stack.Top(w)
	fork := Forked(j, taken, not)
	if j.Meet == e.RPC && !p.Table.Edit(2*w+side^1).Valid {
		p.load(w, &fork.Side)
		return
	}
	for k := range e.Side {
		x := p.Table.Edit(2*w + k)
		e.Side[k] = divergence.Side{At: x.At(), Mask: x.Mask, Wait: x.Wait}
	}
	e.Side[side].At = j.Meet
	p.push(w, fork)
}

// covered handles the outcome of a control instruction of path x, which is in the entry below the
// top.
func (p *DPE) covered(w int, x *divergence.Side, in *isa.Inst, o *divergence.Outcome) {
	taken, not := x.Mask&o.Taken, x.Mask&^o.Taken
	x.Wait = divergence.Runs
	x.At.PC = o.PC + 1
	switch {
	case in.Branches():
		j := o.Jump(in, x.At.Depth)
		switch {
		case p.D().Stats.Count(in, taken, not):
			x.At = j.Meet
			top := *p.Stack.Top(w)
			*p.Stack.Top(w) = Forked(j, taken, not)
			p.pushed(w, &top, p.Stack.Push(w, top))
		case not == 0:
			x.At = j.Target
		default:
			x.At = j.Fall
		}
	case in.Op == isa.OpBar:
		s := *p.Table.Edit(2 * w)
		s.Mask = x.Mask
		if p.Bar(p, &s, in, o, s.Mask != p.live(w)) {
			x.At.PC, x.Wait = o.PC, divergence.WaitsBarrier
		}
	default:
		p.exit(w, o.Taken)
	}
}

// live returns the mask of all threads of a warp.
func (p *DPE) live(w int) uint64 {
	if p.Stack.Len(w) == 1 {
		return p.Table.Edit(2*w).Mask | p.Table.Edit(2*w+1).Mask
	}
	e := p.Stack.Entry(w, 0)
	return e.Side[0].Mask | e.Side[1].Mask
}

// exit removes lanes from every entry of the warp at once.
func (p *DPE) exit(w int, lanes uint64) {
	for i := range p.Stack.Len(w) {
		e := p.Stack.Entry(w, i)
		e.Side[0].Mask &^= lanes
		e.Side[1].Mask &^= lanes
	}
	p.Table.Edit(2 * w).Mask &^= lanes
	p.Table.Edit(2*w + 1).Mask &^= lanes
}

// settle ends paths that have no threads or are at the RPC, and pops entries without paths. The
// warp arrives at its barrier if no path can run.
func (p *DPE) settle(w int) {
	a, b := p.Table.Edit(2*w), p.Table.Edit(2*w+1)
	for !p.lives(w, a, b) {
		p.D().Stats.Pops++
		p.stacked(w, false, p.Stack.Top(w), p.Stack.Len(w)-1)
		if p.Stack.Pop(w) == 0 {
			p.End(p, a)
			return
		}
		p.load(w, &p.Stack.Top(w).Side)
	}
	p.Changed(2 * w)
	p.Changed(2*w + 1)
	if (!a.Valid || a.Wait == divergence.WaitsBarrier) && (!b.Valid || b.Wait == divergence.WaitsBarrier) &&
		!p.awaited(w) {
		p.Meet(p, a)
	}
}

// awaited reports whether a path below the top entry of a warp, covered by its sibling's branch,
// has yet to reach the barrier.
func (p *DPE) awaited(w int) bool {
	above := p.Table.Edit(2*w).Mask | p.Table.Edit(2*w+1).Mask
	for i := p.Stack.Len(w) - 2; i >= 0; i-- {
		e := p.Stack.Entry(w, i)
		for k := range e.Side {
			if x := &e.Side[k]; e.Lives(x.At, x.Mask) && x.Mask&above == 0 && x.Wait != divergence.WaitsBarrier {
				return true
			}
		}
		above |= e.Side[0].Mask | e.Side[1].Mask
	}
	return false
}

// lives reports whether the top entry, whose paths are in slots a and b, has a running path.
func (p *DPE) lives(w int, a, b *divergence.Slot) bool {
	e := p.Stack.Top(w)
	a.Valid = e.Lives(a.At(), a.Mask)
	b.Valid = e.Lives(b.At(), b.Mask)
	return a.Valid || b.Valid
}

// load puts two paths into the slots of a warp.
func (p *DPE) load(w int, pair *[2]divergence.Side) {
	for k, x := range pair {
		s := p.Table.Edit(2*w + k)
		s.Set(x.At)
		s.Mask, s.Wait = x.Mask, x.Wait
	}
}

// push adds an entry on top.
func (p *DPE) push(w int, e Fork) {
	p.pushed(w, &e, p.Stack.Push(w, e))
	p.load(w, &e.Side)
}

// pushed counts a push that makes the stack this deep.
func (p *DPE) pushed(w int, e *Fork, depth int) {
	st := &p.D().Stats
	st.Pushes++
	st.MaxDepth = max(st.MaxDepth, uint64(depth))
	p.stacked(w, true, e, depth)
}

// stacked notifies the observers of a push or a pop.
func (p *DPE) stacked(w int, push bool, e *Fork, depth int) {
	if p.OnStack.Any() {
		p.OnStack.Notify(divergence.Stacked{
			Push: push, Slot: 2 * w, Row: w, At: e.RPC, Mask: e.Side[0].Mask | e.Side[1].Mask, Depth: depth,
		})
	}
}

// Resume releases a warp from its CTA barrier.
func (p *DPE) Resume(w int) {
	for i := range p.Stack.Len(w) - 1 {
		e := p.Stack.Entry(w, i)
		e.Side[0].Pass()
		e.Side[1].Pass()
	}
	for k := range 2 {
		p.Table.Edit(2*w + k).Pass()
	}
	p.settle(w)
}

// Paths lists the paths of each top entry and the threads under them.
func (p *DPE) Paths(to []divergence.Path) []divergence.Path {
	for w := range p.Stack.Depth.Len() {
		top := int(*p.Stack.Depth.At(w)) - 1
		above := uint64(0)
		for k := range 2 {
			if s := p.Table.At(2*w + k); s.Valid {
				to = append(to, divergence.Path{
					CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: p.Stack.At(w, top).RPC.PC,
					Mask: s.Mask, Wait: s.Wait, Running: true,
				})
				above |= s.Mask
			}
		}
		s := p.Table.At(2 * w)
		for i := top - 1; i >= 0; i-- {
			e := p.Stack.At(w, i)
			for _, x := range e.Side {
				if x.Mask&^above == 0 {
					continue
				}
				wait := x.Wait
				if x.At == p.Stack.At(w, i+1).RPC {
					wait = divergence.WaitsJoin
				}
				to = append(to, divergence.Path{
					CTA: s.CTA, Row: s.Row, PC: x.At.PC, Reconv: e.RPC.PC,
					Mask: x.Mask &^ above, Wait: wait,
				})
				above |= x.Mask
			}
		}
	}
	return to
}
