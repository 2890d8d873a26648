package sm

import (
	"slices"

	"divergo/isa"
	"divergo/units"
)

// Ready reports whether slot s can issue, for tests of the schedulers. It checks lane by lane and
// does not use Shares.
func (i *Issue) Ready(s int) bool {
	slot := i.Div.Slots().At(s)
	if i.Q().Busy.Has(s) || !i.fetched(s, slot) {
		return false
	}
	return i.HeldBack(s) == 0
}

// Fetched reports whether slot s could issue if no instruction in flight held it back.
func (i *Issue) Fetched(s int) bool { return i.fetched(s, i.Div.Slots().At(s)) }

// HeldBack returns the lanes of slot s whose threads have instructions in flight that the slot's
// instruction waits for.
func (i *Issue) HeldBack(s int) (lanes uint64) {
	slot := i.Div.Slots().At(s)
	for lane := range isa.MaxLanes {
		h := units.Home{Row: slot.Row, Lane: uint8(lane)}
		if slot.Mixed {
			h = i.Div.Homes().At(s).At(lane)
		}
		held, _ := i.holdsRow(int(h.Row), &i.l.insts[slot.PC], 1<<h.Lane)
		if slot.Mask>>lane&1 != 0 && held != HeldNot {
			lanes |= 1 << lane
		}
	}
	return lanes
}

// Deps returns the registers that the instruction at a PC reads or writes.
func (i *Issue) Deps(pc uint32) []uint16 { return i.l.insts[pc].deps }

// Groups returns the number of cycles in which a warp enters a pipe.
func Groups(s Skip, mask uint64, lanes, width int) int { return skips.Must(s)(mask, lanes, width) }

// Takes reports whether instructions of a class can be in the pipe.
func Takes(u isa.Unit, c isa.OpClass) bool { return slices.Contains(executes[u], c) }

// Place returns the place of a row in the register file of its sub-core.
func (s *SM) Place(row int) int { return int(s.l.place[row]) }
