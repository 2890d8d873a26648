package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// spent checks the class of each cycle of a sub-core, and counts them. It also counts the cycles that
// warps skip on their way into the pipes, and those that results wait for write-back.
type spent struct {
	*View
	there   *admission
	core    int
	hosts   uint32 // CTAs with warps in the sub-core
	own     []int  // its slots
	counts  sm.Cycles
	class   sm.Class
	since   uint64
	memory  int      // memory instructions in flight
	done    []uint64 // of those written, the last cycles
	fired   uint64   // cycle of the last issue
	mask    uint64   // its lanes
	next    uint64   // first cycle in which another one can issue
	left    uint64   // cycle in which the last CTA left, while the class is not Empty yet; 0: none
	skipped uint64
	waited  uint64 // cycles that results have waited
}

// watchSpent begins to watch a sub-core.
func watchSpent(v *View, a *admission, core int) {
	s, sub := &spent{View: v, there: a, core: core, class: sm.ClassEmpty, since: v.sim.Now()}, v.sm.Sub[core]
	s.next = sub.Issue.Q().Next // the exit of the previous launch may still be entering a narrow pipe
	for row := range v.rowsThere {
		if v.sm.Core(row) == core {
			s.hosts |= 1 << (row / v.warps)
		}
	}
	for i := range v.sm.Div.Slots().Len() {
		if v.sm.CoreOf(i) == core {
			s.own = append(s.own, i)
		}
	}
	a.changes = append(a.changes, func(cycle uint64, resident uint32) {
		if s.left = 0; resident&s.hosts == 0 && s.class != sm.ClassEmpty {
			s.left = cycle
		}
	})
	v.each(func(e sm.Issued, in *isa.Inst) {
		if v.sm.CoreOf(int(e.Slot)) == core {
			s.issue(&e, in)
		}
	})
	v.Leave(v.sm.Issue.OnClass.Add(func(e sm.Spent) {
		if e.Core == core {
			s.spends(&e)
		}
	}))
	memory := v.sm.LSU.Out
	if v.sm.MemPort != nil {
		memory = v.sm.MemPort.Back[core]
	}
	for i, from := range [...]struct {
		out  rtl.Out[sm.Result]
		unit isa.Unit
	}{{memory, isa.UnitMem}, {sub.SFU.Out, isa.UnitSFU}, {sub.DPU.Out, isa.UnitDPU}, {sub.ALU.Out, isa.UnitALU}} {
		latency := 1
		if from.unit != isa.UnitMem {
			latency, _ = v.config.SM.Latencies(from.unit)
		}
		var comes []uint64 // results on their way: first cycle in which write-back can take each
		v.Leave(
			from.out.Tap(func(cycle uint64, _ *sm.Result) { comes = append(comes, cycle+uint64(latency)) }),
			sub.Writeback.In[i].Tap(func(cycle uint64, r *sm.Result) {
				s.waited += cycle - comes[0]
				comes = comes[1:]
				if v.sm.Program().Insts[r.PC].Memory() {
					s.memory--
					s.done = append(s.done, cycle)
				}
			}))
	}
	begins := s.since
	// An empty sub-core may have been told of behind the end of the launch, where the difference wraps.
	v.Leave(func() { s.counts[s.class] += begins + v.cycles() - s.since })
	for class := range s.counts {
		v.tally("cycles of "+sm.Class(class).Name(v.lanes), &s.counts[class],
			func(c *testbench.Counters) uint64 { return c.Classes[class] })
	}
	v.tally("skipped cycles", &s.skipped, func(c *testbench.Counters) uint64 { return c.Skipped })
	v.tally("cycles that results wait for write-back", &s.waited,
		func(c *testbench.Counters) uint64 { return c.PortWaits })
}

// issue takes an instruction that issues.
func (s *spent) issue(e *sm.Issued, in *isa.Inst) {
	if in.Memory() {
		s.memory++
	}
	if e.Cycle < s.next && e.Cycle != s.fired {
		s.Fail(Rule{checkPipes, "an issue too soon"}, active(e), "%s: it issues, the one before enters until cycle %d",
			s.at(e), s.next-1)
	}
	if e.Cycle != s.fired {
		s.fired, s.mask = e.Cycle, 0
	}
	s.mask |= e.Mask
	s.next = e.Cycle + uint64(s.groups(s.config.SM.SIMDWidth, s.mask))
}

// spends checks the class of the cycles from this one on.
func (s *spent) spends(e *sm.Spent) {
	if s.found != nil {
		return
	}
	if s.left != 0 && e.Cycle > s.left {
		s.Fail(Rule{checkStatistics, "a cycle without CTAs"}, nil,
			"SM %d, cycle %d: sub-core %d is in class %s, and has no CTA since cycle %d", s.index, e.Cycle, s.core,
			s.class.Name(s.lanes), s.left)
	}
	if e.Cycle == s.left {
		s.left = 0
	}
	enters := s.class >= sm.ClassIssue && s.since >= s.fired && s.since+1 < s.next
	if enters && e.Cycle != s.next && e.Class != sm.ClassEmpty {
		s.Fail(Rule{checkPipes, "an issue stage that rests"}, nil,
			"SM %d, cycle %d: the next instruction can issue, the last one has entered in cycle %d", s.index, e.Cycle, s.next-1)
	}
	s.counts[s.class] += e.Cycle - s.since
	s.class, s.since = e.Class, e.Cycle
	if s.fired == e.Cycle && e.Slot >= 0 {
		s.skipped += uint64(s.lanes/s.config.SM.SIMDWidth) - (s.next - e.Cycle)
		return
	}
	if want := s.want(e); e.Class != want {
		s.Fail(Rule{checkStatistics, "a cycle of another class"}, nil, "SM %d, cycle %d: sub-core %d is in class %s, expected %s",
			s.index, e.Cycle, s.core, e.Class.Name(s.lanes), want.Name(s.lanes))
	}
}

// want returns the class of a cycle in which nothing issues.
func (s *spent) want(e *sm.Spent) sm.Class {
	for len(s.done) > 0 && s.done[0] < e.Cycle { // the issue stage knows of them
		s.done = s.done[1:]
	}
	switch {
	case e.Slot >= 0:
		return sm.ClassStall
	case s.there.at(e.Cycle)&s.hosts == 0:
		return sm.ClassEmpty
	case s.memory+len(s.done) > 0:
		return sm.ClassMem
	}
	class, any := sm.IdleDepend, false
	for _, i := range s.own {
		slot := s.sm.Div.Slots().At(i)
		if slot.Wait == divergence.WaitsJoin {
			return sm.IdleSync
		}
		if !slot.Valid {
			continue
		}
		any = true
		switch b := s.sm.Sub[s.core].Fetch.IBuffer.At(i); {
		case slot.Wait == divergence.WaitsBarrier:
			class = min(class, sm.IdleBarrier)
		case slot.Wait == divergence.WaitsControl:
			class = min(class, sm.IdleBranch)
		case b.N == 0 || b.PC != slot.PC:
			class = min(class, sm.IdleFetch)
		}
	}
	if !any {
		return sm.IdleFetch
	}
	return class
}

// groups returns the groups of lanes of some width that enter a pipe for a warp, one a cycle.
func (v *View) groups(width int, mask uint64) (n int) {
	switch all := bits.OnesCount64(mask) == v.lanes; {
	case all || v.config.SM.Skip == sm.SkipNone:
		n = v.lanes / width
	case v.config.SM.Skip == sm.SkipSCC:
		n = (bits.OnesCount64(mask) + width - 1) / width
	default:
		for lane := 0; lane < v.lanes; lane += width {
			if mask>>lane&(uint64(1)<<width-1) != 0 {
				n++
			}
		}
	}
	return max(n, 1)
}
