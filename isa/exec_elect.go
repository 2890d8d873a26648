package isa

import "math/bits"

// elect chooses the lowest lane of each group (PTX ISA 8.0, elect.sync). The manual requires only
// the same choice for the same membermask.
func elect(in *Inst, x *Lanes) {
	for rest := x.Mask; rest != 0; {
		g := x.group(in, rest)
		rest &^= g
		leader := uint32(bits.TrailingZeros32(g))
		x.give(g, leader)
		x.PDst[1] |= 1 << leader
	}
}
