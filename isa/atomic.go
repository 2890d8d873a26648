package isa

// Atomic is the result of the atomic operation op on a memory word (PTX ISA, atom and red). The
// word has type t and holds old; a and b are the operands. Only cas uses b: it stores b if old
// equals a. inc counts up and wraps to 0 at a; dec counts down and wraps to a, from 0 and from
// above a. add of floats rounds to nearest and keeps subnormals. Bits above the width of t are
// zero.
func Atomic(op AtomOp, t Type, old, a, b uint64) uint64 {
	width := uint64(1)<<(t.Bits()-1)<<1 - 1
	old, a, b = old&width, a&width, b&width
	switch op {
	case AtomAnd:
		return old & a
	case AtomOr:
		return old | a
	case AtomXor:
		return old ^ a
	case AtomExch:
		return a
	case AtomCas:
		if old == a {
			return b
		}
	case AtomInc:
		if old >= a {
			return 0
		}
		return old + 1
	case AtomDec:
		if old == 0 || old > a {
			return a
		}
		return old - 1
	case AtomAdd:
		switch t {
		case F32:
			return bits32(float(old) + float(a))
		case F64:
			return bits64(double(old) + double(a))
		case F16, BF16, F16x2, BF16x2:
			return addHalves(t, old, a)
		}
		return (old + a) & width
	case AtomMin:
		if ordered(t, a, old) {
			return a
		}
	case AtomMax:
		if ordered(t, old, a) {
			return a
		}
	}
	return old
}

// addHalves adds one or two numbers of 16 bits; the two halves of a word are independent.
func addHalves(t Type, a, b uint64) (sum uint64) {
	f := layoutOf(t.Element())
	for at := 0; at < t.Bits(); at += 16 {
		sum |= f.nearest(f.value(a>>at&0xFFFF)+f.value(b>>at&0xFFFF)) << at
	}
	return sum
}

// GlobalAtomic is Atomic on global memory. There an f32 addition flushes subnormal operands and
// results; on shared memory it keeps them (PTX ISA, atom).
func GlobalAtomic(op AtomOp, t Type, old, a, b uint64) uint64 {
	if op == AtomAdd && t == F32 {
		return flush32(Atomic(op, t, flush32(old), flush32(a), b))
	}
	return Atomic(op, t, old, a, b)
}

// ordered reports whether a < b for the integer type t.
func ordered(t Type, a, b uint64) bool {
	if t.Signed() {
		return int64(extend(t, a, 64)) < int64(extend(t, b, 64))
	}
	return a < b
}
