package isa

import "math"

// Floating-point arithmetic (PTX ISA, section 9.7.3). The common forms, to
// nearest without modifiers, have kernels of their own; all others call a
// function for each lane.

func (d *datapath) addFloats() {
	d.addFloat(OpAdd, add32, add64)
	d.addFloat(OpSub, sub32, sub64)
	d.addFloat(OpMul, mul32, mul64)
	d.addFloat(OpMad, mad32, mad64)
	d.addFloat(OpFma, mad32, mad64)
	d.addFloat(OpDiv, binary(div32), binary(div64))
	d.addFloat(OpRcp, unary(rcp32), unary(rcp64))
	d.addFloat(OpSqrt, unary(sqrt32), unary(sqrt64))

	for _, flags := range []Flags{0, FlagFtz} {
		flush := flusher(flags)
		d.add(form{op: OpMin, typ: F32, flags: flags}, binary(func(a, b uint64) uint64 { return min32(flush(a), flush(b)) }))
		d.add(form{op: OpMax, typ: F32, flags: flags}, binary(func(a, b uint64) uint64 { return max32(flush(a), flush(b)) }))
		d.add(form{op: OpAbs, typ: F32, flags: flags}, unary(func(a uint64) uint64 { return abs32(flush(a)) }))
		d.add(form{op: OpNeg, typ: F32, flags: flags}, unary(func(a uint64) uint64 { return neg32(flush(a)) }))
	}
	d.add(form{op: OpMin, typ: F64}, binary(min64))
	d.add(form{op: OpMax, typ: F64}, binary(max64))
	d.add(form{op: OpAbs, typ: F64}, unary(abs64))
	d.add(form{op: OpNeg, typ: F64}, unary(neg64))
	d.add(form{op: OpCopysign, typ: F32}, binary(func(a, b uint64) uint64 { return b&^binary32.sign | a&binary32.sign }))
	d.add(form{op: OpCopysign, typ: F64}, binary(func(a, b uint64) uint64 { return b&^binary64.sign | a&binary64.sign }))
}

// addFloat enters all forms of op; k32 and k64 execute the plain ones.
func (d *datapath) addFloat(op Op, k32, k64 kernel) {
	for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
		f := form{op: op, typ: F64, round: mode}
		if mode == RoundNearest {
			d.add(f, k64)
		} else {
			d.add(f, rounded(op, &binary64, mode, 0))
		}
		f.typ = F32
		for _, f.flags = range []Flags{0, FlagFtz, FlagSat, FlagFtz | FlagSat} {
			if mode == RoundNearest && f.flags == 0 {
				d.add(f, k32)
			} else {
				d.add(f, rounded(op, &binary32, mode, f.flags))
			}
		}
	}
}

// rounded makes the kernel of op for any format, rounding and modifier.
func rounded(op Op, f *layout, mode Round, flags Flags) kernel {
	in, out := flusher(flags), finisher(flags)
	value := func(a uint64) float64 { return float64(float(in(a))) }
	if f == &binary64 {
		value = double
	}
	switch op {
	case OpMad, OpFma:
		return ternary(func(a, b, c uint64) uint64 { return out(arith(OpFma, f, mode, value(a), value(b), value(c))) })
	case OpRcp:
		return unary(func(a uint64) uint64 { return out(arith(OpDiv, f, mode, 1, value(a), 0)) })
	case OpSqrt:
		return unary(func(a uint64) uint64 { return out(arith(op, f, mode, value(a), 0, 0)) })
	}
	return binary(func(a, b uint64) uint64 { return out(arith(op, f, mode, value(a), value(b), 0)) })
}

// flusher is what .ftz does to an f32 operand.
func flusher(flags Flags) func(a uint64) uint64 {
	if flags&FlagFtz != 0 {
		return flush32
	}
	return func(a uint64) uint64 { return a }
}

// finisher is what .ftz and .sat do to an f32 result. A result counts as
// subnormal after rounding.
func finisher(flags Flags) func(a uint64) uint64 {
	if flags&FlagSat == 0 {
		return flusher(flags)
	}
	if flags&FlagFtz == 0 {
		return saturate32f
	}
	return func(a uint64) uint64 { return saturate32f(flush32(a)) }
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

func mad32(_ *Inst, x *Lanes) {
	f := func(a, b, c uint64) uint64 { return fma32(a, b, c) }
	if x.Mask == allLanes {
		x.dense3(f)
	} else {
		x.sparse3(f)
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

func div32(a, b uint64) uint64 { return bits32(float(a) / float(b)) }

func div64(a, b uint64) uint64 { return bits64(double(a) / double(b)) }

func rcp32(a uint64) uint64 { return bits32(1 / float(a)) }

func rcp64(a uint64) uint64 { return bits64(1 / double(a)) }

// sqrt32 rounds twice, which is once here: 53 bits are more than 2*24 + 1.
func sqrt32(a uint64) uint64 { return bits32(float32(math.Sqrt(float64(float(a))))) }

func sqrt64(a uint64) uint64 { return bits64(math.Sqrt(double(a))) }

// min and max drop a NaN and order -0 below +0.

func min32(a, b uint64) uint64 {
	switch x, y := float(a), float(b); {
	case x != x:
		return bits32(y)
	case y != y:
		return a
	default:
		return bits32(min(x, y))
	}
}

func max32(a, b uint64) uint64 {
	switch x, y := float(a), float(b); {
	case x != x:
		return bits32(y)
	case y != y:
		return a
	default:
		return bits32(max(x, y))
	}
}

func min64(a, b uint64) uint64 {
	switch x, y := double(a), double(b); {
	case x != x:
		return bits64(y)
	case y != y:
		return a
	default:
		return bits64(min(x, y))
	}
}

func max64(a, b uint64) uint64 {
	switch x, y := double(a), double(b); {
	case x != x:
		return bits64(y)
	case y != y:
		return a
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
