// Package frontier is a mechanism written against the exported interface of
// divergo alone. docs/your-own-mechanism.md walks through it.
package frontier

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

func init() {
	divergence.Register(divergence.Mechanism{
		Name: "frontier",
		Doc:  "thread frontiers: paths in a list sorted by PC, the smallest runs and joins what it meets",
		New: func(_ divergence.Options, g divergence.Geometry, code *divergence.Code) (divergence.Policy, error) {
			barrier := divergence.NewBarrier(g)
			return &Frontier{
				Ports:   divergence.Ports{Tallies: barrier.Tallies},
				Table:   rtl.NewMem[divergence.Slot](g.Warps),
				List:    units.NewStack[Path](g.Warps, g.Lanes),
				Meeting: rtl.NewMem[divergence.Meeting](g.Warps),
				Barrier: barrier,
				code:    code,
			}, nil
		},
	})
}

// Frontier is reconvergence at thread frontiers with a sorted list (Diamos et
// al., SIMD Re-convergence at Thread Frontiers, MICRO 2011): a warp has a list
// of paths, sorted by PC, and the one with the smallest PC runs. A branch
// inserts both of its successors; a path that comes to the PC of another joins
// it. If the code is laid out in topological order, threads meet at the first
// PC where they can, which may be before the post-dominator of their branch.
//
//	slot of the warp         list
//	+----+------+     +----+------+----+------+--- ---+
//	| PC | mask |  =  | PC | mask | PC | mask |  ...  |   PCs ascend
//	+----+------+     +----+------+----+------+--- ---+
//	  ^ smallest
//
// Slot i is warp i. A path that has executed a CTA barrier goes behind all that
// have not, so that the warp arrives there when no path of it can run. All
// entries of the list have comparators, and an insertion takes one cycle.
type Frontier struct {
	divergence.Ports
	rtl.State[struct {
		Stats divergence.Stats `rtl:"sim"`
	}]
	Table   *rtl.Mem[divergence.Slot]    `trace:"true"` // the path that runs, by warp
	List    units.Stack[Path]            // the others, by warp; the smallest PC is on top
	Meeting *rtl.Mem[divergence.Meeting] // where the paths that wait do so, by warp
	Barrier divergence.Barrier

	code     *divergence.Code
	redirect units.Set // of this cycle
}

// Path is the threads of a warp that are at one PC.
type Path struct {
	AtBar bool   // they have executed the barrier there
	Depth uint16 `if:"calls"` // functions that they are in
	PC    uint32
	Mask  uint32 `bits:"lanes"`
}

// before reports whether p runs before q. A function is behind its callers in
// the layout, and those that have called it go first.
func (p *Path) before(q *Path) bool {
	switch {
	case p.AtBar != q.AtBar:
		return q.AtBar
	case p.Depth != q.Depth:
		return p.Depth > q.Depth
	}
	return p.PC < q.PC
}

// Tick serves at most one issued instruction, one outcome and one launch.
func (f *Frontier) Tick() {
	if i := f.Fire.Get(); i.Valid {
		f.issued(i)
	}
	if f.Outcome.Valid() && f.Retire.Ready() {
		f.resolve(f.Outcome.Front())
		f.Outcome.Pop()
	}
	if f.Launch.Valid() {
		f.launch(f.Launch.Front())
		f.Launch.Pop()
	}
	f.Redirect.Set(f.redirect)
	f.redirect = units.Set{}
}

// launch starts a warp with all its threads at PC 0.
func (f *Frontier) launch(l *divergence.Launch) {
	w := int(l.Row)
	*f.Table.Edit(w) = divergence.Slot{Valid: true, CTA: l.CTA, Row: l.Row, Mask: l.Mask}
	f.Barrier.Launch(l)
	f.redirect.Add(w)
}

// issued moves the path that runs to the next PC, where another may wait for
// it.
func (f *Frontier) issued(i divergence.Fire) {
	w := int(i.Slot)
	s := f.Table.Edit(w)
	if i.Control {
		s.Wait = divergence.WaitsControl
		return
	}
	s.PC = i.PC + 1
	if *f.List.Depth.At(w) == 0 {
		return
	}
	if p := f.List.Peek(w); p.PC == s.PC && p.Depth == s.Depth && !p.AtBar {
		s.Mask |= p.Mask
		f.List.Pop(w)
	}
}

// resolve puts the threads of a branch, barrier or exit where they go on.
func (f *Frontier) resolve(o *divergence.Outcome) {
	w := int(o.Slot)
	s, st := f.Table.Edit(w), &f.D().Stats
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	switch in := &f.code.Prog.Insts[o.PC]; {
	case in.Branches():
		if in.Conditional() {
			st.Branches++
		}
		if taken != 0 && not != 0 {
			st.Divergent++
		}
		target, other := Path{PC: in.Target, Depth: s.Depth, Mask: taken}, Path{PC: o.PC + 1, Depth: s.Depth, Mask: not}
		if in.Indirect() { // the others go elsewhere, and try again
			target.PC, other.PC = o.Target, o.PC
		}
		switch in.Op {
		case isa.OpCall:
			target.Depth++
		case isa.OpRet:
			target.Depth--
		}
		f.insert(w, target)
		f.insert(w, other)
	case in.Op == isa.OpBar && taken != 0:
		if f.List.Len(w) > 0 {
			st.BarDiverged++
		}
		if in.Reduces() {
			f.Barrier.Count(s.CTA, o)
		}
		if in.Mode == isa.ModeArrive {
			f.release(f.Barrier.Arrive(s.CTA, s.Row, o.Bar, o.Warps, false))
			f.insert(w, Path{PC: o.PC + 1, Depth: s.Depth, Mask: s.Mask})
		} else {
			*f.Meeting.Edit(w) = divergence.Meeting{ID: o.Bar, Need: o.Warps}
			f.insert(w, Path{AtBar: true, PC: o.PC, Depth: s.Depth, Mask: s.Mask})
		}
	default: // an exit, or a barrier that no thread executes
		f.insert(w, Path{PC: o.PC + 1, Depth: s.Depth, Mask: not})
	}
	f.elect(w, s)
}

// insert puts threads into the list: into the path at their PC if there is one.
func (f *Frontier) insert(w int, p Path) {
	if p.Mask == 0 {
		return
	}
	i := f.List.Len(w)
	for i > 0 && f.List.Entry(w, i-1).before(&p) {
		i--
	}
	if i > 0 && !p.before(f.List.Entry(w, i-1)) {
		f.List.Entry(w, i-1).Mask |= p.Mask
		return
	}
	n := f.List.Push(w, p)
	for k := n - 1; k > i; k-- {
		*f.List.Entry(w, k) = *f.List.Entry(w, k-1)
	}
	*f.List.Entry(w, i) = p
	st := &f.D().Stats
	st.MaxDepth = max(st.MaxDepth, uint64(n))
}

// elect gives the slot to the path with the smallest PC. If that waits at a
// barrier, so do the others, and the warp arrives; a warp without paths ends.
func (f *Frontier) elect(w int, s *divergence.Slot) {
	f.redirect.Add(w)
	if f.List.Len(w) == 0 {
		s.Valid = false
		f.Retire.Push(divergence.Retire{CTA: s.CTA, Row: s.Row})
		f.release(f.Barrier.Exit(s.CTA, s.Row))
		return
	}
	p := *f.List.Top(w)
	f.List.Pop(w)
	s.PC, s.Depth, s.Mask, s.Wait = p.PC, p.Depth, p.Mask, divergence.Runs
	if p.AtBar {
		s.Wait = divergence.WaitsBarrier
		at := f.Meeting.Edit(w)
		f.release(f.Barrier.Arrive(s.CTA, s.Row, at.ID, at.Need, true))
	}
}

// release lets the warps of a barrier go on behind it.
func (f *Frontier) release(rows uint64) {
	if rows != 0 {
		f.D().Stats.BarReleases++
	}
	for w := range f.Table.Len() {
		if rows>>w&1 == 0 {
			continue
		}
		s := f.Table.Edit(w)
		s.PC++
		s.Wait = divergence.Runs
		for i := range f.List.Len(w) {
			p := f.List.Entry(w, i)
			p.PC++
			p.AtBar = false
		}
		f.redirect.Add(w)
	}
}

// Logic is a pair of comparators at each entry of the list.
func (f *Frontier) Logic(g divergence.Geometry) []units.Logic {
	n := g.Warps * g.Lanes
	return []units.Logic{{Kind: units.Equality, Bits: 32, Count: n}, {Kind: units.LessThan, Bits: 32, Count: n}}
}

// Slots is the slot table.
func (f *Frontier) Slots() *rtl.Mem[divergence.Slot] { return f.Table }

// Homes is nil: the threads of a slot are of one row, in their lanes.
func (f *Frontier) Homes() *rtl.Mem[divergence.Homes] { return nil }

// Stats is what was counted since reset.
func (f *Frontier) Stats() divergence.Stats { return f.Q().Stats }

// Paths lists the path that runs and those of the list.
func (f *Frontier) Paths(to []divergence.Path) []divergence.Path {
	for w := range f.Table.Len() {
		s := f.Table.At(w)
		if !s.Valid {
			continue
		}
		path := divergence.Path{CTA: s.CTA, Row: s.Row, PC: s.PC, Reconv: isa.NoPC, Mask: s.Mask, Wait: s.Wait, Running: true}
		to = append(to, path)
		path.Running = false
		for i := range int(*f.List.Depth.At(w)) {
			p := f.List.At(w, i)
			path.PC, path.Mask, path.Wait = p.PC, p.Mask, divergence.Runs
			if p.AtBar {
				path.Wait = divergence.WaitsBarrier
			}
			to = append(to, path)
		}
	}
	return to
}
