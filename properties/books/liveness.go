package books

import (
	"divergo/isa"
	"divergo/memsys"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/tokens"
)

// liveness checks that threads which wait for nothing issue within a bound. The valid reasons to
// wait are
//
//   - an instruction of the warp in flight,
//   - an outcome in flight,
//   - words in transit to or from memory, or instructions on their way to the SM,
//   - a barrier with missing threads,
//   - a vote with other threads.
//
// If warps wait for each other at branches (Blocks), any warp of the CTA may have the reason. If a
// mechanism combines threads of several CTAs (Across), any warp of the SM may have it. Threads also
// wait their turn while something issues in their sub-core, or its pipes are full.
type liveness struct {
	*View
	places    *places
	transfers *transfers
	barriers  *barriers
	bound     uint64
	// turn is the last cycle in which something issued in each sub-core, or only its pipes prevented it.
	turn    [sm.MaxSchedulers]uint64
	busy    [sm.MaxWarps]uint64    // the last cycle in which a row waited for something
	groups  int                    // number of rows that may wait for each other
	stalled [sm.MaxSchedulers]bool // its pipes have been full since the last call of class
	votes   bool                   // the program has instructions that bring threads together
}

// watchLiveness begins to watch an SM. The bound is twice the cycles for a fetch to each slot, the
// pops of the deepest stack and the formation of all warps. The time to move a token is added.
func watchLiveness(v *View, where *places, moves *transfers, bars *barriers) *liveness {
	l := &liveness{View: v, places: where, transfers: moves, barriers: bars, groups: 1}
	switch {
	case v.mechanism.Across:
		l.groups = sm.MaxWarps
	case v.mechanism.Blocks:
		l.groups = v.warps
	}
	l.bound = uint64(2*(v.sm.Div.Slots().Len()+v.lanes+sm.MaxWarps) + tokens.Keys.Of(v.config.Divergence).Pop)
	for i := range v.sm.Program().Insts {
		l.votes = l.votes || v.sm.Program().Insts[i].Op == isa.OpWarpSync
	}
	moves.ends = func(r int, cycle uint64) { l.busy[r] = cycle }
	v.eachTaken(l.decided)
	v.Leave(v.sm.Issue.OnClass.Add(l.class))
	for core, c := range v.sm.Sub {
		if c.Fetch.Cache != nil { // the last cycle in which threads waited for instructions
			arrives := func(cycle uint64, _ *memsys.ReadResponse) { l.turn[core] = cycle }
			v.Leave(c.Fetch.Arrived.Tap(arrives))
			if port := v.sm.FetchPort; port != nil { // what it takes is visible behind it a cycle later
				v.Leave(port.Rsp.Tap(arrives))
			}
		}
	}
	return l
}

// decided notes when an outcome has ended a wait: the issue stage may have slept until then. One of the
// outcomes of a CTA may open a barrier for its other warps.
func (l *liveness) decided(cycle uint64, o *divergence.Outcome) {
	first, n := 0, l.rowsThere
	if !l.mechanism.Across {
		row := int(l.sm.Div.Slots().At(int(o.Slot)).Row)
		first, n = row-row%l.warps, l.warps
	}
	for r := first; r < min(first+n, l.rowsThere); r++ {
		l.busy[r] = cycle
	}
}

// class runs in each cycle in which the issue stage selects an instruction.
func (l *liveness) class(e sm.Spent) {
	if l.found != nil {
		return
	}
	l.places.cycle(e.Cycle)
	turn := &l.turn[e.Core]
	if l.stalled[e.Core] {
		*turn = e.Cycle
	}
	l.stalled[e.Core] = e.Class == sm.ClassStall
	if e.Cycle > *turn+l.bound {
		for r := 0; r < l.rowsThere; r += l.groups {
			if l.sm.Core(r) == e.Core {
				l.look(e.Cycle, r, min(r+l.groups, l.rowsThere))
			}
		}
	}
	if e.Slot >= 0 {
		*turn = e.Cycle
		if len(l.sm.Sub) == 1 {
			return
		}
	}
	for r := range l.rowsThere {
		if l.waits(r) {
			l.busy[r] = e.Cycle
		}
	}
}

// look checks rows that may wait for each other.
func (l *liveness) look(now uint64, from, to int) {
	alive, last := -1, l.turn[l.sm.Core(from)]
	for r := from; r < to; r++ {
		if s := l.places.at(r); s.alive != 0 {
			alive, last = r, max(last, l.busy[r], s.began)
		}
		if l.waits(r) {
			return
		}
	}
	if alive >= 0 && now > last+l.bound {
		l.Fail(Rule{checkLiveness, "threads that wait for nothing"}, InRow(alive, l.places.at(alive).alive),
			"SM %d, cycle %d: nothing issues from row %d, whose threads have waited for nothing since cycle %d",
			l.index, now, alive, last)
	}
}

// waits reports whether a row has a valid reason to wait.
func (l *liveness) waits(r int) bool {
	s := l.places.at(r)
	if s.alive == 0 {
		return false
	}
	core, port := l.sm.Sub[l.sm.Core(r)], l.sm.FetchPort
	if s.deciding != 0 || core.Issue.Q().InRow[r] != 0 || l.transfers.waits(r) || l.barriers.waits(r) {
		return true
	}
	if f := core.Fetch; f.Cache != nil && (!f.Cache.Idle() || f.Arrived.Valid() || port != nil && !port.Idle()) {
		return true
	}
	first := r - r%l.warps
	for i := first; i < min(first+l.warps, l.rowsThere); i++ { // one of their outcomes may open a barrier
		if l.places.at(i).deciding != 0 {
			return true
		}
	}
	if l.votes {
		for _, x := range s.at {
			if x.back != isa.NoPC && l.sm.Program().Insts[x.back].Op == isa.OpWarpSync {
				return true
			}
		}
	}
	return false
}
