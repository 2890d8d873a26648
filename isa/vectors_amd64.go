package isa

import (
	"fmt"
	"math/bits"

	"golang.org/x/sys/cpu"
)

//go:generate go run -C ../tools/vectors main.go -pkg isa -out ../../isa/avx2_amd64.s -stubs ../../isa/avx2_amd64.go

// Kernels and comparators of the most common forms, on processors with AVX2 and FMA: four lanes in a
// step. The kernels of the other files, which define the operations, compute the same bits. They
// remain for masks of few lanes. GODEBUG=cpu.avx2=off leaves all lanes to them.

// vectorLanes is the number of active lanes from which on vectors need fewer instructions.
const vectorLanes = 8

func init() {
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		lanes.addVectors()
		addVectorComparators()
	}
}

// array is a row in the declarations of the generated functions.
type array = *[RowLanes]uint64

// vector computes the lanes of the mask of d from up to three sources.
type vector func(d, a, b, c array, mask uint32)

// addVectors puts vectors before the kernels of the same forms.
func (d *datapath) addVectors() {
	add := func(v vector, f form, types ...Type) {
		for _, t := range types {
			f.typ = t
			k := d.kernel(f)
			*k = v.before(*k)
		}
	}
	lo, wide := ModeLo, ModeWide
	add(vectorAdd32, form{op: OpAdd}, U32, S32, B32)
	add(vectorAdd64, form{op: OpAdd}, U64, S64, B64)
	add(vectorSub32, form{op: OpSub}, U32, S32, B32)
	add(vectorSub64, form{op: OpSub}, U64, S64, B64)
	add(vectorMul32, form{op: OpMul, mode: lo}, U32, S32, B32)
	add(vectorMad32, form{op: OpMad, mode: lo}, U32, S32, B32)
	add(vectorMulWide, form{op: OpMul, mode: wide}, U32)
	add(vectorMadWide, form{op: OpMad, mode: wide}, U32)
	add(vectorMulWideSigned, form{op: OpMul, mode: wide}, S32)
	add(vectorMadWideSigned, form{op: OpMad, mode: wide}, S32)
	add(vectorMin32, form{op: OpMin}, U32)
	add(vectorMax32, form{op: OpMax}, U32)
	add(vectorMinSigned32, form{op: OpMin}, S32)
	add(vectorMaxSigned32, form{op: OpMax}, S32)

	add(vectorAnd32, form{op: OpAnd}, U32, S32, B32)
	add(vectorAnd64, form{op: OpAnd}, U64, S64, B64)
	add(vectorOr32, form{op: OpOr}, U32, S32, B32)
	add(vectorOr64, form{op: OpOr}, U64, S64, B64)
	add(vectorXor32, form{op: OpXor}, U32, S32, B32)
	add(vectorXor64, form{op: OpXor}, U64, S64, B64)
	add(vectorNot32, form{op: OpNot}, U32, S32, B32)
	add(vectorNot64, form{op: OpNot}, U64, S64, B64)
	add(vectorShl32, form{op: OpShl}, U32, S32, B32)
	add(vectorShl64, form{op: OpShl}, U64, S64, B64)
	add(vectorShr32, form{op: OpShr}, U32, B32)
	add(vectorShr64, form{op: OpShr}, U64, B64)
	add(vectorShrSigned32, form{op: OpShr}, S32)

	add(vectorMov32, form{op: OpMov}, U32, S32, B32, F32)
	add(vectorMov32, form{op: OpCvt, src: U32}, U32, U64, S64)
	add(vectorMov32, form{op: OpCvt, src: S32}, U32)
	add(vectorMov32, form{op: OpCvt, src: U64}, U32)
	add(vectorMov32, form{op: OpCvt, src: S64}, U32)
	add(vectorWiden, form{op: OpCvt, src: S32}, U64, S64)
	add(vectorFromUnsigned32, form{op: OpCvt, src: U32, round: RoundNearest}, F32)
	add(vectorFromSigned32, form{op: OpCvt, src: S32, round: RoundNearest}, F32)

	nearest := func(op Op) form { return form{op: op, round: RoundNearest} }
	add(vectorAddF32, nearest(OpAdd), F32)
	add(vectorAddF64, nearest(OpAdd), F64)
	add(vectorSubF32, nearest(OpSub), F32)
	add(vectorSubF64, nearest(OpSub), F64)
	add(vectorMulF32, nearest(OpMul), F32)
	add(vectorMulF64, nearest(OpMul), F64)
	for _, op := range []Op{OpMad, OpFma} {
		add(vectorFmaF32, nearest(op), F32)
		add(vectorFmaF64, nearest(op), F64)
	}

	for _, t := range []Type{U32, S32, B32, F32} {
		k := d.kernel(form{op: OpSelp, typ: t})
		*k = selpBefore(vectorSelp32, *k)
	}
	for _, t := range []Type{U64, S64, B64, F64} {
		k := d.kernel(form{op: OpSelp, typ: t})
		*k = selpBefore(vectorSelp64, *k)
	}
}

// kernel is the place of the kernel of a form.
func (d *datapath) kernel(f form) *kernel {
	code, ok := d.codes[f]
	if !ok {
		panic(fmt.Sprintf("isa: vectors for no kernel: %+v", f))
	}
	return &d.kernels[code]
}

// before makes the kernel that takes v for masks of many lanes, and k for those of few.
func (v vector) before(k kernel) kernel {
	return func(in *Inst, x *Lanes) {
		if bits.OnesCount32(x.Mask) < vectorLanes {
			k(in, x)
			return
		}
		v(array(x.Dst[0]), array(x.Src[0]), array(x.Src[1]), array(x.Src[2]), x.Mask)
	}
}

func selpBefore(v func(d, a, b array, p, mask uint32), k kernel) kernel {
	return func(in *Inst, x *Lanes) {
		if bits.OnesCount32(x.Mask) < vectorLanes {
			k(in, x)
			return
		}
		v(array(x.Dst[0]), array(x.Src[0]), array(x.Src[1]), x.pred(2), x.Mask)
	}
}

// addVectorComparators puts vectors before the comparators of the same relations.
func addVectorComparators() {
	same32 := testBefore(vectorEqual32, equalInt[uint32])
	same64 := testBefore(vectorEqual64, equalInt[uint64])
	comparators[U32] = unsignedComparators(testBefore(vectorLess32, lessInt[uint32]), same32)
	comparators[U64] = unsignedComparators(testBefore(vectorLess64, lessInt[uint64]), same64)
	comparators[S32] = integerComparators(testBefore(vectorLessSigned32, lessInt[int32]), same32)
	comparators[S64] = integerComparators(testBefore(vectorLessSigned64, lessInt[int64]), same64)
	comparators[B32] = bitComparators(same32)
	comparators[B64] = bitComparators(same64)
	comparators[F32] = floatComparators(testBefore(vectorLessF32, less32), testBefore(vectorLessEqualF32, lessEqual32),
		testBefore(vectorEqualF32, equal32), testBefore(vectorOrderedF32, ordered32))
	comparators[F64] = floatComparators(testBefore(vectorLessF64, less64), testBefore(vectorLessEqualF64, lessEqual64),
		testBefore(vectorEqualF64, equal64), testBefore(vectorOrderedF64, ordered64))
}

func testBefore(v func(a, b array) uint32, test func(x *Lanes, a, b *Row) uint32) func(x *Lanes, a, b *Row) uint32 {
	return func(x *Lanes, a, b *Row) uint32 {
		if bits.OnesCount32(x.Mask) < vectorLanes {
			return test(x, a, b)
		}
		return v(array(a), array(b))
	}
}
