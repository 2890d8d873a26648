package isa

import (
	"math"
	"math/big"
	"testing"

	"divergo/internal/forall"

	"github.com/stretchr/testify/require"
)

// number8 is the value of a code by the definition of the formats (Micikevicius et al., FP8 formats
// for deep learning, 2022, table 1). They differ in exponent bits, fraction bits, bias, and the
// codes at the top.
func number8(t Type, code int) float64 {
	digits, bias := 3, 7
	if t == E5M2x2 {
		digits, bias = 2, 15
	}
	sign := 1.0
	if code >= 128 {
		sign, code = -1, code-128
	}
	exponent, fraction := code>>digits, float64(code%(1<<digits))/float64(int(1)<<digits)
	switch {
	case t == E4M3x2 && code == 127, t == E5M2x2 && code > 124:
		return math.NaN()
	case t == E5M2x2 && code == 124:
		return math.Inf(int(sign))
	case exponent == 0:
		return math.Copysign(fraction*math.Pow(2, float64(1-bias)), sign)
	}
	return sign * (1 + fraction) * math.Pow(2, float64(exponent-bias))
}

// nearest8 is the code of the number of type t nearest to x, found by a search through all. Of two
// equally near codes it is the even one. Larger values give the largest number.
func nearest8(t Type, x float64) uint64 {
	if x != x {
		return 0x7F
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign, x = 128, -x
	}
	if math.IsInf(x, 0) {
		x = math.MaxFloat64
	}
	best, distance := 0, new(big.Float)
	for code := range 127 {
		v := number8(t, code)
		if v != v || math.IsInf(v, 0) {
			break
		}
		d := new(big.Float).SetPrec(3000).Sub(big.NewFloat(x).SetPrec(3000), big.NewFloat(v))
		c := d.Abs(d).Cmp(distance)
		if code == 0 || c < 0 || c == 0 && code%2 == 0 {
			best, distance = code, d
		}
	}
	return sign | uint64(best)
}

// Values from the paper's table 1.
func TestNumbersOf8Bits(t *testing.T) {
	require.Equal(t, 448.0, number8(E4M3x2, 0x7E))
	require.Equal(t, 0x1p-6, number8(E4M3x2, 0x08))
	require.Equal(t, 0x1p-9, number8(E4M3x2, 0x01))
	require.Equal(t, 57344.0, number8(E5M2x2, 0x7B))
	require.Equal(t, 0x1p-14, number8(E5M2x2, 0x04))
	require.Equal(t, 0x1p-16, number8(E5M2x2, 0x01))
}

// TestFromEights decodes all codes, exactly.
func TestFromEights(t *testing.T) {
	for _, typ := range []Type{E4M3x2, E5M2x2} {
		for _, to := range []Type{F16x2, BF16x2} {
			for _, flags := range []Flags{0, FlagRelu, FlagSatFinite, FlagRelu | FlagSatFinite} {
				if to == F16x2 && flags&FlagSatFinite != 0 {
					continue
				}
				var src []uint64
				for code := range uint64(256) {
					src = append(src, code<<8|(code*7+3)&0xFF)
				}
				got := evaluate(t, Inst{Op: OpCvt, Type: to, SrcType: typ, Round: RoundNearest, Flags: flags}, src)
				for i, u := range got {
					for h, code := range []uint64{src[i] & 0xFF, src[i] >> 8} {
						want, half := number8(typ, int(code)), u>>(16*h)&0xFFFF
						bias, fraction := 15, 10
						if to == BF16x2 {
							bias, fraction = 127, 7
						}
						value := scientific(half, bias, fraction)
						if want != want {
							require.Equal(t, uint64(0x7FFF), half, "%#x", code)
							continue
						}
						if flags&FlagRelu != 0 && math.Signbit(want) {
							want = 0
						}
						if flags&FlagSatFinite != 0 && math.IsInf(want, 0) {
							want = math.Copysign(scientific(0x7F7F, bias, fraction), want)
						}
						require.Equal(t, math.Float64bits(want), math.Float64bits(value), "%d code %#x", typ, code)
					}
				}
			}
		}
	}
}

// TestToEights converts all numbers of 16 bits. Of those of 32 bits it converts the midpoints of
// two codes, their neighbours, and values beyond all codes. With -short it converts one of 16.
func TestToEights(t *testing.T) {
	ties := []float64{
		0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32,
		math.SmallestNonzeroFloat32, 448, 464, 480, 57344, 61440, 0x1p16,
	}
	for _, typ := range []Type{E4M3x2, E5M2x2} {
		for code := range 127 {
			if a, b := number8(typ, code), number8(typ, code+1); !(b-a > 0) || math.IsInf(b, 0) {
				continue
			} else {
				m := float32((a + b) / 2)
				ties = append(ties, a, float64(m), float64(math.Nextafter32(m, 0)), float64(math.Nextafter32(m, 1e9)),
					-float64(m))
			}
		}
	}
	for _, typ := range []Type{E4M3x2, E5M2x2} {
		for _, flags := range []Flags{FlagSatFinite, FlagSatFinite | FlagRelu} {
			want := func(x float64) uint64 {
				if flags&FlagRelu != 0 && math.Signbit(x) && x == x {
					return 0
				}
				return nearest8(typ, x)
			}
			var high, low []uint64
			for i, x := range ties {
				high = append(high, uint64(math.Float32bits(float32(x))))
				low = append(low, uint64(math.Float32bits(float32(ties[len(ties)-1-i]))))
			}
			got := evaluate(t, Inst{Op: OpCvt, Type: typ, SrcType: F32, Round: RoundNearest, Flags: flags}, high, low)
			for i, x := range ties {
				require.Equal(t, want(x)<<8|want(ties[len(ties)-1-i]), got[i], "%v %v", x, ties[len(ties)-1-i])
			}
			for _, from := range []Type{F16x2, BF16x2} {
				bias, fraction := 15, 10
				if from == BF16x2 {
					bias, fraction = 127, 7
				}
				var src []uint64
				codes := make([]uint64, 1<<16)
				for u := range codes {
					if forall.LeftOut(u>>8, 16) {
						continue
					}
					src = append(src, uint64(u<<16|u^0x55))
					codes[u] = want(scientific(uint64(u), bias, fraction))
				}
				got := evaluate(t, Inst{Op: OpCvt, Type: typ, SrcType: from, Round: RoundNearest, Flags: flags}, src)
				for i, u := range src {
					require.Equal(t, codes[u>>16]<<8|codes[u&0xffff], got[i], "%d from %d: %#x", typ, from, u)
				}
			}
		}
	}
}
