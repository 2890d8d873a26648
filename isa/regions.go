package isa

import (
	"cmp"
	"slices"
)

// region is the code between the branches that meet at one block and that block, its join. It holds
// everything that threads can execute behind the branches before the join. Every path out of it
// leads to the join, which lies on all paths from the branches to the exit. Inside a function,
// however, threads can end. A region can have several entries.
//
// Two regions are disjoint, or one lies in the other together with its join.
type region struct {
	join     int
	branches []int // blocks whose final branch has its reconvergence point at the join
	parent   int   // the innermost region around it, or -1
	level    int   // number of regions around it, including those of callers
}

// regions are the regions of a program, inner before outer, and their places. start and end are the
// innermost region at the start of each block and at its end, in front of its branch. joins is the
// region joined before the block. -1 means none.
type regions struct {
	list              []region
	start, end, joins []int
	depths            []int // by region: nesting depth in its function, itself included
}

// Warning reports correct but slow code of a program.
type Warning struct {
	Pos          // in the PTX
	Where string // by Program.Where, with the column if the PTX names no source
	Text  string
}

// WarningAt is a warning about the instruction at pc.
func (p *Program) WarningAt(pc uint32, text string) Warning {
	where := p.Where(pc)
	if in := &p.Insts[pc]; in.Loc.Line == 0 {
		where += ":" + itoa(in.Pos.Col)
	}
	return Warning{p.Insts[pc].Pos, where, text}
}

// findRegions makes one region of all branches that meet at the same block and at which threads of
// a CTA may disagree. If two regions have a block in common, threads always pass one join before
// the other. The region of the earlier join then becomes nested in the other, which is extended by
// it.
func findRegions(p *Program, scatters bool) *regions {
	n := len(p.Blocks)
	g := &regions{joins: make([]int, n)}
	branches := make([][]int, n) // by join
	var joins []int
	for b := range p.Blocks {
		g.joins[b] = -1
		last, join := &p.Insts[p.Blocks[b].End-1], p.Blocks[b].IPDom
		parts := last.Conditional() && !last.Uniform && !p.together(last) || scatters && p.scatters(b)
		if !parts || join < 0 || !p.reachable(b) {
			continue
		}
		if branches[join] == nil {
			joins = append(joins, join)
		}
		branches[join] = append(branches[join], b)
	}
	depth := p.postDepths()
	slices.SortStableFunc(joins, func(a, b int) int { return cmp.Compare(depth[b], depth[a]) })

	in := make([]int, 2*n) // start and end of each block
	for i := range in {
		in[i] = -1
	}
	var outer, work []int // outer: by region, a region around it, or itself
	outermost := func(r int) int {
		for outer[r] != r {
			outer[r] = outer[outer[r]]
			r = outer[r]
		}
		return r
	}
	for _, join := range joins {
		r := len(g.list)
		g.list = append(g.list, region{join: join, branches: branches[join], parent: -1})
		g.joins[join] = r
		outer = append(outer, r)
		enter := func(at int) {
			for at != 2*join && p.Blocks[at/2].IPDom >= 0 { // otherwise no thread reaches the return from there
				if in[at] < 0 {
					in[at] = r
					work = append(work, at)
					return
				}
				o := outermost(in[at])
				if o == r {
					return
				}
				g.list[o].parent, outer[o] = r, r
				at = 2 * g.list[o].join
			}
		}
		for _, b := range branches[join] {
			enter(2*b + 1)
		}
		for len(work) > 0 {
			at := work[len(work)-1]
			work = work[:len(work)-1]
			if at%2 == 0 {
				enter(at + 1)
				continue
			}
			for _, s := range p.Blocks[at/2].Succs {
				enter(2 * s)
			}
		}
	}
	for b := range n {
		g.start, g.end = append(g.start, in[2*b]), append(g.end, in[2*b+1])
	}
	g.depths = make([]int, len(g.list))
	g.measure()
	return g
}

// measure computes the nesting depths of regions.
func (g *regions) measure() {
	for r := len(g.list) - 1; r >= 0; r-- {
		g.depths[r] = g.depth(g.list[r].parent) + 1
	}
}

// depth is the nesting depth of region r in its function, itself included.
func (g *regions) depth(r int) int {
	if r < 0 {
		return 0
	}
	return g.depths[r]
}

// drop removes regions. Their contents belong to the regions around them.
func (g *regions) drop(p *Program, why string, which func(r int) bool) (told []Warning) {
	left := make([]int, len(g.list)) // the innermost remaining region
	stays := func(r int) int {
		if r < 0 {
			return -1
		}
		return left[r]
	}
	for r := len(g.list) - 1; r >= 0; r-- {
		l := &g.list[r]
		if left[r] = r; which(r) {
			left[r] = stays(l.parent)
			g.joins[l.join] = -1
			for _, b := range l.branches {
				told = append(told, p.WarningAt(p.Blocks[b].End-1, why))
			}
		}
		l.parent = stays(l.parent)
	}
	for b := range g.start {
		g.start[b], g.end[b] = stays(g.start[b]), stays(g.end[b])
	}
	g.measure()
	return told
}

// again reports the regions that threads can enter again before they leave them, by a recursive
// call in a function of a kind.
func (g *regions) again(p *Program, kind []bool) []bool {
	list := make([]bool, len(g.list))
	for b := range p.Blocks {
		if pc := p.Blocks[b].End - 1; p.Insts[pc].Op == OpCall && p.again(pc) && kind[p.funcAt(pc)] {
			for r := g.end[b]; r >= 0 && !list[r]; r = g.list[r].parent {
				list[r] = true
			}
		}
	}
	return list
}

// setLevels counts the open regions at the start of each region, including those of the callers. A
// recursive function counts with one activation.
func (g *regions) setLevels(p *Program) {
	graph := p.callGraph()
	around := make([]int, graph.parts)
	for _, c := range graph.calls {
		depth := 0
		if c.pc != NoPC {
			depth = g.depth(g.end[p.Block(c.pc)])
		}
		if from, to := graph.part[c.from], graph.part[c.to]; from != to {
			around[to] = max(around[to], around[from]+depth)
		}
	}
	for r := range g.list {
		l := &g.list[r]
		l.level = g.depths[r] - 1 + around[graph.part[p.funcAt(p.Blocks[l.join].Start)]]
	}
}

// postDepths counts the post-dominators of each block.
func (p *Program) postDepths() []int {
	depth := make([]int, len(p.Blocks))
	var chain []int
	for b := range p.Blocks {
		for b >= 0 && depth[b] == 0 {
			chain = append(chain, b)
			b = p.Blocks[b].IPDom
		}
		n := 0
		if b >= 0 {
			n = depth[b]
		}
		for len(chain) > 0 {
			n++
			depth[chain[len(chain)-1]] = n
			chain = chain[:len(chain)-1]
		}
	}
	return depth
}

// scatters reports whether threads that call together at the end of block b may return one by one.
// That holds if the callee is recursive and the caller is not part of its cycle.
func (p *Program) scatters(b int) bool {
	pc := p.Blocks[b].End - 1
	in := &p.Insts[pc]
	return in.Op == OpCall && !p.again(pc) && p.leadsTo(in, p.recursive)
}

// reachable reports whether a thread can reach block b.
func (p *Program) reachable(b int) bool { return p.Blocks[b].IDom >= 0 || p.entryOf(b) == b }
