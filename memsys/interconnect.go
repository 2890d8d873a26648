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

	flit    int
	inConc  int // inputs per port
	outConc int // outputs per port
	words   int // of a set of input ports

	shown []uint8  `rtl:"scratch"` // by input port: the input that it presents
	want  []uint64 `rtl:"scratch"` // by output port: the set of input ports that present a packet for it
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
	words := (inPorts + 63) / 64
	return &Crossbar[T, P]{
		In: in, Out: out, From: rtl.NewMem[inPort](inPorts), Port: rtl.NewMem[transfer](outPorts),
		flit: cfg.FlitBytes, inConc: inConc, outConc: outConc, words: words,
		shown: make([]uint8, inPorts), want: make([]uint64, outPorts*words),
	}
}

// Tick moves one flit through each output port.
func (c *Crossbar[T, P]) Tick() {
	clear(c.want)
	for p := range c.shown {
		if i, o := c.present(p); o >= 0 {
			c.shown[p] = i
			c.want[o*c.words+p>>6] |= 1 << (p & 63)
		}
	}
	for o := range c.Port.Len() {
		p, left := int(c.Port.At(o).From), c.Port.At(o).Left
		if left == 0 {
			if p = nextInTurn(c.want[o*c.words:][:c.words], p); p < 0 {
				continue
			}
			*c.From.Edit(p) = inPort{Busy: true, Chosen: c.shown[p]}
			bytes := P(c.input(p, c.shown[p]).Front()).Bytes()
			left = uint16((bytes + c.flit - 1) / c.flit)
			c.Count.D().Packets++
			c.Count.D().Bytes += uint64(bytes)
		}
		left--
		*c.Port.Edit(o) = transfer{Left: left, From: uint16(p)}
		c.Count.D().Flits++
		if left == 0 {
			from := c.From.Edit(p)
			in := c.input(p, from.Chosen)
			c.Out[P(in.Front()).Port()].Push(*in.Front())
			in.Pop()
			from.Busy = false
		}
	}
}

// input returns input i of a port.
func (c *Crossbar[T, P]) input(port int, i uint8) *rtl.In[T] { return &c.In[port*c.inConc+int(i)] }

// present returns the next input of a port whose packet can start: its output has room and its
// output port is free. It also returns that output port, or -1 without such an input.
func (c *Crossbar[T, P]) present(port int) (i uint8, to int) {
	from := c.From.At(port)
	if from.Busy {
		return 0, -1
	}
	inputs := min(c.inConc, len(c.In)-port*c.inConc)
	i = from.Chosen
	for range inputs {
		if i++; int(i) >= inputs {
			i = 0
		}
		in := c.input(port, i)
		if !in.Valid() {
			continue
		}
		if o := P(in.Front()).Port(); c.Out[o].Ready() {
			if to = o / c.outConc; c.Port.At(to).Left == 0 {
				return i, to
			}
		}
	}
	return 0, -1
}

// nextInTurn returns the first member of a set after last, or else its first member. It returns -1
// if the set is empty.
func nextInTurn(set []uint64, last int) int {
	w := last / 64
	if after := set[w] &^ (2<<(last%64) - 1); after != 0 {
		return w*64 + bits.TrailingZeros64(after)
	}
	for range set {
		if w++; w == len(set) {
			w = 0
		}
		if set[w] != 0 {
			return w*64 + bits.TrailingZeros64(set[w])
		}
	}
	return -1
}
