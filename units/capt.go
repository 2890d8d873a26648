package units

// CAPT is the compaction-adequacy prediction table (Rhu & Erez, ISCA 2012). For each branch that
// has diverged, it records whether compaction was adequate the last time. A branch that never
// diverges has no line.
type CAPT struct{ PCTable[Adequacy] }

// Adequacy is the history of a branch.
type Adequacy struct {
	Here  bool   // compaction was adequate
	Block bool   // here or at a nested branch, since the warps last bypassed this one as a block
	Meet  uint32 // reconvergence point of the branch
}

// NewCAPT makes an empty table: see NewPCTable.
func NewCAPT(entries, ways int) CAPT { return CAPT{NewPCTable[Adequacy](entries, ways)} }

// Predict returns the history of the branch at pc. On a miss hit is false and the history is empty.
func (t *CAPT) Predict(pc uint32) (last Adequacy, hit bool) {
	if line := t.Find(pc); line != nil {
		return line.Data, true
	}
	return Adequacy{}, false
}

// Diverge gives a line to a branch that has diverged and whose paths reconverge at meet, another
// PC. In a new line compaction is expected to be adequate.
func (t *CAPT) Diverge(pc, meet uint32) {
	if t.Find(pc) == nil {
		line, _ := t.Claim(pc)
		line.Data = Adequacy{Here: true, Block: true, Meet: meet}
	}
}

// Update records whether compaction was adequate at a branch, if it has a line. It reports whether
// compaction was adequate there or at a nested branch: see Adequacy.Block.
func (t *CAPT) Update(pc uint32, adequate bool) bool {
	line := t.Find(pc)
	if line == nil {
		return adequate
	}
	line.Data.Here = adequate
	line.Data.Block = line.Data.Block || adequate
	return line.Data.Block
}

// Inside records that compaction was adequate at a branch nested in those that reconverge at a PC.
func (t *CAPT) Inside(meet uint32) {
	for i := range t.Lines.Len() {
		if e := t.Lines.Next(i); e.Valid && e.Data.Meet == meet && !e.Data.Block {
			t.Lines.Edit(i).Data.Block = true
		}
	}
}

// Bypass records that the warps bypass a branch as a block, if it has a line.
func (t *CAPT) Bypass(pc uint32) {
	if line := t.Find(pc); line != nil {
		line.Data.Block = false
	}
}
