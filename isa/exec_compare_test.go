package isa

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
)

// relation gives the relations (less, equal, greater, unordered) for which a comparison is true
// (PTX ISA, section 9.3.1.2).
var relation = map[Cmp]struct{ less, equal, greater, unordered bool }{
	CmpEq: {equal: true}, CmpNe: {less: true, greater: true},
	CmpLt: {less: true}, CmpLe: {less: true, equal: true},
	CmpGt: {greater: true}, CmpGe: {greater: true, equal: true},
	CmpEqu: {equal: true, unordered: true}, CmpNeu: {less: true, greater: true, unordered: true},
	CmpLtu: {less: true, unordered: true}, CmpLeu: {less: true, equal: true, unordered: true},
	CmpGtu: {greater: true, unordered: true}, CmpGeu: {greater: true, equal: true, unordered: true},
	CmpNum: {less: true, equal: true, greater: true}, CmpNan: {unordered: true},
	CmpLo: {less: true}, CmpLs: {less: true, equal: true}, CmpHi: {greater: true}, CmpHs: {greater: true, equal: true},
}

// holds reports whether c is true for a and b of type t.
func holds(c Cmp, t Type, a, b uint64) bool {
	r := relation[c]
	order := 0
	switch {
	case t.Float():
		f := single
		if t == F64 {
			f = dual
		}
		x, y := f.decode(a), f.decode(b)
		switch {
		case math.IsNaN(x) || math.IsNaN(y):
			return r.unordered
		case x < y:
			order = -1
		case x > y:
			order = 1
		}
	default:
		order = mathematical(t, a).Cmp(mathematical(t, b))
	}
	switch order {
	case -1:
		return r.less
	case 1:
		return r.greater
	}
	return r.equal
}

func comparisons(t Type) []Cmp {
	all := []Cmp{CmpEq, CmpNe}
	switch {
	case t.Float():
		return append(all, CmpLt, CmpLe, CmpGt, CmpGe, CmpEqu, CmpNeu, CmpLtu, CmpLeu, CmpGtu, CmpGeu, CmpNum, CmpNan)
	case t.Signed():
		return append(all, CmpLt, CmpLe, CmpGt, CmpGe)
	case t >= B16:
		return all
	}
	return append(all, CmpLt, CmpLe, CmpGt, CmpGe, CmpLo, CmpLs, CmpHi, CmpHs)
}

var comparedTypes = []Type{U16, U32, U64, S16, S32, S64, B16, B32, B64, F32, F64}

// comparedOperands are pairs of operands of type t, many of them equal or almost equal.
func comparedOperands(t Type, rng *rand.Rand) (a, b []uint64) {
	if !t.Float() {
		src := integerOperands(t, rng)
		return src[0], src[1]
	}
	f := single
	if t == F64 {
		f = dual
	}
	edges := f.edges()
	for range 4000 {
		x := f.random(rng, edges)
		y := []uint64{x, x ^ 1, f.random(rng, edges)}[rng.IntN(3)]
		a, b = append(a, x), append(b, y)
	}
	return a, b
}

func TestSetpEveryComparison(t *testing.T) {
	for _, typ := range comparedTypes {
		a, b := comparedOperands(typ, rand.New(rand.NewPCG(1, uint64(typ))))
		for _, c := range comparisons(typ) {
			got := evaluatePred(t, Inst{Op: OpSetp, Type: typ, Cmp: c}, a, b)
			for i := range got {
				same(t, holds(c, typ, a[i], b[i]), got[i], "cmp %d type %d: %x %x", c, typ, a[i], b[i])
			}
		}
	}
}

func TestSetpFtz(t *testing.T) {
	const tiny, minusTiny, zero, least = 1, 0x80000001, 0, 0x00800000
	for _, c := range []struct {
		cmp  Cmp
		a, b uint64
		want bool
	}{
		{CmpEq, tiny, minusTiny, true},
		{CmpLt, minusTiny, tiny, false},
		{CmpGtu, tiny, zero, false},
		{CmpLt, tiny, least, true},
		{CmpNe, tiny, zero, false},
		{CmpGeu, zero, tiny, true},
		{CmpNum, tiny, zero, true},
	} {
		in := Inst{Op: OpSetp, Type: F32, Cmp: c.cmp, Flags: FlagFtz}
		assert.Equal(t, c.want, evaluatePred(t, in, []uint64{c.a}, []uint64{c.b})[0], "cmp %d %x %x", c.cmp, c.a, c.b)
	}
}

// TestSetpCombines checks p = t op c and q = !t op c for each combination, with
// the lanes of a warp as truth table.
func TestSetpCombines(t *testing.T) {
	var a, b Row
	for lane := range a {
		a[lane] = uint64(lane & 1) // a < b in even lanes
		b[lane] = 1
	}
	const less, third, mask = 0x5555_5555, 0x3333_3333, 0x0FFF_FFF0
	for op, f := range map[BoolOp]func(t, c uint32) uint32{
		BoolNone: func(t, _ uint32) uint32 { return t },
		BoolAnd:  func(t, c uint32) uint32 { return t & c },
		BoolOr:   func(t, c uint32) uint32 { return t | c },
		BoolXor:  func(t, c uint32) uint32 { return t ^ c },
	} {
		in := bound(t, Inst{Op: OpSetp, Type: U32, Cmp: CmpLt, Bool: op})
		x := Lanes{Mask: mask, Src: [MaxSrcs]*Row{&a, &b}, PSrc: [MaxSrcs]uint32{2: third}}
		Execute(in, &x)
		assert.Equal(t, f(less, third)&mask, x.PDst[0], "p, bool %d", op)
		assert.Equal(t, f(^uint32(less), third)&mask, x.PDst[1], "q, bool %d", op)

		var d Row
		in = bound(t, Inst{Op: OpSet, Type: U32, SrcType: U32, Cmp: CmpLt, Bool: op})
		x = Lanes{Mask: allLanes, Src: x.Src, PSrc: x.PSrc, Dst: [MaxDsts]*Row{&d}}
		Execute(in, &x)
		for lane := range d {
			assert.Equal(t, f(less, third)>>lane&1*0xFFFFFFFF, uint32(d[lane]), "set bool %d lane %d", op, lane)
		}
	}
}

func TestSetDestinations(t *testing.T) {
	f := math.Float64bits
	for _, c := range []struct {
		dst, src   Type
		cmp        Cmp
		a, b, want uint64
	}{
		{U32, S32, CmpLt, 0xFFFFFFFF, 0, 0xFFFFFFFF},
		{S32, S32, CmpLt, 0, 0xFFFFFFFF, 0},
		{F32, S32, CmpLt, 0xFFFFFFFF, 0, 0x3F800000},
		{F32, F64, CmpGeu, f(1), f(2), 0},
		{U32, F64, CmpNan, f(1), f(math.NaN()), 0xFFFFFFFF},
		{U32, U32, CmpHs, 5, 5, 0xFFFFFFFF},
		{F32, F32, CmpEq, 0x80000000, 0, 0x3F800000},
		{S32, B16, CmpNe, 1, 1, 0},
	} {
		assert.Equal(t, c.want, one(t, Inst{Op: OpSet, Type: c.dst, SrcType: c.src, Cmp: c.cmp}, c.a, c.b), "%+v", c)
	}
}

func TestSelp(t *testing.T) {
	for _, typ := range []Type{B16, U32, S64, F32, F64, B64} {
		var a, b, d Row
		for lane := range a {
			a[lane], b[lane] = uint64(lane), uint64(lane)+100
		}
		x := Lanes{
			Mask: allLanes, Src: [MaxSrcs]*Row{&a, &b}, PSrc: [MaxSrcs]uint32{2: 0x0000_FF01},
			Dst: [MaxDsts]*Row{&d},
		}
		Execute(bound(t, Inst{Op: OpSelp, Type: typ}), &x)
		for lane := range d {
			want := b[lane]
			if lane == 0 || lane >= 8 && lane < 16 {
				want = a[lane]
			}
			assert.Equal(t, want, d[lane], "type %d lane %d", typ, lane)
		}
	}
}

func TestSlct(t *testing.T) {
	for _, c := range []struct {
		selector Type
		flags    Flags
		c, want  uint64
	}{
		{S32, 0, 0, 1},
		{S32, 0, 7, 1},
		{S32, 0, 0x80000000, 2},
		{S32, 0, 0xFFFFFFFF, 2},
		{F32, 0, 0, 1},
		{F32, 0, 0x80000000, 1},
		{F32, 0, 0x3F800000, 1},
		{F32, 0, 0xBF800000, 2},
		{F32, 0, 0x7FC00000, 2},
		{F32, 0, 0x80000001, 2},
		{F32, FlagFtz, 0x80000001, 1},
	} {
		for _, typ := range []Type{U16, B32, F32, S64, F64, S32} {
			assert.Equal(t, c.want, one(t, Inst{Op: OpSlct, Type: typ, SrcType: c.selector, Flags: c.flags}, 1, 2, c.c),
				"%+v type %d", c, typ)
		}
	}
}

// TestTestp checks the manual's table; zeros are normal.
func TestTestp(t *testing.T) {
	tests := []Cmp{TestFinite, TestInfinite, TestNumber, TestNotANumber, TestNormal, TestSubnormal}
	for _, c := range []struct {
		f32, f64 uint64
		want     []Cmp
	}{
		{0, 0, []Cmp{TestFinite, TestNumber, TestNormal}},
		{0x80000000, 1 << 63, []Cmp{TestFinite, TestNumber, TestNormal}},
		{1, 1, []Cmp{TestFinite, TestNumber, TestSubnormal}},
		{0x807FFFFF, 0x800FFFFFFFFFFFFF, []Cmp{TestFinite, TestNumber, TestSubnormal}},
		{0x00800000, 0x0010000000000000, []Cmp{TestFinite, TestNumber, TestNormal}},
		{0xFF7FFFFF, 0xFFEFFFFFFFFFFFFF, []Cmp{TestFinite, TestNumber, TestNormal}},
		{0xFF800000, 0xFFF0000000000000, []Cmp{TestInfinite, TestNumber}},
		{0x7F800001, 0x7FF0000000000001, []Cmp{TestNotANumber}},
	} {
		for _, test := range tests {
			var want bool
			for _, w := range c.want {
				want = want || w == test
			}
			assert.Equal(t, want, evaluatePred(t, Inst{Op: OpTestp, Type: F32, Cmp: test}, []uint64{c.f32})[0],
				"test %d %x", test, c.f32)
			assert.Equal(t, want, evaluatePred(t, Inst{Op: OpTestp, Type: F64, Cmp: test}, []uint64{c.f64})[0],
				"test %d %x", test, c.f64)
		}
	}
}

// TestPredicateLogic uses predicate sources; one is constant and so a row.
func TestPredicateLogic(t *testing.T) {
	const a, b, mask = 0x0F0F_0F0F, 0x00FF_00FF, 0xFFFF_0000
	always := Row{}
	for lane := range always {
		always[lane] = 1
	}
	for op, want := range map[Op]uint32{OpAnd: a & b, OpOr: a | b, OpXor: a ^ b, OpNot: ^uint32(a), OpMov: a} {
		in := bound(t, Inst{Op: op, Type: Pred})
		x := Lanes{Mask: mask, PSrc: [MaxSrcs]uint32{a, b}}
		Execute(in, &x)
		assert.Equal(t, want&mask, x.PDst[0], "op %d", op)
	}
	x := Lanes{Mask: mask, Src: [MaxSrcs]*Row{&always}, PSrc: [MaxSrcs]uint32{1: b}}
	Execute(bound(t, Inst{Op: OpMov, Type: Pred}), &x)
	assert.Equal(t, uint32(mask), x.PDst[0])
	Execute(bound(t, Inst{Op: OpXor, Type: Pred}), &x)
	assert.Equal(t, ^uint32(b)&mask, x.PDst[0])
}
