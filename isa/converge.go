package isa

import "sort"

// setConvergence sets the places where the paths of each conditional branch meet. They always meet
// at the first instruction of the immediate post-dominator (Fung & Aamodt, HPCA 2011, section
// 2.2.2). A break moves the post-dominator out of the loop around the branch. The paths then are
// likely to meet earlier, at the block that closes the innermost loop (section 4 and its footnote
// 6). There is no likely-convergence point if the post-dominator comes before that block.
func setConvergence(p *Program) {
	innermost := p.Loops(p.Dominators())
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

// searchSteps bounds the search for likely-convergence points, far above the needs of real kernels.
// Branches beyond the bound have none.
const searchSteps = 1 << 22

// latch is the latch that encloses block b most closely: the first one behind b in the layout, or
// else the last.
func (l *Loop) latch(b int) int {
	i := sort.SearchInts(l.Latches, b+1) // in layout order
	return l.Latches[min(i, len(l.Latches)-1)]
}

// searcher looks for paths.
type searcher struct {
	*Program
	seen  []int // by block: the last search that reached it
	count int   // of searches
	work  []int
	left  int // remaining steps
}

// reaches reports whether a path leads from block b to block to without passing block without.
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
