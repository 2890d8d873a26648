package isa

import (
	"math"
	"math/bits"
)

// Approximate functions (PTX ISA, section 9.7.3, the .approx and .full forms).
//
// They use float64 polynomials of this package: the library's versions have assembly on some
// machines and would differ in the last bit. Every product is rounded explicitly, so that none is
// fused with an addition. The results lie well within the manual's error bounds; its tables of
// special values hold.

const (
	ln2    = 0.693147180559945309417232121458176568
	halfPi = 1.57079632679489661923132169163975144
)

// horner is c[0] + c[1]*x + c[2]*x^2 + ...
func horner(x float64, c []float64) float64 {
	var y float64
	for i := len(c) - 1; i >= 0; i-- {
		y = float64(y*x) + c[i]
	}
	return y
}

// The series of exp(t) for |t| <= ln(2)/2, and of atanh(s)/s, sin(r)/r and
// cos(r) in powers of the square, for |s| <= 0.172 and |r| <= pi/4.
var (
	expSeries   = []float64{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320}
	atanhSeries = []float64{1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13}
	sinSeries   = []float64{1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800}
	cosSeries   = []float64{1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600}
)

// Ex2Approx is 2^x, for ex2.approx.f32. The manual allows 2 ulp.
func Ex2Approx(x float32) float32 {
	v := float64(x)
	switch {
	case v != v:
		return x
	case v > 129:
		return float32(math.Inf(1))
	case v < -151:
		return 0
	}
	n := math.RoundToEven(v)
	y := horner((v-n)*ln2, expSeries)
	return float32(y * math.Float64frombits(uint64(int64(n)+1023)<<52))
}

// TanhApprox is tanh(x), for tanh.approx.f32. The manual allows a relative error of 2^-11.
func TanhApprox(x float32) float32 {
	v := math.Abs(float64(x))
	switch {
	case v != v || v < 0x1p-13: // the next term is x^3/3
		return x
	case v > 10: // 1 - tanh(10) is less than 2^-27
		return float32(math.Copysign(1, float64(x)))
	}
	n := math.RoundToEven(2 / ln2 * v) // exp(2v) = 2^n * exp(rest)
	e := horner(2*v-float64(n*ln2), expSeries) * math.Float64frombits(uint64(int64(n)+1023)<<52)
	return float32(math.Copysign((e-1)/(e+1), float64(x)))
}

// Lg2Approx is log2(x), for lg2.approx.f32. The manual allows an absolute error of 2^-22 for x
// between 0.5 and 2, and a relative error of 2^-22 elsewhere.
func Lg2Approx(x float32) float32 {
	v := float64(x)
	switch {
	case v != v || v < 0:
		return float32(math.NaN())
	case v == 0:
		return float32(math.Inf(-1))
	case !finite(v):
		return x
	}
	// v = m * 2^e with m in [sqrt(1/2), sqrt(2)); log(m) = 2 atanh((m-1)/(m+1)).
	u := math.Float64bits(v)
	e := int(u>>52) - 1023
	m := math.Float64frombits(u&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, e = m/2, e+1
	}
	s := (m - 1) / (m + 1)
	return float32(float64(2/ln2*s*horner(float64(s*s), atanhSeries)) + float64(e))
}

// SinApprox is sin(x), for sin.approx.f32. The manual allows an absolute error of 2^-20.5 in [-2
// pi, 2 pi] and gives no bound beyond 100 pi. The reduction here is exact for all x.
func SinApprox(x float32) float32 {
	switch v := math.Abs(float64(x)); {
	case !finite(v):
		return float32(math.NaN())
	case v < 0x1p-13:
		return x
	}
	y := wave(0, x)
	if x < 0 {
		return -y
	}
	return y
}

// CosApprox is cos(x), for cos.approx.f32, with the bounds of SinApprox.
func CosApprox(x float32) float32 {
	switch v := math.Abs(float64(x)); {
	case !finite(v):
		return float32(math.NaN())
	case v < 0x1p-13:
		return 1
	}
	return wave(1, x)
}

// twoOverPi is 2/pi in binary: 64 zeros, then the bits after the point.
var twoOverPi = [...]uint64{0, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561}

// wave is sin(|x| + quadrant*pi/2) for |x| >= 2^-13. It multiplies the mantissa of x by 128 bits of
// 2/pi, those that decide the quadrant and the fraction of it (M. Payne & R. Hanek, SIGNUM
// Newsletter 18, 1983).
func wave(quadrant uint64, x float32) float32 {
	u := math.Float32bits(x)
	m := uint64(u&(1<<23-1) | 1<<23)
	e := int(u>>23&0xFF) - 150

	at, shift := (e+62)/64, uint(e+62)%64
	w := twoOverPi[at : at+3]
	hi := w[0]<<shift | w[1]>>(64-shift)
	lo := w[1]<<shift | w[2]>>(64-shift)
	carry, _ := bits.Mul64(lo, m)
	turns := hi*m + carry // in units of 2^-62 quadrants, modulo 4 quadrants

	quadrant += (turns + 1<<61) >> 62
	r := float64(int64(turns<<2)) * (halfPi / (1 << 63) / 2)
	square := float64(r * r)
	var y float64
	if quadrant&1 == 0 {
		y = r * horner(square, sinSeries)
	} else {
		y = horner(square, cosSeries)
	}
	if quadrant&2 != 0 {
		y = -y
	}
	return float32(y)
}

// RcpApprox is 1/x, for rcp.approx.f32. The manual allows 1 ulp.
func RcpApprox(x float32) float32 { return 1 / x }

// SqrtApprox is the square root of x, for sqrt.approx.f32. The manual allows a relative error of
// 2^-23.
func SqrtApprox(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// RsqrtApprox is 1/sqrt(x), for rsqrt.approx.f32. The manual allows a relative error of 2^-22.9.
func RsqrtApprox(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }

// RsqrtApprox64 is 1/sqrt(x), for rsqrt.approx.f64.
func RsqrtApprox64(x float64) float64 { return 1 / math.Sqrt(x) }

// DivApprox is a*(1/b), for div.approx.f32. The manual allows 2 ulp for |b| from 2^-126 to 2^126.
// For larger |b|, 1/b is subnormal and counts as zero.
func DivApprox(a, b float32) float32 {
	r := 1 / b
	if math.Abs(float64(r)) < 0x1p-126 {
		r = float32(math.Copysign(0, float64(r)))
	}
	return a * r
}

// DivFull is a/b, for div.full.f32. The manual allows 2 ulp for all a and b.
func DivFull(a, b float32) float32 { return a / b }

// coarseNaN is the result of a coarse f64 function for NaN.
const coarseNaN = 0x7FFF_FFFF_0000_0000

// RcpCoarse64 is 1/x for rcp.approx.ftz.f64, on encodings. Only the upper 32 bits of argument and
// result count; subnormals are zero.
func RcpCoarse64(x uint64) uint64 {
	return coarse(x, func(v float64) float64 { return 1 / v })
}

// RsqrtCoarse64 is 1/sqrt(x) for rsqrt.approx.ftz.f64, on encodings like RcpCoarse64.
func RsqrtCoarse64(x uint64) uint64 { return coarse(x, RsqrtApprox64) }

func coarse(x uint64, f func(v float64) float64) uint64 {
	y := math.Float64bits(f(double(flushCoarse(x))))
	if v := double(y); v != v {
		return coarseNaN
	}
	return flushCoarse(y)
}

// flushCoarse cuts an f64 to its upper word, and flushes a subnormal to zero. A NaN stays a NaN.
func flushCoarse(x uint64) uint64 {
	if v := double(x); v != v {
		return coarseNaN
	}
	x &^= 1<<32 - 1
	if x&binary64.inf == 0 {
		return x & binary64.sign
	}
	return x
}

func (d *datapath) addApproximations() {
	for _, e := range []struct {
		op Op
		f  func(x float32) float32
	}{
		{OpRcp, RcpApprox},
		{OpSqrt, SqrtApprox},
		{OpRsqrt, RsqrtApprox},
		{OpSin, SinApprox},
		{OpCos, CosApprox},
		{OpLg2, Lg2Approx},
		{OpEx2, Ex2Approx},
	} {
		f := form{op: e.op, typ: F32, flags: FlagApprox}
		d.add(f, unary(func(a uint64) uint64 { return bits32(e.f(float(a))) }))
		f.flags |= FlagFtz
		d.add(f, unary(func(a uint64) uint64 { return flush32(bits32(e.f(float(flush32(a))))) }))
	}
	for _, e := range []struct {
		flag Flags
		f    func(a, b float32) float32
	}{
		{FlagApprox, DivApprox},
		{FlagFull, DivFull},
	} {
		f := form{op: OpDiv, typ: F32, flags: e.flag}
		d.add(f, binary(func(a, b uint64) uint64 { return bits32(e.f(float(a), float(b))) }))
		f.flags |= FlagFtz
		d.add(f, binary(func(a, b uint64) uint64 {
			return flush32(bits32(e.f(float(flush32(a)), float(flush32(b)))))
		}))
	}
	d.add(form{op: OpTanh, typ: F32, flags: FlagApprox},
		unary(func(a uint64) uint64 { return bits32(TanhApprox(float(a))) }))
	d.add(form{op: OpRsqrt, typ: F64, flags: FlagApprox},
		unary(func(a uint64) uint64 { return bits64(RsqrtApprox64(double(a))) }))
	d.add(form{op: OpRcp, typ: F64, flags: FlagApprox | FlagFtz}, unary(RcpCoarse64))
	d.add(form{op: OpRsqrt, typ: F64, flags: FlagApprox | FlagFtz}, unary(RsqrtCoarse64))
}
