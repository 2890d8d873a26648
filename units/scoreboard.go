package units

import "divergo/rtl"

// Scoreboard keeps, for each register of each row of the register file, the
// lanes that an instruction in flight will write. Threads wait for their own
// values only: two paths of a warp, and compacted warps that share rows, do not
// hold each other up. Its module asks for what is busy before it changes anything.
type Scoreboard struct {
	Pending *rtl.Mem[uint32] `rtl:"inplace"` // lanes, by row, then register
	regs    int              // of a row
}

// NewScoreboard makes a scoreboard without registers: see Resize.
func NewScoreboard() Scoreboard { return Scoreboard{Pending: rtl.NewMem[uint32](0)} }

// Resize makes room for a program's registers, between runs.
func (b *Scoreboard) Resize(rows, regs int) {
	b.regs = regs
	b.Pending.Resize(rows * regs)
}

// Busy reports the first of regs that is pending in one of the lanes of a row,
// if one is.
func (b *Scoreboard) Busy(row int, regs []uint16, lanes uint32) (reg uint16, busy bool) {
	for _, r := range regs {
		if *b.Pending.At(row*b.regs + int(r))&lanes != 0 {
			return r, true
		}
	}
	return 0, false
}

// Pendings are the lanes of a row in which one of regs is pending.
func (b *Scoreboard) Pendings(row int, regs []uint16) (lanes uint32) {
	for _, r := range regs {
		lanes |= *b.Pending.At(row*b.regs + int(r))
	}
	return lanes
}

// Set marks lanes of regs in a row as pending.
func (b *Scoreboard) Set(row int, regs []uint16, lanes uint32) {
	for _, r := range regs {
		*b.Pending.Edit(row*b.regs + int(r)) |= lanes
	}
}

// Clear marks lanes of regs in a row as written.
func (b *Scoreboard) Clear(row int, regs []uint16, lanes uint32) {
	for _, r := range regs {
		*b.Pending.Edit(row*b.regs + int(r)) &^= lanes
	}
}
