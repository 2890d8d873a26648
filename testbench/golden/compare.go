package golden

import (
	"math"

	"divergo/isa"
)

// compare computes setp and set (PTX ISA, sections 9.7.5.1 and 9.7.5.2).
func (v *values) compare(in *isa.Inst) bool {
	t := in.SrcType
	if t == isa.NoType {
		t = in.Type
	}
	yes, ok := holds(in, t, v.src[0], v.src[1])
	no := !yes
	if t.Element() != t { // the second result is that of the upper halves
		no, _ = holds(in, t, v.src[0]>>16, v.src[1]>>16)
	}
	if in.Bool != isa.BoolNone {
		yes, no = combine(in.Bool, yes, v.src[2] != 0), combine(in.Bool, no, v.src[2] != 0)
	}
	switch {
	case in.Op == isa.OpSetp:
		v.dst[0], v.dst[1] = truth(yes), truth(no)
	case t.Element() != t && in.Type == t:
		v.dst[0] = (truth(no)<<16 | truth(yes)) * encodeHalf(t.Element(), isa.RoundNearest, 1)
	case t.Element() != t:
		v.dst[0] = (truth(no)<<16 | truth(yes)) * 0xFFFF
	case in.Type.Half():
		v.dst[0] = truth(yes) * encodeHalf(in.Type, isa.RoundNearest, 1)
	case in.Type == isa.F32:
		v.dst[0] = truth(yes) * uint64(math.Float32bits(1))
	default:
		v.dst[0] = truth(yes) * cut(in.Type, 0xFFFF_FFFF)
	}
	return ok
}

func combine(op isa.BoolOp, t, c bool) bool {
	switch op {
	case isa.BoolAnd:
		return t && c
	case isa.BoolOr:
		return t || c
	}
	return t != c
}

// holds evaluates the comparison of a and b as values of type t. It returns false for ok if there
// is no such comparison.
func holds(in *isa.Inst, t isa.Type, a, b uint64) (yes, ok bool) {
	if t.Half() {
		return holdsFloat(in.Cmp, operandHalf(in, t.Element(), a), operandHalf(in, t.Element(), b))
	}
	if t.Float() {
		return holdsFloat(in.Cmp, real64(in, t, a), real64(in, t, b))
	}
	unsigned := isa.U64
	switch in.Cmp {
	case isa.CmpEq:
		return cut(t, a) == cut(t, b), true
	case isa.CmpNe:
		return cut(t, a) != cut(t, b), true
	case isa.CmpLt:
		return less(t, a, b), true
	case isa.CmpLe:
		return !less(t, b, a), true
	case isa.CmpGt:
		return less(t, b, a), true
	case isa.CmpGe:
		return !less(t, a, b), true
	case isa.CmpLo:
		return less(unsigned, cut(t, a), cut(t, b)), true
	case isa.CmpLs:
		return !less(unsigned, cut(t, b), cut(t, a)), true
	case isa.CmpHi:
		return less(unsigned, cut(t, b), cut(t, a)), true
	case isa.CmpHs:
		return !less(unsigned, cut(t, a), cut(t, b)), true
	}
	return false, false
}

// real64 returns the value of a float operand; float64 holds every f32.
func real64(in *isa.Inst, t isa.Type, a uint64) float64 {
	if t == isa.F64 {
		return math.Float64frombits(a)
	}
	return float64(math.Float32frombits(uint32(flush(in, a))))
}

// holdsFloat evaluates a comparison of floats. The ordered ones are false if an
// operand is NaN, the unordered ones true.
func holdsFloat(cmp isa.Cmp, a, b float64) (yes, ok bool) {
	nan := math.IsNaN(a) || math.IsNaN(b)
	switch cmp {
	case isa.CmpEq:
		return !nan && a == b, true
	case isa.CmpNe:
		return !nan && a != b, true
	case isa.CmpLt:
		return !nan && a < b, true
	case isa.CmpLe:
		return !nan && a <= b, true
	case isa.CmpGt:
		return !nan && a > b, true
	case isa.CmpGe:
		return !nan && a >= b, true
	case isa.CmpEqu:
		return nan || a == b, true
	case isa.CmpNeu:
		return nan || a != b, true
	case isa.CmpLtu:
		return nan || a < b, true
	case isa.CmpLeu:
		return nan || a <= b, true
	case isa.CmpGtu:
		return nan || a > b, true
	case isa.CmpGeu:
		return nan || a >= b, true
	case isa.CmpNum:
		return !nan, true
	case isa.CmpNan:
		return nan, true
	}
	return false, false
}

// test computes testp (PTX ISA, section 9.7.3.1). Zero counts as normal.
func test(in *isa.Inst, a uint64) bool {
	exponent, fraction := a>>52&0x7FF, a&(1<<52-1)
	top := uint64(0x7FF)
	if in.Type == isa.F32 {
		exponent, fraction, top = a>>23&0xFF, a&(1<<23-1), 0xFF
	}
	switch in.Cmp {
	case isa.TestFinite:
		return exponent != top
	case isa.TestInfinite:
		return exponent == top && fraction == 0
	case isa.TestNumber:
		return exponent != top || fraction == 0
	case isa.TestNotANumber:
		return exponent == top && fraction != 0
	case isa.TestNormal:
		return exponent != top && (exponent != 0 || fraction == 0)
	}
	return exponent == 0 && fraction != 0 // subnormal
}

// selects reports whether slct takes its first operand: the selector is at least zero; NaN is not.
func selects(in *isa.Inst, c uint64) bool {
	if in.SrcType == isa.F32 {
		return real64(in, isa.F32, c) >= 0
	}
	return signed(isa.S32, c) >= 0
}
