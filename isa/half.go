package isa

import "math"

// Floating-point formats of 16 bits (PTX ISA, sections 5.2.1 and 5.2.3). f16 is binary16 of IEEE
// 754, bf16 the upper half of an f32. tf32 is an f32 with the fraction of an f16, in the upper 19
// bits of a register.
//
// Arithmetic is that of float64 and one rounding. float64 holds every value of these formats and
// every product of two exactly. The sum of two may need a rounding, but the second rounding then
// does no harm. 53 bits are at least twice 11 and 2 more (S. Figueroa, When is double rounding
// innocuous?, 1995).

var (
	binary16 = layout{fraction: 10, emin: -14, inf: 0x7C00, nan: 0x7FFF, sign: 1 << 15}
	bfloat16 = layout{fraction: 7, emin: -126, inf: 0x7F80, nan: 0x7FFF, sign: 1 << 15}
	tfloat32 = layout{fraction: 10, emin: -126, inf: 0xFF << 10, nan: 1<<18 - 1, sign: 1 << 18}
)

// tf32Shift is the number of the lowest bit of a tf32 in its register.
const tf32Shift = 13

// value is the number that u encodes.
func (f *layout) value(u uint64) float64 {
	magnitude := u & (f.sign - 1)
	var v float64
	switch {
	case magnitude > f.inf:
		return math.NaN()
	case magnitude == f.inf:
		v = math.Inf(1)
	case magnitude>>f.fraction == 0:
		v = float64(magnitude) * math.Float64frombits(uint64(f.emin-f.fraction+1023)<<52)
	default:
		v = math.Float64frombits(magnitude<<(52-f.fraction) + uint64(f.emin+1022)<<52)
	}
	if u&f.sign != 0 {
		return -v
	}
	return v
}

// nearest is v rounded to the format, of fewer than 30 bits, to nearest even.
func (f *layout) nearest(v float64) uint64 {
	u := math.Float64bits(v)
	var sign uint64
	if u>>63 != 0 {
		sign = f.sign
	}
	u &^= 1 << 63
	switch {
	case v != v:
		return f.nan
	case u < uint64(f.emin+1023)<<52:
		// The last place of unit is that of a subnormal, so that adding unit rounds to it.
		unit := math.Float64frombits(uint64(f.emin-f.fraction+52+1023) << 52)
		return sign | math.Float64bits(math.Abs(v)+unit) - math.Float64bits(unit)
	}
	drop := 52 - f.fraction
	u += 1<<(drop-1) - 1 + u>>drop&1
	return sign | min(u>>drop-uint64(f.emin+1022)<<f.fraction, f.inf)
}

// toward is v rounded to the format in any direction.
func (f *layout) toward(mode Round, v float64) uint64 {
	switch {
	case v != v:
		return f.nan
	case v == 0 || !finite(v):
		return f.nearest(v)
	}
	return exactly(v).round(f, mode)
}

// cut is v without the digits that the format does not have. Above its range it is infinity.
func (f *layout) cut(v float64) uint64 {
	if math.Abs(v) >= math.Ldexp(1, 2-f.emin) {
		return f.nearest(v)
	}
	return f.toward(RoundZero, v)
}

// flush replaces a subnormal by the zero of its sign (.ftz).
func (f *layout) flush(u uint64) uint64 {
	if u&f.inf == 0 {
		return u & f.sign
	}
	return u
}

// vanishes reports whether .ftz flushes the result d of a*b+c, to nearest, though it is the smallest normal
// number. A GPU rounds to the digits of a normal number first, and that gave a smaller one.
func (f *layout) vanishes(d, a, b, c uint64) bool {
	return d&^f.sign == 1<<f.fraction && f.below(fused(f.value(a), f.value(b), f.value(c)))
}

// below reports whether v, to nearest and with the digits of a normal number of the format, is smaller than
// the smallest of these.
func (f *layout) below(v float64) bool {
	return math.Abs(v) < math.Ldexp(1-math.Ldexp(1, -f.fraction-2), f.emin)
}

// saturate clamps a result to [+0, 1], and NaN to +0 (.sat).
func (f *layout) saturate(u uint64) uint64 {
	one := uint64(1-f.emin) << f.fraction
	if u&f.sign != 0 || u > f.inf {
		return 0
	}
	return min(u, one)
}

// rectify replaces negative values by +0; NaN stays (.relu).
func (f *layout) rectify(u uint64) uint64 {
	if u&f.sign != 0 && u&^f.sign <= f.inf {
		return 0
	}
	return u
}

// limit replaces infinity by the largest number (.satfinite).
func (f *layout) limit(u uint64) uint64 {
	if u&^f.sign == f.inf {
		return u - 1
	}
	return u
}

// modify applies the modifiers in flags to a result.
func (f *layout) modify(u uint64, flags Flags) uint64 {
	if flags&FlagFtz != 0 {
		u = f.flush(u)
	}
	if flags&FlagSat != 0 {
		u = f.saturate(u)
	}
	if flags&FlagRelu != 0 {
		u = f.rectify(u)
	}
	if flags&FlagSatFinite != 0 {
		u = f.limit(u)
	}
	return u
}

// canonical is u, except that every NaN becomes the canonical one.
func (f *layout) canonical(u uint64) uint64 {
	if u&^f.sign > f.inf {
		return f.nan
	}
	return u
}

// fused is a*b+c for values of f32 or of a smaller format, rounded to odd: the last bit is set if the result
// is inexact. A second rounding to a format of 51 bits or fewer then equals a single one (S. Boldo
// & G. Melquiond, Emulation of a FMA and correctly rounded sums, 2008). The product is exact, and
// so is the error of the sum (Knuth, TwoSum).
func fused(a, b, c float64) float64 {
	p := float64(a * b)
	s := p + c
	if !finite(s) {
		return s
	}
	q := s - p
	e := float64(p-float64(s-q)) + float64(c-q)
	if u := math.Float64bits(s); e != 0 && u&1 == 0 {
		if e > 0 == (s > 0) {
			return math.Float64frombits(u + 1)
		}
		return math.Float64frombits(u - 1)
	}
	return s
}

// extreme is the smaller or larger of a and b, of any format. -0 is smaller than +0, and NaN loses
// unless flags have .NaN. With .xorsign.abs it compares magnitudes and takes the sign of the
// product, unless the result is NaN (PTX ISA, min and max).
func (f *layout) extreme(op Op, flags Flags, a, b uint64) uint64 {
	sign := (a ^ b) & f.sign
	if flags&FlagXorSign != 0 {
		a, b = a&^f.sign, b&^f.sign
	}
	nanA, nanB := a&^f.sign > f.inf, b&^f.sign > f.inf
	var d uint64
	switch {
	case nanA && nanB, flags&FlagNaN != 0 && (nanA || nanB):
		return f.nan
	case nanA:
		d = b
	case nanB, (f.ordinal(a) < f.ordinal(b)) == (op == OpMin):
		d = a
	default:
		d = b
	}
	if flags&FlagXorSign != 0 {
		d |= sign
	}
	return d
}

// ordinal maps the numbers of a format to integers of the same order, -0 before +0.
func (f *layout) ordinal(u uint64) int64 {
	if u&f.sign != 0 {
		return -1 - int64(u&^f.sign)
	}
	return int64(u)
}

// HalfValue is the number that an f16 encodes.
func HalfValue(u uint16) float32 { return float32(binary16.value(uint64(u))) }

// NearestHalf is v as an f16, rounded to nearest even.
func NearestHalf(v float32) uint16 { return uint16(binary16.toward(RoundNearest, float64(v))) }
