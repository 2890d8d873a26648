package isa

import "math/bits"

// Integer arithmetic (PTX ISA, sections 9.7.1 and 9.7.2). Rows hold zero-extended values.
// Sign-independent operations use the unsigned type of the width. The others read a lane as S and
// return it as the unsigned type U of the same width.

type unsigned interface{ uint16 | uint32 | uint64 }

type signed interface{ int16 | int32 | int64 }

type integer interface{ unsigned | signed }

func (d *datapath) addIntegers() {
	lo, hi, wide := ModeLo, ModeHi, ModeWide
	d.addSizes(form{op: OpAdd}, add[uint16], add[uint32], add[uint64])
	d.addSizes(form{op: OpSub}, sub[uint16], sub[uint32], sub[uint64])
	d.add(form{op: OpAdd, typ: S32, flags: FlagSat}, binary(addSat))
	d.add(form{op: OpSub, typ: S32, flags: FlagSat}, binary(subSat))
	d.addSizes(form{op: OpMul, mode: lo}, mulLo[uint16], mulLo[uint32], mulLo[uint64])
	d.addSizes(form{op: OpMad, mode: lo}, madLo[uint16], madLo[uint32], madLo[uint64])
	d.addSigns(form{op: OpMul, mode: wide}, mulWide[uint16, uint32], mulWide[uint32, uint64], nil,
		mulWide[int16, uint32], mulWide[int32, uint64], nil)
	d.addSigns(form{op: OpMad, mode: wide}, madWide[uint16, uint32], madWide[uint32, uint64], nil,
		madWide[int16, uint32], madWide[int32, uint64], nil)
	d.addSigns(form{op: OpMul, mode: hi}, mulHi[uint16, uint16], mulHi[uint32, uint32], binary(mulHiU64),
		mulHi[int16, uint16], mulHi[int32, uint32], binary(mulHiS64))
	d.addSigns(form{op: OpMad, mode: hi}, madHi[uint16, uint16], madHi[uint32, uint32],
		ternary(func(a, b, c uint64) uint64 { return mulHiU64(a, b) + c }),
		madHi[int16, uint16], madHi[int32, uint32], ternary(func(a, b, c uint64) uint64 { return mulHiS64(a, b) + c }))
	d.add(form{op: OpMad, typ: S32, mode: hi, flags: FlagSat}, ternary(func(a, b, c uint64) uint64 {
		return saturate32(int64(int32(a))*int64(int32(b))>>32 + int64(int32(c)))
	}))

	d.add(form{op: OpMul24, typ: U32, mode: lo},
		binary(func(a, b uint64) uint64 { return uint64(uint32(umul24(a, b))) }))
	d.add(form{op: OpMul24, typ: U32, mode: hi},
		binary(func(a, b uint64) uint64 { return uint64(uint32(umul24(a, b) >> 16)) }))
	d.add(form{op: OpMul24, typ: S32, mode: lo},
		binary(func(a, b uint64) uint64 { return uint64(uint32(smul24(a, b))) }))
	d.add(form{op: OpMul24, typ: S32, mode: hi},
		binary(func(a, b uint64) uint64 { return uint64(uint32(smul24(a, b) >> 16)) }))
	d.add(form{op: OpMad24, typ: U32, mode: lo},
		ternary(func(a, b, c uint64) uint64 { return uint64(uint32(umul24(a, b) + c)) }))
	d.add(form{op: OpMad24, typ: U32, mode: hi},
		ternary(func(a, b, c uint64) uint64 { return uint64(uint32(umul24(a, b)>>16 + c)) }))
	d.add(form{op: OpMad24, typ: S32, mode: lo},
		ternary(func(a, b, c uint64) uint64 { return uint64(uint32(smul24(a, b) + int64(c))) }))
	d.add(form{op: OpMad24, typ: S32, mode: hi},
		ternary(func(a, b, c uint64) uint64 { return uint64(uint32(smul24(a, b)>>16 + int64(c))) }))
	d.add(form{op: OpMad24, typ: S32, mode: hi, flags: FlagSat}, ternary(func(a, b, c uint64) uint64 {
		return saturate32(smul24(a, b)>>16 + int64(int32(c)))
	}))

	d.addSigns(form{op: OpSad}, ternary(sad[uint16, uint16]), ternary(sad[uint32, uint32]),
		ternary(sad[uint64, uint64]),
		ternary(sad[int16, uint16]), ternary(sad[int32, uint32]), ternary(sad[int64, uint64]))
	d.addSigns(form{op: OpDiv}, binary(div[uint16, uint16]), binary(div[uint32, uint32]), binary(div[uint64, uint64]),
		binary(div[int16, uint16]), binary(div[int32, uint32]), binary(div[int64, uint64]))
	d.addSigns(form{op: OpRem}, binary(rem[uint16, uint16]), binary(rem[uint32, uint32]), binary(rem[uint64, uint64]),
		binary(rem[int16, uint16]), binary(rem[int32, uint32]), binary(rem[int64, uint64]))
	d.addSigns(form{op: OpMin}, minimum[uint16, uint16], minimum[uint32, uint32], minimum[uint64, uint64],
		minimum[int16, uint16], minimum[int32, uint32], minimum[int64, uint64])
	d.addSigns(form{op: OpMax}, maximum[uint16, uint16], maximum[uint32, uint32], maximum[uint64, uint64],
		maximum[int16, uint16], maximum[int32, uint32], maximum[int64, uint64])
	d.addSigns(form{op: OpAbs}, nil, nil, nil, unary(abs[int16, uint16]), unary(abs[int32, uint32]),
		unary(abs[int64, uint64]))
	d.addSigns(form{op: OpNeg}, nil, nil, nil, neg[uint16], neg[uint32], neg[uint64])
}

func add[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a) + U(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func sub[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a) - U(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func mulLo[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(a) * U(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func madLo[U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b, c uint64) uint64 { return uint64(U(a)*U(b) + U(c)) }
	if x.Mask == allLanes {
		x.dense3(f)
	} else {
		x.sparse3(f)
	}
}

// mulWide is the product of two T in the type W of twice the width.
func mulWide[T integer, W unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(W(T(a)) * W(T(b))) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func madWide[T integer, W unsigned](_ *Inst, x *Lanes) {
	f := func(a, b, c uint64) uint64 { return uint64(W(T(a))*W(T(b)) + W(c)) }
	if x.Mask == allLanes {
		x.dense3(f)
	} else {
		x.sparse3(f)
	}
}

// mulHi is the upper half of the product, for widths up to 32.
func mulHi[T integer, U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(int64(T(a)) * int64(T(b)) >> width[U]())) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func madHi[T integer, U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b, c uint64) uint64 { return uint64(U(int64(T(a))*int64(T(b))>>width[U]()) + U(c)) }
	if x.Mask == allLanes {
		x.dense3(f)
	} else {
		x.sparse3(f)
	}
}

func minimum[T integer, U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(min(T(a), T(b)))) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func maximum[T integer, U unsigned](_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return uint64(U(max(T(a), T(b)))) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func neg[U unsigned](_ *Inst, x *Lanes) {
	f := func(a uint64) uint64 { return uint64(-U(a)) }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}

// width is the number of bits of U.
func width[U unsigned]() int { return bits.Len64(uint64(^U(0))) }

func mulHiU64(a, b uint64) uint64 {
	hi, _ := bits.Mul64(a, b)
	return hi
}

// mulHiS64 corrects the unsigned product: a negative factor counts 2^64 too much, times the other
// factor.
func mulHiS64(a, b uint64) uint64 {
	return mulHiU64(a, b) - uint64(int64(a)>>63)&b - uint64(int64(b)>>63)&a
}

// saturate32 clamps v to the range of s32.
func saturate32(v int64) uint64 {
	return uint64(uint32(min(max(v, -1<<31), 1<<31-1)))
}

func addSat(a, b uint64) uint64 { return saturate32(int64(int32(a)) + int64(int32(b))) }

func subSat(a, b uint64) uint64 { return saturate32(int64(int32(a)) - int64(int32(b))) }

// umul24 and smul24 are the 48-bit products of the low 24 bits.

func umul24(a, b uint64) uint64 { return a & 0xFF_FFFF * (b & 0xFF_FFFF) }

func smul24(a, b uint64) int64 { return int64(a) << 40 >> 40 * (int64(b) << 40 >> 40) }

// sad adds the absolute difference of a and b to c.
func sad[T integer, U unsigned](a, b, c uint64) uint64 {
	return uint64(U(c) + U(max(T(a), T(b))) - U(min(T(a), T(b))))
}

// div truncates toward zero. The manual leaves division by zero open. The result is all ones, as
// from the division routines of real GPUs.
func div[T integer, U unsigned](a, b uint64) uint64 {
	if T(b) == 0 {
		return uint64(^U(0))
	}
	return uint64(U(T(a) / T(b)))
}

// rem has the sign of the dividend. A remainder by zero is all ones.
func rem[T integer, U unsigned](a, b uint64) uint64 {
	if T(b) == 0 {
		return uint64(^U(0))
	}
	return uint64(U(T(a) % T(b)))
}

func abs[S signed, U unsigned](a uint64) uint64 { return uint64(U(max(S(a), -S(a)))) }
