package memsys

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
)

// Reader serves loads from a read-only cache. It asks the cache for one place of an access each
// cycle, and gives the data to all lanes with the same place. The lowest waiting lane chooses it. An
// access is answered once, when the data of its last place has arrived.
//
// Constants and parameters are serialized without coalescing (Fung & Aamodt, HPCA 2011, section
// 2.2.1): their places are addresses. The places of texels are cache lines.
//
// A flush passes on to the cache, which then drops its lines. It has no answer: the L1 gives that.
type Reader struct {
	rtl.State[readerState]
	Count rtl.State[ReaderCounters] `rtl:"sim,inplace"`
	In    rtl.In[Access]
	Out   rtl.Out[Reply]
	Req   rtl.Out[ReadRequest] // to the cache
	Rsp   rtl.In[ReadResponse]

	pending int    // entries of the table
	line    uint64 // bytes
	place   uint64 // bytes
	gatherer
}

type readerState struct {
	Busy  bool   // part of the access at In has been sent
	Left  uint32 `bits:"lanes"`   // its lanes not yet sent
	Entry uint8  `bits:"6"`       // its entry
	Used  uint64 `bits:"entries"` // entries in use
}

// ReaderCounters are the counts of a Reader since reset.
type ReaderCounters struct {
	Accesses  uint64 // loads of warps
	Places    uint64 // their distinct places
	Conflicts uint64 // cycles beyond the first that accesses took for their places
}

// newReader makes a unit in front of a cache with lines of so many bytes. It has a table of pending
// entries.
func newReader(pending, line, place int, in rtl.In[Access], out rtl.Out[Reply], req rtl.Out[ReadRequest],
	rsp rtl.In[ReadResponse],
) *Reader {
	return &Reader{
		In: in, Out: out, Req: req, Rsp: rsp,
		pending: pending, line: uint64(line), place: uint64(place), gatherer: newGatherer(pending),
	}
}

// Tick takes one line from the cache and sends one request to it.
func (c *Reader) Tick() {
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

// send sends the request for one place of the access at In.
func (c *Reader) send() {
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
	within := c.place - 1
	first := a.Addr[bits.TrailingZeros32(left)&(isa.RowLanes-1)] &^ within
	lanes := uint32(0)
	for m := left; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m) & (isa.RowLanes - 1); a.Addr[i]&^within == first {
			lanes |= 1 << i
		}
	}
	c.Count.D().Places++
	c.Req.Push(ReadRequest{Tag: uint16(entry), Lanes: lanes, Line: first &^ (c.line - 1)})
	if d.Busy, d.Left, d.Entry = left != lanes, left&^lanes, uint8(entry); !d.Busy {
		c.In.Pop()
	}
}
