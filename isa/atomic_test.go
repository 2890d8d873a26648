package isa

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAtomic(t *testing.T) {
	f := func(v float32) uint64 { return uint64(math.Float32bits(v)) }
	d := math.Float64bits
	for _, c := range []struct {
		op              AtomOp
		typ             Type
		old, a, b, want uint64
	}{
		{AtomAdd, U32, 0xFFFFFFFF, 2, 0, 1},
		{AtomAdd, S32, 0x7FFFFFFF, 1, 0, 0x80000000},
		{AtomAdd, U64, math.MaxUint64, 2, 0, 1},
		{AtomAdd, F32, f(1), f(0x1p-24), 0, f(1)}, // ties to even
		{AtomAdd, F32, 1, 1, 0, 2},                // subnormals stay
		{AtomAdd, F32, 0x7FC00001, f(1), 0, 0x7FFFFFFF},
		{AtomAdd, F64, d(1), d(2), 0, d(3)},
		{AtomInc, U32, 4, 5, 0, 5},
		{AtomInc, U32, 5, 5, 0, 0},
		{AtomInc, U32, 6, 5, 0, 0},
		{AtomInc, U32, 0, 0, 0, 0},
		{AtomDec, U32, 5, 5, 0, 4},
		{AtomDec, U32, 0, 5, 0, 5},
		{AtomDec, U32, 9, 5, 0, 5},
		{AtomDec, U32, 1, 5, 0, 0},
		{AtomMin, U32, 0xFFFFFFFF, 1, 0, 1},
		{AtomMin, S32, 0xFFFFFFFF, 1, 0, 0xFFFFFFFF},
		{AtomMax, U32, 0xFFFFFFFF, 1, 0, 0xFFFFFFFF},
		{AtomMax, S32, 0xFFFFFFFF, 1, 0, 1},
		{AtomMin, S64, 5, 1 << 63, 0, 1 << 63},
		{AtomMax, U64, 5, 1 << 63, 0, 1 << 63},
		{AtomMin, U64, 5, 1 << 63, 0, 5},
		{AtomMax, S64, 5, 1 << 63, 0, 5},
		{AtomAnd, B32, 0xFF00FF00, 0x0FF00FF0, 0, 0x0F000F00},
		{AtomOr, B32, 0xFF00FF00, 0x0FF00FF0, 0, 0xFFF0FFF0},
		{AtomXor, B64, math.MaxUint64, 1, 0, math.MaxUint64 - 1},
		{AtomExch, B32, 1, 2, 0, 2},
		{AtomExch, B64, 1, 1 << 40, 0, 1 << 40},
		{AtomCas, B32, 7, 7, 9, 9},
		{AtomCas, B32, 7, 8, 9, 7},
		{AtomCas, B64, 1 << 40, 1 << 40, 3, 3},
		{AtomCas, B32, 0xFFFFFFFF_00000007, 7, 9, 9}, // only the low word counts
	} {
		assert.Equal(t, c.want, Atomic(c.op, c.typ, c.old, c.a, c.b), "%+v", c)
	}
}

// TestGlobalAtomic checks that an f32 addition on global memory flushes subnormals, with their
// sign, and that no other operation does.
func TestGlobalAtomic(t *testing.T) {
	const tiny, least, half, minus = 0x0000_0001, 0x0080_0000, 0x0040_0000, 0x8000_0000
	for _, c := range []struct {
		op           AtomOp
		typ          Type
		old, a, want uint64
	}{
		{AtomAdd, F32, tiny, tiny, 0},
		{AtomAdd, F32, minus | tiny, minus | tiny, minus},
		{AtomAdd, F32, least, half, least},                    // a subnormal operand
		{AtomAdd, F32, 0x0080_0001, minus | least, 0},         // a subnormal result
		{AtomAdd, F32, 0x3f80_0000, 0x3f80_0000, 0x4000_0000}, // 1 + 1
		{AtomExch, F32, tiny, half, half},                     // no addition
		{AtomAdd, F64, tiny, tiny, 2},                         // no f32
		{AtomAdd, U32, tiny, tiny, 2},
	} {
		assert.Equal(t, c.want, GlobalAtomic(c.op, c.typ, c.old, c.a, 0), "%+v", c)
	}
	assert.EqualValues(t, 2, Atomic(AtomAdd, F32, tiny, tiny, 0), "shared memory keeps subnormals")
}
