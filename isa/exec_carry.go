package isa

import "math/bits"

// Extended-precision arithmetic (PTX ISA, section 9.7.2). The last source is the carry in, a
// predicate; the second destination, if present, is the carry out. For subtraction both are
// borrows.

func (d *datapath) addCarries() {
	for _, t := range []Type{U32, S32, U64, S64} {
		add, sub := addWords, subWords
		lo, hi := func(a, b uint64) uint64 { return a * b & 0xffff_ffff }, mulHi32
		if t.Bits() == 64 {
			add, sub = bits.Add64, bits.Sub64
			lo, hi = func(a, b uint64) uint64 { return a * b }, mulHiU64
		}
		switch t {
		case S32:
			hi = mulHiS32
		case S64:
			hi = mulHiS64
		}
		d.add(form{op: OpAddC, typ: t}, carry2(add))
		d.add(form{op: OpSubC, typ: t}, carry2(sub))
		d.add(form{op: OpMadC, typ: t, mode: ModeLo}, carry3(lo, add))
		d.add(form{op: OpMadC, typ: t, mode: ModeHi}, carry3(hi, add))
	}
}

func addWords(a, b, carry uint64) (sum, out uint64) {
	s, c := bits.Add32(uint32(a), uint32(b), uint32(carry))
	return uint64(s), uint64(c)
}

func subWords(a, b, borrow uint64) (diff, out uint64) {
	d, c := bits.Sub32(uint32(a), uint32(b), uint32(borrow))
	return uint64(d), uint64(c)
}

func mulHi32(a, b uint64) uint64 { return uint64(uint32(a)) * uint64(uint32(b)) >> 32 }

func mulHiS32(a, b uint64) uint64 { return uint64(uint32(int64(int32(a)) * int64(int32(b)) >> 32)) }

// carry2 makes a kernel of d = a + b + carry.
func carry2(f func(a, b, carry uint64) (d, out uint64)) kernel {
	return func(_ *Inst, x *Lanes) {
		var out uint32
		for m := x.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d, c := f(x.Src[0][i], x.Src[1][i], uint64(x.PSrc[2]>>i&1))
			x.Dst[0][i] = d
			out |= uint32(c) << i
		}
		x.PDst[1] = out
	}
}

// carry3 makes a kernel of d = a * b + c + carry.
func carry3(mul func(a, b uint64) uint64, f func(a, b, carry uint64) (d, out uint64)) kernel {
	return func(_ *Inst, x *Lanes) {
		var out uint32
		for m := x.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d, c := f(mul(x.Src[0][i], x.Src[1][i]), x.Src[2][i], uint64(x.PSrc[3]>>i&1))
			x.Dst[0][i] = d
			out |= uint32(c) << i
		}
		x.PDst[1] = out
	}
}
