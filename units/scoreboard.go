package units

import "divergo/rtl"

// Scoreboard keeps a bit for each register of each row of the register file
// that an instruction in flight will write.
type Scoreboard struct {
	Pending *rtl.Mem[uint64] // words of 64 registers, by row
	words   int              // of a row
}

// NewScoreboard makes a scoreboard without registers: see Resize.
func NewScoreboard() Scoreboard { return Scoreboard{Pending: rtl.NewMem[uint64](0)} }

// Resize makes room for a program's registers, between runs.
func (b *Scoreboard) Resize(rows, regs int) {
	b.words = (regs + 63) / 64
	b.Pending.Resize(rows * b.words)
}

// Busy reports the first of regs that is pending in row, if one is.
func (b *Scoreboard) Busy(row int, regs []uint16) (reg uint16, busy bool) {
	for _, r := range regs {
		if *b.Pending.At(row*b.words + int(r>>6))>>(r&63)&1 != 0 {
			return r, true
		}
	}
	return 0, false
}

// Set marks regs of a row as pending.
func (b *Scoreboard) Set(row int, regs []uint16) {
	for _, r := range regs {
		*b.Pending.Edit(row*b.words + int(r>>6)) |= 1 << (r & 63)
	}
}

// Clear marks regs of a row as written.
func (b *Scoreboard) Clear(row int, regs []uint16) {
	for _, r := range regs {
		*b.Pending.Edit(row*b.words + int(r>>6)) &^= 1 << (r & 63)
	}
}
