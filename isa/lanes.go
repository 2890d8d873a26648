package isa

// The datapath executes rows of 32 lanes. A warp of 64 lanes has two rows for each register: lanes 0
// to 31, and lanes 32 to 63. It executes one after the other, as a wave64 of RDNA does.
const (
	RowLanes  = 32           // lanes of a row
	MaxLanes  = 2 * RowLanes // the largest number of lanes of a warp
	MaxHalves = MaxLanes / RowLanes
)

// Row holds one register of 32 lanes of a warp, one thread each. Registers narrower than 64 bits
// are zero-extended: the writer of a row clears the bits above the register's width.
type Row [RowLanes]uint64

// Lanes are the operands of one warp instruction in the datapath, in the lanes of a row. Sources and
// destinations have the indices of Inst.Src and Inst.Dst. A general register, immediate or special
// register is a row; a predicate is a mask with one bit per lane.
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
