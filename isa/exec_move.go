package isa

import "math/bits"

// Data movement (PTX ISA, section 9.7.9): mov, pack, unpack and the conversions between generic and
// space addresses, by the address map of this package.

func (d *datapath) addMoves() {
	d.addSizes(form{op: OpMov}, mov[uint16], mov[uint32], copyRow)
	d.add(form{op: OpMov, typ: F32}, mov[uint32])
	d.add(form{op: OpMov, typ: F64}, copyRow)
	for _, t := range []Type{U8, S8, B8} {
		d.add(form{op: OpMov, typ: t}, mov[uint8])
	}
	for _, t := range []Type{B16, B32, B64} {
		d.add(form{op: OpPack, typ: t}, pack)
		d.add(form{op: OpUnpack, typ: t}, unpack)
	}
	for _, t := range []Type{U16, S16, B16, U32, S32, B32, F32, U64, S64, B64, F64} {
		d.add(form{op: OpMovVec, typ: t}, moveVector)
	}
	for _, t := range []Type{U32, U64} {
		d.add(form{op: OpCvta, typ: t}, cvta)
	}
	d.add(form{op: OpIsspacep, typ: Pred}, isspacep)
	d.add(form{op: OpNop}, func(*Inst, *Lanes) {})
}

func copyRow(_ *Inst, x *Lanes) {
	if x.Mask == allLanes {
		*x.Dst[0] = *x.Src[0]
		return
	}
	x.sparse1(func(a uint64) uint64 { return a })
}

func mov[U unsigned | uint8](_ *Inst, x *Lanes) {
	f := func(a uint64) uint64 { return uint64(U(a)) }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}

// pack joins its sources, the first in the lowest bits.
func pack(in *Inst, x *Lanes) {
	n := in.Type.Bits() / int(in.NSrc)
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		var v uint64
		for j := range int(in.NSrc) {
			v |= x.Src[j][i] & (1<<n - 1) << (j * n)
		}
		x.Dst[0][i] = v
	}
}

// moveVector copies vectors. It reads all sources before it writes, since a register may be both
// source and destination.
func moveVector(in *Inst, x *Lanes) {
	mask := ^uint64(0) >> (64 - in.Type.Bits())
	var v [MaxDsts]uint64
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		for j := range int(in.NDst) {
			v[j&(MaxDsts-1)] = x.Src[j][i] & mask
		}
		for j := range int(in.NDst) {
			if d := x.Dst[j]; d != nil {
				d[i] = v[j&(MaxDsts-1)]
			}
		}
	}
}

// unpack splits its source. Parts without a destination have no row.
func unpack(in *Inst, x *Lanes) {
	n := in.Type.Bits() / int(in.NDst)
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		v := x.Src[0][i]
		for j := range int(in.NDst) {
			if d := x.Dst[j]; d != nil {
				d[i] = v >> (j * n) & (1<<n - 1)
			}
		}
	}
}

// window is the generic address of the start of a space. It is 0 if generic and space addresses are
// the same.
func window(space Space) uint64 {
	switch space {
	case SpaceShared:
		return SharedWindow
	case SpaceLocal:
		return LocalWindow
	case SpaceParam:
		return ParamWindow
	}
	return 0
}

// cvta adds the base of the window to make an address generic, or subtracts it.
func cvta(in *Inst, x *Lanes) {
	base, mask := window(in.Space), uint64(1)<<(in.Type.Bits()-1)<<1-1
	if in.Mode == ModeTo {
		base = -base
	}
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		x.Dst[0][i] = (x.Src[0][i] + base) & mask
	}
}

// isspacep tests whether a generic address lies in the window of a space. The .const window is the
// module's .const variables: the second source is their first address, the third their size. Global
// is everything outside the windows, except that it includes parameters (PTX ISA, isspacep).
func isspacep(in *Inst, x *Lanes) {
	first, size := window(in.Space), uint64(WindowSize)
	var p uint32
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		a := x.Src[0][i]
		constant := in.NSrc > 1 && a-x.Src[1][i] < x.Src[2][i]
		switch in.Space {
		case SpaceConst:
			p |= bit(constant) << i
		case SpaceGlobal:
			p |= bit(a-SharedWindow >= ParamWindow-SharedWindow && !constant) << i
		default:
			p |= bit(a-first < size) << i
		}
	}
	x.PDst[0] = p
}
