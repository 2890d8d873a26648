package isa

import "math/bits"

// Logic, shifts and bit manipulation (PTX ISA, sections 9.7.1 and 9.7.8).

func (d *datapath) addBits() {
	d.addSizes(form{op: OpAnd}, and[uint16], and[uint32], and[uint64])
	d.addSizes(form{op: OpOr}, or[uint16], or[uint32], or[uint64])
	d.addSizes(form{op: OpXor}, xor[uint16], xor[uint32], xor[uint64])
	d.addSizes(form{op: OpNot}, not[uint16], not[uint32], not[uint64])
	d.addSizes(form{op: OpCnot}, unary(cnot[uint16]), unary(cnot[uint32]), unary(cnot[uint64]))
	d.addSizes(form{op: OpShl}, shl[uint16], shl[uint32], shl[uint64])
	d.addSigns(form{op: OpShr}, shr[uint16, uint16], shr[uint32, uint32], shr[uint64, uint64],
		shr[int16, uint16], shr[int32, uint32], shr[int64, uint64])
	d.add(form{op: OpShr, typ: B16}, shr[uint16, uint16])
	d.add(form{op: OpShr, typ: B32}, shr[uint32, uint32])
	d.add(form{op: OpShr, typ: B64}, shr[uint64, uint64])

	for _, t := range []Type{B32, U32} {
		d.add(form{op: OpPopc, typ: t}, unary(func(a uint64) uint64 { return uint64(bits.OnesCount32(uint32(a))) }))
		d.add(form{op: OpClz, typ: t}, unary(func(a uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(a))) }))
		d.add(form{op: OpBrev, typ: t}, unary(func(a uint64) uint64 { return uint64(bits.Reverse32(uint32(a))) }))
		d.add(form{op: OpBfi, typ: t}, bfi[uint32])
		d.add(form{op: OpPrmt, typ: t}, ternary(permute))
		for _, m := range []Mode{ModeF4E, ModeB4E, ModeRc8, ModeEcl, ModeEcr, ModeRc16} {
			selectors := prmtSelectors[m]
			d.add(form{op: OpPrmt, typ: t, mode: m}, ternary(func(a, b, c uint64) uint64 {
				return permute(a, b, uint64(selectors[c&3]))
			}))
		}
		d.add(form{op: OpShf, typ: t, mode: ModeLeft},
			ternary(func(a, b, c uint64) uint64 { return funnelLeft(a, b, min(uint32(c), 32)) }))
		d.add(form{op: OpShf, typ: t, mode: ModeRight},
			ternary(func(a, b, c uint64) uint64 { return funnelRight(a, b, min(uint32(c), 32)) }))
		d.add(form{op: OpShf, typ: t, mode: ModeLeft, flags: FlagWrap},
			ternary(func(a, b, c uint64) uint64 { return funnelLeft(a, b, uint32(c)&31) }))
		d.add(form{op: OpShf, typ: t, mode: ModeRight, flags: FlagWrap},
			ternary(func(a, b, c uint64) uint64 { return funnelRight(a, b, uint32(c)&31) }))
	}
	for _, t := range []Type{B64, U64} {
		d.add(form{op: OpPopc, typ: t}, unary(func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }))
		d.add(form{op: OpClz, typ: t}, unary(func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }))
		d.add(form{op: OpBrev, typ: t}, unary(bits.Reverse64))
		d.add(form{op: OpBfi, typ: t}, bfi[uint64])
	}
	d.addSigns(form{op: OpBfe}, nil, ternary(bfe[uint32]), ternary(bfe[uint64]), nil, ternary(bfeSigned[uint32]),
		ternary(bfeSigned[uint64]))
	d.addSigns(form{op: OpBfind}, nil, unary(bfind[uint32]), unary(bfind[uint64]), nil,
		unary(bfindSigned[int32, uint32]), unary(bfindSigned[int64, uint64]))
	d.addSigns(form{op: OpBfind, flags: FlagShiftAmt}, nil, unary(bfindShift(31, bfind[uint32])),
		unary(bfindShift(63, bfind[uint64])),
		nil, unary(bfindShift(31, bfindSigned[int32, uint32])), unary(bfindShift(63, bfindSigned[int64, uint64])))
}

func and[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a & b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func or[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a | b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func xor[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a ^ b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func not[U unsigned](_ *Inst, x *Lanes) {
	f := func(a uint64) uint64 { return uint64(^U(a)) }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}

// shl and shr take an unsigned 32-bit amount. Larger amounts than the width shift everything out,
// as Go's shifts do.
func shl[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a) << uint32(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func shr[T integer, U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(T(a) >> uint32(b))) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func cnot[U unsigned](a uint64) uint64 {
	if U(a) == 0 {
		return 1
	}
	return 0
}

// bfe extracts c&255 bits of a from bit b&255.
func bfe[U unsigned](a, b, c uint64) uint64 {
	return uint64(U(a) >> uint8(b) & (U(1)<<uint8(c) - 1))
}

// bfeSigned fills the bits above the field with its sign: the top bit of the field, or of a if the
// field reaches beyond a.
func bfeSigned[U unsigned](a, b, c uint64) uint64 {
	pos, n := uint(uint8(b)), uint(uint8(c))
	if n == 0 {
		return 0
	}
	field := bfe[U](a, b, c)
	if top := min(pos+n-1, uint(width[U]())-1); U(a)>>top&1 == 0 {
		return field
	}
	// Bits of the field beyond a are sign bits too.
	n = min(n, uint(max(width[U]()-int(pos), 0)))
	return uint64(U(field) | ^U(0)<<n)
}

// bfi inserts the low bits of a into b: Src[3] bits from bit Src[2] on.
func bfi[U unsigned](_ *Inst, x *Lanes) {
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		field := (U(1)<<uint8(x.Src[3][i]) - 1) << uint8(x.Src[2][i])
		x.Dst[0][i] = uint64(U(x.Src[1][i])&^field | U(x.Src[0][i])<<uint8(x.Src[2][i])&field)
	}
}

// notFound is the result of bfind without a set bit.
const notFound = 0xFFFF_FFFF

func bfind[U unsigned](a uint64) uint64 { return uint64(uint32(bits.Len64(uint64(U(a))) - 1)) }

func bfindSigned[S signed, U unsigned](a uint64) uint64 {
	return bfind[U](uint64(max(S(a), ^S(a))))
}

// bfindShift is the shift that brings the bit found to bit msb.
func bfindShift(msb uint64, find func(a uint64) uint64) func(a uint64) uint64 {
	return func(a uint64) uint64 {
		if n := find(a); n != notFound {
			return msb - n
		}
		return notFound
	}
}

// prmtSelectors holds, for each mode and control value, the selectors of the result bytes. The
// lowest byte has the lowest four bits.
var prmtSelectors = [...][4]uint16{
	ModeF4E:  {0x3210, 0x4321, 0x5432, 0x6543},
	ModeB4E:  {0x5670, 0x6701, 0x7012, 0x0123},
	ModeRc8:  {0x0000, 0x1111, 0x2222, 0x3333},
	ModeEcl:  {0x3210, 0x3211, 0x3222, 0x3333},
	ModeEcr:  {0x0000, 0x1110, 0x2210, 0x3210},
	ModeRc16: {0x1010, 0x3232, 0x1010, 0x3232},
}

// permute picks four of the eight bytes b:a. Bit 3 of a selector replicates
// the sign of the byte.
func permute(a, b, selectors uint64) (d uint64) {
	bytes := b<<32 | a&0xFFFF_FFFF
	for i := range 4 {
		s := selectors >> (4 * i) & 15
		v := bytes >> (8 * (s & 7)) & 0xFF
		if s&8 != 0 {
			v = uint64(uint8(int8(v) >> 7))
		}
		d |= v << (8 * i)
	}
	return d
}

// funnelLeft and funnelRight shift the 64 bits b:a by n <= 32. They return the upper half and the
// lower half.

func funnelLeft(a, b uint64, n uint32) uint64 {
	return (b<<32 | a&0xFFFF_FFFF) << n >> 32
}

func funnelRight(a, b uint64, n uint32) uint64 {
	return uint64(uint32((b<<32 | a&0xFFFF_FFFF) >> n))
}
