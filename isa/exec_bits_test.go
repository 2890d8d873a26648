package isa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The bit operations are checked bit by bit, by the pseudocode of the manual.

func TestLogicAgainstBig(t *testing.T) {
	num := func() *big.Int { return new(big.Int) }
	for _, o := range []struct {
		op       Op
		operands int
		f        func(a, b *big.Int) *big.Int
	}{
		{OpAnd, 2, func(a, b *big.Int) *big.Int { return num().And(a, b) }},
		{OpOr, 2, func(a, b *big.Int) *big.Int { return num().Or(a, b) }},
		{OpXor, 2, func(a, b *big.Int) *big.Int { return num().Xor(a, b) }},
		{OpNot, 1, func(a, _ *big.Int) *big.Int { return num().Not(a) }},
		{OpCnot, 1, func(a, _ *big.Int) *big.Int { return big.NewInt(int64(1 - a.CmpAbs(num()))) }},
	} {
		for _, typ := range []Type{B16, B32, B64, U32, S64} {
			src := integerOperands(typ, rand.New(rand.NewPCG(uint64(o.op), uint64(typ))))
			got := evaluate(t, Inst{Op: o.op, Type: typ}, src[:o.operands]...)
			for i := range got {
				unsigned := map[int]Type{16: U16, 32: U32, 64: U64}[typ.Bits()]
				want := wrapped(o.f(mathematical(unsigned, src[0][i]), mathematical(unsigned, src[1][i])), typ.Bits())
				same(t, want, got[i], "op %d type %d: %x %x", o.op, typ, src[0][i], src[1][i])
			}
		}
	}
}

// TestShifts takes the amount as an unsigned 32-bit number of any size.
func TestShifts(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	for _, typ := range []Type{B16, B32, B64, U16, U32, U64, S16, S32, S64} {
		src := integerOperands(typ, rng)
		for i := range src[1] {
			switch rng.IntN(3) {
			case 0:
				src[1][i] = uint64(rng.IntN(70))
			case 1:
				src[1][i] = uint64(rng.Uint32())
			}
			src[1][i] &= 0xFFFFFFFF
		}
		left := evaluate(t, Inst{Op: OpShl, Type: typ}, src[:2]...)
		right := evaluate(t, Inst{Op: OpShr, Type: typ}, src[:2]...)
		for i := range left {
			a, n := mathematical(typ, src[0][i]), uint(min(src[1][i], 64))
			same(t, wrapped(new(big.Int).Lsh(a, n), typ.Bits()), left[i], "shl type %d: %x %d", typ, src[0][i],
				src[1][i])
			same(t, wrapped(new(big.Int).Rsh(a, n), typ.Bits()), right[i], "shr type %d: %x %d", typ, src[0][i],
				src[1][i])
		}
	}
}

func TestCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, typ := range []Type{B32, B64} {
		src := integerOperands(typ, rng)[0]
		width := typ.Bits()
		popc := evaluate(t, Inst{Op: OpPopc, Type: typ}, src)
		clz := evaluate(t, Inst{Op: OpClz, Type: typ}, src)
		brev := evaluate(t, Inst{Op: OpBrev, Type: typ}, src)
		for i, a := range src {
			var ones, zeros, reversed uint64
			for b := range width {
				ones += a >> b & 1
				reversed |= a >> b & 1 << (width - 1 - b)
			}
			for b := width - 1; b >= 0 && a>>b&1 == 0; b-- {
				zeros++
			}
			same(t, [3]uint64{ones, zeros, reversed}, [3]uint64{popc[i], clz[i], brev[i]}, "type %d %x", typ, a)
		}
	}
}

func TestBfind(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 4))
	for _, typ := range []Type{U32, U64, S32, S64} {
		src := integerOperands(typ, rng)[0]
		plain := evaluate(t, Inst{Op: OpBfind, Type: typ}, src)
		shift := evaluate(t, Inst{Op: OpBfind, Type: typ, Flags: FlagShiftAmt}, src)
		msb := typ.Bits() - 1
		for i, a := range src {
			v := a
			if typ.Signed() && a>>msb != 0 {
				v = ^a
			}
			want, wantShift := uint64(0xFFFFFFFF), uint64(0xFFFFFFFF)
			for b := msb; b >= 0; b-- {
				if v>>b&1 != 0 {
					want, wantShift = uint64(b), uint64(msb-b)
					break
				}
			}
			same(t, want, plain[i], "type %d %x", typ, a)
			same(t, wantShift, shift[i], "shiftamt type %d %x", typ, a)
		}
	}
}

// fields are operands with positions and lengths near and beyond the width.
func fields(rng *rand.Rand, t Type) (a, b, pos, length []uint64) {
	mask := uint64(1)<<(t.Bits()-1)<<1 - 1
	for range 20000 {
		a, b = append(a, rng.Uint64()&mask), append(b, rng.Uint64()&mask)
		p, n := uint64(rng.IntN(70)), uint64(rng.IntN(70))
		if rng.IntN(4) == 0 {
			p, n = rng.Uint64()&0xFFFFFFFF, rng.Uint64()&0xFFFFFFFF
		}
		pos, length = append(pos, p), append(length, n)
	}
	return a, b, pos, length
}

func TestBfe(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 4))
	for _, typ := range []Type{U32, U64, S32, S64} {
		a, _, pos, length := fields(rng, typ)
		got := evaluate(t, Inst{Op: OpBfe, Type: typ}, a, pos, length)
		msb := typ.Bits() - 1
		for i := range a {
			p, n := int(pos[i]&0xFF), int(length[i]&0xFF)
			var sign, want uint64
			if typ.Signed() && n != 0 {
				sign = a[i] >> min(p+n-1, msb) & 1
			}
			for b := range msb + 1 {
				if b < n && p+b <= msb {
					want |= a[i] >> (p + b) & 1 << b
				} else {
					want |= sign << b
				}
			}
			same(t, want, got[i], "type %d %x pos %d len %d", typ, a[i], p, n)
		}
	}
}

func TestBfi(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 4))
	for _, typ := range []Type{B32, B64} {
		a, b, pos, length := fields(rng, typ)
		got := evaluate(t, Inst{Op: OpBfi, Type: typ}, a, b, pos, length)
		for i := range a {
			p, n := int(pos[i]&0xFF), int(length[i]&0xFF)
			want := b[i]
			for k := 0; k < n && p+k < typ.Bits(); k++ {
				want = want&^(1<<(p+k)) | a[i]>>k&1<<(p+k)
			}
			same(t, want, got[i], "type %d %x %x pos %d len %d", typ, a[i], b[i], p, n)
		}
	}
}

func TestPrmt(t *testing.T) {
	const a, b = 0x03020180, 0x87060504 // byte i holds i, the lowest and highest negative
	for _, c := range []struct {
		mode    Mode
		c, want uint64
	}{
		{ModeNone, 0x3210, a},
		{ModeNone, 0x7654, b},
		{ModeNone, 0x0123, 0x80010203},
		{ModeNone, 0xF8F8, 0xFFFFFFFF}, // sign of bytes 7 and 0
		{ModeNone, 0x9A0B, 0x00008000}, // sign of 1, 2 and 3, byte 0
		{ModeF4E, 0, 0x03020180},
		{ModeF4E, 1, 0x04030201},
		{ModeF4E, 2, 0x05040302},
		{ModeF4E, 3, 0x06050403},
		{ModeB4E, 0, 0x05068780},
		{ModeB4E, 1, 0x06878001},
		{ModeB4E, 2, 0x87800102},
		{ModeB4E, 3, 0x80010203},
		{ModeRc8, 0, 0x80808080},
		{ModeRc8, 1, 0x01010101},
		{ModeRc8, 2, 0x02020202},
		{ModeRc8, 3, 0x03030303},
		{ModeEcl, 0, 0x03020180},
		{ModeEcl, 1, 0x03020101},
		{ModeEcl, 2, 0x03020202},
		{ModeEcl, 3, 0x03030303},
		{ModeEcr, 0, 0x80808080},
		{ModeEcr, 1, 0x01010180},
		{ModeEcr, 2, 0x02020180},
		{ModeEcr, 3, 0x03020180},
		{ModeRc16, 0, 0x01800180},
		{ModeRc16, 1, 0x03020302},
		{ModeRc16, 2, 0x01800180},
		{ModeRc16, 7, 0x03020302},
	} {
		assert.Equal(t, c.want, one(t, Inst{Op: OpPrmt, Type: B32, Mode: c.mode}, a, b, c.c), "mode %d c %x",
			c.mode, c.c)
	}
}

func TestShf(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	var a, b, c []uint64
	for range 4000 {
		a, b = append(a, uint64(rng.Uint32())), append(b, uint64(rng.Uint32()))
		n := uint64(rng.IntN(40))
		if rng.IntN(8) == 0 {
			n = uint64(rng.Uint32())
		}
		c = append(c, n)
	}
	for _, flags := range []Flags{0, FlagWrap} {
		left := evaluate(t, Inst{Op: OpShf, Type: B32, Mode: ModeLeft, Flags: flags}, a, b, c)
		right := evaluate(t, Inst{Op: OpShf, Type: B32, Mode: ModeRight, Flags: flags}, a, b, c)
		for i := range a {
			n := min(c[i], 32)
			if flags == FlagWrap {
				n = c[i] & 31
			}
			wantLeft := (b[i]<<n | a[i]>>(32-n)) & 0xFFFFFFFF
			wantRight := (b[i]<<(32-n) | a[i]>>n) & 0xFFFFFFFF
			same(t, wantLeft, left[i], "shf.l flags %d %x %x %d", flags, a[i], b[i], c[i])
			same(t, wantRight, right[i], "shf.r flags %d %x %x %d", flags, a[i], b[i], c[i])
		}
	}
}
