package isa

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	f32Inf       = 0x7F800000
	f32MinusInf  = 0xFF800000
	f32NaN       = 0x7FFFFFFF
	f32MinusZero = 0x80000000
	f32One       = 0x3F800000
)

// TestApproximationSpecialValues checks the manual's tables of special values, by instruction.
func TestApproximationSpecialValues(t *testing.T) {
	const normal, minusNormal, tiny, minusTiny = 0x40490FDB, 0xC0490FDB, 1, 0x80000001
	for _, c := range []struct {
		op   Op
		rows [][2]uint64
		ftz  [][2]uint64
	}{
		{
			OpRcp,
			[][2]uint64{
				{f32MinusInf, f32MinusZero},
				{f32MinusZero, f32MinusInf},
				{0, f32Inf},
				{f32Inf, 0},
				{0x7FC00000, f32NaN},
			},
			[][2]uint64{{tiny, f32Inf}, {minusTiny, f32MinusInf}, {0x7F000000, 0}, {0xFF7FFFFF, f32MinusZero}},
		},
		{
			OpSqrt,
			[][2]uint64{
				{f32MinusInf, f32NaN},
				{minusNormal, f32NaN},
				{f32MinusZero, f32MinusZero},
				{0, 0},
				{f32Inf, f32Inf},
				{0xFFC00000, f32NaN},
			},
			[][2]uint64{{tiny, 0}, {minusTiny, f32MinusZero}},
		},
		{
			OpRsqrt,
			[][2]uint64{
				{f32MinusInf, f32NaN},
				{minusNormal, f32NaN},
				{f32MinusZero, f32MinusInf},
				{0, f32Inf},
				{f32Inf, 0},
				{0x7F800001, f32NaN},
			},
			[][2]uint64{{tiny, f32Inf}, {minusTiny, f32MinusInf}},
		},
		{
			OpSin,
			[][2]uint64{
				{f32MinusInf, f32NaN},
				{f32MinusZero, f32MinusZero},
				{0, 0},
				{f32Inf, f32NaN},
				{0x7FC00000, f32NaN},
				{tiny, 0},
			},
			[][2]uint64{{minusTiny, f32MinusZero}},
		},
		{
			OpCos,
			[][2]uint64{
				{f32MinusInf, f32NaN},
				{f32MinusZero, f32One},
				{0, f32One},
				{f32Inf, f32NaN},
				{0x7FC00000, f32NaN},
			},
			[][2]uint64{{minusTiny, f32One}},
		},
		{
			OpLg2,
			[][2]uint64{
				{f32MinusInf, f32NaN},
				{minusNormal, f32NaN},
				{f32MinusZero, f32MinusInf},
				{0, f32MinusInf},
				{f32Inf, f32Inf},
				{0x7FC00000, f32NaN},
				{f32One, 0},
				{tiny, 0xC3150000},
			},
			[][2]uint64{{tiny, f32MinusInf}, {minusTiny, f32MinusInf}},
		},
		{
			OpEx2,
			[][2]uint64{
				{f32MinusInf, 0},
				{f32MinusZero, f32One},
				{0, f32One},
				{f32Inf, f32Inf},
				{0x7FC00000, f32NaN},
				{f32One, 0x40000000},
				{0x43000000, f32Inf},
				{0xC3150000, 1},
				{0xC3170000, 0},
			},
			[][2]uint64{{tiny, f32One}, {0xC2FE0000, 0}},
		},
	} {
		for _, row := range c.rows {
			assert.Equal(t, row[1], one(t, Inst{Op: c.op, Type: F32, Flags: FlagApprox}, row[0]), "op %d of %x", c.op,
				row[0])
		}
		for _, row := range c.ftz {
			assert.Equal(t, row[1], one(t, Inst{Op: c.op, Type: F32, Flags: FlagApprox | FlagFtz}, row[0]),
				"op %d.ftz of %x", c.op, row[0])
		}
	}
}

func TestDivApproximationSpecialValues(t *testing.T) {
	const two127, minusTwo127, two126, max = 0x7F000000, 0xFF000000, 0x7E800000, 0x7F7FFFFF
	for _, c := range []struct {
		flags      Flags
		a, b, want uint64
	}{
		{FlagApprox, f32One, two127, 0},
		{FlagApprox, max, max, 0},
		{FlagApprox, f32One, minusTwo127, f32MinusZero},
		{FlagApprox, f32Inf, two127, f32NaN},
		{FlagApprox, two126, two126, f32One},
		{FlagFull, max, max, f32One},
		{FlagFull, two127, minusTwo127, 0xBF800000},
		{FlagFull, f32Inf, two127, f32Inf},
		{FlagApprox, f32One, 0, f32Inf},
		{FlagApprox, 0, 0, f32NaN},
		{FlagFull, f32One, f32MinusZero, f32MinusInf},
		{FlagFull, f32Inf, f32Inf, f32NaN},
		{FlagFull | FlagFtz, f32One, 1, f32Inf},
		{FlagFull | FlagFtz, 1, f32One, 0},
		{FlagApprox | FlagFtz, 0x80000001, f32One, f32MinusZero},
	} {
		assert.Equal(t, c.want, one(t, Inst{Op: OpDiv, Type: F32, Flags: c.flags}, c.a, c.b), "flags %d: %x / %x",
			c.flags, c.a, c.b)
	}
}

// ulps is the distance of got from want, in units in the last place of the f32 nearest to want.
func ulps(got float32, want float64) float64 {
	exponent := max(math.Ilogb(want), -126)
	return math.Abs(float64(got)-want) / math.Ldexp(1, exponent-23)
}

// TestApproximationErrors measures the error over a stride of all f32 against Go's float64
// functions, which are accurate to a unit of float64. The bounds are those of the manual.
func TestApproximationErrors(t *testing.T) {
	bounds := []struct {
		name  string
		f     func(float32) float32
		exact func(float64) float64
		in    func(v float64) bool
		err   func(got float32, want float64) float64
		bound float64
	}{
		{"rcp", RcpApprox, func(v float64) float64 { return 1 / v }, all, ulps, 1},
		{"sqrt", SqrtApprox, math.Sqrt, positive, relative, 0x1p-23},
		{
			"rsqrt", RsqrtApprox, func(v float64) float64 { return 1 / math.Sqrt(v) }, positive, relative,
			math.Exp2(-22.9),
		},
		{"ex2", Ex2Approx, math.Exp2, all, ulps, 2},
		{"lg2 near 1", Lg2Approx, math.Log2, func(v float64) bool { return v > 0.5 && v < 2 }, absolute, 0x1p-22},
		{"lg2", Lg2Approx, math.Log2, func(v float64) bool { return v > 0 && (v <= 0.5 || v >= 2) }, relative, 0x1p-22},
		{"sin", SinApprox, math.Sin, within(2 * math.Pi), absolute, math.Exp2(-20.5)},
		{"sin far", SinApprox, math.Sin, within(100 * math.Pi), absolute, math.Exp2(-14.7)},
		{"cos", CosApprox, math.Cos, within(2 * math.Pi), absolute, math.Exp2(-20.5)},
		{"cos far", CosApprox, math.Cos, within(100 * math.Pi), absolute, math.Exp2(-14.7)},
	}
	for _, b := range bounds {
		var worst float64
		var where float32
		for u := uint64(0); u < 1<<32; u += 4093 {
			x := math.Float32frombits(uint32(u))
			v := float64(x)
			if math.IsNaN(v) || math.IsInf(v, 0) || !b.in(v) {
				continue
			}
			want := b.exact(v)
			if rounded := float32(want); rounded == 0 || math.IsInf(float64(rounded), 0) {
				same(t, rounded, b.f(x), "%s(%g)", b.name, x)
				continue
			}
			if e := b.err(b.f(x), want); e > worst {
				worst, where = e, x
			}
		}
		assert.LessOrEqual(t, worst, b.bound, "%s at %g", b.name, where)
		assert.Positive(t, worst, "%s: nothing measured", b.name)
		t.Logf("%-12s worst %.3g (bound %.3g) at %g", b.name, worst, b.bound, where)
	}
}

func all(float64) bool { return true }

func positive(v float64) bool { return v > 0 }

func within(limit float64) func(float64) bool {
	return func(v float64) bool { return math.Abs(v) <= limit }
}

func absolute(got float32, want float64) float64 { return math.Abs(float64(got) - want) }

func relative(got float32, want float64) float64 {
	return math.Abs(float64(got)-want) / math.Abs(want)
}

func TestDivApproximationErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	edges := single.edges()
	for range 200000 {
		a, b := float(single.random(rng, edges)), float(single.random(rng, edges))
		want := float64(a) / float64(b)
		if b == 0 || !finite(float64(a)) || !finite(float64(b)) || float32(want) == 0 ||
			!finite(float64(float32(want))) {
			continue
		}
		require.LessOrEqual(t, ulps(DivFull(a, b), want), 2.0, "%g / %g", a, b)
		if size := math.Abs(float64(b)); size >= 0x1p-126 && size <= 0x1p126 {
			got := DivApprox(a, b)
			if !finite(float64(got)) { // the last ulps of the range
				require.Greater(t, math.Abs(want), math.MaxFloat32*(1-0x1p-22))
				continue
			}
			require.LessOrEqual(t, ulps(got, want), 2.0, "%g / %g", a, b)
		}
	}
}

// TestFarAngles holds sin and cos of large numbers against those of an H200 (internal/gpucheck). They have the
// period of a GPU there.
func TestFarAngles(t *testing.T) {
	for _, c := range []struct{ x, sin, cos float32 }{
		{65504.0, 0.97702819, -0.21311027},
		{7223.62548828125, -0.89253354, -0.45098084},
		{465581.875, -0.80320746, -0.59569931},
		{-605532.5625, -0.04906752, -0.99879545},
		{78155.2421875, -0.96539444, 0.26079401},
		{1267107.625, 0.47139665, -0.88192117},
		{-1585880.25, 0.83146954, -0.55557019},
		{2147483648.0, 0, 1},
		{3.4028234663852886e+38, 0, 1},
	} {
		assert.InDelta(t, c.sin, SinApprox(c.x), 0x1p-21, "sin(%g)", c.x)
		assert.InDelta(t, c.cos, CosApprox(c.x), 0x1p-21, "cos(%g)", c.x)
	}
}

func TestApproximationsOfF64(t *testing.T) {
	d := math.Float64bits
	rsqrt := Inst{Op: OpRsqrt, Type: F64, Flags: FlagApprox}
	assert.Equal(t, d(0.5), one(t, rsqrt, d(4)))
	assert.Equal(t, uint64(nan64), one(t, rsqrt, d(-4)))
	const inf, minusInf, minusZero, tiny, minusTiny, nan = 0x7FF0000000000000, 0xFFF0000000000000, 1 << 63, 1, 1<<63 |
		1, 0x7FFFFFFF00000000
	for _, c := range []struct {
		op      Op
		a, want uint64
	}{
		{OpRcp, minusInf, minusZero},
		{OpRcp, minusTiny, minusInf},
		{OpRcp, minusZero, minusInf},
		{OpRcp, 0, inf},
		{OpRcp, tiny, inf},
		{OpRcp, inf, 0},
		{OpRcp, 0x7FF0000000000001, nan},
		{OpRsqrt, minusInf, nan},
		{OpRsqrt, minusTiny, minusInf},
		{OpRsqrt, minusZero, minusInf},
		{OpRsqrt, 0, inf},
		{OpRsqrt, tiny, inf},
		{OpRsqrt, inf, 0},
		{OpRsqrt, 0x7FF0000000000001, nan},
		{OpRcp, d(4), d(0.25)},
		{OpRsqrt, d(4), d(0.5)},
		{OpRcp, d(3), 0x3FD5555500000000},
		{OpRcp, d(1) | 1, d(1)},
		{OpRcp, d(0x1p1023), 0}, // a subnormal result
	} {
		assert.Equal(t, c.want, one(t, Inst{Op: c.op, Type: F64, Flags: FlagApprox | FlagFtz}, c.a), "op %d of %x",
			c.op, c.a)
	}
}

// TestOldDefaults runs div, rcp and sqrt without modifiers, as in PTX before 1.4: approximate in
// f32, to nearest in f64.
func TestOldDefaults(t *testing.T) {
	assert.Equal(t, uint64(0), one(t, Inst{Op: OpDiv, Type: F32}, f32One, 0x7F000000), "div.approx of 2^127")
	third := one(t, Inst{Op: OpDiv, Type: F64}, math.Float64bits(1), math.Float64bits(3))
	assert.Equal(t, math.Float64bits(1.0/3), third)
	assert.Equal(t, uint64(0x3F000000), one(t, Inst{Op: OpRcp, Type: F32}, 0x40000000))
	assert.Equal(t, math.Float64bits(1.5), one(t, Inst{Op: OpSqrt, Type: F64}, math.Float64bits(2.25)))
	assert.Equal(t, uint64(f32One), one(t, Inst{Op: OpCos, Type: F32}, 0))
}
