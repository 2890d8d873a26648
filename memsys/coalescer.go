package memsys

import (
	"encoding/binary"
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// LineRequest is the part of an Access that falls into one cache line. A Fence or Flush has no
// line.
type LineRequest struct {
	Kind  Kind        `bits:"3"`
	Entry uint8       `bits:"6"` // of the coalescer: Load, Atomic, Fence, Flush
	Stack bool        // Store: see Access
	Space isa.Space   // as in Access
	Cache isa.CacheOp // Load, Store
	Atom  isa.AtomOp  // Atomic, Reduce
	Type  isa.Type    // Atomic, Reduce
	Off   uint8       `bits:"7"`       // Atomic, Reduce: first byte in the line
	Size  uint8       `bits:"4"`       // Atomic, Reduce: bytes
	Lanes uint32      `bits:"lanes"`   // lanes that the line serves
	Line  uint64      `bits:"address"` // address of the line
	A, B  uint64      // Atomic, Reduce: operands
	Mask  ByteMask    `len:"1" bits:"line"` // Store: bytes to write
	Data  Line        `len:"line"`          // Store

	Sectors [maxSectors]uint32 `len:"sectors" bits:"lanes"` // Load: lanes of each sector, if the L1 has sectors
}

// LineResponse answers a LineRequest that has an Entry.
type LineResponse struct {
	Entry uint8  `bits:"6"`
	Lanes uint32 `bits:"lanes"`
	Data  Line   `len:"line"`
}

// Coalescer merges lanes of a global access into accesses of the L1, one cache line a cycle (Fung &
// Aamodt, HPCA 2011, section 2.2.1). An instruction takes as many L1 accesses as it has distinct
// lines. The lowest waiting lane chooses the line, and every lane in that line joins. If lanes
// store to the same byte, the highest lane wins. Atomics are not merged: each lane takes its own
// access.
//
// On the way back the coalescer gathers the lanes of each load in a table. It answers once, when
// the last line has arrived.
//
// The lanes of a herded load first pass the selector of the most popular block. It gives lanes
// outside of that block new addresses in it (Sartori & Kumar, Branch and Data Herding, section IV).
// A block longer than a line takes an access of the L1 for each line with lanes.
type Coalescer struct {
	rtl.State[coalescerState]
	Count rtl.State[CoalescerCounters] `rtl:"sim,inplace"`
	In    rtl.In[Access]
	Out   rtl.Out[Reply]
	Req   rtl.Out[LineRequest] // to the L1
	Rsp   rtl.In[LineResponse] // from the L1

	pending int // entries of the table
	line    uint64
	sector  uint64 // bytes of a sector; the line: none
	gatherer

	selector units.Popular
	latency  uint64               // of the selector
	herded   [isa.RowLanes]uint64 `rtl:"scratch"` // wires behind the selector
	sim      *rtl.Sim

	// OnHerd receives each herded load once, with its new addresses.
	OnHerd rtl.Observers[Herded]
	// OnPart receives each part of an access that leaves for the L1.
	OnPart rtl.Observers[Part]
}

// Part is an access with the lanes that one line serves. A fence or a flush has no lanes and no line.
type Part struct {
	*Access
	Lanes uint32
	Line  uint64 // address of the line
	Entry uint8  // in which it waits for its response; stores and reductions have none
	First bool   // first part of the access
}

// Herded is a load whose lanes have new addresses in one block.
type Herded struct {
	*Access
	To *[isa.RowLanes]uint64
}

type coalescerState struct {
	Busy  bool   // part of the access at In has been sent
	Left  uint32 `bits:"lanes"`   // its lanes not yet sent
	Entry uint8  `bits:"6"`       // its entry
	Used  uint64 `bits:"entries"` // entries in use
	Full  bool   `rtl:"sim"`      // the access at In found no free entry
	Until uint64 `bits:"timer"`   // first cycle in which the selector is done with the load at In; 0: not begun
}

// CoalescerCounters are the counts of a Coalescer since reset.
type CoalescerCounters struct {
	Accesses   uint64
	Lines      uint64       // requests to the L1 that name a line
	Coalescing [ofL1]uint64 // cycles beyond the first that accesses took for their lines
	TableFull  uint64       // accesses that found no free entry
	Herd       HerdCounters
}

// HerdCounters are the counts of herded loads.
type HerdCounters struct {
	Loads    uint64
	Diverted uint64 // lanes with a new address
	Saved    uint64 // distinct blocks of the original addresses, minus those of the new ones
}

// NewCoalescer makes a coalescer for the lines of an L1. The configuration must have passed Check.
func NewCoalescer(cfg *Config, in rtl.In[Access], out rtl.Out[Reply], req rtl.Out[LineRequest],
	rsp rtl.In[LineResponse],
) *Coalescer {
	pending := cfg.L1.Pending
	return &Coalescer{
		In: in, Out: out, Req: req, Rsp: rsp,
		pending: pending, line: uint64(cfg.L1.Line), sector: uint64(cfg.L1.sector()), gatherer: newGatherer(pending),
		selector: units.NewPopular(&cfg.Herd), latency: uint64(cfg.Herd.LoadLatency),
	}
}

// Tick takes one line from the L1 and sends one request to it.
func (c *Coalescer) Tick() {
	if c.Rsp.Valid() && c.Out.Ready() {
		c.gather()
	}
	if c.In.Valid() {
		c.send()
	}
}

// send sends one line of the access at In to the L1. It answers a posted access with its last line;
// this needs room in Out.
func (c *Coalescer) send() {
	q := c.Q()
	a := c.In.Front()
	left, entry := q.Left, int(q.Entry)
	waits := a.Kind == Fence || a.Kind == Flush || a.Mask != 0 && (a.Kind == Load || a.Kind == Atomic)
	if !q.Busy {
		left, entry = a.Mask, bits.TrailingZeros64(^q.Used)
		if waits && entry >= c.pending {
			if !q.Full {
				c.D().Full = true
				c.Count.D().TableFull++
			}
			return
		}
	}
	addr := &a.Addr
	if a.Herd {
		if !q.Busy && !c.selected() {
			return
		}
		addr = &c.herded
		*addr = a.Addr
		c.selector.Redirect(addr, a.Mask, int(a.Size))
	}
	lanes := c.sharing(a.Kind, addr, left)
	if last := left == lanes; !c.Req.Ready() || last && !waits && !c.Out.Ready() {
		return
	} else if last && !waits {
		c.Out.Push(Reply{Tag: a.Tag, Mask: a.Mask})
	}
	d := c.D()
	d.Busy, d.Left, d.Entry = left != lanes, left&^lanes, uint8(entry)
	if !q.Busy {
		if a.Kind != Flush { // a flush is no instruction
			c.Count.D().Accesses++
		}
		if a.Herd {
			d.Until = 0
			c.count(a)
		}
		if waits {
			d.Full = false
			d.Used |= 1 << entry
			c.open(a, addr, entry, c.line)
		}
	} else {
		c.Count.D().Coalescing[sourceOf(a.Kind, a.Space)]++
	}
	if lanes != 0 || waits {
		if lanes != 0 {
			c.Count.D().Lines++
		}
		c.request(a, addr, entry, lanes)
	}
	if c.OnPart.Any() {
		line := uint64(0)
		if a.Kind != Fence && a.Kind != Flush {
			line = addr[bits.TrailingZeros32(lanes)&(isa.RowLanes-1)] &^ (c.line - 1)
		}
		c.OnPart.Notify(Part{a, lanes, line, uint8(entry), !q.Busy})
	}
	if !d.Busy {
		c.In.Pop()
	}
}

// selected reports whether the load at In has spent the latency of the selector in it.
func (c *Coalescer) selected() bool {
	now, until := c.sim.Now(), c.Q().Until
	if c.latency == 0 {
		return true
	}
	if until == 0 {
		until = now + c.latency
		c.D().Until = until
	}
	if now < until {
		c.sim.WakeAt(until)
	}
	return now >= until
}

// count counts a herded load and notifies the observers.
func (c *Coalescer) count(a *Access) {
	n := &c.Count.D().Herd
	n.Loads++
	n.Saved += blocks(&a.Addr, a.Mask, a.Size) - blocks(&c.herded, a.Mask, a.Size)
	for m := a.Mask; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros32(m) & (isa.RowLanes - 1); c.herded[i] != a.Addr[i] {
			n.Diverted++
		}
	}
	if c.OnHerd.Any() {
		c.OnHerd.Notify(Herded{a, &c.herded})
	}
}

// blocks returns the number of distinct blocks that the lanes of a load read.
func blocks(addr *[isa.RowLanes]uint64, lanes uint32, size uint8) (n uint64) {
	block := units.HerdBlock(int(size))
	for ; lanes != 0; n++ {
		b := addr[bits.TrailingZeros32(lanes)&(isa.RowLanes-1)] / block
		for m := lanes; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m); addr[i&(isa.RowLanes-1)]/block == b {
				lanes &^= 1 << i
			}
		}
	}
	return n
}

// sharing returns the lanes of left that the next line serves.
func (c *Coalescer) sharing(kind Kind, addr *[isa.RowLanes]uint64, left uint32) uint32 {
	switch kind {
	case Fence, Flush:
		return left
	case Atomic, Reduce:
		return left & -left
	}
	return SameLine(addr, left, c.line)
}

// SameLine returns the lanes of left with an address in the line of the lowest of them. A line has
// the given size in bytes, a power of two. Four neighbours are often in one line.
func SameLine(addr *[isa.RowLanes]uint64, left uint32, size uint64) (lanes uint32) {
	within := size - 1
	line := addr[bits.TrailingZeros32(left)&(isa.RowLanes-1)] &^ within
	for i := 0; i < isa.RowLanes; i += 4 {
		four := left >> i & 15
		if four == 0 {
			continue
		}
		a := addr[i : i+4 : i+4]
		if ((a[0]^a[1])|(a[0]^a[2])|(a[0]^a[3]))&^within == 0 {
			if a[0]&^within == line {
				lanes |= four << i
			}
			continue
		}
		for j, a := range a {
			if a&^within == line {
				lanes |= four & (1 << j) << i
			}
		}
	}
	return lanes
}

// Tag returns the tag of the access that waits in an entry.
func (c *Coalescer) Tag(entry uint8) uint16 { return c.table.At(int(entry)).Tag }

// request sends the lanes' part of an access to the L1.
func (c *Coalescer) request(a *Access, addr *[isa.RowLanes]uint64, entry int, lanes uint32) {
	first := bits.TrailingZeros32(lanes) & (isa.RowLanes - 1)
	r := c.Req.PushSlot()
	r.Kind, r.Space, r.Entry, r.Lanes, r.Cache = a.Kind, a.Space, uint8(entry), lanes, a.Cache
	r.Stack = a.Stack
	r.Line = addr[first] &^ (c.line - 1)
	switch a.Kind {
	case Atomic, Reduce:
		r.Atom, r.Type, r.Size = a.Atom, a.Type, a.Size
		r.Off = uint8(a.Addr[first] & (c.line - 1))
		r.A, r.B = a.Data[first][0], a.Data[first][1]
	case Load:
		if c.sector == c.line {
			return
		}
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			r.Sectors[addr[i]&(c.line-1)/c.sector%maxSectors] |= 1 << i
		}
	case Store:
		within, word := c.line-1, uint64(1)<<a.Size-1
		for m := lanes; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			off := a.Addr[i] & within % MaxLine
			if a.Size == 4 { // the usual case
				binary.LittleEndian.PutUint32(r.Data[off:], uint32(a.Data[i][0]))
			} else {
				putWord(r.Data[off:], &a.Data[i], a.Size)
			}
			r.Mask[off/64] |= word << (off % 64)
		}
	}
}

// gather puts a line into its entry.
func (c *Coalescer) gather() {
	rsp := c.Rsp.Front()
	c.Rsp.Pop()
	entry := int(rsp.Entry)
	if c.take(entry, rsp.Lanes, &rsp.Data, c.Out) {
		c.D().Used &^= 1 << entry
	}
}

// putWord writes the low size bytes of v to the start of b.
func putWord(b []byte, v *[2]uint64, size uint8) {
	switch size {
	case 1:
		b[0] = byte(v[0])
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v[0]))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v[0]))
	case 8:
		binary.LittleEndian.PutUint64(b, v[0])
	case 16:
		binary.LittleEndian.PutUint64(b, v[0])
		binary.LittleEndian.PutUint64(b[8:], v[1])
	}
}

// getWord reads size bytes from the start of b.
func getWord(b []byte, size uint8) (v [2]uint64) {
	switch size {
	case 1:
		v[0] = uint64(b[0])
	case 2:
		v[0] = uint64(binary.LittleEndian.Uint16(b))
	case 4:
		v[0] = uint64(binary.LittleEndian.Uint32(b))
	case 8:
		v[0] = binary.LittleEndian.Uint64(b)
	case 16:
		v[0], v[1] = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	}
	return v
}
