package golden

import (
	"math"
	"math/big"

	"divergo/isa"
)

// This file computes floating-point numbers of 16 bits, f16 and bf16, single or two in a register
// (PTX ISA, sections 9.7.4, 9.7.6 and 9.7.8). Results are computed as rational numbers and rounded
// once. Rounding searches all encodings for the neighbours of the exact value.

// shape describes a format: the bits of the fraction, the exponent of the smallest normal number,
// and the encoding of infinity without sign. Larger encodings are NaNs.
type shape struct {
	fraction, least int
	infinity        uint64
}

var shapes = map[isa.Type]shape{
	isa.F16:  {10, -14, 0x7C00},
	isa.BF16: {7, -126, 0x7F80},
	isa.TF32: {10, -126, 0x3FC00}, // of 19 bits
	isa.F32:  {23, -126, 0x7F80_0000},
	isa.F64:  {52, -1022, 0x7FF << 52},
}

// number returns the value of the encoding u without sign, which is not NaN. Infinity counts as the
// power of two after the largest number.
func (s shape) number(u uint64) float64 {
	fraction, exponent := u%(1<<s.fraction), int(u>>s.fraction)
	if exponent == 0 {
		return math.Ldexp(float64(fraction), s.least-s.fraction)
	}
	return math.Ldexp(float64(fraction)+math.Ldexp(1, s.fraction), exponent-1+s.least-s.fraction)
}

// decodeHalf returns the value of the 16 bits a.
func decodeHalf(t isa.Type, a uint64) float64 {
	s := shapes[t]
	sign, u := 1.0, a&0x7FFF
	if a&0x8000 != 0 {
		sign = -1
	}
	switch {
	case u > s.infinity:
		return math.Copysign(math.NaN(), sign) // .xorsign reads its sign
	case u == s.infinity:
		return math.Inf(int(sign))
	}
	return math.Copysign(s.number(u), sign)
}

// operandHalf is decodeHalf after .ftz.
func operandHalf(in *isa.Inst, t isa.Type, a uint64) float64 {
	x := decodeHalf(t, a)
	if in.Flags&isa.FlagFtz != 0 {
		x = normal(t, x)
	}
	return x
}

// normal returns x, or zero of its sign if x is subnormal in t.
func normal(t isa.Type, x float64) float64 {
	if math.Abs(x) < math.Ldexp(1, shapes[t].least) {
		return math.Copysign(0, x)
	}
	return x
}

// encodeHalf returns x rounded to a 16-bit type, or to tf32 without its low zeros.
func encodeHalf(t isa.Type, mode isa.Round, x float64) uint64 {
	s := shapes[t]
	sign := (s.infinity>>s.fraction + 1) << s.fraction * truth(math.Signbit(x))
	switch {
	case math.IsNaN(x):
		return s.infinity | (1<<s.fraction - 1)
	case math.IsInf(x, 0):
		return sign | s.infinity
	case x == 0:
		return sign
	}
	return encodeRational(t, mode, rational(x))
}

// encodeRational returns x, which is not zero, rounded to t.
func encodeRational(t isa.Type, mode isa.Round, x *big.Rat) uint64 {
	s := shapes[t]
	negative := x.Sign() < 0
	x = new(big.Rat).Abs(x)
	near, exact := x.Float64()
	low, high := uint64(0), s.infinity // the encodings around x: low <= x, and x < high or high is infinity
	for high-low > 1 {
		if middle := (low + high) / 2; s.number(middle) <= near {
			low = middle
		} else {
			high = middle
		}
	}
	sign := (s.infinity>>s.fraction + 1) << s.fraction * truth(negative)
	if exact && s.number(low) == near {
		return low | sign
	}
	if low > 0 && rational(s.number(low)).Cmp(x) > 0 { // near is above x
		low, high = low-1, low
	}
	below := new(big.Rat).Sub(x, rational(s.number(low)))
	above := new(big.Rat).Sub(rational(s.number(high)), x)
	up := false
	switch mode {
	case isa.RoundZero:
	case isa.RoundDown:
		up = negative && below.Sign() > 0
	case isa.RoundUp:
		up = !negative && below.Sign() > 0
	case isa.RoundAway:
		up = below.Cmp(above) >= 0
	default:
		nearer := below.Cmp(above)
		up = nearer > 0 || nearer == 0 && low%2 != 0
	}
	if up {
		low = high
	}
	return low | sign
}

// finishHalf applies the modifiers of in to a result of type t.
func finishHalf(in *isa.Inst, t isa.Type, a uint64) uint64 {
	s := shapes[t]
	sign := (s.infinity>>s.fraction + 1) << s.fraction
	nan, negative := a&^sign > s.infinity, a&sign != 0
	if in.Flags&isa.FlagFtz != 0 && in.Op != isa.OpCvt && a&^sign < 1<<s.fraction {
		a &= sign
	}
	if in.Flags&isa.FlagSat != 0 {
		switch one := encodeHalf(t, isa.RoundNearest, 1); {
		case nan || negative:
			a = 0
		case a > one:
			a = one
		}
	}
	if in.Flags&isa.FlagRelu != 0 && negative && !nan {
		a = 0
	}
	if in.Flags&isa.FlagSatFinite != 0 && a&^sign == s.infinity {
		a--
	}
	return a
}

// half computes an instruction on 16-bit floats, once or on both halves.
func (v *values) half(in *isa.Inst) bool {
	t := in.Type.Element()
	low, ok := halfOp(in, t, v.src[0]&0xFFFF, v.src[1]&0xFFFF, v.src[2]&0xFFFF)
	if v.dst[0] = low; t == in.Type {
		return ok
	}
	high, ok := halfOp(in, t, v.src[0]>>16, v.src[1]>>16, v.src[2]>>16)
	v.dst[0] |= high << 16
	return ok
}

func halfOp(in *isa.Inst, t isa.Type, a, b, c uint64) (uint64, bool) {
	x, y, z := operandHalf(in, t, a), operandHalf(in, t, b), operandHalf(in, t, c)
	var d uint64
	switch in.Op {
	case isa.OpAbs:
		d = encodeHalf(t, isa.RoundNearest, math.Abs(x))
	case isa.OpNeg:
		d = encodeHalf(t, isa.RoundNearest, -x)
	case isa.OpMin, isa.OpMax:
		d = encodeHalf(t, isa.RoundNearest, extremeBy(in, x, y))
	case isa.OpEx2: // hardware computes in f32 and drops the other digits
		y := float64(isa.Ex2Approx(float32(x)))
		if t == isa.F16 && y >= 1<<16 {
			y = math.Inf(1)
		}
		d = encodeHalf(t, isa.RoundZero, y)
	case isa.OpTanh:
		d = encodeHalf(t, isa.RoundZero, float64(isa.TanhApprox(float32(x))))
	case isa.OpAdd:
		d = sum(in, t, x, 1, y)
	case isa.OpSub:
		d = sum(in, t, x, 1, -y)
	case isa.OpMul:
		d = sum(in, t, x, y, math.Copysign(0, -1)) // adding -0 changes no zero
		if x == 0 || y == 0 {
			d = encodeHalf(t, isa.RoundNearest, x*y)
		}
	case isa.OpFma:
		d = sum(in, t, x, y, z)
	default:
		return 0, false
	}
	return finishHalf(in, t, d), true
}

// sum is a*b+c. Infinities, NaN and the signs of zero are those of float64.
func sum(in *isa.Inst, t isa.Type, a, b, c float64) uint64 {
	if !finite(a) || !finite(b) || !finite(c) {
		return encodeHalf(t, isa.RoundNearest, a*b+c)
	}
	exact := rational(a)
	if exact.Mul(exact, rational(b)).Add(exact, rational(c)); exact.Sign() == 0 {
		return encodeHalf(t, isa.RoundNearest, a*b+c)
	}
	if vanishes(in, t, exact) {
		return encodeHalf(t, isa.RoundNearest, math.Copysign(0, float64(exact.Sign())))
	}
	return encodeRational(t, isa.RoundNearest, exact)
}

// convertHalf computes cvt from or to a 16-bit float, or to tf32.
func (v *values) convertHalf(in *isa.Inst) {
	to, from := in.Type, in.SrcType
	if to.Element() != to { // the first source becomes the upper half
		single := *in
		single.Type = to.Element()
		v.dst[0] = convertOne(&single, v.src[0])<<16 | convertOne(&single, v.src[1])
		return
	}
	if !to.Float() {
		x := integral(in.Round, decodeHalf(from, v.src[0]))
		v.dst[0] = extend(to, floatToInt(to, from, x), in.DstBits)
		return
	}
	v.dst[0] = convertOne(in, v.src[0])
}

// convertOne converts to a floating-point type.
func convertOne(in *isa.Inst, a uint64) uint64 {
	to, from := in.Type, in.SrcType
	var x float64
	switch {
	case !from.Float():
		n := number(from, a)
		if n.Sign() == 0 {
			return 0
		}
		return finishHalf(in, to, encodeRational(to, in.Round, new(big.Rat).SetInt(n)))
	case from.Half():
		x = decodeHalf(from, a)
	default:
		x = real64(in, from, a)
	}
	x = integral(in.Round, x)
	switch to {
	case isa.F32:
		return saturate(in, to, flush(in, bits32(float32(x))))
	case isa.F64:
		return saturate(in, to, bits64(x))
	case isa.TF32:
		if math.IsNaN(x) {
			return nan32
		}
		return finishHalf(in, to, encodeHalf(to, in.Round, x)) << 13
	}
	return finishHalf(in, to, encodeHalf(to, in.Round, x))
}
