package isa

import (
	"math"
	"math/bits"
)

// Floating-point arithmetic (PTX ISA, section 9.7.3). The common forms, to nearest without
// modifiers, have kernels of their own. All others call a function for each lane.

func (d *datapath) addFloats() {
	d.addFloat(OpAdd, add32, add64)
	d.addFloat(OpSub, sub32, sub64)
	d.addFloat(OpMul, mul32, mul64)
	d.addFloat(OpMad, mad32, mad64)
	d.addFloat(OpFma, mad32, mad64)
	d.addFloat(OpDiv, rounded(OpDiv, F32, RoundNearest, 0), rounded(OpDiv, F64, RoundNearest, 0))
	d.addFloat(OpRcp, rounded(OpRcp, F32, RoundNearest, 0), rounded(OpRcp, F64, RoundNearest, 0))
	d.addFloat(OpSqrt, rounded(OpSqrt, F32, RoundNearest, 0), rounded(OpSqrt, F64, RoundNearest, 0))

	for _, op := range []Op{OpAdd, OpSub, OpMul, OpFma} {
		d.addFloatPairs(op)
	}

	for _, flags := range []Flags{0, FlagFtz} {
		flush := flusher(flags)
		d.add(form{op: OpMin, typ: F32, flags: flags},
			binary(func(a, b uint64) uint64 { return min32(flush(a), flush(b)) }))
		d.add(form{op: OpMax, typ: F32, flags: flags},
			binary(func(a, b uint64) uint64 { return max32(flush(a), flush(b)) }))
		d.add(form{op: OpAbs, typ: F32, flags: flags}, unary(func(a uint64) uint64 { return abs32(flush(a)) }))
		d.add(form{op: OpNeg, typ: F32, flags: flags}, unary(func(a uint64) uint64 { return neg32(flush(a)) }))
	}
	for _, flags := range []Flags{FlagNaN, FlagXorSign, FlagNaN | FlagXorSign} {
		for _, f := range []Flags{flags, flags | FlagFtz} {
			d.add(form{op: OpMin, typ: F32, flags: f}, binary(extreme32(OpMin, f)))
			d.add(form{op: OpMax, typ: F32, flags: f}, binary(extreme32(OpMax, f)))
		}
	}
	d.add(form{op: OpMin, typ: F64}, binary(min64))
	d.add(form{op: OpMax, typ: F64}, binary(max64))
	d.add(form{op: OpAbs, typ: F64}, unary(abs64))
	d.add(form{op: OpNeg, typ: F64}, unary(neg64))
	d.add(form{op: OpCopysign, typ: F32}, binary(func(a, b uint64) uint64 { return b&0x7FFF_FFFF | a&binary32.sign }))
	d.add(form{op: OpCopysign, typ: F64},
		binary(func(a, b uint64) uint64 { return b&^binary64.sign | a&binary64.sign }))
}

// addNearest enters the plain forms of op, rounded to nearest.
func (d *datapath) addNearest(op Op, k32, k64 kernel) {
	d.add(form{op: op, typ: F32, round: RoundNearest}, k32)
	d.add(form{op: op, typ: F64, round: RoundNearest}, k64)
}

// addFloat enters all forms of op; k32 and k64 execute the plain ones.
func (d *datapath) addFloat(op Op, k32, k64 kernel) {
	d.addNearest(op, k32, k64)
	for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
		for _, flags := range []Flags{0, FlagFtz, FlagSat, FlagFtz | FlagSat} {
			if mode != RoundNearest || flags != 0 {
				d.add(form{op: op, typ: F32, round: mode, flags: flags}, rounded(op, F32, mode, flags))
			}
		}
		if mode != RoundNearest {
			d.add(form{op: op, typ: F64, round: mode}, rounded(op, F64, mode, 0))
		}
	}
}

// modified is op on lanes of type t, with any rounding and modifier.
func modified(op Op, t Type, mode Round, flags Flags) func(a, b, c uint64) uint64 {
	plain, ftz, sat := arithmetic(op, t, mode), flags&FlagFtz != 0, flags&FlagSat != 0
	scales := mode == RoundNearest && (op == OpMul || op == OpMad || op == OpFma)
	if flags == 0 {
		return plain
	}
	return func(a, b, c uint64) uint64 {
		if !ftz {
			return saturate32f(plain(a, b, c))
		}
		a, b, c = flush32(a), flush32(b), flush32(c)
		r := flush32(plain(a, b, c))
		if scales && binary32.vanishes(r, a, b, c) {
			r &= binary32.sign
		}
		if sat {
			r = saturate32f(r)
		}
		return r
	}
}

// addFloatPairs enters op on two f32 in one register.
func (d *datapath) addFloatPairs(op Op) {
	for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
		for _, flags := range []Flags{0, FlagFtz} {
			one := modified(op, F32, mode, flags)
			both := func(a, b, c uint64) uint64 {
				return one(a&0xFFFF_FFFF, b&0xFFFF_FFFF, c&0xFFFF_FFFF) | one(a>>32, b>>32, c>>32)<<32
			}
			k := binary(func(a, b uint64) uint64 { return both(a, b, 0) })
			if op == OpFma {
				k = ternary(both)
			}
			d.add(form{op: op, typ: F32x2, round: mode, flags: flags}, k)
		}
	}
}

// rounded makes the kernel of op for any type, rounding and modifier.
func rounded(op Op, t Type, mode Round, flags Flags) kernel {
	compute := modified(op, t, mode, flags)
	switch op {
	case OpMad, OpFma:
		return ternary(compute)
	case OpRcp, OpSqrt:
		return unary(func(a uint64) uint64 { return compute(a, 0, 0) })
	}
	return binary(func(a, b uint64) uint64 { return compute(a, b, 0) })
}

// arithmetic is op on lanes of type t, without .ftz and .sat. The host's own operations compute
// results to nearest, arith the others.
func arithmetic(op Op, t Type, mode Round) func(a, b, c uint64) uint64 {
	if mode != RoundNearest {
		value := reader(t, 0)
		return func(a, b, c uint64) uint64 { return arith(op, layoutOf(t), mode, value(a), value(b), value(c)) }
	}
	type typed struct {
		op Op
		t  Type
	}
	return map[typed]func(a, b, c uint64) uint64{
		{OpAdd, F32}:  func(a, b, _ uint64) uint64 { return bits32(float(a) + float(b)) },
		{OpSub, F32}:  func(a, b, _ uint64) uint64 { return bits32(float(a) - float(b)) },
		{OpMul, F32}:  func(a, b, _ uint64) uint64 { return bits32(float(a) * float(b)) },
		{OpMad, F32}:  fma32,
		{OpFma, F32}:  fma32,
		{OpDiv, F32}:  func(a, b, _ uint64) uint64 { return bits32(float(a) / float(b)) },
		{OpDiv, F64}:  func(a, b, _ uint64) uint64 { return bits64(double(a) / double(b)) },
		{OpRcp, F32}:  func(a, _, _ uint64) uint64 { return bits32(1 / float(a)) },
		{OpRcp, F64}:  func(a, _, _ uint64) uint64 { return bits64(1 / double(a)) },
		{OpSqrt, F32}: func(a, _, _ uint64) uint64 { return sqrt32(a) },
		{OpSqrt, F64}: func(a, _, _ uint64) uint64 { return bits64(math.Sqrt(double(a))) },
	}[typed{op, t}]
}

// flusher is the function that .ftz applies to an f32 operand.
func flusher(flags Flags) func(a uint64) uint64 {
	if flags&FlagFtz != 0 {
		return flush32
	}
	return func(a uint64) uint64 { return a }
}

func add32(_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return bits32(float(a) + float(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func sub32(_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return bits32(float(a) - float(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func mul32(_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return bits32(float(a) * float(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

// mad32 is fma32 on all lanes, with the common case in the loops.
func mad32(_ *Inst, x *Lanes) {
	d, a, b, c := x.Dst[0], x.Src[0], x.Src[1], x.Src[2]
	if x.Mask == allLanes {
		for i := range d {
			s := multiplyAdd(a[i], b[i], c[i])
			r := math.Float32bits(float32(s))
			if delicate(s, r) {
				d[i] = fmaExact32(s, a[i], b[i], c[i])
			} else {
				d[i] = uint64(r)
			}
		}
		return
	}
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = fma32(a[i], b[i], c[i])
	}
}

func add64(_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return bits64(double(a) + double(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func sub64(_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return bits64(double(a) - double(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func mul64(_ *Inst, x *Lanes) {
	f := func(a, b uint64) uint64 { return bits64(double(a) * double(b)) }
	if x.Mask == allLanes {
		x.dense2(f)
	} else {
		x.sparse2(f)
	}
}

func mad64(_ *Inst, x *Lanes) {
	f := func(a, b, c uint64) uint64 { return fma64(a, b, c) }
	if x.Mask == allLanes {
		x.dense3(f)
	} else {
		x.sparse3(f)
	}
}

// sqrt32 rounds twice. One rounding would give the same, since 53 bits are more than 2*24 + 1.
func sqrt32(a uint64) uint64 { return bits32(float32(math.Sqrt(float64(float(a))))) }

// min and max drop a NaN and order -0 below +0.

func min32(a, b uint64) uint64 {
	switch x, y := float(a), float(b); {
	case x != x:
		return bits32(y)
	case y != y:
		return bits32(x)
	default:
		return bits32(min(x, y))
	}
}

func max32(a, b uint64) uint64 {
	switch x, y := float(a), float(b); {
	case x != x:
		return bits32(y)
	case y != y:
		return bits32(x)
	default:
		return bits32(max(x, y))
	}
}

// extreme32 is min or max with .NaN, .xorsign.abs or both.
func extreme32(op Op, flags Flags) func(a, b uint64) uint64 {
	flush := flusher(flags)
	return func(a, b uint64) uint64 { return binary32.extreme(op, flags, flush(a), flush(b)) }
}

func min64(a, b uint64) uint64 {
	switch x, y := double(a), double(b); {
	case x != x:
		return bits64(y)
	case y != y:
		return bits64(x)
	default:
		return bits64(min(x, y))
	}
}

func max64(a, b uint64) uint64 {
	switch x, y := double(a), double(b); {
	case x != x:
		return bits64(y)
	case y != y:
		return bits64(x)
	default:
		return bits64(max(x, y))
	}
}

// abs and neg of NaN: the f32 forms give the canonical one, the f64 forms pass it
// through unchanged.

func abs32(a uint64) uint64 { return bits32(float(a &^ binary32.sign)) }

func neg32(a uint64) uint64 { return bits32(float(a ^ binary32.sign)) }

func abs64(a uint64) uint64 {
	if v := double(a); v != v {
		return a
	}
	return a &^ binary64.sign
}

func neg64(a uint64) uint64 {
	if v := double(a); v != v {
		return a
	}
	return a ^ binary64.sign
}
