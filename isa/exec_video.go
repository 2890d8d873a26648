package isa

import "math/bits"

// Video instructions (PTX ISA, section 9.7.17). Parts of the sources are extended to 64 bits, which
// hold every intermediate result exactly except that of vmad. A scalar instruction then clamps the
// result (.sat) and combines it with c, by a secondary operation or by replacing a part of c. A
// SIMD instruction does the same in each lane; there the secondary operation sums over the lanes.

func (d *datapath) addVideo() {
	for _, op := range []Op{OpVadd, OpVsub, OpVabsdiff, OpVmin, OpVmax, OpVavrg, OpVshl, OpVshr, OpVset} {
		d.add(form{op: op}, video)
	}
	d.add(form{op: OpVmad}, vmad)
}

// video reports whether a video instruction is complete.
func (in *Inst) video() bool {
	known := func(t Type) bool { return t == U32 || t == S32 }
	if !known(in.Type) || !known(in.SrcType) || !known(in.Select.BType) || in.Op == OpVset &&
		(in.Cmp < CmpEq || in.Cmp > CmpGe) {
		return false
	}
	if (in.Op == OpVshl || in.Op == OpVshr) && in.Select.BType != U32 {
		return false
	}
	if in.Vec == 1 {
		return in.Op != OpVavrg && in.Select.A>>8 != 0 && in.Select.B>>8 != 0 && in.Select.D>>8 != 0
	}
	return (in.Vec == 2 || in.Vec == 4) && in.Op != OpVshl && in.Op != OpVshr && in.Op != OpVmad
}

func video(in *Inst, x *Lanes) {
	scalar := in.Vec == 1
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		a, b, c := x.Src[0][i], x.Src[1][i], uint64(0)
		if in.NSrc > 2 {
			c = x.Src[2][i]
		}
		if scalar {
			x.Dst[0][i] = in.scalarVideo(a, b, c)
		} else {
			x.Dst[0][i] = in.simdVideo(a, b, c)
		}
	}
}

func (in *Inst) scalarVideo(a, b, c uint64) uint64 {
	s := &in.Select
	v := in.primary(part(in.SrcType, a, s.A), part(s.BType, b, s.B))
	n, at := int(s.D>>8), s.D&0xff
	if in.Flags&FlagSat != 0 {
		v = saturated64(in.Type, n, v)
	}
	third := int64(element(in.Type, c, 0, 32))
	switch {
	case in.Atom == AtomAdd:
		v += third
	case in.Atom == AtomMin:
		v = min(v, third)
	case in.Atom == AtomMax:
		v = max(v, third)
	case n < 32:
		field := (uint64(1)<<n - 1) << at
		return c&^field&0xFFFF_FFFF | uint64(v)<<at&field
	}
	return uint64(uint32(v))
}

func (in *Inst) simdVideo(a, b, c uint64) (d uint64) {
	s := &in.Select
	n := 32 / int(in.Vec)
	both := b<<32 | a&0xFFFF_FFFF
	sum := c
	for i := range int(in.Vec) {
		field := (uint64(1)<<n - 1) << (n * i)
		if s.D>>i&1 == 0 {
			d |= c & field
			continue
		}
		v := in.primary(
			int64(element(in.SrcType, both, n*int(s.A>>(4*i)&15), n)),
			int64(element(s.BType, both, n*int(s.B>>(4*i)&15), n)))
		if in.Flags&FlagSat != 0 {
			v = saturated64(in.Type, n, v)
		}
		sum += uint64(v)
		d |= uint64(v) << (n * i) & field
	}
	if in.Atom == AtomAdd {
		return uint64(uint32(sum))
	}
	return d
}

// part is the part of v that a scalar instruction selects.
func part(t Type, v uint64, sel uint16) int64 {
	return int64(element(t, v, int(sel&0xff), int(sel>>8)))
}

// primary is the operation on two numbers.
func (in *Inst) primary(a, b int64) int64 {
	switch in.Op {
	case OpVadd:
		return a + b
	case OpVsub:
		return a - b
	case OpVabsdiff:
		return max(a, b) - min(a, b)
	case OpVmin:
		return min(a, b)
	case OpVmax:
		return max(a, b)
	case OpVavrg: // halves are rounded away from zero
		s := a + b
		return (s + int64(bit(s >= 0))) >> 1
	case OpVshl:
		return shiftLeft(a, in.amount(b))
	case OpVshr:
		return a >> in.amount(b)
	}
	return int64(bit(in.Cmp.orders(a, b)))
}

// amount is the shift amount of vshl and vshr.
func (in *Inst) amount(b int64) int64 {
	if in.Flags&FlagWrap != 0 {
		return b & 31
	}
	return min(b, 32)
}

// shiftLeft shifts 33 bits. A shift by 32 needs more than 64 bits. The value returned then is
// larger than all operands and also ends in 32 zeros.
func shiftLeft(a, n int64) int64 {
	if n == 32 && a != 0 {
		return (a>>63 | 1) << 40
	}
	return a << n
}

// orders compares numbers; vset has the first six comparisons only.
func (c Cmp) orders(a, b int64) bool {
	switch c {
	case CmpEq:
		return a == b
	case CmpNe:
		return a != b
	case CmpLt:
		return a < b
	case CmpLe:
		return a <= b
	case CmpGt:
		return a > b
	}
	return a >= b
}

// saturated64 is the n-bit integer nearest to v, signed if t is.
func saturated64(t Type, n int, v int64) int64 {
	if t.Signed() {
		return min(max(v, -1<<(n-1)), 1<<(n-1)-1)
	}
	return min(max(v, 0), 1<<n-1)
}

// vmad is a*b + c, where the product or c may be negated, or 1 may be added. It computes in 128
// bits, and a shift drops some of them at the end. Negation complements and adds 1; c is
// complemented before it is extended. The result is signed if a factor is signed or something is
// negated.
func vmad(in *Inst, x *Lanes) {
	s := &in.Select
	isSigned := in.SrcType.Signed() || s.BType.Signed() || in.Mode == ModeNegProduct || in.Mode == ModeNegAddend
	third := U32
	if isSigned {
		third = S32
	}
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		a, b, c := part(in.SrcType, x.Src[0][i], s.A), part(s.BType, x.Src[1][i], s.B), x.Src[2][i]
		hi, lo := bits.Mul64(uint64(a), uint64(b)) // unsigned: a negative factor counts 2^64 too much
		hi -= uint64(a>>63)&uint64(b) + uint64(b>>63)&uint64(a)
		carry := uint64(0)
		switch in.Mode {
		case ModePlusOne:
			carry = 1
		case ModeNegProduct:
			hi, lo, carry = ^hi, ^lo, 1
		case ModeNegAddend:
			c, carry = ^c, 1
		}
		c = element(third, c, 0, 32)
		lo, carry = bits.Add64(lo, c, carry)
		hi += uint64(int64(c)>>63) + carry
		lo = lo>>s.Shift | hi<<(64-s.Shift)
		hi = uint64(int64(hi) >> s.Shift)
		x.Dst[0][i] = lo & 0xFFFF_FFFF
		if in.Flags&FlagSat != 0 {
			x.Dst[0][i] = saturated128(third, hi, lo)
		}
	}
}

// saturated128 is the value of t, u32 or s32, nearest to the 128 bits hi:lo.
func saturated128(t Type, hi, lo uint64) uint64 {
	switch {
	case !t.Signed():
		if hi != 0 {
			lo = ^uint64(0)
		}
		return min(lo, 0xFFFF_FFFF)
	case hi != uint64(int64(lo)>>63): // more than 64 bits
		lo = uint64(int64(hi)>>63) ^ (1<<63 - 1)
	}
	return uint64(uint32(saturated64(t, 32, int64(lo))))
}
