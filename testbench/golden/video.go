package golden

import (
	"math/big"

	"divergo/isa"
)

// video computes the video instructions (PTX ISA, section 9.7.17), with numbers of unlimited width.
func (v *values) video(in *isa.Inst) bool {
	if in.Vec == 0 || in.Select.BType == isa.NoType {
		return false
	}
	a, b, c := v.src[0], v.src[1], v.src[2]
	s := &in.Select
	if in.Vec > 1 {
		return v.lanes(in)
	}
	n, at := uint(s.D>>8), uint(s.D&0xff)
	d, ok := primary(in, field(in.SrcType, a, uint(s.A&0xff), uint(s.A>>8)),
		field(s.BType, b, uint(s.B&0xff), uint(s.B>>8)), c)
	if !ok {
		return false
	}
	t := in.Type
	if in.Op == isa.OpVmad {
		t = isa.U32
		if isSigned(in) {
			t = isa.S32
		}
	}
	if in.Flags&isa.FlagSat != 0 {
		d = limit(t, n, d)
	}
	third := number(in.Type, c)
	switch in.Atom {
	case isa.AtomAdd:
		d.Add(d, third)
	case isa.AtomMin:
		if third.Cmp(d) < 0 {
			d = third
		}
	case isa.AtomMax:
		if third.Cmp(d) > 0 {
			d = third
		}
	default:
		for i := range uint64(32) { // bits outside the part are those of c
			if i < uint64(at) || i >= uint64(at+n) {
				continue
			}
			c = c&^(1<<i) | uint64(d.Bit(int(i)-int(at)))<<i
		}
		v.dst[0] = cut(isa.U32, c)
		return true
	}
	v.dst[0] = cut(isa.U32, low(d))
	return true
}

// lanes computes a SIMD video instruction.
func (v *values) lanes(in *isa.Inst) bool {
	n := uint(32 / in.Vec)
	both := v.src[1]<<32 | v.src[0]
	sum, merged := v.src[2], v.src[2]
	for i := range uint(in.Vec) {
		if in.Select.D>>i%2 == 0 {
			continue
		}
		a := field(in.SrcType, both, n*uint(in.Select.A>>(4*i)%16), n)
		b := field(in.Select.BType, both, n*uint(in.Select.B>>(4*i)%16), n)
		d, ok := primary(in, a, b, 0)
		if !ok {
			return false
		}
		if in.Flags&isa.FlagSat != 0 {
			d = limit(in.Type, n, d)
		}
		sum += low(d)
		ones := uint64(1<<n - 1)
		merged = merged&^(ones<<(n*i)) | low(d)&ones<<(n*i)
	}
	v.dst[0] = cut(isa.U32, merged)
	if in.Atom == isa.AtomAdd {
		v.dst[0] = cut(isa.U32, sum)
	}
	return true
}

// field returns the number of n bits at bit at of x, signed if t is.
func field(t isa.Type, x uint64, at, n uint) *big.Int {
	f := new(big.Int).SetUint64(x >> at & (1<<n - 1))
	if t.Signed() && n > 0 && f.Bit(int(n)-1) == 1 {
		f.Sub(f, new(big.Int).Lsh(big.NewInt(1), n))
	}
	return f
}

// limit returns the number of n bits nearest to x, signed if t is.
func limit(t isa.Type, n uint, x *big.Int) *big.Int {
	least, above := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), n)
	if t.Signed() {
		above.Rsh(above, 1)
		least.Neg(above)
	}
	switch {
	case x.Cmp(least) < 0:
		return least
	case x.Cmp(above) >= 0:
		return above.Sub(above, big.NewInt(1))
	}
	return x
}

// primary computes the operation of a video instruction on two numbers.
func primary(in *isa.Inst, a, b *big.Int, c uint64) (*big.Int, bool) {
	d := new(big.Int)
	amount := uint(b.Uint64())
	if in.Flags&isa.FlagWrap != 0 {
		amount %= 32
	}
	amount = min(amount, 32)
	switch in.Op {
	case isa.OpVadd:
		d.Add(a, b)
	case isa.OpVsub:
		d.Sub(a, b)
	case isa.OpVabsdiff:
		d.Abs(d.Sub(a, b))
	case isa.OpVmin, isa.OpVmax:
		if d = a; (a.Cmp(b) > 0) == (in.Op == isa.OpVmin) {
			d = b
		}
	case isa.OpVavrg:
		if d.Add(a, b); d.Sign() >= 0 {
			d.Add(d, big.NewInt(1))
		}
		d.Rsh(d, 1)
	case isa.OpVshl:
		d.Lsh(a, amount)
	case isa.OpVshr:
		d.Rsh(a, amount)
	case isa.OpVmad:
		return multiply(in, a, b, c), true
	case isa.OpVset:
		cmp := a.Cmp(b)
		switch in.Cmp {
		case isa.CmpEq:
			d.SetUint64(truth(cmp == 0))
		case isa.CmpNe:
			d.SetUint64(truth(cmp != 0))
		case isa.CmpLt:
			d.SetUint64(truth(cmp < 0))
		case isa.CmpLe:
			d.SetUint64(truth(cmp <= 0))
		case isa.CmpGt:
			d.SetUint64(truth(cmp > 0))
		case isa.CmpGe:
			d.SetUint64(truth(cmp >= 0))
		default:
			return nil, false
		}
	default:
		return nil, false
	}
	return d, true
}

// isSigned reports whether the result of vmad is signed.
func isSigned(in *isa.Inst) bool {
	return in.SrcType.Signed() || in.Select.BType.Signed() || in.Mode == isa.ModeNegProduct ||
		in.Mode == isa.ModeNegAddend
}

// multiply computes a*b + c of vmad. A negated c is the complement of its 32 bits plus 1, because
// the manual's program extends it in between.
func multiply(in *isa.Inst, a, b *big.Int, c uint64) *big.Int {
	t := isa.U32
	if isSigned(in) {
		t = isa.S32
	}
	d := new(big.Int).Mul(a, b)
	switch in.Mode {
	case isa.ModeNegProduct:
		d.Neg(d)
	case isa.ModePlusOne:
		d.Add(d, big.NewInt(1))
	case isa.ModeNegAddend:
		d.Add(d, big.NewInt(1))
		c = ^c
	}
	d.Add(d, number(t, c))
	return d.Rsh(d, uint(in.Select.Shift))
}
