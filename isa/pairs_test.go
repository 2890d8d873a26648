package isa

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFloatPairs compares operations on two f32 in one register with exact arithmetic on each.
func TestFloatPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	edges := single.edges()
	flushed := func(u uint64) uint64 {
		if u&0x7F80_0000 == 0 {
			return u & 0x8000_0000
		}
		return u
	}
	for _, op := range []Op{OpAdd, OpSub, OpMul, OpFma} {
		for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
			for _, flags := range []Flags{0, FlagFtz} {
				src, want := make([][]uint64, 3), make([]uint64, 1000)
				for i := range src {
					src[i] = make([]uint64, len(want))
				}
				for i := range want {
					for h := 0; h < 64; h += 32 {
						var x [3]uint64
						for s := range src {
							x[s] = single.random(rng, edges)
							src[s][i] |= x[s] << h
							if flags != 0 {
								x[s] = flushed(x[s])
							}
						}
						r := single.reference(op, mode, x[0], x[1], x[2])
						if flags != 0 {
							r = flushed(r)
						}
						want[i] |= r << h
					}
				}
				got := evaluate(t, Inst{Op: op, Type: F32x2, Round: mode, Flags: flags}, src...)
				for i := range want {
					require.Equal(t, want[i], got[i], "op %d round %d flags %d: %x %x %x", op, mode, flags, src[0][i],
						src[1][i], src[2][i])
				}
			}
		}
	}
}
