package golden

import (
	"math"

	"divergo/isa"
)

// atomic returns the new value of a memory word that holds old (PTX ISA, section 9.7.12.5). Floats
// are added to nearest, with subnormals.
func atomic(op isa.AtomOp, t isa.Type, old, b, c uint64) uint64 {
	b, c = cut(t, b), cut(t, c)
	switch op {
	case isa.AtomAnd:
		return old & b
	case isa.AtomOr:
		return old | b
	case isa.AtomXor:
		return old ^ b
	case isa.AtomExch:
		return b
	case isa.AtomCas:
		if old == b {
			return c
		}
		return old
	case isa.AtomAdd:
		switch t {
		case isa.F32:
			return bits32(float32(value32(old) + value32(b)))
		case isa.F64:
			return bits64(value64(old) + value64(b))
		case isa.F16, isa.BF16, isa.F16x2, isa.BF16x2:
			v := values{}
			v.src[0], v.src[1] = old, b
			v.eval(&isa.Inst{Op: isa.OpAdd, Type: t, Round: isa.RoundNearest, NSrc: 2, NDst: 1})
			return v.dst[0]
		}
		return cut(t, old+b)
	case isa.AtomInc:
		if old >= b {
			return 0
		}
		return old + 1
	case isa.AtomDec:
		if old == 0 || old > b {
			return b
		}
		return old - 1
	case isa.AtomMin:
		if less(t, b, old) {
			return b
		}
	case isa.AtomMax:
		if less(t, old, b) {
			return b
		}
	}
	return old
}

// normal32 replaces a subnormal f32 by zero, as an atomic addition to global memory does with its
// operands and result (PTX ISA, section 9.7.12.5).
func normal32(a uint64) uint64 {
	if x := value32(a); x != 0 && math.Abs(float64(x)) < 0x1p-126 {
		return bits32(float32(math.Copysign(0, float64(x))))
	}
	return a
}
