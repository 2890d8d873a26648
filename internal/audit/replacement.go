package audit

import (
	"fmt"

	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
)

// ways are the lines that a cache must hold. The line that was used longest ago makes room, if no
// bytes of it are on their way. Among lines never used it is that of the first way. An access with
// .cs is no use.
type ways struct {
	sets    [][]holding
	hash    dram.Hash
	clock   uint64
	cycle   uint64 // of the last access
	evicted uint64 // lines that have made room, and were not written back
	wrong   string // what the cache did otherwise
}

// holding is a way.
type holding struct {
	there, waiting bool
	line, used     uint64 // number of the line in the cache, and time of its last use
	have           dram.ByteMask
	asked          dram.ByteMask // bytes on their way, or come with the last ones that were (L2)
	joined         []memsys.Request
}

// newWays returns the ways of an empty cache.
func newWays(size, line, assoc int, hash dram.Hash) ways {
	w := ways{hash: hash, sets: make([][]holding, size/line/assoc)}
	for i := range w.sets {
		w.sets[i] = make([]holding, assoc)
	}
	return w
}

// set returns the ways for a line. The numbers of lines have no gaps.
func (w *ways) set(line uint64) []holding {
	sets := uint64(len(w.sets))
	at := line % sets
	for above := line / sets; w.hash == dram.HashXOR && sets > 1 && above != 0; above /= sets {
		at ^= above % sets
	}
	return w.sets[at]
}

// lookup returns the way of a line in a set, or nil.
func lookup(set []holding, line uint64) *holding {
	for i := range set {
		if set[i].there && set[i].line == line {
			return &set[i]
		}
	}
	return nil
}

// room returns the way of a set that makes room for a line: an empty one, or that used longest ago.
// It is nil if all wait.
func room(set []holding) (best *holding) {
	for i := range set {
		if h := &set[i]; !h.there {
			return h
		} else if !h.waiting && (best == nil || h.used < best.used) {
			best = h
		}
	}
	return best
}

// take puts a line into a set. It returns nil if all ways wait.
func (w *ways) take(set []holding, line uint64) *holding {
	h := room(set)
	if h == nil {
		return nil
	}
	if h.there {
		w.evicted++
	}
	*h = holding{there: true, line: line}
	return h
}

// use makes a line the one used last.
func (w *ways) use(h *holding) {
	w.clock++
	h.used = w.clock
}

// forget empties all ways.
func (w *ways) forget() {
	for _, set := range w.sets {
		clear(set)
	}
}

// differ notes the first difference.
func (w *ways) differ(format string, line uint64) {
	if w.wrong == "" {
		w.wrong = fmt.Sprintf("cycle %d or soon after: "+format, w.cycle, line)
	}
}

// kept are the lines that a slice of the L2 must hold, by the requests that it takes. A dirty line is
// written back first; its way is empty when the request tries again.
//
// A request that joins a line on its way uses it when the line has come, before any new request.
type kept struct {
	ways
	cfg   *memsys.Config
	last  uint64   // line of the last request; none: it is known to be right
	must  bool     // the last request must fetch
	does  bool     // it has fetched
	wrote []uint64 // lines written back since the last request: to make room, or by a flush
	count memsys.SliceCounters
}

func newKept(cfg *memsys.Config) *kept {
	return &kept{cfg: cfg, last: none, ways: newWays(cfg.L2.Size, cfg.L2.Line, cfg.L2.Assoc, cfg.L2.Hash)}
}

// number returns the number of a line in its slice.
func (k *kept) number(line uint64) uint64 {
	d := &k.cfg.DRAM
	local := line/uint64(d.Interleave)/uint64(d.Channels)*uint64(d.Interleave) + line%uint64(d.Interleave)
	return local / uint64(k.cfg.L2.Line)
}

// perform performs a request on a line.
func (k *kept) perform(w *holding, r *memsys.Request) {
	if r.Kind == memsys.Store {
		w.have = w.have.Or(r.Mask)
	}
	if !r.First {
		k.use(w)
	}
}

// request takes a new request.
func (k *kept) request(cycle uint64, r *memsys.Request, needs dram.ByteMask) {
	k.settle()
	k.cycle = cycle
	n := k.number(r.Line)
	set := k.set(n)
	w := lookup(set, n)
	if w != nil && w.waiting {
		w.joined = append(w.joined, *r)
		k.last, k.must, k.does = r.Line, k.lacks(w, r, needs), false
		if k.must {
			k.count.Misses++
			k.count.SectorMisses++
		} else {
			k.count.Merges++
		}
		return
	}
	if w == nil {
		if w = k.take(set, n); w == nil {
			k.differ("line %#x finds room, though all ways wait", r.Line)
			return
		}
	}
	k.last, k.must, k.does = r.Line, k.lacks(w, r, needs), false
	if k.must {
		if k.count.Misses++; w.have != (dram.ByteMask{}) {
			k.count.SectorMisses++
		}
		w.waiting, w.joined = true, append(w.joined[:0], *r)
	} else {
		k.count.Hits++
	}
	k.perform(w, r)
}

// lacks reports whether a request needs bytes that its line neither has nor waits for.
func (k *kept) lacks(w *holding, r *memsys.Request, needs dram.ByteMask) bool {
	return r.Kind != memsys.Store && !w.have.Or(w.asked).Covers(needs)
}

// fetch notes that bytes of a line are read from the DRAM.
func (k *kept) fetch(line uint64, mask dram.ByteMask) {
	k.does = k.does || line == k.last
	n := k.number(line)
	if w := lookup(k.set(n), n); w != nil {
		w.asked = w.asked.Or(mask)
	}
}

// write notes that a line is written to the DRAM.
func (k *kept) write(line uint64) {
	k.wrote = append(k.wrote, line)
	k.count.WriteBacks++
}

// fill notes bytes that come, the last ones on their way or not.
func (k *kept) fill(line uint64, mask dram.ByteMask, last bool) {
	k.settle()
	n := k.number(line)
	w := lookup(k.set(n), n)
	if w == nil {
		return
	}
	if w.have = w.have.Or(mask); last {
		w.waiting, w.asked = false, dram.ByteMask{}
		for i := range w.joined {
			k.perform(w, &w.joined[i])
		}
	}
}

// flush forgets all lines, unless the L2 keeps them from one run to the next.
func (k *kept) flush() {
	k.wrote = k.wrote[:0]
	if k.settle(); !k.cfg.L2.Keep {
		k.forget()
	}
}

// drop forgets a line that the host writes to.
func (k *kept) drop(line uint64) {
	n := k.number(line)
	if w := lookup(k.set(n), n); w != nil {
		w.there = false
	}
}

// settle compares the last request with what the slice has done since.
func (k *kept) settle() {
	switch {
	case k.last == none:
	case k.must && !k.does:
		k.differ("line %#x is there, it must have made room", k.last)
	case k.does && !k.must:
		k.differ("line %#x is fetched, it must still be there", k.last)
	}
	k.last = none
	for _, line := range k.wrote {
		n := k.number(line)
		if set := k.set(n); lookup(set, n) != nil {
			w := lookup(set, n)
			if room(set) != w {
				k.differ("line %#x makes room, another one in its set was used longer ago", line)
			}
			w.there = false
		}
	}
	k.wrote = k.wrote[:0]
}

// held are the lines that an L1 must hold, by the accesses that it takes. An access past the cache
// removes its line. A store to sectors on their way gives these up, and a line without sectors is
// gone. Stores take no way, except a store to the first bytes of a stack line. A load that joins a
// miss is no use, unless some of its lanes hit.
type held struct {
	ways
	count   memsys.L1Counters
	sectors bool
	size    uint64 // bytes of a line
	all     dram.ByteMask
	stored  uint64 // line of the last access, a store; none: it was none
	last    uint64 // line of the last load; none: it is known to be right
	must    bool   // the last load must fetch
	does    bool   // it has fetched
}

func newHeld(c *memsys.L1Config) *held {
	return &held{
		size: uint64(c.Line), all: dram.Span(0, c.Line), sectors: sectorOf(c) != 0, stored: none, last: none,
		ways: newWays(c.Size, c.Line, c.Assoc, c.Hash),
	}
}

// access takes an access that is no fence, past the cache or not. Its sectors have the bytes in needs;
// those in flight are on their way.
func (h *held) access(cycle uint64, r *memsys.LineRequest, past bool, needs, flight dram.ByteMask) {
	h.settle()
	if h.cycle, h.stored = cycle, none; r.Kind == memsys.Store {
		h.stored = r.Line
	}
	n := r.Line / h.size
	set := h.set(n)
	w := lookup(set, n)
	switch {
	case past && w != nil:
		*w = holding{}
	case past:
	case r.Kind == memsys.Load:
		h.load(r, set, w, needs, flight)
	case r.Kind == memsys.Store && w != nil:
		h.store(r, w, needs, flight)
	case r.Kind == memsys.Store && r.Stack && r.Mask[0]&1 != 0:
		if w = h.take(set, n); w != nil {
			w.have = h.all
			h.touch(r, w)
		}
	}
}

// load takes a load. With sectors its lanes hit one by one.
func (h *held) load(r *memsys.LineRequest, set []holding, w *holding, needs, flight dram.ByteMask) {
	there := w != nil
	h.last, h.must, h.does = r.Line, !there || !w.have.Or(flight).Covers(needs), false
	switch {
	case h.must:
		if !there {
			w = h.take(set, r.Line/h.size)
		} else {
			h.count.SectorMisses++
		}
		if h.count.LoadMisses++; w == nil {
			h.differ("line %#x finds room, though all ways wait", r.Line)
			return
		}
		w.waiting = true
		h.touch(r, w)
	case h.sectors:
	case w.waiting:
		h.count.Merges++
	default:
		h.count.LoadHits++
		h.touch(r, w)
	}
}

// store takes a store to a line that is there.
func (h *held) store(r *memsys.LineRequest, w *holding, needs, flight dram.ByteMask) {
	if w.waiting = flight != (dram.ByteMask{}); !w.waiting && w.have == (dram.ByteMask{}) {
		*w = holding{}
		return
	}
	if here := needs.And(w.have); here != (dram.ByteMask{}) {
		if here == needs {
			h.count.StoreHits++
		}
		h.touch(r, w)
	}
}

// touch notes the use of a line by an access.
func (h *held) touch(r *memsys.LineRequest, w *holding) {
	if r.Cache != isa.CacheStream {
		h.use(w)
	}
}

// hit notes that lanes of a load hit (sectors).
func (h *held) hit(line uint64, stream bool) {
	n := line / h.size
	if w := lookup(h.set(n), n); w != nil && !stream {
		h.use(w)
	}
}

// fetch notes that a line is requested for a load.
func (h *held) fetch(line uint64) { h.does = h.does || line == h.last }

// write notes a packet with bytes of a line, while an access waits. It is of a store that the L1 takes
// in this cycle, of a fence, of an access that removes the line, or else of a line that makes room.
func (h *held) write(cycle, line uint64, front *memsys.LineRequest) {
	if h.cycle == cycle && h.stored == line || front.Kind == memsys.Fence || front.Kind == memsys.Flush ||
		front.Line == line {
		return
	}
	h.settle()
	n := line / h.size
	w := lookup(h.set(n), n)
	if w == nil || room(h.set(front.Line/h.size)) != w {
		h.differ("line %#x makes room, another one in its set was used longer ago", line)
		return
	}
	*w = holding{}
}

// fill notes that bytes of a line have come, and those that are still on their way.
func (h *held) fill(line uint64, mask, flight dram.ByteMask) {
	h.settle()
	n := line / h.size
	if w := lookup(h.set(n), n); w != nil {
		w.have, w.waiting = w.have.Or(mask), flight != dram.ByteMask{}
	}
}

// settle compares the last load with what the L1 has done since.
func (h *held) settle() {
	switch {
	case h.last == none:
	case h.must && !h.does:
		h.differ("line %#x is there, it must have made room", h.last)
	case h.does && !h.must:
		h.differ("line %#x is fetched, it must still be there", h.last)
	}
	h.last = none
}
