package divergence

import (
	"divergo/rtl"
	"divergo/units"
)

// Events are the observers of a mechanism. Its Ports and its parts share them.
type Events struct {
	// OnStack receives each push and each pop that Stats counts.
	OnStack rtl.Observers[Stacked]
	// OnRelease receives each release of a CTA barrier that Stats counts.
	OnRelease rtl.Observers[Released]
}

// Stacked is a push to the stack or table of a mechanism, or a pop from it.
type Stacked struct {
	Push bool
	Slot int // of the warp, its first; for the stack of a CTA that of the CTA's first warp
	Row  int // of the warp; for the stack of a CTA that of its first warp
	// At is where the threads of the entry continue after a push, and its reconvergence point at a pop.
	// An entry with one position gives that one.
	At    Point
	Mask  uint64           // threads of the entry; 0 for the stack of a CTA
	Block *units.BlockMask // those of an entry of the stack of a CTA, or nil
	Depth int              // entries after it
}

// Released is the release of a CTA barrier: the rows with threads that continue.
type Released struct{ Rows uint64 }
