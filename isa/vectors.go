//go:build goexperiment.simd && amd64

package isa

import (
	"fmt"
	"simd/archsimd"
)

// Vector kernels for the most common operations, with GOEXPERIMENT=simd. They process eight lanes
// in a step, if the processor has vectors of 512 bits (AVX-512). They replace the kernels of the
// other files, which define the operations, and compute the same bits.

// vector holds the values of eight lanes.
type vector = archsimd.Uint64x8

const vectorLanes = 8

func init() {
	if archsimd.X86.AVX512() {
		lanes.addVectors()
		addVectorComparators()
	}
}

// addVectors replaces the kernels of the same forms.
func (d *datapath) addVectors() {
	v := &datapath{codes: make(map[form]uint16)}
	v.addSizes(form{op: OpAdd}, vectorAdd[uint16], vectorAdd[uint32], vectorAdd[uint64])
	v.addSizes(form{op: OpSub}, vectorSub[uint16], vectorSub[uint32], vectorSub[uint64])
	v.addSizes(form{op: OpMul, mode: ModeLo}, vectorMul[uint16], vectorMul[uint32], vectorMul[uint64])
	v.addSizes(form{op: OpMad, mode: ModeLo}, vectorMad[uint16], vectorMad[uint32], vectorMad[uint64])
	v.addSigns(form{op: OpMul, mode: ModeWide}, nil, vectorMulWide, nil, nil, vectorMulWideSigned, nil)
	v.addSigns(form{op: OpMad, mode: ModeWide}, nil, vectorMadWide, nil, nil, vectorMadWideSigned, nil)
	v.addSigns(form{op: OpMin}, vectorMin[uint16], vectorMin[uint32], vectorMin[uint64],
		vectorMinSigned[uint16], vectorMinSigned[uint32], vectorMinSigned[uint64])
	v.addSigns(form{op: OpMax}, vectorMax[uint16], vectorMax[uint32], vectorMax[uint64],
		vectorMaxSigned[uint16], vectorMaxSigned[uint32], vectorMaxSigned[uint64])

	v.addSizes(form{op: OpAnd}, vectorAnd[uint16], vectorAnd[uint32], vectorAnd[uint64])
	v.addSizes(form{op: OpOr}, vectorOr[uint16], vectorOr[uint32], vectorOr[uint64])
	v.addSizes(form{op: OpXor}, vectorXor[uint16], vectorXor[uint32], vectorXor[uint64])
	v.addSizes(form{op: OpNot}, vectorNot[uint16], vectorNot[uint32], vectorNot[uint64])
	v.addSizes(form{op: OpShl}, vectorShl[uint16], vectorShl[uint32], vectorShl[uint64])
	v.addSigns(form{op: OpShr}, vectorShr[uint16], vectorShr[uint32], vectorShr[uint64],
		vectorShrSigned[uint16], vectorShrSigned[uint32], vectorShrSigned[uint64])
	v.add(form{op: OpShr, typ: B16}, vectorShr[uint16])
	v.add(form{op: OpShr, typ: B32}, vectorShr[uint32])
	v.add(form{op: OpShr, typ: B64}, vectorShr[uint64])

	v.addSizes(form{op: OpMov}, vectorMov[uint16], vectorMov[uint32], vectorMov[uint64])
	v.add(form{op: OpMov, typ: F32}, vectorMov[uint32])
	v.add(form{op: OpMov, typ: F64}, vectorMov[uint64])
	v.addSizes(form{op: OpSelp}, vectorSelp[uint16], vectorSelp[uint32], vectorSelp[uint64])
	v.add(form{op: OpSelp, typ: F32}, vectorSelp[uint32])
	v.add(form{op: OpSelp, typ: F64}, vectorSelp[uint64])

	v.addNearest(OpAdd, vectorAdd32, vectorAdd64)
	v.addNearest(OpSub, vectorSub32, vectorSub64)
	v.addNearest(OpMul, vectorMul32, vectorMul64)
	v.addNearest(OpMad, vectorMad32, vectorMad64)
	v.addNearest(OpFma, vectorMad32, vectorMad64)

	for f, code := range v.codes {
		place, ok := d.codes[f]
		if !ok {
			panic(fmt.Sprintf("isa: vectors for no kernel: %+v", f))
		}
		d.kernels[place] = v.kernels[code]
	}
}

// addVectorComparators replaces the comparators of the same relations.
func addVectorComparators() {
	comparators[U16] = unsignedComparators(vectorLess[uint16], vectorEqual[uint16])
	comparators[U32] = unsignedComparators(vectorLess[uint32], vectorEqual[uint32])
	comparators[U64] = unsignedComparators(vectorLess[uint64], vectorEqual[uint64])
	comparators[S16] = integerComparators(vectorLessSigned[uint16], vectorEqual[uint16])
	comparators[S32] = integerComparators(vectorLessSigned[uint32], vectorEqual[uint32])
	comparators[S64] = integerComparators(vectorLessSigned[uint64], vectorEqual[uint64])
	comparators[B16] = bitComparators(vectorEqual[uint16])
	comparators[B32] = bitComparators(vectorEqual[uint32])
	comparators[B64] = bitComparators(vectorEqual[uint64])
	comparators[F32] = floatComparators(vectorLess32, vectorLessEqual32, vectorEqual32, vectorOrdered32)
	comparators[F64] = floatComparators(vectorLess64, vectorLessEqual64, vectorEqual64, vectorOrdered64)
}

// each computes the vectors of a row by f, which gets the first lane of each, and writes the active
// lanes. It is small enough to be inlined together with its argument. It clears the upper halves of
// the vector registers at the end: otherwise the processor waits for them in all code that follows.
func (x *Lanes) each(f func(i int) vector) {
	for i := 0; i < MaxLanes; i += vectorLanes {
		f(i).StoreMasked((*[vectorLanes]uint64)(x.Dst[0][i:]), archsimd.Mask64x8FromBits(uint8(x.Mask>>i)))
	}
	archsimd.ClearAVXUpperBits()
}

// vectorTest has a bit for each lane for which f holds.
func vectorTest(a, b *Row, f func(a, b vector) uint8) (t uint32) {
	for i := 0; i < MaxLanes; i += vectorLanes {
		t |= uint32(f(load(a, i), load(b, i))) << i
	}
	archsimd.ClearAVXUpperBits()
	return t
}

// a, b and c are the sources.

func (x *Lanes) a(i int) vector { return load(x.Src[0], i) }

func (x *Lanes) b(i int) vector { return load(x.Src[1], i) }

func (x *Lanes) c(i int) vector { return load(x.Src[2], i) }

func load(r *Row, i int) vector { return archsimd.LoadUint64x8((*[vectorLanes]uint64)(r[i:])) }

// cut clears the bits above the width of U.
func cut[U unsigned](v vector) vector { return v.And(archsimd.BroadcastUint64x8(uint64(^U(0)))) }

// raise moves the bits of U to the top, the sign first; lower moves them back.

func raise[U unsigned](v vector) archsimd.Int64x8 { return v.ShiftAllLeft(above[U]()).AsInt64x8() }

func lower[U unsigned](v archsimd.Int64x8) vector { return v.AsUint64x8().ShiftAllRight(above[U]()) }

// above is the number of bits of a lane above U.
func above[U unsigned]() uint64 { return uint64(64 - width[U]()) }

// widen sign-extends a value of 32 bits.
func widen(v vector) archsimd.Int64x8 { return raise[uint32](v).ShiftAllRight(32) }

func vectorAdd[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Add(x.b(i))) })
}

func vectorSub[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Sub(x.b(i))) })
}

func vectorMul[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Mul(x.b(i))) })
}

func vectorMad[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Mul(x.b(i)).Add(x.c(i))) })
}

func vectorMulWide(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[uint32](x.a(i)).Mul(cut[uint32](x.b(i))) })
}

func vectorMulWideSigned(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return widen(x.a(i)).Mul(widen(x.b(i))).AsUint64x8() })
}

func vectorMadWide(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[uint32](x.a(i)).Mul(cut[uint32](x.b(i))).Add(x.c(i)) })
}

func vectorMadWideSigned(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return widen(x.a(i)).Mul(widen(x.b(i))).AsUint64x8().Add(x.c(i)) })
}

func vectorMin[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i)).Min(cut[U](x.b(i))) })
}

func vectorMax[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i)).Max(cut[U](x.b(i))) })
}

func vectorMinSigned[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return lower[U](raise[U](x.a(i)).Min(raise[U](x.b(i)))) })
}

func vectorMaxSigned[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return lower[U](raise[U](x.a(i)).Max(raise[U](x.b(i)))) })
}

func vectorAnd[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).And(x.b(i))) })
}

func vectorOr[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Or(x.b(i))) })
}

func vectorXor[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Xor(x.b(i))) })
}

func vectorNot[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).Not()) })
}

// Amounts have 32 bits. Amounts of 64 and more shift everything out, for vectors too.

func vectorShl[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i).ShiftLeft(cut[uint32](x.b(i)))) })
}

func vectorShr[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i)).ShiftRight(cut[uint32](x.b(i))) })
}

func vectorShrSigned[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector {
		return lower[U](raise[U](x.a(i)).ShiftRight(cut[uint32](x.b(i)).AsInt64x8()))
	})
}

func vectorMov[U unsigned](_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return cut[U](x.a(i)) })
}

func vectorSelp[U unsigned](_ *Inst, x *Lanes) {
	p := x.pred(2)
	x.each(func(i int) vector { return cut[U](x.a(i).Merge(x.b(i), archsimd.Mask64x8FromBits(uint8(p>>i)))) })
}

// floats and doubles read lanes. bitsOf32 and bitsOf64 are the lane values of results; every NaN
// becomes the canonical one.

func floats(v vector) archsimd.Float32x8 { return v.TruncateToUint32().AsFloat32x8() }

func doubles(v vector) archsimd.Float64x8 { return v.AsFloat64x8() }

func bitsOf32(v archsimd.Float32x8) vector {
	r := v.AsUint32x8().Merge(archsimd.BroadcastUint32x8(nan32), v.Equal(v))
	return r.ExtendToUint64()
}

func bitsOf64(v archsimd.Float64x8) vector {
	return v.AsUint64x8().Merge(archsimd.BroadcastUint64x8(nan64), v.Equal(v))
}

func vectorAdd32(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf32(floats(x.a(i)).Add(floats(x.b(i)))) })
}

func vectorSub32(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf32(floats(x.a(i)).Sub(floats(x.b(i)))) })
}

func vectorMul32(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf32(floats(x.a(i)).Mul(floats(x.b(i)))) })
}

func vectorMad32(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf32(floats(x.a(i)).MulAdd(floats(x.b(i)), floats(x.c(i)))) })
}

func vectorAdd64(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf64(doubles(x.a(i)).Add(doubles(x.b(i)))) })
}

func vectorSub64(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf64(doubles(x.a(i)).Sub(doubles(x.b(i)))) })
}

func vectorMul64(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf64(doubles(x.a(i)).Mul(doubles(x.b(i)))) })
}

func vectorMad64(_ *Inst, x *Lanes) {
	x.each(func(i int) vector { return bitsOf64(doubles(x.a(i)).MulAdd(doubles(x.b(i)), doubles(x.c(i)))) })
}

func vectorLess[U unsigned](_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return cut[U](a).Less(cut[U](b)).ToBits() })
}

func vectorLessSigned[U unsigned](_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return raise[U](a).Less(raise[U](b)).ToBits() })
}

func vectorEqual[U unsigned](_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return cut[U](a).Equal(cut[U](b)).ToBits() })
}

func vectorLess32(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return floats(a).Less(floats(b)).ToBits() })
}

func vectorLessEqual32(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return floats(a).LessEqual(floats(b)).ToBits() })
}

func vectorEqual32(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return floats(a).Equal(floats(b)).ToBits() })
}

func vectorOrdered32(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 {
		return floats(a).Equal(floats(a)).And(floats(b).Equal(floats(b))).ToBits()
	})
}

func vectorLess64(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return doubles(a).Less(doubles(b)).ToBits() })
}

func vectorLessEqual64(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return doubles(a).LessEqual(doubles(b)).ToBits() })
}

func vectorEqual64(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 { return doubles(a).Equal(doubles(b)).ToBits() })
}

func vectorOrdered64(_ *Lanes, a, b *Row) uint32 {
	return vectorTest(a, b, func(a, b vector) uint8 {
		return doubles(a).Equal(doubles(a)).And(doubles(b).Equal(doubles(b))).ToBits()
	})
}
