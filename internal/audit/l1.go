package audit

import (
	"fmt"

	"divergo/isa"
	"divergo/memsys"
	"divergo/memsys/dram"
)

// l1 audits the L1 of an SM.
//
// Data: a load that hits gets the line as last received, with all later stores of the SM. A load
// that misses gets the line as received. A line can be hit from its arrival until the next fence,
// or until an atomic or uncached access to it. It cannot be hit at all if one of these, or a store,
// passed it while it was in flight. Each byte that the SM stores goes to the L2 once, with its
// value at that time. It goes before any request for its line and before the next fence is taken;
// at once with write-through.
//
// Requests: an access that reads does one of three things. It hits, it is the first of an MSHR with
// its own request, or it joins the one MSHR that waits for its line. When the line comes, all its
// accesses are answered in order, and the MSHR is free. A fence is answered when all requests
// before it are.
//
// With sectors, the lanes of a load may get their data from several places. Each gets it once: from
// the bytes that a hit must give, or from a line that has come with them. No sector is fetched twice
// at a time.
type l1 struct {
	block
	cfg *memsys.L1Config
	l   *memsys.L1
	all dram.ByteMask // bytes of a line

	sector uint64                // bytes of a sector, 0 without sectors
	early  uint32                // lanes of the load at In that have their data (sectors)
	hits   uint32                // of these, the ones that have hit
	acked  uint64                // cycle of the last response without data
	stored uint64                // cycle of the last store
	backs  uint64                // dirty lines sent to the L2
	owed   [][isa.RowLanes]bytes // by entry; none without sectors

	lines  map[uint64]*copied // by address
	dirty  int                // lines with bytes that were not sent
	gen    int                // fences so far
	taken  access             // the last access that reads
	mshrs  [memsys.MaxMSHRs]miss
	filled fill // the last line received
	sent   [8]int
	fences []fence
	held   *held // lines that the L1 must hold
	since  memsys.L1Counters
}

// bytes are bytes of a line that a lane waits for (sectors).
type bytes struct {
	line uint64
	mask dram.ByteMask // none if it does not wait
}

// copied is the SM's view of a line.
type copied struct {
	data   memsys.Line
	known  dram.ByteMask // bytes of data that a hit must give
	stack  bool          // the line may have been allocated without a fetch, so all sectors are there
	gen    int           // the number of fences at which known was last valid
	own    memsys.Line   // the last stored bytes
	unsent dram.ByteMask // bytes of own that the L2 must still get
}

// access is a line that is read.
type access struct {
	open  bool // its outcome is not known yet
	cycle uint64
	kind  memsys.Kind
	past  bool // it bypasses the cache
	line  uint64
	target
	stream bool   // it is no use of the line
	found  bool   // what it finds is not counted yet (sectors)
	hits   uint32 // lanes that have hit
	fetch  bool   // it has fetched
}

// target is the receiver of the data.
type target struct {
	entry uint8
	lanes uint32
}

// miss is an MSHR.
type miss struct {
	used     bool
	line     uint64
	mask     dram.ByteMask
	keep     bool // the line can be hit after it comes
	targets  []target
	answered int
}

// fill is the line of an MSHR.
type fill struct {
	open  bool // the MSHR is not yet known to be free
	cycle uint64
	id    uint8
	data  memsys.Line
}

// fence is a fence that waits for the requests of its epoch.
type fence struct {
	entry, epoch uint8
}

func newL1(m *Memory, index int, cfg *memsys.Config, l *memsys.L1) *l1 {
	a := &l1{
		block: block{m, fmt.Sprintf("L1 of SM %d", index)}, cfg: &cfg.L1, l: l,
		all: dram.Span(0, cfg.L1.Line), lines: map[uint64]*copied{}, sector: sectorOf(&cfg.L1), stored: ^uint64(0),
		held:  newHeld(&cfg.L1),
		since: *l.Count.Q(),
	}
	if a.sector != 0 {
		a.owed = make([][isa.RowLanes]bytes, memsys.MaxPending)
	}
	return a
}

// sectorOf is the size of a sector, 0 if the line is the only one.
func sectorOf(c *memsys.L1Config) uint64 {
	if c.Sector == c.Line {
		return 0
	}
	return uint64(c.Sector)
}

func (a *l1) taps() []func() {
	return []func(){a.l.In.Tap(a.access), a.l.Out.Tap(a.answer), a.l.Req.Tap(a.request), a.l.Rsp.Tap(a.response)}
}

// copyOf is the model of a line.
func (a *l1) copyOf(line uint64) *copied {
	c := a.lines[line]
	if c == nil {
		c = &copied{}
		a.lines[line] = c
	}
	if c.gen != a.gen {
		c.gen, c.known, c.stack = a.gen, dram.ByteMask{}, false
	}
	return c
}

// access notes an access that the L1 takes.
func (a *l1) access(cycle uint64, r *memsys.LineRequest) {
	a.settle(cycle)
	if a.over() {
		return
	}
	if a.dirty != 0 && a.cfg.Write == memsys.WriteThrough {
		a.fail(Rule{Cache, "bytes kept by a write-through cache"},
			"cycle %d: bytes of %d lines have stayed in a write-through L1", cycle, a.dirty)
	}
	if r.Kind == memsys.Fence || r.Kind == memsys.Flush {
		if a.dirty != 0 {
			a.fail(Rule{Cache, "bytes behind a fence"}, "cycle %d: a fence leaves bytes of %d lines behind", cycle,
				a.dirty)
		}
		a.fences = append(a.fences, fence{r.Entry, uint8(a.gen % len(a.sent))})
		a.gen++
		for i := range a.mshrs {
			a.mshrs[i].keep = false
		}
		a.held.settle()
		a.held.forget()
		a.replaced(&a.held.ways)
		return
	}
	c := a.copyOf(r.Line)
	past := r.Cache == isa.CacheGlobal || r.Cache == isa.CacheVolatile || r.Kind == memsys.Atomic ||
		r.Kind == memsys.Reduce
	if past {
		c.known, c.stack = dram.ByteMask{}, false
	}
	if past || r.Kind == memsys.Store {
		for i := range a.mshrs[:a.cfg.MSHRs] {
			if m := &a.mshrs[i]; m.used && m.line == r.Line && (past || m.mask.And(r.Mask) != dram.ByteMask{}) {
				m.keep = false
			}
		}
	}
	a.held.access(cycle, r, past, a.needs(r), a.flight(r.Line))
	switch r.Kind {
	case memsys.Store:
		a.stored = cycle
		a.store(c, r)
	case memsys.Load, memsys.Atomic:
		a.taken = access{
			open: true, cycle: cycle, kind: r.Kind, past: past, line: r.Line, target: target{r.Entry, r.Lanes},
			stream: r.Cache == isa.CacheStream, found: a.sector != 0 && r.Kind == memsys.Load && !past, hits: a.hits,
		}
		for lane := range isa.RowLanes {
			if a.sector != 0 && (r.Lanes&^a.early)>>lane&1 != 0 {
				a.owed[r.Entry][lane] = bytes{r.Line, a.wants(r, lane)}
			}
		}
	}
	a.early, a.hits = 0, 0
}

// fills reports whether the answers of a cycle are from a line that comes. The L1 then takes no access.
func (a *l1) fills(cycle uint64) bool {
	if a.filled.open && a.filled.cycle == cycle {
		return true
	}
	rsp := a.l.Rsp
	return rsp.Valid() && a.acked != cycle && (rsp.Front().Kind == memsys.Load || rsp.Front().Kind == memsys.Atomic)
}

// find counts what a load that has not fetched has found: a hit if all of its lanes have hit.
func (a *l1) find(t *access) {
	switch {
	case t.fetch:
	case t.hits == t.lanes:
		a.held.count.LoadHits++
	default:
		a.held.count.Merges++
	}
}

// needs returns the bytes of the sectors that a load reads, or that a store writes to.
func (a *l1) needs(r *memsys.LineRequest) (needs dram.ByteMask) {
	if a.sector == 0 {
		return a.all
	}
	for s := range a.cfg.Line / int(a.sector) {
		span := dram.Span(s*int(a.sector), int(a.sector))
		if r.Kind == memsys.Load && r.Sectors[s]&r.Lanes != 0 ||
			r.Kind == memsys.Store && r.Mask.And(span) != (dram.ByteMask{}) {
			needs = needs.Or(span)
		}
	}
	return needs
}

// flight returns the bytes of a line that are on their way and will be kept.
func (a *l1) flight(line uint64) (mask dram.ByteMask) {
	for i := range a.mshrs[:a.cfg.MSHRs] {
		if m := &a.mshrs[i]; m.used && m.keep && m.line == line {
			mask = mask.Or(m.mask)
		}
	}
	return mask
}

// wants is the bytes that a lane waits for: its sector, or the operand of an atomic.
func (a *l1) wants(r *memsys.LineRequest, lane int) dram.ByteMask {
	if r.Kind == memsys.Atomic {
		return dram.Span(int(r.Off), int(r.Size))
	}
	for s, lanes := range r.Sectors {
		if lanes>>lane&1 != 0 {
			return dram.Span(s*int(a.sector), int(a.sector))
		}
	}
	return dram.ByteMask{}
}

// part checks an answer to some lanes of a load, from sectors that are there or that have come.
func (a *l1) part(cycle uint64, r *memsys.LineResponse) {
	a.settle(cycle)
	hit := !a.fills(cycle)
	for lane := range isa.RowLanes {
		if r.Lanes>>lane&1 == 0 {
			continue
		}
		e := a.owed[r.Entry][lane]
		a.owed[r.Entry][lane] = bytes{}
		if front := a.l.In; (e.mask == dram.ByteMask{}) && front.Valid() {
			if q := front.Front(); q.Entry == r.Entry && q.Kind == memsys.Load && (q.Lanes&^a.early)>>lane&1 != 0 {
				e = bytes{q.Line, a.wants(q, lane)}
				a.early |= 1 << lane
				if hit {
					a.hits |= 1 << lane
					a.held.hit(q.Line, q.Cache == isa.CacheStream)
				}
			}
		} else if hit {
			a.taken.hits |= 1 << lane
			a.held.hit(a.taken.line, a.taken.stream)
		}
		if e.mask == (dram.ByteMask{}) {
			a.fail(Rule{MSHR, "the wrong access answered"},
				"cycle %d: entry %d, lane %d gets data that it does not wait for", cycle, r.Entry, lane)
			return
		}
		c := a.copyOf(e.line)
		if known := c.known.And(e.mask); (c.stack || known != dram.ByteMask{}) && same(&r.Data, &c.data, known) {
			continue
		}
		id, data := a.filled.id, &a.filled.data
		if !a.filled.open || a.filled.cycle != cycle {
			if !a.l.Rsp.Valid() {
				a.fail(Rule{Cache, "a hit of an absent line"},
					"cycle %d: a hit of bytes %#x of line %#x, which are not there", cycle, e.mask, e.line)
				return
			}
			id, data = a.l.Rsp.Front().ID, &a.l.Rsp.Front().Data
		}
		if m := &a.mshrs[id]; !m.used || m.line != e.line || !m.mask.Covers(e.mask) || !same(&r.Data, data, e.mask) {
			a.fail(Rule{Cache, "a hit with other bytes"},
				"cycle %d: lane %d of entry %d gets other bytes of line %#x than came and were stored", cycle, lane,
				r.Entry, e.line)
		}
	}
}

// store notes the bytes of a store. The first store to a line of a stack may have allocated the
// line for its bytes only.
func (a *l1) store(c *copied, r *memsys.LineRequest) {
	switch {
	case r.Cache == isa.CacheGlobal || r.Cache == isa.CacheVolatile:
	case r.Stack && r.Mask[0]&1 != 0:
		c.known, c.stack = r.Mask, true
	case c.known != dram.ByteMask{}:
		size := a.cfg.Line
		if a.sector != 0 {
			size = int(a.sector)
		}
		for at := 0; at < a.cfg.Line; at += size {
			if span := dram.Span(at, size); c.known.And(span) != (dram.ByteMask{}) {
				c.known = c.known.Or(r.Mask.And(span))
			}
		}
	}
	c.data.Merge(&r.Data, r.Mask)
	c.own.Merge(&r.Data, r.Mask)
	if c.unsent == (dram.ByteMask{}) && r.Mask != (dram.ByteMask{}) {
		a.dirty++
	}
	c.unsent = c.unsent.Or(r.Mask)
}

// settle draws conclusions from a past cycle. An access without an answer and a request has joined
// an MSHR. An MSHR whose line has come is free.
func (a *l1) settle(cycle uint64) {
	if t := &a.taken; t.open && t.cycle < cycle {
		t.open = false
		if a.sector == 0 {
			a.join(t)
		}
	}
	if t := &a.taken; t.found && t.cycle < cycle {
		t.found = false
		a.find(t)
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

// waiting is the MSHR that waits for bytes of a line and can be joined, or nil.
func (a *l1) waiting(line uint64, mask dram.ByteMask) *miss {
	for i := range a.mshrs[:a.cfg.MSHRs] {
		if m := &a.mshrs[i]; m.used && m.keep && m.line == line && m.mask.And(mask) != (dram.ByteMask{}) {
			return m
		}
	}
	return nil
}

func (a *l1) join(t *access) {
	m := a.waiting(t.line, a.all)
	if t.past || m == nil {
		a.fail(Rule{MSHR, "a miss without a request"},
			"cycle %d: the %s of line %#x has no answer, no request and no miss to join", t.cycle, t.kind, t.line)
		return
	}
	m.targets = append(m.targets, t.target)
	if len(m.targets) > a.cfg.MSHRMerge {
		a.fail(Rule{MSHR, "too many loads in an MSHR"},
			"cycle %d: %d loads in the MSHR of line %#x, there is room for %d", t.cycle, len(m.targets), t.line,
			a.cfg.MSHRMerge)
	}
}

// request checks a packet to the L2.
func (a *l1) request(cycle uint64, p *memsys.Request) {
	if a.over() {
		return
	}
	a.sent[p.Epoch%8]++
	if int(p.Epoch) != a.gen%len(a.sent) {
		a.fail(Rule{MSHR, "a request of another epoch"}, "cycle %d: a request of epoch %d after %d fences", cycle,
			p.Epoch, a.gen)
	}
	c := a.copyOf(p.Line)
	switch {
	case p.Kind == memsys.Load:
		a.held.fetch(p.Line)
	case p.Kind == memsys.Store && a.l.In.Valid():
		a.held.write(cycle, p.Line, a.l.In.Front())
	}
	if p.Kind == memsys.Store {
		if a.stored != cycle { // it is of no store that the L1 takes in this cycle
			a.backs++
		}
		a.written(cycle, c, p)
		return
	}
	mask := a.all
	if p.Kind == memsys.Load && a.sector != 0 {
		mask = p.Mask
	}
	if c.unsent.And(mask) != (dram.ByteMask{}) {
		a.fail(Rule{Cache, "a request past older bytes"},
			"cycle %d: a %s of line %#x goes past bytes %#x that the L2 lacks", cycle, p.Kind, p.Line, c.unsent)
	}
	if p.Kind == memsys.Load || p.Kind == memsys.Atomic {
		a.allocate(cycle, p, mask)
	}
}

// written checks the bytes that go to the L2.
func (a *l1) written(cycle uint64, c *copied, p *memsys.Request) {
	if !c.unsent.Covers(p.Mask) {
		a.fail(Rule{Cache, "other bytes sent than stored"},
			"cycle %d: the bytes %#x of line %#x go to the L2, the SM has stored %#x since", cycle, p.Mask, p.Line,
			c.unsent)
		return
	}
	if !same(&p.Data, &c.own, p.Mask) {
		a.fail(Rule{Cache, "other data sent than stored"},
			"cycle %d: line %#x goes to the L2 with other bytes than were stored", cycle, p.Line)
	}
	c.unsent = c.unsent.AndNot(p.Mask)
	if c.unsent == (dram.ByteMask{}) && p.Mask != (dram.ByteMask{}) {
		a.dirty--
	}
}

// same compares some bytes of two lines.
func same(x, y *memsys.Line, mask dram.ByteMask) bool {
	if *x == *y {
		return true
	}
	z := *x
	z.Merge(y, mask)
	return z == *x
}

// allocate takes an MSHR for the present reading access.
func (a *l1) allocate(cycle uint64, p *memsys.Request, mask dram.ByteMask) {
	t, m := &a.taken, &a.mshrs[p.ID]
	switch {
	case !t.open || t.cycle != cycle || t.kind != p.Kind || t.line != p.Line:
		a.fail(Rule{MSHR, "a request that no access needs"}, "cycle %d: a %s of line %#x that nobody asks for", cycle,
			p.Kind, p.Line)
	case m.used || int(p.ID) >= a.cfg.MSHRs:
		a.fail(Rule{MSHR, "an MSHR taken twice"},
			"cycle %d: MSHR %d of %d is taken for line %#x, it waits for line %#x", cycle, p.ID, a.cfg.MSHRs, p.Line,
			m.line)
	case !t.past && a.waiting(p.Line, mask) != nil:
		a.fail(Rule{MSHR, "two MSHRs for a line"}, "cycle %d: a second MSHR for line %#x", cycle, p.Line)
	}
	t.open, t.fetch = false, true
	*m = miss{used: true, line: p.Line, mask: mask, keep: !t.past, targets: m.targets[:0]}
	if a.sector == 0 {
		m.targets = append(m.targets, t.target)
	}
}

// response notes a response of the L2.
func (a *l1) response(cycle uint64, r *memsys.Response) {
	a.settle(cycle)
	if a.over() {
		return
	}
	if a.sent[r.Epoch%8]--; a.sent[r.Epoch%8] < 0 {
		a.fail(Rule{MSHR, "a response without a request"},
			"cycle %d: a response of epoch %d, which has no request left", cycle, r.Epoch)
	}
	if r.Kind != memsys.Load && r.Kind != memsys.Atomic {
		a.acked = cycle
		return
	}
	m := &a.mshrs[r.ID]
	if !m.used {
		a.fail(Rule{MSHR, "a line for a free MSHR"}, "cycle %d: a line for MSHR %d, which is free", cycle, r.ID)
	}
	a.filled = fill{true, cycle, r.ID, r.Data}
	if m.keep {
		c := a.copyOf(m.line)
		c.data.Merge(&r.Data, m.mask)
		c.known = c.known.Or(m.mask)
		a.held.fill(m.line, m.mask, a.flight(m.line).AndNot(m.mask))
	}
}

// counted compares the statistics of what the accesses found.
func (a *l1) counted() {
	own, now := &a.held.count, a.l.Count.Q()
	a.recount(
		tally{"loads that hit", own.LoadHits, now.LoadHits - a.since.LoadHits},
		tally{"loads that missed", own.LoadMisses, now.LoadMisses - a.since.LoadMisses},
		tally{"loads of other sectors of a line that was there", own.SectorMisses, now.SectorMisses - a.since.SectorMisses},
		tally{"loads that joined a miss", own.Merges, now.Merges - a.since.Merges},
		tally{"dirty lines sent to the L2", a.backs, now.WriteBacks - a.since.WriteBacks},
		tally{"stores that hit", own.StoreHits, now.StoreHits - a.since.StoreHits},
		tally{"clean lines that made room", a.held.evicted, now.Evictions - a.since.Evictions})
}

// answer finds the access of an answer.
func (a *l1) answer(cycle uint64, r *memsys.LineResponse) {
	if a.over() {
		return
	}
	t := &a.taken
	switch {
	case r.Lanes == 0:
		a.passed(cycle, r)
	case a.sector != 0:
		a.part(cycle, r)
	case t.open && t.cycle == cycle && !t.past && t.target == target{r.Entry, r.Lanes}:
		t.open = false
		c := a.copyOf(t.line)
		if c.known == (dram.ByteMask{}) {
			a.fail(Rule{Cache, "a hit of an absent line"}, "cycle %d: a hit of line %#x, which is not there", cycle,
				t.line)
		} else if !same(&r.Data, &c.data, c.known) {
			a.fail(Rule{Cache, "a hit with other bytes"},
				"cycle %d: a hit of line %#x gives other bytes than came and were stored", cycle, t.line)
		}
	default:
		a.supply(cycle, r)
	}
}

// supply checks an answer from a line that has come, or is at the front of the queue.
func (a *l1) supply(cycle uint64, r *memsys.LineResponse) {
	id, data := a.filled.id, &a.filled.data
	if !a.filled.open || a.filled.cycle != cycle {
		if !a.l.Rsp.Valid() {
			a.fail(Rule{MSHR, "an answer without a line"}, "cycle %d: entry %d is answered, no line has come", cycle,
				r.Entry)
			return
		}
		id, data = a.l.Rsp.Front().ID, &a.l.Rsp.Front().Data
	}
	m := &a.mshrs[id]
	if !m.used || m.answered >= len(m.targets) || m.targets[m.answered] != (target{r.Entry, r.Lanes}) {
		a.fail(Rule{MSHR, "the wrong access answered"},
			"cycle %d: line %#x is given to entry %d, lanes %#x, of %d who wait %d are answered", cycle, m.line,
			r.Entry, r.Lanes, len(m.targets), m.answered)
		return
	}
	if m.answered++; !same(&r.Data, data, a.all) {
		a.fail(Rule{Cache, "a line with other bytes"},
			"cycle %d: line %#x is given away with other bytes than have come", cycle, m.line)
	}
}

// passed checks the answer of a fence.
func (a *l1) passed(cycle uint64, r *memsys.LineResponse) {
	if len(a.fences) == 0 || a.fences[0].entry != r.Entry || a.sent[a.fences[0].epoch] != 0 {
		a.fail(Rule{MSHR, "a fence passed too soon"},
			"cycle %d: entry %d passes a fence, requests before it are on their way", cycle, r.Entry)
		return
	}
	a.fences = append(a.fences[:0], a.fences[1:]...)
}

func (a *l1) end() {
	a.settle(^uint64(0))
	a.replaced(&a.held.ways)
	a.counted()
	for i := range a.mshrs {
		if m := &a.mshrs[i]; m.used {
			a.fail(Rule{MSHR, "an MSHR left over"}, "MSHR %d waits for line %#x", i, m.line)
		}
	}
	for entry := range a.owed {
		for lane, e := range a.owed[entry] {
			if e.mask != (dram.ByteMask{}) {
				a.fail(Rule{MSHR, "a lane left over"}, "lane %d of entry %d waits for line %#x", lane, entry, e.line)
			}
		}
	}
	if len(a.fences) != 0 || a.sent != [8]int{} {
		a.fail(Rule{MSHR, "fences left over"}, "%d fences have no answer, requests without response by epoch are %d",
			len(a.fences), a.sent)
	}
	if a.dirty != 0 {
		a.fail(Rule{Cache, "bytes left over"}, "bytes of %d lines never went to the L2", a.dirty)
	}
}
