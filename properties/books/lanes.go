package books

import (
	"math/bits"

	"divergo/sm"
	"divergo/units"
)

// lanes checks that the permutation places each thread in a lane of its own, and that threads stay
// there.
type lanes struct {
	*View
	permutation units.Permutation
}

// watchLanes begins to watch an SM.
func watchLanes(v *View) *lanes {
	b := &lanes{v, v.config.SM.Lanes}
	v.begins = append(v.begins, b.placed)
	if !v.mechanism.Moves {
		v.issues = append(v.issues, b.stay)
	}
	return b
}

// placed checks that threads are in the lanes of the permutation, each in one of its own.
func (b *lanes) placed(r int) {
	w := r % b.warps
	seen := uint64(0)
	for l := range b.View.lanes {
		lane := b.sm.Lane(w, l)
		if want := place(b.permutation, w, l, b.View.lanes); want >= 0 && lane != want {
			b.Fail(Rule{checkLanes, "not the permutation's lane"}, InRow(r, b.all(r)),
				"SM %d: thread location %d of warp %d is in lane %d, %s puts it in %d", b.index, l, w, lane,
				b.permutation, want)
		}
		seen |= 1 << lane
	}
	if bits.OnesCount64(seen) != b.View.lanes {
		b.Fail(Rule{checkLanes, "two threads in one lane"}, InRow(r, b.all(r)),
			"SM %d: the threads of warp %d are in the lanes %#x, two in one", b.index, w, seen)
	}
}

// place returns the lane of location l of warp w by the definitions in Rhu & Erez, ISCA 2013; -1
// accepts any lane.
func place(p units.Permutation, w, l, width int) int {
	w %= width
	odd := w % 2
	switch p {
	case units.Sequential:
		return l
	case units.OddEven:
		return l ^ odd
	case units.XOROddHalf:
		return (l + odd*width/2) % width
	case units.FlipOdd:
		if odd == 1 {
			return width - 1 - l
		}
		return l
	case units.RotateOdd:
		return (l + odd) % width
	case units.WID:
		return l ^ w
	case units.RevWID:
		reversed := 0
		for bit := 1; bit < width; bit *= 2 {
			reversed = 2*reversed + w/bit%2
		}
		return l ^ reversed
	case units.Balanced:
		if odd == 1 {
			return l ^ (width - 1 - w/2)
		}
		return l ^ w/2
	case units.Swizzle:
		return (l + w) % width
	}
	return -1
}

// stay checks that the threads of an instruction are in their home lanes.
func (b *lanes) stay(e sm.Issued) {
	if !e.Mixed {
		return
	}
	for m := e.Mask; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m)
		if h := e.Homes.At(lane); int(h.Lane) != lane {
			b.Fail(Rule{checkLanes, "a thread in another lane"}, []units.Home{h},
				"%s: the thread of row %d, lane %d is in lane %d", b.at(&e), h.Row, h.Lane, lane)
		}
	}
}
