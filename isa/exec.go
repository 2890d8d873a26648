package isa

import (
	"errors"
	"fmt"
	"math/bits"
)

// allLanes is the mask of a warp without divergence.
const allLanes = ^uint32(0)

// kernel executes one warp instruction on the active lanes of x.
type kernel func(in *Inst, x *Lanes)

// form is the key of an instruction's datapath: the opcode with the types and modifiers that change
// a lane's result. Modifiers that a kernel reads from the instruction itself (comparison, state
// space) are not part of it.
type form struct {
	op    Op
	typ   Type
	src   Type
	mode  Mode
	round Round
	flags Flags
}

// datapath is the table of all kernels. Inst.Exec indexes it; entry 0 is for unbound instructions.
type datapath struct {
	kernels []kernel
	codes   map[form]uint16
}

var lanes = newDatapath()

func newDatapath() *datapath {
	d := &datapath{kernels: []kernel{unbound}, codes: make(map[form]uint16)}
	d.addIntegers()
	d.addCarries()
	d.addBits()
	d.addCompares()
	d.addFloats()
	d.addApproximations()
	d.addConversions()
	d.addHalves()
	d.addEights()
	d.addMoves()
	d.addMasks()
	d.addPacked()
	d.addVideo()
	d.addCrossLane()
	d.addMatrices()
	return d
}

// add enters k for the form f.
func (d *datapath) add(f form, k kernel) {
	if _, ok := d.codes[f]; ok {
		panic(fmt.Sprintf("isa: two kernels for %+v", f))
	}
	d.codes[f] = uint16(len(d.kernels))
	d.kernels = append(d.kernels, k)
}

// addSizes enters the kernels of a sign-independent operation, for u, s and b types of 16, 32 and
// 64 bits. A nil kernel is left out.
func (d *datapath) addSizes(f form, k16, k32, k64 kernel) {
	d.addSigns(f, k16, k32, k64, k16, k32, k64)
	for _, e := range []struct {
		t Type
		k kernel
	}{{B16, k16}, {B32, k32}, {B64, k64}} {
		if f.typ = e.t; e.k != nil {
			d.add(f, e.k)
		}
	}
}

// addSigns enters the kernels of an operation that differs between signed and unsigned integers. A
// nil kernel is left out.
func (d *datapath) addSigns(f form, u16, u32, u64, s16, s32, s64 kernel) {
	for _, e := range []struct {
		t Type
		k kernel
	}{{U16, u16}, {U32, u32}, {U64, u64}, {S16, s16}, {S32, s32}, {S64, s64}} {
		if f.typ = e.t; e.k != nil {
			d.add(f, e.k)
		}
	}
}

func unbound(in *Inst, _ *Lanes) {
	panic(fmt.Sprintf("isa: Execute of %q, which Bind has not resolved", in.Text))
}

// Execute computes the destinations of one warp instruction for the active lanes of x. Other lanes
// keep their values. It accepts every family except memory and control instructions. Destinations
// are cut to the width of the operation. Execute does not allocate. A row may be both source and
// destination.
func Execute(in *Inst, x *Lanes) { lanes.kernels[in.Exec](in, x) }

// Bind resolves every instruction of p to its place in the datapath (Exec). Execute needs a bound
// program. The error names each instruction that the datapath does not implement, as
// file:line:column.
func Bind(p *Program) error {
	var errs []error
	for i := range p.Insts {
		in := &p.Insts[i]
		if in.Memory() || in.Control() {
			continue
		}
		code, ok := lanes.codes[in.form()]
		if !ok || !in.executable() {
			errs = append(errs, fmt.Errorf("%s:%d:%d: no datapath for %q", p.File, in.Pos.Line, in.Pos.Col, in.Text))
			continue
		}
		in.Exec = code
	}
	if p.Textured != nil {
		errs = append(errs, Bind(p.Textured))
	}
	return errors.Join(errs...)
}

// form is the key of in, with the manual's defaults filled in and irrelevant modifiers removed.
func (in *Inst) form() form {
	f := form{op: in.Op, typ: in.Type, src: in.SrcType, mode: in.Mode, round: in.Round}
	f.flags = in.Flags & (FlagFtz | FlagSat | FlagApprox | FlagFull | FlagWrap | FlagShiftAmt |
		FlagNaN | FlagXorSign | FlagRelu | FlagSatFinite)
	switch in.Op {
	case OpMul, OpMad, OpMul24, OpMad24:
		if f.mode == ModeNone && !f.typ.Float() {
			f.mode = ModeLo
		}
	case OpSetp, OpSet:
		if f.src == NoType {
			f.src = f.typ
		}
		if in.Op == OpSetp {
			f.typ = Pred
		}
		f.round = RoundNone
	case OpNop, OpSSY, OpBSSY, OpBarWarp, OpCopyCommit, OpCopyWait:
		return form{op: OpNop}
	case OpCvta:
		f.mode = ModeNone
	case OpIsspacep:
		f.typ = Pred
	case OpVadd, OpVsub, OpVabsdiff, OpVmin, OpVmax, OpVavrg, OpVshl, OpVshr, OpVmad, OpVset:
		return form{op: in.Op}
	}
	switch in.Op {
	case OpAdd, OpSub, OpMul, OpMad, OpFma, OpDiv, OpRcp, OpSqrt:
		f.floatDefaults()
	case OpRsqrt, OpSin, OpCos, OpLg2, OpEx2, OpTanh:
		f.flags |= FlagApprox
	}
	if f.src == f.typ && in.Op != OpCvt && in.Op != OpSet && in.Op != OpSlct && in.Op != OpDp4a && in.Op != OpDp2a {
		f.src = NoType
	}
	return f
}

// floatDefaults fills in the rounding of floating-point arithmetic without a rounding modifier: to
// nearest. div, rcp and sqrt of f32 become approximations (PTX ISA, "for PTX ISA version 1.3 and
// earlier").
func (f *form) floatDefaults() {
	if !f.typ.Float() || f.flags&(FlagApprox|FlagFull) != 0 || f.round != RoundNone {
		return
	}
	division := f.op == OpDiv || f.op == OpRcp || f.op == OpSqrt
	if division && f.typ == F32 {
		f.flags |= FlagApprox
		return
	}
	f.round = RoundNearest
}

// executable reports whether the modifiers that kernels read from in are legal.
func (in *Inst) executable() bool {
	switch in.Op {
	case OpMma:
		a, b, c := in.Fragments()
		return a > 0 && in.NSrc == uint8(a+b+c+1) && in.NDst == uint8(c)
	case OpSetp, OpSet:
		if t := in.compared(); t.Half() {
			return halfComparators[t][0][0][in.Cmp].test != nil
		}
		return comparators[in.compared()][in.Cmp].test != nil
	case OpTestp:
		return in.Cmp >= TestFinite
	case OpPack:
		return in.NSrc == 2 || in.NSrc == 4
	case OpUnpack:
		return in.NDst == 2 || in.NDst == 4
	case OpMovVec:
		return in.NSrc == in.NDst
	case OpCvta, OpIsspacep:
		return in.Space >= SpaceGlobal
	case OpVadd, OpVsub, OpVabsdiff, OpVmin, OpVmax, OpVavrg, OpVshl, OpVshr, OpVmad, OpVset:
		return in.video()
	}
	return true
}

// The loops over the lanes. Each is small enough to be inlined together with its function-literal
// argument. A kernel written as one expression thus becomes two plain loops: one for all lanes, one
// over the set bits of the mask.

func (x *Lanes) dense1(f func(a uint64) uint64) {
	d, a := x.Dst[0], x.Src[0]
	for i := range d {
		d[i] = f(a[i])
	}
}

func (x *Lanes) sparse1(f func(a uint64) uint64) {
	d, a := x.Dst[0], x.Src[0]
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i])
	}
}

func (x *Lanes) dense2(f func(a, b uint64) uint64) {
	d, a, b := x.Dst[0], x.Src[0], x.Src[1]
	for i := range d {
		d[i] = f(a[i], b[i])
	}
}

func (x *Lanes) sparse2(f func(a, b uint64) uint64) {
	d, a, b := x.Dst[0], x.Src[0], x.Src[1]
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i], b[i])
	}
}

func (x *Lanes) dense3(f func(a, b, c uint64) uint64) {
	d, a, b, c := x.Dst[0], x.Src[0], x.Src[1], x.Src[2]
	for i := range d {
		d[i] = f(a[i], b[i], c[i])
	}
}

func (x *Lanes) sparse3(f func(a, b, c uint64) uint64) {
	d, a, b, c := x.Dst[0], x.Src[0], x.Src[1], x.Src[2]
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		d[i] = f(a[i], b[i], c[i])
	}
}

// unary, binary and ternary make kernels that call f for each lane, for seldom used operations.

func unary(f func(a uint64) uint64) kernel {
	return func(_ *Inst, x *Lanes) {
		if x.Mask == allLanes {
			x.dense1(f)
		} else {
			x.sparse1(f)
		}
	}
}

func binary(f func(a, b uint64) uint64) kernel {
	return func(_ *Inst, x *Lanes) {
		if x.Mask == allLanes {
			x.dense2(f)
		} else {
			x.sparse2(f)
		}
	}
}

func ternary(f func(a, b, c uint64) uint64) kernel {
	return func(_ *Inst, x *Lanes) {
		if x.Mask == allLanes {
			x.dense3(f)
		} else {
			x.sparse3(f)
		}
	}
}
