package paths

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var ppcMechanisms = []divergence.Mechanism{
	{
		Name:     "ppc",
		Doc:      "paired-path comparison: a stack of path pairs that meet where their PCs are equal",
		Promises: divergence.Promises{Arrival: divergence.ByPair, Prompt: 1, Depth: pairs},
		Counts:   ppcCounts{},
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newPPC(e, false), nil
		},
		Prepare: func(o divergence.Options, p *isa.Program) *isa.Program { return laidOut(PPCKeys.Of(o).Layout, p) },
		Params:  PPCKeys,
	},
	{
		Name:   "ppc-explicit",
		Doc:    "paired-path comparison at reconvergence instructions only",
		Counts: ppcCounts{},
		Params: PPCKeys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newPPC(e, true), nil
		},
		Prepare:  func(_ divergence.Options, p *isa.Program) *isa.Program { return isa.WithReconv(p) },
		Promises: divergence.Promises{Arrival: divergence.ByPair, Prompt: 1, Depth: pairs},
	},
}

// PPCKeys are the parameters of both mechanisms.
var PPCKeys = divergence.NewParams("ppc", PPCParams{})

// PPCParams are the parameters of paired-path comparison.
type PPCParams struct {
	Layout   bool `toml:"layout" old:"layout" doc:"ppc: lay programs out anew, blocks in topological order and loops in one piece (thread frontiers)" source:"Diamos et al., MICRO 2011"`
	Verbatim bool `toml:"verbatim" old:"ppc_verbatim" doc:"delete one pair of paths for each instruction, as the paper's figure 4 does" source:"ours"`
}

type ppcCounts struct {
	Late uint64 `name:"late" unit:"paths" doc:"that went on from the post-dominator of their branch before the other one came" source:"this model" warn:"paths did not wait at the join of their branch and ran apart from there, as only the top pair is compared; see docs/explanation/architecture.md"`
}

// laidOut returns the program for mechanisms that run the smallest PC first. If anew is false and
// the layout does not suit them, the program has warnings.
func laidOut(anew bool, p *isa.Program) *isa.Program {
	if anew {
		return isa.WithLayout(p)
	}
	told := isa.Layout(p)
	if len(told) == 0 {
		return p
	}
	made := *p
	made.Warnings = told
	return &made
}

// PPC is paired-path comparison (Huang et al., Dynamic SIMD Re-convergence with Paired-Path
// Comparison, sections III-B and III-C). A divergent branch pushes a pair of paths, and the path
// with the smaller PC runs. After every instruction the two PCs of the top pair are compared. When
// they are equal the pair is deleted, and the path that diverged continues with all its threads.
//
// No reconvergence PC is needed, and paths can meet before their post-dominator. The explicit
// scheme compares only behind a reconvergence instruction, when a pair is pushed, and when a path
// has to stop. The compiler puts such an instruction at each post-dominator.
//
// Only the top pair is compared, and its smaller PC runs, whatever lies between. So a path whose
// sibling is at a larger PC than their join does not stop at the join. If part of a loop lies
// behind its end, the path runs into the next iteration and divides again. At worst each thread
// runs its iterations by itself, which multiplies the instructions by the threads of a warp.
// (TestPPCMeetsLate follows the figures.) The counter Late counts these paths.
//
//	                 top pair
//	+----------+----------+-----------+-----------+-----+
//	| taken PC | not-tk PC| taken mask| not-tk mask| cur |
//	+----+-----+----+-----+-----------+-----------+-----+
//	     +---> = <--+ ---> delete
//	     +---> < <--+ ---> cur ---> PC and mask of the warp
//
// Beyond the paper, where it is silent or its figures do not hold:
//
//   - The bottom pair has one path. It stands for the empty stack of figures 4 and 5, which write
//     to the top of the stack after deleting its only pair. Depth counts the pairs above it.
//   - Nested pairs that meet at one PC are all deleted before its instruction issues, one a cycle.
//     The slot waits while there is another to delete.
//   - Option ppc_verbatim deletes one pair for each instruction, as in figure 4. Nested paths then
//     execute the code after their join with masks that grow at each instruction.
//   - A thread that exits leaves all masks. A pair that loses a path is deleted.
//   - A path that has executed a CTA barrier waits while its sibling runs. Two paths that wait at
//     the same barrier are equal. The warp arrives when no path of the top pair can run.
//
// Slot i is warp i.
type PPC struct {
	divergence.Warps
	Stack units.Stack[Pair] // by warp
	Again rtl.State[uint64] `rtl:"inplace" bits:"warps"` // warps with another pair to delete in this cycle
	Own   divergence.Counted[ppcCounts]

	verbatim bool
	explicit bool
}

// Pair has the two paths of a divergent branch.
type Pair struct {
	// Side has the taken and the not-taken path. The PC of the current one is stale under another
	// pair.
	Side [2]divergence.Side
	Cur  uint8 `bits:"1"` // the side that runs
	// Meet is their post-dominator; Nowhere once a path has continued from there.
	Meet divergence.Point `rtl:"sim"`
}

// noPair is a pair that is not in use.
var noPair = Pair{Side: [2]divergence.Side{divergence.NoSide, divergence.NoSide}, Meet: divergence.Nowhere}

// Meets reports whether both paths are at one PC.
func (e *Pair) Meets() bool {
	t, n := &e.Side[0], &e.Side[1]
	return t.Mask != 0 && n.Mask != 0 && t.At == n.At && t.Wait == n.Wait
}

// current returns the running path.
func (e *Pair) current() *divergence.Side { return &e.Side[e.Cur&1] }

// ready reports whether a side can run.
func (e *Pair) ready(side uint8) bool {
	return e.Side[side&1].Mask != 0 && e.Side[side&1].Wait == divergence.Runs
}

// Elect makes the path with the smaller PC the current one, of those that can run. It reports whether
// there is one.
func (e *Pair) Elect() bool {
	switch t, n := e.ready(0), e.ready(1); {
	case t && (!n || e.Side[0].At.Before(e.Side[1].At)):
		e.Cur = 0
	case n:
		e.Cur = 1
	default:
		return false
	}
	return true
}

// pairs is the depth of the stack: each pair splits a mask.
func pairs(lanes int, _ *isa.Program) int { return lanes - 1 }

// newPPC sizes the stack for the bottom pair and W-1 pairs, each of which splits a mask.
func newPPC(e divergence.Env, explicit bool) *PPC {
	return &PPC{
		Warps:    divergence.NewWarps(e, 1),
		Stack:    units.NewStack(e.Warps, e.Lanes, noPair),
		verbatim: PPCKeys.Of(e.Options).Verbatim,
		explicit: explicit,
	}
}

// Tick deletes the remaining pairs, and serves at most one issued instruction, one outcome and one
// launch.
func (p *PPC) Tick() {
	again := *p.Again.Q()
	if again != 0 {
		*p.Again.D() = 0
	}
	for ; again != 0; again &= again - 1 {
		w := bits.TrailingZeros64(again)
		p.compare(w, p.Table.Edit(w))
		p.Changed(w)
	}
	p.Serve(p)
}

// Counts returns the mechanism's own counters.
func (p *PPC) Counts() divergence.Counting { return &p.Own }

// Logic is the pair of comparators of the diagram, for the top pair of each warp. One warp in a
// cycle can reach a barrier. For it there is an encoder that finds a path below the top pair still
// on its way.
func (p *PPC) Logic(g divergence.Geometry) []units.Logic {
	return []units.Logic{
		{Kind: units.Equality, Bits: 32, Count: g.Warps},
		{Kind: units.LessThan, Bits: 32, Count: g.Warps},
		{Kind: units.Encoder, Bits: g.Lanes - 1, Count: 1},
	}
}

// Start pushes the bottom pair of a new warp.
func (p *PPC) Start(l *divergence.WarpStart) {
	p.Stack.Push(int(l.Row), Pair{Side: [2]divergence.Side{{Mask: l.Mask}}, Meet: divergence.Nowhere})
}

// Advance compares after an instruction.
func (p *PPC) Advance(w int) {
	s := p.Table.Edit(w)
	next := s.At()
	if in := p.Inst(next.PC - 1); p.explicit && in.Inserted && in.Op == isa.OpNop {
		p.Stack.Top(w).current().At = next
		p.compare(w, s)
	} else {
		p.step(w, s, next)
	}
	if s.At() != next {
		p.Changed(w)
	}
}

// Resolve handles control instructions (Huang et al., figure 5).
func (p *PPC) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w := int(o.Slot)
	s, e := p.Table.Edit(w), p.Stack.Top(w)
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	switch {
	case in.Branches():
		switch j := o.Jump(in, s.Depth); {
		case p.D().Stats.Count(in, taken, not):
			st := &p.D().Stats
			st.Pushes++
			pair := Pair{Side: [2]divergence.Side{{At: j.Target, Mask: taken}, {At: j.Fall, Mask: not}}, Meet: j.Meet}
			if p.explicit && j.Meet != divergence.Nowhere {
				pair.Meet.PC++ // behind the reconvergence instruction, which both paths execute
			}
			depth := p.Stack.Push(w, pair) - 1
			st.MaxDepth = max(st.MaxDepth, uint64(depth))
			p.stacked(w, true, &pair, depth)
			p.compare(w, s)
		case not == 0:
			p.step(w, s, j.Target)
		default:
			p.step(w, s, j.Fall)
		}
	case in.Op == isa.OpBar:
		if p.Bar(p, s, in, o, s.Mask != p.live(w)) {
			e.current().Wait = divergence.WaitsBarrier
			p.compare(w, s)
		} else {
			p.step(w, s, divergence.Point{PC: o.PC + 1, Depth: s.Depth})
		}
	default:
		p.exit(w, s, o)
	}
}

// live returns the mask of all threads of a warp.
func (p *PPC) live(w int) uint64 { return p.Stack.Entry(w, 0).Side[0].Mask }

// step moves the running path to the next position. The implicit scheme compares after every
// instruction.
func (p *PPC) step(w int, s *divergence.Slot, next divergence.Point) {
	x := p.Stack.Top(w).current()
	x.At = next
	if p.explicit {
		p.run(s, x)
	} else {
		p.compare(w, s)
	}
}

// compare deletes the top pair if its paths meet (Huang et al., figure 4). Otherwise it gives the
// slot to the path with the smaller PC.
func (p *PPC) compare(w int, s *divergence.Slot) {
	e := p.Stack.Top(w)
	if !e.Meets() {
		p.elect(w, s)
		return
	}
	p.drop(w, e.Side[0])
	if e = p.Stack.Top(w); p.verbatim && e.ready(e.Cur) {
		p.run(s, e.current())
		return
	}
	p.next(w, s)
}

// next compares the new top pair after another has been deleted in this cycle.
func (p *PPC) next(w int, s *divergence.Slot) {
	e := p.Stack.Top(w)
	if !e.Meets() {
		p.elect(w, s)
		return
	}
	*p.Again.D() |= 1 << (w & 63)
	p.run(s, e.current())
	s.Wait = divergence.WaitsControl
}

// elect gives the slot to the path of the top pair with the smaller PC.
func (p *PPC) elect(w int, s *divergence.Slot) {
	e := p.Stack.Top(w)
	if !e.Elect() {
		p.run(s, e.current())
		s.Wait = divergence.WaitsBarrier
		if !p.covered(w) {
			p.Meet(p, s)
		}
		return
	}
	if x := e.current(); x.At == e.Meet {
		p.Own.D().Late++
		e.Meet = divergence.Nowhere
	}
	p.run(s, e.current())
}

// covered reports whether a path below the top pair of a warp can run. It does not run before that
// pair has met. So a warp whose top pair waits at two barrier instructions never arrives.
func (p *PPC) covered(w int) bool {
	for i := range p.Stack.Len(w) - 1 {
		if e := p.Stack.Entry(w, i); e.ready(e.Cur&1 ^ 1) {
			return true
		}
	}
	return false
}

// run puts a path into the slot.
func (p *PPC) run(s *divergence.Slot, x *divergence.Side) {
	s.Set(x.At)
	s.Mask, s.Wait = x.Mask, divergence.Runs
}

// drop deletes the top pair: the path that diverged is at the position of x.
func (p *PPC) drop(w int, x divergence.Side) {
	p.D().Stats.Pops++
	p.stacked(w, false, p.Stack.Top(w), p.Stack.Len(w)-2)
	p.Stack.Pop(w)
	d := p.Stack.Top(w).current()
	d.At, d.Wait = x.At, x.Wait
}

// stacked notifies the observers of a push or a pop.
func (p *PPC) stacked(w int, push bool, e *Pair, depth int) {
	if p.OnStack.Any() {
		p.OnStack.Notify(divergence.Stacked{
			Push: push, Slot: w, Row: w, At: e.Meet, Mask: e.Side[0].Mask | e.Side[1].Mask, Depth: depth,
		})
	}
}

// exit removes the lanes from every pair of the warp at once.
func (p *PPC) exit(w int, s *divergence.Slot, o *divergence.Outcome) {
	for i := range p.Stack.Len(w) {
		e := p.Stack.Entry(w, i)
		e.Side[0].Mask &^= o.Taken
		e.Side[1].Mask &^= o.Taken
	}
	e := p.Stack.Top(w)
	switch {
	case p.live(w) == 0:
		p.Stack.Pop(w)
		p.End(p, s)
	case e.current().Mask != 0:
		p.step(w, s, divergence.Point{PC: o.PC + 1, Depth: s.Depth})
	default:
		p.drop(w, e.Side[e.Cur&1^1])
		if e = p.Stack.Top(w); p.explicit && e.ready(e.Cur) {
			p.run(s, e.current())
		} else {
			p.next(w, s)
		}
	}
}

// Resume releases a warp from its CTA barrier.
func (p *PPC) Resume(w int) {
	for i := range p.Stack.Len(w) {
		e := p.Stack.Entry(w, i)
		for k := range e.Side {
			e.Side[k].Pass()
		}
	}
	p.compare(w, p.Table.Edit(w))
}

// Paths lists the running path and those that wait for their turn.
func (p *PPC) Paths(to []divergence.Path) []divergence.Path {
	for w := range p.Table.Len() {
		s := p.Table.At(w)
		if !s.Valid {
			continue
		}
		to = append(to, s.Path())
		for i := int(*p.Stack.Depth.At(w)) - 1; i >= 0; i-- {
			e := p.Stack.At(w, i)
			if x := &e.Side[e.Cur&1^1]; x.Mask != 0 {
				to = append(to, s.Parked(x))
			}
		}
	}
	return to
}
