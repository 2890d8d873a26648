package models

import "divergo/isa"

// pdom is the reconvergence stack of a warp (Fung & Aamodt, HPCA 2011, section 2.2.2).
type pdom struct {
	*Code
	stack []entry
}

type entry struct {
	pc, rpc uint32
	mask    uint64
}

func newPDOM(c *Code, mask uint64) *pdom {
	return &pdom{c, []entry{{0, isa.NoPC, mask}}}
}

func (p *pdom) ready(do func(pc uint32, mask uint64)) {
	if n := len(p.stack); n > 0 {
		do(p.stack[n-1].pc, p.stack[n-1].mask)
	}
}

func (p *pdom) step(pc uint32, mask, taken uint64) {
	in, take, fall := p.successors(pc, mask, taken)
	for i := range p.stack {
		p.stack[i].mask &^= mask &^ (take | fall) // exited
	}
	top := &p.stack[len(p.stack)-1]
	switch {
	case take != 0 && fall != 0:
		if in.Reconv != top.rpc {
			top.pc = in.Reconv
		} else {
			p.stack = p.stack[:len(p.stack)-1] // the entry below waits there already
		}
		p.ordered(take, fall, in.Target, pc+1, func(pc uint32, mask uint64) {
			if pc != in.Reconv {
				p.stack = append(p.stack, entry{pc, in.Reconv, mask})
			}
		})
	case take != 0:
		top.pc = in.Target
	default:
		top.pc = pc + 1
	}
	for n := len(p.stack); n > 0; n-- {
		if e := p.stack[n-1]; e.mask != 0 && (e.pc != e.rpc || e.rpc == isa.NoPC) {
			break
		}
		p.stack = p.stack[:n-1]
	}
}
