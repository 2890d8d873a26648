package trace

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// groups tells which threads issued their last instruction together.
type groups struct {
	of   [sm.MaxWarps][isa.MaxLanes]uint32 // by home: the number of that instruction
	last [sm.MaxWarps]uint64               // by row: the lanes of its last instruction, if they were all of this row
	n    uint32
}

// start begins a warp, whose threads are together.
func (g *groups) start(row int, mask uint64) {
	g.n++
	for l := range g.of[row&(sm.MaxWarps-1)] {
		g.of[row&(sm.MaxWarps-1)][l] = g.n
	}
	g.last[row&(sm.MaxWarps-1)] = mask
}

// together notes an instruction. It reports whether threads of one row come together, or threads of
// several rows. If so, part has the lanes of the largest group that was together before.
func (g *groups) together(f *sm.Flight) (part uint64, row, rows bool) {
	if !f.Mixed && g.last[f.Row&(sm.MaxWarps-1)] == f.Mask {
		return 0, false, false
	}
	var home [isa.MaxLanes]uint32
	var in [isa.MaxLanes]uint8
	different, first := false, bits.TrailingZeros64(f.Mask)
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
		h := f.Home(l)
		in[l] = h.Row
		home[l] = g.of[h.Row&(sm.MaxWarps-1)][h.Lane&(isa.MaxLanes-1)]
		different = different || home[l] != home[first&(isa.MaxLanes-1)]
	}
	g.n++
	for m := f.Mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros64(m)
		h := f.Home(l)
		g.of[h.Row&(sm.MaxWarps-1)][h.Lane&(isa.MaxLanes-1)] = g.n
	}
	for r := f.Rows; r != 0; r &= r - 1 {
		g.last[bits.TrailingZeros64(r)] = 0
	}
	if !f.Mixed {
		g.last[f.Row&(sm.MaxWarps-1)] = f.Mask
	}
	if !different {
		return 0, false, false
	}
	for left := f.Mask; left != 0; {
		l := bits.TrailingZeros64(left) & (isa.MaxLanes - 1)
		group := uint64(0)
		for m := left; m != 0; m &= m - 1 {
			o := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
			switch {
			case home[o] == home[l]:
				group |= 1 << o
			case in[o] == in[l]:
				row = true
			default:
				rows = true
			}
		}
		left &^= group
		if bits.OnesCount64(group) > bits.OnesCount64(part) {
			part = group
		}
	}
	return part, row, rows
}
