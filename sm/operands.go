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
	Sources       [4]*rtl.Mem[isa.Row] `rtl:"handed,optional"` // sources of Late, LateDP and LSU, by the same ports
	From          *rtl.Mem[uint16]     `rtl:"sim,inplace"`     // next row of Sources
	Regs          *rtl.Mem[isa.Row]    // by row of the sub-core, then register
	Preds         *rtl.Mem[uint64]     // by row of the sub-core, then predicate: a bit for each lane
	CTA           *CTA
	Tallies       *rtl.Mem[divergence.Tally]       `rtl:"optional"` // by row: the last bar.red
	Convergence   *rtl.Mem[divergence.Convergence] `rtl:"optional"` // by row and barrier
	// Beside holds the second instruction of a cycle: see Interweave.
	Beside *besideRead `rtl:"own"`

	l     *launch
	sim   *rtl.Sim
	lanes isa.Lanes        `rtl:"scratch"` // operands of the instruction being executed: the wires of the datapath
	rows  [sources]isa.Row `rtl:"scratch"` // sources that are no row of the register file
}

// sources is the number of source rows of an instruction. An mma and a texture instruction have more
// registers, of 32 bits; two of them share a row.
const sources = 7

// Op is an instruction with its sources, where these are needed later. Its registers are rows of the
// sources of its pipe.
type Op struct {
	Flight
	Exec uint64              `bits:"lanes"` // active lanes whose guard holds
	PSrc [isa.MaxSrcs]uint64 `bits:"lanes"`
	At   uint16              // first row
}

// Sourced is an instruction with its sources, as waveforms show it.
type Sourced struct {
	Flight
	Exec uint64              `bits:"lanes"`
	PSrc [isa.MaxSrcs]uint64 `len:"operands" bits:"lanes"`
	Src  [sources]isa.Row    `len:"operands,lanes" bits:"word"`
}

// SourcedWide is Sourced in warps of 64 lanes.
type SourcedWide struct {
	Sourced
	Upper [sources]isa.Row `len:"operands" bits:"word"` // lanes 32 and up
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
		o.read(&o.LSU, f, in)
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
		o.D().Next[to] = taken(values, at, in.results)
	}
	if in.late {
		late := &o.Late
		if in.unit == isa.UnitDPU {
			late = &o.LateDP
		}
		r.Exec, r.PDst = o.read(late, f, in), [isa.MaxDsts]uint64{}
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
	row := o.l.rowOf(reg, 0)
	for m := lanesOf(f.Mask, half); m != 0; m &= m - 1 {
		lane := bits.TrailingZeros32(m) & (isa.RowLanes - 1)
		index, home := o.l.home(f.Homes.At(isa.RowLanes*half+lane), row)
		to[lane] = o.Regs.At(index)[home]
	}
}

// show fills in v with the sources of a result, for waveforms. They are those of the registers.
func (o *Operands) show(v *Sourced, r *Result) {
	v.Flight, v.Exec = r.Flight, r.Exec
	in := &o.l.insts[r.PC]
	v.PSrc = o.preds(&r.Flight, in)
	to := rowsOf(&v.Src)
	o.registers(&to, &r.Flight, in, 0)
}

// showWide is show for warps of 64 lanes.
func (o *Operands) showWide(v *SourcedWide, r *Result) {
	o.show(&v.Sourced, r)
	to := rowsOf(&v.Upper)
	o.registers(&to, &r.Flight, &o.l.insts[r.PC], 1)
}

// read sends an instruction with its sources to a pipe, and returns the lanes that execute it.
func (o *Operands) read(pipe *rtl.Out[Op], f *Flight, in *decoded) (exec uint64) {
	if exec = f.Mask; in.Guard.Kind == isa.OperandPred {
		exec &= o.pred(f, in.Guard)
	}
	from := port(in.unit)
	rows, at := o.Sources[from], *o.From.Next(from)
	op, _ := pipe.PushStale()
	op.Flight, op.Exec, op.PSrc, op.At = *f, exec, o.preds(f, in), at
	if in.sources > 0 {
		*o.From.Edit(from) = taken(rows, at, in.sources)
	}
	for half := 0; half <= int(o.l.wide); half++ {
		var to [sources]*isa.Row
		for set := in.rows; set != 0; set &= set - 1 {
			i := bits.TrailingZeros8(set)
			to[i%sources] = valueAt(rows, at, o.l.rowOf(i, half))
		}
		o.registers(&to, f, in, half)
	}
	return exec
}

// preds reads the sources that are predicates.
func (o *Operands) preds(f *Flight, in *decoded) (to [isa.MaxSrcs]uint64) {
	for set := in.conds; set != 0; set &= set - 1 {
		i := bits.TrailingZeros16(set)
		to[i] = o.pred(f, in.Src[i])
	}
	return to
}

// registers reads the sources that take rows, in a half of the warp. Lanes without a value get 0.
func (o *Operands) registers(to *[sources]*isa.Row, f *Flight, in *decoded, half int) {
	switch in.Op {
	case isa.OpMma:
		o.pairs(to, f, in.Inst)
		return
	case isa.OpTex:
		o.textures(to, f, in.Inst, half)
		return
	}
	for set := in.rows; set != 0; set &= set - 1 {
		i := bits.TrailingZeros8(set)
		row, s := to[i%sources], &in.Src[i]
		switch {
		case s.Kind == isa.OperandSpecial:
			*row = isa.Row{}
			o.special(row, f, isa.Special(s.Index), half)
		case f.Mixed:
			*row = isa.Row{}
			o.gather(row, f, int(s.Index), half)
		default:
			*row = *o.Regs.At(o.l.reg(f.Row, int(s.Index), half))
		}
	}
}

// rowsOf returns the places of rows.
func rowsOf(rows *[sources]isa.Row) (places [sources]*isa.Row) {
	for i := range rows {
		places[i] = &rows[i]
	}
	return places
}

// pairs fills in the registers of an mma. Lanes of several warps cannot execute it.
func (o *Operands) pairs(to *[sources]*isa.Row, f *Flight, in *isa.Inst) {
	for _, row := range to {
		*row = isa.Row{}
	}
	if f.Mixed {
		return
	}
	for i, s := range in.Src[:in.NSrc-1] {
		place, shift := pair(in, i)
		for lane, v := range o.Regs.At(o.l.reg(f.Row, int(s.Index), 0)) {
			to[place][lane] |= v << shift
		}
	}
}

// pair returns the row that holds source i of an mma, and its bit offset in the row.
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
