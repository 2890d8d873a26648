package units

import (
	"math/bits"

	"divergo/rtl"
)

// MaxRows is how many rows a register file has at most, so that a set of rows is one word.
const MaxRows = 64

// Threads is a set of threads, by where they have their registers.
type Threads struct {
	Rows  uint64          // that have some
	Lanes [MaxRows]uint32 // of each of these; of others nothing
}

// Scoreboard keeps, for each register of each row of the register file, the
// lanes that an instruction in flight will write. Threads wait for their own
// values only: two paths of a warp, and compacted warps that share rows, do not
// hold each other up. Its module asks for what is busy before it changes anything.
type Scoreboard struct {
	Pending *rtl.Mem[[MaxRows]uint32] `rtl:"inplace" len:"warps"` // lanes of each row, by register
}

// NewScoreboard makes a scoreboard without registers: see Resize.
func NewScoreboard() Scoreboard { return Scoreboard{Pending: rtl.NewMem[[MaxRows]uint32](0)} }

// Resize makes room for a program's registers, between runs.
func (b *Scoreboard) Resize(regs int) { b.Pending.Resize(regs) }

// Busy reports the first of regs that is pending in one of the lanes of a row,
// if one is.
func (b *Scoreboard) Busy(row int, regs []uint16, lanes uint32) (reg uint16, busy bool) {
	for _, r := range regs {
		if b.Pending.At(int(r))[row&(MaxRows-1)]&lanes != 0 {
			return r, true
		}
	}
	return 0, false
}

// Holds asks rows of t, from the lowest one, for threads of which reg is pending. It
// returns the rows from the first such one on, 0 if there is none.
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
func (b *Scoreboard) Set(row int, regs []uint16, lanes uint32) {
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
func (b *Scoreboard) Clear(row int, regs []uint16, lanes uint32) {
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
