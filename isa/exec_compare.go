package isa

import (
	"fmt"
	"math"
	"math/bits"
)

// Comparison and selection (PTX ISA, sections 9.7.6 and 9.7.7, and the predicate forms of section
// 9.7.8). A comparator turns two rows into a mask with one bit per lane.

// comparator evaluates one relation. Exchanged operands or an inverted result give the other
// relations of the same type.
type comparator struct {
	test         func(x *Lanes, a, b *Row) uint32
	swap, invert bool
}

// comparators holds every legal relation, by type.
var comparators = newComparators()

func newComparators() [F64 + 1][CmpNan + 1]comparator {
	return [...][CmpNan + 1]comparator{
		U16: unsignedComparators(lessInt[uint16], equalInt[uint16]),
		U32: unsignedComparators(lessInt[uint32], equalInt[uint32]),
		U64: unsignedComparators(lessInt[uint64], equalInt[uint64]),
		S16: integerComparators(lessInt[int16], equalInt[int16]),
		S32: integerComparators(lessInt[int32], equalInt[int32]),
		S64: integerComparators(lessInt[int64], equalInt[int64]),
		B16: bitComparators(equalInt[uint16]),
		B32: bitComparators(equalInt[uint32]),
		B64: bitComparators(equalInt[uint64]),
		F32: floatComparators(less32, lessEqual32, equal32, ordered32),
		F64: floatComparators(less64, lessEqual64, equal64, ordered64),
	}
}

// flushedComparators are those of f32 with .ftz.
var flushedComparators = floatComparators(
	comparing(func(a, b uint64) bool { return float(flush32(a)) < float(flush32(b)) }),
	comparing(func(a, b uint64) bool { return float(flush32(a)) <= float(flush32(b)) }),
	comparing(func(a, b uint64) bool { return float(flush32(a)) == float(flush32(b)) }),
	ordered32)

// comparing tests f for each lane.
func comparing(f func(a, b uint64) bool) func(x *Lanes, a, b *Row) uint32 {
	return func(x *Lanes, a, b *Row) uint32 { return sparseTest(x.Mask, a, b, f) }
}

func bitComparators(equal func(x *Lanes, a, b *Row) uint32) (c [CmpNan + 1]comparator) {
	c[CmpEq] = comparator{test: equal}
	c[CmpNe] = comparator{test: equal, invert: true}
	return c
}

func integerComparators(less, equal func(x *Lanes, a, b *Row) uint32) [CmpNan + 1]comparator {
	c := bitComparators(equal)
	c[CmpLt] = comparator{test: less}
	c[CmpGt] = comparator{test: less, swap: true}
	c[CmpGe] = comparator{test: less, invert: true}
	c[CmpLe] = comparator{test: less, swap: true, invert: true}
	return c
}

func unsignedComparators(less, equal func(x *Lanes, a, b *Row) uint32) [CmpNan + 1]comparator {
	c := integerComparators(less, equal)
	c[CmpLo], c[CmpHi], c[CmpHs], c[CmpLs] = c[CmpLt], c[CmpGt], c[CmpGe], c[CmpLe]
	return c
}

func floatComparators(less, lessEqual, equal, ordered func(x *Lanes, a, b *Row) uint32) (c [CmpNan + 1]comparator) {
	c[CmpLt] = comparator{test: less}
	c[CmpGt] = comparator{test: less, swap: true}
	c[CmpGeu] = comparator{test: less, invert: true}
	c[CmpLeu] = comparator{test: less, swap: true, invert: true}
	c[CmpLe] = comparator{test: lessEqual}
	c[CmpGe] = comparator{test: lessEqual, swap: true}
	c[CmpGtu] = comparator{test: lessEqual, invert: true}
	c[CmpLtu] = comparator{test: lessEqual, swap: true, invert: true}
	c[CmpEq] = comparator{test: equal}
	c[CmpNeu] = comparator{test: equal, invert: true}
	c[CmpNum] = comparator{test: ordered}
	c[CmpNan] = comparator{test: ordered, invert: true}
	unequal := func(x *Lanes, a, b *Row) uint32 { return ordered(x, a, b) &^ equal(x, a, b) }
	c[CmpNe] = comparator{test: unequal}
	c[CmpEqu] = comparator{test: unequal, invert: true}
	return c
}

// holds is the mask of lanes for which the comparison of in is true; bits of
// inactive lanes are arbitrary.
func (x *Lanes) holds(in *Inst) uint32 {
	c := &comparators[in.compared()][in.Cmp]
	if in.Flags&FlagFtz != 0 {
		c = &flushedComparators[in.Cmp]
	}
	return x.relation(c)
}

// relation is the mask of lanes whose sources satisfy c.
func (x *Lanes) relation(c *comparator) uint32 {
	a, b := x.Src[0], x.Src[1]
	if c.swap {
		a, b = b, a
	}
	m := c.test(x, a, b)
	if c.invert {
		m = ^m
	}
	return m
}

// compared is the type of the operands of setp and set.
func (in *Inst) compared() Type {
	if in.SrcType != NoType {
		return in.SrcType
	}
	return in.Type
}

// combined applies the predicate operand of setp and set to the comparison
// result m.
func (x *Lanes) combined(in *Inst, m uint32) uint32 {
	switch in.Bool {
	case BoolAnd:
		return m & x.pred(2)
	case BoolOr:
		return m | x.pred(2)
	case BoolXor:
		return m ^ x.pred(2)
	}
	return m
}

// pred is source i as a mask. A constant predicate is a row of zeros or non-zeros.
func (x *Lanes) pred(i int) uint32 {
	row := x.Src[i]
	if row == nil {
		return x.PSrc[i]
	}
	var m uint32
	for i := range row {
		m |= bit(row[i] != 0) << i
	}
	return m
}

// bit is 1 for true, without a branch.
func bit(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func (d *datapath) addCompares() {
	for _, t := range []Type{U16, U32, U64, S16, S32, S64, B16, B32, B64, F32, F64} {
		d.add(form{op: OpSetp, typ: Pred, src: t}, setp)
		for _, dst := range []struct {
			t Type
			k kernel
		}{{U32, set(math.MaxUint32)}, {S32, set(math.MaxUint32)}, {F32, set(0x3F80_0000)}} {
			d.add(form{op: OpSet, typ: dst.t, src: t}, dst.k)
			if t == F32 {
				d.add(form{op: OpSet, typ: dst.t, src: t, flags: FlagFtz}, dst.k)
			}
		}
	}
	d.add(form{op: OpSetp, typ: Pred, src: F32, flags: FlagFtz}, setp)

	d.addSizes(form{op: OpSelp}, selp[uint16], selp[uint32], selp[uint64])
	d.add(form{op: OpSelp, typ: F32}, selp[uint32])
	d.add(form{op: OpSelp, typ: F64}, selp[uint64])

	for _, f := range []form{{op: OpSlct, src: S32}, {op: OpSlct, src: F32}, {op: OpSlct, src: F32, flags: FlagFtz}} {
		k16, k32, k64 := slct[uint16](f), slct[uint32](f), slct[uint64](f)
		d.addSizes(f, k16, k32, k64)
		f.typ = F32
		d.add(f, k32)
		f.typ = F64
		d.add(f, k64)
	}
	d.add(form{op: OpTestp, typ: F32}, testp)
	d.add(form{op: OpTestp, typ: F64}, testp)

	d.add(form{op: OpAnd, typ: Pred}, func(_ *Inst, x *Lanes) { x.PDst[0] = x.pred(0) & x.pred(1) & x.Mask })
	d.add(form{op: OpOr, typ: Pred}, func(_ *Inst, x *Lanes) { x.PDst[0] = (x.pred(0) | x.pred(1)) & x.Mask })
	d.add(form{op: OpXor, typ: Pred}, func(_ *Inst, x *Lanes) { x.PDst[0] = (x.pred(0) ^ x.pred(1)) & x.Mask })
	d.add(form{op: OpNot, typ: Pred}, func(_ *Inst, x *Lanes) { x.PDst[0] = ^x.pred(0) & x.Mask })
	d.add(form{op: OpMov, typ: Pred}, func(_ *Inst, x *Lanes) { x.PDst[0] = x.pred(0) & x.Mask })
}

func setp(in *Inst, x *Lanes) {
	m := x.holds(in)
	x.PDst[0] = x.combined(in, m) & x.Mask
	x.PDst[1] = x.combined(in, ^m) & x.Mask
}

// set writes yes where the comparison holds and 0 elsewhere.
func set(yes uint64) kernel {
	return func(in *Inst, x *Lanes) { x.choose(x.combined(in, x.holds(in)), yes) }
}

// choose writes yes to the lanes in t and 0 to the others.
func (x *Lanes) choose(t uint32, yes uint64) {
	d := x.Dst[0]
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = yes * uint64(t>>i&1)
	}
}

func selp[U unsigned](_ *Inst, x *Lanes) {
	d, a, b, p := x.Dst[0], x.Src[0], x.Src[1], x.pred(2)
	if x.Mask == allLanes {
		for i := range d {
			d[i] = uint64(U(b[i] ^ (a[i]^b[i])&-uint64(p>>i&1)))
		}
		return
	}
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = uint64(U(b[i] ^ (a[i]^b[i])&-uint64(p>>i&1)))
	}
}

// slct chooses the first operand if the selector is not negative, and the second for NaN. A
// negative zero is not negative, nor is a subnormal that .ftz flushes.
func slct[U unsigned](form form) kernel {
	flush := flusher(form.flags)
	return ternary(func(a, b, c uint64) uint64 {
		if form.src == S32 && int32(c) >= 0 || form.src == F32 && float(flush(c)) >= 0 {
			return uint64(U(a))
		}
		return uint64(U(b))
	})
}

func testp(in *Inst, x *Lanes) {
	a, p := x.Src[0], uint32(0)
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		v, tiny := double(a[i]), 0x1p-1022
		if in.Type == F32 {
			v, tiny = float64(float(a[i])), 0x1p-126
		}
		p |= bit(classify(in.Cmp, math.Abs(v), tiny)) << i
	}
	x.PDst[0] = p
}

// classify tests the magnitude v; tiny is the smallest normal number. Zero
// counts as normal.
func classify(test Cmp, v, tiny float64) bool {
	switch test {
	case TestFinite:
		return v <= math.MaxFloat64
	case TestInfinite:
		return v > math.MaxFloat64
	case TestNumber:
		return v == v
	case TestNotANumber:
		return v != v
	case TestNormal:
		return v == 0 || v >= tiny && v <= math.MaxFloat64
	case TestSubnormal:
		return v > 0 && v < tiny
	}
	panic(fmt.Sprintf("isa: comparison %d in testp", test))
}

func lessInt[T integer](x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return T(a) < T(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func equalInt[T integer](x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return T(a) == T(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func less32(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return float(a) < float(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func lessEqual32(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return float(a) <= float(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func equal32(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return float(a) == float(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func ordered32(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return float(a) == float(a) && float(b) == float(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func less64(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return double(a) < double(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func lessEqual64(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return double(a) <= double(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func equal64(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return double(a) == double(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func ordered64(x *Lanes, a, b *Row) uint32 {
	f := func(a, b uint64) bool { return double(a) == double(a) && double(b) == double(b) }
	if x.Mask == allLanes {
		return denseTest(a, b, f)
	}
	return sparseTest(x.Mask, a, b, f)
}

func denseTest(a, b *Row, f func(a, b uint64) bool) (t uint32) {
	for i := range a {
		t |= bit(f(a[i], b[i])) << i
	}
	return t
}

func sparseTest(m uint32, a, b *Row, f func(a, b uint64) bool) (t uint32) {
	for ; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		t |= bit(f(a[i], b[i])) << i
	}
	return t
}
