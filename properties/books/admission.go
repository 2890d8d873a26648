package books

import (
	"math/bits"

	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// wires is the latency between the dispatcher and an SM, in core cycles.
const wires = 8

// dispatch is a model of the dispatcher. It sends the CTAs in linear order, at most one a cycle, to
// the SMs in turn, as soon as one has room. It knows of the end of a CTA one cycle after the notice
// has come.
type dispatch struct {
	next, end uint64
	cycle     uint64 // first cycle in which the next CTA can leave
	turn      int
	room      []int           // by SM: CTAs that it can still take
	ended     [][]uint64      // by SM: cycles from which on the dispatcher knows of an end
	sent      [][]sentCommand // by SM: not taken yet
}

// sentCommand is a CTA on its way to an SM.
type sentCommand struct{ id, comes uint64 }

// newDispatch makes the model of a launch that begins.
func newDispatch(s *testbench.Session) *dispatch {
	m := s.Machine
	first, end := m.Progress()
	n := len(m.SMs)
	d := &dispatch{
		next: first, end: end, cycle: m.Core().Now(), room: make([]int, n), ended: make([][]uint64, n),
		sent: make([][]sentCommand, n),
	}
	for i := range d.room {
		d.room[i] = holds(s, m.SMs[i].Kernel())
	}
	return d
}

// holds returns the CTAs that an SM holds at once.
func holds(s *testbench.Session, k *sm.Kernel) (n int) {
	c := &s.Machine.Config.SM
	mech, _ := divergence.Find(s.Machine.Config.Divergence.Mechanism)
	up := func(n, to int) int { return (n + to - 1) / to * to }
	warps := up(k.Threads(), c.WarpSize) / c.WarpSize
	shared := int(k.Prog.SharedBytes)
	if k.DynShared > 0 {
		shared = up(shared, max(int(k.Prog.SharedAlign), 1)) + int(k.DynShared)
	}
	for n < c.CTAs {
		rows := up((n+1)*warps, c.Schedulers) / c.Schedulers // of a sub-core
		if mech.Blocks {
			rows = up(n+1, c.Schedulers) / c.Schedulers * warps
		}
		threads := rows * c.WarpSize
		if threads > c.Threads/c.Schedulers || n*up(shared, 16)+shared > s.Machine.Config.Shared.Size ||
			threads*up(max(k.Prog.LiveRegs, 1), c.RegAlloc) > c.Registers/c.Schedulers {
			break
		}
		n++
	}
	return n
}

// until sends the CTAs that leave up to a cycle.
func (d *dispatch) until(now uint64) {
	for ; d.next < d.end && d.cycle <= now; d.cycle++ {
		to, earliest := -1, now+1
		for k := range d.room {
			i := (d.turn + k) % len(d.room)
			for len(d.ended[i]) > 0 && d.ended[i][0] <= d.cycle {
				d.ended[i] = d.ended[i][1:]
				d.room[i]++
			}
			if len(d.ended[i]) > 0 {
				earliest = min(earliest, d.ended[i][0])
			}
			if to < 0 && d.room[i] > 0 {
				to = i
			}
		}
		if to < 0 {
			d.cycle = earliest - 1
			continue
		}
		d.room[to]--
		d.sent[to] = append(d.sent[to], sentCommand{d.next, d.cycle + wires})
		d.next++
		d.turn = (to + 1) % len(d.room)
	}
}

// admission checks which CTA an SM gets, and the cycles in which its warps start. A CTA takes the
// lowest free place. One warp starts a cycle, and the next CTA follows behind the last one.
type admission struct {
	*View
	*dispatch
	masks    []uint64 // by warp of a CTA: its threads
	resident uint32
	was      uint32 // resident before cycle since
	since    uint64
	id       [sm.MaxCTAs]uint64
	left     [sm.MaxCTAs]int // warps that have not retired
	cta      int             // the one that starts
	warp     int             // its next warp
	next     uint64          // first cycle in which a warp or the next CTA can start
	starts   int             // warps that have started
	taken    int             // of these, the ones that the mechanism has taken
	room     [2]uint64       // of its queue: see way
	retired  uint64          // cycle in which the last warp retired
	gone     []uint64        // cycles in which warps have ended that have not retired
	over     uint64          // CTA that ends in this cycle
	ends     bool
	changes  []func(cycle uint64, resident uint32) // told of the CTAs that are resident from a cycle on
}

// watchAdmission begins to watch an SM.
func watchAdmission(v *View, d *dispatch) *admission {
	a := &admission{View: v, dispatch: d}
	for w := range v.warps {
		a.masks = append(a.masks, v.all(w))
	}
	ports := v.sm.Div.Connections()
	v.Leave(
		v.sm.CTA.In.Tap(a.takes), v.sm.CTA.Launch.Tap(a.begins), v.sm.CTA.Retire.Tap(a.retires),
		v.sm.CTA.Out.Tap(a.notice),
		ports.Launch.Tap(func(cycle uint64, _ *divergence.WarpStart) {
			a.room[a.taken%len(a.room)] = cycle + 1
			a.taken++
		}),
		ports.Retire.Tap(func(cycle uint64, _ *divergence.Retire) { a.gone = append(a.gone, cycle) }))
	return a
}

// holds sets the resident CTAs behind a cycle.
func (a *admission) holds(cycle uint64, resident uint32) {
	if a.since != cycle+1 {
		a.was, a.since = a.resident, cycle+1
	}
	a.resident = resident
	for _, change := range a.changes {
		change(cycle+1, resident)
	}
}

// at returns the CTAs that are resident in a cycle.
func (a *admission) at(now uint64) uint32 {
	if now < a.since {
		return a.was
	}
	return a.resident
}

// takes checks a CTA that the SM takes.
func (a *admission) takes(cycle uint64, c *sm.Command) {
	if c.Flush || cycle < wires {
		return
	}
	a.until(cycle - wires)
	sent := &a.sent[a.index]
	if len(*sent) == 0 || (*sent)[0].id != c.ID || max((*sent)[0].comes, a.next) != cycle {
		a.Fail(Rule{checkAdmission, "another CTA or cycle"}, nil,
			"SM %d, cycle %d: CTA %d is taken; expected CTA and cycle of arrival %v, and none before cycle %d", a.index,
			cycle, c.ID, *sent, a.next)
		return
	}
	*sent = (*sent)[1:]
	a.cta, a.warp, a.next = bits.TrailingZeros32(^a.resident), 0, cycle+1
	a.holds(cycle, a.resident|1<<a.cta)
	a.id[a.cta&(sm.MaxCTAs-1)], a.left[a.cta&(sm.MaxCTAs-1)] = c.ID, a.warps
}

// begins checks a warp that starts.
func (a *admission) begins(cycle uint64, w *divergence.WarpStart) {
	first := a.cta * a.warps
	row := first + a.warp
	want := divergence.WarpStart{
		CTA: uint8(a.cta), Row: uint8(row), First: uint8(first), Warps: uint8(a.warps), Last: a.warp+1 == a.warps,
		Mask: a.masks[a.warp%a.warps],
	}
	if due := max(a.next, a.room[a.starts%len(a.room)]); *w != want || cycle != due {
		a.Fail(Rule{checkAdmission, "another warp or cycle"}, nil, "SM %d, cycle %d: %+v starts, expected %+v in cycle %d",
			a.index, cycle, *w, want, due)
	}
	a.warp++
	a.starts++
	a.next = cycle + 1
}

// retires checks a warp whose end the SM takes note of. One does in each cycle.
func (a *admission) retires(cycle uint64, r *divergence.Retire) {
	cta := r.CTA & (sm.MaxCTAs - 1)
	a.left[cta]--
	if a.ends = a.left[cta] == 0; a.ends {
		a.over = a.id[cta]
	}
	due := uint64(0)
	if len(a.gone) > 0 {
		due = max(a.gone[0]+1, a.retired+1)
		a.gone = a.gone[1:]
	}
	if a.retired = cycle; cycle != due || int(r.Row)/a.warps != int(cta) || a.left[cta] < 0 {
		a.Fail(Rule{checkAdmission, "another end of a warp"}, nil,
			"SM %d, cycle %d: row %d of CTA slot %d ends, expected cycle %d; %d warps are left", a.index, cycle, r.Row, cta,
			due, a.left[cta])
	}
}

// notice checks that the dispatcher hears of the end of a CTA with that of its last warp.
func (a *admission) notice(cycle uint64, n *sm.Notice) {
	if n.Flushed {
		return
	}
	if !a.ends || cycle != a.retired || n.ID != a.over {
		a.Fail(Rule{checkAdmission, "another end of a CTA"}, nil,
			"SM %d, cycle %d: the end of CTA %d is sent; the last warp of CTA %d ended in cycle %d (last of a CTA: %t)",
			a.index, cycle, n.ID, a.over, a.retired, a.ends)
	}
	left := uint32(0)
	for cta, n := range a.left {
		if n > 0 {
			left |= 1 << cta
		}
	}
	a.holds(cycle, left)
	a.ended[a.index] = append(a.ended[a.index], cycle+wires+1)
}
