package isa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAtomicHalves compares additions of 16 bits with exact sums. The nearest number of the format
// is found among the two neighbours of the sum.
func TestAtomicHalves(t *testing.T) {
	for _, c := range []struct {
		single, double Type
		fraction, bias int
	}{
		{F16, F16x2, 10, 15}, {BF16, BF16x2, 7, 127},
	} {
		infinity := uint64(0x7FFF) >> c.fraction << c.fraction
		number := func(u uint64) *big.Float { // infinity is as far as one more step
			exponent, digits := int(u&0x7FFF)>>c.fraction, int64(u)&(1<<c.fraction-1)
			if exponent == 0 {
				exponent = 1
			} else {
				digits += 1 << c.fraction
			}
			v := new(big.Float).SetPrec(400).SetInt64(digits)
			v.SetMantExp(v, exponent-c.bias-c.fraction)
			if u&0x8000 != 0 {
				v.Neg(v)
			}
			return v
		}
		sum := func(a, b uint64) uint64 {
			x, y := a&0x7FFF, b&0x7FFF
			switch {
			case x > infinity, y > infinity, x == infinity && y == infinity && a != b:
				return 0x7FFF
			case x == infinity:
				return a
			case y == infinity:
				return b
			case x == 0 && y == 0:
				return a & b
			}
			exact := new(big.Float).SetPrec(400).Add(number(a), number(b))
			var sign uint64
			if exact.Signbit() && exact.Sign() != 0 {
				sign = 0x8000
				exact.Neg(exact)
			}
			low, high := uint64(0), infinity // numbers on both sides
			for high-low > 1 {
				if mid := (low + high) / 2; number(mid).Cmp(exact) <= 0 {
					low = mid
				} else {
					high = mid
				}
			}
			below, above := new(big.Float).Sub(exact, number(low)), new(big.Float).Sub(number(high), exact)
			if d := below.Cmp(above); d > 0 || d == 0 && low&1 != 0 {
				low = high
			}
			return sign | low
		}
		r := rand.New(rand.NewPCG(3, uint64(c.fraction)))
		for range 20_000 {
			old, a := uint64(r.Uint32()), uint64(r.Uint32())
			if r.IntN(2) == 0 { // near to each other, of any sign
				a = (old&0x7FFF_7FFF + uint64(r.IntN(64))<<16 +
					uint64(r.IntN(64))) ^ uint64(r.IntN(2))<<15 ^ uint64(r.IntN(2))<<31
			}
			low, high := sum(old&0xFFFF, a&0xFFFF), sum(old>>16, a>>16&0xFFFF)
			require.Equal(t, low, Atomic(AtomAdd, c.single, old, a, 0), "%#x + %#x", old&0xFFFF, a&0xFFFF)
			require.Equal(t, high<<16|low, GlobalAtomic(AtomAdd, c.double, old, a, 0), "%#x + %#x", old, a)
		}
	}
}
