package units

import (
	"math/bits"

	"divergo/isa"
)

// BlockMask is the activemask of a CTA, divided into groups: element l has a
// bit for the thread of each static warp in lane l (Fung & Aamodt, HPCA 2011,
// section 3.3).
type BlockMask [isa.MaxLanes]uint64

// Add sets the threads of lanes in one static warp.
func (m *BlockMask) Add(warp int, lanes uint32) {
	for ; lanes != 0; lanes &= lanes - 1 {
		m[bits.TrailingZeros32(lanes)&(isa.MaxLanes-1)] |= 1 << (warp & 63)
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

// Warps is the set of static warps that have a thread.
func (m *BlockMask) Warps() (set uint64) {
	for _, group := range m {
		set |= group
	}
	return set
}

// Lanes is the set of lanes that have a thread.
func (m *BlockMask) Lanes() (set uint32) {
	for l, group := range m {
		if group != 0 {
			set |= 1 << l
		}
	}
	return set
}

// Warp is the lanes of one static warp.
func (m *BlockMask) Warp(warp int) (lanes uint32) {
	for l, group := range m {
		lanes |= uint32(group>>(warp&63)&1) << l
	}
	return lanes
}

// Threads is the number of threads.
func (m *BlockMask) Threads() (n int) {
	for _, group := range m {
		n += bits.OnesCount64(group)
	}
	return n
}

// Empty reports whether there is no thread.
func (m *BlockMask) Empty() bool { return *m == BlockMask{} }

// Compacted is the number of warps that a Compactor makes of m: the most bits
// of a group, because threads stay in their lanes.
func (m *BlockMask) Compacted() (warps int) {
	for _, group := range m {
		warps = max(warps, bits.OnesCount64(group))
	}
	return warps
}

// Filled is the number of warps that the threads of m would fill if they could
// change their lanes.
func (m *BlockMask) Filled(lanes int) (warps int) { return (m.Threads() + lanes - 1) / lanes }

// Compactor is the thread compactor (Fung & Aamodt, HPCA 2011, figures 8 and 9):
// a buffer for the group of each lane, and behind it a priority encoder.
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

// Logic is the encoder of each lane, and what counts the warps beforehand: the set bits
// of each lane's group, of which the most are as many (Fung & Aamodt, HPCA 2011, section
// 3.3).
func (c *Compactor) Logic(lanes, warps int) []Logic {
	return append([]Logic{{Encoder, warps, lanes}}, MostBits(lanes, warps)...)
}

// MostBits counts the bits of each lane's group and takes the largest number.
func MostBits(lanes, warps int) []Logic {
	full, half := counter(warps)
	return []Logic{{FullAdder, 1, lanes * full}, {HalfAdder, 1, lanes * half}, {LessThan, bits.Len(uint(warps)), lanes - 1}}
}

// Next is the next compacted warp: in each lane the lowest-numbered static warp
// of the group, if one is left. The threads selected are reset. Rows are counted
// from that of the first static warp.
func (c *Compactor) Next() (mask uint32, homes Homes) {
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

// NextFilled is the next warp if threads could change their lanes: the first ones
// of all, in the lanes from 0 on.
func (c *Compactor) NextFilled(lanes int) (mask uint32, homes Homes) {
	n := 0
	for set := c.Pending.Warps(); set != 0; set &= set - 1 {
		warp := bits.TrailingZeros64(set)
		for m := c.Pending.Warp(warp); m != 0; m &= m - 1 {
			if n == lanes {
				return mask, homes
			}
			l := bits.TrailingZeros32(m)
			homes.Row[n], homes.Lane[n] = uint8(warp), uint8(l)
			mask |= 1 << n
			n++
			c.Pending[l] &^= 1 << warp
		}
	}
	return mask, homes
}

// NextStatic is the next warp with the compactor disabled: all threads of the
// lowest-numbered static warp that has one left.
func (c *Compactor) NextStatic() (mask uint32, homes Homes) {
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
