package testbench

import (
	"fmt"

	"divergo/isa"
	"divergo/sm"
)

// AbsentRead is a shuffle that reads a lane which takes no part: see sm.AbsentLane.
type AbsentRead struct {
	Thread string // that reads, and its CTA
	Lane   int    // that it reads: a %laneid
	Where  string // source line: see isa.Program.Near
	Text   string // the instruction

	cycle uint64
}

// watchAbsent begins to look for shuffles that read lanes which take no part. What it
// returns ends that, and says which came first; nil if there was none.
func (s *Session) watchAbsent(p *isa.Program) func() *AbsentRead {
	seen := make([]*AbsentRead, len(s.Machine.SMs)) // each written by its SM
	var leave []func()
	for i, m := range s.Machine.SMs {
		leave = append(leave, m.ALU.OnAbsent.Add(func(a sm.AbsentRead) {
			if seen[i] != nil {
				return
			}
			t := m.Thread(int(a.Row), int(a.Lane))
			seen[i] = &AbsentRead{
				Thread: fmt.Sprintf("thread %s of CTA %s", point(t.TID), point(t.CTA)), Lane: int(a.From),
				Where: p.Near(a.PC), Text: text(p, a.PC), cycle: a.Cycle,
			}
		}))
	}
	return func() (first *AbsentRead) {
		for i, a := range seen {
			leave[i]()
			if first == nil || a != nil && a.cycle < first.cycle {
				first = a
			}
		}
		return first
	}
}
