package units

import (
	"math/bits"

	"divergo/rtl"
)

// MaxRows is the largest number of rows of a register file, so that a set of rows is one word.
const MaxRows = 64

// Threads is a set of threads, by the location of their registers.
type Threads struct {
	Rows  uint64          // rows with a thread of the set
	Lanes [MaxRows]uint64 // lanes of each such row; zero elsewhere
}

// Divide makes t the set of the threads in the given lanes of a warp.
func (t *Threads) Divide(of *Homes, lanes uint64) {
	for rows := t.Rows; rows != 0; rows &= rows - 1 {
		t.Lanes[bits.TrailingZeros64(rows)&(MaxRows-1)] = 0
	}
	rows := uint64(0)
	if of.Moved(lanes) {
		for ; lanes != 0; lanes &= lanes - 1 {
			h := of.At(bits.TrailingZeros64(lanes))
			rows |= 1 << (h.Row & (MaxRows - 1))
			t.Lanes[h.Row&(MaxRows-1)] |= 1 << (h.Lane & (PoolLanes - 1))
		}
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		row := of.Row[bits.TrailingZeros64(lanes)&(PoolLanes-1)] & (MaxRows - 1)
		rows |= 1 << row
		t.Lanes[row] |= lanes & -lanes
	}
	t.Rows = rows
}

// Scoreboard holds the pending lanes of each register in each row of the register file. A lane is
// pending if an instruction in flight will write it. Threads wait for their own values only. Two
// paths of a warp, or compacted warps that share rows, do not delay each other. The module must
// query Busy before any update in the same cycle.
type Scoreboard struct {
	Pending *rtl.Mem[[MaxRows]uint64] `rtl:"inplace" len:"warps" bits:"lanes"` // lanes of each row, by register
}

// NewScoreboard makes a scoreboard without registers: see Resize.
func NewScoreboard() Scoreboard { return Scoreboard{Pending: rtl.NewMem[[MaxRows]uint64](0)} }

// Resize sets the number of registers of a program, between runs.
func (b *Scoreboard) Resize(regs int) { b.Pending.Resize(regs) }

// Busy reports the first of regs that is pending in the given lanes of a row, if there is one.
func (b *Scoreboard) Busy(row int, regs []uint16, lanes uint64) (reg uint16, busy bool) {
	for _, r := range regs {
		if b.Pending.At(int(r))[row&(MaxRows-1)]&lanes != 0 {
			return r, true
		}
	}
	return 0, false
}

// Pends reports whether reg is pending for a thread in the given lanes of a warp.
func (b *Scoreboard) Pends(of *Homes, lanes uint64, reg uint16) bool {
	pending := b.Pending.At(int(reg))
	for ; lanes != 0; lanes &= lanes - 1 {
		h := of.At(bits.TrailingZeros64(lanes))
		if pending[h.Row&(MaxRows-1)]>>(h.Lane&(PoolLanes-1))&1 != 0 {
			return true
		}
	}
	return false
}

// Holds searches rows of t in ascending order for threads whose reg is pending. It returns the
// given rows from the first such row on, or 0 if there is none.
func (b *Scoreboard) Holds(t *Threads, rows uint64, reg uint16) uint64 {
	pending := b.Pending.At(int(reg))
	for ; rows != 0; rows &= rows - 1 {
		row := bits.TrailingZeros64(rows) & (MaxRows - 1)
		if pending[row]&t.Lanes[row] != 0 {
			break
		}
	}
	return rows
}

// Set marks lanes of regs in a row as pending.
func (b *Scoreboard) Set(row int, regs []uint16, lanes uint64) {
	for _, r := range regs {
		b.Pending.Edit(int(r))[row&(MaxRows-1)] |= lanes
	}
}

// SetAll marks regs of threads as pending.
func (b *Scoreboard) SetAll(t *Threads, regs []uint16) {
	for _, r := range regs {
		pending := b.Pending.Edit(int(r))
		for rows := t.Rows; rows != 0; rows &= rows - 1 {
			row := bits.TrailingZeros64(rows) & (MaxRows - 1)
			pending[row] |= t.Lanes[row]
		}
	}
}

// Clear marks lanes of regs in a row as written.
func (b *Scoreboard) Clear(row int, regs []uint16, lanes uint64) {
	for _, r := range regs {
		b.Pending.Edit(int(r))[row&(MaxRows-1)] &^= lanes
	}
}

// ClearAll marks regs of threads as written.
func (b *Scoreboard) ClearAll(t *Threads, regs []uint16) {
	for _, r := range regs {
		pending := b.Pending.Edit(int(r))
		for rows := t.Rows; rows != 0; rows &= rows - 1 {
			row := bits.TrailingZeros64(rows) & (MaxRows - 1)
			pending[row] &^= t.Lanes[row]
		}
	}
}
