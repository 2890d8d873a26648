package isa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The reference for integers is math/big: the manual's formula on unbounded numbers, cut to the
// width of the result at the end.

// mathematical is the number that bits encode.
func mathematical(t Type, bits uint64) *big.Int {
	bits &= 1<<(t.Bits()-1)<<1 - 1
	v := new(big.Int).SetUint64(bits)
	if t.Signed() && bits>>(t.Bits()-1) != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(t.Bits())))
	}
	return v
}

// wrapped is v modulo 2^width.
func wrapped(v *big.Int, width int) uint64 {
	mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(width)), big.NewInt(1))
	return new(big.Int).And(v, mask).Uint64()
}

// saturatedTo is v, or the nearest end of the range of t.
func saturatedTo(t Type, v *big.Int) *big.Int {
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(t.Bits()))
	if t.Signed() {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	switch {
	case v.Cmp(low) < 0:
		return low
	case v.Cmp(high) > 0:
		return high
	}
	return v
}

// integerEdges are the critical values of integer operations.
func integerEdges(t Type) []uint64 {
	v := []uint64{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 255, 256}
	for _, n := range []int{7, 8, 15, 16, 23, 24, 31, 32, 63} {
		if n < t.Bits() {
			v = append(v, 1<<n, 1<<n-1, 1<<n+1, ^uint64(0)<<n, ^uint64(0)<<n-1)
		}
	}
	v = append(v, ^uint64(0), ^uint64(1))
	for i := range v {
		v[i] &= 1<<(t.Bits()-1)<<1 - 1
	}
	return v
}

// integerOperands are all pairs of edges with a varying third value, then random triples of random
// size.
func integerOperands(t Type, rng *rand.Rand) (src [3][]uint64) {
	edges := integerEdges(t)
	mask := uint64(1)<<(t.Bits()-1)<<1 - 1
	for _, a := range edges {
		for _, b := range edges {
			c := edges[rng.IntN(len(edges))]
			src[0], src[1], src[2] = append(src[0], a), append(src[1], b), append(src[2], c)
		}
	}
	for range 6000 {
		for i := range src {
			src[i] = append(src[i], uint64(int64(rng.Uint64())>>rng.IntN(64))&mask)
		}
	}
	return src
}

var (
	unsignedTypes = []Type{U16, U32, U64}
	signedTypes   = []Type{S16, S32, S64}
	allIntegers   = append(append([]Type{}, unsignedTypes...), signedTypes...)
)

func TestIntegersAgainstBig(t *testing.T) {
	type bigs = func(t Type, a, b, c *big.Int) *big.Int
	num := func() *big.Int { return new(big.Int) }
	product := func(_ Type, a, b, _ *big.Int) *big.Int { return num().Mul(a, b) }
	high := func(t Type, a, b, _ *big.Int) *big.Int { return num().Rsh(num().Mul(a, b), uint(t.Bits())) }
	plus := func(f bigs) bigs {
		return func(t Type, a, b, c *big.Int) *big.Int { return num().Add(f(t, a, b, c), c) }
	}
	sat := func(f bigs) bigs {
		return func(t Type, a, b, c *big.Int) *big.Int { return saturatedTo(t, f(t, a, b, c)) }
	}
	low24 := func(t Type, v *big.Int) *big.Int {
		low := wrapped(v, 24)
		if t.Signed() && low>>23 != 0 {
			return big.NewInt(int64(low) - 1<<24)
		}
		return big.NewInt(int64(low))
	}
	product24 := func(t Type, a, b, _ *big.Int) *big.Int { return num().Mul(low24(t, a), low24(t, b)) }
	high24 := func(t Type, a, b, c *big.Int) *big.Int { return num().Rsh(product24(t, a, b, c), 16) }
	difference := func(_ Type, a, b, _ *big.Int) *big.Int { return num().Sub(a, b) }
	sum := func(_ Type, a, b, _ *big.Int) *big.Int { return num().Add(a, b) }
	smaller := func(a, b *big.Int, sign int) *big.Int {
		if a.Cmp(b)*sign < 0 {
			return a
		}
		return b
	}

	for _, o := range []struct {
		name     string
		in       Inst
		types    []Type
		operands int
		f        bigs
	}{
		{"add", Inst{Op: OpAdd}, allIntegers, 2, sum},
		{"sub", Inst{Op: OpSub}, allIntegers, 2, difference},
		{"add.sat", Inst{Op: OpAdd, Flags: FlagSat}, []Type{S32}, 2, sat(sum)},
		{"sub.sat", Inst{Op: OpSub, Flags: FlagSat}, []Type{S32}, 2, sat(difference)},
		{"mul", Inst{Op: OpMul}, allIntegers, 2, product},
		{"mul.lo", Inst{Op: OpMul, Mode: ModeLo}, allIntegers, 2, product},
		{"mul.hi", Inst{Op: OpMul, Mode: ModeHi}, allIntegers, 2, high},
		{"mul.wide", Inst{Op: OpMul, Mode: ModeWide}, []Type{U16, U32, S16, S32}, 2, product},
		{"mad.lo", Inst{Op: OpMad, Mode: ModeLo}, allIntegers, 3, plus(product)},
		{"mad.hi", Inst{Op: OpMad, Mode: ModeHi}, allIntegers, 3, plus(high)},
		{"mad.hi.sat", Inst{Op: OpMad, Mode: ModeHi, Flags: FlagSat}, []Type{S32}, 3, sat(plus(high))},
		{"mul24.lo", Inst{Op: OpMul24, Mode: ModeLo}, []Type{U32, S32}, 2, product24},
		{"mul24.hi", Inst{Op: OpMul24, Mode: ModeHi}, []Type{U32, S32}, 2, high24},
		{"mad24.lo", Inst{Op: OpMad24, Mode: ModeLo}, []Type{U32, S32}, 3, plus(product24)},
		{"mad24.hi", Inst{Op: OpMad24, Mode: ModeHi}, []Type{U32, S32}, 3, plus(high24)},
		{"mad24.hi.sat", Inst{Op: OpMad24, Mode: ModeHi, Flags: FlagSat}, []Type{S32}, 3, sat(plus(high24))},
		{"sad", Inst{Op: OpSad}, allIntegers, 3, func(_ Type, a, b, c *big.Int) *big.Int {
			return num().Add(c, num().Abs(num().Sub(a, b)))
		}},
		{"min", Inst{Op: OpMin}, allIntegers, 2, func(_ Type, a, b, _ *big.Int) *big.Int { return smaller(a, b, 1) }},
		{"max", Inst{Op: OpMax}, allIntegers, 2, func(_ Type, a, b, _ *big.Int) *big.Int { return smaller(a, b, -1) }},
		{"abs", Inst{Op: OpAbs}, signedTypes, 1, func(_ Type, a, _, _ *big.Int) *big.Int { return num().Abs(a) }},
		{"neg", Inst{Op: OpNeg}, signedTypes, 1, func(_ Type, a, _, _ *big.Int) *big.Int { return num().Neg(a) }},
		{"div", Inst{Op: OpDiv}, allIntegers, 2, func(_ Type, a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(-1)
			}
			return num().Quo(a, b)
		}},
		{"rem", Inst{Op: OpRem}, allIntegers, 2, func(_ Type, a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(-1)
			}
			return num().Rem(a, b)
		}},
	} {
		for _, typ := range o.types {
			rng := rand.New(rand.NewPCG(uint64(o.in.Op), uint64(typ)))
			src := integerOperands(typ, rng)
			in, width := o.in, typ.Bits()
			in.Type = typ
			if in.Mode == ModeWide {
				width *= 2
			}
			got := evaluate(t, in, src[:o.operands]...)
			for i := range got {
				want := wrapped(o.f(typ, mathematical(typ, src[0][i]), mathematical(typ, src[1][i]),
					mathematical(typ, src[2][i])), width)
				same(t, want, got[i], "%s type %d: %x %x %x", o.name, typ, src[0][i], src[1][i], src[2][i])
			}
		}
	}
}

// TestMadWide adds an operand of twice the width.
func TestMadWide(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	wide := map[Type]Type{U16: U32, S16: S32, U32: U64, S32: S64}
	for typ, w := range wide {
		src := integerOperands(typ, rng)
		for i := range src[2] {
			src[2][i] = rng.Uint64() >> (64 - w.Bits())
		}
		got := evaluate(t, Inst{Op: OpMad, Type: typ, Mode: ModeWide}, src[:]...)
		for i := range got {
			v := new(big.Int).Mul(mathematical(typ, src[0][i]), mathematical(typ, src[1][i]))
			v.Add(v, mathematical(w, src[2][i]))
			same(t, wrapped(v, w.Bits()), got[i], "type %d: %x %x %x", typ, src[0][i], src[1][i], src[2][i])
		}
	}
}

// TestDivisionCorners fixes the results that the manual leaves open, to those of an H200.
func TestDivisionCorners(t *testing.T) {
	for _, c := range []struct {
		op         Op
		typ        Type
		a, b, want uint64
	}{
		{OpDiv, U32, 5, 0, 0xFFFFFFFF},
		{OpDiv, S32, 5, 0, 0xFFFFFFFF},
		{OpDiv, U64, 5, 0, 0xFFFFFFFFFFFFFFFF},
		{OpDiv, S64, 5, 0, 0xFFFFFFFFFFFFFFFF},
		{OpDiv, U16, 5, 0, 0xFFFF},
		{OpRem, U32, 5, 0, 0xFFFFFFFF},
		{OpRem, S64, 0xFFFFFFFFFFFFFFFB, 0, 0xFFFFFFFFFFFFFFFF},
		{OpDiv, S32, 0x80000000, 0xFFFFFFFF, 0x80000000},
		{OpRem, S32, 0x80000000, 0xFFFFFFFF, 0},
		{OpDiv, S64, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF, 0x8000000000000000},
		{OpRem, S32, 0xFFFFFFF9, 3, 0xFFFFFFFF}, // -7 rem 3 = -1
		{OpDiv, S16, 0xFFF9, 2, 0xFFFD},         // -7 / 2 = -3
	} {
		assert.Equal(t, c.want, one(t, Inst{Op: c.op, Type: c.typ}, c.a, c.b), "op %d type %d %x %x", c.op, c.typ,
			c.a, c.b)
	}
}
