package isa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCarries compares single instructions with whole numbers.
func TestCarries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, typ := range []Type{U32, S32, U64, S64} {
		size := new(big.Int).Lsh(big.NewInt(1), uint(typ.Bits()))
		unsigned := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
		value := func(x uint64) *big.Int {
			v := unsigned(x)
			if typ.Signed() && v.Bit(typ.Bits()-1) == 1 {
				v.Sub(v, size)
			}
			return v
		}
		draw := func() uint64 {
			x := []uint64{
				0, 1, 1<<31 - 1, 1 << 31, 1<<63 - 1, 1 << 63, ^uint64(0), random.Uint64(),
				random.Uint64(),
			}[random.IntN(9)]
			return x & (^uint64(0) >> (64 - typ.Bits()))
		}
		for _, in := range []Inst{
			{Op: OpAddC, Type: typ}, {Op: OpSubC, Type: typ}, {Op: OpMadC, Type: typ, Mode: ModeLo}, {
				Op:   OpMadC,
				Type: typ, Mode: ModeHi,
			},
		} {
			in.NSrc, in.NDst = 3, 2
			if in.Op == OpMadC {
				in.NSrc = 4
			}
			p := &Program{Insts: []Inst{in}}
			require.NoError(t, Bind(p))
			for range 200 {
				a, b, c, carry := draw(), draw(), draw(), random.Uint64()&1
				x := Lanes{Mask: 1 << 5}
				for i := range 3 {
					x.Src[i], x.Dst[i] = new(Row), new(Row)
				}
				x.Src[0][5], x.Src[1][5], x.Src[2][5] = a, b, c
				x.PSrc[in.NSrc-1] = uint32(carry) << 5
				Execute(&p.Insts[0], &x)

				want := new(big.Int)
				switch in.Op {
				case OpAddC:
					want.Add(unsigned(a), unsigned(b)).Add(want, unsigned(carry))
				case OpSubC:
					want.Sub(unsigned(a), unsigned(b)).Sub(want, unsigned(carry))
				default:
					want.Mul(value(a), value(b))
					if in.Mode == ModeHi {
						want.Rsh(want, uint(typ.Bits()))
					}
					want.Mod(want, size).Add(want, unsigned(c)).Add(want, unsigned(carry))
				}
				out := uint32(0)
				if want.Sign() < 0 || want.Cmp(size) >= 0 {
					out = 1 << 5
				}
				assert.Equal(t, want.Mod(want, size).Uint64(), x.Dst[0][5], "%v %v: %#x %#x %#x %d", in.Op, typ, a, b,
					c, carry)
				assert.Equal(t, out, x.PDst[1], "carry of %v %v: %#x %#x %#x %d", in.Op, typ, a, b, c, carry)
			}
		}
	}
}
