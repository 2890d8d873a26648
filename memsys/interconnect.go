package memsys

import (
	"math/bits"

	"divergo/rtl"
)

// packet is the interface of the packets that a Crossbar carries.
type packet[T any] interface {
	*T
	Port() int  // output
	Bytes() int // size
}

// Crossbar is one of the two networks between SMs and L2 slices. Requests and responses have
// separate networks, so that neither waits for the other. Several inputs share an input port (the
// concentration), and as many outputs share an output port. A port presents the next of its inputs
// in turn whose packet finds room. Each output port grants the input ports in turn (iSLIP). With
// one packet presented at a time, the first iteration of iSLIP settles everything. A packet of n
// bytes occupies both ports for n/flit cycles, rounded up, and arrives with its last flit.
//
// The In end is the queue of each input, so packets from one input to one output stay in order.
type Crossbar[T any, P packet[T]] struct {
	Count rtl.State[CrossbarCounters] `rtl:"sim,inplace"`
	In    []rtl.In[T]
	Out   []rtl.Out[T]
	From  *rtl.Mem[inPort]   `rtl:"inplace" trace:"true"` // by input port
	Port  *rtl.Mem[transfer] `rtl:"inplace" trace:"true"` // by output port

	valid *rtl.Valid `rtl:"-"` // inputs with a packet
	// These follow from the packets at the inputs and from Port, and save the search in each cycle.
	known  rtl.Bits `rtl:"-"` // inputs whose packet is in to
	to     rtl.Bits `rtl:"-"` // by output: the inputs that have a packet for it
	output []uint16 `rtl:"-"` // by input: the output of its packet
	asked  rtl.Bits `rtl:"-"` // outputs that some input has a packet for
	moving rtl.Bits `rtl:"-"` // output ports in the middle of a packet

	flit    int
	inConc  int // inputs per port
	outConc int // outputs per port
	words   int // of a set of inputs

	union  []uint64 `rtl:"scratch"`
	wanted []uint64 `rtl:"scratch"`
	open   []uint64 `rtl:"scratch"` // outputs that take a packet
	grants []grant  `rtl:"scratch"` // of this cycle
}

// grant gives an output port to an input.
type grant struct {
	out, in int // ports
	chosen  uint8
}

// inPort is the state of an input port.
type inPort struct {
	Busy   bool  // in the middle of a packet
	Chosen uint8 `bits:"6"` // its input granted last
}

// transfer is the state of an output port.
type transfer struct {
	Left uint16 // flits of the packet still to move; 0: no packet
	From uint16 `bits:"11"` // last input port granted
}

// CrossbarCounters are the counts of a Crossbar since reset.
type CrossbarCounters struct {
	Packets, Flits, Bytes uint64
}

type (
	// RequestNetwork carries packets from SMs to slices.
	RequestNetwork = Crossbar[Request, *Request]
	// ResponseNetwork carries packets from slices to SMs.
	ResponseNetwork = Crossbar[Response, *Response]
)

// NewRequestNetwork makes the network with an input for each SM and the
// dispatcher, and an output for each slice.
func NewRequestNetwork(cfg *IcntConfig, in []rtl.In[Request], out []rtl.Out[Request]) *RequestNetwork {
	return newCrossbar[Request, *Request](cfg, in, cfg.Concentration, out, 1)
}

// newResponseNetwork makes the network with an input for each slice, and an
// output for each SM and the dispatcher.
func newResponseNetwork(cfg *IcntConfig, in []rtl.In[Response], out []rtl.Out[Response]) *ResponseNetwork {
	return newCrossbar[Response, *Response](cfg, in, 1, out, cfg.Concentration)
}

func newCrossbar[T any, P packet[T]](cfg *IcntConfig, in []rtl.In[T], inConc int, out []rtl.Out[T],
	outConc int,
) *Crossbar[T, P] {
	if max(len(in), len(out)) > MaxPorts {
		panic("memsys: a crossbar has at most 1025 inputs and outputs")
	}
	inPorts, outPorts := (len(in)+inConc-1)/inConc, (len(out)+outConc-1)/outConc
	words, outWords := (len(in)+63)/64, (len(out)+63)/64
	return &Crossbar[T, P]{
		In: in, Out: out, From: rtl.NewMem[inPort](inPorts), Port: rtl.NewMem[transfer](outPorts),
		valid: rtl.NewValid(in), known: make(rtl.Bits, words), to: make(rtl.Bits, len(out)*words),
		output: make([]uint16, len(in)), asked: make(rtl.Bits, outWords), moving: make(rtl.Bits, outWords),
		flit: cfg.FlitBytes, inConc: inConc, outConc: outConc, words: words,
		union: make([]uint64, words), wanted: make([]uint64, words), open: make([]uint64, outWords),
		grants: make([]grant, outPorts),
	}
}

// Tick moves one flit through each output port.
func (c *Crossbar[T, P]) Tick() {
	if c.valid.Renewed() {
		c.renew()
	}
	for w, m := range c.valid.Set {
		for m &^= c.known[w]; m != 0; m &= m - 1 {
			c.enter(w<<6 | bits.TrailingZeros64(m))
		}
	}
	granted := c.arbitrate()
	flits := uint64(granted)
	for w, m := range c.moving {
		for ; m != 0; m &= m - 1 {
			o := w<<6 | bits.TrailingZeros64(m)
			t := c.Port.Edit(o)
			flits++
			if t.Left--; t.Left == 0 {
				c.moving.Remove(o)
				c.arrive(t, c.From.Edit(int(t.From)))
			}
		}
	}
	if flits != 0 {
		c.Count.D().Flits += flits
	}
	for i := range c.grants[:granted] {
		c.start(&c.grants[i])
	}
}

// start begins the packet of a grant, and moves its first flit.
func (c *Crossbar[T, P]) start(g *grant) {
	bytes := P(c.In[g.in*c.inConc+int(g.chosen)].Front()).Bytes()
	n := c.Count.D()
	n.Packets++
	n.Bytes += uint64(bytes)
	from, t := c.From.Edit(g.in), c.Port.Edit(g.out)
	*from = inPort{Busy: true, Chosen: g.chosen}
	*t = transfer{uint16((bytes+c.flit-1)/c.flit) - 1, uint16(g.in)}
	if t.Left == 0 {
		c.arrive(t, from)
	} else {
		c.moving.Add(g.out)
	}
}

// renew derives the sets from the state.
func (c *Crossbar[T, P]) renew() {
	clear(c.known)
	clear(c.to)
	clear(c.asked)
	clear(c.moving)
	for o := range c.Port.Len() {
		if c.Port.At(o).Left != 0 {
			c.moving.Add(o)
		}
	}
}

// enter puts the packet at an input into the sets.
func (c *Crossbar[T, P]) enter(i int) {
	o := P(c.In[i].Front()).Port()
	c.output[i] = uint16(o)
	c.known.Add(i)
	c.inputs(o).Add(i)
	c.asked.Add(o)
}

// inputs returns the inputs that have a packet for an output.
func (c *Crossbar[T, P]) inputs(o int) rtl.Bits { return c.to[o*c.words:][:c.words] }

// arrive moves a packet to its output, with its last flit.
func (c *Crossbar[T, P]) arrive(t *transfer, from *inPort) {
	from.Busy = false
	i := int(t.From)*c.inConc + int(from.Chosen)
	o := int(c.output[i])
	in := c.In[i]
	c.Out[o].Push(*in.Front())
	in.Pop()
	c.known.Remove(i)
	to := c.inputs(o)
	to.Remove(i)
	if to.After(0) < 0 {
		c.asked.Remove(o)
	}
}

// arbitrate chooses the packets that start in this cycle, and returns their number.
func (c *Crossbar[T, P]) arbitrate() (granted int) {
	outputs, last := 0, 0
	for w, m := range c.asked {
		c.open[w] = 0
		for ; m != 0; m &= m - 1 {
			o := w<<6 | bits.TrailingZeros64(m)
			if c.Port.At(o/c.outConc).Left == 0 && c.Out[o].Ready() {
				c.open[w] |= m & -m
				outputs, last = outputs+1, o
			}
		}
	}
	switch outputs {
	case 0:
	case 1:
		granted = c.grant(0, last/c.outConc, c.inputs(last), c.inputs(last))
	default:
		granted = c.several()
	}
	return granted
}

// several is arbitrate if several outputs take a packet.
func (c *Crossbar[T, P]) several() (granted int) {
	open, union, wanted := rtl.Bits(c.open), rtl.Bits(c.union), rtl.Bits(c.wanted)
	clear(union)
	for o := open.After(0); o >= 0; o = open.After(o + 1) {
		join(union, c.inputs(o))
	}
	for o := open.After(0); o >= 0; {
		port := o / c.outConc
		clear(wanted)
		for ; o >= 0 && o < (port+1)*c.outConc; o = open.After(o + 1) {
			join(wanted, c.inputs(o))
		}
		granted = c.grant(granted, port, wanted, union)
	}
	return granted
}

// join adds the members of a set to another one.
func join(to, from rtl.Bits) {
	for w, m := range from {
		to[w] |= m
	}
}

// grant gives an output port to the next input port in turn that presents one of the wanted packets.
// It returns the number of grants with this one. The packets that can start are in eligible.
func (c *Crossbar[T, P]) grant(granted, port int, wanted, eligible rtl.Bits) int {
	start := (int(c.Port.At(port).From) + 1) * c.inConc
	for _, from := range [...]int{start, 0} {
		for i := wanted.After(from); i >= 0; {
			p := i / c.inConc
			if chosen := c.present(p, eligible); chosen >= 0 && wanted.Has(p*c.inConc+chosen) {
				c.grants[granted] = grant{port, p, uint8(chosen)}
				return granted + 1
			}
			i = wanted.After((p + 1) * c.inConc)
		}
	}
	return granted
}

// present returns the next input of a port in turn whose packet can start: its output has room and
// its output port is free. It returns -1 without such an input.
func (c *Crossbar[T, P]) present(port int, eligible rtl.Bits) int {
	from := c.From.At(port)
	if from.Busy {
		return -1
	}
	first := port * c.inConc
	inputs := min(c.inConc, len(c.In)-first)
	i := int(from.Chosen)
	for range inputs {
		if i++; i >= inputs {
			i = 0
		}
		if eligible.Has(first + i) {
			return i
		}
	}
	return -1
}
