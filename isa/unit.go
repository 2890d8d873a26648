package isa

// Unit is the pipe that executes an instruction.
type Unit uint8

// The pipes.
const (
	UnitALU Unit = iota // integer, logic, single precision, and control instructions
	UnitDPU             // double precision
	UnitSFU             // special functions, division, square root
	UnitMem             // load/store unit
)

// Unit is the pipe that executes in.
func (in *Inst) Unit() Unit {
	switch in.Op {
	case OpLd, OpSt, OpAtom, OpRed, OpMembar, OpLdmatrix, OpStmatrix, OpCopy, OpTex:
		return UnitMem
	case OpDiv, OpRem, OpRcp, OpSqrt, OpRsqrt, OpSin, OpCos, OpLg2, OpEx2, OpTanh:
		return UnitSFU
	}
	if in.Type == F64 || in.SrcType == F64 {
		return UnitDPU
	}
	return UnitALU
}

// OpClass is a class of opcodes with the same latency. GPGPU-Sim's classes are add, max, mul, mad
// and div, each for integers, single and double precision, and the special functions.
type OpClass uint8

// The classes.
const (
	ClassOther OpClass = iota // moves, votes, shuffles, matrices, control and memory instructions
	ClassIntAdd
	ClassIntMax
	ClassIntMul
	ClassIntMad
	ClassIntDiv
	ClassFPAdd
	ClassFPMax
	ClassFPMul
	ClassFPMad
	ClassFPDiv
	ClassDPAdd
	ClassDPMax
	ClassDPMul
	ClassDPMad
	ClassDPDiv
	ClassLogic
	ClassSet
	ClassCvt
	ClassSFU
	NumOpClasses
)

// OpClass is the class of the opcode. Half precision counts as single.
func (in *Inst) OpClass() OpClass {
	first := ClassIntAdd
	switch {
	case in.Type == F64 || in.SrcType == F64:
		first = ClassDPAdd
	case in.Type.Float():
		first = ClassFPAdd
	}
	switch in.Op {
	case OpAdd, OpSub, OpAddC, OpSubC, OpSad, OpAbs, OpNeg, OpVadd, OpVsub, OpVabsdiff, OpVavrg:
		return first
	case OpMin, OpMax, OpVmin, OpVmax:
		return first + ClassIntMax - ClassIntAdd
	case OpMul, OpMul24:
		return first + ClassIntMul - ClassIntAdd
	case OpMad, OpMadC, OpMad24, OpFma, OpDp4a, OpDp2a, OpVmad:
		return first + ClassIntMad - ClassIntAdd
	case OpDiv, OpRem:
		return first + ClassIntDiv - ClassIntAdd
	case OpAnd, OpOr, OpXor, OpNot, OpCnot, OpLop3, OpShl, OpShr, OpShf, OpPrmt, OpPopc, OpClz, OpBfind, OpBrev, OpBfe,
		OpBfi, OpFns, OpSzext, OpBmsk,
		OpCopysign, OpVshl, OpVshr:
		return ClassLogic
	case OpSet, OpSetp, OpTestp, OpSelp, OpSlct, OpVset:
		return ClassSet
	case OpCvt, OpCvtPack, OpCvta:
		return ClassCvt
	case OpRcp, OpSqrt, OpRsqrt, OpSin, OpCos, OpLg2, OpEx2, OpTanh:
		return ClassSFU
	}
	return ClassOther
}
