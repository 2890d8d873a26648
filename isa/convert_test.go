package isa

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	convertible = []Type{U8, U16, U32, U64, S8, S16, S32, S64}
	floatModes  = []Round{RoundNearest, RoundZero, RoundDown, RoundUp}
	intModes    = []Round{RoundNearestInt, RoundZeroInt, RoundDownInt, RoundUpInt}
	formats     = map[Type]ieee{F32: single, F64: dual}
)

func TestExtend(t *testing.T) {
	for _, c := range []struct {
		typ     Type
		v       uint64
		width   int
		want    uint64
		meaning string
	}{
		{S8, 0x80, 32, 0xFFFFFF80, "ld.s8 into a 32-bit register"},
		{S8, 0x80, 16, 0xFF80, "ld.s8 into a 16-bit register"},
		{S8, 0x80, 64, 0xFFFFFFFFFFFFFF80, "ld.s8 into a 64-bit register"},
		{S8, 0x80, 0, 0x80, "no register: the width of the type"},
		{U8, 0x80, 64, 0x80, "ld.u8"},
		{S32, 0x12345678_80000000, 64, 0xFFFFFFFF_80000000, "bits above the type are ignored"},
		{S32, 0x7FFFFFFF, 64, 0x7FFFFFFF, "positive"},
		{F32, 0x80000000, 64, 0x80000000, "ld.f32 into a .b64 register"},
		{B16, 0xFFFF8000, 32, 0x8000, "ld.b16"},
		{S64, 1 << 63, 64, 1 << 63, "full width"},
		{U64, 1 << 63, 64, 1 << 63, "full width"},
	} {
		assert.Equal(t, c.want, extend(c.typ, c.v, c.width), c.meaning)
	}
}

// TestIntToInt converts between all integer types, into registers as wide as
// the type and into wider ones, with and without .sat.
func TestIntToInt(t *testing.T) {
	for _, to := range convertible {
		for _, from := range convertible {
			src := integerEdges(from)
			for i := range src { // registers may hold more than the type
				if i%2 == 1 && from.Bits() < 64 {
					src[i] |= 0xA5 << from.Bits()
				}
			}
			for _, width := range []int{to.Bits(), 16, 32, 64} {
				if width < to.Bits() {
					continue
				}
				for _, flags := range []Flags{0, FlagSat} {
					got := evaluate(t, Inst{Op: OpCvt, Type: to, SrcType: from, DstBits: uint8(width), Flags: flags},
						src)
					for i := range src {
						v := mathematical(from, src[i])
						if flags == FlagSat {
							v = saturatedTo(to, v)
						}
						value := mathematical(to, wrapped(v, to.Bits()))
						same(t, wrapped(value, width), got[i], "to %d from %d register %d flags %d: %x", to, from,
							width, flags, src[i])
					}
				}
			}
		}
	}
}

func TestIntToFloat(t *testing.T) {
	for _, to := range []Type{F32, F64} {
		for _, from := range convertible {
			rng := rand.New(rand.NewPCG(uint64(to), uint64(from)))
			src := append(integerEdges(from), integerOperands(from, rng)[0]...)
			for range 3000 { // few significant bits: halfway cases
				src = append(src, (rng.Uint64()>>rng.IntN(64)|1<<rng.IntN(64))&^(1<<rng.IntN(64)-1)>>(64-from.Bits()))
			}
			for _, mode := range floatModes {
				got := evaluate(t, Inst{Op: OpCvt, Type: to, SrcType: from, Round: mode}, src)
				for i := range src {
					var want uint64
					if v := mathematical(from, src[i]); v.Sign() != 0 {
						want = formats[to].round(new(big.Float).SetPrec(80).SetInt(v), mode)
					}
					same(t, want, got[i], "to %d from %d round %d: %x", to, from, mode, src[i])
				}
			}
		}
	}
	assert.Equal(t, uint64(0x3F800000),
		one(t, Inst{Op: OpCvt, Type: F32, SrcType: S32, Round: RoundNearest, Flags: FlagSat}, 7))
	assert.Equal(t, uint64(0), one(t, Inst{Op: OpCvt, Type: F32, SrcType: S32, Round: RoundNearest, Flags: FlagSat},
		0xFFFFFFFF))
}

// toWhole rounds the exact value of v to an integer.
func toWhole(v float64, mode Round) *big.Int {
	whole, accuracy := big.NewFloat(v).Int(nil)
	if accuracy == big.Exact {
		return whole
	}
	away := new(big.Int).Add(whole, big.NewInt(int64(math.Copysign(1, v))))
	switch mode {
	case RoundDownInt:
		if v < 0 {
			return away
		}
	case RoundUpInt:
		if v > 0 {
			return away
		}
	case RoundNearestInt:
		fraction := new(big.Float).Sub(big.NewFloat(v), new(big.Float).SetInt(whole))
		half := new(big.Float).Abs(fraction).Cmp(big.NewFloat(0.5))
		if half > 0 || half == 0 && whole.Bit(0) == 1 {
			return away
		}
	}
	return whole
}

// floatOperands has values around the limits of the integer types and halves.
func floatOperands(f ieee, rng *rand.Rand) []uint64 {
	src := f.edges()
	for _, v := range []float64{
		0.5, 1.5, 2.5, 0.49999997, 0.99999994, 127.5, 128, 255.5, 256, 32767.5, 65535.5,
		0x1p31 - 0.5, 0x1p31 - 1, 0x1p32 - 0.5, 0x1p53 + 2, 0x1p63, 0x1p63 - 1024, 0x1p64, 0x1p64 - 2048,
	} {
		src = append(src, f.encode(v), f.encode(-v))
	}
	for range 1500 {
		src = append(src, f.random(rng, src), f.encode(math.Ldexp(rng.Float64()-0.5, rng.IntN(70))),
			f.encode(float64(rng.IntN(600)-300)/2))
	}
	return src
}

func TestFloatToInt(t *testing.T) {
	for from, f := range formats {
		src := floatOperands(f, rand.New(rand.NewPCG(3, uint64(from))))
		for _, to := range convertible {
			for _, mode := range intModes {
				for i, flags := range []Flags{0, 0, FlagFtz, FlagSat} {
					width := max(to.Bits(), []int{64, 32, 16, 32}[i]) // of the register
					got := evaluate(t, Inst{
						Op: OpCvt, Type: to, SrcType: from, Round: mode, DstBits: uint8(width),
						Flags: flags,
					}, src)
					for i := range src {
						v := f.decode(src[i])
						if flags == FlagFtz && from == F32 && math.Abs(v) < 0x1p-126 {
							v = 0
						}
						want := new(big.Int)
						switch {
						case math.IsInf(v, 0):
							want = saturatedTo(to, new(big.Int).Mul(big.NewInt(int64(math.Copysign(1, v))),
								new(big.Int).Lsh(big.NewInt(1), 100)))
						case !math.IsNaN(v):
							want = saturatedTo(to, toWhole(v, mode))
						// NaN gives only the sign bit (PTX ISA 9.0, cvt, integer notes)
						case from == F64 || to.Bits() == 64:
							if want.Lsh(big.NewInt(1), uint(to.Bits())-1); to.Signed() {
								want.Neg(want)
							}
						}
						if wrapped(want, width) != got[i] {
							require.Failf(t, "wrong result",
								"to %d from %d register %d round %d flags %d: %x (%g): got %x, want %d", to, from,
								width, mode, flags, src[i], v, got[i], want)
						}
					}
				}
			}
		}
	}
}

func TestFloatToFloat(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	exact := func(f ieee, v float64, mode Round) uint64 {
		if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
			return f.encode(v)
		}
		return f.round(big.NewFloat(v), mode)
	}
	wide := floatOperands(dual, rng)
	for i := range wide { // halfway between two f32, and next to it
		if i%3 == 0 {
			wide[i] = wide[i]&^(1<<29-1) | 1<<28 + uint64(rng.IntN(3)) - 1
		}
		if i%5 == 0 {
			wide[i] = wide[i]&^(0x7FF<<52) | uint64(1023-155+rng.IntN(35))<<52
		}
	}
	for _, mode := range floatModes {
		got := evaluate(t, Inst{Op: OpCvt, Type: F32, SrcType: F64, Round: mode}, wide)
		flushed := evaluate(t, Inst{Op: OpCvt, Type: F32, SrcType: F64, Round: mode, Flags: FlagFtz}, wide)
		for i := range wide {
			want := exact(single, dual.decode(wide[i]), mode)
			same(t, want, got[i], "f32.f64 round %d %x", mode, wide[i])
			small := math.Abs(dual.decode(wide[i])) < 0x1p-126-0x1p-151 // see TestFlushBelowNormal
			if want&0x7F800000 == 0 || small && mode == RoundNearest {
				want &= 0x80000000
			}
			same(t, want, flushed[i], "ftz.f32.f64 round %d %x", mode, wide[i])
		}
	}
	narrow := floatOperands(single, rng)
	got := evaluate(t, Inst{Op: OpCvt, Type: F64, SrcType: F32}, narrow)
	for i := range narrow {
		same(t, dual.encode(single.decode(narrow[i])), got[i], "f64.f32 %x", narrow[i])
	}
	for typ, f := range formats {
		src := floatOperands(f, rng)
		for _, mode := range intModes {
			got := evaluate(t, Inst{Op: OpCvt, Type: typ, SrcType: typ, Round: mode}, src)
			for i := range src {
				v := f.decode(src[i])
				want := f.encode(v)
				if v != 0 && !math.IsNaN(v) && !math.IsInf(v, 0) {
					whole, _ := new(big.Float).SetInt(toWhole(v, mode)).Float64()
					want = f.encode(math.Copysign(whole, v))
				}
				same(t, want, got[i], "type %d to integer round %d %x", typ, mode, src[i])
			}
		}
	}
}

func TestConversionModifiers(t *testing.T) {
	f := math.Float64bits
	for _, c := range []struct {
		to, from Type
		mode     Round
		flags    Flags
		a, want  uint64
	}{
		{F32, F32, RoundNone, FlagSat, 0x40000000, 0x3F800000},
		{F32, F32, RoundNone, FlagSat, 0xBF800000, 0},
		{F32, F32, RoundNone, FlagSat, 0x80000000, 0},
		{F32, F32, RoundNone, FlagSat, 0x7FC00000, 0},
		{F32, F32, RoundNone, FlagSat, 0x3F000000, 0x3F000000},
		{F32, F32, RoundNone, FlagFtz, 0x80000001, 0x80000000},
		{F32, F32, RoundUpInt, FlagFtz, 1, 0},
		{F32, F32, RoundUpInt, 0, 1, 0x3F800000},
		{F32, F32, RoundNone, 0, 0xFFC00001, 0x7FFFFFFF},
		{F64, F32, RoundNone, FlagFtz, 1, 0},
		{F64, F32, RoundNone, FlagSat, 0x40000000, f(1)},
		{F32, F64, RoundNearest, FlagSat, f(-3), 0},
		{F64, F64, RoundNone, FlagSat, f(math.NaN()), 0},
		{F64, F64, RoundDownInt, FlagSat, f(0.75), 0},
	} {
		assert.Equal(t, c.want, one(t, Inst{Op: OpCvt, Type: c.to, SrcType: c.from, Round: c.mode, Flags: c.flags},
			c.a), "%+v", c)
	}
}
