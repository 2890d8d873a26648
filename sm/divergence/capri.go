package divergence

import (
	"cmp"
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

var capriMechanisms = []Mechanism{
	{
		Name:     "capri",
		Doc:      "thread block compaction at the branches at which it is predicted to be adequate",
		Promises: Promises{InStep: true, Splits: true, Passes: true, Compacts: func(p Policy) *rtl.Observers[Compacted] { return &p.(*CAPRI).OnCompact }},
		Blocks:   true,
		New: func(e Env) (Policy, error) {
			return newCAPRI(e), nil
		},
	},
}

// CAPRI is thread block compaction with a prediction of its adequacy (Rhu &
// Erez, ISCA 2012). To compact, all warps of a block wait at a branch for the
// last one, in vain if the threads of both ways are in the same lanes. So there
// is a table of branches, as in a branch predictor, which says whether
// compaction was adequate the last time: whether it left fewer warps on one of
// the ways than come there without it. The first warp at a branch asks it, and
// all do what it says. If compaction is adequate they wait, as in TBC. If not,
// or if the branch has not diverged so far, they bypass it: each goes on with a
// path stack of its own, until the point where the branch reconverges; there it
// is one of the warps of the block-wide top entry again. When the last warp has
// executed the branch the table is updated, whatever was predicted: the target
// entries of TBC have the threads of both ways, of which the compactor would make as
// many warps as its counters say, and that is compared with how many came.
//
//	           hit, adequate
//	        +-----------------> TBC: stack of CTA, compactor
//	branch -+-> CAPT <--- update --- targets of both ways, warps that came
//	        +-----------------> path stack of the warp
//	           miss or not adequate
//
// The abstract, and what Rhu & Erez (ISCA 2013) say of it, leave open what
// follows.
//
// A branch inside of a bypassed one is no matter of the block: the warp
// executes it on its own stack, and nothing is predicted or learned. But if all
// of the CTA goes one way, as at the end of a loop that all leave together, then
// there is nothing to reconverge, and when the last warp has executed the branch
// all are in the top entry again.
//
// A bypassed branch that leaves a loop for its reconvergence point is none that a
// warp would be alone behind for all the rounds to come. The threads that leave are
// written to the target entries, as in TBC, and those that stay go on, each warp by
// itself. When the last warp has executed the branch the threads that stay become
// an entry, or what is left of the top one, with the warps as they are. So the next
// round asks the table again.
//
// One branch of a CTA is open at a time, from the first warp to the last. A
// warp that comes to the next one before is held there; so is one that has
// bypassed the open branch without diverging, while it is not known whether all
// go its way.
//
// A barrier in a bypassed branch is that of the per-warp stack: a warp arrives as
// a whole.
type CAPRI struct {
	TBC
	CAPT    units.CAPT
	Opened  *rtl.Mem[Instance] `rtl:"inplace"` // by CTA
	Private pathStack          // by slot, empty unless the warp bypasses a branch
	Holds   rtl.State[holds]

	exits []exit // by PC
}

// exit says of a branch with which of its ways it leaves a loop for its
// reconvergence point.
type exit uint8

const (
	noExit exit = iota
	exitsTaken
	exitsNot
)

// Instance is a branch that warps of a block-wide top entry execute.
type Instance struct {
	Left    uint8 `bits:"7"` // warps that have not, 0 if no branch is open
	At      Point
	Target  uint32 // of an indirect one: that of the first warp
	Compact bool   // prediction
	Exits   bool   // it leaves a loop and is bypassed
	Came    uint64 `bits:"warps"` // slots that have, counted from the CTA's first
	Taken   uint8  `bits:"7"`     // warps with a thread on that way, as they came
	Not     uint8  `bits:"7"`
}

// holds are the branches that wait until another one is closed.
type holds struct {
	Slots  uint64           `bits:"warps"`
	Taken  [MaxWarps]uint32 `len:"warps" bits:"lanes"` // outcome
	Target [MaxWarps]uint32 `if:"calls" len:"warps"`
	Since  [MaxWarps]uint64 `rtl:"sim"` // cycle
}

// Sizes of the table: the common one, and the largest.
const (
	captEntries    = 32
	maxCAPTEntries = 128
)

func newCAPRI(e Env) *CAPRI {
	entries := cmp.Or(e.CAPRIEntries, captEntries)
	return &CAPRI{
		TBC:    newTBC(e, false),
		CAPT:   units.NewCAPT(entries, cmp.Or(e.CAPRIWays, entries)),
		Opened: rtl.NewMem[Instance](e.CTAs),
		// The worst case of a warp, and the entry of its top of the block.
		Private: pathStack{units.NewStack[Entry](e.Warps, 2*e.Lanes), e.First, false},
	}
}

// Logic is that of TBC, the comparators of the path stacks and of the table's
// tags, and for each way of a branch what counts the warps that it compacts to and
// compares them with those that came.
func (p *CAPRI) Logic(g Geometry) []units.Logic {
	list := append(p.TBC.Logic(g),
		units.Logic{Kind: units.Equality, Bits: 32, Count: g.Warps},
		units.Logic{Kind: units.Equality, Bits: 32, Count: p.CAPT.Ways()},
		units.Logic{Kind: units.Adder, Bits: 7, Count: 2},
		units.Logic{Kind: units.LessThan, Bits: 7, Count: 2})
	way := units.MostBits(g.Lanes, g.Warps)
	return slices.Concat(list, way, way)
}

// Begin looks for the branches that leave loops. The table keeps what it has learned:
// its tags are PCs in instruction memory, so that each kernel has its own.
func (p *CAPRI) Begin() {
	p.TBC.Begin()
	prog := p.code.Prog
	p.exits = make([]exit, len(prog.Insts))
	for i := range prog.Insts {
		in, pc := &prog.Insts[i], uint32(i)
		switch {
		case in.Op != isa.OpBra || !in.Conditional() || in.Reconv == isa.NoPC:
		case in.Reconv == in.Target && comesBack(prog, pc+1, pc):
			p.exits[i] = exitsTaken
		case in.Reconv == pc+1 && comesBack(prog, in.Target, pc):
			p.exits[i] = exitsNot
		}
	}
}

// comesBack reports whether threads can come from a PC to a branch without passing
// its reconvergence point.
func comesBack(p *isa.Program, from, branch uint32) bool {
	home := p.Block(branch)
	seen := map[int]bool{p.Block(p.Insts[branch].Reconv): true}
	for todo := []int{p.Block(from)}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if b == home {
			return true
		}
		if !seen[b] {
			seen[b] = true
			todo = append(todo, p.Blocks[b].Succs...)
		}
	}
	return false
}

// Tick does what that of TBC does. In a cycle without an outcome a branch is
// served that was held.
func (p *CAPRI) Tick() {
	idle := !p.Outcome.Valid()
	p.serve(p)
	if idle {
		p.retry()
	}
	p.publish()
}

// branch predicts, and waits for compaction or goes on.
func (p *CAPRI) branch(i int, in *isa.Inst, o *Outcome) {
	s := p.Table.Edit(i)
	if p.held(i, s) {
		h := p.Holds.D()
		h.Slots |= 1 << i
		h.Taken[i], h.Target[i], h.Since[i] = o.Taken, o.Target, p.sim.Now()
		s.Wait = WaitsJoin
		return
	}
	if p.Private.Len(i) > 0 {
		p.bypass(i, s, in, o)
		return
	}
	b, st := p.Opened.Edit(int(s.CTA)), &p.D().Stats.Prediction
	if b.Left == 0 {
		adequate, hit := p.CAPT.Predict(p.code.Base + o.PC)
		*b = Instance{Left: p.Stack.Top(int(s.CTA)).WCnt, At: s.At(), Target: o.Target, Compact: adequate && !p.off()}
		b.Exits = !b.Compact && p.exits[o.PC] != noExit
		*p.Targets.Edit(int(s.CTA)) = Targets{}
		st.Branches++
		if !hit {
			st.Misses++
		}
		if b.Compact {
			st.Compacts++
		}
	}
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	if taken != 0 && not != 0 {
		p.CAPT.Diverge(p.code.Base + o.PC)
	}
	if o.Target != b.Target {
		taken, not = 0, s.Mask // as in TBC
	}
	if taken != 0 {
		b.Taken++
	}
	if not != 0 {
		b.Not++
	}
	if !b.Compact {
		t := p.Targets.Edit(int(s.CTA))
		p.add(&t.Taken, s, uint8(i), taken)
		p.add(&t.Not, s, uint8(i), not)
	}
	switch {
	case b.Compact:
		p.TBC.branch(i, in, o)
	case b.Exits:
		st.Bypasses++
		p.part(i, s, in, o)
	default:
		st.Bypasses++
		meet := o.Jump(in, s.Depth).Meet
		p.Private.push(i, Entry{At: meet, RPC: Nowhere, LPC: Nowhere, Mask: s.Mask}, &p.D().Stats)
		p.Private.push(i, Entry{RPC: meet, LPC: Nowhere}, &p.D().Stats)
		p.bypass(i, s, in, o)
	}
	p.came(i, s)
}

// part has the threads of a warp that leave a loop wait for the others, and the
// rest go on.
func (p *CAPRI) part(i int, s *Slot, in *isa.Inst, o *Outcome) {
	j := o.Jump(in, s.Depth)
	if p.exits[o.PC] == exitsTaken {
		s.Mask &^= o.Taken
		s.Set(j.Fall)
	} else {
		s.Mask &= o.Taken
		s.Set(j.Target)
	}
	if s.Mask == 0 {
		s.Valid, s.Wait = false, WaitsJoin
		p.wait(p.Blocks.Edit(int(s.CTA)))
	}
}

// sides are the threads that stay in a loop, and those that leave.
func (p *CAPRI) sides(cta int, b *Instance) (stay, leave *units.BlockMask) {
	t := p.Targets.Edit(cta)
	if p.exits[b.At.PC] == exitsTaken {
		return &t.Not, &t.Taken
	}
	return &t.Taken, &t.Not
}

// jump is where the open branch leads.
func (p *CAPRI) jump(b *Instance) Jump {
	_, j := p.branchOf(&Block{At: b.At, Target: b.Target})
	return j
}

// gather makes the threads that stay in a loop an entry of the stack, with their
// warps as they are, when the last one has executed the branch.
func (p *CAPRI) gather(cta int, b *Instance) {
	e, j, first := p.Stack.Top(cta), p.jump(b), int(p.Blocks.At(cta).First)
	p.D().Stats.Compaction.AtBranch += p.waited(p.Blocks.Edit(cta))
	if stay, leave := p.sides(cta, b); !leave.Empty() {
		if j.Meet != e.RPC || p.Stack.Len(cta) == 1 {
			e.At = j.Meet
			p.push(cta, BlockEntry{RPC: j.Meet, LPC: Nowhere})
			e = p.Stack.Top(cta)
		}
		e.Mask = *stay
		if e.At = j.Target; p.exits[b.At.PC] == exitsTaken {
			e.At = j.Fall
		}
		if stay.Empty() {
			p.D().Turned |= 1 << cta
		}
	}
	e.WCnt = 0
	for came := b.Came; came != 0; came &= came - 1 {
		if p.Table.Edit(first + bits.TrailingZeros64(came)).Valid {
			e.WCnt++
		}
	}
	for came := b.Came; came != 0; came &= came - 1 {
		i := first + bits.TrailingZeros64(came)
		switch s := p.Table.Edit(i); {
		case !s.Valid || s.At() != j.Meet:
		case e.RPC == j.Meet: // as in moved
			e.At = j.Meet
			p.arrive(i)
		default:
			s.Wait = Runs
			p.redirect.Add(i)
		}
	}
	for i := cta * Barriers; i < (cta+1)*Barriers; i++ {
		if p.bars.Next(i).Waiting != 0 {
			p.park(p, cta, p.bars.Edit(i))
		}
	}
}

// bypass executes a branch as the per-warp stack does.
func (p *CAPRI) bypass(i int, s *Slot, in *isa.Inst, o *Outcome) {
	j := o.Jump(in, s.Depth)
	switch taken, not := s.Mask&o.Taken, s.Mask&^o.Taken; {
	case taken != 0 && not != 0:
		p.Private.diverge(i, s, in, j, taken, not, &p.D().Stats)
	case not == 0:
		s.Set(j.Target)
	default:
		s.Set(j.Fall)
	}
	p.moved(i)
}

// came counts a warp at the open branch: it has executed it, or never will. The
// last one closes it.
func (p *CAPRI) came(i int, s *Slot) {
	b, first := p.Opened.Edit(int(s.CTA)), p.Blocks.At(int(s.CTA)).First
	b.Came |= 1 << (i - int(first))
	if b.Left--; b.Left != 0 {
		return
	}
	t := p.Targets.Edit(int(s.CTA))
	adequate := t.Taken.Compacted() < int(b.Taken) || t.Not.Compacted() < int(b.Not)
	p.CAPT.Update(p.code.Base+b.At.PC, adequate)
	if adequate == b.Compact {
		p.D().Stats.Prediction.Correct++
	}
	if b.Exits {
		p.gather(int(s.CTA), b)
		return
	}
	if !b.Compact && b.oneWay() {
		for came := b.Came; came != 0; came &= came - 1 {
			p.Private.clear(int(first)+bits.TrailingZeros64(came), &p.D().Stats)
		}
	}
}

// oneWay reports whether all warps so far go the same way.
func (b *Instance) oneWay() bool { return b.Taken == 0 || b.Not == 0 }

// missing reports whether a branch is open that slot i has not executed.
func (p *CAPRI) missing(i int, s *Slot) bool {
	b := p.Opened.Edit(int(s.CTA))
	return b.Left != 0 && b.Came>>(i-int(p.Blocks.At(int(s.CTA)).First))&1 == 0
}

// stays reports whether slot i has executed the open branch, which leaves a loop, and
// is in it.
func (p *CAPRI) stays(i int, s *Slot) bool {
	b := p.Opened.Edit(int(s.CTA))
	return b.Left != 0 && b.Exits && !p.missing(i, s)
}

// held reports whether slot i must wait with its branch for others that have
// still to execute the last one.
func (p *CAPRI) held(i int, s *Slot) bool {
	b := p.Opened.Edit(int(s.CTA))
	return b.Left != 0 && !p.missing(i, s) && (p.Private.Len(i) == 0 || b.oneWay())
}

// retry serves a branch that was held.
func (p *CAPRI) retry() {
	h := p.Holds.Q()
	for slots := h.Slots; slots != 0; slots &= slots - 1 {
		i := bits.TrailingZeros64(slots)
		if s := p.Table.Edit(i); !p.held(i, s) {
			p.Holds.D().Slots &^= 1 << i
			p.D().Stats.Compaction.AtBranch += p.sim.Now() - h.Since[i]
			s.Wait = Runs
			p.redirect.Add(i)
			p.branch(i, &p.code.Prog.Insts[s.PC], &Outcome{Slot: uint16(i), PC: s.PC, Taken: h.Taken[i], Target: h.Target[i]})
			p.Blocks.Edit(int(s.CTA)).Served = p.sim.Now()
			return
		}
	}
}

// moved looks whether a path of a warp has come to its end, or the warp to that
// of the branch that it bypasses, or to the end of the block.
func (p *CAPRI) moved(i int) {
	if p.Private.Len(i) > 0 {
		s := p.Table.Edit(i)
		at := s.At()
		p.Private.pop(i, s, &p.D().Stats)
		if s.At() != at {
			p.redirect.Add(i)
		}
		if p.Private.Len(i) > 1 {
			return
		}
		p.Private.drop(i, &p.D().Stats)
	}
	if s := p.Table.Edit(i); p.stays(i, s) && s.Mask != 0 && s.At() == p.jump(p.Opened.Edit(int(s.CTA))).Meet {
		s.Wait = WaitsJoin // it came here by a branch that is the same for all of the CTA
		return
	}
	p.TBC.moved(i)
}

// leaves takes lanes out of a warp, which ends if they were the last.
func (p *CAPRI) leaves(i int, lanes uint32) {
	s := p.Table.Edit(i)
	p.Private.remove(i, lanes)
	if p.stays(i, s) {
		var gone units.BlockMask
		p.add(&gone, s, uint8(i), s.Mask&lanes)
		stay, _ := p.sides(int(s.CTA), p.Opened.Edit(int(s.CTA)))
		stay.Remove(&gone)
	}
	left := p.whole(i) &^ lanes
	if s.Mask &^= lanes; left != 0 {
		return
	}
	p.Private.clear(i, &p.D().Stats)
	if p.missing(i, s) {
		p.came(i, s)
	}
}

// whole is the lanes of a warp.
func (p *CAPRI) whole(i int) uint32 {
	if p.Private.Len(i) > 0 {
		return p.Private.Entry(i, 0).Mask
	}
	return p.Table.Edit(i).Mask
}

// Arriving is the warp of the slot, on whatever paths its threads are.
func (p *CAPRI) Arriving(slot int, active uint32, _ bool) uint32 {
	if *p.Private.Depth.At(slot) > 0 {
		return p.Private.At(slot, 0).Mask
	}
	return active
}

// Paths is what that of TBC is, and the paths that bypassing warps have parked, and
// the threads that have left a loop whose branch is open.
func (p *CAPRI) Paths(to []Path) []Path {
	return p.paths(to, p.Private.parked, func(cta int, list func(units.BlockMask, Path)) {
		if b := p.Opened.At(cta); b.Left != 0 && b.Exits {
			leave, meet := p.Targets.At(cta).Not, p.jump(b).Meet.PC
			if p.exits[b.At.PC] == exitsTaken {
				leave = p.Targets.At(cta).Taken
			}
			list(leave, Path{PC: meet, Reconv: meet, Wait: WaitsJoin})
		}
	})
}
