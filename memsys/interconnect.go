package memsys

import (
	"math/bits"

	"divergo/rtl"
)

// packet is what a Crossbar needs to know of what it carries.
type packet[T any] interface {
	*T
	Port() int  // output
	Bytes() int // size
}

// Crossbar is one of the two networks between SMs and L2 slices; requests and
// responses have their own, so that neither can wait for the other. A packet of
// n bytes takes its input and its output for n/flit cycles, rounded up, and
// arrives with its last flit. Each output grants its inputs in turn (iSLIP with
// one queue an input, in which the first iteration settles everything).
// Concentration lets a number of SMs share a port and its bandwidth.
//
// The queue of each input is the In end, so packets from one input to one output
// stay in order.
type Crossbar[T any, P packet[T]] struct {
	rtl.State[crossbarState]
	In  []rtl.In[T]
	Out []rtl.Out[T]

	sim      *rtl.Sim
	flit     int
	inConc   int // inputs a port
	outConc  int // outputs a port
	outPorts int
}

type crossbarState struct {
	Busy  uint64 // input ports in the middle of a packet
	Port  [MaxPorts]transfer
	Count CrossbarCounters
}

// transfer is what an output port does.
type transfer struct {
	Left uint16 // flits to go of the packet of input From, 0 if there is none
	From uint8  `bits:"6"` // last input granted
}

// CrossbarCounters are what a Crossbar has carried since reset.
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

// NewResponseNetwork makes the network with an input for each slice, and an
// output for each SM and the dispatcher.
func NewResponseNetwork(cfg *IcntConfig, in []rtl.In[Response], out []rtl.Out[Response]) *ResponseNetwork {
	return newCrossbar[Response, *Response](cfg, in, 1, out, cfg.Concentration)
}

func newCrossbar[T any, P packet[T]](cfg *IcntConfig, in []rtl.In[T], inConc int, out []rtl.Out[T], outConc int) *Crossbar[T, P] {
	if len(in) > MaxPorts || len(out) > MaxPorts {
		panic("memsys: a crossbar has at most 64 inputs and 64 outputs")
	}
	return &Crossbar[T, P]{
		In: in, Out: out, flit: cfg.FlitBytes, inConc: inConc, outConc: outConc,
		outPorts: (len(out) + outConc - 1) / outConc,
	}
}

// Tick moves one flit through each output port.
func (c *Crossbar[T, P]) Tick() {
	q, d := c.Regs()
	want := c.requests()
	busy := q.Busy
	start := int(c.sim.Now() % uint64(c.outPorts)) // no output may always choose first
	for n := range c.outPorts {
		o := (start + n) % c.outPorts
		t := &d.Port[o]
		if t.Left == 0 {
			from := c.grant(want[o], t.From, busy)
			if from < 0 {
				continue
			}
			bytes := P(c.In[from].Front()).Bytes()
			t.From, t.Left = uint8(from), uint16((bytes+c.flit-1)/c.flit)
			busy |= 1 << (from / c.inConc)
			d.Count.Packets++
			d.Count.Bytes += uint64(bytes)
		}
		t.Left--
		d.Count.Flits++
		port := uint64(1) << (int(t.From) / c.inConc)
		d.Busy |= port
		if t.Left == 0 {
			d.Busy &^= port
			in := c.In[t.From]
			*c.Out[P(in.Front()).Port()].PushSlot() = *in.Front()
			in.Pop()
		}
	}
}

// requests is, for each output port, the inputs whose first packet goes there
// and finds room.
func (c *Crossbar[T, P]) requests() (want [MaxPorts]uint64) {
	for i := range c.In {
		if !c.In[i].Valid() || c.Q().Busy>>(i/c.inConc)&1 != 0 {
			continue
		}
		if o := P(c.In[i].Front()).Port(); c.Out[o].Ready() {
			want[o/c.outConc] |= 1 << i
		}
	}
	return want
}

// grant is the first input of want after last whose port is not busy, or -1.
func (c *Crossbar[T, P]) grant(want uint64, last uint8, busy uint64) int {
	behind := want & (2<<last - 1)
	for _, set := range [...]uint64{want &^ behind, behind} {
		for ; set != 0; set &= set - 1 {
			if i := bits.TrailingZeros64(set); busy>>(i/c.inConc)&1 == 0 {
				return i
			}
		}
	}
	return -1
}
