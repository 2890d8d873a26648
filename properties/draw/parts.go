package draw

import (
	"fmt"
	"math/bits"
	"strings"
)

// This file writes statements for a part of a CTA or warp. Barriers concern some of the warps, or
// the threads of a warp reach them apart. Votes concern some threads of a warp, or those that are
// together, or some threads reach them while others exit.

// roles makes warps take different roles at a barrier.
//
// Some warps arrive and others wait; if Op is 3 they do so again after a while. If Op is 1, two
// groups have a barrier each. If Op is 2, each few warps have one, with its number in a register.
// At the end all meet, so that the barriers are free again. If threads may have exited, the set of
// arrivals is unknown; roles then writes one barrier of all.
func (e *emitter) roles(s *Stmt) {
	warps := (e.threads + e.warp - 1) / e.warp
	number := func(i int) int { return (s.N + i) & 15 }
	if e.k.exits() {
		e.line("bar.sync %d;", number(0))
		e.line("%s", turn)
		return
	}
	e.gathered(s, number(14))
	e.needs |= needLinear
	first := 1 + s.D%max(warps-1, 1) // number of warps in the first group
	if s.Alt {
		first = max(warps-first, 1)
	}
	if warps == 1 || s.Op == 2 {
		few := groupOf(s.D, warps)
		e.line("shr.u32 %%w, %%lin, %d;", bits.Len(uint(e.warp))-1)
		e.line("div.u32 %%w, %%w, %d;", few)
		e.line("add.u32 %%w, %%w, %d;", number(0))
		e.line("and.b32 %%w, %%w, 15;")
		e.line("bar.sync %%w, %d;", few*e.warp)
	} else {
		e.line("shr.u32 %%w, %%lin, %d;", bits.Len(uint(e.warp))-1)
		e.line("setp.lt.u32 %%p, %%w, %d;", first)
		if s.Op == 1 {
			e.line("@%%p bar.sync %d, %d;", number(0), first*e.warp)
			e.line("@!%%p bar.sync %d, %d;", number(1), (warps-first)*e.warp)
		} else {
			e.line("st.shared.u32 [%s], %s;", e.cell(), e.r(s.A))
			arrives, waits := "@%p ", "@!%p "
			if s.Alt {
				arrives, waits = waits, arrives
			}
			e.line("%sbar.arrive %d, %d;", arrives, number(0), warps*e.warp)
			e.line("%sbar.sync %d, %d;", waits, number(0), warps*e.warp)
			e.line("add.u32 %%w, %%place, 1;")
			e.line("rem.u32 %%w, %%w, %d;", e.threads)
			at := e.variable("cells", "%w", cellBytes)
			e.line("%sld.shared.u32 %s, [%s];", waits, e.r(s.B), at)
			if s.Op == 3 {
				e.line("%sbar.arrive %d, %d;", waits, number(1), warps*e.warp)
				e.line("%sbar.sync %d, %d;", arrives, number(1), warps*e.warp)
				for range 8 + 8*s.D {
					e.line("%smad.lo.u32 %%v, %%v, %%v, 1;", arrives)
				}
				own := e.cell()
				e.line("%sst.shared.u32 [%s], %s;", arrives, own, e.r(s.D))
				e.line("%sbar.arrive %d, %d;", arrives, number(0), warps*e.warp)
				e.line("%sbar.sync %d, %d;", waits, number(0), warps*e.warp)
				e.line("add.u32 %%w, %%place, 1;")
				e.line("rem.u32 %%w, %%w, %d;", e.threads)
				next := e.variable("cells", "%w", cellBytes)
				e.line("%sld.shared.u32 %s, [%s];", waits, e.r(s.B), next)
			}
		}
	}
	e.line("barrier.sync %d;", number(15))
	e.line("%s", turn)
}

// groupOf returns the warps of a group with a barrier of its own, which divide those of the CTA. There
// are at most 15 groups: the last of the 16 barriers is where all meet.
func groupOf(d, warps int) int {
	few := 1 + d%warps
	for warps%few != 0 {
		few--
	}
	for few = max(few, (warps+14)/15); warps%few != 0; {
		few++
	}
	return few
}

// gathered brings the threads of each warp together before a statement that needs it.
func (e *emitter) gathered(s *Stmt, barrier int) {
	if s.Generic {
		e.line("bar.sync %d;", barrier)
	}
}

// These are the meeting points of the threads of an Apart.
const (
	apartSides  = iota // at the end of each side, at barriers of one number
	apartBehind        // after the branch, at one barrier
	apartWarp          // at the end of each side, at a bar.warp.sync of the warp
	apartThree         // like apartSides, but one side branches again, so that a warp waits at three places
)

// gather writes a vote that some threads reach at once, and others later, or not at all because
// they exit.
func (e *emitter) gather(s *Stmt) {
	l := e.fresh("vote")
	e.test("%p", &s.Cond)
	e.line("@%%p bra %s;", l[0])
	e.line("and.b32 %%w, %s, 3;", e.r(s.A))
	e.line("setp.eq.u32 %%p, %%w, %d;", s.N&3)
	e.line("@%%p exit;")
	e.line("add.u32 %s, %[1]s, 1;", e.r(s.D))
	e.label(l[0])
	e.vote(s)
}

// vote writes a vote. For a vote of a part of the warp, the team, each thread names the threads
// whose lane number has the same bit.
func (e *emitter) vote(s *Stmt) {
	v := &votes[s.Op%len(votes)]
	if v.team {
		bit := s.N % max(bits.Len(uint(e.warp))-1, 1)
		with := uint32(0)
		for lane := range 32 {
			with |= uint32(lane>>bit&1) << lane
		}
		e.line("mov.u32 %%w, %%laneid;")
		e.line("and.b32 %%w, %%w, %d;", 1<<bit)
		e.line("setp.ne.u32 %%p, %%w, 0;")
		e.line("selp.b32 %%team, %d, %d, %%p;", with, ^with)
	}
	lanes, in := segments(s.Cond.Salt)
	e.operation(s, strings.NewReplacer("LANES", fmt.Sprint(lanes), "SEGMENTS", fmt.Sprint(in)).Replace(v.ptx))
}
