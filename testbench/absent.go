package testbench

import (
	"fmt"

	"divergo/isa"
	"divergo/sm"
)

// AbsentRead is a shuffle that reads an inactive lane: see sm.AbsentLane.
type AbsentRead struct {
	Thread string // the reading thread and its CTA
	Lane   int    // %laneid of the inactive lane
	Where  string // source line: see isa.Program.Near
	Text   string // the instruction

	cycle uint64
}

// watchAbsent starts to look for shuffles that read inactive lanes. The function it returns ends
// the watch and returns the first such read, nil if there was none.
func (s *Session) watchAbsent(p *isa.Program) func() *AbsentRead {
	seen := make([]*AbsentRead, len(s.Machine.SMs)) // each SM writes its own
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
