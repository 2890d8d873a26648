package isa

import "math"

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
	case v != v || v < 0x1p-8: // x^3/3 is within the error
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
// pi, 2 pi].
func SinApprox(x float32) float32 { return wave(turns(x), 0) }

// CosApprox is cos(x), for cos.approx.f32, with the bounds of SinApprox.
func CosApprox(x float32) float32 { return wave(math.Abs(turns(x)), 1) }

// turns is x/(2 pi) as a GPU computes it: one multiplication in f32, rounded toward zero. A subnormal product
// is zero.
func turns(x float32) float64 {
	const perTurn = 0x1.45f306p-3 // 1/(2 pi) in f32
	v := float64(x) * perTurn     // exact
	u := math.Float64bits(v) &^ (1<<29 - 1)
	if v = math.Float64frombits(u); math.Abs(v) < 0x1p-126 {
		return math.Copysign(0, v)
	}
	return v
}

// wave is sin((turns + quadrant/4) * 2 pi). It has the sign of turns if it is zero.
func wave(turns float64, quadrant int) float32 {
	if !finite(turns) {
		return float32(math.NaN())
	}
	quarters := 4 * math.Mod(turns, 1)
	whole := math.RoundToEven(quarters)
	r := (quarters - whole) * halfPi
	quadrant += int(whole)
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
	if y == 0 {
		y = math.Copysign(0, turns)
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

// DivApprox is a/b, for div.approx.f32. The manual allows 2 ulp for |b| from 2^-126 to 2^126. A larger |b|
// counts as infinity.
func DivApprox(a, b float32) float32 {
	if math.Abs(float64(b)) > 0x1p126 {
		b = float32(math.Inf(1)) * b
	}
	return a / b
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
