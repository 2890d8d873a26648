package models

import (
	"math/bits"

	"divergo/isa"
)

// barrier has the convergence barriers of a warp (Hanoi, arXiv 2407.02944; US patent 10067768). Each
// waiting lane has the PC at which it goes on, so that one at another barrier does not count.
type barrier struct {
	*Code
	strands  []strand // the last one runs
	barriers [isa.MaxBarriers]struct {
		at   uint32
		mask uint64
	}
	waiting uint64
	behind  [isa.MaxLanes]uint32 // of waiting lanes
}

type strand struct {
	pc   uint32
	mask uint64
}

func newBarrier(c *Code, mask uint64) *barrier {
	return &barrier{Code: c, strands: []strand{{0, mask}}}
}

func (b *barrier) ready(do func(pc uint32, mask uint64)) {
	if n := len(b.strands); n > 0 {
		do(b.strands[n-1].pc, b.strands[n-1].mask)
	}
}

func (b *barrier) step(pc uint32, mask, taken uint64) {
	in, take, fall := b.successors(pc, mask, taken)
	b.strands = b.strands[:len(b.strands)-1]
	push := func(pc uint32, mask uint64) {
		if mask != 0 {
			b.strands = append(b.strands, strand{pc, mask})
		}
	}
	switch {
	case in.Op == isa.OpBSync:
		b.waiting |= mask
		for m := mask; m != 0; m &= m - 1 {
			b.behind[bits.TrailingZeros64(m)] = in.Target
		}
	case in.Op == isa.OpYield:
		at := len(b.strands)
		for at > 0 && b.inside(b.strands[at-1].mask) == b.inside(mask) {
			at--
		}
		push(0, mask)
		copy(b.strands[at+1:], b.strands[at:])
		b.strands[at] = strand{pc + 1, mask}
	case take != 0 && fall != 0:
		b.ordered(take, fall, in.Target, pc+1, push)
	default:
		push(in.Target, take)
		push(pc+1, fall)
	}
	if in.Op == isa.OpBSSY {
		b.barriers[in.Conv].at, b.barriers[in.Conv].mask = in.Target, mask
	}
	gone := mask &^ (take | fall)
	for i := range b.barriers {
		x := &b.barriers[i]
		x.mask &^= gone
		if x.mask != 0 && x.mask&^b.at(x.at) == 0 { // all of them wait for it
			b.waiting &^= x.mask
			push(x.at, x.mask)
			x.mask = 0
		}
	}
}

// at returns the lanes that wait to go on at a PC.
func (b *barrier) at(pc uint32) (lanes uint64) {
	for m := b.waiting; m != 0; m &= m - 1 {
		if lane := bits.TrailingZeros64(m); b.behind[lane] == pc {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// inside returns the barriers that threads take part in.
func (b *barrier) inside(mask uint64) (set uint32) {
	for i, x := range b.barriers {
		if x.mask&mask != 0 {
			set |= 1 << i
		}
	}
	return set
}
