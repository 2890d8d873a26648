package books

import (
	"divergo/sm"
	"divergo/sm/divergence"
)

// watchStack looks whether the masks on the stack of a warp are parts of each other, or apart.
// They are appended from the bottom to the top.
func watchStack(v *View, masks func(p divergence.Policy, slot int, to []uint32) []uint32) {
	var list []uint32
	v.issues = append(v.issues, func(e sm.Issued) {
		list = masks(v.sm.Div, int(e.Slot), list[:0])
		for i, m := range list {
			for j, below := range list[:i] {
				if m&below != 0 && m&^below != 0 {
					v.Fail(Rule{checkStack, "entries of a stack that overlap"}, active(&e), "%s: entry %d of the stack has lanes %#x, entry %d below it %#x", v.at(&e), i, m, j, below)
				}
			}
		}
	})
}
