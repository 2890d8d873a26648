package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm/divergence"
)

// Hold is what prevents a slot from issuing.
type Hold uint8

// The holds, in the order in which the issue stage checks them.
const (
	HeldNot      Hold = iota // nothing: the slot can issue
	HeldEmpty                // it has no threads to run
	HeldWait                 // its divergence.Wait
	HeldFetch                // its instruction is not in the I-buffer
	HeldFlight               // its last instruction, or one of the threads that leave, is in flight
	HeldRegister             // a register that an instruction in flight will write
)

// Holds returns what prevents a slot from issuing in this cycle. For HeldRegister it also returns the
// register, predicates behind the general ones, and the first row with a thread that waits for it. It
// changes nothing: it is meant for observers.
func (i *Issue) Holds(s int) (held Hold, register, row int) {
	slot := i.Div.Slots().At(s)
	switch {
	case slot.Wait == divergence.WaitsJoin:
		return HeldWait, 0, 0
	case !slot.Valid || slot.Mask == 0:
		return HeldEmpty, 0, 0
	case slot.Wait != divergence.Runs:
		return HeldWait, 0, 0
	case !i.fetched(s, slot):
		return HeldFetch, 0, 0
	case i.Q().Busy.Has(s):
		return HeldFlight, 0, 0
	}
	in := &i.l.insts[slot.PC]
	if !slot.Mixed {
		held, register = i.holdsRow(int(slot.Row), in, slot.Mask)
		return held, register, int(slot.Row)
	}
	homes := i.Div.Homes().At(s)
	var lanes [MaxWarps]uint64
	rows := uint64(0)
	for m := slot.Mask; m != 0; m &= m - 1 {
		h := homes.At(bits.TrailingZeros64(m))
		rows |= 1 << (h.Row & 63)
		lanes[h.Row&(MaxWarps-1)] |= 1 << (h.Lane & (isa.MaxLanes - 1))
	}
	for ; rows != 0; rows &= rows - 1 {
		row = bits.TrailingZeros64(rows) & (MaxWarps - 1)
		if held, register = i.holdsRow(row, in, lanes[row]); held != HeldNot {
			return held, register, row
		}
	}
	return HeldNot, 0, 0
}
