package isa

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

// halfFormats are f16 and bf16 with their parameters in IEEE 754.
var halfFormats = []struct {
	typ      Type
	f        *layout
	bias     int
	fraction int
}{{F16, &binary16, 15, 10}, {BF16, &bfloat16, 127, 7}}

// scientific is the value of an encoding by the formula of IEEE 754, section 3.4.
func scientific(u uint64, bias, fraction int) float64 {
	sign, exponent, digits := 1.0, int(u&0x7FFF>>fraction), float64(u&(1<<fraction-1))
	if u&0x8000 != 0 {
		sign = -1
	}
	switch {
	case exponent == 2*bias+1 && digits != 0:
		return math.NaN()
	case exponent == 2*bias+1:
		return math.Inf(int(sign))
	case exponent == 0:
		return math.Copysign(math.Ldexp(digits, 1-bias-fraction), sign)
	}
	return sign * math.Ldexp(1+math.Ldexp(digits, -fraction), exponent-bias)
}

func TestHalfValues(t *testing.T) {
	for _, h := range halfFormats {
		for u := range uint64(1 << 16) {
			want, got := scientific(u, h.bias, h.fraction), h.f.value(u)
			if want != want {
				require.True(t, got != got, "%#x", u)
				same(t, uint64(0x7FFF), h.f.nearest(got))
				continue
			}
			same(t, math.Float64bits(want), math.Float64bits(got), "%#x", u)
			for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
				same(t, u, h.f.toward(mode, got), "%#x", u)
			}
		}
	}
}

// Rounding is a staircase. It is right everywhere if it is right at, just below and just above each
// number and each midpoint of two numbers.
func TestHalfRounding(t *testing.T) {
	for _, h := range halfFormats {
		for u := range h.f.inf {
			low, high := h.f.value(u), h.f.value(u+1)
			if u+1 == h.f.inf {
				high = 2 * math.Ldexp(1, h.bias)
			}
			middle := (low + high) / 2
			even := u + u&1
			for _, step := range []struct {
				v                 float64
				nearest, zero, up int
			}{
				{math.Nextafter(low, high), 0, 0, 1},
				{math.Nextafter(middle, low), 0, 0, 1},
				{middle, int(even - u), 0, 1},
				{math.Nextafter(middle, high), 1, 0, 1},
				{math.Nextafter(high, low), 1, 0, 1},
			} {
				at := func(offset int, sign uint64) uint64 { return u + uint64(offset) | sign }
				same(t, at(step.nearest, 0), h.f.nearest(step.v), "%v", step.v)
				same(t, at(step.nearest, 0x8000), h.f.nearest(-step.v), "%v", -step.v)
				same(t, at(step.nearest, 0), h.f.toward(RoundNearest, step.v), "%v", step.v)
				same(t, at(step.zero, 0), h.f.toward(RoundZero, step.v), "%v", step.v)
				same(t, at(step.zero, 0), h.f.toward(RoundDown, step.v), "%v", step.v)
				same(t, at(step.up, 0), h.f.toward(RoundUp, step.v), "%v", step.v)
				same(t, at(step.up, 0x8000), h.f.toward(RoundDown, -step.v), "%v", -step.v)
				same(t, at(step.zero, 0x8000), h.f.toward(RoundUp, -step.v), "%v", -step.v)
			}
			away := tfloat32.toward(RoundAway, math.Float64frombits(math.Float64bits(1)+u<<41))
			if u < 1<<10 { // 1 + u*2^-11: odd u are midpoints
				same(t, uint64(127<<10)+(u+1)/2, away)
			}
		}
		for _, v := range []float64{math.MaxFloat64, math.Inf(1)} {
			assert.Equal(t, h.f.inf, h.f.nearest(v))
			assert.Equal(t, h.f.inf|0x8000, h.f.nearest(-v))
		}
	}
}

// fma of random and special operands, against rational numbers.
func TestHalfFusedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, h := range halfFormats {
		for range 40_000 {
			a, b, c := rng.Uint64()&0x7FFF, rng.Uint64()&0xFFFF, rng.Uint64()&0xFFFF
			// c is close to half a unit in the last place of the product, which exposes a second
			// rounding.
			if rng.IntN(2) == 0 {
				c = h.f.nearest(-h.f.value(a)*h.f.value(b)*math.Ldexp(1, rng.IntN(26)-13)) ^ rng.Uint64N(2)
			}
			x, y, z := h.f.value(a), h.f.value(b), h.f.value(c)
			got := h.f.nearest(fused(x, y, z))
			if !finite(x) || !finite(y) || !finite(z) {
				same(t, h.f.nearest(x*y+z), got)
				continue
			}
			exact := new(big.Rat).Mul(new(big.Rat).SetFloat64(x), new(big.Rat).SetFloat64(y))
			if exact.Add(exact, new(big.Rat).SetFloat64(z)); exact.Sign() == 0 {
				same(t, h.f.nearest(x*y+z), got)
				continue
			}
			same(t, arith(OpFma, h.f, RoundNearest, x, y, z), got, "%v * %v + %v", x, y, z)
			if got&^0x8000 >= h.f.inf-1 {
				continue
			}
			// No neighbour is nearer.
			distance := func(u uint64) *big.Rat {
				d := new(big.Rat).SetFloat64(h.f.value(u))
				return d.Abs(d.Sub(d, exact))
			}
			for _, n := range []uint64{got + 1, got - 1} {
				if got&^0x8000 != 0 || n == got+1 {
					order := distance(got).Cmp(distance(n))
					require.True(t, order < 0 || order == 0 && got&1 == 0, "%v * %v + %v", x, y, z)
				}
			}
		}
	}
}

// Single cases of the manual: .ftz, .sat, .relu, .satfinite, .NaN, .xorsign.abs and the order of
// two results in one register.
func TestHalfModifiers(t *testing.T) {
	const (
		unity, two, minusTwo, half, tiny, big16, inf, nan = 0x3C00, 0x4000, 0xC000, 0x3800, 0x0001, 0x7BFF,
			0x7C00, 0x7E01
		canonical, minus = 0x7FFF, 0x8000
	)
	f16 := func(op Op, flags Flags) Inst {
		in := Inst{Op: op, Type: F16, Flags: flags}
		if op == OpFma {
			in.Round = RoundNearest
		}
		return in
	}
	cvt := func(to, from Type, mode Round, flags Flags) Inst {
		return Inst{Op: OpCvt, Type: to, SrcType: from, Round: mode, Flags: flags}
	}
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	for _, tt := range []struct {
		in   Inst
		src  []uint64
		want uint64
	}{
		{f16(OpAdd, 0), []uint64{unity, unity}, two},
		{f16(OpAdd, 0), []uint64{big16, big16}, inf},
		{f16(OpAdd, 0), []uint64{inf, inf | minus}, canonical},
		{f16(OpAdd, 0), []uint64{nan, unity}, canonical},
		{f16(OpAdd, 0), []uint64{tiny, tiny}, 2},
		{f16(OpAdd, FlagFtz), []uint64{tiny, unity}, unity},
		{f16(OpAdd, FlagFtz), []uint64{tiny | minus, minus}, minus},
		{f16(OpMul, FlagFtz), []uint64{0x0400 | minus, half}, minus},
		{f16(OpAdd, FlagSat), []uint64{unity, unity}, unity},
		{f16(OpSub, FlagSat), []uint64{unity, two}, 0},
		{f16(OpAdd, FlagSat), []uint64{nan, unity}, 0},
		{f16(OpFma, FlagRelu), []uint64{unity, minusTwo, unity}, 0},
		{f16(OpFma, FlagRelu), []uint64{unity, two, unity}, 0x4200},
		{f16(OpFma, FlagRelu), []uint64{nan, two, unity}, canonical},
		{f16(OpNeg, 0), []uint64{unity}, unity | minus},
		{f16(OpNeg, 0), []uint64{nan}, canonical},
		{f16(OpNeg, FlagFtz), []uint64{tiny}, minus},
		{f16(OpAbs, 0), []uint64{minusTwo}, two},
		{f16(OpMin, 0), []uint64{0, minus}, minus},
		{f16(OpMax, 0), []uint64{minus, 0}, 0},
		{f16(OpMin, 0), []uint64{nan, two}, two},
		{f16(OpMin, 0), []uint64{nan, nan}, canonical},
		{f16(OpMin, FlagNaN), []uint64{nan, two}, canonical},
		{f16(OpMax, FlagNaN), []uint64{unity, nan}, canonical},
		{f16(OpMax, FlagXorSign), []uint64{unity, minusTwo}, minusTwo},
		{f16(OpMin, FlagXorSign), []uint64{minusTwo, unity | minus}, unity},
		{f16(OpMin, FlagXorSign), []uint64{nan | minus, unity}, unity | minus},
		{f16(OpMin, FlagXorSign), []uint64{nan | minus, nan}, canonical},
		{f16(OpMin, FlagXorSign|FlagNaN), []uint64{nan | minus, unity}, canonical},
		{Inst{Op: OpMin, Type: F32, Flags: FlagNaN}, []uint64{f(1), 0x7FC0_0001}, nan32},
		{Inst{Op: OpMax, Type: F32, Flags: FlagXorSign}, []uint64{f(1), f(-2)}, f(-2)},
		{Inst{Op: OpMax, Type: F32, Flags: FlagXorSign | FlagFtz}, []uint64{1 << 31, 1}, 1 << 31},
		{Inst{Op: OpAdd, Type: F16x2}, []uint64{unity<<16 | half, unity<<16 | half}, two<<16 | unity},
		{Inst{Op: OpAdd, Type: BF16x2}, []uint64{0x3F80_4000, 0x3F80_4000}, 0x4000_4080},
		{Inst{Op: OpEx2, Type: F16, Flags: FlagApprox}, []uint64{minusTwo}, 0x3400},
		{Inst{Op: OpEx2, Type: BF16, Flags: FlagApprox | FlagFtz}, []uint64{0xC300}, 0}, // 2^-128 is subnormal
		{Inst{Op: OpTanh, Type: F16, Flags: FlagApprox}, []uint64{inf | minus}, unity | minus},
		{Inst{Op: OpTanh, Type: F32, Flags: FlagApprox}, []uint64{f(1)}, f(float32(math.Tanh(1)))},

		{cvt(F16, F32, RoundNearest, 0), []uint64{f(65520)}, inf},
		{cvt(F16, F32, RoundNearest, 0), []uint64{f(65519)}, big16},
		{cvt(F16, F32, RoundZero, 0), []uint64{f(1e9)}, big16},
		{cvt(F16, F32, RoundNearest, FlagSatFinite), []uint64{f(1e9)}, big16},
		{cvt(F16, F32, RoundNearest, FlagSatFinite), []uint64{f(float32(math.Inf(-1)))}, big16 | minus},
		{cvt(F16, F32, RoundNearest, FlagSatFinite), []uint64{0x7FC0_0000}, canonical},
		{cvt(F16, F32, RoundNearest, FlagRelu), []uint64{f(-3)}, 0},
		{cvt(F16, F32, RoundNearest, FlagRelu), []uint64{0xFFC0_0000}, canonical},
		{cvt(F16, F32, RoundNearest, FlagSat), []uint64{f(-3)}, 0},
		{cvt(F16, F32, RoundNearest, FlagSat), []uint64{f(3)}, unity},
		{cvt(F16, F32, RoundUp, FlagFtz), []uint64{1}, 0},
		{cvt(F16, F32, RoundUp, 0), []uint64{1}, tiny},
		{cvt(F16x2, F32, RoundNearest, 0), []uint64{f(2), f(1)}, two<<16 | unity},
		{cvt(BF16x2, F32, RoundNearest, FlagRelu), []uint64{f(-2), f(1)}, 0x3F80},
		{cvt(BF16, F32, RoundNearest, 0), []uint64{0x3F80_8000}, 0x3F80},
		{cvt(BF16, F32, RoundNearest, 0), []uint64{0x3F81_8000}, 0x3F82},
		{cvt(BF16, F64, RoundNearest, 0), []uint64{math.Float64bits(1 + 0x1p-8 + 0x1p-40)}, 0x3F81},
		// through f32 it is 0x3C00
		{cvt(F16, F64, RoundNearest, 0), []uint64{math.Float64bits(1 + 0x1p-11 + 0x1p-40)}, 0x3C01},
		{cvt(F16, BF16, RoundZero, 0), []uint64{0x7F7F}, big16},
		{cvt(F16, BF16, RoundNearest, 0), []uint64{0x7F7F}, inf},
		{cvt(BF16, F16, RoundNearest, 0), []uint64{0x3C04}, 0x3F80},
		{cvt(F32, F16, RoundNone, 0), []uint64{nan}, nan32},
		{cvt(F32, F16, RoundNone, 0), []uint64{tiny}, f(0x1p-24)},
		{cvt(F32, BF16, RoundNone, FlagFtz), []uint64{tiny | minus}, 1 << 31},
		{cvt(F64, F16, RoundNone, FlagSat), []uint64{two}, math.Float64bits(1)},
		{cvt(F16, F16, RoundNearestInt, 0), []uint64{0x4100}, two}, // 2.5
		{cvt(F16, F16, RoundUpInt, 0), []uint64{0x4100}, 0x4200},
		{cvt(F16, S32, RoundNearest, 0), []uint64{uint64(uint32(0xFFFF_F7FF))}, 0xE800}, // -2049
		{cvt(F16, S32, RoundDown, 0), []uint64{uint64(uint32(0xFFFF_F7FF))}, 0xE801},
		{cvt(F16, U32, RoundNearest, 0), []uint64{65520}, inf},
		{cvt(F16, U64, RoundZero, 0), []uint64{1 << 40}, big16},
		{cvt(S32, F16, RoundZeroInt, 0), []uint64{0xC100}, 0xFFFF_FFFE},
		{cvt(S8, F16, RoundNearestInt, 0), []uint64{inf}, 127},
		{cvt(U16, F16, RoundNearestInt, 0), []uint64{minusTwo}, 0},
		{cvt(U32, BF16, RoundNearestInt, 0), []uint64{0x7FC0}, 0},
		{cvt(TF32, F32, RoundAway, 0), []uint64{0x3F80_1000}, 0x3F80_2000},
		{cvt(TF32, F32, RoundNearest, 0), []uint64{0x3F80_1000}, 0x3F80_0000},
		{cvt(TF32, F32, RoundZero, 0), []uint64{0x3F80_3FFF}, 0x3F80_2000},
		{cvt(TF32, F32, RoundAway, 0), []uint64{0x7F7F_FFFF}, 0x7F80_0000},
		{cvt(TF32, F32, RoundAway, FlagSatFinite), []uint64{0x7F7F_FFFF}, 0x7F7F_E000},
		{cvt(TF32, F32, RoundAway, 0), []uint64{0xFFC0_0000}, nan32},
		{cvt(TF32, F32, RoundNearest, FlagRelu), []uint64{f(-1)}, 0},
	} {
		assert.Equal(t, tt.want, one(t, tt.in, tt.src...), "%s of %#x", describe(&tt.in), tt.src)
	}
}

// setp of two halves gives a predicate for each, set a mask or number for each.
func TestHalfCompares(t *testing.T) {
	const pair = 0x3C00_4000 // 1, 2
	in := bound(t, Inst{Op: OpSetp, Type: F16x2, SrcType: F16x2, Cmp: CmpGt, Bool: BoolAnd})
	var a, b Row
	a[0], a[1], b[0], b[1] = pair, pair, 0x4000_3C00, pair
	x := Lanes{Mask: 0b11, Src: [MaxSrcs]*Row{&a, &b}, PSrc: [MaxSrcs]uint32{2: 0b11}}
	Execute(in, &x)
	assert.Equal(t, uint32(0b01), x.PDst[0], "lower halves: 2 > 1, 2 > 2")
	assert.Equal(t, uint32(0), x.PDst[1], "upper halves: 1 > 2, 1 > 1")

	for _, tt := range []struct {
		to, from Type
		cmp      Cmp
		a, b     uint64
		want     uint64
	}{
		{U32, F16x2, CmpGe, pair, 0x4000_4000, 0x0000_FFFF},
		{F16x2, F16x2, CmpLtu, 0x7E00_3C00, 0x3C00_3C00, 0x3C00_0000},
		{BF16x2, BF16x2, CmpEq, 0x3F80_7FC0, 0x3F80_7FC0, 0x3F80_0000},
		{U16, F16, CmpNum, 0x3C00, 0x3C00, 0xFFFF},
		{S32, BF16, CmpNan, 0x7FC0, 0x3C00, 0xFFFF_FFFF},
		{F16, S32, CmpLt, 0xFFFF_FFFF, 0, 0x3C00},
		{BF16, F16, CmpLe, 0x8000, 0, 0x3F80},
	} {
		got := one(t, Inst{Op: OpSet, Type: tt.to, SrcType: tt.from, Cmp: tt.cmp}, tt.a, tt.b)
		assert.Equal(t, tt.want, got, "%+v", tt)
	}
}

// The errors that the manual allows (sections 9.7.3.22, 9.7.4.9 and 9.7.4.10).
func TestHalfApproximations(t *testing.T) {
	for _, h := range halfFormats {
		relative, absolute, ex2 := math.Pow(2, -9.9), math.Pow(2, -10.987), Inst{
			Op: OpEx2, Type: F16,
			Flags: FlagApprox,
		}
		if h.typ == BF16 {
			relative, absolute, ex2 = 0x1p-7, 0x1p-8, Inst{Op: OpEx2, Type: BF16, Flags: FlagApprox | FlagFtz}
		}
		all := make([]uint64, 1<<16)
		for u := range all {
			all[u] = uint64(u)
		}
		powers := evaluate(t, ex2, all)
		tanhs := evaluate(t, Inst{Op: OpTanh, Type: h.typ, Flags: FlagApprox}, all)
		for u := range all {
			v := h.f.value(all[u])
			if v != v {
				same(t, uint64(0x7FFF), powers[u])
				same(t, uint64(0x7FFF), tanhs[u])
				continue
			}
			require.InDelta(t, math.Tanh(v), h.f.value(tanhs[u]), absolute, "tanh %v", v)
			if p := math.Exp2(v); p >= math.Ldexp(1, 1-h.bias) && p < math.Ldexp(1, h.bias) {
				require.InEpsilon(t, p, h.f.value(powers[u]), relative, "2^%v", v)
			}
		}
	}
	for v := float32(0x1p-20); v < 20; v *= 1.001 {
		require.InEpsilon(t, math.Tanh(float64(v)), float64(TanhApprox(v)), 0x1p-17, "tanh %v", v)
		same(t, -TanhApprox(v), TanhApprox(-v))
	}
}

// hostHalves is a C program that prints the f16 results of the host's compiler and its library, one
// result per line. It computes sums and products in f32 and rounds once more. That is harmless: 24
// bits are at least 2*11 + 2.
const hostHalves = `
#include <stdio.h>
#include <string.h>
typedef unsigned short u16;
static _Float16 half(u16 u) { _Float16 h; memcpy(&h, &u, 2); return h; }
static u16 bits(_Float16 h) { u16 u; memcpy(&u, &h, 2); return h != h ? 0x7fff : u; }
static float single(unsigned u) { float f; memcpy(&f, &u, 4); return f; }
int main(void) {
    for (unsigned u = 0; u < 1 << 16; u++) {
        float f = half(u);
        unsigned b;
        memcpy(&b, &f, 4);
        printf("%x %x\n", f != f ? 0x7fffffff : b, bits((_Float16)single(u << 16 | u * 40503u >> 16)));
    }
    unsigned x = 1;
    for (int i = 0; i < 50000; i++) {
        x = x * 1664525u + 1013904223u;
        _Float16 a = half(x >> 16), b = half(x * 2654435761u >> 16);
        double d = (double)a * 1.0000001 + (double)b * 0x1p-30;
        printf("%x %x %x %x %x\n", bits(a + b), bits(a - b), bits(a * b), bits((_Float16)d), (unsigned)(int)(x >> 8 & 1 ? a < b : a == b));
    }
}
`

func TestHalvesAgainstTheHost(t *testing.T) {
	need.Tool(t, "clang-19")
	dir := t.TempDir()
	source, program := filepath.Join(dir, "half.c"), filepath.Join(dir, "half")
	require.NoError(t, os.WriteFile(source, []byte(hostHalves), 0o600))
	out, err := exec.Command("clang-19", "-O1", "-ffp-contract=off", "-w", source, "-o", program,
		"-lm").CombinedOutput()
	require.NoError(t, err, "%s", out)
	printed, err := exec.Command(program).Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(printed)), "\n")
	require.Len(t, lines, 1<<16+50000)

	line := func(n int) (v []uint64) {
		for _, w := range strings.Fields(lines[n]) {
			u, err := strconv.ParseUint(w, 16, 32)
			require.NoError(t, err)
			v = append(v, u)
		}
		return v
	}
	widen := bound(t, Inst{Op: OpCvt, Type: F32, SrcType: F16})
	narrow := bound(t, Inst{Op: OpCvt, Type: F16, SrcType: F32, Round: RoundNearest})
	run := func(in *Inst, src ...uint64) uint64 {
		var rows [MaxSrcs]Row
		var d Row
		x := Lanes{Mask: 1, Dst: [MaxDsts]*Row{&d}}
		for i, s := range src {
			rows[i][0], x.Src[i] = s, &rows[i]
		}
		Execute(in, &x)
		return d[0]
	}
	for u := range uint64(1 << 16) {
		got := []uint64{run(widen, u), run(narrow, u<<16|uint64(uint32(u)*40503>>16))}
		require.Equal(t, line(int(u)), got, "%#x", u)
	}
	var ops []*Inst
	for _, op := range []Op{OpAdd, OpSub, OpMul} {
		ops = append(ops, bound(t, Inst{Op: op, Type: F16}))
	}
	fromDouble := bound(t, Inst{Op: OpCvt, Type: F16, SrcType: F64, Round: RoundNearest})
	compares := []*Inst{
		bound(t, Inst{Op: OpSet, Type: U32, SrcType: F16, Cmp: CmpEq}),
		bound(t, Inst{Op: OpSet, Type: U32, SrcType: F16, Cmp: CmpLt}),
	}
	state := uint32(1)
	for i := range 50000 {
		state = state*1664525 + 1013904223
		a, b := uint64(state>>16), uint64(state*2654435761>>16)
		var got []uint64
		for _, in := range ops {
			got = append(got, run(in, a, b))
		}
		d := float64(binary16.value(a)*1.0000001) + float64(binary16.value(b)*0x1p-30)
		got = append(got, run(fromDouble, math.Float64bits(d)), run(compares[state>>8&1], a, b)&1)
		require.Equal(t, line(1<<16+i), got, fmt.Sprintf("%#x %#x", a, b))
	}
}
