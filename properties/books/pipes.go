package books

import (
	"strings"

	"divergo/isa"
	"divergo/sm"
)

// pipes checks the ends of the execution pipes and of write-back. It knows the queues, the
// configuration and the program.
type pipes struct{ *View }

// watchPipes begins to watch an SM.
func watchPipes(v *View) {
	p, c, reads := &pipes{v}, &v.config.SM, bankReads(v)
	for core, s := range v.sm.Sub {
		if s.Issue.Beside != nil {
			return
		}
		read := watchOperands(v, core, reads)
		for _, pipe := range [...]struct {
			*sm.Pipe
			unit  isa.Unit
			width int
		}{{s.ALU, isa.UnitALU, c.SIMDWidth}, {s.DPU, isa.UnitDPU, c.DPWidth}, {s.SFU, isa.UnitSFU, c.SFUWidth}} {
			free := uint64(0)
			v.Leave(pipe.In.Tap(func(cycle uint64, r *sm.Result) {
				read.takes(pipe.unit, cycle)
				p.starts(free, cycle, r)
				if pipe.unit != isa.UnitSFU {
					p.belongs(pipe.unit == isa.UnitDPU, cycle, r)
				}
				free = cycle + uint64(p.enters(pipe.width, r))
			}))
		}
		last, n := uint64(0), 0
		for i := range s.Writeback.In {
			v.Leave(s.Writeback.In[i].Tap(func(cycle uint64, _ *sm.Result) {
				if n++; cycle != last {
					last, n = cycle, 1
				}
				p.writes(s.Writeback, i, n, cycle)
			}))
		}
	}
}

// starts checks that the instruction before has entered: free is the first cycle after it.
func (p *pipes) starts(free, cycle uint64, r *sm.Result) {
	if cycle < free {
		p.Fail(Rule{checkPipes, "an instruction that starts too soon"}, InRow(int(r.Row), r.Mask),
			"SM %d, cycle %d: %s starts, the instruction before enters the pipe until cycle %d", p.index, cycle,
			p.inst(r.PC), free-1)
	}
}

// belongs checks that instructions on f64, by their text, and no others are in the pipe of double
// precision.
func (p *pipes) belongs(double bool, cycle uint64, r *sm.Result) {
	if strings.Contains(p.sm.Program().Insts[r.PC].Text, ".f64") != double {
		p.Fail(Rule{checkPipes, "an instruction in another pipe"}, InRow(int(r.Row), r.Mask),
			"SM %d, cycle %d: %s starts in the pipe of double precision: %t", p.index, cycle, p.inst(r.PC), double)
	}
}

// enters returns the cycles in which an instruction enters a pipe of some width.
func (p *pipes) enters(width int, r *sm.Result) int {
	whole, n := p.lanes/width, p.groups(width, r.Exec)
	if k := p.config.SM.Initiation.Of(&p.sm.Program().Insts[r.PC]); k > 0 {
		n = (n*k + whole - 1) / whole
	}
	return n
}

// writes checks the number of a result in its cycle, and that no pipe of higher priority has one
// left: memory, SFU, DPU, ALU.
func (p *pipes) writes(w *sm.Writeback, port, n int, cycle uint64) {
	if n > p.config.SM.WBPorts {
		p.Fail(Rule{checkPipes, "more results than ports"}, nil, "SM %d, cycle %d: %d results are written by %d ports",
			p.index, cycle, n, p.config.SM.WBPorts)
	}
	for i := range port {
		if w.In[i].Valid() {
			p.Fail(Rule{checkPipes, "a result before one of higher priority"}, nil,
				"SM %d, cycle %d: write-back takes a result of its input %d, one of input %d waits", p.index, cycle, port, i)
		}
	}
}
