package verify

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/testbench/golden"
	"divergo/units"
)

// watchWrites records the values that write-back writes to the registers of each thread.
func (w *watcher) watchWrites() {
	for _, c := range w.sm.Sub {
		for _, in := range c.Writeback.In {
			w.leave = append(w.leave, in.Tap(w.wrote))
		}
	}
}

// written returns the hash of the values that a thread has written to one of so many registers.
func (o owner) written(at, of int) uint64 {
	if o.writes == nil {
		return 0
	}
	return o.writes[o.lane*of+at]
}

func (w *watcher) wrote(_ uint64, r *sm.Result) {
	in := &w.sm.Program().Insts[r.PC]
	if in.Op == isa.OpCall { // see golden.Thread
		return
	}
	for i, d := range in.Dst[:in.NDst] {
		at, general := int(d.Index), d.Kind == isa.OperandReg
		switch {
		case general && at < w.regs:
		case d.Kind == isa.OperandPred && at < w.preds:
			at += w.regs
		default:
			continue
		}
		for m := r.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m)
			h := units.Home{Row: r.Row, Lane: uint8(lane)}
			if r.Mixed {
				h = r.Homes.At(lane)
			}
			value := uint64(r.PDst[i] >> lane & 1)
			if general {
				value = w.sm.Value(r, i, lane)
			}
			v := w.warp(int(h.Row))
			if v.writes == nil {
				v.writes = make([]uint64, w.lanes*(w.regs+w.preds))
			}
			x := &v.writes[int(h.Lane)*(w.regs+w.preds)+at]
			*x = golden.Written(*x, value)
		}
	}
}
