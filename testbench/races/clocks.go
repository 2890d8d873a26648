package races

import "maps"

// rowThreads is how many threads the clocks of a row are of.
const rowThreads = 32

// row is the clocks of neighbouring threads of a CTA.
type row [rowThreads]uint32

// clocks are those of the threads of a CTA, by rows, which are nil while all are 0.
// Rows are shared, so that nobody changes one that is not its own.
type clocks []*row

// of is the clock of a thread.
func (c clocks) of(thread uint16) uint32 {
	i := int(thread) / rowThreads
	if i >= len(c) || c[i] == nil {
		return 0
	}
	return c[i][thread%rowThreads]
}

// knowledge is up to which clocks a thread has the accesses of others before its own. It
// does not change.
type knowledge struct {
	own    clocks            // of threads of its CTA
	others map[uint32]clocks // by other CTAs; nil: none
	until  uint32            // of any thread: all instructions up to this number
}

// moment is a thread, with its clock and what it knows, at a release.
type moment struct {
	cta    uint32
	thread uint16
	clock  uint32 // 0: there has been none
	knows  *knowledge
}

// gathered is knowledge that grows.
type gathered struct {
	cta    uint32 // whose clocks own is of
	own    clocks
	mine   []bool // rows of own that may be changed
	others map[uint32]clocks
	until  uint32
	last   *knowledge // that was added last
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

// change makes a row one of its own.
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

// knowledge is what has been gathered until now.
func (g *gathered) knowledge() *knowledge {
	return &knowledge{g.share(), maps.Clone(g.others), g.until}
}

// meeting is a barrier, or a bar.warp.sync, from its first arrival until it opens.
type meeting struct {
	gathered
	arrived, need int        // threads; need 0: nobody says
	opened        *knowledge // what all know who have waited
}

// open ends the meeting. Threads that have gone count as if they had come.
func (m *meeting) open(gone *gathered) *knowledge {
	if m.opened == nil {
		if gone != nil {
			m.add(gone.knowledge())
		}
		m.opened = m.knowledge()
	}
	return m.opened
}

// flag is what strong writes to an address have released, by CTA.
type flag struct {
	by      map[uint32]*gathered
	until   uint32
	version uint32
	first   moment // of the thread that has released first, without what it knew
	sole    bool   // no other has
	coarse  bool   // it stands for all that came before: see Detector.afford

	// The last thread that acquired: others of its CTA often know as much as it did.
	cta           uint32
	seen          uint32 // version
	before, after *knowledge
}

// release adds what a thread knew at a release.
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

// acquire is what a thread of a CTA knows that has seen the flag.
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

// share is the clocks of the CTA, which change no more.
func (g *gathered) share() clocks {
	clear(g.mine)
	return append(clocks(nil), g.own...)
}
