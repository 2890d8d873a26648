package stacks

import (
	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

var pdomMechanisms = []divergence.Mechanism{
	{
		Name:     "pdom",
		Doc:      "per-warp stack, reconvergence at immediate post-dominators",
		Promises: pdomPromises(func(lanes int, _ *isa.Program) int { return 2*lanes - 1 }),
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newPDOM(e, false), nil
		},
		Covers: []divergence.Property{{
			Name: "half of the stack", Doc: "a warp has more than half of the entries that the worst case needs",
			Holds: func(p divergence.Policy) bool {
				q := p.(*PDOM)
				return q.Q().Stats.MaxDepth > uint64(q.Stack.Deep/2)
			},
		}},
	},
	{
		Name:     "pdom-lcp",
		Doc:      "per-warp stack that also joins paths at likely-convergence points",
		Promises: pdomPromises(func(lanes int, _ *isa.Program) int { return 3 * lanes }),
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newPDOM(e, true), nil
		},
	},
}

// PDOM is the per-warp reconvergence stack (Fung & Aamodt, HPCA 2011, section 2.2.2; Fung et al.,
// MICRO 2007). At a divergent branch the top entry becomes the entry that waits at the immediate
// post-dominator, and each path gets an entry above it. An entry is popped when its PC is its
// reconvergence PC.
//
// With likely-convergence points (Fung & Aamodt, HPCA 2011, section 4) a branch that has one pushes
// a third entry. It lies below the two paths, has no threads, and waits at that point. A path that
// reaches the point before the reconvergence PC is popped, and its threads join that entry. A
// nested branch with the same two points shares it. On a deep stack a branch pushes no third entry
// (our reading).
//
// Slot i is warp i. The slot is the register with PC and mask of the top of the stack. The entry in
// the stack memory keeps the rest; its PC and mask date from when it was pushed or covered. All
// pops of an update happen in its cycle.
type PDOM struct {
	divergence.Warps
	Stack divergence.PathStack // by warp
}

// pdomPromises returns the promises of a stack of bounded depth.
func pdomPromises(depth func(lanes int, p *isa.Program) int) divergence.Promises {
	return divergence.Promises{
		Meets: true, InStep: true, Prompt: 1, Depth: depth,
		Stack: func(p divergence.Policy, slot int, to []divergence.Entry) []divergence.Entry {
			return p.(*PDOM).entries(slot, to)
		},
	}
}

// newPDOM sizes the stack for the worst case. An entry of m lanes needs at most 2m-2 more above it:
// each push splits a mask that is not empty, and a branch with the reconvergence PC of its entry
// replaces the entry. So a warp of W lanes has 2W-1. With likely-convergence points all W lanes can
// meet at the third entry of a branch, one deeper with each nested loop. Below depth W+2 they have
// room: 3W entries.
func newPDOM(e divergence.Env, likely bool) *PDOM {
	capacity, third := 2*e.Lanes, 0
	if likely {
		capacity, third = 3*e.Lanes, e.Lanes+2
	}
	warps := divergence.NewWarps(e, 1)
	return &PDOM{
		Warps: warps,
		Stack: divergence.PathStack{
			Stack: units.NewStack(e.Warps, capacity, divergence.NoEntry), First: e.First(),
			Deep: capacity, Likely: third, Events: warps.Events,
		},
	}
}

// Tick serves at most one issued instruction, one outcome and one launch.
func (p *PDOM) Tick() { p.Serve(p) }

// Logic is the comparator of each warp's PC with its reconvergence PC, and the one with its
// likely-convergence point.
func (p *PDOM) Logic(g divergence.Geometry) []units.Logic {
	n := 1
	if p.Stack.Likely > 0 {
		n = 2
	}
	return []units.Logic{{Kind: units.Equality, Bits: 32, Count: n * g.Warps}}
}

// Parts says whether likely-convergence points exist.
func (p *PDOM) Parts() map[string]bool { return map[string]bool{"likely": p.Stack.Likely > 0} }

// Start pushes the bottom entry of a new warp.
func (p *PDOM) Start(l *divergence.WarpStart) {
	p.Stack.Push(int(l.Row), divergence.Entry{RPC: divergence.Nowhere, LPC: divergence.Nowhere, Mask: l.Mask},
		&p.D().Stats)
}

// Advance pops entries where paths meet.
func (p *PDOM) Advance(w int) {
	s, e := p.Table.Edit(w), p.Stack.Peek(w)
	if at := s.At(); at == e.RPC || at == e.LPC {
		p.Stack.Pop(w, s, &p.D().Stats)
		p.Changed(w)
	}
}

// Resolve updates the stack for a control instruction at the end of execution.
func (p *PDOM) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w := int(o.Slot)
	s := p.Table.Edit(w)
	s.Wait = divergence.Runs
	switch {
	case in.Branches():
		p.branch(w, s, in, o)
	case in.Op == isa.OpBar:
		p.bar(w, s, in, o)
	default:
		p.exit(w, s, o)
	}
}

func (p *PDOM) branch(w int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	j := o.Jump(in, s.Depth)
	if !p.D().Stats.Count(in, taken, not) {
		s.Set(j.Fall)
		if not == 0 {
			s.Set(j.Target)
		}
		p.Stack.Pop(w, s, &p.D().Stats)
		return
	}
	p.Stack.Diverge(w, s, in, j, taken, not, &p.D().Stats)
	p.Stack.Pop(w, s, &p.D().Stats)
}

func (p *PDOM) bar(w int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	if o.Taken == 0 {
		p.next(w, s)
		return
	}
	if s.Mask != p.Stack.At(w, 0).Mask {
		p.D().Stats.BarDiverged++
	}
	waits := in.Mode != isa.ModeArrive
	if waits {
		s.Wait = divergence.WaitsBarrier
	} else {
		p.next(w, s)
	}
	p.Arrive(p, s, o.Bar, o.Warps, waits)
}

// Arriving returns the warp of the slot, on whatever paths its threads are.
func (p *PDOM) Arriving(w int, _ uint64, _ bool) uint64 { return p.Stack.At(w, 0).Mask }

// exit removes the lanes from every entry of the warp at once.
func (p *PDOM) exit(w int, s *divergence.Slot, o *divergence.Outcome) {
	p.Stack.Remove(w, o.Taken)
	s.Mask &^= o.Taken
	p.next(w, s)
	if !s.Valid {
		p.End(p, s)
	}
}

// Resume releases a warp from its CTA barrier.
func (p *PDOM) Resume(w int) {
	s := p.Table.Edit(w)
	s.Wait = divergence.Runs
	p.next(w, s)
}

// next moves a slot to the next instruction.
func (p *PDOM) next(w int, s *divergence.Slot) {
	s.PC++
	p.Stack.Pop(w, s, &p.D().Stats)
}

// entries lists the entries of a warp. PC and mask of the top come from the slot.
func (p *PDOM) entries(w int, to []divergence.Entry) []divergence.Entry {
	for i := range int(*p.Stack.Depth.At(w)) {
		to = append(to, *p.Stack.At(w, i))
	}
	top, s := &to[len(to)-1], p.Table.At(w)
	top.At, top.Mask = s.At(), s.Mask
	return to
}

// Paths lists the top of each stack and the threads parked under it.
func (p *PDOM) Paths(to []divergence.Path) []divergence.Path {
	for w := range p.Table.Len() {
		s := p.Table.At(w)
		if !s.Valid {
			continue
		}
		top := int(*p.Stack.Depth.At(w)) - 1
		to = append(to, divergence.Path{
			CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: p.Stack.At(w, top).RPC.PC,
			Mask: s.Mask, Wait: s.Wait, Running: true,
		})
		above := s.Mask
		p.Stack.Parked(w, func(lanes uint64, at divergence.Path) {
			if at.Mask = lanes &^ above; at.Mask != 0 {
				at.CTA, at.Row = s.CTA, s.Row
				to = append(to, at)
				above |= lanes
			}
		})
	}
	return to
}
