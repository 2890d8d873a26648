package units

import "divergo/rtl"

// PCTable is a table looked up by PC. It is set-associative, indexed by the low bits of the PC,
// with least-recently-used replacement.
//
// Find and Claim see earlier changes of the same cycle, as if write ports forwarded to later ports.
type PCTable[T any] struct {
	Lines *rtl.Mem[Line[T]] `rtl:"inplace"` // by set, then way
	sets  int
	ways  int
}

// Line is an entry of a PCTable.
type Line[T any] struct {
	Valid bool
	Age   uint8 // number of valid lines of the set used since this one
	PC    uint32
	Data  T
}

// NewPCTable makes an empty table. Entries and ways are powers of two, and there
// are at most 128 ways.
func NewPCTable[T any](entries, ways int) PCTable[T] {
	return PCTable[T]{rtl.NewMem[Line[T]](entries), entries / ways, ways}
}

// Ways returns the number of lines of a set.
func (t *PCTable[T]) Ways() int { return t.ways }

// set returns the first line of the set of pc.
func (t *PCTable[T]) set(pc uint32) int { return int(pc) & (t.sets - 1) * t.ways }

// Find returns the line of a PC and makes it the youngest of its set, or returns nil.
func (t *PCTable[T]) Find(pc uint32) *Line[T] {
	first := t.set(pc)
	for i := first; i < first+t.ways; i++ {
		if e := t.Lines.Next(i); e.Valid && e.PC == pc {
			e = t.Lines.Edit(i)
			t.use(first, e)
			return e
		}
	}
	return nil
}

// Claim makes a line for a PC that has none. It also returns the line that it replaced, which is
// not valid if a place was free.
func (t *PCTable[T]) Claim(pc uint32) (line *Line[T], evicted Line[T]) {
	first := t.set(pc)
	oldest := first
	for i := first; i < first+t.ways; i++ {
		e := t.Lines.Next(i)
		if !e.Valid {
			oldest = i
			break
		}
		if e.Age > t.Lines.Next(oldest).Age {
			oldest = i
		}
	}
	line = t.Lines.Edit(oldest)
	evicted = *line
	*line = Line[T]{Valid: true, PC: pc, Age: uint8(t.ways)}
	t.use(first, line)
	return line, evicted
}

// use makes e the youngest of the set that begins at line first.
func (t *PCTable[T]) use(first int, e *Line[T]) {
	if e.Age == 0 {
		return
	}
	for i := first; i < first+t.ways; i++ {
		if x := t.Lines.Next(i); x.Valid && x.Age < e.Age {
			t.Lines.Edit(i).Age++
		}
	}
	e.Age = 0
}
