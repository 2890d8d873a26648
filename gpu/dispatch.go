package gpu

import (
	"math/bits"

	"divergo/memsys"
	"divergo/rtl"
	"divergo/sm"
)

// phase is the state of a launch.
type phase uint8

// The phases, in order.
const (
	phaseIdle phase = iota // nothing launched
	phaseRun               // CTAs are running or waiting for room
	phaseL1                // every L1 writes back
	phaseL2                // every L2 slice writes back
	phaseEnded
)

func (p phase) String() string {
	return [...]string{"idle", "run", "flush_l1", "flush_l2", "ended", "?", "?", "?"}[p&7]
}

// dispatcher sends the CTAs of a grid to the SMs: in linear order, to the SMs in turn, one a cycle,
// while they have room. When the last CTA has ended, it makes every L1, then every L2 slice, write
// back. The host then finds the results in device memory.
type dispatcher struct {
	rtl.State[struct {
		Phase phase  `bits:"3"`
		Turn  uint16 `bits:"10"` // first SM to be searched for room
		Sent  uint16 `bits:"11"` // SMs or slices told to write back
		Acks  uint16 `bits:"11"` // of these, the ones that have done so
		CTAs  uint64 // CTAs of the grid, or the end of the part that runs
		Next  uint64 // next CTA to send
		Ended uint64 // CTAs that have ended
		Start uint64 // cycle of the launch
		End   uint64 // cycle in which the dispatcher knew that the last CTA had ended
	}]
	SMs  []smPort
	Req  rtl.Out[memsys.Request] // to the interconnect
	Rsp  rtl.In[memsys.Response]
	Room *rtl.Mem[uint8] // CTAs that each SM can still take

	notices *rtl.Valid       `rtl:"-"`           // SMs with a notice
	open    *rtl.Mem[uint64] `rtl:"inplace,sim"` // SMs with room

	port   uint16 // port of the interconnect
	slices int
	sim    *rtl.Sim
}

// smPort connects the dispatcher with an SM.
type smPort struct {
	Command rtl.Out[sm.Command]
	Notice  rtl.In[sm.Notice]
}

// launch starts the CTAs of a grid from first up to end, not included, between runs.
func (d *dispatcher) launch(first, end uint64, room uint8) {
	for i := range d.SMs {
		d.Room.Set(i, room)
		d.open.Alter(i>>6, func(set *uint64) { *set |= 1 << (i & 63) })
	}
	s := *d.Q()
	s.Phase, s.Turn, s.CTAs, s.Next, s.Ended = phaseRun, 0, end, first, first
	s.Start, s.End = d.sim.Now(), 0
	d.Init(s)
}

// Tick sends at most one CTA and takes a notice of every SM.
func (d *dispatcher) Tick() {
	q, n := d.Regs()
	if q.Phase == phaseRun && q.Next < q.CTAs {
		d.send()
	}
	for i := d.notices.Set.After(0); i >= 0; i = d.notices.Set.After(i + 1) {
		in := &d.SMs[i].Notice
		if in.Front().Flushed {
			n.Acks++
		} else {
			*d.Room.Edit(i)++
			*d.open.Edit(i >> 6) |= 1 << (i & 63)
			n.Ended++
		}
		in.Pop()
	}
	if d.Rsp.Valid() {
		n.Acks++
		d.Rsp.Pop()
	}
	switch q.Phase {
	case phaseRun:
		if q.Ended == q.CTAs {
			n.Phase, n.End = phaseL1, d.sim.Now()
			n.Sent, n.Acks = 0, 0
		}
	case phaseL1:
		if i := int(q.Sent); i < len(d.SMs) && d.SMs[i].Command.Ready() {
			d.SMs[i].Command.Push(sm.Command{Flush: true})
			n.Sent++
		}
		if int(q.Acks) == len(d.SMs) {
			n.Phase, n.Sent, n.Acks = phaseL2, 0, 0
		}
	case phaseL2:
		if int(q.Sent) < d.slices && d.Req.Ready() {
			d.Req.Push(memsys.Request{Kind: memsys.FlushAll, Src: d.port, Dst: uint8(q.Sent)})
			n.Sent++
		}
		if int(q.Acks) == d.slices {
			n.Phase = phaseEnded
		}
	}
}

// send sends the next CTA to the first SM in turn that has room.
func (d *dispatcher) send() {
	q, n := d.Regs()
	i := d.ready(int(q.Turn), len(d.SMs))
	if i < 0 {
		i = d.ready(0, int(q.Turn))
	}
	if i < 0 {
		return
	}
	room := d.Room.Edit(i)
	if *room--; *room == 0 {
		*d.open.Edit(i >> 6) &^= 1 << (i & 63)
	}
	d.SMs[i].Command.Push(sm.Command{ID: q.Next})
	n.Next++
	n.Turn = uint16((i + 1) % len(d.SMs))
}

// ready returns the first SM of a range that takes a CTA, or -1.
func (d *dispatcher) ready(from, to int) int {
	for w := from >> 6; w<<6 < to; w++ {
		m := *d.open.At(w)
		if w == from>>6 {
			m &= ^uint64(0) << (from & 63)
		}
		for ; m != 0; m &= m - 1 {
			i := w<<6 | bits.TrailingZeros64(m)
			if i >= to {
				break
			}
			if d.SMs[i].Command.Ready() {
				return i
			}
		}
	}
	return -1
}
