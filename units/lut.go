package units

// LUT is the PC-warp table of dynamic warp formation: for a PC that warps
// wait at, the one of them that lanes can still join (Fung et al., MICRO 2007,
// section 4.2). A PC that has been replaced, or whose warp has been issued
// since, begins a new warp.
type LUT = PCTable[Joinable]

// Joinable is what a LUT says of the youngest warp at a PC.
type Joinable struct {
	Index uint16 // in the warp pool
	Occ   uint32 `bits:"lanes"` // its lanes that are taken
}

// NewLUT makes an empty table: see NewPCTable.
func NewLUT(entries, ways int) LUT { return NewPCTable[Joinable](entries, ways) }
