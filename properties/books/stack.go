package books

import (
	"divergo/sm"
	"divergo/sm/divergence"
)

// watchStack checks that the mask of each stack entry is a subset of those below it, or disjoint.
func watchStack(v *View, stack func(p divergence.Policy, slot int, to []divergence.Entry) []divergence.Entry) {
	var list []divergence.Entry
	v.issues = append(v.issues, func(e sm.Issued) {
		list = stack(v.sm.Div, int(e.Slot), list[:0])
		for i := range list {
			for j := range i {
				if m, below := list[i].Mask, list[j].Mask; m&below != 0 && m&^below != 0 {
					v.Fail(Rule{checkStack, "entries of a stack that overlap"}, active(&e),
						"%s: entry %d of the stack has lanes %#x, entry %d below it %#x", v.at(&e), i, m, j, below)
				}
			}
		}
	})
}
