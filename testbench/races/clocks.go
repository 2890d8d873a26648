package races

import "maps"

// rowThreads is the number of threads in a row of clocks.
const rowThreads = 32

// row holds the clocks of neighbouring threads of a CTA.
type row [rowThreads]uint32

// clocks are the clocks of the threads of a CTA, in rows. A nil row has only zeros. Rows are
// shared: an owner changes only rows of its own.
type clocks []*row

// of returns the clock of a thread.
func (c clocks) of(thread uint16) uint32 {
	i := int(thread) / rowThreads
	if i >= len(c) || c[i] == nil {
		return 0
	}
	return c[i][thread%rowThreads]
}

// knowledge holds, for other threads, the clock up to which their accesses come before a thread's
// own. It is immutable.
type knowledge struct {
	own    clocks            // of threads of its CTA
	others map[uint32]clocks // by other CTAs; nil: none
	until  uint32            // of every thread: all instructions up to this number
}

// moment is the state of a thread at a release: its clock and its knowledge.
type moment struct {
	cta    uint32
	thread uint16
	clock  uint32 // 0: no release yet
	knows  *knowledge
}

// gathered is knowledge that grows.
type gathered struct {
	cta    uint32 // CTA of own
	own    clocks
	mine   []bool // rows of own that may be changed
	others map[uint32]clocks
	until  uint32
	last   *knowledge // the last knowledge added
}

func newGathered(cta uint32, threads int) gathered {
	n := (threads + rowThreads - 1) / rowThreads
	return gathered{cta: cta, own: make(clocks, n), mine: make([]bool, n)}
}

// add adds what a thread knows.
func (g *gathered) add(k *knowledge) {
	if k == nil || k == g.last {
		return
	}
	g.last, g.until = k, max(g.until, k.until)
	g.join(k.own)
	for cta, c := range k.others {
		g.addOther(cta, c)
	}
}

// join adds clocks of the CTA.
func (g *gathered) join(c clocks) {
	for i, r := range c {
		switch {
		case r == nil || r == g.own[i]:
		case g.own[i] == nil:
			g.own[i], g.mine[i] = r, false
		default:
			g.change(i)
			for j, n := range r {
				g.own[i][j] = max(g.own[i][j], n)
			}
		}
	}
}

// addOther adds clocks of threads of another CTA.
func (g *gathered) addOther(cta uint32, c clocks) {
	if cta == g.cta {
		g.join(c)
		return
	}
	if g.others == nil {
		g.others = map[uint32]clocks{}
	}
	before, known := g.others[cta]
	if !known {
		g.others[cta] = c
		return
	}
	if &before[0] == &c[0] {
		return
	}
	joined := newGathered(cta, len(c)*rowThreads)
	joined.join(before)
	joined.join(c)
	g.others[cta] = joined.own
}

// change makes a row private, so that it can be changed.
func (g *gathered) change(i int) {
	if !g.mine[i] {
		r := row{}
		if g.own[i] != nil {
			r = *g.own[i]
		}
		g.own[i], g.mine[i] = &r, true
	}
}

// put adds the clock of a thread of the CTA.
func (g *gathered) put(thread uint16, clock uint32) {
	i := int(thread) / rowThreads
	g.change(i)
	at := &g.own[i][thread%rowThreads]
	*at = max(*at, clock)
}

// knowledge returns the knowledge gathered so far.
func (g *gathered) knowledge() *knowledge {
	return &knowledge{g.share(), maps.Clone(g.others), g.until}
}

// meeting is a barrier, or a bar.warp.sync, from its first arrival until it opens.
type meeting struct {
	gathered
	arrived, need int        // threads; need 0: not specified
	opened        *knowledge // common knowledge of all threads that have waited
}

// open ends the meeting. Exited threads count as arrived.
func (m *meeting) open(gone *gathered) *knowledge {
	if m.opened == nil {
		if gone != nil {
			m.add(gone.knowledge())
		}
		m.opened = m.knowledge()
	}
	return m.opened
}

// flag holds the releases of strong writes to an address, by CTA.
type flag struct {
	by      map[uint32]*gathered
	until   uint32
	version uint32
	first   moment // of the first thread that released, without its knowledge
	sole    bool   // no other thread has released
	coarse  bool   // it covers everything issued before: see Detector.afford

	// These fields describe the last thread that acquired: other threads of its CTA often know the
	// same.
	cta           uint32
	seen          uint32 // version of the flag
	before, after *knowledge
}

// release adds a thread's knowledge at a release.
func (f *flag) release(d *Detector, m *moment) {
	if f.version++; f.version == 1 {
		f.first, f.sole = moment{cta: m.cta, thread: m.thread}, true
	}
	f.sole = f.sole && f.first == (moment{cta: m.cta, thread: m.thread})
	of := func(cta uint32) *gathered {
		g := f.by[cta]
		if g == nil {
			made := newGathered(cta, d.threads)
			g = &made
			f.by[cta] = g
		}
		return g
	}
	g, fresh := of(m.cta), m.knows != nil
	fresh = fresh && m.knows != g.last
	if fresh && !f.coarse {
		f.coarse = !d.afford((1 + len(m.knows.others)) * len(g.own))
	}
	if f.coarse {
		return
	}
	if g.put(m.thread, m.clock); fresh {
		g.last, f.until = m.knows, max(f.until, m.knows.until)
		g.join(m.knows.own)
		for cta, c := range m.knows.others {
			of(cta).join(c)
		}
	}
}

// acquire returns the knowledge of a thread that has seen the flag.
func (f *flag) acquire(c *cta, before *knowledge) *knowledge {
	if f.after != nil && f.cta == c.id && f.seen == f.version && f.before == before {
		return f.after
	}
	f.cta, f.seen, f.before = c.id, f.version, before
	rows := (c.d.threads + rowThreads - 1) / rowThreads
	if before != nil {
		rows *= 1 + len(before.others)
	}
	if f.coarse || !c.d.afford(rows*len(f.by)) {
		all := knowledge{until: c.d.issued}
		if before != nil {
			all.own, all.others = before.own, before.others
		}
		f.after = &all
		return f.after
	}
	g := newGathered(c.id, c.d.threads)
	g.add(before)
	g.until = max(g.until, f.until)
	for of, by := range f.by {
		g.addOther(of, by.share())
	}
	f.after = g.knowledge()
	return f.after
}

// share returns the clocks of the CTA and makes them immutable.
func (g *gathered) share() clocks {
	clear(g.mine)
	return append(clocks(nil), g.own...)
}
