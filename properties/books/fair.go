package books

import (
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
)

// fair checks the issue stage's choice of a slot: something issues if a slot is ready, and each
// slot issues in its turn. The second slot in a cycle is the one that fills the most lanes.
type fair struct {
	*View
	registers *scoreboard
	scheduler sm.Scheduler
	priority  sm.CTAPriority
	weaves    sm.Interweave
	slots     *rtl.Mem[divergence.Slot]
	coreOf    []int // by slot: its sub-core
	cores     [sm.MaxSchedulers]fairCore
}

// fairCore holds the last issues of a sub-core.
type fairCore struct {
	last   uint64 // cycle of the last issue
	first  issued // first issue in that cycle
	second issued // second issue in that cycle
}

// issued is a slot that has issued, with its threads.
type issued struct {
	slot int // -1: none
	row  uint8
	mask uint64
}

// watchFair begins to watch an SM.
func watchFair(v *View, registers *scoreboard) *fair {
	c := &v.config.SM
	t := &fair{View: v, registers: registers, scheduler: c.Scheduler, priority: c.CTAPriority, weaves: c.Interweave}
	t.slots = v.sm.Div.Slots()
	for s := range t.slots.Len() {
		t.coreOf = append(t.coreOf, v.sm.CoreOf(s))
	}
	v.Leave(v.sm.Issue.OnClass.Add(t.class), v.sm.Issue.OnIssue.Add(t.issue), v.sm.Issue.OnInserted.Add(t.issue))
	return t
}

// class runs in each cycle in which the issue stage selects an instruction. A slot that is surely
// ready must issue.
func (t *fair) class(e sm.Spent) {
	if t.found != nil {
		return
	}
	if e.Slot < 0 {
		for s, core := range t.coreOf {
			if core == e.Core && t.ready(e.Cycle, s) {
				t.Fail(Rule{checkFair, "a ready slot that does not issue"}, t.inSlot(s),
					"SM %d, cycle %d: nothing issues, slot %d is ready for %s", t.index, e.Cycle, s,
					t.inst(t.slots.At(s).PC))
				return
			}
		}
	}
	c := &t.cores[e.Core]
	if e.Slot < 0 || e.Cycle != c.last || c.last == 0 {
		return
	}
	lanes := bits.OnesCount64(c.first.mask | c.second.mask)
	if from, to := e.Class.Lanes(t.lanes); lanes < from || lanes > to {
		t.Fail(Rule{checkStatistics, "a class of other lanes"}, t.inSlot(e.Slot),
			"SM %d, cycle %d: %d lanes issue, the cycle counts as %s", t.index, e.Cycle, lanes, e.Class.Name(t.lanes))
		return
	}
	if t.sm.Issue.Beside != nil {
		t.beside(e.Cycle, e.Core)
	}
}

// beside checks the second slot: of the slots that can issue in the free lanes, it must fill the
// most. The first of equals wins (Brunie, Collange & Diamos, ISCA 2012, and package sm,
// Interweave).
func (t *fair) beside(cycle uint64, core int) {
	slots, c := t.slots, &t.cores[core]
	if slots.At(c.first.slot).Mixed {
		return
	}
	most := bits.OnesCount64(c.second.mask)
	for i := range slots.Len() {
		s := slots.At(i)
		own := s.Row == c.first.row
		way := own && t.weaves != sm.InterweaveSWI || !own && t.weaves != sm.InterweaveSBI
		if t.coreOf[i] != core || s.Mixed || s.Mask&c.first.mask != 0 || !way {
			continue
		}
		if n := bits.OnesCount64(s.Mask); (n > most || n == most && i < c.second.slot) && t.ready(cycle, i) {
			t.Fail(Rule{checkFair, "not the slot that fills most lanes"}, t.inSlot(i),
				"SM %d, cycle %d: beside slot %d issues slot %d (-1: none) of %d lanes, slot %d of %d was ready",
				t.index, cycle, c.first.slot, c.second.slot, most, i, n)
			return
		}
	}
}

// ready reports whether a slot is surely ready in a cycle. It has its instruction, and no
// instruction of its threads in flight holds it back.
func (t *fair) ready(cycle uint64, i int) bool {
	s := t.slots.At(i)
	if !s.Valid || s.Wait != divergence.Runs {
		return false
	}
	if e := t.sm.Sub[t.coreOf[i]].Fetch.IBuffer.At(i); e.N == 0 || e.PC != s.PC || t.registers.slotHeld(i, cycle) {
		return false
	}
	in := &t.sm.Program().Insts[s.PC]
	if !s.Mixed {
		return t.registers.free(cycle, int(s.Row)&(sm.MaxWarps-1), in, s.Mask)
	}
	homes := t.sm.Div.Homes().At(i)
	for m := s.Mask; m != 0; m &= m - 1 {
		if h := homes.At(bits.TrailingZeros64(m)); !t.registers.free(cycle, int(h.Row)&(sm.MaxWarps-1), in,
			1<<(h.Lane&(isa.MaxLanes-1))) {
			return false
		}
	}
	return true
}

// issue checks that it is the slot's turn.
func (t *fair) issue(e sm.Issued) {
	if t.found != nil {
		return
	}
	// Only the first instruction of a cycle shows the turn.
	core := t.sm.CoreOf(int(e.Slot))
	c := &t.cores[core]
	beside := c.last == e.Cycle && e.Cycle > 0
	now := issued{int(e.Slot), e.Row, e.Mask}
	if beside {
		c.second = now
	} else {
		c.first, c.second = now, issued{slot: -1}
	}
	if c.last = e.Cycle; beside || t.sm.Issue.Ranks != nil {
		return
	}
	own, known := t.turn(core, int(e.Slot))
	for s := range t.sm.Div.Slots().Len() {
		if t.sm.CoreOf(s) != core || s == int(e.Slot) || !known {
			continue
		}
		// Slots of groups of which one is active have no order.
		turn, _ := t.turn(core, s)
		if turn.group == own.group && slices.Compare(turn.place[:], own.place[:]) < 0 && t.ready(e.Cycle, s) {
			t.Fail(Rule{checkFair, "not the slot's turn"}, t.inSlot(s),
				"SM %d, cycle %d: slot %d issues, slot %d was ready and before it", t.index, e.Cycle, e.Slot, s)
			return
		}
	}
}

// turn is the place of a slot in the order of the scheduler: its CTA by priority, then its own place.
// The first place issues. Only slots of one group have an order.
type turn struct {
	group int
	place [4]uint64
}

// turn returns the place of a slot in this cycle, before anything issues. It reports false if the
// order is not known.
func (t *fair) turn(core, s int) (at turn, known bool) {
	q, n, slot := t.sm.Sub[core].Issue.Q(), t.sm.Div.Slots().Len(), t.sm.Div.Slots().At(s)
	cta := int(slot.CTA & (sm.MaxCTAs - 1))
	after := func(i, last, n int) uint64 { return uint64((i - last - 1 + 2*n) % n) }
	age, last := t.sm.CTA.Q().ID[cta], int(q.Last)
	if t.priority != sm.PriorityNone {
		last = int(q.LastOf[cta])
	}
	switch t.priority {
	case sm.PriorityAge:
		at.place[0] = age
	case sm.PrioritySRR:
		at.place[0] = after(cta+1, int(q.Turn), sm.MaxCTAs)
	case sm.PriorityRRB:
		enter := uint64(t.lanes / t.config.SM.SIMDWidth) // cycles of a whole warp
		at.place[0] = after(cta+1, int(t.sim.Now()/enter%uint64(t.sm.CTAs())), sm.MaxCTAs)
	}
	switch t.scheduler {
	case sm.LRR:
		at.place[1] = after(s, last, n)
	case sm.GTO, sm.Oldest:
		if t.scheduler == sm.Oldest || s != last {
			at.place[1], at.place[2], at.place[3] = 1+age, uint64(slot.Row), uint64(s)
		}
	default: // two levels: round robin among the warps of a group
		if len(t.sm.Sub) > 1 || t.priority != sm.PriorityNone {
			return at, false
		}
		at.group = int(slot.Row) / t.config.SM.FetchGroup
		at.place[1] = after(s, int(*t.sm.Sub[core].Issue.Groups.Last.At(at.group)), n)
	}
	return at, true
}
