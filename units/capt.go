package units

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
