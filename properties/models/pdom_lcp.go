package models

import "divergo/isa"

// pdomLCP is the reconvergence stack with likely-convergence points (Fung & Aamodt, HPCA 2011,
// section 4 and figure 10).
type pdomLCP struct {
	*Code
	stack []likely
}

type likely struct {
	entry
	lpc  uint32
	lpos int // of the entry that threads at lpc join
}

func newPDOMLCP(c *Code, mask uint64) *pdomLCP {
	return &pdomLCP{c, []likely{{entry{0, isa.NoPC, mask}, isa.NoPC, 0}}}
}

func (p *pdomLCP) ready(do func(pc uint32, mask uint64)) {
	if n := len(p.stack); n > 0 {
		do(p.stack[n-1].pc, p.stack[n-1].mask)
	}
}

func (p *pdomLCP) step(pc uint32, mask, taken uint64) {
	in, take, fall := p.successors(pc, mask, taken)
	for i := range p.stack {
		p.stack[i].mask &^= mask &^ (take | fall) // exited
	}
	top := &p.stack[len(p.stack)-1]
	switch {
	case take != 0 && fall != 0:
		p.diverge(in, pc, take, fall)
	case take != 0:
		top.pc = in.Target
	default:
		top.pc = pc + 1
	}
	for n := len(p.stack); n > 0; n-- {
		e := p.stack[n-1]
		switch {
		case e.pc == e.rpc && e.rpc != isa.NoPC, e.mask == 0:
		case e.pc == e.lpc && e.lpc != isa.NoPC:
			p.stack[e.lpos].mask |= e.mask
		default:
			return
		}
		p.stack = p.stack[:n-1]
	}
}

// diverge pushes the two ways of a branch, and below them the entry of its likely-convergence point,
// unless the entry around the branch has the same one, or the stack is deep (our reading). A way at
// the reconvergence point is not pushed.
func (p *pdomLCP) diverge(in *isa.Inst, pc uint32, take, fall uint64) {
	n := len(p.stack) - 1
	lpc, lpos := p.stack[n].lpc, p.stack[n].lpos
	if in.Reconv != p.stack[n].rpc {
		p.stack[n].pc = in.Reconv
		lpc = isa.NoPC
	} else {
		p.stack = p.stack[:n]
	}
	if in.Likely != isa.NoPC && in.Likely != in.Reconv && in.Likely != lpc && n < p.Lanes+1 {
		p.stack = append(p.stack, likely{entry{in.Likely, in.Reconv, 0}, lpc, lpos})
		lpc, lpos = in.Likely, len(p.stack)-1
	}
	p.ordered(take, fall, in.Target, pc+1, func(pc uint32, mask uint64) {
		if pc != in.Reconv {
			p.stack = append(p.stack, likely{entry{pc, in.Reconv, mask}, lpc, lpos})
		}
	})
}
