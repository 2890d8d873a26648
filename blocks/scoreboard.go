package blocks

import (
	"divergo/rtl"
	"divergo/units"
)

var scoreboard = &Block{
	Name: "scoreboard", Source: "units/scoreboard.go",
	Doc: "scoreboard by register, row and lane, with one query, one issue and one write-back a cycle",
	Sizes: []Size{
		{"lanes", "lanes of a warp", 32, 1, 32, true, 4},
		{"warps", "rows of the register file", 8, 2, 64, true, 4},
		{"registers", "registers of a thread", 16, 2, 64, true, 4},
	},
	make: func(s Sizes) *Model {
		return model(func(in *rtl.Wire[ScoreboardIn]) (rtl.Ticker, *rtl.Wire[ScoreboardOut]) {
			b := &Scoreboard{In: in, Board: units.NewScoreboard()}
			b.Board.Resize(s["registers"])
			return b, &b.Out
		})
	},
}

// Scoreboard is the scoreboard of the issue stage, with ports for one register: see
// units.Scoreboard.
type Scoreboard struct {
	Board units.Scoreboard
	In    *rtl.Wire[ScoreboardIn]
	Out   rtl.Wire[ScoreboardOut]
}

// RowRegister names a register in lanes of a row.
type RowRegister struct {
	Row      uint8  `bits:"warps_bits"`
	Register uint8  `bits:"registers_bits"`
	Lanes    uint64 `bits:"lanes"`
}

// ScoreboardIn queries a register, which an issue then marks as pending. Written lanes are no
// longer pending.
type ScoreboardIn struct {
	Query   RowRegister
	Issue   bool
	Written RowRegister
}

// ScoreboardOut says whether a queried lane is pending.
type ScoreboardOut struct{ Busy bool }

// Tick answers the query, then serves the write-back and the issue.
func (b *Scoreboard) Tick() {
	in := b.In.Get()
	q, w := in.Query, in.Written
	regs, written := [...]uint16{uint16(q.Register)}, [...]uint16{uint16(w.Register)}
	_, busy := b.Board.Busy(int(q.Row), regs[:], q.Lanes)
	b.Out.Set(ScoreboardOut{busy})
	b.Board.Clear(int(w.Row), written[:], w.Lanes)
	if in.Issue {
		b.Board.Set(int(q.Row), regs[:], q.Lanes)
	}
}
