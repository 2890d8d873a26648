package books

import (
	"math/bits"

	"divergo/sm"
)

// watchHome checks that each active lane's row belongs to the CTA of the instruction, and holds a
// thread in that lane.
func watchHome(v *View) {
	v.issues = append(v.issues, func(e sm.Issued) {
		for rows := e.Rows; rows != 0; rows &= rows - 1 {
			r := bits.TrailingZeros64(rows)
			mask := of(e.Flight, r, e.Mask)
			if !v.mechanism.Across && v.sm.Resident(r) != e.CTA {
				v.Fail(Rule{checkHome, "a row of another CTA"}, active(&e),
					"%s: lanes %#x are of row %d, another CTA's", v.at(&e), mask, r)
				return
			}
			if wrong := mask &^ v.warp(r).started; wrong != 0 {
				v.Fail(Rule{checkHome, "lanes without a thread"}, active(&e), "%s: lanes %#x of row %d have no thread",
					v.at(&e), wrong, r)
			}
		}
	})
}
