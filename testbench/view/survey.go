package view

import (
	"math/bits"

	"divergo/memsys"
	"divergo/testbench/trace"
)

// parts is the number of equal parts of a run for which sums are kept.
const parts = 1024

// survey is what the first pass over a trace finds.
type survey struct {
	cycles uint64 // of the clock: more than those of the run, which do not count cycles between launches
	width  uint64 // cycles of a part of the run
	issues uint64
	sms    []records
	lines  [][]Counts // by program and PC
	starts []start
	split  *trace.Record // the first divergent branch, or nil
	mixed  bool          // slots hold threads of several warps
	full   []uint64      // by SM: times that threads of several warps fill a warp
}

// records holds the number of records of an SM, in each part of the run.
type records [parts]uint32

// start is the start of a static warp.
type start struct {
	Cycle     uint64
	SM        uint16
	Row, Warp uint8
	CTA       uint64
}

// Counts are the counts of an instruction of a program.
type Counts struct {
	Issued  uint64                   // warp instructions, with those that the mechanism inserts
	Lanes   uint64                   // their active lanes
	Splits  uint64                   // divergent branches
	Waiting [trace.NumReasons]uint64 // cycles of slots, by reason
}

// take reads a trace once.
func take(r *trace.Reader) (*survey, error) {
	s := &survey{
		sms: make([]records, r.Header.SMs), full: make([]uint64, r.Header.SMs),
		lines: make([][]Counts, len(r.Programs)),
	}
	if n := len(r.Blocks); n > 0 {
		s.cycles = r.Blocks[n-1].To + 1
	}
	if r.Summary != nil {
		s.cycles = max(s.cycles, r.Summary.Cycles)
	}
	s.width = (s.cycles + parts - 1) / parts
	s.width = max(s.width, 1)
	for i := range r.Programs {
		s.lines[i] = make([]Counts, len(r.Programs[i].Insts))
	}
	for rec, err := range r.Records(trace.Query{}) {
		if err != nil {
			return nil, err
		}
		if shown(rec) {
			s.sms[rec.SM][min(rec.Cycle/s.width, parts-1)]++
		}
		if rec.Issues() {
			s.issues++
		}
		s.mixed = s.mixed || rec.Mixed
		switch {
		case rec.Kind == trace.Merge && rec.Lanes() == r.Header.Lanes:
			s.full[rec.SM]++
		case rec.Kind == trace.Start:
			s.starts = append(s.starts, start{rec.Cycle, rec.SM, rec.Row, rec.Warp, rec.CTA})
		case rec.Kind == trace.Branch && rec.Diverges() && s.split == nil:
			first := *rec
			s.split = &first
		}
		s.count(r, rec)
	}
	return s, nil
}

// count adds a record to the counts of its instruction.
func (s *survey) count(r *trace.Reader, rec *trace.Record) {
	launch := r.LaunchOf(rec.Cycle)
	if launch < 0 {
		return
	}
	lines := s.lines[r.Launches[launch].Program]
	if uint64(rec.PC) >= uint64(len(lines)) {
		return
	}
	c := &lines[rec.PC]
	switch {
	case rec.Issues():
		c.Issued++
		c.Lanes += uint64(bits.OnesCount64(rec.Mask))
	case rec.Kind == trace.Branch && rec.Diverges():
		c.Splits++
	case rec.Kind == trace.Wait && rec.Reason < trace.NumReasons:
		c.Waiting[rec.Reason] += rec.Cycle - rec.From
	}
}

// shown reports whether the page shows a record. It shows a request that gets a reply by its last reply.
func shown(r *trace.Record) bool {
	switch r.Kind {
	case trace.Request:
		return r.Access != memsys.Load && r.Access != memsys.Atomic
	case trace.Reply:
		return !r.Partial
	}
	return r.Kind < trace.NumKinds
}

// window is a range of cycles, from the first up to but without the last.
type window struct{ from, to uint64 }

// windows chooses the cycles of each SM whose records the page holds: at most so many in total. The SM
// at the place where the page opens comes first.
func (s *survey) windows(at window, sm int, most uint64) []window {
	list := make([]window, len(s.sms))
	for i := range s.sms {
		of := (sm + i) % len(s.sms)
		list[of] = s.sms[of].around(at, s.width, &most)
		list[of].to = min(list[of].to, s.cycles)
	}
	return list
}

// around returns the parts of the run around a window with at most so many records, and subtracts them.
func (r *records) around(at window, width uint64, most *uint64) window {
	first := min(at.from/width, parts-1)
	last := first // of the parts that are taken: first up to but without last
	grow := func(part uint64) bool {
		if n := uint64(r[part]); n > *most {
			return false
		} else {
			*most -= n
		}
		return true
	}
	after, before := true, true
	for after || before {
		if after = after && last < parts && grow(last); after {
			last++
		}
		// three parts behind the place for each one before it
		if (last-first)%4 == 3 || !after {
			if before = before && first > 0 && grow(first-1); before {
				first--
			}
		}
	}
	return window{first * width, last * width}
}
