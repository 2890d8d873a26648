package safety

import (
	"slices"

	"divergo/internal/graph"
	"divergo/isa"
)

// flow is the control flow of a program: dominance, control dependence and loops.
type flow struct {
	*isa.Program
	rank, next []int     // by block: its number in the tree of dominators, and that behind what it dominates
	controls   [][]int32 // by block: the blocks whose branches decide whether it is executed
	loops      []*loop
	innermost  []*loop // by block
	apart      []int8  // by block that ends with a branch: 1 if its ways have no block in common, -1 if they have, 0 unknown
	seen       [2][]int
	count      int
	left       int // steps
	tooMuch    bool
}

// maxSteps bounds what the analysis spends on control dependence and on ways: far
// from it in kernels that people or compilers write.
const maxSteps = 1 << 24

// loop is a natural loop, or, without a header, blocks that reach one another with several
// entries.
type loop struct {
	header  int // -1: several entries
	parent  *loop
	first   int // numbers the loop, and those within it from first+1 to before last
	last    int
	latches []int
	exits   []int // blocks within that have a way out
}

// holds reports whether inner is l or lies within it.
func (l *loop) holds(inner *loop) bool {
	return inner != nil && l.first <= inner.first && inner.first < l.last
}

func findFlow(p *isa.Program) *flow {
	n := len(p.Blocks)
	f := &flow{Program: p, left: maxSteps, apart: make([]int8, n), innermost: make([]*loop, n)}
	f.seen = [2][]int{make([]int, n), make([]int, n)}
	f.dominance()
	f.control()
	f.findLoops()
	return f
}

// spend reports whether a step can be afforded.
func (f *flow) spend() bool {
	f.left--
	f.tooMuch = f.tooMuch || f.left < 0
	return !f.tooMuch
}

func (f *flow) dominance() {
	n := len(f.Blocks)
	below := make([][]int, n)
	f.rank, f.next = make([]int, n), make([]int, n)
	var work, order []int
	for b := n - 1; b >= 0; b-- {
		if d := f.Blocks[b].IDom; d >= 0 {
			below[d] = append(below[d], b)
		} else {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		f.rank[b] = len(order)
		order = append(order, b)
		work = append(work, below[b]...)
	}
	for _, b := range slices.Backward(order) {
		f.next[b] = max(f.next[b], f.rank[b]+1)
		if d := f.Blocks[b].IDom; d >= 0 {
			f.next[d] = max(f.next[d], f.next[b])
		}
	}
}

// dominates reports whether every way to block b passes a.
func (f *flow) dominates(a, b int) bool { return f.rank[a] <= f.rank[b] && f.rank[b] < f.next[a] }

func (f *flow) last(b int) *isa.Inst { return &f.Insts[f.Blocks[b].End-1] }

// parts reports whether threads can leave block b on different ways.
func (f *flow) parts(b int) bool {
	last := f.last(b)
	return last.Conditional() && last.Op == isa.OpBra || last.Guard.Kind == isa.OperandPred && (last.Exits() || last.Returns())
}

// control finds on which branches each block is control dependent: those that have it, or
// a block that it post-dominates, behind one way, and not behind all (J. Ferrante, K. Ottenstein
// and J. Warren, The Program Dependence Graph and Its Use in Optimization, TOPLAS 1987).
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

// meets reports whether the ways of the branch of block b meet at its
// post-dominator only.
func (f *flow) meets(b int) bool {
	if f.apart[b] != 0 {
		return f.apart[b] > 0
	}
	f.apart[b] = 1
	succs, meet := f.Blocks[b].Succs, f.Blocks[b].IPDom
	if len(succs) < 2 || slices.Contains(succs, meet) {
		return true
	}
	f.count++
	for i, s := range succs {
		for work := []int{s}; len(work) > 0 && f.spend(); {
			v := work[len(work)-1]
			work = work[:len(work)-1]
			if v == meet || f.seen[i][v] == f.count {
				continue
			}
			f.seen[i][v] = f.count
			if i > 0 && f.seen[0][v] == f.count {
				f.apart[b] = -1
				return false
			}
			work = append(work, f.Blocks[v].Succs...)
		}
	}
	return true
}

// findLoops finds the natural loops, those with one header as one, and groups of blocks that have
// edges back to where not all ways come from.
func (f *flow) findLoops() {
	n := len(f.Blocks)
	at := make([]*loop, n)
	succs := make([][]int, n)
	for u := range f.Blocks {
		succs[u] = f.Blocks[u].Succs
		for _, h := range succs[u] {
			if f.dominates(h, u) {
				if at[h] == nil {
					at[h] = &loop{header: h}
				}
				at[h].latches = append(at[h].latches, u)
			}
		}
	}
	outer := make([]int, n) // header of a loop around a block that has been found, or itself
	for b := range outer {
		outer[b] = b
	}
	outermost := func(b int) int {
		for outer[b] != b {
			outer[b] = outer[outer[b]]
			b = outer[b]
		}
		return b
	}
	byRank := make([]int, n)
	for b, r := range f.rank {
		byRank[r] = b
	}
	for _, h := range slices.Backward(byRank) { // inner before outer headers
		l := at[h]
		if l == nil {
			continue
		}
		for work := slices.Clone(l.latches); len(work) > 0; {
			v := outermost(work[len(work)-1])
			work = work[:len(work)-1]
			if v == h || !f.dominates(h, v) {
				continue
			}
			if f.innermost[v] == nil {
				f.innermost[v] = l
			}
			if at[v] != nil && at[v].parent == nil {
				at[v].parent = l
			}
			outer[v] = h
			work = append(work, f.Blocks[v].Preds...)
		}
	}
	for b := range at {
		if at[b] != nil { // a header belongs to its own loop, which is within the one found
			f.innermost[b] = at[b]
		}
	}
	var list []*loop
	for _, h := range byRank {
		if at[h] != nil {
			list = append(list, at[h])
		}
	}
	f.number(list)
	f.findExits()
	f.irreducible(succs)
}

// number puts the loops in an order in which those within a loop follow it.
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

// findExits lists of each loop the blocks that have a way out.
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

// irreducible adds the components that can go round without passing the header of a natural
// loop. All of their branches count as exits.
func (f *flow) irreducible(succs [][]int) {
	forward := make([][]int, len(succs))
	for u, list := range succs {
		for _, s := range list {
			if !f.dominates(s, u) {
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
