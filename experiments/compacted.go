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

// gathering measures Paths on a machine with thread block compaction; MeasurePaths measures them on
// the golden model.
//
// The threads on a side of a branch are those of its target entry, which the hardware fills as
// warps reach the branch. The warps of a side are those that the compactor makes when the entry
// reaches the top of the stack. A side that waits at the post-dominator has no entry. Its warps are
// counted like WCnt: from its target entry, by the counters of the set bits of each lane.
type gathering struct {
	*Paths
	lanes int // index of the permutation
	tally map[*isa.Program][]Tally
	order []*isa.Program
	ahead int // sides whose entries have not yet reached the top
}

// compactor observes the compactor of an SM and its CTAs.
type compactor struct {
	*gathering
	sm   *sm.SM
	ways [divergence.MaxCTAs][]way // sides whose entries have not yet reached the top
}

// way is one side of a divergent branch.
type way struct {
	next     uint32 // PC of its first instruction
	mask     units.BlockMask
	of       *Tally
	quartile int
}

// watchCompaction starts counting in a session on a mechanism.
func watchCompaction(s *testbench.Session, mechanism divergence.Mechanism, lanes units.Permutation) *gathering {
	c := &gathering{
		Paths: &Paths{WarpSize: s.Machine.Config.SM.WarpSize}, lanes: slices.Index(units.Permutations(),
			lanes), tally: map[*isa.Program][]Tally{},
	}
	for _, m := range s.Machine.SMs {
		u := &compactor{gathering: c, sm: m}
		mechanism.Branches(m.Div).Add(u.branched)
		mechanism.Compacts(m.Div).Add(u.compacted)
	}
	return c
}

// branched records the sides of a branch when all warps of the CTA have reached it.
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

// compacted counts the side that an entry belongs to, when the entry's first warp is made.
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

// at returns the tally of a branch.
func (c *gathering) at(p *isa.Program, pc uint32) *Tally {
	if c.tally[p] == nil {
		c.tally[p], c.order = make([]Tally, len(p.Insts)), append(c.order, p)
	}
	return &c.tally[p][pc]
}

// count adds a side from which the given number of warps is made.
func (c *gathering) count(w *way, warps int, work bool) {
	n := Warps{Paths: 1, Static: static(&w.mask), Compacted: make([]Need, len(units.Permutations()))}
	n.Ideal = n.need(w.mask.Filled(c.WarpSize))
	n.Compacted[c.lanes] = n.need(warps)
	w.of.enter(&n, w.quartile, work)
}

// end returns the measured paths.
func (c *gathering) end() (*Paths, error) {
	if c.ahead > 0 {
		return nil, fmt.Errorf("%d ways of branches never came to the compactor", c.ahead)
	}
	for _, p := range c.order {
		c.list(p, c.tally[p])
	}
	return c.Paths, nil
}

// clone returns a copy that can be merged with others.
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

// sets returns all sums of a tally.
func (t *Tally) sets() []*Warps {
	return []*Warps{&t.All, &t.Work, &t.Quartiles[0], &t.Quartiles[1], &t.Quartiles[2], &t.Quartiles[3]}
}

// merge adds the counts of another permutation.
func (p *Paths) merge(o *Paths) error {
	if len(p.Branches) != len(o.Branches) {
		return fmt.Errorf("%d branches, and %d", len(p.Branches), len(o.Branches))
	}
	for i := range p.Branches {
		from := o.Branches[i].sets()
		for k, w := range p.Branches[i].sets() {
			if w.Paths != from[k].Paths || w.Static != from[k].Static {
				return fmt.Errorf("branch at %d: %d ways of %d warps, and %d of %d", p.Branches[i].PC, w.Paths,
					w.Static, from[k].Paths, from[k].Static)
			}
			for l, n := range from[k].Compacted {
				w.Compacted[l].add(n)
			}
		}
	}
	return nil
}
