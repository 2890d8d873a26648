package isa

// MaxLanes is the widest warp.
const MaxLanes = 32

// Row holds one register of the threads of a warp, a lane each. Registers
// narrower than 64 bits are zero-extended: whoever writes a row clears the
// bits above the register's width.
type Row [MaxLanes]uint64

// Lanes are the operands of one warp instruction on their way through the
// datapath. Sources and destinations stand where Inst.Src and Inst.Dst have
// them: a general register, immediate or special register as a row, a
// predicate as a mask with one bit a lane.
type Lanes struct {
	Mask uint32          // active lanes, guard applied
	Src  [MaxSrcs]*Row   // nil where the source is a predicate
	PSrc [MaxSrcs]uint32 // inverted already where Operand.Not
	Dst  [MaxDsts]*Row   // only active lanes are written
	PDst [MaxDsts]uint32 // bits of inactive lanes are 0

	// Absent is what a shfl reads from a lane that takes no part, which is open, for a
	// reader with the given value; nil: 0. ReadAbsent are the lanes that have read one.
	Absent     func(own uint64) uint64
	ReadAbsent uint32
}
