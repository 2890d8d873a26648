package isa

// MaxLanes is the largest number of lanes of a warp.
const MaxLanes = 32

// Row holds one register of the threads of a warp, one lane each. Registers narrower than 64 bits
// are zero-extended: the writer of a row clears the bits above the register's width.
type Row [MaxLanes]uint64

// Lanes are the operands of one warp instruction in the datapath. Sources and destinations have the
// indices of Inst.Src and Inst.Dst. A general register, immediate or special register is a row; a
// predicate is a mask with one bit per lane.
type Lanes struct {
	Mask uint32          // active lanes, guard applied
	Src  [MaxSrcs]*Row   // nil where the source is a predicate
	PSrc [MaxSrcs]uint32 // already inverted where Operand.Not is set
	Dst  [MaxDsts]*Row   // only active lanes are written
	PDst [MaxDsts]uint32 // bits of inactive lanes are 0

	// Absent is the value that shfl reads from a non-participating lane, which PTX leaves
	// undefined. Its argument is the reader's own value; nil means 0. ReadAbsent are the lanes that
	// read such a value.
	Absent     func(own uint64) uint64
	ReadAbsent uint32
}
