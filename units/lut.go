package units

import "divergo/rtl"

// LUT is the PC-warp table of dynamic warp formation: for a PC that warps
// wait at, the one of them that lanes can still join (Fung et al., MICRO 2007,
// section 4.2). It is set-associative, indexed by the low bits of the PC, with
// least-recently-used replacement. A PC that has been replaced, or whose warp
// has been issued since, begins a new warp.
//
// The tag holds a group besides the PC: lanes of different groups are never put
// together.
//
// Find and Claim see what was done before in the same cycle, as if ports that
// write forwarded to those behind them.
type LUT struct {
	Lines *rtl.Mem[Line] // by set, then way
	sets  int
	ways  int
}

// Line is an entry of the table.
type Line struct {
	Valid bool
	Group uint8
	Age   uint8 // number of valid lines of the set that were used since
	Index uint16
	PC    uint32
	Occ   uint32 // lanes of that warp that are taken
}

// NewLUT makes an empty table. Entries and ways are powers of two, and there
// are at most 128 ways.
func NewLUT(entries, ways int) LUT {
	return LUT{rtl.NewMem[Line](entries), entries / ways, ways}
}

// set is the first line of the set of pc.
func (t *LUT) set(pc uint32) int { return int(pc) & (t.sets - 1) * t.ways }

// Find is the line of a PC, or nil.
func (t *LUT) Find(pc uint32, group uint8) *Line {
	first := t.set(pc)
	for i := first; i < first+t.ways; i++ {
		if e := t.Lines.Edit(i); e.Valid && e.PC == pc && e.Group == group {
			t.use(first, e)
			return e
		}
	}
	return nil
}

// Claim makes a line for a PC that has none. It returns the one that had to
// go, which is not valid if none had to.
func (t *LUT) Claim(pc uint32, group uint8) (line *Line, evicted Line) {
	first := t.set(pc)
	line = t.Lines.Edit(first)
	for i := first; i < first+t.ways; i++ {
		e := t.Lines.Edit(i)
		if !e.Valid {
			line = e
			break
		}
		if e.Age > line.Age {
			line = e
		}
	}
	evicted = *line
	*line = Line{Valid: true, Group: group, PC: pc, Age: uint8(t.ways)}
	t.use(first, line)
	return line, evicted
}

// use makes e the youngest of the set that begins at line first.
func (t *LUT) use(first int, e *Line) {
	for i := first; i < first+t.ways; i++ {
		if x := t.Lines.Edit(i); x.Valid && x.Age < e.Age {
			x.Age++
		}
	}
	e.Age = 0
}
