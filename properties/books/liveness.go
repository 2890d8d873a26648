package books

import (
	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence/tokens"
)

// liveness looks whether threads that wait for nothing get on within a bound. What they may wait for
// is named: an instruction of their warp in flight, an outcome, words on their way to memory, a barrier
// at which others are missing, and others that they vote with. Where warps wait for each other at branches
// (Blocks) any of their CTA may do so, where threads of several CTAs are brought together (Across) any of the SM. While
// something issues, or the pipes are full, it may be the turn of others.
type liveness struct {
	*View
	places interface {
		cycle(now uint64)
		at(row int) *spots
	}
	transfers interface{ waits(row int) bool }
	barriers  interface{ waits(row int) bool }
	bound     uint64
	turn      uint64              // the last cycle in which something issued, or could have but for the pipes
	busy      [sm.MaxWarps]uint64 // the last cycle in which a row was seen to wait for something
	groups    int                 // rows of which one may wait for another
	stalled   bool                // the pipes have been full since the cycle that class was last told of
	votes     bool                // there are instructions that bring threads together
}

// watchLiveness begins to watch an SM. The bound is twice the cycles in which each slot can be fetched for, and
// the mechanism can pop the deepest of stacks, move a token, and form all of the warps.
func watchLiveness(v *View, where *places, moves *transfers, bars interface{ waits(row int) bool }) *liveness {
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
	v.Leave(v.sm.Issue.OnClass.Add(l.class))
	return l
}

// class is called in each cycle in which the issue stage looks for an instruction.
func (l *liveness) class(e sm.Spent) {
	if l.found != nil {
		return
	}
	l.places.cycle(e.Cycle)
	if l.stalled {
		l.turn = e.Cycle
	}
	l.stalled = e.Class == sm.ClassStall
	if e.Cycle > l.turn+l.bound {
		for r := 0; r < l.rowsThere; r += l.groups {
			l.look(e.Cycle, r, min(r+l.groups, l.rowsThere))
		}
	}
	if e.Slot >= 0 {
		l.turn = e.Cycle
		return
	}
	for r := range l.rowsThere {
		if l.waits(r) {
			l.busy[r] = e.Cycle
		}
	}
}

// look looks at rows of which one may wait for another.
func (l *liveness) look(now uint64, from, to int) {
	alive, last := -1, l.turn
	for r := from; r < to; r++ {
		if s := l.places.at(r); s.alive != 0 {
			alive, last = r, max(last, l.busy[r], s.began)
		}
		if l.waits(r) {
			return
		}
	}
	if alive >= 0 && now > last+l.bound {
		l.Fail(Rule{checkLiveness, "threads that wait for nothing"}, InRow(alive, l.places.at(alive).alive), "SM %d, cycle %d: nothing issues from row %d, whose threads have waited for nothing since cycle %d", l.index, now, alive, last)
	}
}

// waits reports whether a row waits for something that has a name.
func (l *liveness) waits(r int) bool {
	s := l.places.at(r)
	if s.alive == 0 {
		return false
	}
	q := l.sm.Issue.Q()
	if q.InRow[r] != 0 || s.deciding != 0 || l.transfers.waits(r) || l.barriers.waits(r) {
		return true
	}
	first := r - r%l.warps
	for i := first; i < min(first+l.warps, l.rowsThere); i++ { // an outcome that opens a barrier
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
