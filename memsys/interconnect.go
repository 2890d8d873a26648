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
	rtl.State[crossbarState] `rtl:"inplace"`
	Count                    rtl.State[CrossbarCounters] `rtl:"sim,inplace"`
	In                       []rtl.In[T]
	Out                      []rtl.Out[T]

	flit     int
	inConc   int // inputs per port
	outConc  int // outputs per port
	inPorts  int
	outPorts int

	want []uint64 `rtl:"scratch"` // by output port: the input ports that present a packet for it
}

type crossbarState struct {
	Busy   uint64          // input ports in the middle of a packet
	Chosen [MaxPorts]uint8 // by input port: its input granted last
	Port   [MaxPorts]transfer
}

// transfer is the state of an output port.
type transfer struct {
	Left uint16 // flits of the packet still to move; 0: no packet
	From uint8  `bits:"6"` // last input port granted
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
	c := &Crossbar[T, P]{
		In: in, Out: out, flit: cfg.FlitBytes, inConc: inConc, outConc: outConc,
		inPorts: (len(in) + inConc - 1) / inConc, outPorts: (len(out) + outConc - 1) / outConc,
	}
	c.want = make([]uint64, c.outPorts)
	if max(c.inPorts, c.outPorts) > MaxPorts {
		panic("memsys: a crossbar has at most 64 input ports and 64 output ports")
	}
	return c
}

// Tick moves one flit through each output port.
func (c *Crossbar[T, P]) Tick() {
	var shown [MaxPorts]uint8 // by input port: the input that it presents
	want := c.want
	clear(want)
	for p := range c.inPorts {
		if i, ok := c.present(p); ok {
			shown[p] = i
			want[P(c.input(p, i).Front()).Port()/c.outConc] |= 1 << p
		}
	}
	for o := range want {
		if c.Q().Port[o].Left == 0 && want[o] == 0 {
			continue
		}
		d := c.D()
		t := &d.Port[o]
		if t.Left == 0 {
			t.From = uint8(nextInTurn(want[o], int(t.From)))
			d.Chosen[t.From] = shown[t.From]
			d.Busy |= 1 << t.From
			bytes := P(c.input(int(t.From), shown[t.From]).Front()).Bytes()
			t.Left = uint16((bytes + c.flit - 1) / c.flit)
			c.Count.D().Packets++
			c.Count.D().Bytes += uint64(bytes)
		}
		t.Left--
		c.Count.D().Flits++
		if t.Left == 0 {
			in := c.input(int(t.From), d.Chosen[t.From])
			*c.Out[P(in.Front()).Port()].PushSlot() = *in.Front()
			in.Pop()
			d.Busy &^= 1 << t.From
		}
	}
}

// input returns input i of a port.
func (c *Crossbar[T, P]) input(port int, i uint8) *rtl.In[T] { return &c.In[port*c.inConc+int(i)] }

// present returns the next input of a port whose packet can start: its output has room and its
// output port is free.
func (c *Crossbar[T, P]) present(port int) (i uint8, ok bool) {
	q := c.Q()
	if q.Busy>>port&1 != 0 {
		return 0, false
	}
	inputs := min(c.inConc, len(c.In)-port*c.inConc)
	for n := range inputs {
		i := uint8((int(q.Chosen[port]) + 1 + n) % inputs)
		in := c.input(port, i)
		if !in.Valid() {
			continue
		}
		if o := P(in.Front()).Port(); c.Out[o].Ready() && q.Port[o/c.outConc].Left == 0 {
			return i, true
		}
	}
	return 0, false
}

// nextInTurn returns the first member of a set after last, or else its first member.
func nextInTurn(set uint64, last int) int {
	if after := set &^ (2<<last - 1); after != 0 {
		set = after
	}
	return bits.TrailingZeros64(set)
}
