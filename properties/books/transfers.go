package books

import (
	"math/bits"

	"divergo/sm"
	"divergo/sm/divergence"
)

// transfers models the words that a mechanism moves between its stack and the memory of a row.
type transfers struct {
	*View
	moving   uint64                // rows with words in transit
	words    [sm.MaxWarps][]uint64 // by row: the contents of its memory
	inMemory [sm.MaxWarps]int      // those not yet read back
	came     [sm.MaxWarps]uint64   // cycle in which some came back
	asked    [sm.MaxWarps]divergence.Transfer
	until    [sm.MaxWarps]uint64
	mover    [sm.MaxWarps]uint64 // linear number of the CTA whose warp moves words
	// minimum cycles that a row waits for words that come back, and for words that it stores
	costs [2]uint64
	ends  func(row int, cycle uint64) // called when a row issues again
}

// watchTransfers begins to watch an SM.
func watchTransfers(v *View) *transfers {
	t := &transfers{View: v}
	ports := v.sm.Div.Connections()
	v.Leave(ports.Memory.Tap(t.moves), ports.Answer.Tap(t.moved), v.sm.Issue.OnIssue.Add(t.issue),
		v.sm.Issue.OnInserted.Add(t.issue))
	return t
}

// issue checks that a transfer takes at least its cost in cycles.
func (t *transfers) issue(e sm.Issued) {
	if t.found != nil {
		return
	}
	for rows := e.Rows & t.moving; rows != 0; rows &= rows - 1 {
		if r := bits.TrailingZeros64(rows); e.Cycle < t.until[r] && t.resident(r) == t.mover[r] {
			t.Fail(Rule{checkTiming, "tokens that move too fast"}, active(&e),
				"SM %d, cycle %d: row %d issues, whose tokens are on their way until cycle %d", t.index, e.Cycle, r,
				t.until[r])
		} else {
			t.moving &^= 1 << r
			t.ends(r, e.Cycle)
		}
	}
}

// waits reports whether words of a row are in transit.
func (t *transfers) waits(r int) bool { return t.moving>>r&1 != 0 }

// moves records a transfer between a mechanism and the memory of a row.
func (t *transfers) moves(cycle uint64, v *divergence.Transfer) {
	r := int(v.Row) & (sm.MaxWarps - 1)
	if t.words[r] == nil {
		t.words[r] = make([]uint64, divergence.RecursiveWords+divergence.TransferWords)
	}
	cost := t.costs[0]
	if v.Store {
		cost = t.costs[1]
		copy(t.words[r][v.At:], v.Data[:v.Words])
		t.inMemory[r] = int(v.At + v.Words)
	}
	t.moving |= 1 << r
	t.until[r], t.asked[r], t.mover[r] = cycle+cost, *v, t.resident(r)
}

// resident returns the CTA of a row. The row can pass to another CTA during a transfer: a warp ends
// when its tokens arrive and all their threads have exited.
func (t *transfers) resident(r int) uint64 {
	return t.sm.CTA.Q().ID[t.sm.Resident(r)&(sm.MaxCTAs-1)]
}

// stored reports whether a row has words in memory, or had at the beginning of the cycle.
func (t *transfers) stored(r int, cycle uint64) bool {
	return t.inMemory[r] > 0 || t.came[r] == cycle && cycle > 0
}

// moved checks that the words that come back are those stored last.
func (t *transfers) moved(cycle uint64, v *divergence.Transferred) {
	r := int(v.Row) & (sm.MaxWarps - 1)
	asked := &t.asked[r]
	if !asked.Store {
		t.inMemory[r], t.came[r] = int(asked.At), cycle
	}
	for i := range asked.Words {
		if want := t.words[r][asked.At+i]; !asked.Store && v.Data[i] != want {
			t.Fail(Rule{checkSpill, "another word than was stored"}, InRow(r, t.rows[r].live),
				"SM %d, cycle %d: word %d of row %d comes back as %#x, it was stored as %#x", t.index, cycle, asked.At+
					i, r, v.Data[i], want)
			return
		}
	}
}
