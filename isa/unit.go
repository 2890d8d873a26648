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
	case OpLd, OpSt, OpAtom, OpRed, OpMembar, OpLdmatrix, OpCopy:
		return UnitMem
	case OpDiv, OpRem, OpRcp, OpSqrt, OpRsqrt, OpSin, OpCos, OpLg2, OpEx2, OpTanh:
		return UnitSFU
	}
	if in.Type == F64 || in.SrcType == F64 {
		return UnitDPU
	}
	return UnitALU
}
