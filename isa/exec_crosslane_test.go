package isa

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crossLaneRun executes in with the lane number plus 100 in the first source.
func crossLaneRun(t *testing.T, in Inst, mask uint32, fill func(x *Lanes)) *Lanes {
	t.Helper()
	p := &Program{Insts: []Inst{in}}
	require.NoError(t, Bind(p))
	var src [MaxSrcs]Row
	x := &Lanes{Mask: mask}
	for i := range src {
		x.Src[i] = &src[i]
	}
	for i := range src[0] {
		src[0][i] = uint64(100 + i)
	}
	x.Dst[0], x.Dst[1] = new(Row), new(Row)
	fill(x)
	Execute(&p.Insts[0], x)
	return x
}

// TestShfl checks source lanes and predicates of single lanes. The expected values come from
// section 9.7.8.5 of the manual.
func TestShfl(t *testing.T) {
	for _, tt := range []struct {
		mode       Mode
		b, c       uint64
		mask       uint32
		lane, from int
		within     bool
	}{
		{ModeUp, 1, 0, allLanes, 7, 6, true},
		{ModeUp, 1, 0, allLanes, 0, 0, false},
		{ModeUp, 0, 0, allLanes, 0, 0, true},
		{ModeUp, 3, 0x1800, allLanes, 18, 18, false}, // segments of 8 lanes
		{ModeUp, 3, 0x1800, allLanes, 19, 16, true},
		{ModeUp, 35, 0, allLanes, 4, 1, true}, // the low 5 bits of b count
		{ModeDown, 4, 31, allLanes, 27, 31, true},
		{ModeDown, 4, 31, allLanes, 28, 28, false},
		{ModeDown, 1, 0x1807, allLanes, 15, 15, false},
		{ModeDown, 1, 0x1807, allLanes, 14, 15, true},
		{ModeDown, 1, 5, allLanes, 5, 5, false}, // the clamp is lane 5
		{ModeBfly, 16, 31, allLanes, 20, 4, true},
		{ModeBfly, 16, 15, allLanes, 4, 4, false},
		{ModeBfly, 16, 15, allLanes, 20, 4, true},
		{ModeIdx, 3, 31, allLanes, 30, 3, true},
		{ModeIdx, 11, 0x181f, allLanes, 17, 19, true}, // lane 3 of the segment
		{ModeIdx, 3, 2, allLanes, 1, 1, false},
		{ModeDown, 4, 31, 0x0000_ffff, 11, 15, true},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			in := Inst{Op: OpShfl, Type: B32, Mode: tt.mode, NSrc: 3, NDst: 2, Text: "shfl"}
			x := crossLaneRun(t, in, tt.mask, func(x *Lanes) {
				for i := range x.Src[1] {
					x.Src[1][i], x.Src[2][i] = tt.b, tt.c
				}
			})
			assert.Equal(t, uint64(100+tt.from), x.Dst[0][tt.lane])
			assert.Equal(t, tt.within, x.PDst[1]>>tt.lane&1 != 0)
			assert.Zero(t, x.PDst[1]&^tt.mask)
		})
	}
}

// TestShflAbsent checks the read of a non-participating lane in range: it gives 0 or the reader's
// own value, and the reader is reported.
func TestShflAbsent(t *testing.T) {
	for _, own := range []bool{false, true} {
		in := Inst{Op: OpShfl, Type: B32, Mode: ModeDown, Flags: FlagSync, NSrc: 4, NDst: 2, Text: "shfl"}
		x := crossLaneRun(t, in, 0xff, func(x *Lanes) {
			if own {
				x.Absent = func(own uint64) uint64 { return own }
			}
			for i := range x.Src[1] {
				x.Src[1][i], x.Src[2][i], x.Src[3][i] = 4, 31, 0x3f
				if i >= 6 {
					x.Src[3][i] = 0xc0
				}
			}
		})
		assert.Equal(t, uint32(0xfc), x.ReadAbsent,
			"lanes 2 and 3 read 6 and 7, which their mask does not name; 4 to 7 read lanes that are not active")
		assert.Equal(t, []uint64{104, 105}, x.Dst[0][:2])
		for lane := 2; lane < 8; lane++ {
			want := uint64(0)
			if own {
				want = uint64(100 + lane)
			}
			assert.Equal(t, want, x.Dst[0][lane], "lane %d, own %t", lane, own)
		}
		assert.Equal(t, uint32(0xff), x.PDst[1], "all are in range")
	}
}

// TestGroups checks that lanes with different masks do not exchange data.
func TestGroups(t *testing.T) {
	members := func(of func(lane int) uint64) func(x *Lanes) {
		return func(x *Lanes) {
			for i := range x.Src[1] {
				x.Src[1][i] = of(i)
			}
			x.PSrc[0] = 0x0012_34ff
		}
	}
	byEight := members(func(lane int) uint64 { return 0xff << (lane &^ 7) })
	x := crossLaneRun(t, Inst{Op: OpVote, Type: B32, Mode: ModeBallot, Flags: FlagSync, NSrc: 2, NDst: 1}, allLanes,
		byEight)
	for lane, want := range map[int]uint64{0: 0xff, 7: 0xff, 8: 0x3400, 23: 0x12_0000, 31: 0} {
		assert.Equal(t, want, x.Dst[0][lane], "lane %d", lane)
	}
	for mode, want := range map[Mode]uint32{ModeAll: 0xff, ModeAny: 0x00ff_ffff, ModeUni: 0xff00_00ff} {
		x = crossLaneRun(t, Inst{Op: OpVote, Type: Pred, Mode: mode, Flags: FlagSync, NSrc: 2, NDst: 1}, allLanes,
			byEight)
		assert.Equal(t, want, x.PDst[0], "mode %d", mode)
	}
	x = crossLaneRun(t, Inst{Op: OpRedux, Type: U32, Atom: AtomAdd, Flags: FlagSync, NSrc: 2, NDst: 1}, 0xff0f, byEight)
	assert.Equal(t, uint64(100+101+102+103), x.Dst[0][1])
	assert.Equal(t, uint64(108+109+110+111+112+113+114+115), x.Dst[0][9])
	assert.Zero(t, x.Dst[0][4], "not active")
	x = crossLaneRun(t, Inst{Op: OpMatch, Type: B64, Mode: ModeAll, Flags: FlagSync, NSrc: 2, NDst: 2}, allLanes,
		func(x *Lanes) {
			byEight(x)
			for i := range 8 {
				x.Src[0][8+i] = 1 << 40
			}
		})
	assert.Equal(t, uint64(0xff00), x.Dst[0][12])
	assert.Zero(t, x.Dst[0][16])
	assert.Equal(t, uint32(0xff00), x.PDst[1])
}

// TestSignedRedux checks that minus one is less than one, and the largest unsigned number.
func TestSignedRedux(t *testing.T) {
	for _, tt := range []struct {
		typ  Type
		op   AtomOp
		want uint64
	}{{S32, AtomMin, 0xffff_ffff}, {S32, AtomMax, 131}, {U32, AtomMin, 100}, {U32, AtomMax, 0xffff_ffff}} {
		in := Inst{Op: OpRedux, Type: tt.typ, Atom: tt.op, Flags: FlagSync, NSrc: 2, NDst: 1}
		x := crossLaneRun(t, in, allLanes, func(x *Lanes) {
			for i := range x.Src[1] {
				x.Src[1][i] = uint64(allLanes)
			}
			x.Src[0][9] = 0xffff_ffff
		})
		assert.Equal(t, tt.want, x.Dst[0][3])
	}
}
