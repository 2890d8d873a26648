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
	g.last = k
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
	clear(g.mine)
	own := make(clocks, len(g.own))
	copy(own, g.own)
	return &knowledge{own, maps.Clone(g.others)}
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
	version uint32
}

// release adds what a thread knew at a release.
func (f *flag) release(m *moment, threads int) {
	f.version++
	of := func(cta uint32) *gathered {
		g := f.by[cta]
		if g == nil {
			made := newGathered(cta, threads)
			g = &made
			f.by[cta] = g
		}
		return g
	}
	g := of(m.cta)
	g.put(m.thread, m.clock)
	if m.knows == nil || m.knows == g.last {
		return
	}
	g.last = m.knows
	g.join(m.knows.own)
	for cta, c := range m.knows.others {
		of(cta).join(c)
	}
}

// acquire is what a thread of a CTA knows that has seen the flag.
func (f *flag) acquire(cta uint32, threads int, before *knowledge) *knowledge {
	g := newGathered(cta, threads)
	g.add(before)
	for of, c := range f.by {
		g.addOther(of, c.knowledge().own)
	}
	return g.knowledge()
}
