package units

import "math/bits"

// CAPT is the compaction-adequacy prediction table (Rhu & Erez, ISCA 2012): for
// each branch that has diverged one bit of history, whether compaction was
// adequate the last time. A branch that never diverges has no line.
type CAPT struct{ PCTable[bool] }

// NewCAPT makes an empty table: see NewPCTable.
func NewCAPT(entries, ways int) CAPT { return CAPT{NewPCTable[bool](entries, ways)} }

// Predict is what the branch at pc did last; nothing is known of it on a miss.
func (t *CAPT) Predict(pc uint32) (adequate, hit bool) {
	if line := t.Find(pc); line != nil {
		return line.Data, true
	}
	return false, false
}

// Diverge gives a line to a branch that has been seen to diverge. If it had none,
// compaction is expected to be adequate.
func (t *CAPT) Diverge(pc uint32) {
	if t.Find(pc) == nil {
		line, _ := t.Claim(pc)
		line.Data = true
	}
}

// Update records what a branch did, if it has a line.
func (t *CAPT) Update(pc uint32, adequate bool) {
	if line := t.Find(pc); line != nil {
		line.Data = adequate
	}
}

// Tally counts the threads of a CTA on one way of a branch while its warps
// come there, in a counter for each lane.
type Tally struct {
	Warps uint8            // that have a thread on it
	Lanes [PoolLanes]uint8 `len:"lanes"`
}

// Add counts a warp.
func (c *Tally) Add(lanes uint32) {
	if lanes != 0 {
		c.Warps++
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		c.Lanes[bits.TrailingZeros32(lanes)&(PoolLanes-1)]++
	}
}

// Adequate reports whether compaction would leave fewer warps, as many as the
// fullest lane has threads.
func (c *Tally) Adequate() bool {
	var compacted uint8
	for _, n := range c.Lanes {
		compacted = max(compacted, n)
	}
	return compacted < c.Warps
}
