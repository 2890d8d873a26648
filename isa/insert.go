package isa

import (
	"cmp"
	"fmt"
	"slices"
)

// Limits of nested regions with instructions. Regions nested deeper get none; their threads meet at
// the end of the region around them.
const (
	MaxTokenRegions = 32
	MaxBarriers     = 8 // convergence barriers of a warp (Hanoi, arXiv 2407.02944)
)

// WithTokens returns a copy of an analysed program with the instructions of a synchronisation-token
// stack. It inserts ssy before a divergent region and sync at its end (Bialas & Strzelecki,
// Benchmarking the cost of thread divergence in CUDA, section III). All branches with the same
// reconvergence point share one pair. A loop therefore pushes one token, however many threads leave
// it one by one:
//
//	         setp %p0                    setp %p0
//	                                     ssy R
//	         @%p0 bra R                  @%p0 bra S
//	L:       ...                      L: ...
//	         @%p1 bra L                  @%p1 bra L
//	                                  S: sync
//	R:       ...                      R: ...
//
// WithTokens returns p itself if p needs no tokens or has such instructions already.
func WithTokens(p *Program) *Program {
	return insert(p, pair{
		start:  func(*region) Inst { return Inst{Op: OpSSY} },
		end:    func(*region) Inst { return Inst{Op: OpSync} },
		levels: MaxTokenRegions,
	})
}

// WithBarriers returns a copy of an analysed program with the instructions of convergence barriers
// (Volta and later). It inserts bssy and bsync in the places of WithTokens, with a barrier for each
// level of regions. A warpsync precedes each instruction that names threads by a membermask. If
// yield is set, the head of each loop gets a yield.
//
// A recursive function has the same barriers in each activation. A call after which it may be
// active again therefore saves, in the frame, the participants of the barriers of the regions
// around it. This is the bmov of Hanoi (arXiv 2407.02944); SaveRegisters leaves the room:
//
//	mov       %conv, B1
//	st.local  [%frame-32], %conv
//	call      fib
//	ld.local  %conv, [%frame-32]
//	bmov      B1, %conv
//
// Meanwhile no other thread of the region may run. A region has no barrier if another thread could
// run there, because threads of the function can wait for others.
func WithBarriers(p *Program, yield bool) *Program {
	return insert(p, pair{
		start:  func(r *region) Inst { return Inst{Op: OpBSSY, Conv: uint8(r.level)} },
		end:    func(r *region) Inst { return Inst{Op: OpBSync, Conv: uint8(r.level)} },
		levels: MaxBarriers, recurs: true, yield: yield, meets: true,
	})
}

// OriginOf is the PC before insertion of the instruction at pc. For an inserted instruction it is
// that of the instruction behind it.
func (p *Program) OriginOf(pc uint32) uint32 {
	switch {
	case p.Origin == nil || pc == NoPC:
		return pc
	case int(pc) >= len(p.Origin):
		return pc - uint32(len(p.Origin)) + uint32(len(p.landing))
	}
	return p.Origin[pc]
}

// pair makes the instructions at the start and at the end of a region.
type pair struct {
	start, end func(r *region) Inst
	levels     int // most levels of nested regions
	// recurs: a region of a recursive function is one region in all activations. Threads may return
	// from the function one by one.
	recurs bool
	yield  bool
	meets  bool // insert a warpsync before an instruction with a membermask
}

// inserter writes the program with the inserted instructions.
type inserter struct {
	pair
	old, new *Program
	*regions
	doors   []door
	loops   []bool   // by block: it is a loop head and gets a yield
	place   []uint32 // new PC of each instruction
	targets []target
	conv    Operand // register that carries masks of barriers to and from a frame
	away    []int   // blocks whose door is incomplete: the rest follows at the end of the function
}

// door is the entry code of a block. It has the end of the region joined there, and the starts of
// the regions that begin there, outer before inner. A thread that is already in some of these
// enters behind their starts:
//
//	sync             <- out of the region that ends here
//	ssy   outer      <- from outside
//	ssy   inner      <- inside the outer region
//	block            <- inside both, as a loop comes back
//
// The block above must not fall into code for other threads. That code is at the end of the
// function: a sync, or starts with a jump back.
type door struct {
	sync  uint32 // PC of the end; NoPC if it is not directly in front of the block
	at    uint32 // PC of the starts and the block
	depth int    // number of open regions at at
	far   uint32 // PC of starts at the end of the function
	low   int    // number of open regions at far
}

// target is the destination of an instruction at a new PC.
type target struct {
	pc    uint32
	block int
	depth int // open regions; -1 for the end of the region before the block
}

func insert(p *Program, kind pair) *Program {
	if slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Op >= OpSSY }) {
		return p
	}
	made := *p
	made.Insts, made.Labels, made.Origin = nil, slices.Clone(p.Labels), nil
	x := &inserter{
		pair: kind, old: p, new: &made, regions: findRegions(p, kind.recurs),
		doors: make([]door, len(p.Blocks)), loops: make([]bool, len(p.Blocks)),
	}
	if x.yield {
		for b, l := range p.Loops(p.Dominators()) {
			x.loops[b] = l != nil && l.Header == b
		}
	}
	made.Warnings = x.bound()
	named := func(in Inst) bool { return kind.meets && in.Flags&FlagSync != 0 }
	if len(made.Warnings) == 0 && !slices.ContainsFunc(x.joins, func(r int) bool { return r >= 0 }) &&
		!slices.Contains(x.loops, true) && !slices.ContainsFunc(p.Insts, named) {
		return p
	}
	room := len(p.Insts) + len(p.Insts)/4 // growth step by step would copy a large program many times
	made.Insts, made.Origin = make([]Inst, 0, room), make([]uint32, 0, room)
	for b := range p.Blocks {
		x.block(b)
	}
	x.rest()
	for _, t := range x.targets {
		in := &made.Insts[t.pc]
		in.Target = x.pc(t)
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
	landing := slices.Clone(x.place)
	for b := range p.Blocks {
		switch start := p.Blocks[b].Start; {
		case p.entryOf(b) == b:
			landing[start] = x.pc(target{block: b})
		case p.Insts[start-1].Op == OpCall:
			landing[start] = x.pc(x.way(b-1, b))
		}
	}
	made.setLanding(landing)
	made.flow() // class, uniformity and live registers are unchanged; %conv is not counted
	return &made
}

// bound drops the regions beyond the hardware's limits.
func (x *inserter) bound() []Warning {
	var told []Warning
	if x.recurs {
		again := x.again(x.old, x.old.withCallees(x.waits))
		told = x.drop(x.old, "no barrier for the threads that part here: a recursive call enters the region again, and there threads wait for others; they go on together behind the outermost call",
			func(r int) bool { return again[r] })
	}
	x.setLevels(x.old)
	deep := func(r int) bool { return x.list[r].level >= x.levels }
	told = append(told, x.drop(x.old,
		fmt.Sprintf("more than %d regions in one another: threads that part here go on together at the end of one around this", x.levels), deep)...)
	slices.SortFunc(told, func(a, b Warning) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Col, b.Col))
	})
	return told
}

// waits reports whether threads of function i, numbered by funcAt, can wait in it for others. Those
// run in between. The end of a region does not count.
func (x *inserter) waits(i int) bool {
	p := x.old
	from, to := uint32(0), uint32(len(p.Insts))
	if i > 0 {
		from = p.Funcs[i-1].Entry
	}
	if i < len(p.Funcs) {
		to = p.Funcs[i].Entry
	}
	return slices.ContainsFunc(p.Insts[from:to],
		func(in Inst) bool { return in.Op == OpBar || x.meets && in.Flags&FlagSync != 0 }) ||
		slices.Contains(x.loops[p.Block(from):p.Block(to-1)+1], true)
}

// way is the target of threads that leave block u for successor b.
func (x *inserter) way(u, b int) target {
	r := x.regions.end[u]
	if r >= 0 && r == x.joins[b] {
		return target{block: b, depth: -1}
	}
	return target{block: b, depth: min(x.depth(r), x.depth(x.regions.start[b]))}
}

// pc is the new PC of a target.
func (x *inserter) pc(t target) uint32 {
	switch d := &x.doors[t.block]; {
	case t.depth < 0:
		return d.sync
	case t.depth < d.depth:
		return d.far + uint32(t.depth-d.low)
	default:
		return d.at + uint32(t.depth-d.depth)
	}
}

// above is the target of the block in front of block b if that runs into b, and false otherwise.
// The kernel and functions are entered as if from above.
func (x *inserter) above(b int) (t target, runs bool) {
	switch {
	case x.old.entryOf(b) == b:
		return target{block: b}, true
	case x.old.Insts[x.old.Blocks[b].Start-1].EndsPath():
		return target{}, false
	}
	return x.way(b-1, b), true
}

// early reports whether the regions between block u and its jump target b start in front of the
// jump. They do so if they cannot start in front of b.
func (x *inserter) early(u, b int) bool {
	above, runs := x.above(b)
	last := &x.old.Insts[x.old.Blocks[u].End-1]
	t := x.way(u, b)
	return runs && last.Op == OpBra && last.EndsPath() && t.depth >= 0 && t.depth < above.depth
}

// plan decides on the code in front of block b, and whether that is the whole door.
func (x *inserter) plan(b int) (d door, sync, all bool) {
	d.low = x.depth(x.regions.start[b])
	r := x.joins[b]
	if r >= 0 {
		d.low = min(d.low, x.depth(x.list[r].parent))
	}
	for _, u := range x.old.Blocks[b].Preds {
		if t := x.way(u, b); t.depth >= 0 && !x.early(u, b) {
			d.low = min(d.low, t.depth)
		}
	}
	above, runs := x.above(b)
	sync = r >= 0 && (!runs || above.depth < 0)
	if d.depth = d.low; runs && above.depth >= 0 {
		d.depth = above.depth
		d.low = min(d.low, d.depth)
	}
	return d, sync, sync == (r >= 0) && d.low == d.depth
}

// block emits a block with its door. In front of the branch at its end it emits the starts of the
// regions behind that branch.
func (x *inserter) block(b int) {
	blk := &x.old.Blocks[b]
	if b > 0 && x.old.entryOf(b) == b {
		x.rest()
	}
	d, sync, all := x.plan(b)
	first, returns := uint32(len(x.new.Insts)), b > 0 && x.keeps(blk.Start-1)
	if returns {
		x.kept(b-1, x.restore)
	}
	if d.sync = NoPC; sync {
		x.end(b)
		d.sync = first
	}
	if !all {
		x.away = append(x.away, b)
	}
	start, end := x.regions.start[b], x.regions.end[b]
	if d.at = x.starts(start, d.depth, blk.Start); returns && !sync {
		d.at = first
	}
	x.doors[b] = d
	if x.loops[b] {
		x.insert(Inst{Op: OpYield}, blk.Start)
	}
	for pc := blk.Start; pc < blk.End; pc++ {
		in := x.old.Insts[pc]
		if pc == blk.End-1 {
			x.starts(end, x.depth(start), pc)
			if x.keeps(pc) {
				x.kept(b, x.save)
			}
		}
		if in.Op == OpBra {
			t := x.way(b, find(x.old.Blocks, in.Target))
			if x.early(b, t.block) {
				x.starts(x.regions.start[t.block], t.depth, pc)
				t.depth = x.depth(x.regions.start[t.block])
			}
			x.target(t)
		}
		if x.meets && in.Flags&FlagSync != 0 {
			x.insert(Inst{
				Op: OpWarpSync, Flags: FlagSync, Guard: in.Guard, Src: [MaxSrcs]Operand{in.members()},
				NSrc: 1,
			}, pc)
		}
		x.place = append(x.place, uint32(len(x.new.Insts)))
		x.emit(in, pc)
	}
}

// keeps reports whether the instruction at pc is a call that saves and restores barriers.
func (x *inserter) keeps(pc uint32) bool {
	return x.recurs && x.old.Insts[pc].Op == OpCall && x.old.again(pc)
}

// kept calls do for each region around the call at the end of block b. It passes the place in the
// frame for the participants of the region's barrier. At the call and at the instruction behind it,
// the frame register holds the end of the frame.
func (x *inserter) kept(b int, do func(r *region, in Inst, pc uint32)) {
	pc := x.old.Blocks[b].End - 1
	f := x.old.FuncAt(pc)
	frame := Operand{Kind: OperandReg, Index: x.old.Frame}
	for r := x.regions.end[b]; r >= 0; r = x.list[r].parent {
		l := &x.list[r]
		off := int64(x.old.LocalBytes) - int64(f.Frame) + int64(f.Masks) + 4*int64(l.level)
		do(l, Inst{Type: B32, Space: SpaceLocal, Vec: 1, Src: [MaxSrcs]Operand{frame}, Off: off}, pc)
	}
}

// save emits, in front of pc, the store of a region's participants to the place that in accesses.
func (x *inserter) save(r *region, in Inst, pc uint32) {
	conv := x.through()
	mask := Operand{Kind: OperandSpecial, Index: uint16(ConvMask) + uint16(r.level)}
	x.insert(Inst{Op: OpMov, Type: B32, NSrc: 1, NDst: 1, Src: [MaxSrcs]Operand{mask}, Dst: [MaxDsts]Operand{conv}}, pc)
	in.Op, in.NSrc, in.Src[1] = OpSt, 2, conv
	x.insert(in, pc)
}

// restore emits, behind pc, the instructions that make them participants again.
func (x *inserter) restore(r *region, in Inst, pc uint32) {
	conv := x.through()
	in.Op, in.NSrc, in.NDst, in.DstBits, in.Dst[0] = OpLd, 1, 1, 32, conv
	x.insert(in, pc+1)
	x.target(target{block: r.join, depth: x.depth(r.parent)})
	x.insert(Inst{Op: OpBMov, Conv: uint8(r.level), NSrc: 1, Src: [MaxSrcs]Operand{conv}}, pc+1)
}

// through is the register that carries masks of barriers.
func (x *inserter) through() Operand {
	if x.conv.Kind == OperandNone {
		x.conv = Operand{Kind: OperandReg, Index: uint16(len(x.old.Regs))}
		x.new.Regs = append(slices.Clone(x.old.Regs), Reg{Name: "%conv", Type: B32})
	}
	return x.conv
}

// rest emits the code at the end of a function.
func (x *inserter) rest() {
	for _, b := range x.away {
		d, start := &x.doors[b], x.old.Blocks[b].Start
		if x.joins[b] >= 0 && d.sync == NoPC {
			d.sync = x.end(b)
		}
		if d.low == d.depth {
			continue
		}
		r := x.regions.start[b]
		for x.depth(r) > d.depth {
			r = x.list[r].parent
		}
		d.far = x.starts(r, d.low, start)
		x.target(target{block: b, depth: d.depth})
		x.insert(Inst{Op: OpBra, Uniform: true}, start)
	}
	x.away = x.away[:0]
}

// starts emits the starts of a region and of those around it, outer first, except the open ones. It
// returns the PC of the first.
func (x *inserter) starts(r, open int, pc uint32) uint32 {
	at := uint32(len(x.new.Insts))
	var list []*region
	for ; x.depth(r) > open; r = x.list[r].parent {
		list = append(list, &x.list[r])
	}
	for _, r := range slices.Backward(list) {
		x.target(target{block: r.join, depth: x.depth(r.parent)})
		x.insert(x.pair.start(r), pc)
	}
	return at
}

// end emits the end of the region before block b, and returns its PC.
func (x *inserter) end(b int) uint32 {
	at, r := uint32(len(x.new.Insts)), &x.list[x.joins[b]]
	x.target(target{block: b, depth: x.depth(r.parent)})
	x.insert(x.pair.end(r), x.old.Blocks[b].Start)
	return at
}

// target sets the target of the next instruction.
func (x *inserter) target(t target) {
	t.pc = uint32(len(x.new.Insts))
	x.targets = append(x.targets, t)
}

// insert emits an instruction that belongs to the one at pc.
func (x *inserter) insert(in Inst, pc uint32) {
	at := &x.old.Insts[pc]
	in.Inserted = true
	in.Text = map[Op]string{
		OpSSY: "ssy", OpSync: "sync", OpBSSY: "bssy", OpBSync: "bsync", OpYield: "yield", OpWarpSync: "warpsync",
		OpBra:  "bra",
		OpBMov: "bmov", OpMov: "mov.b32 %conv,", OpSt: "st.local.b32", OpLd: "ld.local.b32 %conv,",
	}[in.Op]
	switch m := in.members(); {
	case in.Op == OpBSSY || in.Op == OpBSync:
		in.Text += fmt.Sprintf(" B%d,", in.Conv)
	case in.Op == OpBMov:
		in.Text += fmt.Sprintf(" B%d, %%conv,", in.Conv)
	case in.Op == OpMov:
		in.Text += fmt.Sprintf(" B%d", Special(in.Src[0].Index)-ConvMask)
	case in.Op == OpSt || in.Op == OpLd:
		in.Text += fmt.Sprintf(" [%s%+d]", x.old.Regs[x.old.Frame].Name, in.Off-int64(x.old.LocalBytes))
		if in.Op == OpSt {
			in.Text += ", %conv"
		}
	case m.Kind == OperandReg:
		in.Text += " " + x.old.Regs[m.Index].Name
	case m.Kind == OperandImm:
		in.Text += fmt.Sprintf(" %#x", uint32(m.Imm))
	}
	in.Target, in.Reconv, in.Likely = NoPC, NoPC, NoPC
	in.Pos, in.Loc = at.Pos, at.Loc
	in.Exec = lanes.codes[in.form()]
	x.emit(in, pc)
}

func (x *inserter) emit(in Inst, pc uint32) {
	x.new.Insts = append(x.new.Insts, in)
	x.new.Origin = append(x.new.Origin, pc)
}
