package isa

import (
	"slices"
	"sort"
)

// setConvergence sets where the paths of each conditional branch meet. They
// are sure to meet at the first instruction of the immediate post-dominator
// (Fung & Aamodt, HPCA 2011, section 2.2.2). They are likely to meet earlier,
// at the block that closes the innermost loop around the branch, when a break
// moves the post-dominator out of the loop (section 4 and its footnote 6).
// Where the post-dominator comes before that block there is nothing to gain,
// and no likely-convergence point.
func setConvergence(p *Program) {
	innermost := loops(p)
	s := searcher{Program: p, seen: make([]int, len(p.Blocks)), left: searchSteps}
	for i := range p.Blocks {
		b := &p.Blocks[i]
		in := &p.Insts[b.End-1]
		in.Reconv, in.Likely = NoPC, NoPC
		if !in.Conditional() {
			continue
		}
		if b.IPDom >= 0 {
			in.Reconv = p.Blocks[b.IPDom].Start
		}
		if l := innermost[i]; l != nil {
			if latch := l.latch(i); latch != i && s.reaches(i, latch, b.IPDom) {
				in.Likely = p.Blocks[latch].Start
			}
		}
	}
}

// searchSteps bounds the search for likely-convergence points, which is far from
// it in kernels that people or compilers write. The branches for which it does not
// suffice have none.
const searchSteps = 1 << 22

// loop is a natural loop: all blocks that reach one of the latches without
// passing the header, which dominates them.
type loop struct {
	header  int
	latches []int
}

// loops finds the natural loops of p, those with the same header as one, and
// gives the innermost one of each block, or nil. Two loops are disjoint or one
// is in the other, so that inner loops, found first, count as their headers.
func loops(p *Program) []*loop {
	n := len(p.Blocks)
	at, in := make([]*loop, n), make([]*loop, n)
	rank := domRanks(p)
	for u := range p.Blocks {
		for _, h := range p.Blocks[u].Succs {
			if !rank.dominates(h, u) {
				continue
			}
			if at[h] == nil {
				at[h] = &loop{header: h}
			}
			at[h].latches = append(at[h].latches, u)
		}
	}
	outer := make([]int, n) // header of a loop around a block that has been found, or itself
	for i := range outer {
		outer[i] = i
	}
	outermost := func(b int) int {
		for outer[b] != b {
			outer[b] = outer[outer[b]]
			b = outer[b]
		}
		return b
	}
	for _, h := range slices.Backward(rank.order) { // inner before outer headers
		if at[h] == nil {
			continue
		}
		for work := slices.Clone(at[h].latches); len(work) > 0; {
			v := outermost(work[len(work)-1])
			work = work[:len(work)-1]
			if v == h || !rank.dominates(h, v) {
				continue
			}
			if in[v] == nil {
				in[v] = at[h]
			}
			outer[v] = h
			work = append(work, p.Blocks[v].Preds...)
		}
		in[h] = at[h]
	}
	return in
}

// latch is the one that encloses block b most closely: the first behind it in
// the layout, or else the last.
func (l *loop) latch(b int) int {
	i := sort.SearchInts(l.latches, b+1) // in layout order
	return l.latches[min(i, len(l.latches)-1)]
}

// ranks number the blocks in the tree of dominators: each before those that it
// dominates, which are in a row.
type ranks struct {
	order       []int // blocks by rank
	first, next []int // by block: its rank, and the first one behind what it dominates
}

func domRanks(p *Program) ranks {
	n := len(p.Blocks)
	below := make([][]int, n)
	r := ranks{first: make([]int, n), next: make([]int, n)}
	var work []int
	for b := n - 1; b >= 0; b-- {
		if d := p.Blocks[b].IDom; d >= 0 {
			below[d] = append(below[d], b)
		} else {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		r.first[b] = len(r.order)
		r.order = append(r.order, b)
		work = append(work, below[b]...)
	}
	for _, b := range slices.Backward(r.order) {
		r.next[b] = max(r.next[b], r.first[b]+1)
		if d := p.Blocks[b].IDom; d >= 0 {
			r.next[d] = max(r.next[d], r.next[b])
		}
	}
	return r
}

// dominates reports whether every way from the entry to block b passes a. A
// block that the entry does not reach is dominated by itself only.
func (r *ranks) dominates(a, b int) bool {
	return r.first[a] <= r.first[b] && r.first[b] < r.next[a]
}

// searcher looks for paths.
type searcher struct {
	*Program
	seen  []int // by block: the last search that came there
	count int   // of searches
	work  []int
	left  int // steps
}

// reaches reports whether a path leads from block b to block to that does not
// pass the block without.
func (s *searcher) reaches(b, to, without int) bool {
	s.count++
	s.work = append(s.work[:0], s.Blocks[b].Succs...)
	for len(s.work) > 0 && s.left > 0 {
		v := s.work[len(s.work)-1]
		s.work = s.work[:len(s.work)-1]
		if v == without || s.seen[v] == s.count {
			continue
		}
		if v == to {
			return true
		}
		s.left--
		s.seen[v] = s.count
		s.work = append(s.work, s.Blocks[v].Succs...)
	}
	return false
}
