package sm

import (
	"math/bits"
	"slices"

	"divergo/isa"
)

// Ready reports whether slot s could issue when this cycle's was picked, for an observer
// in the schedulers' tests: what has ended since is still in the scoreboard for it, and it
// leaves no trace.
func (i *Issue) Ready(s int) bool {
	asked, rows, lanes := i.asked, i.rows, i.lanes
	i.ended(i.Scoreboard.Set)
	slot := i.Div.Slots().At(s)
	ready := !i.Q().Busy.Has(s) && i.fetched(s, slot) && i.free(s, slot)
	i.ended(i.Scoreboard.Clear)
	i.asked, i.rows, i.lanes = asked, rows, lanes
	return ready
}

// ended visits the registers of the instructions that end in this cycle.
func (i *Issue) ended(visit func(row int, regs []uint16, lanes uint32)) {
	done := i.Done.At()
	for n := range done.N {
		f := &done.C[n]
		dsts := i.l.insts[f.PC].dsts
		if !f.Mixed {
			visit(int(f.Row), dsts, f.Mask)
			continue
		}
		var lanes [MaxWarps]uint32
		for rows := split(f.Mask, &f.Homes, &lanes); rows != 0; rows &= rows - 1 {
			r := bits.TrailingZeros64(rows)
			visit(r, dsts, lanes[r&(MaxWarps-1)])
		}
	}
}

// Groups is how many cycles a warp takes to enter a pipe.
func Groups(s Skip, mask uint32, lanes, width int) int { return skips.Must(s)(mask, lanes, width) }

// Takes reports whether instructions of a class can be in the pipe.
func Takes(u isa.Unit, c isa.OpClass) bool { return slices.Contains(executes[u], c) }
