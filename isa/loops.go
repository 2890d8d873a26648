package isa

import "slices"

// Dominators is the dominator tree of a program. The blocks are numbered so that each comes before
// those that it dominates, which are in a row.
type Dominators struct {
	Order       []int // blocks by number
	first, next []int // by block: its number, and the first number behind the blocks that it dominates
}

// Dominators numbers the blocks of p, whose immediate dominators must be known.
func (p *Program) Dominators() *Dominators {
	n := len(p.Blocks)
	below := make([][]int, n)
	d := &Dominators{first: make([]int, n), next: make([]int, n)}
	var work []int
	for b := n - 1; b >= 0; b-- {
		if up := p.Blocks[b].IDom; up >= 0 {
			below[up] = append(below[up], b)
		} else {
			work = append(work, b)
		}
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		d.first[b] = len(d.Order)
		d.Order = append(d.Order, b)
		work = append(work, below[b]...)
	}
	for _, b := range slices.Backward(d.Order) {
		d.next[b] = max(d.next[b], d.first[b]+1)
		if up := p.Blocks[b].IDom; up >= 0 {
			d.next[up] = max(d.next[up], d.next[b])
		}
	}
	return d
}

// Dominates reports whether every path from the entry to block b passes a. An unreachable block is
// dominated only by itself.
func (d *Dominators) Dominates(a, b int) bool {
	return d.first[a] <= d.first[b] && d.first[b] < d.next[a]
}

// Loop is a natural loop: all blocks that reach one of the latches without
// passing the header, which dominates them.
type Loop struct {
	Header  int   // block
	Latches []int // blocks in layout order
	Parent  *Loop // the innermost loop around it, or nil
}

// Loops finds the natural loops of p and gives the innermost loop of each block, or nil. Loops with
// the same header count as one. Two loops are disjoint or nested; inner loops are found first and
// then count as their headers.
func (p *Program) Loops(d *Dominators) []*Loop {
	n := len(p.Blocks)
	at, in := make([]*Loop, n), make([]*Loop, n)
	for u := range p.Blocks {
		for _, h := range p.Blocks[u].Succs {
			if !d.Dominates(h, u) {
				continue
			}
			if at[h] == nil {
				at[h] = &Loop{Header: h}
			}
			at[h].Latches = append(at[h].Latches, u)
		}
	}
	outer := make([]int, n) // header of a known loop around a block, or the block itself
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
	for _, h := range slices.Backward(d.Order) { // inner before outer headers
		if at[h] == nil {
			continue
		}
		for work := slices.Clone(at[h].Latches); len(work) > 0; {
			v := outermost(work[len(work)-1])
			work = work[:len(work)-1]
			if v == h || !d.Dominates(h, v) {
				continue
			}
			if in[v] == nil {
				in[v] = at[h]
			}
			if at[v] != nil {
				at[v].Parent = at[h]
			}
			outer[v] = h
			work = append(work, p.Blocks[v].Preds...)
		}
		in[h] = at[h]
	}
	return in
}
