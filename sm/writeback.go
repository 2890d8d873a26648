package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// Writeback owns the write ports of the register file of a sub-core. The memory pipe has priority, because data
// that returns from memory cannot wait (Fung & Aamodt, HPCA 2011, section 2.2.1). The
// special-function, double-precision and integer pipes follow. An instruction without a destination
// also passes here: its completion frees its entries of the scoreboard.
type Writeback struct {
	rtl.State[struct {
		Conflicts uint64 `rtl:"sim"` // cycles that results waited for a port, summed over results
	}]
	In     [4]rtl.In[Result]    // memory, SFU, DPU, ALU
	Values [4]*rtl.Mem[isa.Row] `rtl:"handed"` // of In
	Clear  rtl.In[uint8]        // rows to clear for new threads
	Done   rtl.Wire[Completions]
	Regs   *rtl.Mem[isa.Row] `rtl:"inplace"`              // by row of the sub-core, then register
	Preds  *rtl.Mem[uint64]  `rtl:"inplace" bits:"lanes"` // by row of the sub-core, then predicate

	l      *launch
	shares bool // see shared
}

// shared reports whether a result can share a port in use. It can if no other result of the cycle
// uses its lanes of that port: each lane has its own row address (see Interweave).
func (w *Writeback) shared(used []uint64, r *Result) bool {
	if !w.shares || r.Mixed {
		return false
	}
	for p := range used {
		if used[p]&r.Mask == 0 {
			used[p] |= r.Mask
			return true
		}
	}
	return false
}

// Tick writes up to WBPorts results, or more if they share ports.
func (w *Writeback) Tick() {
	waiting, ports := 0, w.l.cfg.WBPorts
	n, last := int8(0), w.Done.At().N
	var lanes [maxWBPorts]uint64 // lanes that each port in use writes
	used := 0
	for i := range w.In {
		in := &w.In[i]
		for in.Valid() && n < maxWBPorts {
			r := in.Front()
			if !w.shared(lanes[:used], r) {
				if used == ports {
					break
				}
				lanes[used] = r.Mask
				used++
			}
			w.write(r, w.Values[i])
			w.Done.Edit().C[n&(maxWBPorts-1)] = r.Flight
			n++
			in.Pop()
		}
		waiting += in.Len()
	}
	if waiting > 0 {
		w.D().Conflicts += uint64(waiting)
	}
	if n != last {
		done := w.Done.Edit()
		done.N = n
		for ; n < last; n++ {
			done.C[n&(maxWBPorts-1)] = Flight{}
		}
	}
	if w.Clear.Valid() {
		row := *w.Clear.Front()
		for i := range w.l.rowOf(w.l.nregs, 0) {
			*w.Regs.Edit(w.l.reg(row, 0, 0) + i) = isa.Row{}
		}
		for i := range w.l.npreds {
			*w.Preds.Edit(w.l.pred(row, i)) = 0
		}
		w.Clear.Pop()
	}
}

// write writes a result, whose registers are in values.
func (w *Writeback) write(r *Result, values *rtl.Mem[isa.Row]) {
	if r.Exec == 0 {
		return
	}
	in := &w.l.insts[r.PC]
	for half := 0; half <= int(w.l.wide); half++ {
		exec, all := lanesOf(r.Exec, half), lanesOf(w.l.all, half)
		for set := in.whole; set != 0; set &= set - 1 {
			i := bits.TrailingZeros8(set) % isa.MaxDsts
			from, reg := readAt(values, r.At, w.l.rowOf(i, half)), int(in.Dst[i].Index)
			switch {
			case exec == 0:
			case r.Mixed:
				row := w.l.rowOf(reg, 0)
				for m := exec; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
					index, home := w.l.home(r.Homes.At(isa.RowLanes*half+lane), row)
					w.Regs.Edit(index)[home] = from[lane]
				}
			case exec == all:
				*w.Regs.Edit(w.l.reg(r.Row, reg, half)) = *from
			default:
				row := w.Regs.Edit(w.l.reg(r.Row, reg, half))
				for m := exec; m != 0; m &= m - 1 {
					lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
					row[lane] = from[lane]
				}
			}
		}
	}
	for set := in.preds; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set) % isa.MaxDsts
		from, pred := r.PDst[i], int(in.Dst[i].Index)
		if !r.Mixed {
			p := w.Preds.Edit(w.l.pred(r.Row, pred))
			*p = *p&^r.Exec | from&r.Exec
			continue
		}
		for m := r.Exec; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
			h := r.Homes.At(lane)
			p, home := w.Preds.Edit(w.l.pred(h.Row, pred)), h.Lane&(isa.MaxLanes-1)
			*p = *p&^(1<<home) | from>>lane&1<<home
		}
	}
}

// lanesOf returns the lanes of a mask in a half of the warp, as lanes of a row.
func lanesOf(mask uint64, half int) uint32 {
	return uint32(mask >> (uint(isa.RowLanes*half) % isa.MaxLanes))
}

// maskOf returns the mask of lanes of a row in a half of the warp.
func maskOf(lanes uint32, half int) uint64 {
	return uint64(lanes) << (uint(isa.RowLanes*half) % isa.MaxLanes)
}
