// Package frontier is a mechanism outside of divergo: see docs/howto/your-own-mechanism.md.
package frontier

import (
	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

func init() {
	divergence.Register(divergence.Mechanism{
		Name:     "frontier",
		Doc:      "thread frontiers: paths in a list sorted by PC, the smallest runs and joins what it meets",
		Params:   keys,
		Counts:   counts{},
		Promises: divergence.Promises{Depth: func(lanes int, _ *isa.Program) int { return lanes }},
		New: func(e divergence.Env) (divergence.Policy, error) {
			list := units.NewStack(e.Warps, e.Lanes, divergence.NoSide)
			return &Frontier{Warps: divergence.NewWarps(e, 1), List: list, params: keys.Of(e.Options)}, nil
		},
		Covers: []divergence.Property{{
			Name: "four paths wait", Doc: "the list of a warp has four entries",
			Holds: func(p divergence.Policy) bool { return p.(*Frontier).Own.Q().Waiting >= 4 },
		}},
		Asserts: []divergence.Property{{
			Name: "bounded list", Doc: "fewer paths wait than the warp has lanes",
			Holds: func(p divergence.Policy) bool { return p.(*Frontier).Own.Q().Waiting < isa.MaxLanes },
		}},
	})
}

// keys is the parameter divergence.frontier.reach with its default.
var keys = divergence.NewParams("frontier", params{Reach: isa.MaxLanes})

type params struct {
	Reach int `toml:"reach" range:"1..64" unit:"entries" doc:"of the list, from the top, whose paths others can join" source:"this model: all"`
}

type counts struct {
	Waiting uint64 `name:"waiting" stat:"peak" unit:"paths" doc:"most paths of a warp that wait in the list" source:"this model"`
}

// Frontier is reconvergence at thread frontiers (Diamos et al., SIMD Re-convergence at Thread
// Frontiers, MICRO 2011). The path with the smallest PC runs, the others of its warp wait in a
// sorted list, and paths that meet become one.
type Frontier struct {
	divergence.Warps
	List units.Stack[divergence.Side] // by warp; the smallest PC is on top
	Own  divergence.Counted[counts]
	params
}

// Tick serves the events of a cycle.
func (f *Frontier) Tick() { f.Serve(f) }

// Advance joins the waiting paths at the slot's new PC.
func (f *Frontier) Advance(w int) {
	s := f.Table.Edit(w)
	for ; f.List.Len(w) > 0 && f.List.Top(w).At == s.At() && f.List.Top(w).Wait == divergence.Runs; f.List.Pop(w) {
		s.Mask |= f.List.Top(w).Mask
	}
}

// Resolve moves the threads of a branch, barrier or exit to where they continue.
func (f *Frontier) Resolve(in *isa.Inst, o *divergence.Outcome) {
	w := int(o.Slot)
	s := f.Table.Edit(w)
	for _, p := range f.After(f, s, in, o, f.List.Len(w) > 0) {
		f.insert(w, p)
	}
	f.elect(w, s)
}

// before reports whether p runs before q: paths at a barrier come last, then the smaller PC is
// first.
func before(p, q *divergence.Side) bool {
	return p.Wait == q.Wait && p.At.Before(q.At) || p.Wait < q.Wait
}

// insert adds threads to a path of the list at their PC, if one is in reach, or as a new path.
func (f *Frontier) insert(w int, p divergence.Side) {
	i, n := f.List.Len(w), f.List.Len(w)
	for i > 0 && before(f.List.Entry(w, i-1), &p) {
		i--
	}
	switch {
	case p.Mask == 0:
	case i > n-f.Reach && i > 0 && !before(&p, f.List.Entry(w, i-1)):
		f.List.Entry(w, i-1).Mask |= p.Mask
	default:
		f.D().Stats.MaxDepth = max(f.D().Stats.MaxDepth, uint64(f.List.Insert(w, i, p)))
	}
}

// elect gives the slot to the top of the list. If the top waits at a barrier, all paths do, and the
// warp arrives. A warp without paths ends.
func (f *Frontier) elect(w int, s *divergence.Slot) {
	if f.List.Len(w) == 0 {
		f.End(f, s)
		return
	}
	p := *f.List.Top(w)
	f.Own.D().Waiting = max(f.Own.D().Waiting, uint64(f.List.Pop(w)))
	s.Set(p.At)
	s.Mask, s.Wait = p.Mask, p.Wait
	if f.Advance(w); s.Wait == divergence.WaitsBarrier {
		f.Meet(f, s)
	}
}

// Resume releases the paths of a warp from its barrier. Those at the PC of the slot join it.
func (f *Frontier) Resume(w int) {
	f.Table.Edit(w).Pass()
	for i := range f.List.Len(w) {
		f.List.Entry(w, i).Pass()
	}
	f.Advance(w)
}

// Counts returns the mechanism's own counters.
func (f *Frontier) Counts() divergence.Counting { return &f.Own }

// Logic is a comparator at each entry that sorts, and one at each entry in reach that joins.
func (f *Frontier) Logic(g divergence.Geometry) []units.Logic {
	return []units.Logic{
		{Kind: units.Equality, Bits: 32, Count: g.Warps * min(f.Reach, g.Lanes)},
		{Kind: units.LessThan, Bits: 32, Count: g.Warps * g.Lanes},
	}
}

// Paths lists the running path and those of the list.
func (f *Frontier) Paths(to []divergence.Path) []divergence.Path { return f.PathsOf(&f.List, to) }
