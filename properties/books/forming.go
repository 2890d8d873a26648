package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// forming checks a mechanism that forms warps dynamically from threads that wait at one PC (Fung et
// al., MICRO 2007, section 4.2).
//
// It models the update registers, the contents of the pool, and the static warps that are together
// (Fung & Aamodt, HPCA 2011, section 2.4). From the mechanism it reads only the slots. Its timing:
//
//   - Threads are in an update register one cycle after their instruction issues or their outcome
//     is taken.
//   - They are in the pool one cycle after that.
//   - While the pool is not empty, a warp gets a slot in each cycle that has a free slot.
//   - An outcome is taken as soon as it has registers.
type forming struct {
	*View
	places interface {
		cycle(now uint64)
		at(row int) *spots
		decided() *decision
	}
	barriers interface{ lanesWaiting(row int) uint64 }
	fair     interface {
		ready(cycle uint64, slot int) bool
	}
	updates int
	rejoins bool
	latency uint64
	pushed  []uint64  // cycles at which outcomes not yet taken were sent
	taken   uint64    // cycle in which the last outcome was taken
	fired   [2]uint64 // cycles of the last issued instructions that took a register
	rows    [sm.MaxWarps]formed
	bars    bool // the threads that wait at barriers are known: see barriers.comes

	pool  *pool
	now   uint64    // cycle of the last look
	valid uint64    // valid slots then
	due   bool      // a warp was in the pool
	left  []leaving // slots that a warp has left since then
}

// formed is the state of the threads of a row.
type formed struct {
	came   [isa.MaxLanes]uint64 // cycle in which each was last taken
	last   uint64               // cycle of the last outcome
	bar    uint64               // lanes whose last instruction is a barrier with a wait
	apart  bool                 // they are formed anew until all are at rpc, if it is valid
	rpc    uint32
	inSlot uint64 // at the last look
}

// leaving is a slot that a warp has left.
type leaving struct {
	cycle uint64
	sm.Flight
}

// watchForming begins to watch an SM.
func watchForming(o *Observer, rejoins bool) *forming {
	v := &o.View
	f := &forming{
		View: v, places: o.places, barriers: o.barriers, fair: o.fair, updates: 2, rejoins: rejoins,
		bars: v.prog.Target >= 70, latency: outcomeLatency(v),
	}
	f.pool = newPool(f)
	ports := v.sm.Div.Connections()
	v.Leave(
		ports.OnRelease.Add(func(r divergence.Released) { f.pool.freed = append(f.pool.freed, r.Rows) }),
		v.sm.ALU.Outcome.Tap(func(cycle uint64, _ *divergence.Outcome) { f.pushed = append(f.pushed, cycle) }),
		ports.Outcome.Tap(f.resolved), ports.Launch.Tap(f.begins),
		v.sm.Issue.OnIssue.Add(f.issue), v.sm.Issue.OnInserted.Add(f.issue), v.sm.Issue.OnClass.Add(f.look))
	return f
}

// begins records a new warp. A warp that is together needs no register.
func (f *forming) begins(cycle uint64, l *divergence.WarpStart) {
	r := &f.rows[l.Row&(sm.MaxWarps-1)]
	*r = formed{rpc: isa.NoPC, apart: !f.rejoins}
	if f.rejoins {
		cycle--
		f.pool.stats.Formed++
	} else {
		f.pool.take(cycle, update{mask: l.Mask, row: rowOf(l.Row)})
	}
	r.take(l.Mask, cycle)
}

// take records the cycle in which threads are taken.
func (r *formed) take(lanes uint64, cycle uint64) {
	for m := lanes; m != 0; m &= m - 1 {
		r.came[bits.TrailingZeros64(m)] = cycle
	}
}

// together reports whether an instruction belongs to a static warp, which stays in its slot.
func (f *forming) together(e *sm.Flight) bool {
	return !e.Mixed && !f.rows[e.Row&(sm.MaxWarps-1)].apart
}

// each calls do for the threads of an instruction, by row.
func (f *forming) each(e *sm.Flight, do func(r *formed, row int)) {
	for rows := e.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		do(&f.rows[r], r)
	}
}

// issue checks that threads are not in a slot too early. Threads that join a warp in a slot need
// two cycles, the first ones of a warp three.
func (f *forming) issue(e sm.Issued) {
	if f.found != nil {
		return
	}
	f.places.cycle(e.Cycle)
	f.pool.until(e.Cycle - 1)
	pc := f.sm.Div.Slots().At(int(e.Slot)).PC
	if r := &f.rows[e.Row&(sm.MaxWarps-1)]; f.rejoins && !e.Mixed && r.apart && r.rpc == pc &&
		e.Mask == f.places.at(int(e.Row)).alive {
		r.apart = false
		f.pool.count[e.Slot] = 0
		f.pool.stats.Formed++
	}
	if f.together(e.Flight) {
		f.pool.goes(&e, pc)
		return
	}
	f.pool.issues(&e, pc)
	first, last := ^uint64(0), uint64(0)
	moves := !f.sm.Program().Insts[pc].Control()
	f.each(e.Flight, func(r *formed, row int) {
		lanes := of(e.Flight, row, e.Mask)
		for m := lanes; m != 0; m &= m - 1 {
			c := r.came[bits.TrailingZeros64(m)]
			first, last = min(first, c), max(last, c)
		}
		r.bar &^= lanes
		if moves {
			r.take(lanes, e.Cycle)
		}
	})
	if e.Cycle < last+2 || e.Cycle < first+3 {
		f.Fail(Rule{checkTiming, "a thread in a slot too soon"}, active(&e),
			"%s: a thread was taken in cycle %d, the first of its warp in cycle %d, and they take two and three cycles to a slot", f.at(&e), last, first)
	}
	if moves {
		f.pool.take(e.Cycle, f.pool.of(e.Flight, e.Mask, pc+1))
		f.fired = [2]uint64{e.Cycle, f.fired[0]}
		f.left = append(f.left, leaving{e.Cycle, *e.Flight})
	}
}

// resolved checks that an outcome is taken when registers are free for its sides. An instruction
// that issues in the same cycle takes its register first.
func (f *forming) resolved(cycle uint64, out *divergence.Outcome) {
	if f.found != nil || len(f.pushed) == 0 || f.places.decided() == nil {
		return
	}
	front := max(f.pushed[0]+f.latency, f.taken+1)
	f.pushed, f.taken = f.pushed[1:], cycle
	d := f.places.decided()
	in := &f.sm.Program().Insts[d.PC]
	together := f.together(&d.Flight)
	taken, not := d.Mask&out.Taken, d.Mask&^out.Taken
	sides := 0
	for _, lanes := range [...]uint64{taken, not} {
		if lanes != 0 && (in.Branches() || lanes == not) {
			sides++
		}
	}
	waits := in.Op == isa.OpBar && in.Mode != isa.ModeArrive
	switch {
	case together && (!in.Branches() || sides < 2):
		sides = 0
	case in.Op == isa.OpBar && !waits:
		sides = 1
	}
	free, due := f.updates, front
	if f.fired[0] == front || f.fired[1] == front {
		free--
	}
	if sides > free {
		due++
	}
	if cycle != due {
		f.Fail(Rule{checkTiming, "an outcome taken early or late"}, f.inSlot(int(out.Slot)),
			"SM %d, cycle %d: the outcome of slot %d is taken, it came to the front in cycle %d and needs %d of %d update registers", f.index, cycle, out.Slot, front, sides, free)
	}
	stays := together && sides == 0 && (in.Branches() || waits || not != 0 || !in.Exits())
	f.each(&d.Flight, func(r *formed, row int) {
		at := cycle
		if r.take(of(&d.Flight, row, not), at); sides == 2 && in.Branches() {
			at = front
		}
		went := of(&d.Flight, row, taken)
		r.take(went, at)
		if r.last = cycle; waits {
			r.bar |= went
		}
		if together && sides == 2 {
			r.apart, r.rpc = true, in.Reconv
		}
	})
	if !together || sides == 2 && in.Branches() {
		f.goOn(out, d, in, cycle, front)
	}
	if !stays {
		f.left = append(f.left, leaving{cycle, d.Flight})
	}
}

// goOn sends the threads of an outcome to the pool.
func (f *forming) goOn(out *divergence.Outcome, d *decision, in *isa.Inst, cycle, front uint64) {
	p, taken, not := f.pool, d.Mask&out.Taken, d.Mask&^out.Taken
	sends := func(cycle uint64, lanes uint64, pc uint32) { p.take(cycle, p.of(&d.Flight, lanes, pc)) }
	switch j := out.Jump(in, 0); {
	case in.Branches():
		if not == 0 || taken == 0 {
			front = cycle
		}
		sends(front, taken, j.Target.PC)
		sends(cycle, not, j.Fall.PC)
	case in.Op == isa.OpBar && in.Mode == isa.ModeArrive:
		sends(cycle, d.Mask, d.PC+1)
	default:
		sends(cycle, not, d.PC+1)
		if u := p.of(&d.Flight, taken, d.PC+1); in.Op == isa.OpBar && taken != 0 {
			p.form(&u).atBar = true
		}
	}
	p.until(cycle)
}

// rowOf returns the rows of a static warp.
func rowOf(row uint8) (rows [isa.MaxLanes]uint8) {
	for i := range rows {
		rows[i] = row
	}
	return rows
}

// look checks the cycles since the last look: if the pool had a warp and a slot was free, a warp
// got a slot in each of them. The issue stage sleeps while no slot changes.
func (f *forming) look(e sm.Spent) {
	if f.found != nil {
		return
	}
	f.places.cycle(e.Cycle)
	slots := f.sm.Div.Slots()
	valid := uint64(0)
	for r := range f.rowsThere {
		f.rows[r].inSlot = 0
	}
	for i := range slots.Len() {
		s := slots.At(i)
		if !s.Valid {
			continue
		}
		valid |= 1 << i
		if !s.Mixed {
			f.rows[s.Row&(sm.MaxWarps-1)].inSlot |= s.Mask
			continue
		}
		homes := f.sm.Div.Homes().At(i)
		for m := s.Mask; m != 0; m &= m - 1 {
			h := homes.At(bits.TrailingZeros64(m))
			f.rows[h.Row&(sm.MaxWarps-1)].inSlot |= 1 << h.Lane
		}
	}
	if passed := e.Cycle - f.now; f.now > 0 {
		full := uint64(1)<<slots.Len() - 1
		free := f.valid != full
		if passed == 1 {
			for i := range f.left {
				free = free || f.left[i].cycle == f.now
			}
		} else {
			free = free && valid != full
			f.due = f.waits(f.now)
		}
		if placed := uint64(bits.OnesCount64(valid&^f.valid)) + f.replaced(e.Cycle, valid, passed == 1); f.due &&
			free && placed < passed {
			f.Fail(Rule{checkTiming, "a free slot not used"}, nil,
				"SM %d, cycle %d: of the warps that wait since cycle %d for one of the free slots %d have got one",
				f.index, e.Cycle, f.now, placed)
		}
	}
	f.now, f.valid, f.due = e.Cycle, valid, f.waits(e.Cycle)
}

// replaced counts the slots that a warp has left and another has taken, and forgets them. The count
// is exact for a span of one cycle; for a longer one it may be too high.
func (f *forming) replaced(now, valid uint64, exactly bool) (n uint64) {
	kept := f.left[:0]
	for i := range f.left {
		x := &f.left[i]
		switch slot := int(x.Slot); {
		case x.cycle >= now:
			kept = append(kept, *x)
		case !exactly:
			n++
		case (valid&f.valid)>>slot&1 != 0:
			n++
		}
	}
	f.left = kept
	return n
}

// waits reports whether the pool holds a warp at the beginning of a cycle that is in no slot.
func (f *forming) waits(cycle uint64) bool {
	for row := range f.rowsThere {
		r, s := &f.rows[row], f.places.at(row)
		lanes := s.alive &^ (s.deciding | r.inSlot)
		if lanes == 0 {
			continue
		}
		if f.rejoins && r.apart && r.rpc != isa.NoPC {
			if back := s.lanesAt(r.rpc); back != s.alive {
				lanes &^= back
			} else if cycle < r.last+2 {
				continue
			} else {
				for l := range r.came {
					if s.alive>>l&1 != 0 && cycle < r.came[l]+2 {
						lanes = 0
					}
				}
			}
		}
		for m := lanes; m != 0; m &= m - 1 {
			if lane := bits.TrailingZeros64(m); cycle >= r.came[lane]+2 &&
				(r.bar>>lane&1 == 0 || f.released(row, lane, cycle)) {
				return true
			}
		}
	}
	return false
}

// released reports whether the barrier at which a thread waits was open one cycle earlier.
func (f *forming) released(row, lane int, cycle uint64) bool {
	if !f.bars || f.barriers.lanesWaiting(row)>>lane&1 != 0 {
		return false
	}
	first := row - row%f.warps
	for r := first; r < min(first+f.warps, f.rowsThere); r++ {
		if f.places.at(r).deciding != 0 || cycle <= f.rows[r].last {
			return false
		}
	}
	return true
}
