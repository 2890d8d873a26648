package units

import (
	"encoding/binary"
	"math/bits"
)

// Home locates the registers of a thread: the row of its static warp and its original lane.
type Home struct{ Row, Lane uint8 }

// Homes locates the registers of the threads of a warp that is formed of several warps. A thread
// can leave its own lane only with a crossbar in front of the register file.
type Homes struct {
	Row  Rows             `len:"lanes" bits:"6"`
	Lane [PoolLanes]uint8 `if:"crossbar" len:"lanes" bits:"5"`
}

// At returns the home of the thread in a lane.
func (h *Homes) At(lane int) Home {
	lane &= PoolLanes - 1
	return Home{h.Row[lane], h.Lane[lane]}
}

// Equal reports whether all elements are equal.
func (h *Homes) Equal(o *Homes) bool {
	return h.Row.equal(&o.Row) && ((*Rows)(&h.Lane)).equal((*Rows)(&o.Lane))
}

// Moved reports whether any of the lanes holds a thread of another lane.
func (h *Homes) Moved(lanes uint32) bool {
	if ((*Rows)(&h.Lane)).equal(&own) {
		return false
	}
	other := uint64(0)
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		other |= (binary.LittleEndian.Uint64(h.Lane[l:l+8]) ^ binary.LittleEndian.Uint64(own[l:l+
			8])) & whole[uint8(lanes)]
	}
	return other != 0
}

// own has the lane numbers of threads that have not moved.
var own = func() (lanes Rows) {
	for l := range lanes {
		lanes[l] = uint8(l)
	}
	return lanes
}()

// Rows holds the row of the thread in each lane.
type Rows [PoolLanes]uint8

// whole has a byte of ones for each set bit of its index, so that one word covers eight lanes.
var whole = func() (words [256]uint64) {
	for set := range words {
		for m := set; m != 0; m &= m - 1 {
			words[set] |= 0xff << (8 * bits.TrailingZeros(uint(m)))
		}
	}
	return words
}()

// equal reports whether all elements are equal.
func (r *Rows) equal(o *Rows) bool {
	return binary.LittleEndian.Uint64(r[:]) == binary.LittleEndian.Uint64(o[:]) &&
		binary.LittleEndian.Uint64(r[8:]) == binary.LittleEndian.Uint64(o[8:]) &&
		binary.LittleEndian.Uint64(r[16:]) == binary.LittleEndian.Uint64(o[16:]) &&
		binary.LittleEndian.Uint64(r[24:]) == binary.LittleEndian.Uint64(o[24:])
}

// Take copies the rows of from in the given lanes.
func (r *Rows) Take(from *Rows, lanes uint32) {
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		to, m := r[l:l+8], whole[uint8(lanes)]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)&^m|binary.LittleEndian.Uint64(from[l:l+8])&m)
	}
}

// Shift adds first to the rows of the given lanes.
func (r *Rows) Shift(first uint8, lanes uint32) {
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		to := r[l : l+8]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)+uint64(first)*ones&whole[uint8(lanes)])
	}
}

// ones has a one in each byte.
const ones = 0x0101_0101_0101_0101

// Several reports whether the lanes belong to more than one row.
func (r *Rows) Several(lanes uint32) bool {
	row := uint64(r[bits.TrailingZeros32(lanes)%PoolLanes]) * ones
	other := uint64(0)
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		other |= (binary.LittleEndian.Uint64(r[l:l+8]) ^ row) & whole[uint8(lanes)]
	}
	return other != 0
}

// InRows holds a count for each row.
type InRows [MaxRows]uint16

// Add increments the count of each row of a set.
func (c *InRows) Add(rows uint64) {
	for m := uint32(rows); m != 0; m &= m - 1 {
		c[bits.TrailingZeros32(m)&31]++
	}
	for m := uint32(rows >> 32); m != 0; m &= m - 1 {
		c[bits.TrailingZeros32(m)&31+32]++
	}
}

// Remove decrements the count of each row of a set. Each count must be above zero.
func (c *InRows) Remove(rows uint64) {
	for m := uint32(rows); m != 0; m &= m - 1 {
		c[bits.TrailingZeros32(m)&31]--
	}
	for m := uint32(rows >> 32); m != 0; m &= m - 1 {
		c[bits.TrailingZeros32(m)&31+32]--
	}
}
