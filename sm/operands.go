package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/rtl"
	"divergo/sm/divergence"
)

// Operands is the register read stage. Instructions pass it in order, so a later instruction of a
// warp never overwrites a register that an earlier one has still to read.
//
// Most instructions also execute here, as nobody can see the difference: their results wait in Values
// while the pipe takes its time. Control and cross-lane instructions depend on the cycle in which they
// start. Their sources go to the pipe in Late. Memory instructions take their sources to the LSU.
//
// The register file has a bank for each lane, addressed by the row of the thread in that lane.
// Compacted warps therefore read like static ones (Fung & Aamodt, HPCA 2011, section 3.3). If
// threads change lanes, a crossbar reads from the bank of their home lane. The register file is
// also divided by register number into RFBanks banks, each with one read a cycle. An instruction
// stays as many cycles as the busiest bank has reads.
type Operands struct {
	rtl.State[struct {
		Until uint64    `bits:"timer"` // first cycle in which the oldest instruction has all its sources; 0: not begun
		Next  [4]uint16 `rtl:"sim"`    // next row of Values, by pipe
	}] `rtl:"inplace"`
	In            rtl.In[Flight]
	ALU, DPU, SFU rtl.Out[Result]
	LSU           rtl.Out[Op]
	Late, LateDP  rtl.Out[Op]          // sources of control and cross-lane instructions, to ALU and DPU
	Values        [4]*rtl.Mem[isa.Row] `rtl:"handed,optional"` // results, by port of write-back; none of the LSU
	Regs          *rtl.Mem[isa.Row]    // by row of the sub-core, then register
	Preds         *rtl.Mem[uint64]     // by row of the sub-core, then predicate: a bit for each lane
	CTA           *CTA
	Tallies       *rtl.Mem[divergence.Tally]       `rtl:"optional"` // by row: the last bar.red
	Convergence   *rtl.Mem[divergence.Convergence] `rtl:"optional"` // by row and barrier
	// Beside holds the second instruction of a cycle: see Interweave.
	Beside *besideRead `rtl:"own"`

	l   *launch
	sim *rtl.Sim
	// UpperLate and UpperLSU have the sources of lanes 32 and up of each instruction in Late and LSU, in
	// warps of more lanes.
	UpperLate, UpperLSU rtl.Out[Upper] `rtl:"optional"`

	lanes isa.Lanes        `rtl:"scratch"` // operands of the instruction being executed: the wires of the datapath
	rows  [sources]isa.Row `rtl:"scratch"` // sources that are no row of the register file
}

// sources is the number of source rows of an instruction. An mma and a texture instruction have more
// registers, of 32 bits; two of them share a row.
const sources = 7

// Op is an instruction with its sources, where these are needed later.
type Op struct {
	Flight
	Exec uint64              `bits:"lanes"` // active lanes whose guard holds
	PSrc [isa.MaxSrcs]uint64 `len:"operands" bits:"lanes"`
	Src  [sources]isa.Row    `len:"operands,lanes" bits:"word"`
}

// Upper has the sources of the second half of a warp.
type Upper [sources]isa.Row

// WideOp is an instruction with its sources in warps of 64 lanes, as waveforms show it.
type WideOp struct {
	Op
	Upper Upper `len:"operands" bits:"word"`
}

// Tick moves the oldest instruction to the pipe that executes it.
func (o *Operands) Tick() {
	if !o.In.Valid() {
		return
	}
	f := o.In.Front()
	in := &o.l.insts[f.PC]
	now := o.sim.Now()
	until := o.Q().Until
	if until == 0 {
		reads := in.reads
		if o.Beside != nil {
			reads = max(reads, o.Beside.reads(o.l))
		}
		until = now + uint64(reads) - 1
	}
	if now < until {
		o.D().Until = until
		o.sim.WakeAt(until)
		return
	}
	if !o.ready(in) || o.Beside != nil && !o.Beside.room(o, in.unit) {
		o.D().Until = until
		return
	}
	o.send(f, in)
	if o.Beside != nil {
		o.Beside.send(o, in.unit)
	}
	o.In.Pop()
	if o.Next().Until != 0 {
		o.D().Until = 0
	}
}

// ready reports whether the pipe of an instruction can take it.
func (o *Operands) ready(in *decoded) bool {
	if in.unit == isa.UnitMem {
		return o.LSU.Ready()
	}
	return o.pipe(in.unit).Ready()
}

// pipe returns the queue to the pipe of a unit other than the LSU.
func (o *Operands) pipe(unit isa.Unit) *rtl.Out[Result] {
	switch unit {
	case isa.UnitSFU:
		return &o.SFU
	case isa.UnitDPU:
		return &o.DPU
	}
	return &o.ALU
}

// send moves an instruction to its pipe.
func (o *Operands) send(f *Flight, in *decoded) {
	if in.unit == isa.UnitMem {
		op, stale := o.LSU.PushStale()
		o.read(op, stale, f, in)
		if o.l.wide > 0 {
			o.readUpper(o.UpperLSU.PushSlot(), f, in)
		}
		return
	}
	r, _ := o.pipe(in.unit).PushStale()
	o.execute(r, f, in)
}

// execute fills in all of r for an instruction of a pipe. It executes the instruction, or sends its sources
// to Late.
func (o *Operands) execute(r *Result, f *Flight, in *decoded) {
	to := port(in.unit)
	values, at := o.Values[to], o.Next().Next[to]
	r.Flight, r.At = *f, at
	if in.NDst != 0 {
		o.D().Next[to] = in.taken(values, at)
	}
	if in.late {
		late := &o.Late
		if in.unit == isa.UnitDPU {
			late = &o.LateDP
		}
		op, stale := late.PushStale()
		o.read(op, stale, f, in)
		if o.l.wide > 0 {
			o.readUpper(o.UpperLate.PushSlot(), f, in)
		}
		r.Exec, r.PDst = op.Exec, [isa.MaxDsts]uint64{}
		return
	}
	r.Exec = f.Mask
	if in.Guard.Kind == isa.OperandPred {
		r.Exec &= o.pred(f, in.Guard)
	}
	r.PDst = [isa.MaxDsts]uint64{}
	x := &o.lanes
	for half := 0; half <= int(o.l.wide); half++ {
		x.Mask = lanesOf(r.Exec, half)
		x.PSrc = [isa.MaxSrcs]uint32{}
		for i := range in.NSrc {
			s := &in.Src[i]
			switch s.Kind {
			case isa.OperandReg:
				if f.Mixed {
					x.Src[i] = &o.rows[i%sources]
					o.gather(x.Src[i], f, int(s.Index), half)
				} else {
					x.Src[i] = o.Regs.At(o.l.reg(f.Row, int(s.Index), half))
				}
			case isa.OperandImm:
				x.Src[i] = in.consts[i]
				x.PSrc[i] = -uint32(s.Imm & 1) // as a predicate
			case isa.OperandPred:
				x.Src[i] = nil
				x.PSrc[i] = lanesOf(o.pred(f, *s), half)
			case isa.OperandSpecial:
				x.Src[i] = &o.rows[i%sources]
				*x.Src[i] = isa.Row{}
				o.special(x.Src[i], f, isa.Special(s.Index), half)
			default:
				x.Src[i] = nil
			}
		}
		x.PDst = [isa.MaxDsts]uint32{}
		for i := range in.NDst {
			x.Dst[i] = valueAt(values, at, o.l.rowOf(int(i), half))
		}
		isa.Execute(in.Inst, x)
		for i := range r.PDst {
			r.PDst[i] |= maskOf(x.PDst[i]&x.Mask, half) // lanes that do not execute have compared old values
		}
	}
}

// gather reads a register of the threads of a mixed slot, in a half of the warp.
func (o *Operands) gather(to *isa.Row, f *Flight, reg, half int) {
	for m := lanesOf(f.Mask, half); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		index, home := o.l.home(f.Homes.At(isa.RowLanes*half+lane), reg)
		to[lane] = o.Regs.At(index)[home]
	}
}

// show fills in op with the sources of a result, for waveforms. They are those of the registers.
func (o *Operands) show(op *Op, r *Result) {
	stale := uint8(0)
	o.read(op, &stale, &r.Flight, &o.l.insts[r.PC])
	op.Exec = r.Exec
}

// showWide is show for warps of 64 lanes.
func (o *Operands) showWide(op *WideOp, r *Result) {
	o.show(&op.Op, r)
	o.readUpper(&op.Upper, &r.Flight, &o.l.insts[r.PC])
}

// read fills in op from the register file. It clears the rows of stale, which hold values of an
// earlier instruction, unless it overwrites them as a whole.
func (o *Operands) read(op *Op, stale *uint8, f *Flight, in *decoded) {
	op.Flight = *f
	op.Exec = f.Mask
	op.PSrc = [isa.MaxSrcs]uint64{}
	whole := in.regs
	if f.Mixed {
		whole = 0
	}
	clearRows(op.Src[:], *stale&^whole)
	*stale = in.rows
	if in.Guard.Kind == isa.OperandPred {
		op.Exec &= o.pred(f, in.Guard)
	}
	if in.Op == isa.OpMma {
		o.pairs(op, f, in.Inst)
		return
	}
	if in.Op == isa.OpTex {
		o.textures(&op.Src, f, in.Inst, 0)
		return
	}
	for set := in.regs; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		to, reg := &op.Src[i], int(in.Src[i].Index)
		if !f.Mixed {
			*to = *o.Regs.At(o.l.reg(f.Row, reg, 0))
			continue
		}
		o.gather(to, f, reg, 0)
	}
	for set := in.others; set != 0; set &= set - 1 {
		i := bits.TrailingZeros16(set)
		if s := in.Src[i]; s.Kind == isa.OperandPred {
			op.PSrc[i] = o.pred(f, s)
		} else {
			o.special(&op.Src[i], f, isa.Special(s.Index), 0)
		}
	}
}

// readUpper fills in the sources of the second half of a warp, which are zero.
func (o *Operands) readUpper(to *Upper, f *Flight, in *decoded) {
	if in.Op == isa.OpTex {
		o.textures((*[sources]isa.Row)(to), f, in.Inst, 1)
		return
	}
	for i, s := range in.Src[:min(int(in.NSrc), sources)] {
		switch s.Kind {
		case isa.OperandReg:
			if f.Mixed {
				o.gather(&to[i], f, int(s.Index), 1)
			} else {
				to[i] = *o.Regs.At(o.l.reg(f.Row, int(s.Index), 1))
			}
		case isa.OperandSpecial:
			o.special(&to[i], f, isa.Special(s.Index), 1)
		}
	}
}

// clearRows clears the rows of a set.
func clearRows(rows []isa.Row, set uint8) {
	for ; set != 0; set &= set - 1 {
		if i := bits.TrailingZeros8(set); i < len(rows) {
			rows[i] = isa.Row{}
		}
	}
}

// pairs fills in the registers of an mma. Lanes of several warps cannot execute it.
func (o *Operands) pairs(op *Op, f *Flight, in *isa.Inst) {
	if f.Mixed {
		return
	}
	for i, s := range in.Src[:in.NSrc-1] {
		place, shift := pair(in, i)
		for lane, v := range o.Regs.At(o.l.reg(f.Row, int(s.Index), 0)) {
			op.Src[place][lane] |= v << shift
		}
	}
}

// pair returns the row of Op that holds source i of an mma, and its bit offset in the row.
func pair(in *isa.Inst, i int) (place int, shift uint) {
	if in.Type == isa.F64 {
		return i, 0
	}
	return i / 2, 32 * uint(i&1)
}

// pred reads a predicate as a mask, inverted if the operand is negated.
func (o *Operands) pred(f *Flight, p isa.Operand) (v uint64) {
	pred := int(p.Index)
	if f.Mixed {
		for m := f.Mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
			h := f.Homes.At(lane)
			v |= *o.Preds.At(o.l.pred(h.Row, pred)) >> (h.Lane & (isa.MaxLanes - 1)) & 1 << lane
		}
	} else {
		v = *o.Preds.At(o.l.pred(f.Row, pred))
	}
	if p.Not {
		v = ^v
	}
	return v & f.Mask
}

// special reads a special register (PTX ISA, section 10), in a half of the warp. WarpID and LaneID are
// those of the lane's thread in its static warp.
func (o *Operands) special(to *isa.Row, f *Flight, r isa.Special, half int) {
	l, mask, first := o.l, lanesOf(f.Mask, half), isa.RowLanes*half
	var same uint64 // value of a register that all lanes share
	switch r {
	case isa.TidX, isa.TidY, isa.TidZ:
		shift := 16 * uint(r-isa.TidX)
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			h := f.Home(first + lane)
			to[lane] = l.tids[int(h.Row)%l.warps][h.Lane] >> shift & 0xffff
		}
		return
	case isa.WarpID:
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			to[lane] = uint64(int(f.Home(first+lane).Row) % l.warps)
		}
		return
	case isa.LaneID, isa.LanemaskEq, isa.LanemaskLe, isa.LanemaskLt, isa.LanemaskGe, isa.LanemaskGt:
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			h := f.Home(first + lane)
			to[lane] = laneSpecial(r, uint32(l.locations[int(h.Row)%l.warps][h.Lane]))
		}
		return
	case isa.BarResult:
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			t := o.Tallies.At(int(f.Home(first + lane).Row))
			to[lane] = uint64(t.All)<<16 | uint64(t.Yes)
		}
		return
	case isa.NTidX, isa.NTidY, isa.NTidZ:
		same = uint64(l.k.Block[r-isa.NTidX])
	case isa.CtaidX, isa.CtaidY, isa.CtaidZ:
		if !f.Mixed {
			same = o.ctaid(f.Row, r)
			break
		}
		for m := mask; m != 0; m &= m - 1 {
			lane := bits.TrailingZeros32(m)
			to[lane] = o.ctaid(f.Home(first+lane).Row, r)
		}
		return
	case isa.NCtaidX, isa.NCtaidY, isa.NCtaidZ:
		same = uint64(l.k.Grid[r-isa.NCtaidX])
	case isa.NWarpID:
		same = uint64(l.warps)
	case isa.WarpSize:
		same = uint64(l.cfg.WarpSize)
	case isa.SMID:
		same = uint64(l.index)
	case isa.NSMID:
		same = uint64(l.sms)
	case isa.Clock:
		same = o.sim.Now() & 0xffff_ffff
	case isa.ClockHi:
		same = o.sim.Now() >> 32
	case isa.Clock64, isa.GlobalTimer:
		same = o.sim.Now()
	case isa.DynamicSharedSize:
		same = uint64(l.k.DynShared)
	case isa.TotalSharedSize:
		same = uint64(l.k.sharedBytes())
	default:
		same = uint64(o.Convergence.At(int(f.Row)*isa.MaxBarriers + int(r-isa.ConvMask)).Mask)
	}
	for lane := range to {
		to[lane] = same
	}
}

func laneSpecial(r isa.Special, lane uint32) uint64 {
	eq := uint32(1) << lane
	switch r {
	case isa.LanemaskEq:
		return uint64(eq)
	case isa.LanemaskLe:
		return uint64(eq | (eq - 1))
	case isa.LanemaskLt:
		return uint64(eq - 1)
	case isa.LanemaskGe:
		return uint64(^(eq - 1))
	case isa.LanemaskGt:
		return uint64(^(eq | (eq - 1)))
	}
	return uint64(lane)
}

// ctaid returns the ctaid of the threads of a row.
func (o *Operands) ctaid(row uint8, r isa.Special) uint64 {
	id := o.CTA.Q().ID[o.l.cta[row&(MaxWarps-1)]&(MaxCTAs-1)]
	return uint64(o.l.ctaid(id)[r-isa.CtaidX])
}

// ctaid returns the ctaid of the CTA with linear number id.
func (l *launch) ctaid(id uint64) [3]uint32 {
	x, y := uint64(l.k.Grid[0]), uint64(l.k.Grid[1])
	return [3]uint32{uint32(id % x), uint32(id / x % y), uint32(id / (x * y))}
}
