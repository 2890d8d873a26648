package memsys

import (
	"divergo/memsys/dram"
	"divergo/rtl"
)

// ReadCache is a read-only cache of an SM, in front of the L2: set-associative, LRU, one request a
// cycle, in order. It follows the L1 without its stores. A request that misses reserves a way and
// an MSHR; later requests of the line wait in the MSHR. The cache may have shorter lines than the
// L2. It then takes its part from the packet.
//
// The memory behind it must not change during a launch. No fence or store reaches the cache; only a
// request of kind ReadDrop, at the end of a kernel, makes it forget its lines.
//
// A cache with prefetch also fetches the line after one that misses, and after a prefetched line at
// its first use (tagged prefetch: Smith, Cache Memories, Computing Surveys 1982, section 2.1). A
// prefetch that finds no MSHR, no way or no room for its request is dropped.
//
// A cache of instructions keeps no bytes, and answers with zeros: the model decodes a program once,
// and its text is not in memory.
type ReadCache struct {
	rtl.State[readCacheState]
	Count rtl.State[ReadCacheCounters] `rtl:"sim,inplace"`
	In    rtl.In[ReadRequest]
	Out   rtl.Out[ReadResponse]
	Req   rtl.Out[Request]
	Rsp   rtl.In[Response]

	sim      *rtl.Sim
	mshrNum  int
	merge    int
	prefetch bool
	port     uint16
	line     uint64 // bytes
	packet   uint64 // bytes of a line of the L2
	addrs    dram.AddrMap
	cache    cache
	mshrs    *rtl.Mem[readMSHR]
	early    *rtl.Mem[bool] `rtl:"inplace"` // by way: prefetched and not yet used
}

// ReadKind is the kind of a ReadRequest.
type ReadKind uint8

// The kinds.
const (
	ReadLine  ReadKind = iota // answer with the line
	ReadTouch                 // no answer: the client has found the line with Holds
	ReadDrop                  // no answer: forget all lines
)

var readNames = [...]string{"line", "touch", "drop"}

// String returns the name shown in waveforms.
func (k ReadKind) String() string { return name(readNames[:], int(k)) }

// ReadRequest asks a ReadCache for a line. A request that waits for a line with the tag and lanes
// of an earlier one shares its answer.
type ReadRequest struct {
	Kind  ReadKind `bits:"2"`
	Tag   uint16   // returned with the answer, like Lanes
	Lanes uint32   `bits:"lanes"`
	Line  uint64   `bits:"address"` // address of the line
	Fold  uint32   `if:"textures"`  // exclusive or with the number of the line chooses its set: see TextureUnit
}

// ReadResponse answers a ReadRequest. Responses come in any order.
type ReadResponse struct {
	Tag   uint16
	Lanes uint32 `bits:"lanes"`
	Line  uint64 `bits:"address"` // address of the line
	Data  Line   `len:"line"`
}

type readCacheState struct {
	Gen    uint32                // generation of valid lines
	Clock  uint64                `rtl:"sim"`            // requests so far, for LRU
	Used   [MaxMSHRs / 64]uint64 `len:"1" bits:"mshrs"` // MSHRs in use
	Served uint8                 `bits:"3"`             // requests of the MSHR at Rsp already answered
	Next   uint64                `bits:"address"`       // address of the line to prefetch; 0: none

	Stall Cause  `rtl:"sim" bits:"3"` // of the request at In
	Since uint64 `rtl:"sim"`          // cycle in which the stall began
}

// ReadCacheCounters are the counts of a ReadCache since reset.
type ReadCacheCounters struct {
	Reads        uint64 // requests of lines, without prefetches
	Hits         uint64
	Misses       uint64 // requests that sent a packet
	Merges       uint64 // requests that joined an MSHR
	Evictions    uint64 // lines replaced
	Prefetches   uint64 // packets sent in advance
	PrefetchHits uint64 // prefetched lines that a request used, be it while they were in flight
	Stalls       [NumCauses]uint64
}

// readMSHR is a line in flight.
type readMSHR struct {
	Line    uint64               `bits:"address"`
	Fold    uint32               `bits:"fold"`
	Way     uint32               `bits:"way"`
	Gen     uint32               `bits:"valid"` // generation of Way
	Count   uint8                `bits:"4"`     // targets; 0: a prefetch
	Targets [MaxMerge]readTarget `len:"merge"`
}

// readTarget is a request that waits for the line.
type readTarget struct {
	Tag   uint16
	Lanes uint32 `bits:"lanes"`
}

// readCacheSize holds the parameters of a ReadCache.
type readCacheSize struct {
	size, assoc, line, mshrs, merge int
	text, prefetch                  bool
}

// newReadCache makes a read-only cache of the SM at a port of the request network.
func newReadCache(cfg *Config, of readCacheSize, port int, in rtl.In[ReadRequest], out rtl.Out[ReadResponse],
	req rtl.Out[Request], rsp rtl.In[Response],
) *ReadCache {
	c := &ReadCache{
		In: in, Out: out, Req: req, Rsp: rsp,
		mshrNum: of.mshrs, merge: of.merge, prefetch: of.prefetch, port: uint16(port),
		line: uint64(of.line), packet: uint64(cfg.L2.Line), addrs: dram.NewAddrMap(&cfg.DRAM),
		cache: newCache(of.size, of.assoc, of.line, of.line, dram.HashNone), mshrs: rtl.NewMem[readMSHR](of.mshrs),
		early: rtl.NewMem[bool](of.size / of.line),
	}
	if of.text {
		c.cache.data = rtl.NewMem[Line](0)
	}
	c.Init(readCacheState{Gen: 1})
	return c
}

// Tick handles a response, or else a prefetch, or else a request: the cache has one port.
func (c *ReadCache) Tick() {
	switch {
	case c.Rsp.Valid():
		c.fill()
	case c.Q().Next != 0:
		c.ahead(c.Q().Next)
	case c.In.Valid():
		c.account(c.access(c.In.Front()))
	}
}

// Idle reports whether the cache waits for nothing.
func (c *ReadCache) Idle() bool {
	q := c.Q()
	return q.Used == [MaxMSHRs / 64]uint64{} && q.Next == 0 && !c.In.Valid()
}

// Holds reports whether the cache holds a line. A client may then read it at once, and sends a
// ReadTouch.
func (c *ReadCache) Holds(line uint64) bool {
	w := c.find(line, 0)
	return w >= 0 && !c.cache.ways.At(w).Waiting
}

// find returns the way of a line, or -1.
func (c *ReadCache) find(address uint64, fold uint32) int {
	line := uint32(address >> c.cache.shift)
	return c.cache.find(c.cache.set(line^fold), line, c.Q().Gen)
}

// fill stores the line at Rsp and gives it to one of the requests that wait for it.
func (c *ReadCache) fill() {
	q, d := c.Regs()
	r := c.Rsp.Front()
	m := c.mshrs.At(int(r.ID))
	if m.Count > 0 && !c.Out.Ready() {
		return
	}
	var data Line
	part := m.Line & (c.packet - 1)
	copy(data[:c.line], r.Data[part:])
	if q.Served == 0 && m.Gen == q.Gen {
		if c.cache.data.Len() > 0 {
			c.cache.data.Write(int(m.Way), data)
		}
		c.cache.ways.Edit(int(m.Way)).Waiting = false
	}
	if m.Count > 0 {
		t := &m.Targets[q.Served%MaxMerge]
		out := c.Out.PushSlot()
		out.Tag, out.Lanes, out.Line, out.Data = t.Tag, t.Lanes, m.Line, data
	}
	if q.Served+1 < m.Count {
		d.Served++
		return
	}
	d.Served = 0
	d.Used[r.ID/64] &^= 1 << (r.ID % 64)
	c.Rsp.Pop()
}

// account measures how long the request at In waits for the same cause.
func (c *ReadCache) account(cause Cause) {
	q := c.Q()
	if cause == q.Stall {
		return
	}
	if q.Stall != NoStall {
		c.Count.D().Stalls[q.Stall] += c.sim.Now() - q.Since
	}
	d := c.D()
	d.Stall, d.Since = cause, c.sim.Now()
}

// access performs a request. It returns the cause if the request made no progress.
func (c *ReadCache) access(r *ReadRequest) Cause {
	if r.Kind == ReadDrop {
		c.D().Gen++
		c.In.Pop()
		return NoStall
	}
	w := c.find(r.Line, r.Fold)
	switch {
	case w >= 0 && !c.cache.ways.At(w).Waiting:
		if r.Kind == ReadLine {
			if !c.Out.Ready() {
				return NoStall
			}
			out := c.Out.PushSlot()
			out.Tag, out.Lanes, out.Line = r.Tag, r.Lanes, r.Line
			if c.cache.data.Len() > 0 {
				out.Data = *c.cache.data.At(w)
			}
		}
		c.touch(w)
		c.used(w, r.Line)
		c.Count.D().Hits++
	case r.Kind == ReadTouch: // the client has read the line, which another one has replaced since
		c.Count.D().Hits++
	case w >= 0:
		if !c.join(w, r) {
			return ReserveFail
		}
		c.used(w, r.Line)
		c.Count.D().Merges++
	default:
		m := readMSHR{Line: r.Line, Fold: r.Fold, Count: 1}
		m.Targets[0] = readTarget{r.Tag, r.Lanes}
		if cause := c.fetch(m); cause != NoStall {
			return cause
		}
		c.after(r.Line)
		c.Count.D().Misses++
	}
	c.Count.D().Reads++
	c.In.Pop()
	return NoStall
}

// join adds a request to the MSHR of the line in way w, if there is room.
func (c *ReadCache) join(w int, r *ReadRequest) bool {
	id := int(c.cache.ways.At(w).MSHR[0])
	m, t := c.mshrs.At(id), readTarget{r.Tag, r.Lanes}
	for i := range m.Count {
		if m.Targets[i&(MaxMerge-1)] == t {
			return true
		}
	}
	if int(m.Count) == c.merge {
		return false
	}
	e := c.mshrs.Edit(id)
	e.Targets[e.Count&(MaxMerge-1)] = t
	e.Count++
	return true
}

// fetch requests a line from the L2 for an MSHR, and reserves a way for it.
func (c *ReadCache) fetch(m readMSHR) Cause {
	q, d := c.Regs()
	line := uint32(m.Line >> c.cache.shift)
	id, w := lowestFree(&q.Used, c.mshrNum), c.cache.victim(c.cache.set(line^m.Fold), q.Gen)
	switch {
	case id < 0:
		return MSHRFull
	case w < 0:
		return ReserveFail
	case !c.Req.Ready():
		return NetworkFull
	}
	p := c.Req.PushSlot()
	p.Kind, p.Line, p.Src, p.ID = Load, m.Line&^(c.packet-1), c.port, uint8(id)
	p.Dst = uint8(c.addrs.Channel(p.Line))
	m.Way, m.Gen = uint32(w), q.Gen
	c.mshrs.Write(id, m)
	d.Used[id/64] |= 1 << (id % 64)
	if c.cache.tags.At(w).Gen == q.Gen {
		c.Count.D().Evictions++
	}
	c.cache.tags.Write(w, tag{line, q.Gen})
	c.cache.ways.Write(w, way{Waiting: true, MSHR: [maxSectors]uint8{uint8(id)}})
	if c.prefetch {
		*c.early.Edit(w) = m.Count == 0
	}
	c.touch(w)
	return NoStall
}

// touch makes way w the most recently used.
func (c *ReadCache) touch(w int) {
	c.D().Clock++
	c.cache.ways.Edit(w).Used = c.D().Clock
}

// used notes a request of the line in way w. The first one of a prefetched line fetches the next.
func (c *ReadCache) used(w int, line uint64) {
	if !c.prefetch || !*c.early.At(w) {
		return
	}
	*c.early.Edit(w) = false
	c.Count.D().PrefetchHits++
	c.after(line)
}

// after makes the line after another one the next to prefetch.
func (c *ReadCache) after(line uint64) {
	if c.prefetch {
		c.D().Next = line + c.line
	}
}

// ahead prefetches a line, unless the cache has it or lacks room.
func (c *ReadCache) ahead(line uint64) {
	c.D().Next = 0
	if c.find(line, 0) < 0 && c.fetch(readMSHR{Line: line}) == NoStall {
		c.Count.D().Prefetches++
	}
}
