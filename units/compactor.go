package units

import (
	"math/bits"

	"divergo/isa"
)

// BlockMask is the active mask of a CTA, divided into groups by lane. Bit w of element l stands for
// the thread of static warp w in lane l (Fung & Aamodt, HPCA 2011, section 3.3).
type BlockMask [isa.MaxLanes]uint64

// Add sets the threads of lanes in one static warp.
func (m *BlockMask) Add(warp int, lanes uint64) {
	for ; lanes != 0; lanes &= lanes - 1 {
		m[bits.TrailingZeros64(lanes)&(isa.MaxLanes-1)] |= 1 << (warp & 63)
	}
}

// Union sets the threads of o.
func (m *BlockMask) Union(o *BlockMask) {
	for l := range m {
		m[l] |= o[l]
	}
}

// Remove clears the threads of o.
func (m *BlockMask) Remove(o *BlockMask) {
	for l := range m {
		m[l] &^= o[l]
	}
}

// Warps returns the set of static warps that have a thread.
func (m *BlockMask) Warps() (set uint64) {
	for _, group := range m {
		set |= group
	}
	return set
}

// Lanes returns the set of lanes that have a thread.
func (m *BlockMask) Lanes() (set uint64) {
	for l, group := range m {
		if group != 0 {
			set |= 1 << l
		}
	}
	return set
}

// Warp returns the lanes of one static warp.
func (m *BlockMask) Warp(warp int) (lanes uint64) {
	for l, group := range m {
		lanes |= uint64(group>>(warp&63)&1) << l
	}
	return lanes
}

// Threads returns the number of threads.
func (m *BlockMask) Threads() (n int) {
	for _, group := range m {
		n += bits.OnesCount64(group)
	}
	return n
}

// Empty reports whether there is no thread.
func (m *BlockMask) Empty() bool { return *m == BlockMask{} }

// Compacted returns the number of warps that a Compactor makes of m. This is the largest number of
// bits in a group, because threads stay in their lanes.
func (m *BlockMask) Compacted() (warps int) {
	for _, group := range m {
		warps = max(warps, bits.OnesCount64(group))
	}
	return warps
}

// Filled returns the number of warps that the threads of m would fill if they could change lanes.
func (m *BlockMask) Filled(lanes int) (warps int) { return (m.Threads() + lanes - 1) / lanes }

// Compactor is the thread compactor (Fung & Aamodt, HPCA 2011, figures 8 and 9). Each lane has a
// buffer for its group, followed by a priority encoder.
//
//	group of lane 0  1 1 0 --> encoder --> static warp of lane 0's thread
//	group of lane 1  1 0 0 --> encoder -->           ...
//	group of lane 2  0 1 1 --> encoder -->
//	group of lane 3  0 1 1 --> encoder -->
//	                   ^            |
//	                   +-- reset ---+
type Compactor struct {
	Pending BlockMask `len:"lanes" bits:"warps"`
}

// Logic lists the encoder of each lane and the logic that counts the warps beforehand. The count is
// the largest number of set bits in a group (Fung & Aamodt, HPCA 2011, section 3.3).
func (c *Compactor) Logic(lanes, warps int) []Logic {
	return append([]Logic{{Encoder, warps, lanes}}, MostBits(lanes, warps)...)
}

// MostBits lists the logic that counts the bits of each group and finds the largest count.
func MostBits(lanes, warps int) []Logic {
	full, half := counter(warps)
	return []Logic{
		{FullAdder, 1, lanes * full},
		{HalfAdder, 1, lanes * half},
		{LessThan, bits.Len(uint(warps)), lanes - 1},
	}
}

// Next returns the next compacted warp and removes its threads from Pending. Each lane gives the
// thread of the lowest-numbered static warp left in its group. Rows count from the row of the first
// static warp.
func (c *Compactor) Next() (mask uint64, homes Homes) {
	homes.Lane = own
	for l := range c.Pending {
		if group := &c.Pending[l]; *group != 0 {
			mask |= 1 << l
			homes.Row[l] = uint8(bits.TrailingZeros64(*group))
			*group &= *group - 1
		}
	}
	return mask, homes
}

// NextFilled returns the next warp if threads could change lanes. It takes the first threads by
// static warp and lane, and places them in the lanes from 0 up.
func (c *Compactor) NextFilled(lanes int) (mask uint64, homes Homes) {
	n := 0
	for set := c.Pending.Warps(); set != 0; set &= set - 1 {
		warp := bits.TrailingZeros64(set)
		for m := c.Pending.Warp(warp); m != 0; m &= m - 1 {
			if n == lanes {
				return mask, homes
			}
			l := bits.TrailingZeros64(m)
			homes.Row[n], homes.Lane[n] = uint8(warp), uint8(l)
			mask |= 1 << n
			n++
			c.Pending[l] &^= 1 << warp
		}
	}
	return mask, homes
}

// NextStatic returns the next warp with the compactor disabled: all threads left of the
// lowest-numbered static warp that has any.
func (c *Compactor) NextStatic() (mask uint64, homes Homes) {
	homes.Lane = own
	set := c.Pending.Warps()
	first := set & -set
	for l := range c.Pending {
		if group := &c.Pending[l]; *group&first != 0 {
			mask |= 1 << l
			homes.Row[l] = uint8(bits.TrailingZeros64(first))
			*group &^= first
		}
	}
	return mask, homes
}
