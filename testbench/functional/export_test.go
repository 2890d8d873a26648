package functional

import "math/bits"

// Exited is a thread at its exit.
type Exited struct {
	CTA    uint64 // linear number
	Thread int    // linear number in the CTA
	Regs   []uint64
	Preds  []bool
}

// RunWatched is Run, and calls exit for each thread that exits.
func RunWatched(s Setup, m *Memory, exit func(Exited)) (*Result, error) {
	g := newGrid(s, m)
	g.onExit = func(w *warp, lanes uint32) {
		for m := lanes; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			e := Exited{CTA: w.cta.number, Thread: w.index*s.WarpSize + lane}
			for i := range s.Prog.Regs {
				e.Regs = append(e.Regs, w.rows[i][lane])
			}
			for _, p := range w.preds {
				e.Preds = append(e.Preds, p>>lane&1 != 0)
			}
			exit(e)
		}
	}
	g.run()
	return &g.r, m.err
}
