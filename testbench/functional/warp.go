package functional

import (
	"math/bits"
	"slices"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// warp is a warp of a CTA that has begun.
type warp struct {
	cta    *cta
	grid   *grid
	index  int       // in the CTA
	rows   []isa.Row // registers, special registers, and one for results without a register
	preds  []uint32
	local  []byte // local memory, lane by lane
	whole  uint32 // lanes that have a thread
	live   uint32 // of these, the ones that have not exited
	asleep bool   // no path can run
	at     int    // path that runs
	paths  []path
	spins  map[uint32]*spin // by lanes of a path, while it is watched
}

// path is an entry of the stack of a warp. Paths above it that have its threads are on their way to
// its PC; a path above which none has its threads is a leaf.
type path struct {
	point
	meet point // where it ends; nowhere: at the exit
	mask uint32
	wait divergence.Wait // Runs, WaitsBarrier or WaitsJoin: at an instruction for threads of the warp
	bar  uint8           // barrier at which it waits
}

// point is a place in the program, at a depth of calls.
type point struct {
	pc    uint32
	depth uint32
}

var nowhere = point{pc: isa.NoPC}

// begin gives a warp its initial state.
func (w *warp) begin() {
	clear(w.rows)
	clear(w.preds)
	clear(w.local)
	w.live, w.asleep, w.at = w.whole, false, 0
	w.paths = append(w.paths[:0], path{meet: nowhere, mask: w.whole})
	for i, s := range w.grid.specials {
		w.special(&w.rows[len(w.grid.Prog.Regs)+i], s)
	}
}

// special fills in a special register (PTX ISA, section 10). A clock is read when it is used.
func (w *warp) special(row *isa.Row, s isa.Special) {
	g := w.grid
	for lane := range g.WarpSize {
		thread := uint32(w.index*g.WarpSize + lane)
		eq := uint32(1) << lane
		var v uint64
		switch s {
		case isa.TidX:
			v = uint64(thread % g.Block[0])
		case isa.TidY:
			v = uint64(thread / g.Block[0] % g.Block[1])
		case isa.TidZ:
			v = uint64(thread / g.Block[0] / g.Block[1])
		case isa.NTidX, isa.NTidY, isa.NTidZ:
			v = uint64(g.Block[s-isa.NTidX])
		case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
			v = uint64(w.cta.id[s-isa.CtaidX])
		case isa.NCtaidX, isa.NCtaidY, isa.NCtaidZ:
			v = uint64(g.Grid[s-isa.NCtaidX])
		case isa.LaneID:
			v = uint64(lane)
		case isa.WarpID:
			v = uint64(w.index)
		case isa.NWarpID:
			v = uint64(len(w.cta.warps))
		case isa.SMID:
			v = w.cta.number % uint64(g.SMs)
		case isa.NSMID:
			v = uint64(g.SMs)
		case isa.LanemaskEq:
			v = uint64(eq)
		case isa.LanemaskLe:
			v = uint64(eq | (eq - 1))
		case isa.LanemaskLt:
			v = uint64(eq - 1)
		case isa.LanemaskGe:
			v = uint64(^(eq - 1))
		case isa.LanemaskGt:
			v = uint64(^(eq | (eq - 1)))
		case isa.DynamicSharedSize:
			v = uint64(g.Shared)
		case isa.TotalSharedSize:
			v = g.shared
		case isa.WarpSize:
			v = uint64(g.WarpSize)
		}
		row[lane] = v
	}
}

// clocks fills in the clocks, before an instruction that reads one.
func (w *warp) clocks(time uint64) {
	for i, s := range w.grid.specials {
		now := time
		switch s {
		case isa.Clock:
			now &= 0xffff_ffff
		case isa.ClockHi:
			now >>= 32
		case isa.Clock64, isa.GlobalTimer:
		default:
			continue
		}
		row := &w.rows[len(w.grid.Prog.Regs)+i]
		for lane := range row {
			row[lane] = now
		}
	}
}

// value returns source i of a lane.
func (w *warp) value(d *inst, i, lane int) uint64 { return w.row(&d.src[i])[lane&(isa.RowLanes-1)] }

// row returns the row of a source that is no predicate.
func (w *warp) row(s *source) *isa.Row {
	if s.imm != nil {
		return s.imm
	}
	return &w.rows[s.index]
}

// predicate returns a predicate source as a mask.
func (w *warp) predicate(s *source) uint32 {
	if s.pred {
		return w.preds[s.index] ^ s.invert
	}
	return s.invert
}

// turn runs the warp until no path can run, it has exited, or its turn is over.
func (w *warp) turn() {
	g := w.grid
	for until := g.r.Instructions + pathTurn; !g.over && !w.asleep && w.live != 0; {
		if g.watching {
			w.watched()
		} else {
			w.run(pathTurn)
		}
		switch {
		case g.over || w.live == 0:
		case w.paths[w.at].wait != divergence.Runs:
			w.next()
		case g.r.Instructions >= until:
			if g.Independent {
				w.next()
			}
			return
		}
	}
}

// run executes at most so many instructions of the present path. It ends where the paths change.
func (w *warp) run(most int) {
	g := w.grid
	p := &w.paths[w.at]
	pc, mask, meet := p.pc, p.mask, p.meet.pc
	if p.depth != p.meet.depth {
		meet = isa.NoPC
	}
	n, counted := bits.OnesCount32(mask), uint64(0)
	stays := true // the path goes on
	for ; most > 0 && stays && pc != meet; most-- {
		d := &g.insts[pc]
		exec := mask
		if d.guard >= 0 {
			exec &= w.preds[d.guard] ^ d.invert
		}
		counted += d.counts
		switch d.kind {
		case plain:
			if pc++; exec != 0 {
				w.execute(d, exec)
			}
		case branch:
			b := &g.r.Branches[pc]
			if d.guard >= 0 {
				b.Executed++
			}
			switch exec {
			case mask:
				pc = d.Target
			case 0:
				pc++
			default:
				b.Divergent++
				p.pc, stays = pc, false
				w.diverge(d, point{d.Target, p.depth}, point{pc + 1, p.depth}, exec, mask&^exec)
			}
		case access:
			if p.pc = pc; exec != 0 {
				stays = w.access(d, exec)
			}
			pc++
		case nothing:
			pc++
		case timed:
			w.clocks(g.r.Instructions + counted)
			w.execute(d, exec)
			pc++
		default:
			p.pc, stays = pc, false
			w.change(d, exec)
		}
	}
	g.r.Instructions += counted
	g.r.Lanes += counted * uint64(n)
	g.r.Active[n] += counted
	if stays {
		p.pc = pc
		w.join()
	}
}

// execute computes the lanes of an instruction.
func (w *warp) execute(d *inst, exec uint32) {
	x, rows := &w.grid.x, w.rows
	x.Mask = exec
	w.operands(d)
	for i, row := range d.dst {
		x.Dst[i] = &rows[row]
	}
	isa.Execute(d.Inst, x)
	if d.pdst != nil {
		w.predicates(d, exec)
	}
}

// operands fills in the sources of an instruction.
func (w *warp) operands(d *inst) {
	x, rows := &w.grid.x, w.rows
	for i := range d.src {
		if s := &d.src[i]; s.imm == nil {
			x.Src[i] = &rows[s.index]
		} else {
			x.Src[i], x.PSrc[i] = s.imm, s.invert
		}
	}
	if d.other {
		for i := range d.src {
			if s := &d.src[i]; s.pred {
				x.Src[i], x.PSrc[i] = nil, w.preds[s.index]^s.invert
			}
		}
		x.PDst = [isa.MaxDsts]uint32{}
	}
}

// predicates writes the predicates that an instruction has computed.
func (w *warp) predicates(d *inst, exec uint32) {
	for i, p := range d.pdst {
		if p >= 0 {
			w.preds[p] = w.preds[p]&^exec | w.grid.x.PDst[i]&exec
		}
	}
}

// change executes an instruction after which another path may run.
func (w *warp) change(d *inst, exec uint32) {
	p := &w.paths[w.at]
	if exec == 0 {
		p.pc++
		w.join()
		return
	}
	switch {
	case d.kind == crosses:
		w.cross(d, exec)
	case d.kind == matrix:
		w.cross(d, exec)
	case d.kind == copies:
		if w.copy(d, exec) {
			p.pc++
			w.join()
		}
	case d.Op == isa.OpBar:
		w.bar(d, exec)
	case d.Op == isa.OpTrap:
		f := sm.Fault{Kind: sm.Trapped, Lane: uint8(bits.TrailingZeros32(exec)), Lanes: uint64(exec)}
		for i := range min(len(d.src), len(f.Args)) {
			f.Args[i] = w.value(d, i, int(f.Lane))
		}
		w.fault(f)
	case d.Exits():
		w.exit(exec)
	case d.Op == isa.OpCall, d.Op == isa.OpRet:
		w.jump(d, exec)
	}
}

// jump executes a call, or the return from a function.
func (w *warp) jump(d *inst, exec uint32) {
	p := &w.paths[w.at]
	target, fall, taken := point{d.Target, p.depth}, point{p.pc + 1, p.depth}, exec
	if d.Indirect() {
		// The threads whose target is that of the lowest lane go; the others execute it again.
		to := w.row(&d.src[len(d.src)-1])
		lead := to[bits.TrailingZeros32(exec)&(isa.RowLanes-1)]
		taken = 0
		for m := exec; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1); to[lane] == lead {
				taken |= 1 << lane
			}
		}
		fall.pc = p.pc
		if d.Returns() {
			target.pc = w.grid.Prog.Landing(lead)
		} else if target.pc, _ = w.grid.Prog.Callee(lead); target.pc == isa.NoPC {
			w.fault(sm.Fault{Kind: sm.NoFunction, Lane: uint8(bits.TrailingZeros32(exec)), Addr: lead})
			return
		}
	}
	if d.Op == isa.OpCall {
		link := &w.rows[d.dst[0]]
		for m := taken; m != 0; m &= m - 1 {
			link[bits.TrailingZeros32(m)&(isa.RowLanes-1)] = d.Src[0].Imm
		}
		target.depth++
	} else {
		target.depth--
	}
	not := p.mask &^ taken
	if b := &w.grid.r.Branches[p.pc]; d.Conditional() || not != 0 {
		b.Executed++
		if not != 0 {
			b.Divergent++
		}
	}
	if not == 0 {
		p.point = target
		w.join()
		return
	}
	w.diverge(d, target, fall, taken, not)
}

// diverge splits the present path at a branch: see divergence.PathStack.Diverge.
func (w *warp) diverge(d *inst, target, fall point, taken, not uint32) {
	e, meet := &w.paths[w.at], nowhere
	if d.Reconv != isa.NoPC {
		meet = point{d.Reconv, e.depth}
	}
	switch {
	case target == e.meet: // the path below has the taken lanes, and waits there
		e.point, e.mask = fall, not
	case fall == e.meet:
		e.point, e.mask = target, taken
	default:
		first := path{point: target, meet: meet, mask: taken}
		second := path{point: fall, meet: meet, mask: not}
		if !w.grid.First.Taken(uint64(taken), uint64(not)) {
			first, second = second, first
		}
		if meet == e.meet { // the path below already waits there
			w.paths = slices.Delete(w.paths, w.at, w.at+1)
			w.at--
		} else {
			e.point = meet
		}
		for _, x := range [...]path{second, first} {
			if x.point == meet {
				continue
			}
			if w.at++; w.at == len(w.paths) {
				w.paths = append(w.paths, x)
			} else {
				w.paths = slices.Insert(w.paths, w.at, x)
			}
		}
	}
	w.join()
}

// join ends the present path if it has come to its end, or has no threads, and then the paths that
// end with it.
func (w *warp) join() {
	for {
		p := &w.paths[w.at]
		if p.mask != 0 && p.point != p.meet {
			return
		}
		if w.at == len(w.paths)-1 {
			w.paths = w.paths[:w.at]
		} else {
			w.paths = slices.Delete(w.paths, w.at, w.at+1)
		}
		if len(w.paths) == 0 {
			return
		}
		if w.at--; w.at < 0 || !w.grid.Independent || !w.leaf(w.at) {
			w.at = len(w.paths) - 1
		}
	}
}

// leaf reports whether no path above one has its threads.
func (w *warp) leaf(at int) bool {
	for i := at + 1; i < len(w.paths); i++ {
		if w.paths[i].mask&w.paths[at].mask != 0 {
			return false
		}
	}
	return true
}

// next goes on with the next path that can run, if there is one.
func (w *warp) next() {
	n := len(w.paths)
	for i := 1; w.grid.Independent && i <= n; i++ {
		if at := (w.at - i + n) % n; w.paths[at].wait == divergence.Runs && w.leaf(at) {
			w.at = at
			w.join()
			return
		}
	}
	w.asleep = w.paths[w.at].wait != divergence.Runs
}

// split moves lanes of a path to a path of their own.
func (w *warp) split(at int, lanes uint32) {
	p := w.paths[at]
	w.paths[at].mask &^= lanes
	p.mask = lanes
	w.paths = slices.Insert(w.paths, at+1, p)
}

// proceed has a path that waits go on behind its instruction.
func (w *warp) proceed(at int) {
	w.at, w.asleep = at, false
	w.paths[at].wait = divergence.Runs
	w.paths[at].pc++
	w.join()
}

// exit ends the threads of some lanes.
func (w *warp) exit(lanes uint32) {
	if w.grid.onExit != nil {
		w.grid.onExit(w, lanes)
	}
	w.live &^= lanes
	for i := range w.paths {
		w.paths[i].mask &^= lanes
	}
	w.paths[w.at].pc++
	w.join()
	if w.live == 0 {
		w.cta.live--
	} else if w.grid.Independent {
		w.gather()
	}
	w.cta.open()
}

// bar executes a CTA barrier.
func (w *warp) bar(d *inst, exec uint32) {
	lanes, waits := exec, d.Mode != isa.ModeArrive
	if !w.grid.Independent { // the warp arrives as a whole
		if missing := w.elsewhere(exec); missing != 0 {
			w.fault(sm.Fault{Kind: sm.PartOfWarp, Lane: uint8(bits.TrailingZeros32(exec)), Missing: uint64(missing)})
			return
		}
		lanes = w.live
	} else if p := &w.paths[w.at]; waits && exec != p.mask {
		w.split(w.at, exec)
		w.paths[w.at].pc++
		w.at++
	}
	w.cta.arrive(w, d, exec, lanes)
	if waits {
		p := &w.paths[w.at]
		p.wait = divergence.WaitsBarrier
		p.bar = uint8(w.value(d, 0, bits.TrailingZeros32(exec))) & (divergence.Barriers - 1)
	} else {
		w.paths[w.at].pc++
		w.join()
	}
	w.cta.open()
}

// elsewhere returns the threads that a barrier would count and that have not come: see
// sm.PartOfWarp. A thread that does nothing more but exit is none of them.
func (w *warp) elsewhere(exec uint32) uint32 {
	if w.grid.Prog.Target < 70 {
		return 0
	}
	missing := w.live &^ exec
	above := w.paths[w.at].mask
	for at := len(w.paths) - 2; at >= 0 && missing != 0; at-- {
		p := &w.paths[at]
		if w.ends(p.pc) {
			missing &^= p.mask &^ above
		}
		above |= p.mask
	}
	return missing
}

// ends reports whether a thread at pc does nothing but exit.
func (w *warp) ends(pc uint32) bool {
	insts := w.grid.insts
	for range insts {
		if pc == isa.NoPC {
			return false
		}
		d := &insts[pc]
		if d.Exits() {
			return d.Op != isa.OpTrap && d.EndsPath()
		}
		if !d.Jumps() || !d.EndsPath() {
			return false
		}
		pc = d.Target
	}
	return false
}

// release ends the wait of the warp's threads at a barrier, which gives them its tally.
func (w *warp) release(bar uint8, tally uint64) {
	waits := func(p path) bool { return p.wait == divergence.WaitsBarrier && p.bar == bar }
	for at := slices.IndexFunc(w.paths, waits); at >= 0; at = slices.IndexFunc(w.paths, waits) {
		if row := w.grid.result; row >= 0 {
			for m := w.paths[at].mask; m != 0; m &= m - 1 {
				w.rows[row][bits.TrailingZeros32(m)&(isa.RowLanes-1)] = tally
			}
		}
		w.proceed(at)
	}
}

// fault ends the launch with the error of a thread.
func (w *warp) fault(f sm.Fault) {
	g := w.grid
	f.Row, f.PC = uint8(w.index), w.paths[w.at].pc
	thread := uint32(w.index*g.WarpSize + int(f.Lane))
	x, y := thread%g.Block[0], thread/g.Block[0]
	g.r.Fault = &Fault{f, sm.Thread{CTA: w.cta.id, TID: [3]uint32{x, y % g.Block[1], y / g.Block[1]}}}
	g.finish(gpu.Faulted)
}
