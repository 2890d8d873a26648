package books

import (
	"math/bits"

	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
)

// fetching checks the fetches of a sub-core: the slots take turns, also behind one that misses, and each
// fetch reads as many instructions as it can. It models the I-buffers from fetches and issues.
type fetching struct {
	*View
	own     []int  // slots of the sub-core
	place   []int  // by slot: its index in own
	whole   []int  // by PC: instructions through the next control instruction
	line    uint64 // bytes; 0: no instruction cache
	known   bool
	last    int         // slot fetched last
	coming  *sm.Fetched // not in its I-buffer yet
	decoded sm.Fetched
	buffer  []sm.Buffered
	waits   []uint64    // by slot: address of the line that it waits for
	fired   []uint64    // by slot: cycle of the last issue
	moved   []uint64    // by slot: cycle in which it was seen to have changed
	worked  uint64      // cycle of the last fetch
	due     *sm.Fetched // from a line that has arrived
}

// watchFetches begins to watch a sub-core.
func watchFetches(v *View, core int) {
	slots, front := v.sm.Div.Slots(), v.sm.Sub[core].Fetch
	n := slots.Len()
	f := &fetching{
		View: v, buffer: make([]sm.Buffered, n), waits: make([]uint64, n), fired: make([]uint64, n),
		moved: make([]uint64, n), place: make([]int, n),
	}
	for s := range n {
		if v.sm.CoreOf(s) == core {
			f.place[s] = len(f.own)
			f.own = append(f.own, s)
		}
		f.buffer[s] = *front.IBuffer.At(s)
	}
	insts := v.sm.Program().Insts
	f.whole = make([]int, len(insts))
	for pc := len(insts) - 1; pc >= 0; pc-- {
		if f.whole[pc] = 1; pc+1 < len(insts) && !insts[pc].Control() {
			f.whole[pc] += f.whole[pc+1]
		}
	}
	issue := func(e sm.Issued) {
		if s := int(e.Slot); v.sm.CoreOf(s) == core {
			f.buffer[s].PC++
			f.buffer[s].N--
			f.fired[s] = e.Cycle
			f.decode(e.Cycle)
		}
	}
	v.Leave(
		v.sm.Issue.OnIssue.Add(issue), v.sm.Issue.OnInserted.Add(issue), front.OnFetch.Add(f.fetch),
		v.sm.Issue.OnClass.Add(func(e sm.Spent) {
			if e.Core == core {
				f.decode(e.Cycle)
			}
		}),
		v.sm.Issue.OnChanged.Add(func(e sm.Changed) {
			if e.Core == core {
				f.changed(&e)
			}
		}))
	if front.Cache != nil {
		f.line = uint64(v.config.ICache.Line)
		v.Leave(front.Arrived.Tap(func(cycle uint64, r *memsys.ReadResponse) { f.arrives(cycle, r.Line) }))
	}
}

// decode puts the instructions of the last cycle's fetch into the I-buffer.
func (f *fetching) decode(now uint64) {
	if f.coming == nil || f.coming.Cycle+1 > now {
		return
	}
	e, b := f.coming, &f.buffer[f.coming.Slot]
	pc := f.sm.Div.Slots().At(e.Slot).PC
	if f.fired[e.Slot] == now {
		pc++
	}
	if b.N == 0 || b.PC != pc {
		*b = sm.Buffered{PC: pc}
	}
	if b.PC+uint32(b.N) == e.PC {
		b.N += uint8(e.N)
	}
	f.decoded, f.coming = *e, nil
}

// changed notes the slots that have changed, and compares the I-buffer of the last fetch.
func (f *fetching) changed(e *sm.Changed) {
	for w, set := range e.Slots {
		for ; set != 0; set &= set - 1 {
			f.moved[w<<6|bits.TrailingZeros64(set)] = e.Cycle
		}
	}
	last := &f.decoded
	if f.coming != nil && f.coming.Cycle+2 == e.Cycle { // the PC of the cycle before is not known
		last, f.coming = f.coming, nil
		f.buffer[last.Slot] = *f.sm.Sub[e.Core].Fetch.IBuffer.At(last.Slot)
	}
	if last.Cycle+2 != e.Cycle {
		return
	}
	b, is := f.buffer[last.Slot], f.sm.Sub[e.Core].Fetch.IBuffer.At(last.Slot)
	if b.N != is.N || b.N > 0 && b.PC != is.PC {
		f.Fail(Rule{checkFetch, "other instructions in the I-buffer"}, f.inSlot(last.Slot),
			"SM %d, cycle %d: the I-buffer of slot %d has %d instructions from PC %d, expected %d from PC %d", f.index,
			e.Cycle, last.Slot, is.N, is.PC, b.N, b.PC)
	}
}

// want returns the instructions that a slot would fetch in this cycle.
func (f *fetching) want(now uint64, i int) (pc uint32, n int) {
	s, b, c := f.sm.Div.Slots().At(i), &f.buffer[i], &f.config.SM
	insts := f.sm.Program().Insts
	if !s.Valid || s.Wait == divergence.WaitsControl || s.Wait == divergence.WaitsJoin {
		return 0, 0
	}
	pc = s.PC
	if f.fired[i] == now && now > 0 {
		if insts[pc].Control() {
			return 0, 0
		}
		pc++
	}
	room := c.IBuffer
	if b.N > 0 && b.PC == pc {
		pc += uint32(b.N)
		room -= int(b.N)
		if insts[pc-1].Control() {
			return 0, 0
		}
	}
	if int(pc) >= len(insts) {
		return 0, 0
	}
	n = min(c.FetchWidth, room, f.whole[pc])
	if f.line > 0 {
		at := f.sm.Code().Start + 8*uint64(pc)
		n = min(n, int((f.line-at%f.line)/8))
	}
	return pc, n
}

// lineOf returns the address of the line of an instruction.
func (f *fetching) lineOf(pc uint32) uint64 {
	at := f.sm.Code().Start + 8*uint64(pc)
	return at - at%f.line
}

// after calls do for each slot of the sub-core, in turn, until it returns false.
func (f *fetching) after(do func(s int) bool) {
	first := f.place[f.last] + 1
	for k := range f.own {
		if k += first; k >= len(f.own) {
			k -= len(f.own)
		}
		if !do(f.own[k]) {
			return
		}
	}
}

// arrives takes a line. The first slot in turn that waits for it, and still wants it, fetches.
func (f *fetching) arrives(now, line uint64) {
	if f.missed(now); f.found != nil {
		return
	}
	f.decode(now)
	f.after(func(s int) bool {
		if f.waits[s] != line {
			return true
		}
		f.waits[s] = 0
		if pc, n := f.want(now, s); n > 0 && f.due == nil && f.lineOf(pc) == line {
			f.due = &sm.Fetched{Cycle: now, Slot: s, PC: pc, N: n}
		}
		return true
	})
}

// missed checks that a slot has fetched from the line that arrived in an earlier cycle.
func (f *fetching) missed(now uint64) {
	if d := f.due; d != nil && d.Cycle < now {
		f.due = nil
		if f.known {
			f.Fail(Rule{checkFetch, "no fetch from a line that arrives"}, f.inSlot(d.Slot),
				"SM %d, cycle %d: slot %d does not fetch from the line that it has waited for", f.index, d.Cycle, d.Slot)
		}
	}
}

// fetch checks a fetch.
func (f *fetching) fetch(e sm.Fetched) {
	if f.missed(e.Cycle); f.found != nil {
		return
	}
	f.decode(e.Cycle)
	pc, n := f.want(e.Cycle, e.Slot)
	switch {
	case n == 0 || pc != e.PC || n != e.N || f.worked == e.Cycle && e.Cycle > 0:
		f.Fail(Rule{checkFetch, "other instructions fetched"}, f.inSlot(e.Slot),
			"SM %d, cycle %d: slot %d fetches %d instructions from PC %d, expected %d from PC %d", f.index, e.Cycle, e.Slot,
			e.N, e.PC, n, pc)
	case f.due != nil:
		if want := *f.due; want != e && f.known {
			f.Fail(Rule{checkFetch, "another slot takes the line"}, f.inSlot(e.Slot),
				"SM %d, cycle %d: slot %d fetches from the line that has arrived, slot %d was first", f.index, e.Cycle,
				e.Slot, want.Slot)
		}
		f.due = nil
	case f.known:
		f.turn(&e)
	}
	if f.line == 0 && f.known && f.worked+1 < e.Cycle && f.fired[e.Slot] != e.Cycle && f.moved[e.Slot] != e.Cycle {
		f.Fail(Rule{checkFetch, "a late fetch"}, f.inSlot(e.Slot),
			"SM %d, cycle %d: slot %d fetches, it has not changed since the cycle before, in which none fetched", f.index,
			e.Cycle, e.Slot)
	}
	f.known, f.last, f.worked = true, e.Slot, e.Cycle
	if e.Missing {
		f.waits[e.Slot] = f.lineOf(pc)
		return
	}
	f.coming = &e
}

// turn checks that no slot before the one that fetches wants instructions.
func (f *fetching) turn(e *sm.Fetched) {
	f.after(func(s int) bool {
		if s == e.Slot {
			return false
		}
		pc, n := f.want(e.Cycle, s)
		if n == 0 || f.line > 0 && f.waits[s] == f.lineOf(pc) {
			return true
		}
		f.Fail(Rule{checkFetch, "not the slot's turn to fetch"}, f.inSlot(s),
			"SM %d, cycle %d: slot %d fetches, slot %d is before it", f.index, e.Cycle, e.Slot, s)
		return false
	})
}
