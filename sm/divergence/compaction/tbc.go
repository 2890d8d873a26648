package compaction

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var tbcMechanisms = []divergence.Mechanism{
	{
		Name:     "tbc",
		Doc:      "thread block compaction: a stack for each CTA, warps compacted at its branches",
		Promises: compacting(false),
		Blocks:   true,
		Params:   Keys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			p := newTBC(e, false)
			return &p, nil
		},
	},
	{
		Name:     "tbc-lcp",
		Doc:      "thread block compaction that also joins paths at likely-convergence points",
		Promises: compacting(false),
		Blocks:   true,
		Params:   Keys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			p := newTBC(e, true)
			return &p, nil
		},
	},
	{
		Name:     "tbc-ideal",
		Doc:      "thread block compaction into any lanes: a bound, not hardware, for compaction within a CTA",
		Promises: compacting(true),
		Blocks:   true,
		Params:   Keys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			p := newTBC(e, false)
			p.ideal = true
			return &p, nil
		},
	},
}

// Keys are the parameters of all mechanisms that compact the threads of a CTA.
var Keys = divergence.NewParams("tbc", Params{})

// Params are the parameters of thread block compaction.
type Params struct {
	Static bool `toml:"static" old:"tbc_static" doc:"compactor off, warps keep the threads that they were launched with" source:"tbc: section 3.2"`
}

// TBC is thread block compaction (Fung & Aamodt, HPCA 2011, section 3). The threads of a CTA share
// one reconvergence stack. The warps of its top entry run independently until each has reached the
// end of the block. At a branch that can diverge they add their threads to two target entries, one
// for each outcome. When the last warp arrives, the compactor forms warps from the threads of the
// new top, one a cycle. There are as few as the lanes of the threads allow.
//
//	           branch unit                    thread compactor
//	Outcome --> targets --> stack of CTA ---> buffer and encoder ---> slots
//	              ^    WCnt = 0      ^ pop    of each lane            (warp buffer)
//	Fire ---------+------------------+                                  |
//	  ^                                                                 |
//	  +-----------------------------------------------------------------+
//
// The steps, one a cycle, after the last warp's outcome:
//
//   - The outcome writes the stack.
//   - The top goes to the compactor. It is popped instead if it has no threads or is at its
//     reconvergence point.
//   - The first warp goes into its slot. Fetch reads the slot in the next cycle.
//
// Warps wait at every branch, except unconditional branches and those that analysis finds uniform
// for the CTA. The .uni of PTX is a promise about a warp, and a compacted warp has threads of
// several.
//
// At the bottom of the stack the warps are the static ones. A barrier opens when all live threads
// of the CTA have arrived. In the paper a barrier is executed by a top entry with all of them. But
// threads that will exit early may be in entries below, and wait at the reconvergence point for
// those at the barrier.
//
// Our reading: when all warps of the top entry wait at a barrier, they are parked. The stack
// continues without them, as if they had left. When all live threads are parked, they are the
// bottom entry again. If warps of one top entry wait at a barrier and at a branch, or at two
// barriers, the program is wrong and hangs.
//
// A CTA has as many slots as static warps, in the same places. A slot is Mixed if its threads are
// from several static warps.
//
// The ideal variant lets threads change lanes, which takes a crossbar at the register file
// (TBC-ideal: Rhu & Erez, ISCA 2013, section 3). Its warps are full except for the last one. It
// bounds all compaction within a CTA.
type TBC struct {
	divergence.Ports
	rtl.State[blocks] `rtl:"inplace"`

	Compacts rtl.State[compaction]     `rtl:"inplace"`
	Stack    units.Stack[BlockEntry]   // by CTA
	Blocks   *rtl.Mem[Block]           `rtl:"inplace"` // by CTA
	Targets  *rtl.Mem[Targets]         `rtl:"inplace"` // by CTA
	Table    *rtl.Mem[divergence.Slot] `trace:"true"`
	Home     *rtl.Mem[units.Homes]     `rtl:"inplace" trace:"true"` // by slot
	bars     *rtl.Mem[blockBarrier]    `rtl:"inplace"`              // by CTA and barrier number

	// OnCompact is told of each warp that the compactor makes.
	OnCompact rtl.Observers[divergence.Compacted]
	// OnBranch is told of the target entries after each arrival of a warp. At the last arrival it
	// is told once more, before the stack is split.
	OnBranch rtl.Observers[divergence.Branched]

	code     *divergence.Code
	lanes    int
	first    divergence.First
	static   bool // compactor off
	likely   bool // use likely-convergence points
	ideal    bool // threads change lanes
	redirect units.Set
	sim      *rtl.Sim
}

// compacting returns the promises.
func compacting(ideal bool) divergence.Promises {
	return divergence.Promises{
		InStep: true, Moves: ideal,
		Compacts: func(p divergence.Policy) *rtl.Observers[divergence.Compacted] { return &p.(*TBC).OnCompact },
		Branches: func(p divergence.Policy) *rtl.Observers[divergence.Branched] { return &p.(*TBC).OnBranch },
	}
}

// blockReconverger has the methods that a mechanism that embeds TBC replaces. Slots are named by
// number.
type blockReconverger interface {
	// branch handles a branch that can diverge.
	branch(i int, in *isa.Inst, o *divergence.Outcome)
	// moved: the slot continues at its PC, or its lanes have left.
	moved(i int)
	leaves(i int, lanes uint64) // lanes have reached an exit
	whole(i int) uint64         // lanes of the warp, on all its paths
}

// blocks is the state that the CTAs of an SM share.
type blocks struct {
	Stats  divergence.Stats `rtl:"sim"`
	Turned uint32           `bits:"ctas"`  // CTAs with a new top entry
	Gone   uint64           `bits:"warps"` // rows without threads, to be retired
}

// BlockEntry is an entry of the stack of a CTA. The masks of all CTAs share one memory, in which
// each entry has a bit for each thread of the SM. A CTA uses the columns of its own warps (Fung &
// Aamodt, HPCA 2011, section 7).
type BlockEntry struct {
	At    divergence.Point
	RPC   divergence.Point // Nowhere: popped only when its mask is empty
	LPC   divergence.Point `if:"likely"`          // likely-convergence point, or Nowhere
	LPos  uint8            `if:"likely" bits:"7"` // entry that waits at LPC
	WCnt  uint8            `bits:"7"`             // warps that have not reached the end of the block
	Alone bool             // the entry has all threads of the entry that was split
	Mask  units.BlockMask  `len:"lanes" bits:"share"`
}

// noBlockEntry is an entry that is not in use.
var noBlockEntry = BlockEntry{At: divergence.Nowhere, RPC: divergence.Nowhere, LPC: divergence.Nowhere}

// Block is a resident CTA.
type Block struct {
	First uint8            `bits:"6"` // row of its first static warp, and its first slot
	Open  bool             // a warp of the top entry waits at a branch
	At    divergence.Point // of that branch
	// Target is the target of the first warp, if the branch is indirect.
	Target uint32 `if:"calls"`

	Waiting uint8  `rtl:"sim"` // warps that have reached the end of the block
	Since   uint64 `rtl:"sim"` // sum of their arrival cycles
	// Popped counts the entries popped since then, one a cycle, after they became the top.
	Popped uint8  `rtl:"sim"`
	Served uint64 `rtl:"sim"` // cycle of the last held branch
}

// Targets are the two entries that warps fill as they arrive at a branch.
type Targets struct {
	Taken units.BlockMask `len:"lanes" bits:"share"`
	Not   units.BlockMask `len:"lanes" bits:"share"`
}

// compaction is the state of the thread compactor.
type compaction struct {
	units.Compactor
	Busy   bool
	Static bool
	CTA    uint8 `bits:"5"`
	Slot   uint8 `bits:"7"` // of the next warp
	At     divergence.Point
}

// blockStack is the depth of a stack. The deepest stack in the paper has 38 entries (Fung & Aamodt,
// HPCA 2011, table 3); recursive functions need more. The paper would spill the bottom of such a
// stack to memory. The stack is as deep as that of a warp of 32, so its masks have as many bits as
// those of all warps together (section 7).
//
// From deepStack on, entries without threads are left out and the smaller path runs first. Branches
// in a loop then add at most the logarithm of the number of threads. From fullStack on, threads
// that diverge meet only where their entry ends. A branch then adds one entry, and the stack has
// room for that logarithm.
const (
	blockStack = 64
	deepStack  = 32
	fullStack  = blockStack - 2 - 11 // the branch before adds two, 2048 threads eleven
)

func newTBC(e divergence.Env, likely bool) TBC {
	return TBC{
		Ports: divergence.Ports{
			Tallies: rtl.NewMem[divergence.Tally](e.Warps), Divides: true, Events: new(divergence.Events),
		},
		Stack:   units.NewStack(e.CTAs, blockStack, noBlockEntry),
		Blocks:  rtl.NewMem[Block](e.CTAs),
		Targets: rtl.NewMem[Targets](e.CTAs),
		Table:   rtl.NewMem[divergence.Slot](e.Warps),
		Home:    rtl.NewMem[units.Homes](e.Warps),
		bars:    rtl.NewMem[blockBarrier](e.CTAs * divergence.Barriers),
		code:    e.Code, lanes: e.Lanes, first: e.First(), static: Keys.Of(e.Options).Static, likely: likely,
	}
}

// Slots returns the warp buffer.
func (p *TBC) Slots() *rtl.Mem[divergence.Slot] { return p.Table }

// Homes returns the homes of the threads of compacted warps.
func (p *TBC) Homes() *rtl.Mem[units.Homes] { return p.Home }

// Stats returns the counts since reset.
func (p *TBC) Stats() divergence.Stats { return p.Q().Stats }

// Counts returns nil.
func (p *TBC) Counts() divergence.Counting { return nil }

// Begin resets the peak of the last launch.
func (p *TBC) Begin() {
	q := *p.Q()
	q.Stats.MaxDepth = 0
	p.Init(q)
}

// Tick serves the events of a cycle.
func (p *TBC) Tick() {
	p.serve(p)
	p.publish()
}

// serve makes one warp and takes one step for each CTA with a new top. It serves at most one launch,
// and of each sub-core one issued instruction and one outcome. It retires one row.
func (p *TBC) serve(k blockReconverger) {
	gone := p.Q().Gone
	p.compact()
	p.turn(k)
	p.events(k, &p.CorePort)
	for i := range p.Others {
		p.events(k, &p.Others[i])
	}
	if p.Launch.Valid() {
		p.launch(p.Launch.Front())
		p.Launch.Pop()
	}
	if gone != 0 && p.Retire.Ready() {
		p.retire(bits.TrailingZeros64(gone))
	}
}

// events serves what a sub-core has issued and executed. All warps of a CTA are in one sub-core.
func (p *TBC) events(k blockReconverger, c *divergence.CorePort) {
	if f := c.Fire.Get(); f.Valid {
		s := p.Table.Edit(int(f.Slot))
		if f.Control {
			s.Wait = divergence.WaitsControl
		} else {
			s.PC = f.PC + 1
			k.moved(int(f.Slot))
		}
	}
	if c.Outcome.Valid() {
		o := c.Outcome.Front()
		p.redirect.Add(int(o.Slot))
		p.resolve(k, &p.code.Prog.Insts[o.PC], o)
		c.Outcome.Pop()
	}
}

// publish tells fetch which slots have changed.
func (p *TBC) publish() {
	p.Drive(&p.redirect, p.Table.Len())
}

// Logic is the compactor, the comparators of each CTA's PC with the ends of its block, and the
// counter of its warps.
func (p *TBC) Logic(g divergence.Geometry) []units.Logic {
	ends := 1
	if p.likely {
		ends = 2
	}
	return append(p.Compacts.Q().Logic(g.Lanes, g.Warps),
		units.Logic{Kind: units.Equality, Bits: 32, Count: ends * g.CTAs}, units.Logic{
			Kind: units.Adder, Bits: 7,
			Count: 1,
		})
}

// Parts says whether likely-convergence points exist, and whether threads change lanes.
func (p *TBC) Parts() map[string]bool {
	return map[string]bool{"likely": p.likely, "crossbar": p.ideal}
}

// launch adds a static warp to the bottom entry. The last warp of the CTA completes it.
func (p *TBC) launch(l *divergence.WarpStart) {
	cta := int(l.CTA)
	if l.Row == l.First {
		*p.Blocks.Edit(cta) = Block{First: l.First}
		for i := range divergence.Barriers {
			*p.bars.Edit(cta*divergence.Barriers + i) = blockBarrier{}
		}
		p.push(cta, BlockEntry{RPC: divergence.Nowhere, LPC: divergence.Nowhere})
	}
	p.Stack.Top(cta).Mask.Add(int(l.Row-l.First), l.Mask)
	if l.Last {
		p.D().Turned |= 1 << l.CTA
	}
}

// compact puts the next warp into its slot.
func (p *TBC) compact() {
	if !p.Compacts.Q().Busy {
		return
	}
	c := p.Compacts.D()
	var mask uint64
	homes := p.Home.Edit(int(c.Slot))
	switch {
	case c.Static:
		mask, *homes = c.NextStatic()
	case p.ideal:
		mask, *homes = c.NextFilled(p.lanes)
	default:
		mask, *homes = c.Next()
	}
	first := p.Blocks.At(int(c.CTA)).First
	s := divergence.Slot{Valid: true, CTA: c.CTA, PC: c.At.PC, Depth: c.At.Depth, Mask: mask}
	homes.Row.Shift(first, mask)
	s.Row = homes.Row[bits.TrailingZeros64(mask)&(isa.MaxLanes-1)]
	s.Mixed = homes.Row.Several(mask) || homes.Moved(mask)
	*p.Table.Edit(int(c.Slot)) = s
	if p.OnCompact.Any() {
		e := p.Stack.Peek(int(c.CTA))
		p.OnCompact.Notify(divergence.Compacted{
			Cycle: p.sim.Now(), CTA: c.CTA, Slot: c.Slot, First: first, At: c.At, Mask: mask, Homes: homes,
			Left: &c.Pending, Entry: &e.Mask, Warps: int(e.WCnt), Bottom: *p.Stack.Depth.At(int(c.CTA)) == 1,
			Popped: int(p.Blocks.At(int(c.CTA)).Popped), Served: p.Blocks.At(int(c.CTA)).Served,
		})
	}
	p.redirect.Add(int(c.Slot))
	p.Blocks.Edit(int(c.CTA)).Popped = 0
	c.Slot++
	if c.Busy = !c.Pending.Empty(); c.Busy {
		return
	}
	for i := int(c.Slot); i < p.Table.Len() && p.Table.At(i).CTA == c.CTA; i++ {
		if p.Table.At(i).Wait == divergence.WaitsJoin {
			p.Table.Edit(i).Wait = divergence.Runs // the compactor fills fewer slots than before; the others are empty
		}
	}
}

// turn pops top entries that have no threads or are at the end of their block. It sends a top entry
// with work to the compactor.
func (p *TBC) turn(k blockReconverger) {
	for turned := p.Q().Turned; turned != 0; turned &= turned - 1 {
		cta := bits.TrailingZeros32(turned)
		switch e := p.Stack.Top(cta); {
		case p.Stack.Len(cta) > 1 && (e.Mask.Empty() || e.At == e.RPC || e.At == e.LPC):
			p.pop(cta)
			p.Blocks.Edit(cta).Popped++
		case !p.Compacts.Next().Busy:
			p.load(cta, e, p.unparked(k, cta, e))
			p.D().Turned &^= 1 << cta
		}
	}
}

// off reports whether threads stay in their static warps.
func (p *TBC) off() bool { return p.static || p.code.Prog.NoCompaction }

// load sends threads of the top entry to the compactor.
func (p *TBC) load(cta int, e *BlockEntry, run units.BlockMask) {
	if run.Empty() {
		return // all wait at barriers, but not at the same one
	}
	n, filled, static := run.Compacted(), run.Filled(p.lanes), bits.OnesCount64(run.Warps())
	if p.ideal {
		n = filled
	}
	c := p.Compacts.D()
	*c = compaction{
		Compactor: units.Compactor{Pending: run}, Busy: true, CTA: uint8(cta), Slot: p.Blocks.At(cta).First,
		At: e.At,
	}
	if p.off() || p.Stack.Len(cta) == 1 {
		c.Static, n = true, static
	}
	e.WCnt = uint8(n)
	count := &p.D().Stats.Compaction
	count.Ideal += uint64(filled)
	count.Entries++
	count.Static += uint64(static)
	count.Warps += uint64(n)
}

// moved checks whether an advancing warp has reached the end of the block.
func (p *TBC) moved(i int) {
	s := p.Table.Edit(i)
	cta := int(s.CTA)
	switch e := p.Stack.Peek(cta); {
	case s.Mask == 0:
		p.leave(i)
	case s.At() == e.RPC || s.At() == e.LPC:
		p.Stack.Top(cta).At = s.At()
		p.arrive(i)
	}
}

// arrive makes a warp wait at the end of the block for the others.
func (p *TBC) arrive(i int) {
	s := p.Table.Edit(i)
	s.Wait = divergence.WaitsJoin
	p.wait(p.Blocks.Edit(int(s.CTA)))
	p.leave(i)
}

// wait counts a warp that begins to wait for others.
func (p *TBC) wait(b *Block) {
	b.Waiting++
	b.Since += p.sim.Now()
}

// waited returns the total wait of all waiting warps, in cycles, and ends it.
func (p *TBC) waited(b *Block) (cycles uint64) {
	cycles = uint64(b.Waiting)*p.sim.Now() - b.Since
	b.Waiting, b.Since = 0, 0
	return cycles
}

// leave removes a warp from the count of the top entry. The last one ends the block.
func (p *TBC) leave(i int) {
	s := p.Table.Edit(i)
	s.Valid = false
	cta := int(s.CTA)
	e := p.Stack.Top(cta)
	if e.WCnt--; e.WCnt == 0 {
		p.end(cta, e)
	}
}

// end ends the block of the top entry.
func (p *TBC) end(cta int, e *BlockEntry) {
	b, count := p.Blocks.Edit(cta), &p.D().Stats.Compaction
	waited := p.waited(b)
	switch {
	case b.Open:
		count.AtBranch += waited
		p.branched(cta, true)
		p.split(cta, e, p.takenFirst(cta, p.Targets.Edit(cta)))
	case p.Stack.Len(cta) > 1:
		count.AtJoin += waited
		p.pop(cta)
	}
	p.D().Turned |= 1 << cta
}

// whole returns the lanes of a warp, which has one path.
func (p *TBC) whole(i int) uint64 { return p.Table.Edit(i).Mask }

func (p *TBC) leaves(i int, lanes uint64) { p.Table.Edit(i).Mask &^= lanes }

// resolve updates a CTA for a control instruction at the end of execution.
func (p *TBC) resolve(k blockReconverger, in *isa.Inst, o *divergence.Outcome) {
	s := p.Table.Edit(int(o.Slot))
	s.Wait = divergence.Runs
	switch {
	case in.Branches():
		taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
		p.D().Stats.Count(in, taken, not)
		if !in.Uniform {
			k.branch(int(o.Slot), in, o)
			return
		}
		j := o.Jump(in, s.Depth)
		s.Set(j.Fall)
		if not == 0 {
			s.Set(j.Target)
		}
		k.moved(int(o.Slot))
	case in.Op == isa.OpBar:
		p.bar(k, s, in, o)
	default:
		p.exit(k, s, o)
	}
}

// branch adds the threads of a warp to the target entries.
func (p *TBC) branch(i int, _ *isa.Inst, o *divergence.Outcome) {
	s := p.Table.Edit(i)
	cta := int(s.CTA)
	b, t := p.Blocks.Edit(cta), p.Targets.Edit(cta)
	taken := s.Mask & o.Taken
	switch at := (divergence.Point{PC: o.PC, Depth: s.Depth}); {
	case !b.Open:
		b.Open, b.At, b.Target = true, at, o.Target
		*t = Targets{}
	case b.At != at: // this warp waits for ever: the block never ends
		s.Wait = divergence.WaitsControl
		return
	case b.Target != o.Target: // the other target has its turn when these threads have returned
		taken = 0
	}
	p.add(&t.Taken, s, uint8(o.Slot), taken)
	p.add(&t.Not, s, uint8(o.Slot), s.Mask&^taken)
	p.branched(cta, false)
	p.arrive(i)
}

// branched tells OnBranch of the target entries of a CTA.
func (p *TBC) branched(cta int, last bool) {
	if p.OnBranch.Any() {
		t := p.Targets.Edit(cta)
		p.OnBranch.Notify(divergence.Branched{
			CTA: uint8(cta), At: p.Blocks.At(cta).At, Taken: &t.Taken, Not: &t.Not,
			Last: last,
		})
	}
}

// add sets the threads of some lanes of a slot in a mask.
func (p *TBC) add(to *units.BlockMask, s *divergence.Slot, slot uint8, lanes uint64) {
	first := p.Blocks.At(int(s.CTA)).First
	if !s.Mixed {
		to.Add(int(s.Row-first), lanes)
		return
	}
	homes := p.Home.At(int(slot))
	for m := lanes; m != 0; m &= m - 1 {
		h := homes.At(bits.TrailingZeros64(m))
		to[h.Lane&(isa.MaxLanes-1)] |= 1 << ((h.Row - first) & (divergence.MaxWarps - 1))
	}
}

// split updates the stack when all warps of the top entry e have executed the branch. It pushes an
// entry for each outcome, even without threads (Fung & Aamodt, HPCA 2011, section 3.3). An empty
// entry is popped when it becomes the top. Below the other entry it stays; a loop with several
// exits adds one in each iteration. A branch that divides the threads has a third entry, at its
// likely-convergence point (section 4).
//
// On a deep stack a branch that does not divide the threads can push no entries: e continues by
// itself. That holds if an entry would replace e, or inside of a called function. The bottom entry
// is never replaced, because its mask is that of the live threads.
func (p *TBC) split(cta int, e *BlockEntry, takenFirst bool) {
	b, t := p.Blocks.Edit(cta), p.Targets.Edit(cta)
	b.Open = false
	in, j := p.branchOf(b)
	rpc, full := j.Meet, p.Stack.Len(cta) >= fullStack
	if full {
		rpc = e.RPC
	}
	replace := rpc == e.RPC && p.Stack.Len(cta) > 1
	alone := t.Taken.Empty() || t.Not.Empty()
	if alone && p.Stack.Len(cta) >= deepStack && (replace || b.At.Depth > 0) {
		if e.At = j.Fall; t.Not.Empty() {
			e.At = j.Target
		}
		if e.At == e.RPC {
			p.pop(cta)
		}
		return
	}
	lpc, lpos := e.LPC, e.LPos
	if replace {
		p.pop(cta)
	} else {
		e.At, lpc, lpos = rpc, divergence.Nowhere, 0
	}
	if likely := (divergence.Point{PC: in.Likely, Depth: b.At.Depth}); p.likely && in.Likely != isa.NoPC && !alone &&
		!full && likely != lpc && likely != rpc {
		p.push(cta, BlockEntry{At: likely, RPC: rpc, LPC: lpc, LPos: lpos})
		lpc, lpos = likely, uint8(p.Stack.Len(cta)-1)
	}
	path := BlockEntry{RPC: rpc, LPC: lpc, LPos: lpos, Alone: alone}
	for _, taken := range [...]bool{!takenFirst, takenFirst} {
		if path.At, path.Mask = j.Fall, t.Not; taken {
			path.At, path.Mask = j.Target, t.Taken
		}
		if path.At != rpc {
			p.push(cta, path)
		}
	}
}

// branchOf returns the branch that the warps of a CTA wait at, and its successors.
func (p *TBC) branchOf(b *Block) (*isa.Inst, divergence.Jump) {
	in := &p.code.Prog.Insts[b.At.PC]
	o := divergence.Outcome{PC: b.At.PC, Target: b.Target}
	return in, o.Jump(in, b.At.Depth)
}

// takenFirst reports whether the taken path runs first.
func (p *TBC) takenFirst(cta int, t *Targets) bool {
	taken, not := divergence.Crowd{
		Threads: t.Taken.Threads(),
		Lanes:   t.Taken.Lanes(),
	}, divergence.Crowd{Threads: t.Not.Threads(), Lanes: t.Not.Lanes()}
	if p.Stack.Len(cta) >= deepStack {
		return divergence.Smaller(taken, not)
	}
	return p.first(taken, not)
}

// exit removes threads from every entry of the CTA at once.
func (p *TBC) exit(k blockReconverger, s *divergence.Slot, o *divergence.Outcome) {
	cta := int(s.CTA)
	var gone units.BlockMask
	p.add(&gone, s, uint8(o.Slot), s.Mask&o.Taken)
	for i := range p.Stack.Len(cta) {
		p.Stack.Entry(cta, i).Mask.Remove(&gone)
	}
	live := &p.Stack.Entry(cta, 0).Mask
	p.D().Gone |= (gone.Warps() &^ live.Warps()) << p.Blocks.At(cta).First
	k.leaves(int(o.Slot), o.Taken)
	s.PC++
	if live.Empty() {
		s.Valid = false
		for p.Stack.Len(cta) > 0 {
			p.pop(cta)
		}
		return
	}
	for i := cta * divergence.Barriers; i < (cta+1)*divergence.Barriers; i++ {
		if !p.bars.Next(i).Arrived.Empty() {
			p.open(k, cta, p.bars.Edit(i))
		}
	}
	k.moved(int(o.Slot))
	for i := cta * divergence.Barriers; i < (cta+1)*divergence.Barriers; i++ {
		if p.bars.Next(i).Waiting != 0 {
			p.park(k, cta, p.bars.Edit(i)) // no other warp runs
		}
	}
}

// retire reports a row that has no threads left.
func (p *TBC) retire(row int) {
	p.D().Gone &^= 1 << row
	p.Retire.Push(divergence.Retire{CTA: p.Table.At(row).CTA, Row: uint8(row)})
}

// push adds an entry on top.
func (p *TBC) push(cta int, e BlockEntry) {
	depth := p.Stack.Push(cta, e)
	st := &p.D().Stats
	st.MaxDepth = max(st.MaxDepth, uint64(depth))
	if !e.Alone {
		st.Pushes++
		p.stacked(cta, true, depth)
	}
}

// pop removes the top entry. Its threads are in the entry that waits at its reconvergence PC, or
// join those that wait at its likely-convergence point. Entries of a branch at which the CTA did
// not diverge are not counted.
func (p *TBC) pop(cta int) {
	e := p.Stack.Top(cta)
	if e.At == e.LPC && e.At != e.RPC {
		p.Stack.Entry(cta, int(e.LPos)).Mask.Union(&e.Mask)
	}
	if !e.Alone {
		p.D().Stats.Pops++
		p.stacked(cta, false, p.Stack.Len(cta)-1)
	}
	p.Stack.Pop(cta)
}

// stacked notifies the observers of a push or a pop of the top entry.
func (p *TBC) stacked(cta int, push bool, depth int) {
	if !p.OnStack.Any() {
		return
	}
	e, first := p.Stack.Top(cta), int(p.Blocks.Next(cta).First)
	at := e.RPC
	if push {
		at = e.At
	}
	p.OnStack.Notify(divergence.Stacked{Push: push, Slot: first, Row: first, At: at, Block: &e.Mask, Depth: depth})
}

// Paths lists the threads of each row of a CTA. They are in slots, at a branch, on the way to a
// slot, or in the entries below the top.
func (p *TBC) Paths(to []divergence.Path) []divergence.Path {
	return p.paths(to, func(int, func(uint64, divergence.Path)) {},
		func(int, func(units.BlockMask, divergence.Path)) {})
}

// paths lists the paths of the SM. The function parked adds the parked lanes of slot i. The
// function left adds the threads of a CTA that wait for their own entry.
func (p *TBC) paths(to []divergence.Path, parked func(i int, list func(lanes uint64, at divergence.Path)),
	left func(cta int, list func(mask units.BlockMask, at divergence.Path)),
) []divergence.Path {
	for cta := range p.Blocks.Len() {
		top := int(*p.Stack.Depth.At(cta)) - 1
		if top < 0 {
			continue
		}
		b, t, e, c := p.Blocks.At(cta), p.Targets.At(cta), p.Stack.At(cta, top), p.Compacts.Q()
		var seen units.BlockMask
		list := func(mask units.BlockMask, at divergence.Path) {
			mask.Remove(&seen)
			seen.Union(&mask)
			at.CTA = uint8(cta)
			for warps := mask.Warps(); warps != 0; warps &= warps - 1 {
				w := bits.TrailingZeros64(warps)
				at.Row, at.Mask = b.First+uint8(w), mask.Warp(w)
				to = append(to, at)
			}
		}
		for i := range p.Table.Len() {
			if s := p.Table.At(i); s.Valid && int(s.CTA) == cta {
				lanes := func(lanes uint64, at divergence.Path) {
					var mask units.BlockMask
					p.add(&mask, s, uint8(i), lanes)
					list(mask, at)
				}
				lanes(s.Mask, divergence.Path{PC: s.PC, Reconv: e.RPC.PC, Wait: s.Wait, Running: true})
				parked(i, lanes)
			}
		}
		if c.Busy && int(c.CTA) == cta {
			list(c.Pending, divergence.Path{PC: c.At.PC, Reconv: e.RPC.PC})
		}
		if b.Open {
			_, j := p.branchOf(b)
			list(t.Taken, divergence.Path{PC: j.Target.PC, Reconv: j.Meet.PC})
			list(t.Not, divergence.Path{PC: j.Fall.PC, Reconv: j.Meet.PC})
		}
		left(cta, list)
		for i := range divergence.Barriers {
			if bar := p.bars.At(cta*divergence.Barriers + i); bar.Parked {
				list(bar.Arrived, divergence.Path{PC: bar.At.PC, Reconv: e.RPC.PC, Wait: divergence.WaitsBarrier})
			}
		}
		waits := p.Q().Turned>>cta&1 == 0 // they have reached the end of the block
		for i := top; i >= 0; i-- {
			e, wait := p.Stack.At(cta, i), divergence.Runs
			if waits {
				wait = divergence.WaitsJoin
			}
			list(e.Mask, divergence.Path{PC: e.At.PC, Reconv: e.RPC.PC, Wait: wait})
			if i > 0 {
				below := p.Stack.At(cta, i-1).At
				waits = below == e.RPC || below == e.LPC
			}
		}
	}
	return to
}
