package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// places models where each thread is, by PCs of the program that the hardware runs.
//
// It follows issued instructions, branch outcomes and new warps. It reads nothing from the
// mechanism, so its list stays right if the mechanism loses a thread, duplicates it, or misplaces
// it.
//
// Like the state of the hardware, the model shows the beginning of a cycle. Whatever a mechanism
// takes from its queues is entered at the beginning of the next cycle.
type places struct {
	*View
	rows     [sm.MaxWarps]spots
	deciding []decision // control instructions in flight, in the order of issue
	taken    []decision // those that the mechanism took in this cycle
	started  []divergence.WarpStart
	blocks   bool // warps of a CTA wait for each other at branches
	// stored reports whether a row has words in memory, or had at the beginning of the cycle.
	stored      func(row int, cycle uint64) bool
	paths       []divergence.Path
	seen        [sm.MaxWarps]uint64
	now, looked uint64
	depth       uint16 // call depth of the lowest thread of the instruction that issues
}

// spots are the places of the threads of a row.
type spots struct {
	alive    uint64
	began    uint64 // cycle
	deciding uint64 // threads with a control instruction in flight
	at       []spot
}

// spot is the place of some threads of a row.
type spot struct {
	pc    uint32
	depth uint16 // number of calls not returned from
	back  uint32 // PC of the branch that led here; isa.NoPC: no branch
	lanes uint64
}

// decision is a control instruction in flight, with its PC in the program that runs.
type decision struct {
	sm.Flight
	known   bool // it has been executed
	outcome divergence.Outcome
}

// follow begins to model an SM.
func follow(v *View) *places {
	w := &places{View: v, blocks: v.mechanism.Blocks}
	ports := v.sm.Div.Connections()
	v.Leave(
		ports.Launch.Tap(func(cycle uint64,
			l *divergence.WarpStart,
		) {
			w.cycle(cycle)
			w.started = append(w.started, *l)
		}))
	v.eachExecuted(w.executed)
	v.eachTaken(w.resolved)
	v.Leave(
		v.sm.Issue.OnInserted.Add(func(e sm.Issued) {
			f := *e.Flight // with the kernel's PC, as for its own instructions
			f.PC = v.sm.Program().OriginOf(f.PC)
			w.place(sm.Issued{Cycle: e.Cycle, Flight: &f})
		}),
	)
	return w
}

// at returns the places of the threads of a row.
func (w *places) at(row int) *spots { return &w.rows[row&(sm.MaxWarps-1)] }

// issuedDepth returns the call depth of the lowest thread of the instruction that issues.
func (w *places) issuedDepth() uint16 { return w.depth }

// decided returns the control instruction whose outcome the mechanism took last in this cycle; nil
// if none.
func (w *places) decided() *decision {
	if len(w.taken) == 0 {
		return nil
	}
	return &w.taken[len(w.taken)-1]
}

// cycle enters what mechanisms took in the cycles before.
func (w *places) cycle(now uint64) {
	if now == w.now {
		return
	}
	w.now = now
	for i := range w.started {
		w.begins(&w.started[i])
	}
	w.started = w.started[:0]
	for i := range w.taken {
		w.settle(&w.taken[i])
	}
	w.taken = w.taken[:0]
}

// begins records a new warp.
func (w *places) begins(l *divergence.WarpStart) {
	s := &w.rows[l.Row&(sm.MaxWarps-1)]
	if s.alive != 0 {
		w.Fail(Rule{checkPartition, "a warp in a row in use"}, InRow(int(l.Row), s.alive),
			"SM %d, cycle %d: a warp begins in row %d, where lanes %#x of another have not exited", w.index, w.now,
			l.Row, s.alive)
	}
	*s = spots{alive: l.Mask, began: w.now, at: append(s.at[:0], spot{back: isa.NoPC, lanes: l.Mask})}
}

// lanesAt returns the threads of a row at a PC.
func (s *spots) lanesAt(pc uint32) (lanes uint64) {
	for i := range s.at {
		if s.at[i].pc == pc {
			lanes |= s.at[i].lanes
		}
	}
	return lanes
}

// move moves threads from one PC to another, and changes their call depth.
func (s *spots) move(lanes uint64, from, to uint32, calls int, back uint32) {
	for i := len(s.at) - 1; i >= 0 && lanes != 0; i-- {
		x := &s.at[i]
		part := x.lanes & lanes
		if x.pc != from || part == 0 {
			continue
		}
		lanes &^= part
		x.lanes &^= part
		s.add(spot{to, x.depth + uint16(calls), back, part})
	}
	s.clean()
}

// again moves threads back to the branch that led them here, and restores their call depth. When
// warps of a block have different destinations, the first warp's destination divides them. The
// other threads execute the branch again.
func (s *spots) again(lanes uint64, branch uint32, calls int) {
	for i := len(s.at) - 1; i >= 0; i-- {
		if x := &s.at[i]; x.back == branch && x.pc != branch {
			part := x.lanes & lanes
			x.lanes &^= part
			s.add(spot{branch, x.depth - uint16(calls), isa.NoPC, part})
		}
	}
	s.clean()
}

// clean drops places without threads.
func (s *spots) clean() {
	for i := len(s.at) - 1; i >= 0; i-- {
		if s.at[i].lanes == 0 {
			s.at[i] = s.at[len(s.at)-1]
			s.at = s.at[:len(s.at)-1]
		}
	}
}

// add adds threads at a place.
func (s *spots) add(p spot) {
	if p.lanes == 0 {
		return
	}
	for i := range s.at {
		if x := &s.at[i]; x.pc == p.pc && x.depth == p.depth && x.back == p.back {
			x.lanes |= p.lanes
			return
		}
	}
	s.at = append(s.at, p)
}

// leave removes exited threads.
func (s *spots) leave(lanes uint64) {
	s.alive &^= lanes
	for i := range s.at {
		s.at[i].lanes &^= lanes
	}
	s.clean()
}

// depth returns the call depth of the lowest of some threads of a row.
func (s *spots) depth(lanes uint64) uint16 {
	for i := range s.at {
		if s.at[i].lanes&lanes&-lanes != 0 {
			return s.at[i].depth
		}
	}
	return 0
}

// issue moves the threads of an instruction on, and checks that they are at its PC.
func (w *places) issue(e *sm.Issued) {
	pc := w.sm.Div.Slots().At(int(e.Slot)).PC
	in := &w.sm.Program().Insts[pc]
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		s, lanes := &w.rows[r], of(e.Flight, r, e.Mask)
		if s.deciding&lanes != 0 {
			w.early(r, lanes, pc)
		}
		if away := lanes &^ s.lanesAt(pc); away != 0 && w.blocks && in.Indirect() {
			s.again(away, pc, deeper(in))
		}
		if away := lanes &^ s.lanesAt(pc); away != 0 {
			w.Fail(Rule{checkPartition, "an instruction elsewhere"}, InRow(r, away),
				"SM %d, cycle %d: lanes %#x of row %d execute %s, but are at %s", w.index, e.Cycle, away, r, w.inst(pc),
				w.places(s, away))
			return
		}
		if again := lanes & s.deciding; again != 0 {
			w.Fail(Rule{checkPartition, "an instruction before its branch is decided"}, InRow(r, again),
				"SM %d, cycle %d: lanes %#x of row %d execute %s again before its outcome is known", w.index, e.Cycle,
				again, r, w.inst(pc))
			return
		}
		if in.Control() {
			s.deciding |= lanes
		} else {
			s.move(lanes, pc, pc+1, 0, isa.NoPC)
		}
	}
	if in.Control() {
		w.deciding = append(w.deciding, decision{Flight: *e.Flight})
		w.deciding[len(w.deciding)-1].PC = pc
	}
}

// executed records an outcome in flight to the mechanism.
func (w *places) executed(_ uint64, out *divergence.Outcome) {
	for i := range w.deciding {
		if d := &w.deciding[i]; !d.known {
			d.known, d.outcome = true, *out
			return
		}
	}
}

// resolved records that the mechanism took an outcome.
func (w *places) resolved(cycle uint64, out *divergence.Outcome) {
	w.cycle(cycle)
	for i := range w.deciding {
		if d := &w.deciding[i]; d.Slot == out.Slot && d.PC == out.PC {
			d.outcome = *out
			w.taken = append(w.taken, *d)
			w.deciding = append(w.deciding[:i], w.deciding[i+1:]...)
			return
		}
	}
}

// settle moves the threads of a control instruction.
func (w *places) settle(d *decision) {
	for rows := d.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		s := &w.rows[r]
		lanes, taken := of(&d.Flight, r, d.Mask), of(&d.Flight, r, d.Mask&d.outcome.Taken)
		s.deciding &^= lanes
		w.goOn(s, d, taken, lanes&^taken)
	}
}

// goOn moves threads of a row by an outcome.
func (w *places) goOn(s *spots, d *decision, taken, not uint64) {
	to, fall, calls, leaves := w.ways(d)
	if leaves {
		s.leave(taken)
	} else {
		s.move(taken, d.PC, to, calls, d.PC)
	}
	s.move(not, d.PC, fall, 0, d.PC)
}

// ways returns the destination of the threads that take a control instruction, and that of the
// others.
func (w *places) ways(d *decision) (to, fall uint32, calls int, leaves bool) {
	in := &w.sm.Program().Insts[d.PC]
	to, fall = d.PC+1, d.PC+1
	switch {
	case in.Exits():
		leaves = true
	case in.Branches():
		to = in.Target
		if in.Indirect() { // those with another destination than the lowest lane execute it again
			to, fall = d.outcome.Target, d.PC
		}
		calls = deeper(in)
	case in.Jumps():
		to = in.Target
	case in.Op == isa.OpWarpSync && d.outcome.Taken != 0: // those that name other threads execute it again
		fall = d.PC
	}
	return to, fall, calls, leaves
}

// deeper returns the change of call depth by a taken branch.
func deeper(in *isa.Inst) int {
	switch in.Op {
	case isa.OpCall:
		return 1
	case isa.OpRet:
		return -1
	}
	return 0
}

// early moves threads whose outcome the mechanism has taken in part: only one of the sides found a
// free update register of dynamic warps.
func (w *places) early(r int, lanes uint64, pc uint32) {
	s := &w.rows[r]
	for i := range w.deciding {
		d := &w.deciding[i]
		if !d.known || d.Rows>>r&1 == 0 {
			continue
		}
		taken, not := of(&d.Flight, r, d.Mask&d.outcome.Taken)&lanes&s.deciding, of(&d.Flight, r,
			d.Mask&^d.outcome.Taken)&lanes&s.deciding
		to, fall, _, _ := w.ways(d)
		if to != pc {
			taken = 0
		}
		if fall != pc {
			not = 0
		}
		s.deciding &^= taken | not
		w.goOn(s, d, taken, not)
	}
}

// places describes where threads of a row are.
func (w *places) places(s *spots, lanes uint64) (text string) {
	for _, p := range s.at {
		if p.lanes&lanes != 0 {
			return w.inst(p.pc)
		}
	}
	return "no place: they have exited, or have not begun"
}

// place records an instruction. It checks the mechanism's groups before the first one of each
// cycle.
func (w *places) place(e sm.Issued) {
	if w.found != nil {
		return
	}
	if e.Cycle != w.looked {
		w.cycle(e.Cycle)
		w.partition(&e)
		w.looked = e.Cycle
	}
	r := e.Row & (sm.MaxWarps - 1)
	w.depth = w.rows[r].depth(of(e.Flight, int(r), e.Mask))
	w.issue(&e)
}

// partition checks that the groups of the mechanism hold each live thread once, at its place.
func (w *places) partition(e *sm.Issued) {
	w.paths = w.sm.Div.Paths(w.paths[:0])
	clear(w.seen[:w.rowsThere])
	for i := range w.paths {
		p := &w.paths[i]
		r := int(p.Row & (sm.MaxWarps - 1))
		s := &w.rows[r]
		if twice := p.Mask & w.seen[r]; twice != 0 {
			w.Fail(Rule{checkPartition, "a thread in two groups"}, InRow(r, twice),
				"%s: lanes %#x of row %d are in two groups", w.View.at(e), twice, r)
		}
		w.seen[r] |= p.Mask
		if away := p.Mask &^ s.lanesAt(p.PC); away != 0 {
			if away = w.away(s, p, r, away); away != 0 {
				w.Fail(Rule{checkPartition, "a group elsewhere"}, InRow(r, away),
					"%s: lanes %#x of row %d are in a group at %s, but at %s", w.View.at(e), away, r, w.inst(p.PC),
					w.places(s, away))
			}
		}
	}
	for r := range w.rowsThere {
		if lost := w.rows[r].alive &^ w.seen[r]; lost != 0 {
			w.Fail(Rule{checkPartition, "a thread in no group"}, InRow(r, lost),
				"%s: lanes %#x of row %d are in no group", w.View.at(e), lost, r)
		}
	}
}

// away returns the threads of a path that are wrongly not at its PC.
//
// Some differences are right:
//
//   - On arrival at a barrier, the model places a path behind the barrier.
//   - A path without a PC is in words that the mechanism has in memory.
//   - Warps of a block wait for others at a branch that their threads have taken.
//   - An outcome can be taken in part: see early.
func (w *places) away(s *spots, p *divergence.Path, r int, lanes uint64) uint64 {
	insts := w.sm.Program().Insts
	switch {
	case p.PC == isa.NoPC:
		if w.stored(r, w.now) {
			lanes &^= s.alive
		}
		return lanes
	case int(p.PC) < len(insts) && (insts[p.PC].Op == isa.OpBar || insts[p.PC].Op == isa.OpWarpSync):
		lanes &^= s.lanesAt(p.PC + 1)
	case w.blocks: // a warp waits for others at its branch
		for _, x := range s.at {
			if x.back == p.PC {
				lanes &^= x.lanes
			}
		}
	}
	for i := range w.deciding {
		d := &w.deciding[i]
		if lanes == 0 {
			break
		}
		if !d.known || d.Rows>>r&1 == 0 {
			continue
		}
		to, fall, _, _ := w.ways(d)
		if to == p.PC {
			lanes &^= of(&d.Flight, r, d.Mask&d.outcome.Taken)
		}
		if fall == p.PC {
			lanes &^= of(&d.Flight, r, d.Mask&^d.outcome.Taken)
		}
	}
	return lanes
}
