package safety

import (
	"slices"

	"divergo/internal/graph"
	"divergo/isa"
)

// flow is the control flow of a program: dominance, control dependence and loops.
type flow struct {
	*isa.Program
	tree      *isa.Dominators
	controls  [][]int32 // by block: the blocks whose branches decide its execution
	loops     []*loop
	innermost []*loop // by block
	left      int     // remaining steps
	tooMuch   bool
}

// maxSteps bounds the steps of the analysis for control dependence and for decisions of branches,
// far above real kernels.
const maxSteps = 1 << 24

// loop is a natural loop. Without a header it is a set of blocks that reach one another and has
// several entries.
type loop struct {
	header  int // -1: several entries
	parent  *loop
	first   int // number of the loop; the loops within it have first+1 to before last
	last    int
	latches []int
	exits   []int // blocks within it with an edge out of it
}

// holds reports whether inner is l or lies within it.
func (l *loop) holds(inner *loop) bool {
	return inner != nil && l.first <= inner.first && inner.first < l.last
}

func findFlow(p *isa.Program) *flow {
	n := len(p.Blocks)
	f := &flow{Program: p, left: maxSteps, tree: p.Dominators(), innermost: make([]*loop, n)}
	f.control()
	f.findLoops()
	f.rounds()
	return f
}

// spend takes one step, and reports whether one was left.
func (f *flow) spend() bool {
	f.left--
	f.tooMuch = f.tooMuch || f.left < 0
	return !f.tooMuch
}

func (f *flow) last(b int) *isa.Inst { return &f.Insts[f.Blocks[b].End-1] }

// parts reports whether threads can leave block b on different paths.
func (f *flow) parts(b int) bool {
	last := f.last(b)
	return last.Conditional() && last.Op == isa.OpBra || last.Guard.Kind == isa.OperandPred &&
		(last.Exits() || last.Returns())
}

// control finds the branches on which each block is control dependent. Such a branch has, behind
// one path but not behind all, the block itself or a block that it post-dominates (J. Ferrante, K.
// Ottenstein & J. Warren, The Program Dependence Graph and Its Use in Optimization, TOPLAS 1987).
func (f *flow) control() {
	f.controls = make([][]int32, len(f.Blocks))
	for b := range f.Blocks {
		if !f.parts(b) {
			continue
		}
		for _, s := range f.Blocks[b].Succs {
			for at := s; at >= 0 && at != f.Blocks[b].IPDom && f.spend(); at = f.Blocks[at].IPDom {
				if list := f.controls[at]; len(list) == 0 || list[len(list)-1] != int32(b) {
					f.controls[at] = append(list, int32(b))
				}
			}
		}
	}
}

// rounds adds, for each loop, the branches that decide within a round whether a block is executed.
// A block that some round is sure to execute behind a branch of the loop may be skipped in this
// one.
func (f *flow) rounds() {
	blocks := make([]int, 0, len(f.Blocks)) // blocks of each loop, with its inner loops, in a row
	for b := range f.Blocks {
		if f.innermost[b] != nil {
			blocks = append(blocks, b)
		}
	}
	slices.SortStableFunc(blocks, func(a, b int) int { return f.innermost[a].first - f.innermost[b].first })
	local := make([]int, len(f.Blocks)) // the number of a block in its loop
	for _, l := range f.loops {
		if l.header < 0 {
			continue
		}
		number := func(b, first int) int { return f.innermost[b].first - first }
		from, _ := slices.BinarySearchFunc(blocks, l.first, number)
		to, _ := slices.BinarySearchFunc(blocks, l.last, number)
		body := blocks[from:to]
		if len(body) == 1 {
			continue
		}
		for i, b := range body {
			local[b] = i
		}
		f.round(l, body, local)
	}
}

// round adds those branches for one loop.
func (f *flow) round(l *loop, body, local []int) {
	end := len(body) // of the round
	succs, preds := make([][]int, end+1), make([][]int, end+1)
	link := func(i, j int) {
		if !slices.Contains(succs[i], j) {
			succs[i], preds[j] = append(succs[i], j), append(preds[j], i)
		}
	}
	for i, b := range body {
		if last := f.last(b); last.Exits() || last.Returns() {
			link(i, end)
		}
		for _, s := range f.Blocks[b].Succs {
			if s == l.header || !l.holds(f.innermost[s]) {
				link(i, end)
			} else {
				link(i, local[s])
			}
		}
	}
	up := f.postDominators(end, succs, preds)
	for i, b := range body {
		if !f.parts(b) || up[i] < 0 {
			continue
		}
		for _, s := range succs[i] {
			for at := s; at >= 0 && at != end && at != up[i] && f.spend(); at = up[at] {
				if list := &f.controls[body[at]]; !slices.Contains(*list, int32(b)) {
					*list = append(*list, int32(b))
				}
			}
		}
	}
}

// postDominators are the immediate post-dominators of the nodes of a graph with an end. They are -1
// for the end and for nodes that do not reach it (K. Cooper, T. Harvey & K. Kennedy, A Simple, Fast
// Dominance Algorithm, 2001).
func (f *flow) postDominators(end int, succs, preds [][]int) []int {
	order := make([]int, 0, len(succs)) // nodes; those reached first from the end are last
	rank := make([]int, len(succs))     // by node: its place in order
	up := make([]int, len(succs))
	for i := range up {
		rank[i], up[i] = -1, -1
	}
	type visit struct{ node, next int }
	seen := make([]bool, len(succs))
	seen[end] = true
	for work := []visit{{end, 0}}; len(work) > 0; {
		v := &work[len(work)-1]
		if v.next < len(preds[v.node]) {
			u := preds[v.node][v.next]
			v.next++
			if !seen[u] {
				seen[u] = true
				work = append(work, visit{u, 0})
			}
			continue
		}
		rank[v.node] = len(order)
		order = append(order, v.node)
		work = work[:len(work)-1]
	}
	up[end] = end
	for changed := true; changed; {
		changed = false
		for _, n := range slices.Backward(order) {
			best := -1
			for _, s := range succs[n] {
				switch {
				case n == end || up[s] < 0:
				case best < 0:
					best = s
				default:
					for best != s && f.spend() {
						for rank[best] < rank[s] && f.spend() {
							best = up[best]
						}
						for rank[s] < rank[best] && f.spend() {
							s = up[s]
						}
					}
				}
			}
			if n != end && best != up[n] {
				up[n], changed = best, f.spend()
			}
		}
	}
	up[end] = -1
	return up
}

// findLoops finds the natural loops, and groups of blocks with back edges to a block that does not
// dominate their source.
func (f *flow) findLoops() {
	made := map[*isa.Loop]*loop{}
	natural := f.Loops(f.tree)
	var list []*loop // by the number of the header
	for _, b := range f.tree.Order {
		if l := natural[b]; l != nil && l.Header == b {
			made[l] = &loop{header: b, latches: l.Latches, parent: made[l.Parent]}
			list = append(list, made[l])
		}
	}
	for b, l := range natural {
		f.innermost[b] = made[l]
	}
	f.number(list)
	f.findExits()
	f.irreducible()
}

// number orders the loops so that those within a loop follow it.
func (f *flow) number(list []*loop) {
	within := map[*loop][]*loop{}
	var work []*loop
	for _, l := range slices.Backward(list) {
		if l.parent == nil {
			work = append(work, l)
		} else {
			within[l.parent] = append(within[l.parent], l)
		}
	}
	for len(work) > 0 {
		l := work[len(work)-1]
		work = work[:len(work)-1]
		l.first = len(f.loops)
		f.loops = append(f.loops, l)
		work = append(work, within[l]...)
	}
	for _, l := range slices.Backward(f.loops) {
		l.last = max(l.last, l.first+1)
		if l.parent != nil {
			l.parent.last = max(l.parent.last, l.last)
		}
	}
}

// findExits lists, for each loop, the blocks with an edge out of it.
func (f *flow) findExits() {
	for b := range f.Blocks {
		leave := func(to *loop) {
			for l := f.innermost[b]; l != nil && !l.holds(to) && f.spend(); l = l.parent {
				if n := len(l.exits); n == 0 || l.exits[n-1] != b {
					l.exits = append(l.exits, b)
				}
			}
		}
		for _, s := range f.Blocks[b].Succs {
			leave(f.innermost[s])
		}
		if last := f.last(b); last.Exits() || last.Returns() {
			leave(nil)
		}
	}
}

// irreducible adds the components with a cycle that avoids the header of every natural loop. All of
// their branches count as exits.
func (f *flow) irreducible() {
	forward := make([][]int, len(f.Blocks))
	for u := range f.Blocks {
		for _, s := range f.Blocks[u].Succs {
			if !f.tree.Dominates(s, u) {
				forward[u] = append(forward[u], s)
			}
		}
	}
	part, n := graph.Components(forward)
	size := make([]int, n)
	for _, c := range part {
		size[c]++
	}
	several := make([]*loop, n)
	for b, c := range part {
		if size[c] < 2 {
			continue
		}
		if several[c] == nil {
			several[c] = &loop{header: -1}
			f.loops = append(f.loops, several[c])
		}
		if f.parts(b) {
			several[c].exits = append(several[c].exits, b)
		}
	}
}
