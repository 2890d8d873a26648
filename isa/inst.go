package isa

import (
	"slices"
	"strconv"
)

func itoa(n int32) string { return strconv.Itoa(int(n)) }

// OperandKind says what an Operand is.
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

// Operand is a source or destination of an instruction. Symbol addresses are
// immediates.
type Operand struct {
	Kind  OperandKind
	Not   bool // predicate source read inverted
	Index uint16
	Imm   uint64
}

// Select is what a video instruction or mma selects of its operands. A scalar one takes
// parts: the number of the lowest bit, and 256 times the number of bits. A SIMD
// one takes elements of the two sources together, 0 being the lowest of a: the
// number of the one that goes to lane i is in bits 4i to 4i+3; of D, bit i says
// whether lane i is computed. In mma.m8n8k4 of f16, A is 1 if the first matrix is
// by columns, B if the second is by rows; D is the half of the sum's columns that is
// computed if it is f32, and BType the type of the addend.
type Select struct {
	A, B, D uint16
	BType   Type  // of b
	Shift   uint8 // of vmad's result, to the right
}

// MaxRegisters is how many registers and predicates a program has at most, those
// included that its source does not name.
const MaxRegisters = 1 << 16

// MaxInstructions is how many a kernel has at most with its functions; the
// largest that compilers emit have a fifth of that.
const MaxInstructions = 1 << 19

// Most sources and destinations of one instruction: mma has four registers of A,
// two of B, four of C, and the threads that take part; ld.v4 four destinations.
const (
	MaxSrcs = 11
	MaxDsts = 4
)

// Inst is one machine instruction: one PTX instruction, nothing removed or
// reordered.
type Inst struct {
	Op      Op
	Type    Type    // type of the operation; of the destination for cvt and ld
	SrcType Type    // type of the sources where it differs: cvt, set, setp, slct's selector
	Cmp     Cmp     // setp, set; testp's test
	Bool    BoolOp  // setp and set with a third, predicate source
	Round   Round   // None where the opcode has no rounding
	Atom    AtomOp  // atom, red, redux; secondary operation of a video instruction
	Space   Space   // ld, st, atom, red, cvta, isspacep; bar and membar level
	Mode    Mode    // hi, lo, wide; shf, prmt, shfl, vote and match modes; bar kind; membar level
	Cache   CacheOp // ld, st
	Flags   Flags   // ftz, sat, approx, uni, ...
	Vec     uint8   // elements of ld, st and video instructions: 1, 2 or 4
	Select  Select  // video instructions, mma.m8n8k4 of f16
	TypeB   Type    // mma: of the second matrix; the first has SrcType
	M, K    uint8   // mma: rows and columns of the first matrix
	DstBits uint8   // width of the destination registers, 0 without: ld and cvt extend a narrower result to it, by Type's sign
	Class   Class   // branches: P or D, by Analyze
	NSrc    uint8   // sources in use
	NDst    uint8   // destinations in use
	Guard   Operand // OperandPred with Not for @!p, or OperandNone
	Src     [MaxSrcs]Operand
	Dst     [MaxDsts]Operand
	From    int64  // cp.async: byte offset added to the address Src[1]
	Off     int64  // ld, st, atom, red: byte offset added to the address Src[0]
	Target  uint32 // bra, direct call: PC of the target; ssy, sync, bssy, bsync, bmov: PC at which the threads go on together
	Reconv  uint32 // bra, indirect call: first PC of the immediate post-dominator or NoPC, by Analyze
	Likely  uint32 // bra: likely-convergence PC (Fung & Aamodt, HPCA 2011, section 4) or NoPC, by Analyze
	Uniform bool   // bra, bar: every thread of a CTA takes the same way, by Analyze
	Conv    uint8  // bssy, bsync, bmov: number of the convergence barrier
	Exec    uint16 // place in the datapath, by Bind
	// Inserted marks an instruction that the PTX does not have: an OpB2R; of calls,
	// what moves the frame and saves registers (SaveRegisters), or fills in a record
	// of vprintf; or of a mechanism, put before the instruction at its Origin (WithTokens, WithBarriers, WithReconv).
	Inserted bool
	Pos      Pos
	Loc      Loc
	Text     string // the instruction as the source has it, on one line, without guard and ';' trimmed
}

// Conditional reports whether in is a branch that threads of a warp can take
// or not take. An indirect call is one: a warp goes to one function at a time.
func (in *Inst) Conditional() bool {
	return in.Op == OpBra && in.Guard.Kind == OperandPred || in.Op == OpCall && in.Indirect()
}

// Indirect reports whether the target of in is in a register: an indirect call,
// or the return from a function. Threads that do not go to the same place as
// the lowest lane of their warp stay, and execute in again.
func (in *Inst) Indirect() bool { return in.Op == OpCall && in.NSrc > 1 || in.Returns() }

// Returns reports whether in is the return from a function.
func (in *Inst) Returns() bool { return in.Op == OpRet && in.NSrc > 0 }

// EndsPath reports whether no execution continues with the next instruction.
func (in *Inst) EndsPath() bool {
	return in.Guard.Kind == OperandNone && in.ends() && in.Op != OpCall
}

// Control reports whether the divergence hardware resolves in: its slot waits
// until the outcome is known at the end of execution.
func (in *Inst) Control() bool {
	switch in.Op {
	case OpBra, OpCall, OpExit, OpRet, OpBar, OpTrap, OpSync, OpBSync, OpBMov, OpYield, OpWarpSync:
		return true
	}
	return false
}

// ReadsTime reports whether the instruction reads a clock.
func (in *Inst) ReadsTime() bool {
	return slices.ContainsFunc(in.Src[:in.NSrc], func(o Operand) bool {
		return o.Kind == OperandSpecial && Special(o.Index) >= Clock && Special(o.Index) <= GlobalTimer
	})
}

// CrossLane reports whether threads of a warp learn of each other in in.
func (in *Inst) CrossLane() bool {
	switch in.Op {
	case OpShfl, OpBarWarp, OpVote, OpMatch, OpActivemask, OpRedux, OpElect:
		return true
	}
	return in.Matrix()
}

// Matrix reports whether the threads of a warp, all of them, execute in on
// matrices that they hold together.
func (in *Inst) Matrix() bool {
	return in.Op == OpMma || in.Op == OpLdmatrix || in.Op == OpStmatrix || in.Op == OpMovmatrix
}

// members is the operand membermask of a .sync instruction: the threads, by
// laneid, that have to execute it together. Without FlagSync there is none.
func (in *Inst) members() Operand {
	if in.Flags&FlagSync == 0 {
		return Operand{}
	}
	return in.Src[in.NSrc-1]
}

// Reduces reports whether in is a barrier that counts predicates: the third
// source, of all threads that come to it.
func (in *Inst) Reduces() bool { return in.Op == OpBar && in.Mode >= ModePopc && in.Mode <= ModeOr }

// Exits reports whether threads that execute in end.
func (in *Inst) Exits() bool {
	return in.Op == OpExit || in.Op == OpTrap || in.Op == OpRet && !in.Returns()
}

// Jumps reports whether threads that execute in go on at Target.
func (in *Inst) Jumps() bool { return in.Op == OpBra || in.Op == OpSync || in.Op == OpBSync }

// Branches reports whether in leads threads to another place: a branch, a call
// or the return from a function.
func (in *Inst) Branches() bool { return in.Op == OpBra || in.Op == OpCall || in.Returns() }

// Memory reports whether in goes through the memory pipe.
func (in *Inst) Memory() bool {
	switch in.Op {
	case OpLd, OpSt, OpAtom, OpRed, OpMembar, OpLdmatrix, OpStmatrix, OpCopy:
		return true
	}
	return false
}
