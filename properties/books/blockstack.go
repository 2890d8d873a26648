package books

import (
	"math/bits"

	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/units"
)

// blockStack models the stacks of CTAs (Fung & Aamodt, HPCA 2011, section 3.3).
//
// From issued instructions and branch outcomes it derives the entries of each stack and their
// threads. It also counts the entries that have nothing left to run when they reach the top. It
// stops following a CTA in three cases:
//
//   - All running threads wait at a barrier, and other threads have not reached it.
//   - The stack is so deep that the hardware omits entries.
//   - A warp has passed a branch by itself, until the whole CTA is together at the bottom again.
type blockStack struct {
	*View
	places interface {
		cycle(now uint64)
		at(row int) *spots
		decided() *decision
	}
	first  divergence.First
	likely bool // a divergent branch gets an entry for its likely-convergence point (section 4)
	passes bool // a warp can pass a branch by itself, off the stack
	now    uint64
	waits  struct{ branch, join uint64 } // cycles that warps have waited for others
	ctas   [sm.MaxCTAs]blockBook
}

// blockBook is the model of the stack of a CTA.
type blockBook struct {
	known          bool  // the model follows it
	base           uint8 // row of the first warp
	stack          []blockEntry
	run            units.BlockMask // threads of the top entry that have not reached its end
	bar            units.BlockMask // threads that wait at a barrier
	open           *isa.Inst       // the branch that threads of the top entry have executed, if any
	at             divergence.Point
	jump           divergence.Jump // its destinations
	target         uint32
	taken          units.BlockMask // threads that have executed it and take it
	not            units.BlockMask
	waiting, since uint64 // warps that have come to the end of the block, and the sum of their cycles
	popped         int    // entries with nothing left to run since the last one with threads to run
}

// blockEntry is an entry of the stack.
type blockEntry struct {
	at, rpc, lpc divergence.Point
	lpos         int // of the entry that waits at lpc
	mask         units.BlockMask
}

// fewEntries is the depth at which the hardware begins to omit entries (sm/divergence, deepStack).
const fewEntries = 32

// watchBlocks begins to model the stacks of an SM.
func watchBlocks(o *Observer, likely, passes bool) *blockStack {
	v := &o.View
	b := &blockStack{View: v, places: o.places, first: v.config.Divergence.First(), likely: likely, passes: passes}
	ports := v.sm.Div.Connections()
	v.eachTaken(b.resolved)
	v.Leave(ports.Launch.Tap(b.launched), v.sm.Issue.OnIssue.Add(b.issue),
		v.sm.Issue.OnInserted.Add(b.issue))
	if !passes {
		v.tally("cycles that warps wait at a branch", &b.waits.branch, func(c *testbench.Counters) uint64 {
			return c.Divergence.Compaction.AtBranch
		})
		v.tally("cycles that warps wait at a reconvergence point", &b.waits.join, func(c *testbench.Counters) uint64 {
			return c.Divergence.Compaction.AtJoin
		})
	}
	return b
}

func (b *blockStack) launched(_ uint64, l *divergence.WarpStart) {
	c := &b.ctas[l.CTA&(sm.MaxCTAs-1)]
	if l.Row == l.First {
		*c = blockBook{
			known: true, base: l.First,
			stack: append(c.stack[:0], blockEntry{rpc: divergence.Nowhere, lpc: divergence.Nowhere}),
		}
	}
	c.stack[0].mask.Add(int(l.Row-l.First), l.Mask)
	c.run = c.stack[0].mask
}

// threads returns the threads in some lanes of an instruction, and their call depth.
func (b *blockStack) threads(c *blockBook, f *sm.Flight, lanes uint64) (mask units.BlockMask, depth uint16) {
	for rows := f.Rows; rows != 0; rows &= rows - 1 {
		r := bits.TrailingZeros64(rows)
		all := of(f, r, f.Mask)
		depth = b.places.at(r).depth(all)
		mask.Add(r-int(c.base), of(f, r, lanes))
	}
	return mask, depth
}

// issue moves the threads of an instruction that is not a control instruction.
func (b *blockStack) issue(e sm.Issued) {
	c := &b.ctas[e.CTA&(sm.MaxCTAs-1)]
	if !c.known {
		b.forget(&b.waits.branch, &b.waits.join)
	}
	if b.found != nil || !c.known {
		return
	}
	b.places.cycle(e.Cycle)
	b.now = e.Cycle
	pc := b.sm.Div.Slots().At(int(e.Slot)).PC
	all, depth := b.threads(c, e.Flight, e.Mask)
	c.bar.Remove(&all)
	if !b.sm.Program().Insts[pc].Control() {
		c.moved(b, &all, divergence.Point{PC: pc + 1, Depth: depth})
	}
}

// resolved moves the threads of a control instruction.
func (b *blockStack) resolved(cycle uint64, out *divergence.Outcome) {
	if b.found != nil || b.places.decided() == nil {
		return
	}
	d := b.places.decided()
	c := &b.ctas[d.CTA&(sm.MaxCTAs-1)]
	b.now = cycle
	if !c.known {
		b.forget(&b.waits.branch, &b.waits.join)
		return
	}
	in := &b.sm.Program().Insts[d.PC]
	all, depth := b.threads(c, &d.Flight, d.Mask)
	taken, _ := b.threads(c, &d.Flight, d.Mask&out.Taken)
	not := all
	not.Remove(&taken)
	next := divergence.Point{PC: d.PC + 1, Depth: depth}
	j := out.Jump(in, depth)
	switch {
	case in.Branches() && in.Uniform:
		if next = j.Fall; not.Empty() {
			next = j.Target
		}
		c.moved(b, &all, next)
	case in.Branches() && b.byItself(d):
		c.known = false
	case in.Branches():
		c.branch(in, divergence.Point{PC: d.PC, Depth: depth}, out.Target, j, taken, not)
		c.comes(b, &all)
	case in.Op == isa.OpBar:
		if !taken.Empty() && in.Mode != isa.ModeArrive {
			c.bar.Union(&all)
			c.parks()
			b.forget(&b.waits.branch, &b.waits.join) // the last one at a barrier ends a block, too
		}
		c.moved(b, &all, next)
	default:
		for i := range c.stack {
			c.stack[i].mask.Remove(&taken)
		}
		c.bar.Remove(&taken)
		if c.known = !c.stack[0].mask.Empty(); c.known {
			c.run.Remove(&taken)
			c.parks()
			c.moved(b, &not, next)
		}
	}
}

// byItself reports whether the warp of a resolved branch continues by itself, without waiting
// there.
func (b *blockStack) byItself(d *decision) bool {
	s := b.sm.Div.Slots().Next(int(d.Slot))
	return b.passes && (s.PC != d.PC || s.Valid && s.Wait == divergence.Runs)
}

// top returns the entry whose warps run.
func (c *blockBook) top() *blockEntry { return &c.stack[len(c.stack)-1] }

// moved moves threads, possibly to the end of the block.
func (c *blockBook) moved(b *blockStack, threads *units.BlockMask, to divergence.Point) {
	if e := c.top(); to == e.rpc || to == e.lpc {
		e.at = to
		c.comes(b, threads)
	} else if c.run.Empty() {
		c.end(b)
	}
}

// comes records threads that reach the end of the block.
func (c *blockBook) comes(b *blockStack, threads *units.BlockMask) {
	if !threads.Empty() {
		c.waiting++
		c.since += b.now
	}
	if c.run.Remove(threads); c.run.Empty() {
		c.end(b)
	}
}

// parks stops following the stack when all running threads wait at a barrier that others have not
// reached.
func (c *blockBook) parks() {
	run, live := c.run, c.stack[0].mask
	run.Remove(&c.bar)
	live.Remove(&c.bar)
	if !c.bar.Empty() && run.Empty() && !live.Empty() {
		c.known = false
	}
}

// branch records threads that execute the branch at the end of the block. At an indirect branch,
// threads with another destination than the first one execute it again.
func (c *blockBook) branch(in *isa.Inst, at divergence.Point, target uint32, j divergence.Jump, taken,
	not units.BlockMask,
) {
	switch {
	case c.open == nil:
		c.open, c.at, c.jump, c.target, c.taken, c.not = in, at, j, target, units.BlockMask{}, units.BlockMask{}
	case c.at != at:
		c.known = false // the program is wrong, nothing continues
	case c.target != target:
		not.Union(&taken)
		taken = units.BlockMask{}
	}
	c.taken.Union(&taken)
	c.not.Union(&not)
}

// end ends the block of the top entry: the next entry with threads to run becomes the top.
func (c *blockBook) end(b *blockStack) {
	if !c.known {
		return
	}
	waited := c.waiting*b.now - c.since
	c.waiting, c.since = 0, 0
	if c.open != nil {
		b.waits.branch += waited
		c.split(b)
	} else if len(c.stack) > 1 {
		b.waits.join += waited
		c.pop()
	}
	c.popped = 0
	for e := c.top(); len(c.stack) > 1 && (e.mask.Empty() || e.at == e.rpc || e.at == e.lpc); e = c.top() {
		c.pop()
		c.popped++
	}
	c.run = c.top().mask
}

// pop removes the top entry.
func (c *blockBook) pop() {
	e := c.top()
	if e.at == e.lpc && e.at != e.rpc {
		c.stack[e.lpos].mask.Union(&e.mask)
	}
	c.stack = c.stack[:len(c.stack)-1]
}

// split pushes an entry for each side of a branch, except a side that begins at the meeting point.
//
// Both sides get an entry even if one is empty (Fung & Aamodt, HPCA 2011, section 3.3: "we always
// create two entries"). Only a divergent branch gets the entry for the likely-convergence point
// below them (section 4: "when the divergence is detected three entries are pushed"; "an extra
// entry onto the stack for each divergent branch applicable"). It gets none if the paths end there
// anyway (footnote 7).
func (c *blockBook) split(b *blockStack) {
	in, j, e := c.open, c.jump, c.top()
	if c.open = nil; len(c.stack) >= fewEntries {
		c.known = false
		return
	}
	lpc, lpos := e.lpc, e.lpos
	if j.Meet == e.rpc && len(c.stack) > 1 {
		c.pop()
	} else {
		e.at, lpc, lpos = j.Meet, divergence.Nowhere, 0
	}
	parts := !c.taken.Empty() && !c.not.Empty()
	if likely := (divergence.Point{PC: in.Likely, Depth: c.at.Depth}); parts && b.likely && in.Likely != isa.NoPC &&
		likely != lpc && likely != j.Meet {
		c.stack = append(c.stack, blockEntry{at: likely, rpc: j.Meet, lpc: lpc, lpos: lpos})
		lpc, lpos = likely, len(c.stack)-1
	}
	ways := [2]blockEntry{{at: j.Fall, mask: c.not}, {at: j.Target, mask: c.taken}}
	if !b.first(divergence.Crowd{Threads: c.taken.Threads(), Lanes: c.taken.Lanes()},
		divergence.Crowd{Threads: c.not.Threads(), Lanes: c.not.Lanes()}) {
		ways[0], ways[1] = ways[1], ways[0]
	}
	for _, w := range ways {
		if w.rpc, w.lpc, w.lpos = j.Meet, lpc, lpos; w.at != j.Meet {
			c.stack = append(c.stack, w)
		}
	}
}

// loads compares an entry that goes to the compactor with the model.
func (b *blockStack) loads(w *divergence.Compacted) {
	c := &b.ctas[w.CTA&(sm.MaxCTAs-1)]
	if !c.known && w.Bottom && b.passes { // all are together again
		*c = blockBook{
			known: true, base: w.First,
			stack: append(c.stack[:0], blockEntry{rpc: divergence.Nowhere, lpc: divergence.Nowhere, mask: *w.Entry}),
			run:   *w.Entry,
		}
		return
	}
	if !c.known {
		return
	}
	if c.top().mask != *w.Entry {
		b.Fail(Rule{checkCompactor, "another entry than the stack's"}, compacted(w),
			"SM %d, cycle %d: the entry of CTA slot %d that is compacted has other threads than the top of the stack by the book", b.index, w.Cycle, w.CTA)
	}
	if c.popped != w.Popped {
		b.Fail(Rule{checkTiming, "pops that the stack does not need"}, compacted(w),
			"SM %d, cycle %d: before the first warp of CTA slot %d %d entries were popped, of which %d had nothing to do", b.index, w.Cycle, w.CTA, w.Popped, c.popped)
	}
}

// compacted are the threads of a compacted warp.
func compacted(w *divergence.Compacted) (list []units.Home) {
	for m := w.Mask; m != 0; m &= m - 1 {
		list = append(list, w.Homes.At(bits.TrailingZeros64(m)))
	}
	return list
}
