package books

import (
	"math/bits"

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
	if e.Slot >= 0 && e.Cycle == c.last && c.last > 0 && t.sm.Issue.Beside != nil {
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
	if c.last = e.Cycle; beside || t.scheduler != sm.LRR || t.priority != sm.PriorityNone || t.sm.Issue.Ranks != nil {
		return
	}
	n := t.sm.Div.Slots().Len()
	for s := (int(t.sm.Sub[core].Issue.Q().Last) + 1) % n; s != int(e.Slot); s = (s + 1) % n {
		if t.sm.CoreOf(s) == core && t.ready(e.Cycle, s) {
			t.Fail(Rule{checkFair, "not the slot's turn"}, t.inSlot(s),
				"SM %d, cycle %d: slot %d issues, slot %d was ready and before it", t.index, e.Cycle, e.Slot, s)
			return
		}
	}
}
