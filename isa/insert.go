package isa

import (
	"cmp"
	"fmt"
	"slices"
)

// Most regions inside one another that get instructions; those further inside
// do without, and their threads meet at the end of the region around them.
const (
	MaxTokenRegions = 32
	MaxBarriers     = 8 // convergence barriers of a warp (Hanoi, arXiv 2407.02944)
)

// WithTokens returns a copy of an analysed program with the instructions of a
// synchronisation-token stack: ssy before a divergent region, sync at its end
// (Bialas & Strzelecki, Benchmarking the cost of thread divergence in CUDA,
// section III). All branches of a region that meet at the same place share
// one pair, so that a loop pushes one token however many threads leave it by
// themselves:
//
//	         setp %p0                    setp %p0
//	                                     ssy R
//	         @%p0 bra R                  @%p0 bra S
//	L:       ...                      L: ...
//	         @%p1 bra L                  @%p1 bra L
//	                                  S: sync
//	R:       ...                      R: ...
//
// A program that needs none, or has such instructions already, is returned as
// it is.
func WithTokens(p *Program) *Program {
	return insert(p, MaxTokenRegions, pair{
		start: func(r *region) Inst { return Inst{Op: OpSSY} },
		end:   func(r *region) Inst { return Inst{Op: OpSync} },
	})
}

// WithBarriers returns a copy of an analysed program with the instructions of
// convergence barriers (Volta and later): bssy and bsync in the places of
// WithTokens, with a barrier for each level of regions; a warpsync before each
// instruction that names threads by a membermask; and, if asked for, a yield at
// the head of each loop.
func WithBarriers(p *Program, yield bool) *Program {
	return insert(p, MaxBarriers, pair{
		start: func(r *region) Inst { return Inst{Op: OpBSSY, Conv: uint8(r.level)} },
		end:   func(r *region) Inst { return Inst{Op: OpBSync, Conv: uint8(r.level)} },
		yield: yield, meets: true,
	})
}

// OriginOf is the PC that the instruction at pc had before others were
// inserted; of an inserted one, that of the instruction that it was put before.
func (p *Program) OriginOf(pc uint32) uint32 {
	switch {
	case p.Origin == nil || pc == NoPC:
		return pc
	case int(pc) >= len(p.Origin):
		return pc - uint32(len(p.Origin)) + p.Origin[len(p.Origin)-1] + 1
	}
	return p.Origin[pc]
}

// region is what lies between a divergent branch, or several, and the block at
// which their paths meet. It is entered at the end of one block and left to
// the join, or by an exit of the thread.
type region struct {
	enter  int    // -1-b: before block b, the first of the kernel or of a function
	join   int    // not inside
	inside []bool // by block
	level  int    // regions around it
}

// has reports whether block b is in r behind the entry.
func (r *region) has(b int) bool { return b >= 0 && r.inside[b] }

// from reports whether threads come from block b with the region open.
func (r *region) from(b int) bool { return b == r.enter || r.has(b) }

// encloses reports whether o lies in r.
func (r *region) encloses(o *region) bool {
	return r.has(o.enter) || r.enter == o.enter && r.has(o.join)
}

// crosses reports whether r and o overlap without one lying in the other.
func (r *region) crosses(o *region) bool {
	switch {
	case r.enter == o.enter:
		return r.has(o.join) == o.has(r.join)
	case o.has(r.enter):
		return r.has(o.join)
	case r.has(o.enter):
		return o.has(r.join)
	}
	return false
}

// regions finds a region for each block at which threads of a CTA meet after a
// branch on which they may disagree, in a way that none crosses another. Those
// that all threads leave at the join come first: they are what brings a warp
// together again before a barrier. Where the control flow is so entangled that
// none is entered at one place there is none.
func regions(p *Program, levels int) []region {
	var list []region
	for _, left := range []bool{false, true} {
		for join := range p.Blocks {
			if slices.ContainsFunc(list, func(r region) bool { return r.join == join }) {
				continue
			}
			if r, ok := regionBefore(p, join, list, left); ok && !p.repeats(&r) {
				list = append(list, r)
			}
		}
	}
	around := p.around(list)
	for i := range list {
		for o := range list {
			if o != i && list[o].encloses(&list[i]) {
				list[i].level++
			}
		}
		list[i].level += around[p.funcAt(p.Blocks[list[i].join].Start)]
	}
	list = slices.DeleteFunc(list, func(r region) bool { return r.level >= levels })
	slices.SortStableFunc(list, func(a, b region) int { return cmp.Compare(a.level, b.level) })
	return list
}

// regionBefore is the smallest region that ends at a block and crosses none of
// the others: from the nearest block that dominates the branches which meet
// there, and is not passed again. Left says whether threads may end inside.
func regionBefore(p *Program, join int, others []region, left bool) (region, bool) {
	var branches []int
	for b := range p.Blocks {
		last := &p.Insts[p.Blocks[b].End-1]
		parts := last.Conditional() && !last.Uniform && last.Reconv == p.Blocks[join].Start || p.scatters(b) && b+1 == join
		if parts && p.reachable(b) {
			branches = append(branches, b)
		}
	}
	if len(branches) == 0 {
		return region{}, false
	}
	for enter := branches[0]; ; enter = p.Blocks[enter].IDom {
		if enter < 0 {
			enter = -1 - p.entryOf(join)
		}
		r := region{enter: enter, join: join, inside: p.between(enter, join)}
		outside := func(b int) bool { return !r.from(b) }
		crosses := func(o region) bool { return o.crosses(&r) }
		if p.closed(&r) && !slices.ContainsFunc(branches, outside) && !slices.ContainsFunc(others, crosses) && (left || !p.endsIn(&r)) {
			return r, true
		}
		if enter < 0 {
			return region{}, false
		}
	}
}

// endsIn reports whether threads can end inside r.
func (p *Program) endsIn(r *region) bool {
	for b, in := range r.inside {
		last := &p.Insts[p.Blocks[b].End-1]
		if in && len(p.Blocks[b].Succs) == 0 && !last.Returns() {
			return true
		}
	}
	return false
}

// scatters reports whether threads that call the function at the end of block b
// together may return from it one by one: it is recursive, and the caller is not
// part of that.
func (p *Program) scatters(b int) bool {
	pc := p.Blocks[b].End - 1
	in := &p.Insts[pc]
	return in.Op == OpCall && !p.again(pc) && slices.ContainsFunc(p.callees(in), func(i int) bool { return p.Funcs[i-1].Cycle != 0 })
}

// repeats reports whether r can be entered again before it is left, by a
// recursive call in it. As there is one barrier for all that are active, there
// is none for such a region.
func (p *Program) repeats(r *region) bool {
	for b := range p.Blocks {
		if pc := p.Blocks[b].End - 1; r.from(b) && p.Insts[pc].Op == OpCall && p.again(pc) {
			return true
		}
	}
	return false
}

// around counts by function, the kernel first, how many regions of its callers
// at most a thread is in.
func (p *Program) around(list []region) []int {
	most := make([]int, len(p.Funcs)+1)
	for changed := true; changed; {
		changed = false
		for b := range p.Blocks {
			pc := p.Blocks[b].End - 1
			if p.Insts[pc].Op != OpCall {
				continue
			}
			n := most[p.funcAt(pc)]
			for i := range list {
				if list[i].from(b) {
					n++
				}
			}
			for _, f := range p.callees(&p.Insts[pc]) {
				if n > most[f] {
					most[f], changed = n, true
				}
			}
		}
	}
	return most
}

// reachable reports whether a thread can get to block b.
func (p *Program) reachable(b int) bool { return p.Blocks[b].IDom >= 0 || p.entryOf(b) == b }

// between are the blocks that can be executed after block enter and before
// block join.
func (p *Program) between(enter, join int) []bool {
	inside := make([]bool, len(p.Blocks))
	work := []int{-1 - enter}
	if enter >= 0 {
		work = slices.Clone(p.Blocks[enter].Succs)
	}
	for len(work) > 0 {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b != join && !inside[b] {
			inside[b] = true
			work = append(work, p.Blocks[b].Succs...)
		}
	}
	return inside
}

// closed reports whether the blocks inside r are entered from its entry only,
// and once each time.
func (p *Program) closed(r *region) bool {
	if r.has(p.entryOf(r.join)) && r.enter >= 0 {
		return false
	}
	for b, in := range r.inside {
		for _, u := range p.Blocks[b].Preds {
			if in && p.reachable(u) && !r.from(u) {
				return false
			}
		}
	}
	return true
}

// pair makes the instructions at the start and at the end of a region.
type pair struct {
	start, end func(r *region) Inst
	yield      bool
	meets      bool // warpsync where there is a membermask
}

// inserter lays a program out anew.
type inserter struct {
	pair
	old, new *Program
	regions  []region // outer before inner
	entry    []uint32 // new PC of each block
	sync     []uint32 // new PC of the end of the region before each block, or NoPC
	place    []uint32 // new PC of each instruction
	targets  []target
}

// target is where an instruction at a new PC leads to.
type target struct {
	pc    uint32
	block int
	sync  bool // to the end of the region before the block
}

func insert(p *Program, levels int, kind pair) *Program {
	if slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Op >= OpSSY }) {
		return p
	}
	made := *p
	made.Insts, made.Labels, made.Origin = nil, slices.Clone(p.Labels), nil
	x := &inserter{pair: kind, old: p, new: &made, regions: regions(p, levels)}
	for range p.Blocks {
		x.sync = append(x.sync, NoPC)
	}
	heads := make([]bool, len(p.Blocks))
	for _, l := range loops(p) {
		heads[l.header] = x.yield
	}
	named := func(in Inst) bool { return kind.meets && in.Flags&FlagSync != 0 }
	if len(x.regions) == 0 && !slices.Contains(heads, true) && !slices.ContainsFunc(p.Insts, named) {
		return p
	}
	for b := range p.Blocks {
		x.block(b, heads[b])
	}
	for i := range x.regions {
		if r := &x.regions[i]; x.sync[r.join] == NoPC {
			x.end(r)
		}
	}
	for _, t := range x.targets {
		in := &made.Insts[t.pc]
		in.Target = x.entry[t.block]
		if t.sync {
			in.Target = x.sync[t.block]
		}
		if in.Op >= OpSSY {
			in.Text += fmt.Sprint(" ", in.Target)
		}
	}
	for i, l := range made.Labels {
		if int(l.PC) < len(x.place) {
			made.Labels[i].PC = x.place[l.PC]
		} else {
			made.Labels[i].PC = uint32(len(made.Insts))
		}
	}
	made.setLanding()
	Analyze(&made)
	for pc := range p.Insts {
		was, is := &p.Insts[pc], &made.Insts[x.place[pc]]
		is.Uniform, is.Class = was.Uniform, was.Class
	}
	return &made
}

// block emits a block, before it the end of the region that falls into it, and
// at its end, before the branch, the starts of the regions behind it.
func (x *inserter) block(b int, yield bool) {
	blk, entry := &x.old.Blocks[b], x.old.entryOf(b) == b
	for i := range x.regions {
		if r := &x.regions[i]; r.join == b && !entry && (r.from(b-1) || x.old.Insts[blk.Start-1].EndsPath()) {
			x.end(r)
		}
	}
	if entry {
		x.start(-1 - b)
	}
	x.entry = append(x.entry, uint32(len(x.new.Insts)))
	if yield {
		x.insert(Inst{Op: OpYield}, blk.Start)
	}
	for pc := blk.Start; pc < blk.End; pc++ {
		in := x.old.Insts[pc]
		if in.Op == OpCall { // it returns behind its block
			x.start(b)
		}
		if in.Op == OpBra {
			x.start(b)
			to := find(x.old.Blocks, in.Target)
			x.target(to, slices.ContainsFunc(x.regions, func(r region) bool { return r.join == to && r.from(b) }))
		}
		if x.meets && in.Flags&FlagSync != 0 {
			x.insert(Inst{Op: OpWarpSync, Flags: FlagSync, Guard: in.Guard, Src: [MaxSrcs]Operand{in.Members()}, NSrc: 1}, pc)
		}
		x.place = append(x.place, uint32(len(x.new.Insts)))
		x.emit(in, pc)
	}
	if last := &x.old.Insts[blk.End-1]; last.Op != OpBra && last.Op != OpCall {
		x.start(b)
	}
}

// start emits the starts of the regions behind block b.
func (x *inserter) start(b int) {
	for i := range x.regions {
		if r := &x.regions[i]; r.enter == b {
			x.target(r.join, false)
			at := x.old.Blocks[max(b, -1-b)].Start
			if b >= 0 {
				at = x.old.Blocks[b].End - 1
			}
			x.insert(x.pair.start(r), at)
		}
	}
}

// end emits the end of a region.
func (x *inserter) end(r *region) {
	x.sync[r.join] = uint32(len(x.new.Insts))
	x.target(r.join, false)
	x.insert(x.pair.end(r), x.old.Blocks[r.join].Start)
}

// target makes the next instruction lead to a block.
func (x *inserter) target(block int, sync bool) {
	x.targets = append(x.targets, target{uint32(len(x.new.Insts)), block, sync})
}

// insert emits an instruction that stands for what is at pc.
func (x *inserter) insert(in Inst, pc uint32) {
	at := &x.old.Insts[pc]
	in.Inserted = true
	in.Text = map[Op]string{OpSSY: "ssy", OpSync: "sync", OpBSSY: "bssy", OpBSync: "bsync", OpYield: "yield", OpWarpSync: "warpsync"}[in.Op]
	switch m := in.Members(); {
	case in.Op == OpBSSY || in.Op == OpBSync:
		in.Text += fmt.Sprintf(" B%d,", in.Conv)
	case m.Kind == OperandReg:
		in.Text += " " + x.old.Regs[m.Index].Name
	case m.Kind == OperandImm:
		in.Text += fmt.Sprintf(" %#x", uint32(m.Imm))
	}
	in.Target, in.Reconv, in.Likely = NoPC, NoPC, NoPC
	in.Pos, in.Loc = at.Pos, at.Loc
	in.Exec = lanes.codes[form{op: OpNop}]
	x.emit(in, pc)
}

func (x *inserter) emit(in Inst, pc uint32) {
	x.new.Insts = append(x.new.Insts, in)
	x.new.Origin = append(x.new.Origin, pc)
}
