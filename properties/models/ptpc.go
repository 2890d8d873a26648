package models

import (
	"math/bits"

	"divergo/isa"
)

// ptpc has a PC for each thread: those at the smallest one run.
type ptpc struct {
	*Code
	live uint64
	pc   [isa.MaxLanes]uint32
}

func newPTPC(c *Code, mask uint64) *ptpc { return &ptpc{Code: c, live: mask} }

func (p *ptpc) ready(do func(pc uint32, mask uint64)) {
	least, mask := uint32(isa.NoPC), uint64(0)
	for m := p.live; m != 0; m &= m - 1 {
		switch lane := bits.TrailingZeros64(m); {
		case p.pc[lane] < least:
			least, mask = p.pc[lane], 1<<lane
		case p.pc[lane] == least:
			mask |= 1 << lane
		}
	}
	if mask != 0 {
		do(least, mask)
	}
}

func (p *ptpc) step(pc uint32, mask, taken uint64) {
	in, take, fall := p.successors(pc, mask, taken)
	p.live &^= mask &^ (take | fall)
	for lane := range p.pc {
		switch {
		case take>>lane&1 != 0:
			p.pc[lane] = in.Target
		case fall>>lane&1 != 0:
			p.pc[lane] = pc + 1
		}
	}
}
