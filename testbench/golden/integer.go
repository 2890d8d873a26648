package golden

import (
	"math/big"

	"divergo/isa"
)

// integer computes integer arithmetic (PTX ISA, section 9.7.1).
func (v *values) integer(in *isa.Inst) bool {
	t := in.Type
	a, b, c := v.src[0], v.src[1], v.src[2]
	switch in.Op {
	case isa.OpAdd:
		v.dst[0] = cut(t, a+b)
		if in.Flags&isa.FlagSat != 0 {
			v.dst[0] = clamp32(signed(t, a) + signed(t, b))
		}
	case isa.OpSub:
		v.dst[0] = cut(t, a-b)
		if in.Flags&isa.FlagSat != 0 {
			v.dst[0] = clamp32(signed(t, a) - signed(t, b))
		}
	case isa.OpMul:
		v.dst[0] = product(in, a, b)
	case isa.OpMad:
		p := product(in, a, b)
		switch {
		case in.Mode == isa.ModeWide:
			v.dst[0] = p + c
			if t.Bits() == 16 {
				v.dst[0] &= 0xFFFF_FFFF
			}
		case in.Flags&isa.FlagSat != 0:
			v.dst[0] = clamp32(signed(t, p) + signed(t, c))
		default:
			v.dst[0] = cut(t, p+c)
		}
	case isa.OpMul24:
		v.dst[0] = cut(t, product24(in, a, b))
	case isa.OpMad24:
		p := cut(t, product24(in, a, b))
		v.dst[0] = cut(t, p+c)
		if in.Flags&isa.FlagSat != 0 {
			v.dst[0] = clamp32(signed(t, p) + signed(t, c))
		}
	case isa.OpSad:
		if less(t, a, b) {
			a, b = b, a
		}
		v.dst[0] = cut(t, c+a-b)
	case isa.OpDiv:
		v.dst[0] = cut(t, quotient(t, a, b))
	case isa.OpRem:
		v.dst[0] = cut(t, remainder(t, a, b))
	case isa.OpMin:
		v.dst[0] = cut(t, a)
		if less(t, b, a) {
			v.dst[0] = cut(t, b)
		}
	case isa.OpMax:
		v.dst[0] = cut(t, a)
		if less(t, a, b) {
			v.dst[0] = cut(t, b)
		}
	case isa.OpAbs:
		v.dst[0] = cut(t, a)
		if signed(t, a) < 0 {
			v.dst[0] = cut(t, -a)
		}
	case isa.OpNeg:
		v.dst[0] = cut(t, -a)
	default:
		return false
	}
	return true
}

// less reports whether a < b as numbers of type t.
func less(t isa.Type, a, b uint64) bool {
	if t.Signed() {
		return signed(t, a) < signed(t, b)
	}
	return cut(t, a) < cut(t, b)
}

// clamp32 returns the s32 nearest to x.
func clamp32(x int64) uint64 {
	switch {
	case x > 1<<31-1:
		return 1<<31 - 1
	case x < -1<<31:
		return 1 << 31
	}
	return uint64(x) & 0xFFFF_FFFF
}

// number returns x as a number of type t.
func number(t isa.Type, x uint64) *big.Int {
	if t.Signed() {
		return big.NewInt(signed(t, x))
	}
	return new(big.Int).SetUint64(cut(t, x))
}

// low returns the low 64 bits of x in two's complement.
func low(x *big.Int) uint64 {
	return new(big.Int).And(x, new(big.Int).SetUint64(^uint64(0))).Uint64()
}

// product returns the low or high half, or all of a times b.
func product(in *isa.Inst, a, b uint64) uint64 {
	n := in.Type.Bits()
	switch {
	case in.Mode == isa.ModeHi && n == 64:
		p := new(big.Int).Mul(number(in.Type, a), number(in.Type, b))
		return low(p.Rsh(p, 64))
	case in.Mode == isa.ModeLo || in.Mode == isa.ModeNone:
		return cut(in.Type, a*b)
	}
	var p uint64 // exact for up to 32 bits
	if in.Type.Signed() {
		p = uint64(signed(in.Type, a) * signed(in.Type, b))
	} else {
		p = cut(in.Type, a) * cut(in.Type, b)
	}
	switch {
	case in.Mode == isa.ModeHi:
		return cut(in.Type, p>>n)
	case n == 16:
		return p & 0xFFFF_FFFF
	}
	return p
}

// product24 returns the low or high 32 of the 48 bits of the product of the low 24 bits of a and b.
func product24(in *isa.Inst, a, b uint64) uint64 {
	p := (a & 0xFF_FFFF) * (b & 0xFF_FFFF)
	if in.Type.Signed() {
		p = uint64((int64(a<<40) >> 40) * (int64(b<<40) >> 40))
	}
	if in.Mode == isa.ModeHi {
		return p >> 16
	}
	return p
}

// quotient truncates toward zero. Our reading: division by zero gives all ones; the manual leaves
// it open ("unspecified, machine-specific value").
func quotient(t isa.Type, a, b uint64) uint64 {
	switch {
	case cut(t, b) == 0:
		return ^uint64(0)
	case t.Signed() && signed(t, b) == -1:
		return -a // also for the most negative number, whose quotient does not fit
	case t.Signed():
		return uint64(signed(t, a) / signed(t, b))
	}
	return cut(t, a) / cut(t, b)
}

// remainder has the sign of a. The remainder by zero is a.
func remainder(t isa.Type, a, b uint64) uint64 {
	switch {
	case cut(t, b) == 0:
		return ^uint64(0)
	case t.Signed() && signed(t, b) == -1:
		return 0
	case t.Signed():
		return uint64(signed(t, a) % signed(t, b))
	}
	return cut(t, a) % cut(t, b)
}
