package units

// LUT is the PC-warp table of dynamic warp formation (Fung et al., MICRO 2007, section 4.2). For a
// PC with waiting warps, it names the warp that lanes can still join. A PC starts a new warp if its
// line has been replaced or its warp has issued.
type LUT = PCTable[Joinable]

// Joinable describes the youngest warp at a PC.
type Joinable struct {
	Index uint16 // in the warp pool
	Occ   uint64 `bits:"lanes"` // lanes taken
}

// NewLUT makes an empty table: see NewPCTable.
func NewLUT(entries, ways int) LUT { return NewPCTable[Joinable](entries, ways) }
