package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
)

// loads models the slots that wait for memory. The next instruction of such a slot needs a register that a
// memory instruction in flight will write, or its last one is a memory instruction that holds it.
type loads struct {
	*scoreboard // of memory instructions only
	landed      []landed
}

// landed is a result that was written in a cycle, of which the scheduler knows from the next one on.
type landed struct {
	cycle uint64
	sm.Result
}

// watchLoads begins to watch an SM. The caller asks for slots before an instruction issues.
func watchLoads(v *View) *loads {
	n := v.sm.Div.Slots().Len()
	l := &loads{scoreboard: &scoreboard{
		View: v, holds: v.config.SM.Scoreboard == sm.OneInFlight, regs: len(v.sm.Program().Regs), held: make([]int, n),
		freed: make([]uint64, n),
	}}
	v.each(func(e sm.Issued, in *isa.Inst) {
		if l.settle(e.Cycle); in.Memory() && l.found == nil {
			l.issued(&e, in)
		}
	})
	for _, c := range v.sm.Sub {
		for i := range c.Writeback.In {
			v.Leave(c.Writeback.In[i].Tap(func(cycle uint64, r *sm.Result) {
				if v.sm.Program().Insts[r.PC].Memory() {
					l.landed = append(l.landed, landed{cycle, *r})
				}
			}))
		}
	}
	return l
}

// settle removes the results of the cycles before.
func (l *loads) settle(now uint64) {
	for ; len(l.landed) > 0 && l.landed[0].cycle < now; l.landed = l.landed[1:] {
		l.written(l.landed[0].cycle, &l.landed[0].Result)
	}
}

// hold reports whether a slot waits for memory.
func (l *loads) hold(now uint64, i int) bool {
	l.settle(now)
	s := l.sm.Div.Slots().At(i)
	in := &l.sm.Program().Insts[s.PC]
	if l.held[i] > 0 || !s.Mixed {
		return l.held[i] > 0 || l.depends(int(s.Row)&(sm.MaxWarps-1), in, s.Mask) != 0
	}
	homes := l.sm.Div.Homes().At(i)
	for m := s.Mask; m != 0; m &= m - 1 {
		if h := homes.At(bits.TrailingZeros64(m)); l.depends(int(h.Row)&(sm.MaxWarps-1), in, 1<<h.Lane) != 0 {
			return true
		}
	}
	return false
}
