package isa

// setConvergence sets where the paths of each conditional branch meet. They
// are sure to meet at the first instruction of the immediate post-dominator
// (Fung & Aamodt, HPCA 2011, section 2.2.2). They are likely to meet earlier,
// at the block that closes the innermost loop around the branch, when a break
// moves the post-dominator out of the loop (section 4 and its footnote 6).
// Where the post-dominator comes before that block there is nothing to gain,
// and no likely-convergence point.
func setConvergence(p *Program) {
	loops := loops(p)
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
		if l := innermost(loops, i); l != nil {
			if latch := l.latch(i); latch != i && reaches(p, i, latch, b.IPDom) {
				in.Likely = p.Blocks[latch].Start
			}
		}
	}
}

// loop is a natural loop: all blocks that reach one of the latches without
// passing the header, which dominates them.
type loop struct {
	header  int
	latches []int
	body    []bool // by block
	size    int
}

// loops finds the natural loops of p, those with the same header as one.
func loops(p *Program) []*loop {
	var list []*loop
	at := make([]*loop, len(p.Blocks))
	for u := range p.Blocks {
		for _, h := range p.Blocks[u].Succs {
			if !dominates(p, h, u) {
				continue
			}
			l := at[h]
			if l == nil {
				l = &loop{header: h, body: make([]bool, len(p.Blocks)), size: 1}
				l.body[h] = true
				at[h], list = l, append(list, l)
			}
			l.latches = append(l.latches, u)
			for work := []int{u}; len(work) > 0; {
				v := work[len(work)-1]
				work = work[:len(work)-1]
				if !l.body[v] {
					l.body[v] = true
					l.size++
					work = append(work, p.Blocks[v].Preds...)
				}
			}
		}
	}
	return list
}

// innermost is the smallest loop around block b, or nil.
func innermost(list []*loop, b int) (in *loop) {
	for _, l := range list {
		if l.body[b] && (in == nil || l.size < in.size) {
			in = l
		}
	}
	return in
}

// latch is the one that encloses block b most closely: the first behind it in
// the layout, or else the last.
func (l *loop) latch(b int) int {
	for _, u := range l.latches { // in layout order
		if u > b {
			return u
		}
	}
	return l.latches[len(l.latches)-1]
}

// dominates reports whether every way from the entry to block b passes a. A
// block that the entry does not reach is dominated by itself only.
func dominates(p *Program, a, b int) bool {
	for b != a && b >= 0 {
		b = p.Blocks[b].IDom
	}
	return b == a
}

// reaches reports whether a path leads from block b to block to that does not
// pass the block without.
func reaches(p *Program, b, to, without int) bool {
	seen := make([]bool, len(p.Blocks))
	for work := append([]int(nil), p.Blocks[b].Succs...); len(work) > 0; {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		if v == without || seen[v] {
			continue
		}
		if v == to {
			return true
		}
		seen[v] = true
		work = append(work, p.Blocks[v].Succs...)
	}
	return false
}
