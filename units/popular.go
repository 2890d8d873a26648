package units

import (
	"math/bits"

	"divergo/isa"
)

// Popular is the logic that herds a load, in front of the coalescer. It finds the memory block that
// most lanes read. A lane outside of that block gets its block number and keeps its offset within
// the block. One request then serves all lanes (Sartori & Kumar, Branch and Data Herding, section
// IV).
//
//	address --> block number --> compared with those of all lanes --> count --> largest
//	      \---> place in the block -----------------------------------> joined with its number
type Popular struct {
	redirect redirect
	halves   bool
}

// NewPopular makes the logic for a configuration that has been checked.
func NewPopular(c *HerdConfig) Popular { return Popular{herdLoads.Must(c.Load), c.HalfWarp} }

// HerdBlock returns the block size for a load of the given bytes per lane: 32, 64 or 128 bytes.
// These are the segments of compute capability 1.2 and 1.3 (Sartori & Kumar, Branch and Data
// Herding, section IV).
func HerdBlock(size int) uint64 { return min(32*uint64(size), 128) }

// Redirect gives the active lanes of a load their new addresses. Size is in bytes per lane.
func (p *Popular) Redirect(addr *[isa.RowLanes]uint64, active uint32, size int) {
	const lower = 1<<(isa.RowLanes/2) - 1
	if p.halves {
		p.redirect(addr, active&lower, HerdBlock(size))
		active &^= lower
	}
	p.redirect(addr, active, HerdBlock(size))
}

// popular redirects lanes to the block that most of them read. In a tie it takes the block with the
// lowest lane.
func popular(addr *[isa.RowLanes]uint64, lanes uint32, block uint64) {
	best, most := uint64(0), 0
	for left := lanes; left != 0; {
		b := addr[bits.TrailingZeros32(left)&(isa.RowLanes-1)] / block
		n := 0
		for m := left; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m) & (isa.RowLanes - 1); addr[i]/block == b {
				left &^= 1 << i
				n++
			}
		}
		if n > most {
			best, most = b, n
		}
	}
	for m := lanes; m != 0; m &= m - 1 {
		a := &addr[bits.TrailingZeros32(m)&(isa.RowLanes-1)]
		*a = best*block | *a%block
	}
}

// first redirects lanes to the address of the lowest lane.
func first(addr *[isa.RowLanes]uint64, lanes uint32, _ uint64) {
	lead := addr[bits.TrailingZeros32(lanes)&(isa.RowLanes-1)]
	for m := lanes; m != 0; m &= m - 1 {
		addr[bits.TrailingZeros32(m)&(isa.RowLanes-1)] = lead
	}
}

// blockBits is the width of a block number: an address of 37 bits without the 5 bits of the offset
// in the smallest block.
const blockBits = 37 - 5

// popularLogic lists the logic that compares the block numbers of each pair of lanes, counts for
// each lane, and finds the largest count.
func popularLogic(lanes int) []Logic {
	full, half := counter(lanes)
	return []Logic{
		{Equality, blockBits, lanes * (lanes - 1) / 2},
		{FullAdder, 1, lanes * full},
		{HalfAdder, 1, lanes * half},
		{LessThan, bits.Len(uint(lanes)), lanes - 1},
	}
}
