package memsys

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// Const serves loads of constants and parameters from the constant cache. Accesses to different
// addresses are serialized without coalescing (Fung & Aamodt, HPCA 2011, section 2.2.1): each
// distinct address of a warp takes a cycle, and the word goes to all lanes that need it. The lowest
// waiting lane chooses the address. An access is answered once, when the last address has arrived.
//
// A flush passes on to the cache, which then drops its lines. It has no answer: the L1 gives that.
type Const struct {
	rtl.State[constState]
	Count rtl.State[ConstCounters] `rtl:"sim,inplace"`
	In    rtl.In[Access]
	Out   rtl.Out[Reply]
	Req   rtl.Out[ReadRequest] // to the constant cache
	Rsp   rtl.In[ReadResponse]

	pending int // entries of the table
	line    uint64
	gatherer
}

type constState struct {
	Busy  bool   // part of the access at In has been sent
	Left  uint32 // its lanes not yet sent
	Entry uint8  `bits:"6"` // its entry
	Used  uint64 // entries in use
}

// ConstCounters are the counts of a Const since reset.
type ConstCounters struct {
	Accesses  uint64 // loads of warps
	Addresses uint64 // their distinct addresses
	Conflicts uint64 // cycles beyond the first that accesses took for their addresses
}

// newConst makes a unit in front of a constant cache.
func newConst(cfg *ConstConfig, in rtl.In[Access], out rtl.Out[Reply], req rtl.Out[ReadRequest],
	rsp rtl.In[ReadResponse],
) *Const {
	return &Const{
		In: in, Out: out, Req: req, Rsp: rsp,
		pending: cfg.Pending, line: uint64(cfg.Line), gatherer: newGatherer(cfg.Pending),
	}
}

// Tick takes one line from the cache and sends one request to it.
func (c *Const) Tick() {
	if c.Rsp.Valid() && c.Out.Ready() {
		r := c.Rsp.Front()
		if entry := int(r.Tag); c.take(entry, r.Lanes, &r.Data, c.Out) {
			c.D().Used &^= 1 << entry
		}
		c.Rsp.Pop()
	}
	if c.In.Valid() && c.Req.Ready() {
		c.send()
	}
}

// send sends the request for one address of the access at In.
func (c *Const) send() {
	q, d := c.Regs()
	a := c.In.Front()
	if a.Kind == Flush {
		c.Req.Push(ReadRequest{Kind: ReadDrop})
		c.In.Pop()
		return
	}
	left, entry := q.Left, int(q.Entry)
	if !q.Busy {
		left, entry = a.Mask, bits.TrailingZeros64(^q.Used)
		if entry >= c.pending {
			return
		}
		c.Count.D().Accesses++
		d.Used |= 1 << entry
		c.open(a, &a.Addr, entry, c.line)
	} else {
		c.Count.D().Conflicts++
	}
	addr := a.Addr[bits.TrailingZeros32(left)&(isa.MaxLanes-1)]
	lanes := uint32(0)
	for m := left; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m) & (isa.MaxLanes - 1); a.Addr[i] == addr {
			lanes |= 1 << i
		}
	}
	c.Count.D().Addresses++
	c.Req.Push(ReadRequest{Tag: uint16(entry), Lanes: lanes, Line: addr &^ (c.line - 1)})
	if d.Busy, d.Left, d.Entry = left != lanes, left&^lanes, uint8(entry); !d.Busy {
		c.In.Pop()
	}
}
