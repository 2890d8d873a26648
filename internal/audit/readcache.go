package audit

import (
	"fmt"
	"slices"

	"divergo/memsys"
	"divergo/memsys/dram"
)

// readCache audits a read-only cache.
//
// Data: a line that is given away has the bytes of its part of the packet last received. A line can
// be hit from its arrival until the lines are dropped.
//
// The line used longest ago makes room. A request that joins an MSHR is no use.
//
// Requests: a request does one of three things. It hits, it is the first of an MSHR with its own
// packet, or it joins the MSHR that waits for its line. When the line comes, the requests that wait
// are answered in order, and the MSHR is free. Any other packet is for the line after one that
// missed, or after a prefetched one at its first use.
type readCache struct {
	block
	readSize
	c *memsys.ReadCache

	lines  map[uint64]memsys.Line // that came since the last drop, by address
	early  map[uint64]bool        // prefetched and not asked for since
	ahead  uint64                 // line that can be prefetched
	taken  readAccess             // the last request of a line
	mshrs  [memsys.MaxMSHRs]readMiss
	filled fill // the last packet received

	ways         ways // lines that the cache holds
	count, since memsys.ReadCacheCounters
}

// readSize holds the parameters of a read-only cache.
type readSize struct {
	line, packet   int // bytes of its lines and of those of the L2
	size, assoc    int
	limit, targets int // MSHRs, and answers that each can give
	prefetch       bool
}

// readAccess is a request whose outcome may not be known yet.
type readAccess struct {
	open  bool
	cycle uint64
	line  uint64
	fold  uint32
	found memsys.Found // what it must find
	readTarget
}

// readTarget is the receiver of a line.
type readTarget struct {
	tag   uint16
	lanes uint32
}

// readMiss is an MSHR.
type readMiss struct {
	used     bool
	line     uint64
	fold     uint32 // one that leads to another set may have an MSHR of its own for the line
	keep     bool   // the lines were not dropped since
	targets  []readTarget
	answered int
}

func newReadCache(m *Memory, name string, index int, c *memsys.ReadCache, size readSize) *readCache {
	return &readCache{
		block: block{m, fmt.Sprintf("%s of SM %d", name, index)}, readSize: size, c: c,
		lines: map[uint64]memsys.Line{}, early: map[uint64]bool{},
		ways: newWays(size.size, size.line, size.assoc, dram.HashNone), since: *c.Count.Q(),
	}
}

func (a *readCache) taps() []func() {
	return []func(){a.c.In.Tap(a.request), a.c.Out.Tap(a.answer), a.c.Req.Tap(a.fetch), a.c.Rsp.Tap(a.response)}
}

// request notes a request that the cache takes.
func (a *readCache) request(cycle uint64, r *memsys.ReadRequest) {
	a.settle(cycle)
	if a.over() {
		return
	}
	if r.Kind == memsys.ReadDrop {
		clear(a.lines)
		clear(a.early)
		a.ways.forget()
		a.replaced(&a.ways)
		for i := range a.mshrs {
			a.mshrs[i].keep = false
		}
		return
	}
	found := a.look(cycle, r)
	_, here := a.lines[r.Line]
	if r.Kind == memsys.ReadTouch && !here {
		a.fail(Rule{Cache, "a use of an absent line"}, "cycle %d: line %#x is used, which is not there", cycle, r.Line)
	}
	if r.Kind == memsys.ReadTouch && a.flight(r.Line, r.Fold) != nil { // it was replaced after its use
		return
	}
	if a.early[r.Line] {
		if delete(a.early, r.Line); found != memsys.Miss {
			a.count.PrefetchHits++
		}
		a.ahead = r.Line + uint64(a.line)
	}
	if r.Kind == memsys.ReadLine {
		a.taken = readAccess{true, cycle, r.Line, r.Fold, found, readTarget{r.Tag, r.Lanes}}
	}
}

// look notes the use of a line, and returns what the cache must find.
func (a *readCache) look(cycle uint64, r *memsys.ReadRequest) memsys.Found {
	a.ways.cycle = cycle
	a.count.Reads++
	set, n := a.set(r.Line, r.Fold)
	w := lookup(set, n)
	switch {
	case w != nil && !w.waiting:
		a.ways.use(w)
		a.count.Hits++
		return memsys.Hit
	case r.Kind == memsys.ReadTouch: // the line has been replaced since the client read it
		a.count.Hits++
		return memsys.Miss
	case w != nil:
		a.count.Merges++
		return memsys.Merge
	}
	a.count.Misses++
	return memsys.Miss
}

// set returns the ways for a line, and its number.
func (a *readCache) set(line uint64, fold uint32) (set []holding, n uint64) {
	n = line / uint64(a.line)
	return a.ways.set(n ^ uint64(fold)), n
}

// keep takes a way for a line that is requested.
func (a *readCache) keep(line uint64, fold uint32) {
	set, n := a.set(line, fold)
	w := a.ways.take(set, n)
	if w == nil {
		a.ways.differ("line %#x finds room, though all ways wait", line)
		return
	}
	w.waiting = true
	a.ways.use(w)
}

// flight returns the MSHR that waits for a line in the set of a fold, or nil. Folds that differ can
// lead to the same set.
func (a *readCache) flight(line uint64, fold uint32) *readMiss {
	set, _ := a.set(line, fold)
	for i := range a.mshrs[:a.limit] {
		if m := &a.mshrs[i]; m.used && m.keep && m.line == line {
			if other, _ := a.set(line, m.fold); &other[0] == &set[0] {
				return m
			}
		}
	}
	return nil
}

// settle draws conclusions from a past cycle. A request without an answer and a packet has joined an
// MSHR. An MSHR whose line has come is free.
func (a *readCache) settle(cycle uint64) {
	if t := &a.taken; t.open && t.cycle < cycle {
		t.open = false
		a.join(t)
	}
	if f := &a.filled; f.open && f.cycle < cycle {
		f.open = false
		m := &a.mshrs[f.id]
		if m.used = false; m.answered != len(m.targets) {
			a.fail(Rule{MSHR, "an MSHR free too soon"},
				"cycle %d: MSHR %d is free, %d of %d who wait for line %#x are answered", f.cycle, f.id, m.answered,
				len(m.targets), m.line)
		}
	}
}

func (a *readCache) join(t *readAccess) {
	m := a.flight(t.line, t.fold)
	if m == nil {
		a.fail(Rule{MSHR, "a miss without a request"},
			"cycle %d: the request of line %#x has no answer, no packet and no miss to join", t.cycle, t.line)
		return
	}
	if slices.Contains(m.targets, t.readTarget) {
		return
	}
	m.targets = append(m.targets, t.readTarget)
	if len(m.targets) > a.targets {
		a.fail(Rule{MSHR, "too many loads in an MSHR"},
			"cycle %d: %d requests in the MSHR of line %#x, there is room for %d", t.cycle, len(m.targets), t.line,
			a.targets)
	}
}

// fetch checks a packet to the L2.
func (a *readCache) fetch(cycle uint64, p *memsys.Request) {
	a.settle(cycle)
	if a.over() {
		return
	}
	m, of := &a.mshrs[p.ID], uint64(a.packet)
	if p.Kind != memsys.Load || m.used || int(p.ID) >= a.limit {
		a.fail(Rule{MSHR, "an MSHR taken twice"}, "cycle %d: a %s takes MSHR %d of %d, which waits for line %#x", cycle,
			p.Kind, p.ID, a.limit, m.line)
		return
	}
	next := readMiss{used: true, keep: true, line: a.ahead, targets: m.targets[:0]}
	if t := &a.taken; t.open && t.cycle == cycle {
		t.open = false
		next.line, next.fold, next.targets = t.line, t.fold, append(next.targets, t.readTarget)
		if t.found != memsys.Miss {
			a.ways.differ("line %#x is fetched, it must still be there", t.line)
		}
		a.ahead = t.line + uint64(a.line)
		delete(a.early, t.line)
	} else if a.prefetch && a.ahead != 0 {
		a.early[next.line] = true
		a.count.Prefetches++
		a.ahead = 0
	} else {
		a.fail(Rule{MSHR, "a request that no access needs"}, "cycle %d: a packet for line %#x that nobody asks for", cycle,
			p.Line)
	}
	if p.Line != next.line/of*of {
		a.fail(Rule{MSHR, "a request of another line"}, "cycle %d: a packet for line %#x, where %#x is needed", cycle,
			p.Line, next.line)
	}
	if a.flight(next.line, next.fold) != nil {
		a.fail(Rule{MSHR, "two MSHRs for a line"}, "cycle %d: a second MSHR for line %#x", cycle, next.line)
	}
	a.keep(next.line, next.fold)
	*m = next
}

// response notes a packet of the L2.
func (a *readCache) response(cycle uint64, r *memsys.Response) {
	a.settle(cycle)
	if a.over() {
		return
	}
	m := &a.mshrs[r.ID]
	if !m.used {
		a.fail(Rule{MSHR, "a line for a free MSHR"}, "cycle %d: a line for MSHR %d, which is free", cycle, r.ID)
	}
	a.filled = fill{true, cycle, r.ID, r.Data}
	if m.keep {
		a.lines[m.line] = a.part(m.line, &r.Data)
		if w := lookup(a.set(m.line, m.fold)); w != nil {
			w.waiting = false
		}
	}
}

// part returns the line that a packet holds.
func (a *readCache) part(line uint64, packet *memsys.Line) (part memsys.Line) {
	copy(part[:a.line], packet[line%uint64(a.packet):])
	return part
}

// answer finds the request of an answer.
func (a *readCache) answer(cycle uint64, r *memsys.ReadResponse) {
	if a.over() {
		return
	}
	if t := &a.taken; t.open && t.cycle == cycle && t.readTarget == (readTarget{r.Tag, r.Lanes}) && t.line == r.Line {
		t.open = false
		if t.found != memsys.Hit {
			a.ways.differ("line %#x is there, it must have made room", t.line)
		}
		if line, here := a.lines[t.line]; !here || a.flight(t.line, t.fold) != nil {
			a.fail(Rule{Cache, "a hit of an absent line"}, "cycle %d: a hit of line %#x, which is not there", cycle,
				t.line)
		} else if r.Data != line {
			a.fail(Rule{Cache, "a hit with other bytes"}, "cycle %d: a hit of line %#x gives other bytes than came",
				cycle, t.line)
		}
		return
	}
	id, data := a.filled.id, a.filled.data
	if !a.filled.open || a.filled.cycle != cycle {
		if !a.c.Rsp.Valid() {
			a.fail(Rule{MSHR, "an answer without a line"}, "cycle %d: tag %d is answered, no line has come", cycle,
				r.Tag)
			return
		}
		id, data = a.c.Rsp.Front().ID, a.c.Rsp.Front().Data
	}
	m := &a.mshrs[id]
	if !m.used || m.line != r.Line || m.answered >= len(m.targets) ||
		m.targets[m.answered] != (readTarget{r.Tag, r.Lanes}) {
		a.fail(Rule{MSHR, "the wrong access answered"},
			"cycle %d: line %#x is given to tag %d, lanes %#x, of %d who wait %d are answered", cycle, r.Line, r.Tag,
			r.Lanes, len(m.targets), m.answered)
		return
	}
	if m.answered++; r.Data != a.part(m.line, &data) {
		a.fail(Rule{Cache, "a line with other bytes"},
			"cycle %d: line %#x is given away with other bytes than have come", cycle, m.line)
	}
}

func (a *readCache) end() {
	a.settle(^uint64(0))
	a.replaced(&a.ways)
	now := a.c.Count.Q()
	a.recount(
		tally{"reads", a.count.Reads, now.Reads - a.since.Reads},
		tally{"reads that hit", a.count.Hits, now.Hits - a.since.Hits},
		tally{"reads that missed", a.count.Misses, now.Misses - a.since.Misses},
		tally{"reads that joined a miss", a.count.Merges, now.Merges - a.since.Merges},
		tally{"lines that made room", a.ways.evicted, now.Evictions - a.since.Evictions},
		tally{"lines requested in advance", a.count.Prefetches, now.Prefetches - a.since.Prefetches},
		tally{"lines requested in advance and used", a.count.PrefetchHits, now.PrefetchHits - a.since.PrefetchHits})
	for i := range a.mshrs {
		if m := &a.mshrs[i]; m.used {
			a.fail(Rule{MSHR, "an MSHR left over"}, "MSHR %d waits for line %#x", i, m.line)
		}
	}
}
