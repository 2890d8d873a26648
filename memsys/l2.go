package memsys

import (
	"math/bits"

	"divergo/isa"
	"divergo/memsys/dram"
	"divergo/rtl"
)

// Slice is the part of the unified L2 cache that belongs to one DRAM channel. It is
// set-associative, LRU and write-back, and takes one request a cycle, in order for each line (Fung
// & Aamodt, HPCA 2011, section 5). All SMs see a change by a slice, and the slice answers only
// after the change.
//
// A store allocates its line without fetching it; the line keeps a mask of the bytes that it has. A
// load, or an atomic on a missing byte, fetches the line and fills in the missing bytes. Requests
// for a line in flight wait with its MSHR. When the line arrives they are replayed in order, before
// any other request, as if they had just arrived.
//
// With sectors, the slice fetches only those that lack a byte which a request needs. A request that
// joins a line in flight fetches what is not on its way yet. The line is there when all has come.
//
// The slice performs atomics, one a cycle.
type Slice struct {
	rtl.State[sliceState]
	Count rtl.State[SliceCounters] `rtl:"sim,inplace"`
	In    rtl.In[Request]
	Out   rtl.Out[Response]
	Mem   rtl.Out[dram.Request]
	Fill  rtl.In[dram.Response]

	line    int
	keep    bool     // lines stay valid after a flush
	all     ByteMask // bytes of a line
	mshrNum int
	merge   int
	addrs   dram.AddrMap
	cache   cache
	have    *rtl.Mem[ByteMask]  `rtl:"inplace" len:"1" bits:"have"` // by way: bytes that its line has
	mshrs   *rtl.Mem[sliceMSHR] `rtl:"inplace"`
	waiting *rtl.Mem[Request]   `rtl:"inplace"` // by MSHR: up to merge requests
}

type sliceState struct {
	Gen    uint32                // generation of valid lines
	Clock  uint64                `rtl:"sim"`            // accesses so far, for LRU
	Used   [MaxMSHRs / 64]uint64 `len:"1" bits:"mshrs"` // MSHRs in use
	Replay bool                  // the requests of MSHR are being replayed
	MSHR   uint8
	Next   uint8  `bits:"7"` // request to replay
	Writes uint32 // writes that the DRAM has not acknowledged
	Walk   uint32 // word of dirty bits that the flush at In examines
}

// SliceCounters are the counts of a Slice since reset.
type SliceCounters struct {
	Loads, Stores, Atomics uint64 // requests performed; Atomics includes reductions
	Hits                   uint64 // of these, performed without a replay
	Misses                 uint64 // requests that fetched a line, or sectors of it
	SectorMisses           uint64 // of these, for a line that the slice held in part or had in flight
	Merges                 uint64 // requests that joined an MSHR
	WriteBacks             uint64 // dirty lines sent to the DRAM
	Evictions              uint64 // clean lines replaced
	Flushes                uint64
}

// sliceMSHR is a line in flight with the number of waiting requests.
type sliceMSHR struct {
	Way   uint32   `bits:"way"`
	Count uint8    `bits:"7"`
	Reads uint8    `bits:"3"`            // reads of the DRAM without an answer
	Asked ByteMask `len:"1" bits:"line"` // bytes of these, and of those with one (sectors)
}

// newSlice makes a slice of a configuration that Check accepts.
func newSlice(cfg *Config, in rtl.In[Request], out rtl.Out[Response], mem rtl.Out[dram.Request],
	fill rtl.In[dram.Response],
) *Slice {
	s := &Slice{
		In: in, Out: out, Mem: mem, Fill: fill,
		line: cfg.L2.Line, keep: cfg.L2.Keep, all: dram.Span(0,
			cfg.L2.Line), mshrNum: cfg.L2.MSHRs, merge: cfg.L2.MSHRMerge,
		addrs: dram.NewAddrMap(&cfg.DRAM),
		cache: newCache(cfg.L2.Size, cfg.L2.Assoc, cfg.L2.Line, cfg.L2.Sector, cfg.L2.Hash).writable(),
		have:  rtl.NewMem[ByteMask](cfg.L2.Size / cfg.L2.Line),
		mshrs: rtl.NewMem[sliceMSHR](cfg.L2.MSHRs), waiting: rtl.NewMem[Request](cfg.L2.MSHRs * cfg.L2.MSHRMerge),
	}
	s.Init(sliceState{Gen: 1})
	return s
}

// Tick handles one event: a line from the DRAM, or else a request that waited for a line, or else a
// new request. It takes the acknowledgement of a write in addition.
func (s *Slice) Tick() {
	q, d := s.Regs()
	if s.Fill.Valid() && s.Fill.Front().Write {
		d.Writes--
		s.Fill.Pop()
	} else if s.Fill.Valid() && !q.Replay {
		s.fill()
		return
	}
	switch {
	case q.Replay:
		m := s.mshrs.At(int(q.MSHR))
		if !s.access(s.waiting.At(int(q.MSHR)*s.merge + int(q.Next))) {
			return
		}
		d.Next++
		if d.Next == m.Count {
			d.Replay, d.Next = false, 0
			d.Used[q.MSHR/64] &^= 1 << (q.MSHR % 64)
		}
	case s.In.Valid() && s.access(s.In.Front()):
		s.In.Pop()
	}
}

// fill puts the bytes at Fill into the way that waits for them. After the last ones the requests
// that wait are replayed.
func (s *Slice) fill() {
	d := s.D()
	r := s.Fill.Front()
	come := r.Mask
	if come == (ByteMask{}) {
		come = s.all
	}
	m := s.mshrs.Edit(int(r.ID))
	w := int(m.Way)
	have := s.have.Edit(w)
	s.cache.data.Edit(w).Merge(&r.Data, come.AndNot(*have))
	*have = have.Or(come)
	if m.Reads--; m.Reads == 0 {
		s.cache.ways.Edit(w).Waiting = false
		d.Replay, d.MSHR, d.Next = true, r.ID, 0
	}
	s.Fill.Pop()
}

// access performs one cycle of work on a request. It reports whether the request is complete and
// can leave.
func (s *Slice) access(r *Request) bool {
	if r.Kind == FlushAll {
		return s.flush(r)
	}
	q := s.Q()
	line := uint32(r.Line >> s.cache.shift)
	set := s.cache.set(uint32(s.addrs.Local(r.Line) >> s.cache.shift))
	w := s.cache.find(set, line, q.Gen)
	switch {
	case w >= 0 && s.cache.ways.At(w).Waiting:
		return s.join(w, r)
	case w >= 0 && s.have.At(w).Covers(s.needs(r)):
		return s.perform(w, r)
	case w >= 0:
		return s.fetch(w, line, r)
	}
	v := s.cache.victim(set, q.Gen)
	switch {
	case v < 0:
		return false
	case s.cache.tags.At(v).Gen == q.Gen && s.cache.isDirty(v):
		if s.writeBack(v) {
			s.cache.drop(v)
		}
		return false // the way is empty when the request tries again
	case r.Kind == Store:
		if !s.Out.Ready() {
			return false
		}
		s.allocate(v, line)
		return s.perform(v, r)
	}
	return s.fetch(v, line, r)
}

// needs returns the bytes that the line must have before r can be performed.
func (s *Slice) needs(r *Request) ByteMask {
	switch r.Kind {
	case Load:
		if r.Mask != (ByteMask{}) {
			return r.Mask
		}
		return s.all
	case Atomic, Reduce:
		return dram.Span(int(r.Off), int(r.Size))
	}
	return ByteMask{}
}

// allocate gives way v to a line of which it holds no bytes yet.
func (s *Slice) allocate(v int, line uint32) {
	if q := s.Q(); s.cache.tags.At(v).Gen == q.Gen {
		s.Count.D().Evictions++
	}
	s.cache.tags.Write(v, tag{line, s.Q().Gen})
	s.cache.ways.Write(v, way{})
	*s.have.Edit(v) = ByteMask{}
}

// fetch requests a line from the DRAM, for way w, which may already hold a part of it.
func (s *Slice) fetch(w int, line uint32, r *Request) bool {
	d := s.D()
	id := s.freeMSHR()
	if id < 0 || !s.Mem.Ready() {
		return false
	}
	if *s.cache.tags.At(w) != (tag{line, s.Q().Gen}) {
		s.allocate(w, line)
	}
	have := s.have.Next(w)
	if *have != (ByteMask{}) {
		s.Count.D().SectorMisses++
	}
	asked := s.lacks(have, ByteMask{}, r)
	s.read(id, r.Line, asked)
	st := s.cache.ways.Edit(w)
	st.Waiting, st.MSHR[0] = true, uint8(id)
	s.touch(w, r)
	s.mshrs.Write(id, sliceMSHR{Way: uint32(w), Count: 1, Reads: 1, Asked: asked})
	s.waiting.Write(id*s.merge, *r)
	d.Used[id/64] |= 1 << (id % 64)
	s.Count.D().Misses++
	return true
}

// lacks returns the bytes of the sectors that r needs, which the line neither has nor asked for. It
// returns none without sectors, since a line is then fetched as a whole.
func (s *Slice) lacks(have *ByteMask, asked ByteMask, r *Request) ByteMask {
	if s.cache.sectors == 1 {
		return ByteMask{}
	}
	return s.cache.bytes[s.cache.touched(s.needs(r).AndNot(*have).AndNot(asked))].AndNot(asked)
}

// read requests bytes of a line from the DRAM.
func (s *Slice) read(id int, line uint64, asked ByteMask) {
	p := s.Mem.PushSlot()
	p.ID, p.Addr, p.Mask = uint8(id), line, asked
}

// join adds a request to the MSHR of the line in way w. It fetches the sectors that the request needs
// in addition.
func (s *Slice) join(w int, r *Request) bool {
	st := s.cache.ways.At(w)
	id := int(st.MSHR[0])
	n := int(s.mshrs.At(id).Count)
	if n == s.merge {
		return false
	}
	if more := s.lacks(s.have.At(w), s.mshrs.At(id).Asked, r); more != (ByteMask{}) {
		if !s.Mem.Ready() {
			return false
		}
		s.read(id, r.Line, more)
		m := s.mshrs.Edit(id)
		m.Reads++
		m.Asked = m.Asked.Or(more)
		s.Count.D().Misses++
		s.Count.D().SectorMisses++
	} else {
		s.Count.D().Merges++
	}
	s.waiting.Write(id*s.merge+n, *r)
	s.mshrs.Edit(id).Count++
	return true
}

// perform performs a request on the line in way w and answers it.
func (s *Slice) perform(w int, r *Request) bool {
	if !s.Out.Ready() {
		return false
	}
	p := s.Out.PushSlot()
	p.Kind, p.Dst, p.ID, p.Client, p.Epoch = r.Kind, r.Src, r.ID, r.Client, r.Epoch
	switch r.Kind {
	case Load:
		if r.Mask == (ByteMask{}) {
			p.Size, p.Data = uint8(s.line), *s.cache.data.At(w)
		} else {
			p.Size = uint8(r.Mask.Count())
			p.Data.Merge(s.cache.data.At(w), r.Mask)
		}
		s.Count.D().Loads++
	case Store:
		s.write(w, &r.Data, r.Mask)
		s.Count.D().Stores++
	case Atomic, Reduce:
		old := s.cache.data.At(w)[r.Off:]
		v := getWord(old, r.Size)
		if r.Kind == Atomic {
			p.Size = r.Size
			putWord(p.Data[r.Off:], &v, r.Size)
		}
		v[0] = isa.GlobalAtomic(r.Atom, r.Type, v[0], r.A, r.B)
		var data Line
		putWord(data[r.Off:], &v, r.Size)
		s.write(w, &data, dram.Span(int(r.Off), int(r.Size)))
		s.Count.D().Atomics++
	}
	if !s.Q().Replay {
		s.Count.D().Hits++
	}
	s.touch(w, r)
	return true
}

// write puts bytes into way w, which then has them.
func (s *Slice) write(w int, data *Line, mask ByteMask) {
	s.cache.write(w, data, mask)
	have := s.have.Edit(w)
	*have = have.Or(mask)
}

// touch makes way w the most recently used. A request with .cs leaves the order as it is.
func (s *Slice) touch(w int, r *Request) {
	if !r.First {
		s.D().Clock++
		s.cache.ways.Edit(w).Used = s.D().Clock
	}
}

// writeBack sends the dirty bytes of way w to the DRAM, if there is room.
func (s *Slice) writeBack(w int) bool {
	if !s.Mem.Ready() {
		return false
	}
	p := s.Mem.PushSlot()
	p.Write, p.Addr = true, s.cache.address(w)
	p.Mask, p.Data = *s.cache.dirtyBytes.At(w), *s.cache.data.At(w)
	s.cache.clean(w)
	s.D().Writes++
	s.Count.D().WriteBacks++
	return true
}

// freeMSHR returns the lowest free MSHR, or -1.
func (s *Slice) freeMSHR() int { return lowestFree(&s.Q().Used, s.mshrNum) }

// flush works in steps: it waits until no line is in flight, writes back every dirty line, and
// waits until the DRAM has them. Then it forgets all lines, because the host may change memory
// before the next kernel; with l2.keep it keeps them. It examines 64 dirty bits a cycle.
func (s *Slice) flush(r *Request) bool {
	q, d := s.Regs()
	if q.Used != [MaxMSHRs / 64]uint64{} {
		return false
	}
	if w := int(q.Walk); w < s.cache.dirty.Len() {
		if dirty := *s.cache.dirty.At(w); dirty == 0 {
			d.Walk++
		} else {
			s.writeBack(w*64 + bits.TrailingZeros64(dirty))
		}
		return false
	}
	if d.Writes != 0 || !s.Out.Ready() {
		return false
	}
	s.Out.Push(Response{Kind: FlushAll, Dst: r.Src, ID: r.ID})
	if !s.keep {
		d.Gen++
	}
	d.Walk = 0
	s.Count.D().Flushes++
	return true
}

// forget drops the lines of bytes that the host has written. It is called between runs, when no
// line is dirty.
func (s *Slice) forget(addr, bytes uint64) {
	gen := s.Q().Gen
	if line := uint64(s.line); bytes/line < uint64(s.cache.tags.Len()) {
		for at := addr &^ (line - 1); at < addr+bytes; at += line {
			set := s.cache.set(uint32(s.addrs.Local(at) >> s.cache.shift))
			if w := s.cache.find(set, uint32(at>>s.cache.shift), gen); w >= 0 {
				s.cache.tags.Set(w, tag{})
			}
		}
		return
	}
	for w := range s.cache.tags.Len() {
		if at := s.cache.address(w); s.cache.tags.At(w).Gen == gen && at+uint64(s.line) > addr && at < addr+bytes {
			s.cache.tags.Set(w, tag{})
		}
	}
}
