package functional

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// cross executes an instruction that exchanges values among lanes. Without .sync it acts on the
// threads that execute it. With .sync its membermask names threads that must execute it together. If
// some are elsewhere, that is a fault, as on GPUs before Volta, or, with Setup.Independent, the path
// waits for them.
func (w *warp) cross(d *inst, exec uint32) {
	missing := false
	if d.Flags&isa.FlagSync != 0 || d.Matrix() {
		for rest := exec; rest != 0; {
			group, absent, kind := w.group(d, exec, rest)
			if kind == sm.NoFault && absent != 0 && (!w.grid.Independent || absent&^w.live != 0) {
				kind = sm.Missing
			}
			if kind != sm.NoFault {
				w.fault(sm.Fault{Kind: kind, Lane: uint8(bits.TrailingZeros32(rest)), Missing: uint64(absent)})
				return
			}
			missing = missing || absent != 0
			rest &^= group
		}
	}
	if !missing {
		if w.exchange(d, exec) {
			w.paths[w.at].pc++
			w.join()
		}
		return
	}
	if exec != w.paths[w.at].mask { // threads with a false guard do not wait
		w.split(w.at, exec)
		w.paths[w.at].pc++
		w.at++
	}
	w.paths[w.at].wait = divergence.WaitsJoin
	w.gather()
}

// group returns the lanes that execute d together with the lowest lane of rest, and the threads
// that they wait for.
func (w *warp) group(d *inst, exec, rest uint32) (lanes, absent uint32, kind sm.FaultKind) {
	if d.Matrix() {
		return exec, w.grid.all &^ exec, sm.NoFault
	}
	first := bits.TrailingZeros32(rest)
	members := &d.src[len(d.src)-1]
	mask := uint32(w.row(members)[first&(isa.RowLanes-1)])
	lanes = mask & exec
	if lanes>>first&1 == 0 {
		return 0, 0, sm.NotMember
	}
	if members.imm == nil {
		for m := lanes; m != 0; m &= m - 1 {
			if uint32(w.row(members)[bits.TrailingZeros32(m)&(isa.RowLanes-1)]) != mask {
				return 0, 0, sm.Disagree
			}
		}
	}
	return lanes, mask & w.live &^ exec, sm.NoFault
}

// gather lets the paths go on whose threads wait for each other and are all there. Threads may meet
// at different bar.warp.sync instructions (PTX ISA, section 9.7.12.2).
func (w *warp) gather() {
	for at := 0; at < len(w.paths); at++ {
		pc := w.paths[at].pc
		if w.paths[at].wait != divergence.WaitsJoin {
			continue
		}
		d := &w.grid.insts[pc]
		meets := func(q *path) bool {
			return q.wait == divergence.WaitsJoin &&
				(q.pc == pc || d.Op == isa.OpBarWarp && w.grid.insts[q.pc].Op == isa.OpBarWarp)
		}
		var here, complete uint32
		for i := range w.paths {
			if q := &w.paths[i]; meets(q) {
				here |= q.mask
			}
		}
		for rest := here; rest != 0; {
			lanes, absent, kind := w.group(d, here, rest)
			if kind != sm.NoFault {
				w.at = at
				w.fault(sm.Fault{Kind: kind, Lane: uint8(bits.TrailingZeros32(rest))})
				return
			}
			if absent == 0 {
				complete |= lanes
			}
			rest &^= lanes
		}
		if complete == 0 {
			continue
		}
		if !w.exchange(d, complete) {
			return
		}
		for i := 0; i < len(w.paths); i++ {
			q := &w.paths[i]
			if !meets(q) || q.mask&complete == 0 {
				continue
			}
			if q.mask&^complete != 0 {
				w.split(i, q.mask&^complete)
			}
			before := len(w.paths)
			w.proceed(i)
			i -= before - len(w.paths)
		}
		at = -1
	}
}

// exchange executes an instruction for lanes that are all there. Results go to registers only when
// all lanes have been computed.
func (w *warp) exchange(d *inst, exec uint32) bool {
	if d.kind == matrix {
		return w.rowsOfMatrix(d)
	}
	g := w.grid
	x := &g.x
	x.Mask, x.PDst = exec, [isa.MaxDsts]uint32{}
	w.operands(d)
	for i := range d.dst {
		x.Dst[i] = &g.scratch[i]
	}
	for i, s := range d.src {
		if s.pred {
			x.PSrc[i] &= exec
		}
	}
	isa.Execute(d.Inst, x)
	for i, row := range d.dst {
		w.write(row, exec, &g.scratch[i])
	}
	w.predicates(d, exec)
	return true
}

// write writes lanes of a row.
func (w *warp) write(row int32, lanes uint32, from *isa.Row) {
	to := &w.rows[row]
	for m := lanes; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		to[lane] = from[lane]
	}
}
