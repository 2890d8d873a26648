package isa

import (
	"math"
	"math/bits"
)

// Exact floating-point arithmetic. Results to nearest come from the host's hardware, which is exact
// IEEE 754 on every platform of Go. All others (directed rounding, the rare hard cases of the fused
// multiply-add) go through number. It keeps enough bits to round once, in any direction.

// Canonical NaNs. The manual leaves the NaN of an f32 instruction open; real GPUs give this one.
// f64 arithmetic here gives one NaN too, so that a result does not depend on the order of the
// operands.
const (
	nan32 = 0x7FFF_FFFF
	nan64 = 0x7FF8_0000_0000_0000
)

func float(a uint64) float32 { return math.Float32frombits(uint32(a)) }

func double(a uint64) float64 { return math.Float64frombits(a) }

// bits32 and bits64 are the lane value of a result.

func bits32(v float32) uint64 {
	if v != v {
		return nan32
	}
	return uint64(math.Float32bits(v))
}

func bits64(v float64) uint64 {
	if v != v {
		return nan64
	}
	return math.Float64bits(v)
}

// flush32 replaces a subnormal f32 by the zero of its sign (.ftz).
func flush32(a uint64) uint64 {
	if a&0x7F80_0000 == 0 {
		return a & 0x8000_0000
	}
	return a
}

// saturate32f and saturate64f clamp a result to [+0, 1], and NaN to +0 (.sat).

func saturate32f(a uint64) uint64 {
	if v := float(a); !(v > 0) {
		return 0
	} else if v > 1 {
		return bits32(1)
	}
	return a
}

func saturate64f(a uint64) uint64 {
	if v := double(a); !(v > 0) {
		return 0
	} else if v > 1 {
		return bits64(1)
	}
	return a
}

// fma32 is a*b+c in f32 with one rounding. The product is exact in float64, where the sum is
// rounded first. The second rounding, to f32, is wrong only if the first one gave the midpoint of
// two f32. Those cases take the exact path.
func fma32(a, b, c uint64) uint64 {
	s := multiplyAdd(a, b, c)
	r := math.Float32bits(float32(s))
	if delicate(s, r) {
		return fmaExact32(s, a, b, c)
	}
	return uint64(r)
}

// Fma is a*b+c with one rounding.
func Fma(a, b, c float32) float32 {
	return float(fma32(uint64(math.Float32bits(a)), uint64(math.Float32bits(b)), uint64(math.Float32bits(c))))
}

func multiplyAdd(a, b, c uint64) float64 {
	z := float64(float(c)) // loaded first, so that the compiler makes no dependency between lanes
	return float64(float64(float(a))*float64(float(b))) + z
}

// delicate reports whether s, which rounds to r, could be the midpoint of two f32. The bits of s
// beyond the 24 of a normal number tell, or r has fewer bits (or is the number next to those). It
// is also true for zero and NaN.
func delicate(s float64, r uint32) bool {
	return math.Float64bits(s)<<35 == 1<<63 || r&^(1<<31)-0x0080_0001 > 0x7F80_0000-0x0080_0001
}

//go:noinline
func fmaExact32(s float64, a, b, c uint64) uint64 {
	if s == 0 || s != s {
		return bits32(float32(s))
	}
	return arith(OpFma, &binary32, RoundNearest, float64(float(a)), float64(float(b)), float64(float(c)))
}

// fma64 is a*b+c in f64 with one rounding.
func fma64(a, b, c uint64) uint64 { return bits64(math.FMA(double(a), double(b), double(c))) }

// layout describes a binary format of IEEE 754.
type layout struct {
	fraction int // bits of the fraction field
	emin     int // exponent of the smallest normal number
	inf, nan uint64
	sign     uint64
}

var (
	binary32 = layout{fraction: 23, emin: -126, inf: 0x7F80_0000, nan: nan32, sign: 1 << 31}
	binary64 = layout{fraction: 52, emin: -1022, inf: 0x7FF0_0000_0000_0000, nan: nan64, sign: 1 << 63}
)

// number is the magnitude (hi:lo) * 2^exp with a sign. The lowest bit of lo is sticky: it also
// stands for all bits shifted out below it.
type number struct {
	neg    bool
	exp    int
	hi, lo uint64
}

// exactly is v as a number; v is finite.
func exactly(v float64) number {
	u := math.Float64bits(v)
	n := number{neg: u>>63 != 0, exp: int(u >> 52 & 0x7FF), lo: u & (1<<52 - 1)}
	if n.exp == 0 {
		n.exp = 1
	} else {
		n.lo |= 1 << 52
	}
	n.exp -= 1075
	return n
}

func (n number) zero() bool { return n.hi|n.lo == 0 }

// normal shifts n left until only the top bit of hi is 0, which leaves room for a carry.
func (n number) normal() number {
	if n.hi == 0 {
		n.hi, n.lo, n.exp = n.lo, 0, n.exp-64
	}
	s := bits.LeadingZeros64(n.hi) - 1
	if s < 0 {
		return n.right(1)
	}
	n.hi, n.lo = n.hi<<s|n.lo>>(64-s), n.lo<<s
	n.exp -= s
	return n
}

// right shifts n right by s bits and keeps the sticky bit.
func (n number) right(s int) number {
	n.exp += s
	if s >= 64 {
		sticky := uint64(bit(n.lo != 0))
		n.hi, n.lo, s = 0, n.hi|sticky, s-64
	}
	if s >= 64 {
		s = 63
		n.lo = uint64(bit(n.lo != 0))
	}
	sticky := uint64(bit(n.lo<<(64-s) != 0))
	n.hi, n.lo = n.hi>>s, n.hi<<(64-s)|n.lo>>s|sticky
	return n
}

func (n number) times(o number) number {
	hi, lo := bits.Mul64(n.lo, o.lo)
	return number{neg: n.neg != o.neg, exp: n.exp + o.exp, hi: hi, lo: lo}
}

// plus is n + o. The sign of an exact zero follows IEEE 754, section 6.3.
func (n number) plus(o number, mode Round) number {
	switch {
	case n.zero() && o.zero():
		n.neg = signOfZero(n.neg, o.neg, mode)
		return n
	case n.zero():
		return o
	case o.zero():
		return n
	}
	n, o = n.normal(), o.normal()
	if n.exp < o.exp || n.exp == o.exp && (n.hi < o.hi || n.hi == o.hi && n.lo < o.lo) {
		n, o = o, n
	}
	o = o.right(n.exp - o.exp)
	var carry uint64
	if n.neg == o.neg {
		n.lo, carry = bits.Add64(n.lo, o.lo, 0)
		n.hi += o.hi + carry
		return n
	}
	n.lo, carry = bits.Sub64(n.lo, o.lo, 0)
	n.hi -= o.hi + carry
	if n.zero() {
		n.neg = signOfZero(n.neg, o.neg, mode)
	}
	return n
}

func signOfZero(a, b bool, mode Round) bool {
	if a == b {
		return a
	}
	return mode == RoundDown
}

// over is n / o, for numbers made by exactly, with o not zero.
func (n number) over(o number) number {
	if n.zero() {
		n.neg = n.neg != o.neg
		return n
	}
	ns, os := bits.LeadingZeros64(n.lo), bits.LeadingZeros64(o.lo)
	dividend, divisor := n.lo<<ns, o.lo<<os
	q, r := bits.Div64(dividend>>1, dividend<<63, divisor)
	exp := (n.exp - ns) - (o.exp - os) - 63
	return number{neg: n.neg != o.neg, exp: exp - 64, hi: q, lo: uint64(bit(r != 0))}
}

// root is the square root of v > 0. The root to nearest has an error below one unit in its last
// place; the sign of the remainder gives the direction of the error.
func root(v float64) number {
	r := exactly(math.Sqrt(v))
	square := r.times(r)
	square.neg = true
	rest := exactly(v).plus(square, RoundNearest)
	r = r.normal()
	if !rest.zero() {
		if rest.neg {
			var borrow uint64
			r.lo, borrow = bits.Sub64(r.lo, 1, 0)
			r.hi -= borrow
		}
		r.lo |= 1
	}
	return r
}

// round is the encoding of n in the format f.
func (n number) round(f *layout, mode Round) uint64 {
	var sign uint64
	if n.neg {
		sign = f.sign
	}
	if n.zero() {
		return sign
	}
	n = n.normal()
	e := n.exp + 126 // of the leading bit
	if e < f.emin {
		n = n.right(f.emin - e)
		e = f.emin
	}
	drop := 62 - f.fraction // bits of hi below the last place
	q := n.hi >> drop
	rest, half := n.hi&(1<<drop-1), uint64(1)<<(drop-1)
	inexact := rest|n.lo != 0
	var up bool
	switch mode {
	case RoundZero:
	case RoundAway:
		up = rest >= half
	case RoundDown:
		up = inexact && n.neg
	case RoundUp:
		up = inexact && !n.neg
	default:
		up = rest > half || rest == half && (n.lo != 0 || q&1 != 0)
	}
	// The leading bit of q adds one to the exponent field, as does a carry.
	r := uint64(e-f.emin)<<f.fraction + q + uint64(bit(up))
	if r >= f.inf {
		r = f.inf
		if mode == RoundZero || mode == RoundDown && !n.neg || mode == RoundUp && n.neg {
			r--
		}
	}
	return sign | r
}

// arith computes op on operands of format f, which float64 holds exactly, and rounds once to f.
// Unused operands are 0.
func arith(op Op, f *layout, mode Round, a, b, c float64) uint64 {
	switch op {
	case OpSub:
		op, b = OpAdd, -b
	case OpMad:
		op = OpFma
	case OpRcp:
		op, a, b = OpDiv, 1, a
	}
	// Infinities, NaN, divisions by zero and roots of negative numbers do not depend on the
	// rounding; float64 gives the result.
	special := !finite(a) || !finite(b) || !finite(c)
	var v float64
	switch op {
	case OpAdd:
		v = a + b
	case OpMul:
		v = a * b
	case OpFma:
		v = math.FMA(a, b, c)
	case OpDiv:
		v = a / b
		special = special || b == 0
	case OpSqrt:
		v = math.Sqrt(a)
		special = special || a <= 0
	}
	if special {
		if f == &binary32 {
			return bits32(float32(v))
		}
		return bits64(v)
	}
	var n number
	switch op {
	case OpAdd:
		n = exactly(a).plus(exactly(b), mode)
	case OpMul:
		n = exactly(a).times(exactly(b))
	case OpFma:
		n = exactly(a).times(exactly(b)).plus(exactly(c), mode)
	case OpDiv:
		n = exactly(a).over(exactly(b))
	case OpSqrt:
		n = root(a)
	}
	return n.round(f, mode)
}

func finite(v float64) bool { return math.Abs(v) <= math.MaxFloat64 }
