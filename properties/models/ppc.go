package models

import "divergo/isa"

// ppc is paired-path comparison (figures 4 and 5 of the paper): a stack of pairs of paths, of which
// the one with the smaller PC runs, until both PCs are equal.
type ppc struct {
	*Code
	root     uint64
	pc       uint32 // of the warp, without pairs
	pairs    []pair
	explicit bool // compare at reconvergence instructions only
}

type pair struct {
	pc   [2]uint32
	mask [2]uint64 // of the path that falls through, and of the taken one
	cur  int       // the one that runs
}

func newPPC(c *Code, mask uint64) *ppc         { return &ppc{Code: c, root: mask} }
func newPPCExplicit(c *Code, mask uint64) *ppc { return &ppc{Code: c, root: mask, explicit: true} }

func (p *ppc) ready(do func(pc uint32, mask uint64)) {
	if n := len(p.pairs); n > 0 {
		x := &p.pairs[n-1]
		do(x.pc[x.cur], x.mask[x.cur])
	} else if p.root != 0 {
		do(p.pc, p.root)
	}
}

// goTo sets the PC of the path that runs.
func (p *ppc) goTo(pc uint32) {
	if n := len(p.pairs); n > 0 {
		p.pairs[n-1].pc[p.pairs[n-1].cur] = pc
	} else {
		p.pc = pc
	}
}

func (p *ppc) step(pc uint32, mask, taken uint64) {
	in, take, fall := p.successors(pc, mask, taken)
	gone := mask &^ (take | fall)
	p.root &^= gone
	for i := range p.pairs {
		p.pairs[i].mask[0] &^= gone
		p.pairs[i].mask[1] &^= gone
	}
	diverges := take != 0 && fall != 0
	switch {
	case diverges:
		p.pairs = append(p.pairs, pair{pc: [2]uint32{pc + 1, in.Target}, mask: [2]uint64{fall, take}})
	case take != 0:
		p.goTo(in.Target)
	default:
		p.goTo(pc + 1)
	}
	for n := len(p.pairs); n > 0; n = len(p.pairs) { // paths that have exited
		x := p.pairs[n-1]
		if x.mask[0] != 0 && x.mask[1] != 0 {
			break
		}
		p.pairs = p.pairs[:n-1]
		if x.mask[0] != 0 {
			p.goTo(x.pc[0])
		} else if x.mask[1] != 0 {
			p.goTo(x.pc[1])
		}
	}
	if !p.explicit || in.Inserted && in.Op == isa.OpNop || diverges {
		p.compare()
	}
}

func (p *ppc) compare() {
	for n := len(p.pairs); n > 0; n = len(p.pairs) {
		x := &p.pairs[n-1]
		if x.pc[0] != x.pc[1] {
			x.cur = 0
			if x.pc[1] < x.pc[0] {
				x.cur = 1
			}
			return
		}
		at := x.pc[0]
		p.pairs = p.pairs[:n-1]
		p.goTo(at)
		if p.Verbatim {
			return
		}
	}
}
