package isa

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMovCutsToItsType(t *testing.T) {
	const v = 0x1122_3344_5566_7788
	for typ, want := range map[Type]uint64{
		B8: 0x88, U16: 0x7788, S16: 0x7788, B32: 0x55667788, F32: 0x55667788, U64: v,
		F64: v,
	} {
		assert.Equal(t, want, one(t, Inst{Op: OpMov, Type: typ}, v), "type %d", typ)
	}
}

func TestPackAndUnpack(t *testing.T) {
	assert.Equal(t, uint64(0xBBBBBBBB_AAAAAAAA), one(t, Inst{Op: OpPack, Type: B64, NSrc: 2}, 0xAAAAAAAA, 0xBBBBBBBB))
	assert.Equal(t, uint64(0x4444_3333_2222_1111),
		one(t, Inst{Op: OpPack, Type: B64, NSrc: 4}, 0x1111, 0x2222, 0x3333, 0x4444))
	assert.Equal(t, uint64(0x2222_1111), one(t, Inst{Op: OpPack, Type: B32, NSrc: 2}, 0x1111, 0x2222))
	assert.Equal(t, uint64(0x0403_0201), one(t, Inst{Op: OpPack, Type: B32, NSrc: 4}, 1, 2, 3, 4))

	unpack := func(in Inst, v uint64, dst ...*Row) {
		x := Lanes{Mask: allLanes, Src: [MaxSrcs]*Row{{}}}
		for lane := range x.Src[0] {
			x.Src[0][lane] = v
		}
		copy(x.Dst[:], dst)
		Execute(bound(t, in), &x)
	}
	var d [4]Row
	unpack(Inst{Op: OpUnpack, Type: B64, NDst: 2}, 0xBBBBBBBB_AAAAAAAA, &d[0], &d[1])
	assert.Equal(t, []uint64{0xAAAAAAAA, 0xBBBBBBBB}, []uint64{d[0][31], d[1][31]})
	unpack(Inst{Op: OpUnpack, Type: B64, NDst: 4}, 0x4444_3333_2222_1111, &d[0], &d[1], &d[2], &d[3])
	assert.Equal(t, []uint64{0x1111, 0x2222, 0x3333, 0x4444}, []uint64{d[0][0], d[1][0], d[2][0], d[3][0]})
	unpack(Inst{Op: OpUnpack, Type: B32, NDst: 2}, 0x2222_1111, nil, &d[0])
	assert.Equal(t, uint64(0x2222), d[0][5], "the first part goes nowhere")
}

func TestAddressWindows(t *testing.T) {
	for _, c := range []struct {
		space        Space
		typ          Type
		inside, flat uint64
	}{
		{SpaceShared, U64, 0x40, 0x0100_0040},
		{SpaceLocal, U64, 0x10, 0x0200_0010},
		{SpaceParam, U32, 8, 0x0300_0008},
		{SpaceGlobal, U64, 0x1000_0000, 0x1000_0000},
		{SpaceConst, U64, 0x0400_0100, 0x0400_0100},
		{SpaceShared, U32, 0xFFFF_FFFF, 0x00FF_FFFF}, // addresses wrap at their width
	} {
		assert.Equal(t, c.flat, one(t, Inst{Op: OpCvta, Type: c.typ, Space: c.space}, c.inside), "cvta %+v", c)
		assert.Equal(t, c.inside, one(t, Inst{Op: OpCvta, Type: c.typ, Space: c.space, Mode: ModeTo}, c.flat),
			"cvta.to %+v", c)
	}
	addresses := []uint64{
		0x00FF_FFFF, 0x0100_0000, 0x01FF_FFFF, 0x0200_0000, 0x02FF_FFFF, 0x0300_0000, 0x03FF_FFFF,
		0x0400_0000, 0x1000_0000, 1 << 40,
	}
	for space, want := range map[Space][]bool{
		SpaceShared: {false, true, true, false, false, false, false, false, false, false},
		SpaceLocal:  {false, false, false, true, true, false, false, false, false, false},
		SpaceParam:  {false, false, false, false, false, true, true, false, false, false},
		SpaceGlobal: {true, false, false, false, false, true, true, true, true, true}, // global includes parameters
	} {
		assert.Equal(t, want, evaluatePred(t, Inst{Op: OpIsspacep, Space: space}, addresses), "space %d", space)
	}
	constants := [][]uint64{
		addresses, slices.Repeat([]uint64{0x03FF_FFFF + 1}, len(addresses)),
		slices.Repeat([]uint64{64}, len(addresses)),
	}
	for space, want := range map[Space][]bool{
		SpaceConst:  {false, false, false, false, false, false, false, true, false, false},
		SpaceGlobal: {true, false, false, false, false, true, true, false, true, true},
	} {
		assert.Equal(t, want, evaluatePred(t, Inst{Op: OpIsspacep, Space: space, NSrc: 3}, constants...),
			"space %d with constants", space)
	}
}

func TestVectorsAreReadBeforeTheyAreWritten(t *testing.T) {
	rows := [2]Row{{7}, {9}}
	x := Lanes{Mask: 1, Src: [MaxSrcs]*Row{&rows[0], &rows[1]}, Dst: [MaxDsts]*Row{&rows[1], &rows[0]}}
	Execute(bound(t, Inst{Op: OpMovVec, Type: U32, NSrc: 2, NDst: 2}), &x)
	assert.Equal(t, []uint64{9, 7}, []uint64{rows[0][0], rows[1][0]})
}
