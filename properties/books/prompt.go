package books

import (
	"cmp"
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
)

// prompt checks that a mechanism takes an outcome as soon as it arrives. It also checks that a path
// of the warp then issues within the mechanism's bound (Promises.Prompt).
type prompt struct {
	*View
	transfers interface{ waits(row int) bool }
	barriers  interface{ waits(row int) bool }
	prompt    uint64
	perPop    uint64   // extra cycles of the bound for each entry popped meanwhile
	latency   uint64   // of outcomes, in cycles
	pushed    []uint64 // cycles at which outcomes not yet taken were sent
	resolved  [sm.MaxWarps]uint64
	pops      [sm.MaxWarps]uint64 // count of pops at that time
	branched  uint64              // rows with a resolved branch, and no slot that has run since
	unwinds   bool                // token: rows run behind a sync and an exit too, when their tokens have been popped
	pop       uint64              // cycles from the issue of a sync to the end of its wait
	popped    [sm.MaxWarps]uint64 // end of the wait
	// decides counts the control instructions of each slot in flight. It may be one too high for a
	// path that another covers by then.
	decides [divergence.MaxSlots]uint8
}

// watchPrompt begins to watch an SM.
func watchPrompt(v *View, moves, bars interface{ waits(row int) bool }) *prompt {
	t := &prompt{
		View: v, transfers: moves, barriers: bars, prompt: uint64(v.mechanism.Prompt),
		latency: outcomeLatency(v),
	}
	v.Leave(
		v.sm.Issue.OnClass.Add(t.class),
	)
	v.eachExecuted(t.comes)
	v.eachTaken(t.taken)
	v.each(t.issue)
	return t
}

// outcomeLatency returns the cycles between an outcome's execution and its arrival.
func outcomeLatency(v *View) uint64 {
	return uint64(cmp.Or(v.config.SM.OutcomeLat, v.config.SM.ALULatency))
}

// issue records that the rows run.
func (t *prompt) issue(e sm.Issued, in *isa.Inst) {
	if t.branched &^= e.Rows; in.Control() {
		t.decides[e.Slot]++
	}
	if in.Op == isa.OpSync {
		t.popped[e.Row&(sm.MaxWarps-1)] = e.Cycle + t.pop
	}
}

func (t *prompt) comes(cycle uint64, _ *divergence.Outcome) { t.pushed = append(t.pushed, cycle) }

// taken checks that the mechanism takes an outcome without delay.
func (t *prompt) taken(cycle uint64, out *divergence.Outcome) {
	if len(t.pushed) == 0 {
		return
	}
	if since := cycle - t.pushed[0]; since > t.latency && t.left() {
		t.Fail(Rule{checkTiming, "an outcome taken late"}, t.inSlot(int(out.Slot)),
			"SM %d, cycle %d: the outcome of slot %d is taken after %d cycles, it came after %d", t.index, cycle,
			out.Slot, since, t.latency)
	}
	t.pushed = t.pushed[1:]
	in := &t.sm.Program().Insts[out.PC]
	if n := &t.decides[out.Slot]; *n > 0 {
		*n--
	}
	s := t.sm.Div.Slots().At(int(out.Slot))
	if pops := t.unwinds && (in.Op == isa.OpSync || in.Exits()); pops || in.Branches() {
		t.branched |= 1 << (s.Row & 63)
		t.resolved[s.Row&(sm.MaxWarps-1)] = cycle
		if pops {
			t.resolved[s.Row&(sm.MaxWarps-1)] = max(cycle, t.popped[s.Row&(sm.MaxWarps-1)])
		}
		if t.perPop > 0 {
			t.pops[s.Row&(sm.MaxWarps-1)] = t.sm.Div.Stats().Pops
		}
	}
}

// left reports whether nothing delays outcomes: a full queue of ended warps does.
func (t *prompt) left() bool { return t.sm.Div.Connections().Retire.Ready() }

// class runs in each cycle in which the issue stage selects an instruction. It checks that a row
// with a resolved branch runs.
func (t *prompt) class(e sm.Spent) {
	if t.found != nil {
		return
	}
	for m := t.branched; m != 0; m &= m - 1 {
		r := bits.TrailingZeros64(m)
		if t.transfers.waits(r) {
			continue
		}
		due := t.resolved[r] + t.prompt
		if t.perPop > 0 {
			due += t.perPop * (t.sm.Div.Stats().Pops - t.pops[r])
		}
		if e.Cycle < due {
			continue
		}
		t.branched &^= 1 << r
		if !t.runs(r) && e.Cycle < due+2 && !t.barriers.waits(r) && t.rows[r].live != 0 {
			t.Fail(Rule{checkTiming, "a row runs late"}, InRow(r, t.rows[r].live),
				"SM %d, cycle %d: no path of row %d runs, which could from cycle %d on", t.index, e.Cycle,
				r, t.resolved[r])
		}
	}
}

// runs reports whether a slot of a row can run, or waits for an outcome that has not arrived.
func (t *prompt) runs(r int) bool {
	slots := t.sm.Div.Slots()
	for i := range slots.Len() {
		if s := slots.At(i); s.Valid && int(s.Row) == r && (s.Wait == divergence.Runs || t.decides[i] > 0) {
			return true
		}
	}
	return false
}
