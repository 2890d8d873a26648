package compaction

import (
	"cmp"
	"math/bits"
	"slices"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/units"
)

var capriMechanisms = []divergence.Mechanism{
	{
		Name: "capri",
		Doc:  "thread block compaction at the branches at which it is predicted to be adequate",
		Promises: divergence.Promises{
			InStep:   true,
			Compacts: func(p divergence.Policy) *rtl.Observers[divergence.Compacted] { return &p.(*CAPRI).OnCompact },
		},
		Blocks: true,
		Params: capriKeys,
		New: func(e divergence.Env) (divergence.Policy, error) {
			return newCAPRI(e), nil
		},
	},
}

// capriKeys are the parameters of CAPRI, in addition to those of TBC.
var capriKeys = divergence.NewParams("capri", capriParams{Entries: 32})

// capriParams are the parameters of the adequacy prediction table.
type capriParams struct {
	Entries int `toml:"entries" old:"capri_entries" range:"1..128 pow2" doc:"branches in the adequacy prediction table" source:"ours"`
	Ways    int `toml:"ways" old:"capri_ways" range:"0..entries pow2" unit:"ways" doc:"lines of a set of that table; 0: fully associative" source:"ours"`
}

// CAPRI is thread block compaction with a prediction of its adequacy (Rhu & Erez, ISCA 2012). To
// compact, all warps of a block wait at a branch for the last one. The wait is in vain if the
// threads of both outcomes have the same lanes.
//
// So a table of branches, like a branch predictor, records whether compaction was adequate the last
// time. It was adequate if one of the outcomes needed fewer warps than arrive there without it. The
// first warp at a branch looks the branch up, and all warps follow the prediction:
//
//   - Adequate: they wait, as in TBC.
//   - Not adequate, or no divergence so far: they bypass the branch, and each continues as it is.
//
// When the last warp has executed the branch, the table is updated, whatever the prediction. The
// target entries of TBC have the threads of both outcomes. The counters of the compactor give the
// number of warps that they need, which is compared with the number of warps that came.
//
//	           adequate
//	        +-----------------> all wait: TBC, stack of the CTA, compactor
//	branch -+-> CAPT <--- update --- targets of both sides, warps that came
//	        |  not, but lately, or inside
//	        +-----------------> bypass as a block: stack of the CTA
//	        |  not
//	        +-----------------> bypass alone: path stack of the warp
//
// Our reading: the abstract, and the account of it in Rhu & Erez (ISCA 2013), do not say how a warp
// that does not wait continues. The rest of this comment is ours.
//
// A warp continues alone, with its own short path stack, until the branch reconverges. There it is
// again a warp of the block-wide top entry. Branches inside concern only the warp: they are neither
// predicted nor learned. If all of the CTA has one outcome, nothing reconverges. All warps are in
// the top entry again when the last one has executed the branch.
//
// Bypassing alone would hide the inner branches from the table for ever. So the warps can instead
// bypass a branch as a block. They continue with the outcome that runs first, and leave the threads
// of the other one in the target entries, as in TBC. When the last warp has executed the branch,
// the stack of the CTA is split as in TBC. The warps stay as they are, in the top entry. The next
// branch is then looked up in the table. They bypass as a block
//
//   - at a branch with others inside, if a second bit of its line is set. Compaction that is
//     adequate there or one level inside sets the bit; the bypass clears it. One level inside is a
//     branch in an entry that ends at the reconvergence point of the line. If it has others inside,
//     it passes its own bit on. Without a line they do so if one outcome leads straight to the
//     reconvergence point. No warp then waits for another outcome of another warp;
//   - at a branch that threads reach again before they reconverge, such as a loop exit, so that the
//     next iteration looks the table up;
//   - at a branch inside which functions are called, or branches nest deeper than the path stack.
//
// If the outcomes of such a branch do not meet, or the stack of the CTA is deep, they wait instead:
// see TBC.
//
// One branch of a CTA is open at a time, from the first warp to the last. A warp that reaches the
// next branch earlier is held there. So is a warp that has bypassed the open branch alone without
// diverging, while it is unknown whether all warps have the same outcome.
//
// A barrier that a warp reaches alone is that of the per-warp stack: the warp arrives as a whole.
type CAPRI struct {
	TBC
	CAPT    units.CAPT
	Opened  *rtl.Mem[Instance]   `rtl:"inplace"` // by CTA
	Private divergence.PathStack // by slot, empty unless the warp continues alone
	Holds   rtl.State[holds]     `rtl:"inplace"`

	prog   *isa.Program
	behind []region // by PC, of prog
}

// Instance is one execution of a branch by the warps of a block-wide top entry.
type Instance struct {
	Left   uint8 `bits:"7"` // warps that have not executed it; 0 if no branch is open
	At     divergence.Point
	Target uint32 // of an indirect branch: that of the first warp
	// RPC is the reconvergence point of the top entry, and so of the branches around this one.
	RPC     uint32
	Compact bool   // prediction
	Waits   bool   // all wait: to compact, or because the branch cannot be bypassed
	Alone   bool   // each warp bypasses alone; with neither Waits nor Alone, as a block
	First   bool   // bypassed as a block: the taken path runs first
	Came    uint64 `bits:"warps"` // slots that have executed it, counted from the CTA's first
	Taken   uint8  `bits:"7"`     // arriving warps with a thread on the taken path
	Not     uint8  `bits:"7"`
}

// holds are the branches that wait until another one is closed.
type holds struct {
	Slots  uint64                      `bits:"warps"`
	Taken  [divergence.MaxWarps]uint64 `len:"warps" bits:"lanes"` // outcome
	Target [divergence.MaxWarps]uint32 `if:"calls" len:"warps"`
	Since  [divergence.MaxWarps]uint64 `rtl:"sim"` // cycle
}

// privateStack is the depth of the path stack of a warp. Its entries are the places where paths
// meet, at most privateJoins, and the paths still to run. From privateDeep entries on the smaller
// path runs first. By then at least one thread waits, and the others can be halved: 31 four times, 63
// five times.
const (
	privateJoins = 4
	privateDeep  = 4
)

func privateStack(lanes int) int {
	return privateDeep + privateJoins + max(bits.Len(uint(lanes)), 6) - 2
}

func newCAPRI(e divergence.Env) *CAPRI {
	k := capriKeys.Of(e.Options)
	tbc := newTBC(e, false)
	return &CAPRI{
		TBC:    tbc,
		CAPT:   units.NewCAPT(k.Entries, cmp.Or(k.Ways, k.Entries)),
		Opened: rtl.NewMem[Instance](e.CTAs),
		Private: divergence.PathStack{
			Stack: units.NewStack(e.Warps, privateStack(e.Lanes), divergence.NoEntry), First: e.First(),
			Deep: privateDeep, Events: tbc.Events,
		},
	}
}

// Logic is that of TBC and more comparators: of the path stacks, of the table's tags, and of the
// reconvergence points of its branches. For each outcome of a branch it also counts the compacted
// warps and compares them with those that came.
func (p *CAPRI) Logic(g divergence.Geometry) []units.Logic {
	list := append(p.TBC.Logic(g),
		units.Logic{Kind: units.Equality, Bits: 32, Count: g.Warps},
		units.Logic{Kind: units.Equality, Bits: 32, Count: p.CAPT.Ways()},
		units.Logic{Kind: units.Equality, Bits: 32, Count: p.CAPT.Lines.Len()},
		units.Logic{Kind: units.Adder, Bits: 7, Count: 2},
		units.Logic{Kind: units.LessThan, Bits: 7, Count: 2})
	way := units.MostBits(g.Lanes, g.Warps)
	return slices.Concat(list, way, way)
}

// Begin analyses the code behind each branch. The table keeps what it has learned: its tags are PCs
// in instruction memory, so each kernel has its own.
func (p *CAPRI) Begin() {
	p.TBC.Begin()
	if prog := p.code.Prog; prog != p.prog {
		p.prog, p.behind = prog, regionsOf(prog)
	}
}

// region describes the code from a branch to its reconvergence point.
type region struct {
	again bool // contains the branch itself
	calls bool // contains calls
	nests bool // contains branches
	// joins is the largest number of places at which paths of a warp wait at once. It includes the
	// reconvergence point of the branch.
	joins int
}

// many is more joins than any path stack can hold.
const many = 255

// alone reports whether warps can bypass the branch alone. The region must fit in their path
// stacks, and they must return to the block before they reach the branch again.
func (r *region) alone() bool { return !r.again && !r.calls && r.joins <= privateJoins }

// regionsOf analyses the branches of a program at which threads of a CTA can diverge.
func regionsOf(p *isa.Program) []region {
	list := make([]region, len(p.Insts))
	for i := range p.Insts {
		if parts(&p.Insts[i]) && list[i].joins == 0 {
			look(p, list, uint32(i))
		}
	}
	return list
}

// parts reports whether threads of a CTA can diverge at an instruction.
func parts(in *isa.Inst) bool { return in.Branches() && !in.Uniform }

// look walks from both sides of a branch to their reconvergence point. It analyses the branches on
// the way that reconverge earlier. Such a branch leads back to this one only where threads never
// end, and then has many joins.
func look(p *isa.Program, list []region, branch uint32) {
	in, home, r := &p.Insts[branch], p.Block(branch), &list[branch]
	if r.joins = many; in.Op != isa.OpBra {
		r.calls, r.nests = true, true
		return
	}
	end := -1
	if in.Reconv != isa.NoPC {
		end = p.Block(in.Reconv)
	}
	seen := make([]bool, len(p.Blocks))
	var inner []uint32
	for todo := []int{p.Block(in.Target), p.Block(branch + 1)}; len(todo) > 0; {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if b == end || seen[b] {
			continue
		}
		seen[b] = true
		last := p.Blocks[b].End - 1
		if op := p.Insts[last].Op; p.Insts[last].Branches() && op != isa.OpBra {
			r.calls = true
		}
		if parts(&p.Insts[last]) {
			inner = append(inner, last)
		}
		todo = append(todo, p.Blocks[b].Succs...)
	}
	r.again, r.nests = seen[home], len(inner) > 0
	joins := 1
	for _, i := range inner {
		switch to := p.Insts[i].Reconv; {
		case to == in.Reconv:
		case to == isa.NoPC || !seen[p.Block(to)]:
			joins = many
		default:
			if list[i].joins == 0 {
				look(p, list, i)
			}
			joins = max(joins, 1+list[i].joins)
		}
	}
	r.joins = joins
}

// Tick does the work of TBC's Tick. In a cycle without an outcome it serves a held branch.
func (p *CAPRI) Tick() {
	idle := !p.Outcome.Valid()
	for i := range p.Others {
		idle = idle && !p.Others[i].Outcome.Valid()
	}
	p.serve(p)
	if idle {
		p.retry()
	}
	p.publish()
}

// branch predicts, then waits for the other warps or continues.
func (p *CAPRI) branch(i int, in *isa.Inst, o *divergence.Outcome) {
	s := p.Table.Edit(i)
	if p.held(i, s) {
		h := p.Holds.D()
		h.Slots |= 1 << i
		h.Taken[i], h.Target[i], h.Since[i] = o.Taken, o.Target, p.sim.Now()
		s.Wait = divergence.WaitsJoin
		return
	}
	if p.Private.Len(i) > 0 {
		p.bypass(i, s, in, o)
		return
	}
	b, t, st := p.Opened.Edit(int(s.CTA)), p.Targets.Edit(int(s.CTA)), &p.D().Stats.Prediction
	taken, not := s.Mask&o.Taken, s.Mask&^o.Taken
	j := o.Jump(in, s.Depth)
	if b.Left == 0 {
		p.begin(b, s, o, j)
		*t = Targets{}
	}
	if taken != 0 && not != 0 {
		p.CAPT.Diverge(p.code.Base+o.PC, p.code.Base+j.Meet.PC)
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
	if b.Waits {
		p.TBC.branch(i, in, o)
		p.came(i, s)
		return
	}
	st.Bypasses++
	p.add(&t.Taken, s, uint8(i), taken)
	p.add(&t.Not, s, uint8(i), not)
	if b.Alone {
		p.Private.Push(i, divergence.Entry{At: j.Meet, RPC: divergence.Nowhere, LPC: divergence.Nowhere, Mask: s.Mask},
			&p.D().Stats)
		p.Private.Push(i, divergence.Entry{RPC: j.Meet, LPC: divergence.Nowhere}, &p.D().Stats)
		p.bypass(i, s, in, o)
	} else {
		p.part(s, b, j, taken, not)
	}
	p.came(i, s)
}

// begin opens a branch for its first warp, and looks it up in the table.
func (p *CAPRI) begin(b *Instance, s *divergence.Slot, o *divergence.Outcome, j divergence.Jump) {
	pc, cta, st := p.code.Base+o.PC, int(s.CTA), &p.D().Stats.Prediction
	was, hit := p.CAPT.Predict(pc)
	e, r := p.Stack.Top(cta), &p.behind[o.PC]
	*b = Instance{Left: e.WCnt, At: s.At(), Target: o.Target, RPC: e.RPC.PC, Compact: was.Here && !p.off()}
	block := was.Block || !hit && (j.Target == j.Meet || j.Fall == j.Meet)
	b.Alone = !b.Compact && r.alone() && !(block && r.nests)
	b.Waits = b.Compact || !b.Alone && (j.Meet == divergence.Nowhere || p.Stack.Len(cta) >= deepStack)
	b.First = p.begins(j, s.Mask&o.Taken, s.Mask&^o.Taken)
	if !b.Alone && !b.Waits {
		p.CAPT.Bypass(pc)
	}
	st.Branches++
	if !hit {
		st.Misses++
	}
	if b.Compact {
		st.Compacts++
	}
}

// begins reports whether the taken path runs first at a bypassed branch. It chooses a path that
// does not begin at the reconvergence point, and on which the first warp has threads.
func (p *CAPRI) begins(j divergence.Jump, taken, not uint64) bool {
	switch {
	case j.Target == j.Meet:
		return false
	case j.Fall == j.Meet:
		return true
	case taken == 0 || not == 0:
		return not == 0
	}
	return p.first.Taken(taken, not)
}

// part sends the threads of a warp that take the first path there. The others wait in the target
// entries.
func (p *CAPRI) part(s *divergence.Slot, b *Instance, j divergence.Jump, taken, not uint64) {
	if s.Mask = not; b.First {
		s.Mask = taken
	}
	if s.Set(j.Fall); b.First {
		s.Set(j.Target)
	}
	if s.Mask == 0 {
		s.Valid, s.Wait = false, divergence.WaitsJoin
		p.wait(p.Blocks.Edit(int(s.CTA)))
	}
}

// ways returns the threads that take the first path at a branch, and those that take the second.
func (p *CAPRI) ways(cta int, b *Instance) (first, second *units.BlockMask) {
	t := p.Targets.Edit(cta)
	if b.First {
		return &t.Taken, &t.Not
	}
	return &t.Not, &t.Taken
}

// jump returns the successors of the open branch.
func (p *CAPRI) jump(b *Instance) divergence.Jump {
	_, j := p.branchOf(&Block{At: b.At, Target: b.Target})
	return j
}

// gather splits the stack when the last warp has executed a branch. The warps stay as they are, in
// the top entry. Threads that have exited since are not in it: until now they counted for adequacy.
func (p *CAPRI) gather(cta int, b *Instance) {
	block, e, j := p.Blocks.Edit(cta), p.Stack.Top(cta), p.jump(b)
	p.D().Stats.Compaction.AtBranch += p.waited(block)
	if first, second := p.ways(cta, b); !second.Empty() {
		exited := *first
		exited.Remove(&e.Mask)
		first.Remove(&exited)
		block.At, block.Target = b.At, b.Target
		p.split(cta, e, b.First)
		e = p.Stack.Top(cta)
	}
	first := int(block.First)
	e.WCnt = 0
	for came := b.Came; came != 0; came &= came - 1 {
		if p.Table.Edit(first + bits.TrailingZeros64(came)).Valid {
			e.WCnt++
		}
	}
	if e.WCnt == 0 {
		p.D().Turned |= 1 << cta
	}
	for came := b.Came; came != 0; came &= came - 1 {
		i := first + bits.TrailingZeros64(came)
		switch s := p.Table.Edit(i); {
		case !s.Valid || s.At() != j.Meet:
		case e.RPC == j.Meet: // as in moved
			e.At = j.Meet
			p.arrive(i)
		default:
			s.Wait = divergence.Runs
			p.redirect.Add(i)
		}
	}
	for i := cta * divergence.Barriers; i < (cta+1)*divergence.Barriers; i++ {
		if p.bars.Next(i).Waiting != 0 {
			p.park(p, cta, p.bars.Edit(i))
		}
	}
}

// bypass executes a branch as the per-warp stack does.
func (p *CAPRI) bypass(i int, s *divergence.Slot, in *isa.Inst, o *divergence.Outcome) {
	j := o.Jump(in, s.Depth)
	switch taken, not := s.Mask&o.Taken, s.Mask&^o.Taken; {
	case taken != 0 && not != 0:
		p.Private.Diverge(i, s, in, j, taken, not, &p.D().Stats)
	case not == 0:
		s.Set(j.Target)
	default:
		s.Set(j.Fall)
	}
	p.moved(i)
}

// came counts a warp at the open branch: it has executed it, or never will. The last one closes the
// branch.
func (p *CAPRI) came(i int, s *divergence.Slot) {
	cta := int(s.CTA)
	b, first := p.Opened.Edit(cta), p.Blocks.At(cta).First
	b.Came |= 1 << (i - int(first))
	if b.Left--; b.Left != 0 {
		return
	}
	t := p.Targets.Edit(cta)
	adequate := t.Taken.Compacted() < int(b.Taken) || t.Not.Compacted() < int(b.Not)
	block := p.CAPT.Update(p.code.Base+b.At.PC, adequate)
	if (adequate || block && p.behind[b.At.PC].nests) && b.RPC != isa.NoPC {
		p.CAPT.Inside(p.code.Base + b.RPC)
	}
	if adequate == b.Compact {
		p.D().Stats.Prediction.Correct++
	}
	switch {
	case b.Alone && b.oneWay():
		for came := b.Came; came != 0; came &= came - 1 {
			p.Private.Clear(int(first)+bits.TrailingZeros64(came), &p.D().Stats)
		}
	case !b.Alone && !b.Waits:
		p.gather(cta, b)
	}
}

// oneWay reports whether all warps so far have the same outcome.
func (b *Instance) oneWay() bool { return b.Taken == 0 || b.Not == 0 }

// missing reports whether a branch is open that slot i has not executed.
func (p *CAPRI) missing(i int, s *divergence.Slot) bool {
	b := p.Opened.Next(int(s.CTA))
	return b.Left != 0 && b.Came>>(i-int(p.Blocks.At(int(s.CTA)).First))&1 == 0
}

// ahead reports whether slot i has bypassed the open branch as part of a block.
func (p *CAPRI) ahead(i int, s *divergence.Slot) bool {
	b := p.Opened.Next(int(s.CTA))
	return b.Left != 0 && !b.Alone && !b.Waits && !p.missing(i, s)
}

// held reports whether slot i must wait with its branch, because other warps have yet to execute
// the open one.
func (p *CAPRI) held(i int, s *divergence.Slot) bool {
	b := p.Opened.Next(int(s.CTA))
	return b.Left != 0 && !p.missing(i, s) && (p.Private.Len(i) == 0 || b.oneWay())
}

// retry serves a held branch.
func (p *CAPRI) retry() {
	h := p.Holds.Q()
	for slots := h.Slots; slots != 0; slots &= slots - 1 {
		i := bits.TrailingZeros64(slots)
		if s := p.Table.Edit(i); !p.held(i, s) {
			p.Holds.D().Slots &^= 1 << i
			p.D().Stats.Compaction.AtBranch += p.sim.Now() - h.Since[i]
			s.Wait = divergence.Runs
			p.redirect.Add(i)
			p.branch(i, &p.code.Prog.Insts[s.PC],
				&divergence.Outcome{Slot: uint16(i), PC: s.PC, Taken: h.Taken[i], Target: h.Target[i]})
			p.Blocks.Edit(int(s.CTA)).Served = p.sim.Now()
			return
		}
	}
}

// moved checks whether a path of a warp has ended. It also checks whether the warp has reached the
// reconvergence point of the branch that it bypasses, or the end of the block.
func (p *CAPRI) moved(i int) {
	if p.Private.Len(i) > 0 {
		s := p.Table.Edit(i)
		at := s.At()
		p.Private.Pop(i, s, &p.D().Stats)
		if s.At() != at {
			p.redirect.Add(i)
		}
		if p.Private.Len(i) > 1 {
			return
		}
		p.Private.Drop(i, &p.D().Stats)
	}
	if s := p.Table.Edit(i); p.ahead(i, s) && s.Mask != 0 && s.At() == p.jump(p.Opened.Next(int(s.CTA))).Meet {
		s.Wait = divergence.WaitsJoin // it came here by a branch that is uniform for the CTA
		return
	}
	p.TBC.moved(i)
}

// leaves removes lanes from a warp, which ends with its last lane.
func (p *CAPRI) leaves(i int, lanes uint64) {
	s := p.Table.Edit(i)
	p.Private.Remove(i, lanes)
	left := p.whole(i) &^ lanes
	if s.Mask &^= lanes; left != 0 {
		return
	}
	p.Private.Clear(i, &p.D().Stats)
	if p.missing(i, s) {
		p.came(i, s)
	}
}

// whole returns the lanes of a warp.
func (p *CAPRI) whole(i int) uint64 {
	if p.Private.Len(i) > 0 {
		return p.Private.Entry(i, 0).Mask
	}
	return p.Table.Edit(i).Mask
}

// Arriving returns the warp of the slot, on whatever paths its threads are.
func (p *CAPRI) Arriving(slot int, active uint64, _ bool) uint64 {
	if *p.Private.Depth.At(slot) > 0 {
		return p.Private.At(slot, 0).Mask
	}
	return active
}

// Paths lists the paths of TBC and the parked paths of warps that continue alone. It adds the
// threads that wait for the last warp at a bypassed branch.
func (p *CAPRI) Paths(to []divergence.Path) []divergence.Path {
	return p.paths(to, p.Private.Parked, func(cta int, list func(units.BlockMask, divergence.Path)) {
		b := p.Opened.At(cta)
		if b.Left == 0 || b.Alone || b.Waits {
			return
		}
		j := p.jump(b)
		second, at := p.Targets.At(cta).Not, divergence.Path{PC: j.Fall.PC, Reconv: j.Meet.PC}
		if !b.First {
			second, at.PC = p.Targets.At(cta).Taken, j.Target.PC
		}
		if at.PC == at.Reconv {
			at.Wait = divergence.WaitsJoin
		}
		list(second, at)
	})
}
