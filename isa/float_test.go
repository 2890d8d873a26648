package isa

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The reference for floating point is math/big. Results are computed exactly, or to 400 bits and a
// sticky bit. They are rounded here with integers, by the definition of the rounding modes.

// ieee is a binary format.
type ieee struct {
	t         Type
	precision int // bits of the significand
	emin      int // exponent of the smallest normal number
	emax      int
}

var (
	single = ieee{F32, 24, -126, 127}
	dual   = ieee{F64, 53, -1022, 1023}
)

func (f ieee) decode(bits uint64) float64 {
	if f.t == F32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

func (f ieee) encode(v float64) uint64 {
	switch {
	case f.t == F32 && math.IsNaN(v):
		return 0x7FFFFFFF
	case f.t == F32:
		return uint64(math.Float32bits(float32(v)))
	case math.IsNaN(v):
		return 0x7FF8000000000000
	}
	return math.Float64bits(v)
}

// round is the encoding of the exact value v, not zero.
func (f ieee) round(v *big.Float, mode Round) uint64 {
	exponent := max(v.MantExp(nil)-1, f.emin) - (f.precision - 1) // of the last place
	scaled := new(big.Float).SetMantExp(v, -exponent)
	whole, accuracy := new(big.Float).Abs(scaled).Int(nil)
	if accuracy != big.Exact {
		fraction := new(big.Float).Sub(new(big.Float).Abs(scaled), new(big.Float).SetInt(whole))
		half := fraction.Cmp(big.NewFloat(0.5))
		var up bool
		switch mode {
		case RoundNearest:
			up = half > 0 || half == 0 && whole.Bit(0) == 1
		case RoundDown:
			up = v.Signbit()
		case RoundUp:
			up = !v.Signbit()
		}
		if up {
			whole.Add(whole, big.NewInt(1))
		}
	}
	result := new(big.Float).SetMantExp(new(big.Float).SetInt(whole), exponent)
	largest := math.Ldexp(2-math.Ldexp(1, 1-f.precision), f.emax)
	value, _ := result.Float64()
	if result.Cmp(big.NewFloat(largest)) > 0 {
		value = math.Inf(1)
		if mode == RoundZero || mode == RoundDown && !v.Signbit() || mode == RoundUp && v.Signbit() {
			value = largest
		}
	}
	if v.Signbit() {
		value = -value
	}
	return f.encode(value)
}

func TestReferenceRounds(t *testing.T) {
	third := new(big.Float).Quo(big.NewFloat(1).SetPrec(200), big.NewFloat(3))
	assert.Equal(t, uint64(0x3EAAAAAB), single.round(third, RoundNearest))
	assert.Equal(t, uint64(0x3EAAAAAA), single.round(third, RoundZero))
	assert.Equal(t, uint64(0xBEAAAAAB), single.round(new(big.Float).Neg(third), RoundDown))
	assert.Equal(t, uint64(0x7F800000), single.round(big.NewFloat(0x1p128), RoundNearest))
	assert.Equal(t, uint64(0x7F7FFFFF), single.round(big.NewFloat(0x1p128), RoundDown))
	assert.Equal(t, uint64(1), single.round(big.NewFloat(0x1p-200), RoundUp))
	assert.Equal(t, uint64(2), single.round(big.NewFloat(0x1.8p-149), RoundNearest))
}

// reference is op on encodings, rounded once, with canonical NaN.
func (f ieee) reference(op Op, mode Round, a, b, c uint64) uint64 {
	x, y, z := f.decode(a), f.decode(b), f.decode(c)
	switch op {
	case OpSub:
		op, y = OpAdd, -y
	case OpRcp:
		op, x, y = OpDiv, 1, x
	case OpMad:
		op = OpFma
	}
	isInf := func(v float64) bool { return math.IsInf(v, 0) }
	nan := f.encode(math.NaN())
	sign := func(negative bool, v float64) uint64 {
		if negative {
			return f.encode(math.Copysign(v, -1))
		}
		return f.encode(v)
	}
	neg := math.Signbit
	sum := func(p *big.Float, pneg bool, q float64) uint64 { // p + q, both finite
		s := new(big.Float).SetPrec(4400).Add(p, big.NewFloat(q))
		if s.Sign() != 0 {
			return f.round(s, mode)
		}
		if pneg == neg(q) {
			return sign(pneg, 0)
		}
		return sign(mode == RoundDown, 0)
	}
	switch op {
	case OpAdd:
		switch {
		case math.IsNaN(x) || math.IsNaN(y) || isInf(x) && isInf(y) && x != y:
			return nan
		case isInf(x):
			return f.encode(x)
		case isInf(y):
			return f.encode(y)
		}
		return sum(big.NewFloat(x), neg(x), y)
	case OpMul, OpFma:
		negative := neg(x) != neg(y)
		switch {
		case math.IsNaN(x) || math.IsNaN(y) || op == OpFma && math.IsNaN(z):
			return nan
		case isInf(x) && y == 0 || isInf(y) && x == 0:
			return nan
		case isInf(x) || isInf(y):
			if op == OpFma && isInf(z) && neg(z) != negative {
				return nan
			}
			return sign(negative, math.Inf(1))
		case op == OpFma && isInf(z):
			return f.encode(z)
		}
		product := new(big.Float).SetPrec(4400).Mul(big.NewFloat(x), big.NewFloat(y))
		switch {
		case op == OpFma:
			return sum(product, negative, z)
		case product.Sign() == 0:
			return sign(negative, 0)
		}
		return f.round(product, mode)
	case OpDiv:
		negative := neg(x) != neg(y)
		switch {
		case math.IsNaN(x) || math.IsNaN(y) || isInf(x) && isInf(y) || x == 0 && y == 0:
			return nan
		case isInf(x) || y == 0:
			return sign(negative, math.Inf(1))
		case isInf(y) || x == 0:
			return sign(negative, 0)
		}
		q := new(big.Float).SetPrec(400).SetMode(big.ToZero).Quo(big.NewFloat(x), big.NewFloat(y))
		return f.round(sticky(q, q.Acc() != big.Exact), mode)
	case OpSqrt:
		switch {
		case math.IsNaN(x) || x < 0:
			return nan
		case x == 0 || isInf(x):
			return f.encode(x)
		}
		mantissa := new(big.Float)
		exponent := big.NewFloat(x).MantExp(mantissa)
		if exponent%2 != 0 {
			mantissa.SetMantExp(mantissa, 1)
			exponent--
		}
		square, _ := mantissa.SetMantExp(mantissa, 400).Int(nil)
		root := new(big.Int).Sqrt(square)
		inexact := new(big.Int).Mul(root, root).Cmp(square) != 0
		r := new(big.Float).SetPrec(400).SetInt(root)
		r.SetMantExp(r, exponent/2-200)
		return f.round(sticky(r, inexact), mode)
	}
	panic(fmt.Sprint("no reference for op ", op))
}

// sticky moves v slightly away from zero if it is inexact. v was cut to some 200 bits or more.
func sticky(v *big.Float, inexact bool) *big.Float {
	if !inexact {
		return v
	}
	tiny := new(big.Float).SetMantExp(big.NewFloat(1), v.MantExp(nil)-500)
	if v.Signbit() {
		tiny.Neg(tiny)
	}
	return new(big.Float).SetPrec(600).Add(v, tiny)
}

// edges are the edge cases of f, of both signs: zeros, subnormals, the numbers around powers of
// two, halfway patterns, infinities and NaN.
func (f ieee) edges() []uint64 {
	fraction := uint64(1)<<(f.precision-1) - 1
	infinity := uint64(2*f.emax+1) << (f.precision - 1)
	half := uint64(1) << (f.precision / 2)
	v := []uint64{
		0, 1, 2, 3, fraction, fraction - 1, fraction + 1, fraction + 2, infinity - 1, infinity - 2, infinity,
		infinity + 1, infinity | fraction, infinity | (fraction+1)/2,
	}
	for _, e := range []int{
		-30, -25, -24, -23, -12, -2, -1, 0, 1, 2, 11, 12, 23, 24, 31, 32, 52, 53, 63, 64, 120,
		f.emin + 1, f.emin + f.precision, f.emax, f.emax - 1,
	} {
		one := uint64(e+f.emax) << (f.precision - 1)
		v = append(v, one, one+1, one-1, one+half, one+half-1, one|(fraction+1)/2, one|(fraction+1)/2+1)
	}
	sign := uint64(1) << (f.t.Bits() - 1)
	for _, p := range v[:len(v):len(v)] {
		v = append(v, p|sign)
	}
	return v
}

// random is an encoding from one of several distributions: any bits, an edge, a narrow range of
// exponents, or few significant bits. A narrow range makes sums cancel; few bits make results
// halfway.
func (f ieee) random(rng *rand.Rand, edges []uint64) uint64 {
	bits := rng.Uint64() >> (64 - f.t.Bits())
	sign := bits & (1 << (f.t.Bits() - 1))
	fraction := bits & (1<<(f.precision-1) - 1)
	switch rng.IntN(4) {
	case 0:
		return bits
	case 1:
		return sign | uint64(f.emax-3+rng.IntN(7))<<(f.precision-1) | fraction
	case 2:
		n := rng.IntN(f.precision)
		return sign | uint64(f.emax-30+rng.IntN(61))<<(f.precision-1) | fraction>>n<<n
	}
	return edges[rng.IntN(len(edges))]
}

var arithmeticOps = []struct {
	op       Op
	operands int
}{{OpAdd, 2}, {OpSub, 2}, {OpMul, 2}, {OpFma, 3}, {OpMad, 3}, {OpDiv, 2}, {OpRcp, 1}, {OpSqrt, 1}}

func TestArithmeticAgainstExact(t *testing.T) {
	for _, f := range []ieee{single, dual} {
		edges := f.edges()
		for _, o := range arithmeticOps {
			for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
				rng := rand.New(rand.NewPCG(uint64(o.op), uint64(mode)))
				n := 16000
				var src [3][]uint64
				for range n {
					for i := range src {
						src[i] = append(src[i], f.random(rng, edges))
					}
				}
				if o.operands == 3 { // a sum that cancels most of the product
					for i := 0; i < n; i += 3 {
						src[2][i] = f.encode(-f.decode(src[0][i]) * f.decode(src[1][i]))
					}
				}
				if o.operands == 1 {
					copy(src[0], edges)
				}
				got := evaluate(t, Inst{Op: o.op, Type: f.t, Round: mode}, src[:o.operands]...)
				for i := range got {
					want := f.reference(o.op, mode, src[0][i], src[1][i], src[2][i])
					if got[i] != want {
						require.Failf(t, "wrong result", "op %d type %d round %d: %x %x %x: got %x, want %x", o.op, f.t,
							mode, src[0][i], src[1][i], src[2][i], got[i], want)
					}
				}
			}
		}
	}
}

// TestEdgePairs runs the two-operand operations on every pair of edges, and fma
// with a few third operands.
func TestEdgePairs(t *testing.T) {
	edges := single.edges()
	var a, b, c []uint64
	for i, x := range edges {
		for _, y := range edges {
			a, b, c = append(a, x), append(b, y), append(c, edges[(i*7+len(a))%len(edges)])
		}
	}
	for _, op := range []Op{OpAdd, OpMul, OpDiv, OpFma} {
		src := [][]uint64{a, b}
		if op == OpFma {
			src = append(src, c)
		}
		got := evaluate(t, Inst{Op: op, Type: F32, Round: RoundNearest}, src...)
		for i := range got {
			same(t, single.reference(op, RoundNearest, a[i], b[i], c[i]), got[i], "op %d %x %x %x", op, a[i],
				b[i], c[i])
		}
	}
}

// TestFmaRoundsOnce uses sums that float64 rounds to the midpoint of two f32, from both sides.
func TestFmaRoundsOnce(t *testing.T) {
	f := func(v float64) uint64 { return uint64(math.Float32bits(float32(v))) }
	fma := Inst{Op: OpFma, Type: F32, Round: RoundNearest}
	for _, c := range []struct {
		name          string
		a, b, c, want float64
	}{
		{"above the middle, even below", 1 + 0x1p-12, 1 + 0x1p-12, 0x1p-80, 1 + 0x1p-11 + 0x1p-23},
		{"below the middle, even above", 1 + 0x1p-12, 1 + 0x1p-12 + 0x1p-23, -0x1p-100, 0},
		{"exactly the middle", 1 + 0x1p-12, 1 + 0x1p-12, 0, 1 + 0x1p-11},
		{"smallest subnormal, above half", 0x1p-75, 0x1p-75, 0x1p-149, 0x1p-149 * 2},
		{"half of the smallest subnormal", 0x1p-75, 0x1p-75, 0, 0},
		{"a hair more than that", 0x1.000002p-75, 0x1p-75, 0, 0x1p-149},
		{"up to the smallest normal", 0x1.fffffep-64, 0x1p-63, 0, 0x1p-126},
		{"below the middle of subnormals", 0x1.0001p-75, 0x0.ffffp-75, 0x7FFFFDp-149, 0x7FFFFDp-149},
		{"below the smallest normal", 0x1.0001p-75, 0x0.ffffp-75, 0x7FFFFFp-149, 0x7FFFFFp-149},
		{"below the middle, odd below", 1 + 0x1p-16, 1 - 0x1p-16, 0x1.000002p24, 0x1.000002p24},
	} {
		want := f(c.want)
		if c.want == 0 && c.c != 0 { // by the exact sum
			want = single.reference(OpFma, RoundNearest, f(c.a), f(c.b), f(c.c))
		}
		assert.Equal(t, want, one(t, fma, f(c.a), f(c.b), f(c.c)), c.name)
	}
}

func TestFtzAndSat(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	edges := single.edges()
	flush := func(v uint64) uint64 {
		if v&0x7FFFFFFF < 0x00800000 {
			return v & 0x80000000
		}
		return v
	}
	clamp := func(v uint64) uint64 {
		switch x := single.decode(v); {
		case math.IsNaN(x) || x <= 0:
			return 0
		case x > 1:
			return single.encode(1)
		}
		return v
	}
	for _, o := range arithmeticOps {
		for _, mode := range []Round{RoundNearest, RoundUp} {
			for _, flags := range []Flags{FlagFtz, FlagSat, FlagFtz | FlagSat} {
				var src [3][]uint64
				for range 3000 {
					for i := range src {
						v := single.random(rng, edges)
						if rng.IntN(3) == 0 {
							v = rng.Uint64() & 0x80FFFFFF // near the subnormals
						}
						src[i] = append(src[i], v)
					}
				}
				got := evaluate(t, Inst{Op: o.op, Type: F32, Round: mode, Flags: flags}, src[:o.operands]...)
				for i := range got {
					a, b, c := src[0][i], src[1][i], src[2][i]
					if flags&FlagFtz != 0 {
						a, b, c = flush(a), flush(b), flush(c)
					}
					want := single.reference(o.op, mode, a, b, c)
					if flags&FlagFtz != 0 {
						want = flush(want)
					}
					if flags&FlagSat != 0 {
						want = clamp(want)
					}
					same(t, want, got[i], "op %d round %d flags %d: %x %x %x", o.op, mode, flags, src[0][i], src[1][i],
						src[2][i])
				}
			}
		}
	}
}

func TestMinMaxAbsNeg(t *testing.T) {
	const (
		zero, minusZero, inf, minusInf = 0, 0x80000000, 0x7F800000, 0xFF800000
		one_, two, tiny, minusTiny     = 0x3F800000, 0x40000000, 1, 0x80000001
		nan, otherNaN, canonical       = 0x7FC01234, 0xFF800001, 0x7FFFFFFF
	)
	for _, c := range []struct {
		op         Op
		flags      Flags
		a, b, want uint64
	}{
		{OpMin, 0, one_, two, one_},
		{OpMax, 0, one_, two, two},
		{OpMin, 0, minusZero, zero, minusZero},
		{OpMin, 0, zero, minusZero, minusZero},
		{OpMax, 0, minusZero, zero, zero},
		{OpMax, 0, zero, minusZero, zero},
		{OpMin, 0, nan, two, two},
		{OpMin, 0, two, nan, two},
		{OpMax, 0, nan, minusInf, minusInf},
		{OpMin, 0, nan, otherNaN, canonical},
		{OpMax, 0, otherNaN, nan, canonical},
		{OpMin, 0, inf, minusInf, minusInf},
		{OpMax, 0, tiny, minusTiny, tiny},
		{OpMin, FlagFtz, tiny, minusTiny, minusZero},
		{OpMax, FlagFtz, tiny, minusTiny, zero},
		{OpAbs, 0, minusTiny, 0, tiny},
		{OpAbs, FlagFtz, minusTiny, 0, zero},
		{OpAbs, 0, minusInf, 0, inf},
		{OpAbs, 0, otherNaN, 0, canonical},
		{OpNeg, 0, nan, 0, canonical},
		{OpNeg, 0, zero, 0, minusZero},
		{OpNeg, FlagFtz, tiny, 0, minusZero},
		{OpNeg, 0, two, 0, 0xC0000000},
	} {
		src := []uint64{c.a, c.b}
		if c.op == OpAbs || c.op == OpNeg {
			src = src[:1]
		}
		assert.Equal(t, c.want, one(t, Inst{Op: c.op, Type: F32, Flags: c.flags}, src...), "op %d flags %d %x %x", c.op,
			c.flags, c.a, c.b)
	}
	d := math.Float64bits
	assert.Equal(t, d(math.Copysign(0, -1)), one(t, Inst{Op: OpMin, Type: F64}, d(0), d(math.Copysign(0, -1))))
	assert.Equal(t, d(3), one(t, Inst{Op: OpMax, Type: F64}, 0x7FF0000000000001, d(3)))
	assert.Equal(t, d(3), one(t, Inst{Op: OpMin, Type: F64}, d(3), 0x7FF0000000000001))
	assert.Equal(t, uint64(0x7FF8000000000000),
		one(t, Inst{Op: OpMin, Type: F64}, 0xFFF0000000000001, 0x7FF0000000000001))
	assert.Equal(t, d(2), one(t, Inst{Op: OpAbs, Type: F64}, d(-2)))
	assert.Equal(t, d(-2), one(t, Inst{Op: OpNeg, Type: F64}, d(2)))
	assert.Equal(t, uint64(0xFFF0000000000001), one(t, Inst{Op: OpAbs, Type: F64}, 0xFFF0000000000001),
		"NaN passes through unchanged")
	assert.Equal(t, uint64(0xFFF0000000000001), one(t, Inst{Op: OpNeg, Type: F64}, 0xFFF0000000000001),
		"NaN passes through unchanged")
}

func TestCopysign(t *testing.T) {
	assert.Equal(t, uint64(0xC0000000), one(t, Inst{Op: OpCopysign, Type: F32}, 0x80000000, 0x40000000))
	assert.Equal(t, uint64(0x7FC01234), one(t, Inst{Op: OpCopysign, Type: F32}, 0x3F800000, 0xFFC01234))
	assert.Equal(t, math.Float64bits(-5),
		one(t, Inst{Op: OpCopysign, Type: F64}, math.Float64bits(-1), math.Float64bits(5)))
}

// TestFlushBelowNormal: to nearest, .ftz flushes a result that has the digits of a normal number and is below the
// smallest one, even if a subnormal number with fewer digits would be rounded up to that. The values are those
// of an H200 (internal/gpucheck).
func TestFlushBelowNormal(t *testing.T) {
	const sign, least, below = 1 << 31, 0x0080_0000, 0x3F7F_FFFF // 2^-126 and 1 - 2^-24
	mul, fma := Inst{Op: OpMul, Type: F32, Flags: FlagFtz}, Inst{Op: OpFma, Type: F32, Flags: FlagFtz}
	half, halfFma := Inst{Op: OpMul, Type: F16, Flags: FlagFtz}, Inst{Op: OpFma, Type: F16, Flags: FlagFtz}
	cvt := Inst{Op: OpCvt, Type: F32, SrcType: F64, Flags: FlagFtz}
	for _, c := range []struct {
		in   Inst
		mode Round
		src  []uint64
		want uint64
	}{
		{mul, RoundNearest, []uint64{below, least}, 0},
		{mul, RoundNearest, []uint64{least | sign, below}, sign},
		{mul, RoundUp, []uint64{below, least}, least},
		{mul, RoundNearest, []uint64{0x3F7F_FFFE, least + 1}, least}, // 2^-126 - 2^-172
		{fma, RoundNearest, []uint64{below, least, 0}, 0},
		{fma, RoundNearest, []uint64{below | sign, least, 0x8000_0001}, sign}, // the subnormal summand is zero
		{fma, RoundUp, []uint64{below, least, 0}, least},
		{half, RoundNearest, []uint64{0x3BFF, 0x8400}, 0x8000},
		{halfFma, RoundNearest, []uint64{0x400, 0x3BFF, 0x8001}, 0},
		{cvt, RoundNearest, []uint64{0x380F_FFFF_E000_0000}, 0},
		{cvt, RoundUp, []uint64{0x380F_FFFF_E000_0000}, least},
	} {
		c.in.Round = c.mode
		assert.Equal(t, c.want, one(t, c.in, c.src...), "op %d type %d round %d of %x", c.in.Op, c.in.Type, c.mode, c.src)
	}
}
