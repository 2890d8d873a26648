package memsys

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys/dram"
	"divergo/rtl"
)

// epochs is the number of fences that can be outstanding in an L1, plus one.
const epochs = 8

// L1 is the data cache of an SM: set-associative, LRU, one access a cycle, in order. It follows
// Fung and Aamodt (HPCA 2011, section 5), with the policy of GPGPU-Sim 2.1.1b. A load that misses
// reserves a way and an MSHR and sends a request. Later loads of the line wait in the MSHR. Stores
// do not allocate, except a store to the first bytes of a stack line. The other bytes of that line
// are unused and need not be fetched. With write-back a store that hits stays in the line as dirty
// bytes; with write-through it is also sent to the L2.
//
// With sectors, a load that misses requests only the sectors that its lanes read, also of a line that
// is there. A load whose lanes find their sectors in different states takes a cycle for each: those
// that hit, those that each miss in flight answers, and last those that miss. A store keeps the
// bytes of sectors that are there, and sends the others to the L2.
//
// L1s are not coherent. Accesses that other SMs must see bypass the L1: atomics, reductions, and
// accesses with .cg, .cv or .volatile. They first remove the L1's copy, written back if dirty, and then
// go to the L2. A store to a line in flight cannot be merged into it, because earlier loads must
// not see the store. The line still answers those loads, but is not kept. An SM therefore never
// reads data older than its own writes, provided that the network keeps order.
//
// A fence writes back all dirty bytes and forgets all lines, because its thread may next read data
// that others wrote before. It closes the epoch of the requests so far. It is answered when the
// last of them is answered. Later requests belong to the next epoch, so they cannot delay the
// fence. A flush does the same.
type L1 struct {
	rtl.State[l1State]
	Count rtl.State[L1Counters] `rtl:"sim,inplace"`
	In    rtl.In[LineRequest]
	Out   rtl.Out[LineResponse]
	Req   rtl.Out[Request]
	Rsp   rtl.In[Response]

	sim     *rtl.Sim
	mshrNum int
	merge   int
	storing storing
	port    uint16
	addrs   dram.AddrMap
	cache   cache
	mshrs   *rtl.Mem[mshr] `rtl:"inplace"`

	// OnLoad receives each load that is looked up.
	OnLoad rtl.Observers[LookedUp]
}

// LookedUp is a load with the result of its lookup.
type LookedUp struct {
	*LineRequest
	Found Found
}

// Found is the result of looking up a load in the L1.
type Found uint8

// The results of a lookup.
const (
	Hit   Found = iota // the cache holds the line
	Merge              // a miss of the line is in flight
	Miss               // the line is neither present nor in flight
	NumFound
)

type l1State struct {
	Gen    uint32                // generation of valid lines
	Clock  uint64                `rtl:"sim"`            // accesses so far, for LRU
	Used   [MaxMSHRs / 64]uint64 `len:"1" bits:"mshrs"` // MSHRs in use
	Served uint8                 `bits:"3"`             // loads of the MSHR at Rsp already answered
	Walk   uint16                // word of dirty bits that the fence at In examines
	Done   uint32                `bits:"lanes"` // lanes of the load at In that are taken care of
	Worst  Found                 `bits:"2"`     // of these lanes

	Epoch   uint8          `bits:"3"` // of new requests
	Oldest  uint8          `bits:"3"` // epoch of the next fence to answer; equal to Epoch if there is none
	Pending [epochs]uint16 // requests without a response
	Fence   [epochs]uint8  `bits:"6"` // coalescer entry of the fence that closed the epoch

	Stall   Cause  `rtl:"sim" bits:"3"` // of the access at In
	StallOf Source `rtl:"sim" bits:"3"`
	Since   uint64 `rtl:"sim"` // cycle in which the stall began
}

// L1Counters are the counts of an L1 since reset. They count lines, not lanes, and each access
// once.
type L1Counters struct {
	Loads, Stores, Atomics uint64 // Atomics includes reductions
	Bypasses               uint64 // loads and stores with .cg or .volatile
	LoadHits               uint64
	LoadMisses             uint64 // loads that sent a request
	SectorMisses           uint64 // of these, loads of other sectors of a line that was there
	Merges                 uint64 // loads that joined an MSHR
	StoreHits              uint64
	WriteBacks             uint64                  // dirty lines sent to the L2
	Evictions              uint64                  // clean lines replaced
	Fences                 uint64                  // fences and flushes
	Stalls                 [ofL1][NumCauses]uint64 // without those of the coalescer and of shared memory
}

// mshr is a miss status holding register: an outstanding load or atomic.
type mshr struct {
	Keep    bool             // fill Way with the line
	Sectors uint8            `bits:"4"` // that it fetches
	Way     uint32           `bits:"way"`
	Gen     uint32           `bits:"valid"` // generation of Way
	Count   uint8            `bits:"4"`     // targets
	Targets [MaxMerge]target `len:"merge"`
}

// target is a coalescer entry that waits for the line.
type target struct {
	Entry uint8  `bits:"6"`
	Lanes uint32 `bits:"lanes"`
}

// newL1 makes the L1 at the given port of the request network.
func newL1(cfg *Config, port int, in rtl.In[LineRequest], out rtl.Out[LineResponse], req rtl.Out[Request],
	rsp rtl.In[Response],
) *L1 {
	l := &L1{
		In: in, Out: out, Req: req, Rsp: rsp,
		mshrNum: cfg.L1.MSHRs, merge: cfg.L1.MSHRMerge, storing: writePolicies.Must(cfg.L1.Write),
		port: uint16(port), addrs: dram.NewAddrMap(&cfg.DRAM),
		cache: newCache(cfg.L1.Size, cfg.L1.Assoc, cfg.L1.Line, cfg.L1.Sector, cfg.L1.Hash).writable(),
		mshrs: rtl.NewMem[mshr](cfg.L1.MSHRs),
	}
	l.Init(l1State{Gen: 1})
	return l
}

// Tick handles a response, then a completed fence, then an access. In the cycle of a fill the cache
// takes no access: it has one port.
func (l *L1) Tick() {
	filling := false
	if l.Rsp.Valid() {
		switch l.Rsp.Front().Kind {
		case Load, Atomic:
			filling = true
			if l.Out.Ready() {
				l.fill()
			}
		default:
			l.performed(l.Rsp.Front().Epoch)
			l.Rsp.Pop()
		}
	}
	q := l.Q()
	if q.Oldest != q.Epoch && q.Pending[q.Oldest] == 0 && l.Out.Ready() {
		l.Out.Push(LineResponse{Entry: q.Fence[q.Oldest]})
		l.D().Oldest = (q.Oldest + 1) % epochs
	}
	if l.In.Valid() && !filling {
		l.account(l.access(l.In.Front()))
	}
}

// performed records the response to a request of the epoch.
func (l *L1) performed(epoch uint8) { l.D().Pending[epoch%epochs]-- }

// fill gives the line at Rsp to one of the loads that wait for it.
func (l *L1) fill() {
	q, d := l.Regs()
	r := l.Rsp.Front()
	m := l.mshrs.At(int(r.ID))
	t := &m.Targets[q.Served%MaxMerge]
	out := l.Out.PushSlot()
	out.Entry, out.Lanes, out.Data = t.Entry, t.Lanes, r.Data
	if w := int(m.Way); q.Served == 0 && m.Keep && m.Gen == q.Gen {
		s := l.cache.ways.Edit(w)
		if l.cache.sectors == 1 {
			l.cache.data.Write(w, r.Data)
		} else {
			l.cache.data.Edit(w).Merge(&r.Data, l.cache.bytes[m.Sectors])
		}
		s.Valid |= m.Sectors
		s.Flight &^= m.Sectors
		s.Waiting = s.Flight != 0
	}
	if q.Served+1 < m.Count {
		d.Served++
		return
	}
	d.Served = 0
	d.Used[r.ID/64] &^= 1 << (r.ID % 64)
	l.performed(r.Epoch)
	l.Rsp.Pop()
}

// account measures how long the access at In waits for the same cause.
func (l *L1) account(cause Cause) {
	q := l.Q()
	if cause == q.Stall {
		return
	}
	d := l.D()
	if q.Stall != NoStall {
		l.Count.D().Stalls[q.StallOf][q.Stall] += l.sim.Now() - q.Since
	}
	d.Stall, d.Since = cause, l.sim.Now()
	if l.In.Valid() {
		r := l.In.Front()
		d.StallOf = sourceOf(r.Kind, r.Space)
	}
}

// access performs one cycle of work on a request. It returns the cause if the request made no
// progress.
func (l *L1) access(r *LineRequest) Cause {
	line := uint32(r.Line >> l.cache.shift)
	w := -1
	if r.Kind != Fence && r.Kind != Flush {
		w = l.cache.find(l.cache.set(line), line, l.Q().Gen)
	}
	switch {
	case r.Kind == Fence || r.Kind == Flush:
		return l.fence(r)
	case r.Kind == Atomic || r.Kind == Reduce || r.Cache == isa.CacheGlobal || r.Cache == isa.CacheVolatile:
		if w >= 0 {
			return l.giveUp(w)
		}
		return l.bypass(r)
	case r.Kind == Store:
		return l.store(r, line, w)
	}
	return l.load(r, line, w)
}

// giveUp removes the line in way w, be it dirty, clean or in flight.
func (l *L1) giveUp(w int) Cause {
	if l.cache.isDirty(w) {
		if !l.Req.Ready() {
			return WriteBackFull
		}
		l.writeBack(w)
	}
	l.forsake(w, l.cache.every())
	l.cache.drop(w)
	return NoStall
}

// forsake gives up the fetches of sectors of way w. Their MSHRs answer the loads that wait, and keep
// nothing. It reports whether the way has no sector then, and fetches none.
func (l *L1) forsake(w int, sectors uint8) (empty bool) {
	s := l.cache.ways.Edit(w)
	for i := range s.MSHR {
		if sectors&s.Flight>>i&1 != 0 {
			m := l.mshrs.Edit(int(s.MSHR[i]))
			m.Keep = false
			s.Flight &^= m.Sectors
		}
	}
	s.Waiting = s.Flight != 0
	return s.Valid|s.Flight == 0
}

// writeBack sends the dirty bytes of way w to the L2.
func (l *L1) writeBack(w int) {
	p := l.send(Store, l.cache.address(w))
	p.Mask, p.Data = *l.cache.dirtyBytes.At(w), *l.cache.data.At(w)
	l.cache.clean(w)
	l.Count.D().WriteBacks++
}

// send starts a packet for the slice of the line.
func (l *L1) send(kind Kind, line uint64) *Request {
	q, d := l.Regs()
	p := l.Req.PushSlot()
	p.Kind, p.Line, p.Src, p.Epoch = kind, line, l.port, q.Epoch
	p.Dst = uint8(l.addrs.Channel(line))
	d.Pending[q.Epoch]++
	return p
}

// bypass sends a request that does not use the cache.
func (l *L1) bypass(r *LineRequest) Cause {
	if !l.Req.Ready() {
		return NetworkFull
	}
	id := 0
	if r.Kind == Load || r.Kind == Atomic {
		if id = l.freeMSHR(); id < 0 {
			return MSHRFull
		}
		l.reserve(id, mshr{}, target{r.Entry, r.Lanes})
	}
	p := l.send(r.Kind, r.Line)
	p.ID = uint8(id)
	switch r.Kind {
	case Store:
		p.Mask, p.Data = r.Mask, r.Data
		l.Count.D().Stores++
		l.Count.D().Bypasses++
	case Load:
		p.Mask = l.reads(r, r.Lanes)
		l.Count.D().Loads++
		l.Count.D().Bypasses++
	default:
		p.Off, p.Size, p.Atom, p.Type, p.A, p.B = r.Off, r.Size, r.Atom, r.Type, r.A, r.B
		l.Count.D().Atomics++
	}
	l.In.Pop()
	return NoStall
}

// store writes to the line in way w, and sends the bytes of other sectors to the L2; w is -1 without
// a line.
func (l *L1) store(r *LineRequest, line uint32, w int) Cause {
	var here, coming uint8 // sectors of the store that the line has, or fetches
	touched := l.cache.touched(r.Mask)
	if w >= 0 {
		s := l.cache.ways.At(w)
		here, coming = touched&s.Valid, touched&s.Flight
	}
	allocate := w < 0 && r.Stack && r.Mask[0]&1 != 0
	if allocate {
		var dirty bool
		if w, dirty = l.victim(line); dirty {
			return l.giveUp(w) // the way is empty when the store tries again
		}
		if allocate = w >= 0; allocate {
			here = touched
		}
	}
	if here != touched || l.storing.through {
		if !l.Req.Ready() {
			return NetworkFull
		}
		p := l.send(Store, r.Line)
		p.Mask, p.Data, p.First = r.Mask, r.Data, r.Cache == isa.CacheStream
		if !l.storing.through {
			p.Mask = r.Mask.AndNot(l.cache.bytes[here])
		}
	}
	if coming != 0 && l.forsake(w, coming) {
		l.cache.drop(w)
	}
	switch {
	case allocate:
		l.take(w, line, r, way{Valid: l.cache.every()})
		l.cache.data.Write(w, Line{})
	case here != 0 && here == touched:
		l.Count.D().StoreHits++
	}
	if here != 0 {
		l.storing.write(&l.cache, w, &r.Data, r.Mask.And(l.cache.bytes[here]))
		l.touch(w, r)
	}
	l.Count.D().Stores++
	l.In.Pop()
	return NoStall
}

// victim returns the way for a new line, -1 if there is none. It also reports whether the line in
// that way must first be written back.
func (l *L1) victim(line uint32) (w int, dirty bool) {
	w = l.cache.victim(l.cache.set(line), l.Q().Gen)
	return w, w >= 0 && l.cache.tags.At(w).Gen == l.Q().Gen && l.cache.isDirty(w)
}

// take gives way w to the line of a request.
func (l *L1) take(w int, line uint32, r *LineRequest, s way) {
	gen := l.Q().Gen
	if l.cache.tags.At(w).Gen == gen {
		l.Count.D().Evictions++
	}
	l.cache.tags.Write(w, tag{line, gen})
	l.cache.ways.Write(w, s)
	l.touch(w, r)
}

// touch makes way w the most recently used. A request with .cs leaves the order as it is.
func (l *L1) touch(w int, r *LineRequest) {
	if r.Cache != isa.CacheStream {
		l.D().Clock++
		l.cache.ways.Edit(w).Used = l.D().Clock
	}
}

// lanes returns the lanes of a load that read some sectors.
func (l *L1) lanes(r *LineRequest, sectors uint8) (lanes uint32) {
	if l.cache.sectors == 1 {
		return r.Lanes & -uint32(sectors&1)
	}
	for s := range l.cache.sectors {
		if sectors>>s&1 != 0 {
			lanes |= r.Sectors[s]
		}
	}
	return lanes
}

// of returns the sectors that some lanes of a load read.
func (l *L1) of(r *LineRequest, lanes uint32) (sectors uint8) {
	if l.cache.sectors == 1 {
		return 1
	}
	for s := range l.cache.sectors {
		if r.Sectors[s]&lanes != 0 {
			sectors |= 1 << s
		}
	}
	return sectors
}

// reads returns the bytes that a request for some lanes asks for: none stands for a whole line.
func (l *L1) reads(r *LineRequest, lanes uint32) ByteMask {
	if l.cache.sectors == 1 {
		return ByteMask{}
	}
	return l.cache.bytes[l.of(r, lanes)]
}

// load answers lanes from way w, joins them to a miss of their sectors, or starts a miss for the rest.
func (l *L1) load(r *LineRequest, line uint32, w int) Cause {
	left := r.Lanes &^ l.Q().Done
	var s way
	if w >= 0 {
		s = *l.cache.ways.At(w)
	}
	if hit := left & l.lanes(r, s.Valid); hit != 0 {
		if !l.Out.Ready() {
			return NoStall
		}
		p := l.Out.PushSlot()
		p.Entry, p.Lanes, p.Data = r.Entry, hit, *l.cache.data.At(w)
		l.touch(w, r)
		l.served(r, hit, Hit)
		return NoStall
	}
	if coming := l.of(r, left&l.lanes(r, s.Flight)) & s.Flight; coming != 0 {
		id := int(s.MSHR[bits.TrailingZeros8(coming)])
		if int(l.mshrs.At(id).Count) == l.merge {
			return ReserveFail
		}
		m := l.mshrs.Edit(id)
		lanes := left & l.lanes(r, m.Sectors)
		m.Targets[m.Count] = target{r.Entry, lanes}
		m.Count++
		l.served(r, lanes, Merge)
		return NoStall
	}
	id := l.freeMSHR()
	if id < 0 {
		return MSHRFull
	}
	there := w >= 0
	if !there {
		var dirty bool
		switch w, dirty = l.victim(line); {
		case w < 0:
			return ReserveFail
		case dirty:
			return l.giveUp(w) // the way is empty when the load tries again
		}
	}
	if !l.Req.Ready() {
		return NetworkFull
	}
	if !there {
		l.take(w, line, r, way{})
	} else {
		l.touch(w, r)
		l.Count.D().SectorMisses++
	}
	p := l.send(Load, r.Line)
	p.ID, p.Mask, p.First = uint8(id), l.reads(r, left), r.Cache == isa.CacheStream
	sectors := l.of(r, left)
	l.reserve(id, mshr{Keep: true, Sectors: sectors, Way: uint32(w), Gen: l.Q().Gen}, target{r.Entry, left})
	to := l.cache.ways.Edit(w)
	to.Waiting = true
	to.Flight |= sectors
	for i := range to.MSHR {
		if sectors>>i&1 != 0 {
			to.MSHR[i] = uint8(id)
		}
	}
	l.served(r, left, Miss)
	return NoStall
}

// served notes that some lanes of the load at In hit, merge or miss. The load leaves with its last
// lanes. It counts as what the worst of its lanes did.
func (l *L1) served(r *LineRequest, lanes uint32, found Found) {
	q, d := l.Regs()
	found = max(found, q.Worst)
	if done := q.Done | lanes; done != r.Lanes {
		d.Done, d.Worst = done, found
		return
	}
	d.Done, d.Worst = 0, Hit
	n := l.Count.D()
	n.Loads++
	switch found {
	case Hit:
		n.LoadHits++
	case Merge:
		n.Merges++
	case Miss:
		n.LoadMisses++
	}
	if l.OnLoad.Any() {
		l.OnLoad.Notify(LookedUp{r, found})
	}
	l.In.Pop()
}

// freeMSHR returns the lowest free MSHR, or -1.
func (l *L1) freeMSHR() int { return lowestFree(&l.Q().Used, l.mshrNum) }

// reserve takes an MSHR for its first target.
func (l *L1) reserve(id int, m mshr, t target) {
	m.Count, m.Targets[0] = 1, t
	l.mshrs.Write(id, m)
	l.D().Used[id/64] |= 1 << (id % 64)
}

// fence writes back a dirty line or moves to the next word of dirty bits, one a cycle. After the
// last word it forgets all lines and closes the epoch.
func (l *L1) fence(r *LineRequest) Cause {
	q, d := l.Regs()
	if w := int(q.Walk); w < l.cache.dirty.Len() {
		dirty := *l.cache.dirty.At(w)
		switch {
		case dirty == 0:
			d.Walk++
		case !l.Req.Ready():
			return WriteBackFull
		default:
			l.writeBack(w*64 + bits.TrailingZeros64(dirty))
		}
		return NoStall
	}
	next := (q.Epoch + 1) % epochs
	if next == q.Oldest {
		return NoStall
	}
	d.Fence[q.Epoch], d.Epoch = r.Entry, next
	d.Gen++
	d.Walk = 0
	l.Count.D().Fences++
	l.In.Pop()
	return NoStall
}
