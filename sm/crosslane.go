package sm

import (
	"math/bits"

	"divergo/isa"
)

// The cross-lane part of the ALU executes votes, shuffles and other instructions in which the
// threads of a warp exchange values (isa.Inst.CrossLane). It tracks the exited threads of each row,
// because exits pass the ALU too.
//
// Without .sync an instruction acts on the active lanes, as the divergence mechanism has grouped
// them. With .sync its operand membermask names threads, and all of them that have not exited must
// be active. A mechanism that keeps some of them elsewhere cannot run the program, as GPUs before
// Volta cannot; this is a fault. Lanes of several warps in one slot are a fault too.
//
// Programs identify threads by their location in the warp, %laneid. If the lanes of a warp are
// permuted, operands pass the permutation on their way in, and results on their way out.
//
// PTX has masks of 32 bits and lanes of 5 bits. In warps of 64 lanes Load refuses these instructions:
// see SM.fits. Only bar.warp.sync of all threads passes, which exchanges no values.

// group is a set of lanes that execute a cross-lane instruction together.
type group struct {
	lanes   uint64 // active lanes of the group
	members uint64 // named lanes
	missing uint64 // named lanes whose threads are elsewhere
	absent  uint64 // named locations whose thread has exited or never existed
}

// crossing models the wires of the cross-lane part: operands by lane, and in the order of locations.
type crossing struct {
	lanes, located isa.Lanes
	src            [isa.MaxSrcs]isa.Row
	dst            [isa.MaxDsts]isa.Row
}

// cross executes a cross-lane instruction, whose result is on its way out.
func (p *Pipe) cross(in *decoded, op *Op, r *Result) {
	x := &p.crosses[0].lanes
	x.Mask, x.Absent = uint32(op.Exec), p.l.absent
	x.PDst = [isa.MaxDsts]uint32{}
	for i, lanes := range op.PSrc { // separate from Src, so that it is copied only once
		x.PSrc[i] = uint32(lanes)
	}
	for i := range in.NSrc {
		if in.Op == isa.OpMma {
			break // see crossLane
		}
		switch s := &in.Src[i]; s.Kind {
		case isa.OperandImm:
			x.Src[i] = in.consts[i]
			x.PSrc[i] = -uint32(s.Imm & 1) // as a predicate
		case isa.OperandReg, isa.OperandSpecial:
			x.Src[i] = p.row(op, int(i), 0)
		default:
			x.Src[i] = nil
		}
	}
	for i := range in.NDst {
		x.Dst[i] = valueAt(p.Values, r.At, int(i))
	}
	if p.together(op, in.Inst) {
		p.crossLane(op, in.Inst)
	} else {
		r.Exec = 0
	}
	for i, lanes := range x.PDst {
		r.PDst[i] = uint64(lanes)
	}
}

// group returns the group of the lowest lane of rest, a set of active lanes. Without a membermask
// the group is all active lanes.
func (p *Pipe) group(op *Op, in *isa.Inst, rest uint64) (g group, kind FaultKind) {
	if in.Flags&isa.FlagSync == 0 {
		return group{lanes: op.Exec, members: op.Exec}, NoFault
	}
	last := int(in.NSrc) - 1
	named := func(lane int) uint64 {
		if p.l.wide > 0 { // of bar.warp.sync, see SM.fits
			return p.l.all
		}
		return uint64(uint32(p.source(op, last, lane)))
	}
	first := bits.TrailingZeros64(rest)
	mask := named(first)
	warp := int(op.Row) % p.l.warps
	g.members = p.l.toLanes(warp, mask)
	g.lanes = g.members & op.Exec
	if in.Matrix() { // every thread holds a part of the matrix
		g.missing = p.l.all &^ op.Exec
		return g, NoFault
	}
	g.missing = g.members & p.l.masks[warp] &^ *p.Exited.At(int(op.Row)) &^ op.Exec
	g.absent = mask & p.l.all &^ p.l.toLocations(warp, g.lanes|g.missing)
	if g.lanes>>first&1 == 0 {
		return g, NotMember
	}
	for m := g.lanes; m != 0; m &= m - 1 {
		if named(bits.TrailingZeros64(m)) != mask {
			return g, Disagree
		}
	}
	return g, NoFault
}

// together reports whether all threads named by the instruction are active. It records a fault
// otherwise. A bar.warp.sync behind a warpsync has no effect, and its threads may be at several of
// them.
func (p *Pipe) together(op *Op, in *isa.Inst) bool {
	if in.Op == isa.OpBarWarp && op.PC > 0 && p.l.Prog.Insts[op.PC-1].Op == isa.OpWarpSync {
		return true
	}
	if op.Mixed && op.Exec != 0 {
		p.fail(Regrouped, op, bits.TrailingZeros64(op.Exec), 0)
		return false
	}
	for rest := op.Exec; rest != 0; {
		g, kind := p.group(op, in, rest)
		if kind == NoFault && g.missing != 0 {
			kind = Missing
		}
		if kind != NoFault {
			p.fail(kind, op, bits.TrailingZeros64(rest), p.l.toLocations(int(op.Row)%p.l.warps, g.missing))
			return false
		}
		p.absentMembers(in, g)
		rest &^= g.lanes
	}
	return true
}

// waits returns a group of threads that have to wait at a warpsync, and the threads that they name.
// There may be more such groups.
func (p *Pipe) waits(op *Op, in *isa.Inst) (lanes, named uint64) {
	for rest := op.Exec; rest != 0; {
		g, kind := p.group(op, in, rest)
		switch {
		case kind != NoFault:
			p.fail(kind, op, bits.TrailingZeros64(rest), 0)
			return 0, 0
		case g.missing != 0:
			return g.lanes, g.members
		}
		rest &^= g.lanes
	}
	return 0, 0
}

// crossLane executes an instruction whose threads are all active.
func (p *Pipe) crossLane(op *Op, in *isa.Inst) {
	if p.l.wide > 0 {
		return // bar.warp.sync
	}
	c, warp := &p.crosses[0], int(op.Row)%p.l.warps
	x := &c.lanes
	if p.l.straight[warp] && in.Op != isa.OpMma {
		isa.Execute(in, x)
		p.absentReads(op, in, x)
		return
	}
	lane := &p.l.places[warp]
	to, src, dst := &c.located, &c.src, &c.dst
	*to = *x
	for i := range in.NSrc {
		if in.Src[i].Kind != isa.OperandImm {
			to.PSrc[i] = uint32(p.l.toLocations(warp, uint64(x.PSrc[i])))
		}
		if x.Src[i] != nil {
			for location := range p.l.cfg.WarpSize {
				src[i][location] = x.Src[i][lane[location]]
			}
			to.Src[i] = &src[i]
		}
		if in.Op == isa.OpMma {
			place, shift := pair(in, int(i))
			width := max(in.Type.Bits(), 32)
			for location := range p.l.cfg.WarpSize {
				src[i][location] = p.row(op, place, 0)[lane[location]] >> shift & (1<<width - 1)
			}
			to.Src[i] = &src[i]
		}
	}
	for i := range in.NDst {
		to.Dst[i] = &dst[i]
	}
	to.Mask = uint32(p.l.toLocations(warp, uint64(x.Mask)))
	isa.Execute(in, to)
	p.absentReads(op, in, to)
	for i := range in.NDst {
		x.PDst[i] = uint32(p.l.toLanes(warp, uint64(to.PDst[i])))
		if in.Dst[i].Kind != isa.OperandReg {
			continue
		}
		for m := to.Mask; m != 0; m &= m - 1 {
			location := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
			x.Dst[i][lane[location]] = dst[i][location]
		}
	}
}

// exits records that threads exit. When the last thread of a row exits, the row is ready for other
// threads.
func (p *Pipe) exits(op *Op) {
	for m := op.Exec; m != 0; m &= m - 1 {
		h := op.Home(bits.TrailingZeros64(m))
		gone := p.Exited.Edit(int(h.Row))
		if *gone |= 1 << h.Lane; *gone == p.l.masks[int(h.Row)%p.l.warps] {
			*gone = 0
		}
	}
}

// fail records the first fault and ignores later ones.
func (p *Pipe) fail(kind FaultKind, op *Op, lane int, missing uint64) {
	if d := p.D(); d.Fault.Kind == NoFault {
		h := op.Home(lane)
		p.l.faulted.Store(true)
		d.Fault = Fault{
			Kind: kind, Row: h.Row, Lane: h.Lane, PC: op.PC, Missing: missing, Cycle: p.sim.Now(),
		}
	}
}
