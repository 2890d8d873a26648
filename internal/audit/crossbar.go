package audit

import (
	"slices"

	"divergo/memsys"
)

// crossbar audits the order in which a network moves packets, by its two sides. A packet of n flits
// that arrives in a cycle began n-1 cycles before. From then on it had both of its ports to itself.
//
// No input port with a packet for the same output was before it in turn, and no input of its own
// port. A packet that waits for nothing begins. The auditor sees neither when a packet comes to the
// front of an input, nor which output has room. So it demands this only of inputs that it has seen
// with their packet before, and of outputs that had room behind their last packet.
type crossbar[T any, P packet[T]] struct {
	block
	c               *memsys.Crossbar[T, P]
	flit            int
	inConc, outConc int
	came            []uint64   // by input: cycle in which the packet at its front was first seen; 0: not yet
	room            []bool     // by output: it had room behind its last packet
	from, to        []portUsed // by port
}

// packet is a packet of a network.
type packet[T any] interface {
	*T
	Port() int
	Bytes() int
}

// portUsed is the last use of a port.
type portUsed struct {
	free uint64 // first cycle after it
	last int    // input port of the packet (output ports), or input in the port; -1: none yet
}

func newCrossbar[T any, P packet[T]](m *Memory, name string, cfg *memsys.IcntConfig, c *memsys.Crossbar[T, P],
	inConc, outConc int,
) *crossbar[T, P] {
	ports := func(ends, conc int) []portUsed { return slices.Repeat([]portUsed{{last: -1}}, (ends+conc-1)/conc) }
	return &crossbar[T, P]{
		block: block{m, name}, c: c, flit: cfg.FlitBytes, inConc: inConc, outConc: outConc,
		came: make([]uint64, len(c.In)), room: make([]bool, len(c.Out)),
		from: ports(len(c.In), inConc), to: ports(len(c.Out), outConc),
	}
}

func (a *crossbar[T, P]) taps() (leave []func()) {
	for i := range a.c.In {
		leave = append(leave, a.c.In[i].Tap(func(cycle uint64, v *T) { a.arrives(cycle, i, P(v)) }))
	}
	return leave
}

// arrives checks a packet that leaves its input, and so arrives at its output.
func (a *crossbar[T, P]) arrives(cycle uint64, i int, v P) {
	if a.over() {
		return
	}
	for j := range a.c.In {
		if a.came[j] == 0 && a.c.In[j].Valid() {
			a.came[j] = cycle
		}
	}
	o, p := v.Port(), i/a.inConc
	from, to := &a.from[p], &a.to[o/a.outConc]
	begun := cycle + 1 - uint64((v.Bytes()+a.flit-1)/a.flit)
	ready := max(from.free, to.free)
	switch {
	case begun < ready:
		a.fail(Rule{Crossbar, "two packets in a port"},
			"cycle %d: a packet of %d bytes from input %d arrives at output %d, whose ports were in use until cycle %d",
			cycle, v.Bytes(), i, o, ready-1)
	case begun > ready && a.room[o] && a.wants(p, o, begun-1):
		a.fail(Rule{Crossbar, "a packet that waits for nothing"},
			"cycle %d: a packet of %d bytes from input %d arrives at output %d, it could begin before cycle %d", cycle,
			v.Bytes(), i, o, begun)
	}
	for q := range len(a.from) {
		if q != p && to.last >= 0 && before(q, p, to.last, len(a.from)) && a.wants(q, o, begun) {
			a.fail(Rule{Crossbar, "a packet before its turn"},
				"cycle %d: output %d takes a packet of input port %d, the turn is that of port %d after port %d", cycle, o,
				p, q, to.last)
		}
	}
	for j := p * a.inConc; j < min((p+1)*a.inConc, len(a.c.In)); j++ {
		if j != i && from.last >= 0 && before(j, i, from.last, a.inConc) && a.waits(j, o, begun) {
			a.fail(Rule{Crossbar, "a packet before its turn"},
				"cycle %d: input %d sends a packet to output %d, the turn in their port is that of input %d after input %d",
				cycle, i, o, j, from.last)
		}
	}
	*from, *to = portUsed{cycle + 1, i}, portUsed{cycle + 1, p}
	a.room[o] = a.c.Out[o].Free() > 1 // the packet may not be there yet
	if a.came[i] = 0; a.c.In[i].Len() > 1 {
		a.came[i] = cycle + 1
	}
}

// before reports whether one of n is before another one in turn, after the last.
func before(one, other, last, n int) bool {
	after := func(x int) int { return (x - last - 1 + 2*n) % n }
	return after(one) < after(other)
}

// waits reports whether an input had a packet for an output in front in a cycle.
func (a *crossbar[T, P]) waits(i, o int, cycle uint64) bool {
	return a.c.In[i].Valid() && a.came[i] <= cycle && P(a.c.In[i].Front()).Port() == o
}

// wants reports whether an input port surely presented a packet for an output in a cycle, while all
// packets at its inputs are for that output.
func (a *crossbar[T, P]) wants(p, o int, cycle uint64) (wants bool) {
	for i := p * a.inConc; i < min((p+1)*a.inConc, len(a.c.In)); i++ {
		if a.c.In[i].Valid() && P(a.c.In[i].Front()).Port() != o {
			return false
		}
		wants = wants || a.waits(i, o, cycle)
	}
	return wants && a.from[p].free <= cycle
}

// end checks nothing: arrives has checked every packet.
func (a *crossbar[T, P]) end() {}
