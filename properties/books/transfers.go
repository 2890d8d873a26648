package books

import (
	"math/bits"

	"divergo/sm"
	"divergo/sm/divergence"
)

// transfers follows the words that a mechanism moves between its stack and the memory of a row,
// and knows what is there.
type transfers struct {
	*View
	moving   uint64                // rows of which words are on their way
	words    [sm.MaxWarps][]uint64 // by row: what is in its memory
	inMemory [sm.MaxWarps]int      // of these how many the mechanism has not got back
	came     [sm.MaxWarps]uint64   // cycle in which some did
	asked    [sm.MaxWarps]divergence.Transfer
	until    [sm.MaxWarps]uint64
	mover    [sm.MaxWarps]uint64         // for the warp of which CTA
	costs    [2]uint64                   // cycles that a row waits at least for words that come back, and for those that it stores
	ends     func(row int, cycle uint64) // told of a row that issues again
}

// watchTransfers begins to watch an SM.
func watchTransfers(v *View) *transfers {
	t := &transfers{View: v}
	ports := v.sm.Div.Connections()
	v.Leave(ports.Memory.Tap(t.moves), ports.Answer.Tap(t.moved), v.sm.Issue.OnIssue.Add(t.issue), v.sm.Issue.OnInserted.Add(t.issue))
	return t
}

// issue looks whether words have taken their time.
func (t *transfers) issue(e sm.Issued) {
	if t.found != nil {
		return
	}
	for rows := e.Rows & t.moving; rows != 0; rows &= rows - 1 {
		if r := bits.TrailingZeros64(rows); e.Cycle < t.until[r] && t.resident(r) == t.mover[r] {
			t.Fail(Rule{checkTiming, "tokens that move too fast"}, active(&e), "SM %d, cycle %d: row %d issues, whose tokens are on their way until cycle %d", t.index, e.Cycle, r, t.until[r])
		} else {
			t.moving &^= 1 << r
			t.ends(r, e.Cycle)
		}
	}
}

// waits reports whether words of a row are on their way.
func (t *transfers) waits(r int) bool { return t.moving>>r&1 != 0 }

// moves enters a transfer between a mechanism and the memory of a row.
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

// resident is the CTA that a row belongs to. A warp that ends, as its tokens have come and none of their threads
// lives, makes room for that of another.
func (t *transfers) resident(r int) uint64 {
	return t.sm.CTA.Q().ID[t.sm.Resident(r)&(sm.MaxCTAs-1)]
}

// stored reports whether a row has words in memory, or had at the beginning of the cycle.
func (t *transfers) stored(r int, cycle uint64) bool {
	return t.inMemory[r] > 0 || t.came[r] == cycle && cycle > 0
}

// moved looks whether words that come back are those that were stored last.
func (t *transfers) moved(cycle uint64, v *divergence.Transferred) {
	r := int(v.Row) & (sm.MaxWarps - 1)
	asked := &t.asked[r]
	if !asked.Store {
		t.inMemory[r], t.came[r] = int(asked.At), cycle
	}
	for i := range asked.Words {
		if want := t.words[r][asked.At+i]; !asked.Store && v.Data[i] != want {
			t.Fail(Rule{checkSpill, "another word than was stored"}, InRow(r, t.rows[r].live), "SM %d, cycle %d: word %d of row %d comes back as %#x, it was stored as %#x", t.index, cycle, asked.At+i, r, v.Data[i], want)
			return
		}
	}
}
