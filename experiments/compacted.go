package experiments

import (
	"fmt"
	"slices"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/units"
)

// gathering counts on a machine with thread block compaction what MeasurePaths has
// from the golden model. The threads on the ways of a branch are those of the target entries, which
// the hardware fills as warps come to it; the warps of a way are those that the
// compactor makes when its entry is at the top. A way that waits at the post-dominator
// has no entry: its warps are counted as WCnt is, by the counters of the set bits of lanes, from
// its target entry.
type gathering struct {
	*Paths
	lanes int // index of the permutation
	tally map[*isa.Program][]Tally
	order []*isa.Program
	ahead int // ways whose entries have not been at the top
}

// compactor is that of an SM, and what is known of its CTAs.
type compactor struct {
	*gathering
	sm   *sm.SM
	ways [divergence.MaxCTAs][]way // whose entries have not been at the top
}

// way is one of the two of a divergent branch.
type way struct {
	next     uint32 // its PC
	mask     units.BlockMask
	of       *Tally
	quartile int
}

// watchCompaction begins to count in a session on a mechanism.
func watchCompaction(s *testbench.Session, mechanism divergence.Mechanism, lanes units.Permutation) *gathering {
	c := &gathering{
		Paths: &Paths{WarpSize: s.Machine.Config.SM.WarpSize}, lanes: slices.Index(units.Permutations(), lanes), tally: map[*isa.Program][]Tally{},
	}
	for _, m := range s.Machine.SMs {
		u := &compactor{gathering: c, sm: m}
		mechanism.Branches(m.Div).Add(u.branched)
		mechanism.Compacts(m.Div).Add(u.compacted)
	}
	return c
}

// branched looks at the threads of a CTA of which all warps have come to their branch.
func (u *compactor) branched(b divergence.Branched) {
	prog := u.sm.Program()
	in := &prog.Insts[b.At.PC]
	if !b.Last || !in.Conditional() {
		return
	}
	k := u.sm.Kernel()
	t := u.at(k.Prog, prog.OriginOf(b.At.PC))
	t.Instances++
	if b.Taken.Warps()&b.Not.Warps() == 0 {
		return
	}
	t.Divergent++
	for _, w := range [2]way{{next: in.Target, mask: *b.Taken}, {next: b.At.PC + 1, mask: *b.Not}} {
		w.of, w.quartile = t, quartile(&w.mask, k.Threads())
		if w.next == in.Reconv {
			u.count(&w, w.mask.Compacted(), false)
			continue
		}
		u.ways[b.CTA] = append(u.ways[b.CTA], w)
		u.ahead++
	}
}

// compacted looks for the way that an entry is of when its first warp is made.
func (u *compactor) compacted(c divergence.Compacted) {
	ways := &u.ways[c.CTA]
	if c.Slot != c.First {
		return
	}
	for i := range *ways {
		w := &(*ways)[i]
		outside := *c.Entry
		if outside.Remove(&w.mask); w.next == c.At.PC && outside.Empty() {
			u.count(w, c.Warps, true)
			*ways = slices.Delete(*ways, i, i+1)
			u.ahead--
			return
		}
	}
}

// at is the tally of a branch.
func (c *gathering) at(p *isa.Program, pc uint32) *Tally {
	if c.tally[p] == nil {
		c.tally[p], c.order = make([]Tally, len(p.Insts)), append(c.order, p)
	}
	return &c.tally[p][pc]
}

// count enters a way of which so many warps are made.
func (c *gathering) count(w *way, warps int, work bool) {
	n := Warps{Paths: 1, Static: static(&w.mask), Compacted: make([]Need, len(units.Permutations()))}
	n.Ideal = n.need(w.mask.Filled(c.WarpSize))
	n.Compacted[c.lanes] = n.need(warps)
	w.of.enter(&n, w.quartile, work)
}

// end is what was counted.
func (c *gathering) end() (*Paths, error) {
	if c.ahead > 0 {
		return nil, fmt.Errorf("%d ways of branches never came to the compactor", c.ahead)
	}
	for _, p := range c.order {
		c.list(p, c.tally[p])
	}
	return c.Paths, nil
}

// clone is a copy, to which others can be added.
func (p *Paths) clone() *Paths {
	q := *p
	q.Branches = slices.Clone(p.Branches)
	for i := range q.Branches {
		for _, w := range q.Branches[i].sets() {
			w.Compacted = slices.Clone(w.Compacted)
		}
	}
	return &q
}

// sets are the sums of a tally.
func (t *Tally) sets() []*Warps {
	return []*Warps{&t.All, &t.Work, &t.Quartiles[0], &t.Quartiles[1], &t.Quartiles[2], &t.Quartiles[3]}
}

// merge adds what was counted under another permutation.
func (p *Paths) merge(o *Paths) error {
	if len(p.Branches) != len(o.Branches) {
		return fmt.Errorf("%d branches, and %d", len(p.Branches), len(o.Branches))
	}
	for i := range p.Branches {
		from := o.Branches[i].sets()
		for k, w := range p.Branches[i].sets() {
			if w.Paths != from[k].Paths || w.Static != from[k].Static {
				return fmt.Errorf("branch at %d: %d ways of %d warps, and %d of %d", p.Branches[i].PC, w.Paths, w.Static, from[k].Paths, from[k].Static)
			}
			for l, n := range from[k].Compacted {
				w.Compacted[l].add(n)
			}
		}
	}
	return nil
}
