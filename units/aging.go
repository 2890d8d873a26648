package units

import "divergo/rtl"

// Aging finds warps that have waited too long. A warp is late when more than Limit instructions
// have issued since it was formed. Zero means that no warp is ever late.
//
// Any compares with one bound, so that the slots are rarely searched. Such a search finds the next
// bound, for Restart.
type Aging struct {
	Bound *rtl.Mem[uint64] `rtl:"sim,inplace"` // no warp in a slot was formed before this count of instructions
	Limit uint64
}

// NewAging makes the block. Instructions are counted from 0.
func NewAging(limit uint64) Aging { return Aging{rtl.NewMem[uint64](1), limit} }

// Late reports whether a warp is late. Its arguments are the instructions issued so far and those
// issued before the warp was formed.
func (a *Aging) Late(issued, born uint64) bool { return a.Limit > 0 && issued-born > a.Limit }

// Any reports whether a warp in a slot may be late.
func (a *Aging) Any(issued uint64) bool { return a.Late(issued, *a.Bound.Next(0)) }

// Enter records a warp that receives a slot.
func (a *Aging) Enter(born uint64) {
	if born < *a.Bound.Next(0) {
		*a.Bound.Edit(0) = born
	}
}

// Restart sets the bound to the earliest birth of the warps in slots.
func (a *Aging) Restart(earliest uint64) { *a.Bound.Edit(0) = earliest }
