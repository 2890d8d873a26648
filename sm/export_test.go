package sm

import (
	"slices"

	"divergo/isa"
)

// Ready reports whether slot s can issue, in the schedulers' tests.
func (i *Issue) Ready(s int) bool {
	slot := i.Div.Slots().At(s)
	return !i.Q().Busy.Has(s) && i.fetched(s, slot) && i.free(s, slot)
}

// Groups is how many cycles a warp takes to enter a pipe.
func Groups(s Skip, mask uint32, lanes, width int) int { return skips.Must(s)(mask, lanes, width) }

// Takes reports whether instructions of a class can be in the pipe.
func Takes(u isa.Unit, c isa.OpClass) bool { return slices.Contains(executes[u], c) }
