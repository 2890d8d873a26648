package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/compaction"
	"divergo/units"
)

// compactor checks a mechanism that compacts: its warps hold each thread of an entry once, and are
// as few as possible.
type compactor struct {
	*View
	off  bool // threads stay in their static warps
	ctas [sm.MaxCTAs]madeEntry
	made uint64 // warps of all CTAs
	last [sm.MaxCTAs]progress

	stack interface{ loads(w *divergence.Compacted) }
	taken []uint64 // cycles of the last outcomes
}

// progress is the last event of a CTA: a warp was launched, or issued, or an outcome was taken.
type progress struct {
	cycle uint64
	made  uint64 // compacted warps up to then
	held  int    // slots that wait for others after it
}

// watchCompactor begins to watch an SM. The flags are those of watchBlocks.
func watchCompactor(o *Observer, likely, passes bool) *compactor {
	c := &compactor{View: &o.View, off: compaction.Keys.Of(o.config.Divergence).Static}
	o.Leave(o.mechanism.Compacts(o.sm.Div).Add(c.warp))
	c.follow()
	c.stack = watchBlocks(o, likely, passes)
	return c
}

// follow records the events of each CTA.
func (c *compactor) follow() {
	ports := c.sm.Div.Connections()
	c.eachTaken(c.resolved)
	c.Leave(
		ports.Launch.Tap(func(cycle uint64, l *divergence.WarpStart) { c.happens(cycle, l.CTA) }),
		c.sm.Issue.OnIssue.Add(func(e sm.Issued) { c.happens(e.Cycle, e.CTA) }),
		c.sm.Issue.OnInserted.Add(func(e sm.Issued) { c.happens(e.Cycle, e.CTA) }),
	)
}

func (c *compactor) happens(cycle uint64, cta uint8) {
	p := progress{cycle: cycle, made: c.made}
	slots := c.sm.Div.Slots()
	for i := range slots.Len() {
		if s := slots.Next(i); s.Valid && s.Wait == divergence.WaitsJoin {
			p.held++
		}
	}
	c.last[cta&(sm.MaxCTAs-1)] = p
}

// resolved runs after the mechanism has processed an outcome.
func (c *compactor) resolved(cycle uint64, o *divergence.Outcome) {
	if len(c.taken) == cap(c.taken) {
		c.taken = append(make([]uint64, 0, 256), c.taken[max(len(c.taken)-64, 0):]...)
	}
	c.taken = append(c.taken, cycle)
	c.happens(cycle, c.sm.Div.Slots().At(int(o.Slot)).CTA)
}

// served checks that the last held branch executed as soon as the CTA's last event allowed. One
// held branch executes in each cycle without an outcome. Each outcome may have held another one.
func (c *compactor) served(w *divergence.Compacted, l *progress) {
	most := l.cycle + uint64(l.held)
	for _, cycle := range c.taken {
		if cycle > l.cycle && cycle <= w.Served {
			most += 2
		}
	}
	if w.Served > most {
		c.Fail(Rule{checkTiming, "a held branch served late"}, compacted(w),
			"SM %d, cycle %d: a branch of CTA slot %d that was held is executed, to which something happened last in cycle %d, with %d branches held",
			c.index, w.Served, w.CTA, l.cycle, l.held)
	}
}

// madeEntry is the entry of a CTA that is being made into warps.
type madeEntry struct {
	left units.BlockMask // threads that are in no warp yet
	made int
	last uint64 // cycle of the last one
	want int    // expected number of warps
}

// entry starts the model of the top entry, at its first warp.
func (c *compactor) entry(w *divergence.Compacted) *madeEntry {
	b := &c.ctas[w.CTA&(sm.MaxCTAs-1)]
	*b = madeEntry{left: *w.Left}
	for m := w.Mask; m != 0; m &= m - 1 {
		h := w.Homes.At(bits.TrailingZeros64(m))
		b.left[h.Lane&(isa.MaxLanes-1)] |= 1 << ((h.Row - w.First) & 63)
	}
	if b.left != *w.Entry {
		c.Fail(Rule{checkCompactor, "another entry than the stack's"}, compacted(w),
			"SM %d: the compactor of CTA slot %d has other threads than the top of its stack", c.index, w.CTA)
	}
	rows, threads := uint64(0), 0
	for _, group := range b.left {
		rows |= group
		threads += bits.OnesCount64(group)
		b.want = max(b.want, bits.OnesCount64(group))
	}
	switch {
	case c.off || w.Bottom || c.prog.NoCompaction:
		b.want = bits.OnesCount64(rows)
	case c.mechanism.Moves:
		b.want = (threads + c.lanes - 1) / c.lanes
	}
	if w.Warps != b.want {
		c.Fail(Rule{checkCompactor, "another number of warps"}, compacted(w),
			"SM %d: the top of the stack of CTA slot %d counts %d warps, its threads make %d", c.index, w.CTA, w.Warps,
			b.want)
	}
	return b
}

// warp checks one warp of the compactor.
func (c *compactor) warp(w divergence.Compacted) {
	if c.found != nil {
		return
	}
	b := &c.ctas[w.CTA&(sm.MaxCTAs-1)]
	if b.made == b.want {
		b = c.entry(&w)
		c.stack.loads(&w)
		c.soon(&w)
	}
	c.made++
	b.made++
	for m := w.Mask; m != 0; m &= m - 1 {
		h := w.Homes.At(bits.TrailingZeros64(m))
		group, bit := &b.left[h.Lane&(isa.MaxLanes-1)], uint64(1)<<((h.Row-w.First)&63)
		if *group&bit == 0 {
			c.Fail(Rule{checkCompactor, "a thread twice or not at all"}, []units.Home{h},
				"SM %d: the thread of row %d, lane %d is in two compacted warps of CTA slot %d, or in none of its entry", c.index, h.Row, h.Lane, w.CTA)
		}
		*group &^= bit
	}
	if last := b.left == (units.BlockMask{}); w.Mask == 0 || last != (b.made == b.want) || b.left != *w.Left {
		c.Fail(Rule{checkCompactor, "another number of warps made"}, compacted(&w),
			"SM %d: warp %d of %d of CTA slot %d has lanes %#x, threads are left: %t", c.index, b.made, b.want, w.CTA,
			w.Mask, !last)
	}
	if b.made > 1 && w.Cycle != b.last+1 {
		c.Fail(Rule{checkTiming, "a warp a cycle not made"}, compacted(&w),
			"SM %d, cycle %d: warp %d of %d of CTA slot %d is made, the one before was in cycle %d", c.index, w.Cycle,
			b.made, b.want, w.CTA, b.last)
	}
	b.last = w.Cycle
}

// soon checks that the first warp of an entry is made at the earliest cycle.
//
// The outcome that ends a block, or a held branch, writes the stack. Then the entries with nothing
// left to run are popped, one a cycle. Then the top goes to the compactor, if the compactor makes
// no warps of another CTA. It makes the first warp in the next cycle.
func (c *compactor) soon(w *divergence.Compacted) {
	l := &c.last[w.CTA&(sm.MaxCTAs-1)]
	if w.Served > l.cycle {
		c.served(w, l)
	}
	last := max(l.cycle, w.Served)
	first := last + 2 + uint64(w.Popped)
	if w.Cycle < first || w.Cycle > first+c.made-l.made {
		c.Fail(Rule{checkTiming, "the first warp early or late"}, compacted(w),
			"SM %d, cycle %d: the first warp of CTA slot %d is made, to which something happened last in cycle %d; %d entries have been popped since, and %d warps of others made",
			c.index, w.Cycle, w.CTA, last, w.Popped, c.made-l.made)
	}
}
