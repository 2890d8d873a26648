package isa

import (
	"slices"
	"strconv"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// OperandKind is the kind of an Operand.
type OperandKind uint8

// The kinds of operands.
const (
	OperandNone    OperandKind = iota
	OperandReg                 // general register, Index into Program.Regs
	OperandPred                // predicate register, Index into Program.Preds
	OperandImm                 // immediate: Imm holds the bits, in the width of the instruction's type
	OperandSpecial             // special register, Index is a Special
	OperandSink                // "_": a destination that is not written
)

// Operand is a source or destination of an instruction. Symbol addresses are immediates.
type Operand struct {
	Kind  OperandKind
	Not   bool // predicate source read inverted
	Index uint16
	Imm   uint64
}

// Select is the selection that a video instruction or mma makes of its operands.
//
// A scalar video instruction selects one part: the number of its lowest bit, plus 256 times its
// number of bits. A SIMD one selects elements of the two sources together, 0 being the lowest of a.
// Bits 4i to 4i+3 hold the number of the element for lane i. Bit i of D enables lane i.
//
// In mma.m8n8k4 of f16, A is 1 if the first matrix is stored by columns. B is 1 if the second is
// stored by rows. For an f32 sum, D is the half of its columns that the instruction computes. BType
// is the type of the addend.
type Select struct {
	A, B, D uint16
	BType   Type  // of b
	Shift   uint8 // right shift of vmad's result
}

// MaxRegisters bounds the registers and predicates of a program together. Those that its source
// does not name are included.
const MaxRegisters = 1 << 16

// MaxInstructions bounds the instructions of a kernel with its functions. The largest kernels that
// compilers emit have a fifth of that.
const MaxInstructions = 1 << 19

// The most sources and destinations of one instruction. mma has eleven sources: four registers of
// A, two of B, four of C, and the participating threads. ld.v4 has four destinations.
const (
	MaxSrcs = 11
	MaxDsts = 4
)

// Inst is one machine instruction: one PTX instruction, without removal or reordering.
type Inst struct {
	Op      Op
	Type    Type    // type of the operation; of the destination for cvt and ld
	SrcType Type    // type of the sources where it differs: cvt, set, setp, slct's selector
	Cmp     Cmp     // setp, set; testp's test
	Bool    BoolOp  // setp and set with a third, predicate source
	Round   Round   // None where the opcode has no rounding
	Atom    AtomOp  // atom, red, redux; secondary operation of a video instruction
	Space   Space   // state space of memory instructions, cvta, isspacep
	Mode    Mode    // hi, lo, wide; shf, prmt, shfl, vote and match modes; bar kind; membar level
	Cache   CacheOp // ld, st
	Flags   Flags   // ftz, sat, approx, uni, ...
	Vec     uint8   // elements of ld, st and video instructions: 1, 2 or 4
	Select  Select  // video instructions, mma.m8n8k4 of f16
	Tex     Tex     // tex, tld4
	TypeB   Type    // mma: type of the second matrix; the first has SrcType
	M, K    uint8   // mma: rows and columns of the first matrix
	// DstBits is the width of the destination registers, or 0. ld and cvt extend a narrower result
	// to it, by Type's sign.
	DstBits uint8
	Class   Class   // branches: P or D, by Analyze
	NSrc    uint8   // number of sources
	NDst    uint8   // number of destinations
	Guard   Operand // OperandPred with Not for @!p, or OperandNone
	Src     [MaxSrcs]Operand
	Dst     [MaxDsts]Operand
	From    int64 // cp.async: byte offset added to the address Src[1]
	Off     int64 // ld, st, atom, red: byte offset added to the address Src[0]
	// Target is the PC of the target of a bra or direct call. For ssy, sync, bssy, bsync and bmov
	// it is the reconvergence point.
	Target  uint32
	Reconv  uint32 // bra, indirect call: first PC of the immediate post-dominator or NoPC, by Analyze
	Likely  uint32 // bra: likely-convergence PC (Fung & Aamodt, HPCA 2011, section 4) or NoPC, by Analyze
	Uniform bool   // bra, bar: every thread of a CTA takes the same path, by Analyze
	Conv    uint8  // bssy, bsync, bmov: number of the convergence barrier
	Exec    uint16 // place in the datapath, by Bind
	// Inserted marks an instruction that the PTX does not contain. It is an OpB2R, or belongs to a
	// call (it moves the frame, saves registers, or fills in a record of vprintf: see
	// SaveRegisters). Or a mechanism needs it before the instruction at its Origin: see WithTokens,
	// WithBarriers and WithReconv.
	Inserted bool
	Pos      Pos
	Loc      Loc
	Text     string // the instruction on one line as in the source, without guard and ';'
}

// Conditional reports whether the threads of a warp can disagree at the branch in. That includes an
// indirect call, since a warp enters one function at a time.
func (in *Inst) Conditional() bool {
	return in.Op == OpBra && in.Guard.Kind == OperandPred || in.Op == OpCall && in.Indirect()
}

// Indirect reports whether the target of in is in a register: an indirect call or the return from a
// function. Threads whose target differs from that of the warp's lowest lane stay, and execute in
// again.
func (in *Inst) Indirect() bool { return in.Op == OpCall && in.NSrc > 1 || in.Returns() }

// Returns reports whether in is the return from a function.
func (in *Inst) Returns() bool { return in.Op == OpRet && in.NSrc > 0 }

// EndsPath reports whether no execution continues with the next instruction.
func (in *Inst) EndsPath() bool {
	return in.Guard.Kind == OperandNone && in.ends() && in.Op != OpCall
}

// Control reports whether the divergence hardware resolves in. The slot of in waits until the
// outcome is known at the end of execution.
func (in *Inst) Control() bool {
	switch in.Op {
	case OpBra, OpCall, OpExit, OpRet, OpBar, OpTrap, OpSync, OpBSync, OpBMov, OpYield, OpWarpSync:
		return true
	}
	return false
}

// ReadsTime reports whether in reads a clock.
func (in *Inst) ReadsTime() bool {
	return slices.ContainsFunc(in.Src[:in.NSrc], func(o Operand) bool {
		return o.Kind == OperandSpecial && Special(o.Index) >= Clock && Special(o.Index) <= GlobalTimer
	})
}

// CrossLane reports whether threads of a warp interact in in.
func (in *Inst) CrossLane() bool {
	switch in.Op {
	case OpShfl, OpBarWarp, OpVote, OpMatch, OpActivemask, OpRedux, OpElect:
		return true
	}
	return in.Matrix()
}

// Matrix reports whether in is a matrix instruction. All threads of a warp execute it together, on
// matrices that they share.
func (in *Inst) Matrix() bool {
	return in.Op == OpMma || in.Op == OpLdmatrix || in.Op == OpStmatrix || in.Op == OpMovmatrix
}

// members is the operand membermask of a .sync instruction: the threads, by laneid, that must
// execute it together. Without FlagSync it is the zero Operand.
func (in *Inst) members() Operand {
	if in.Flags&FlagSync == 0 {
		return Operand{}
	}
	return in.Src[in.NSrc-1]
}

// Reduces reports whether in is a barrier that counts predicates. The predicate is the third
// source, read from every arriving thread.
func (in *Inst) Reduces() bool { return in.Op == OpBar && in.Mode >= ModePopc && in.Mode <= ModeOr }

// Exits reports whether in ends the threads that execute it.
func (in *Inst) Exits() bool {
	return in.Op == OpExit || in.Op == OpTrap || in.Op == OpRet && !in.Returns()
}

// Jumps reports whether the threads that execute in continue at Target.
func (in *Inst) Jumps() bool { return in.Op == OpBra || in.Op == OpSync || in.Op == OpBSync }

// Branches reports whether in is a branch, a call or the return from a function.
func (in *Inst) Branches() bool { return in.Op == OpBra || in.Op == OpCall || in.Returns() }

// Memory reports whether in goes through the memory pipe.
func (in *Inst) Memory() bool {
	switch in.Op {
	case OpLd, OpSt, OpAtom, OpRed, OpMembar, OpLdmatrix, OpStmatrix, OpCopy, OpTex:
		return true
	}
	return false
}
