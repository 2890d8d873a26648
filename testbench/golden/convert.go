package golden

import (
	"math"
	"math/big"

	"divergo/isa"
)

// convert computes cvt (PTX ISA, section 9.7.8.19).
func (v *values) convert(in *isa.Inst) {
	to, from, a := in.Type, in.SrcType, v.src[0]
	switch {
	case eightBits(to) || eightBits(from):
		v.convertEights(in)
	case to.Half() || from.Half() || to == isa.TF32:
		v.convertHalf(in)
	case !to.Float() && !from.Float():
		v.dst[0] = extend(to, intToInt(in, a), in.DstBits)
	case !to.Float():
		v.dst[0] = extend(to, floatToInt(to, from, integral(in.Round, real64(in, from, a))), in.DstBits)
	case !from.Float():
		v.dst[0] = saturate(in, to, intToFloat(in, a))
	default:
		v.dst[0] = saturate(in, to, floatToFloat(in, a))
	}
}

// intToInt keeps the value of a if the destination type can hold it. Otherwise it keeps the low
// bits or, with .sat, takes the nearest value.
func intToInt(in *isa.Inst, a uint64) uint64 {
	switch {
	case in.Flags&isa.FlagSat != 0:
		return clamp(in.Type, number(in.SrcType, a))
	case in.SrcType.Signed():
		return uint64(signed(in.SrcType, a))
	}
	return cut(in.SrcType, a)
}

// clamp returns the value of type t nearest to x.
func clamp(t isa.Type, x *big.Int) uint64 {
	n := uint(t.Bits())
	least, most := new(big.Int), new(big.Int)
	if t.Signed() {
		n--
		least.Neg(least.Lsh(big.NewInt(1), n))
	}
	most.Sub(most.Lsh(big.NewInt(1), n), big.NewInt(1))
	switch {
	case x.Cmp(least) < 0:
		x = least
	case x.Cmp(most) > 0:
		x = most
	}
	return cut(t, low(x))
}

// floatToInt returns the value of the integer type t nearest to x, which is integral. A NaN becomes
// 0 when anything but an f64 is converted to at most 32 bits. Otherwise it becomes the least number
// of the signed type; an unsigned type gets the same bits (PTX ISA 9.0, cvt).
func floatToInt(t, from isa.Type, x float64) uint64 {
	if math.IsNaN(x) {
		if from != isa.F64 && t.Bits() <= 32 {
			return 0
		}
		return 1 << (t.Bits() - 1)
	}
	least, above := 0.0, math.Ldexp(1, t.Bits()) // values from least to just below above fit
	if t.Signed() {
		above /= 2
		least = -above
	}
	switch {
	case x >= above && t.Signed():
		return 1<<(t.Bits()-1) - 1
	case x >= above:
		return cut(t, ^uint64(0))
	case x >= 1<<63:
		return uint64(x)
	}
	return cut(t, uint64(int64(max(x, least))))
}

// integral rounds to an integer if the instruction demands it. The sign of zero stays.
func integral(mode isa.Round, x float64) float64 {
	switch mode {
	case isa.RoundNearestInt:
		return math.RoundToEven(x)
	case isa.RoundZeroInt:
		return math.Trunc(x)
	case isa.RoundDownInt:
		return math.Floor(x)
	case isa.RoundUpInt:
		return math.Ceil(x)
	}
	return x
}

// intToFloat rounds an integer. Go rounds to nearest.
func intToFloat(in *isa.Inst, a uint64) uint64 {
	toNearest := in.Round == isa.RoundNearest || in.Round == isa.RoundNone
	switch from := in.SrcType; {
	case !toNearest:
		return floatOf(in.Type, in.Round, new(big.Rat).SetInt(number(from, a)))
	case in.Type == isa.F32 && from.Signed():
		return bits32(float32(signed(from, a)))
	case in.Type == isa.F32:
		return bits32(float32(cut(from, a)))
	case from.Signed():
		return bits64(float64(signed(from, a)))
	}
	return bits64(float64(cut(in.SrcType, a)))
}

// floatOf returns x rounded to the floating-point type t.
func floatOf(t isa.Type, mode isa.Round, x *big.Rat) uint64 {
	var y float64 // to nearest
	if t == isa.F32 {
		f, _ := x.Float32()
		y = float64(f)
	} else {
		y, _ = x.Float64()
	}
	if x.Sign() != 0 && mode != isa.RoundNearest && mode != isa.RoundNone {
		y = settle(t, mode, y, x.Sign(), compare(x, y))
	}
	return encode(t, y)
}

// floatToFloat converts between floating-point types, or rounds to an integer within one.
func floatToFloat(in *isa.Inst, a uint64) uint64 {
	x := integral(in.Round, real64(in, in.SrcType, a))
	directed := in.Round == isa.RoundZero || in.Round == isa.RoundDown || in.Round == isa.RoundUp
	if in.Type == isa.F32 && directed && x != 0 && finite(x) {
		return flush(in, floatOf(isa.F32, in.Round, rational(x)))
	}
	if in.Type == isa.F64 {
		return bits64(x)
	}
	if in.Round == isa.RoundNearest && finite(x) && vanishes(in, isa.F32, rational(x)) {
		return bits32(float32(math.Copysign(0, x)))
	}
	return flush(in, bits32(float32(x)))
}
