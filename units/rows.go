package units

import (
	"encoding/binary"
	"math/bits"
)

// Home is where the registers of a thread are: the row of its static warp, and
// the lane that it began in.
type Home struct{ Row, Lane uint8 }

// Homes are those of the threads in the lanes of a warp that is formed of several. A thread is in
// another lane than its own only where there is a crossbar in front of the register file.
type Homes struct {
	Row  Rows             `len:"lanes" bits:"6"`
	Lane [PoolLanes]uint8 `if:"crossbar" len:"lanes" bits:"5"`
}

// At is the home of the thread in a lane.
func (h *Homes) At(lane int) Home {
	lane &= PoolLanes - 1
	return Home{h.Row[lane], h.Lane[lane]}
}

// Moved reports whether threads are in other lanes than their own.
func (h *Homes) Moved(lanes uint32) bool {
	other := uint64(0)
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		other |= (binary.LittleEndian.Uint64(h.Lane[l:l+8]) ^ binary.LittleEndian.Uint64(own[l:l+8])) & whole[uint8(lanes)]
	}
	return other != 0
}

// own are the lanes of threads that have not been moved.
var own = func() (lanes [PoolLanes]uint8) {
	for l := range lanes {
		lanes[l] = uint8(l)
	}
	return lanes
}()

// Rows has the row of the thread in each lane.
type Rows [PoolLanes]uint8

// whole has a byte of ones for each bit of a byte, so that eight lanes are one word.
var whole = func() (words [256]uint64) {
	for set := range words {
		for m := set; m != 0; m &= m - 1 {
			words[set] |= 0xff << (8 * bits.TrailingZeros(uint(m)))
		}
	}
	return words
}()

// Take has the rows of from in some lanes.
func (r *Rows) Take(from *Rows, lanes uint32) {
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		to, m := r[l:l+8], whole[uint8(lanes)]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)&^m|binary.LittleEndian.Uint64(from[l:l+8])&m)
	}
}

// Shift adds first to the rows of some lanes.
func (r *Rows) Shift(first uint8, lanes uint32) {
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		to := r[l : l+8]
		binary.LittleEndian.PutUint64(to, binary.LittleEndian.Uint64(to)+uint64(first)*ones&whole[uint8(lanes)])
	}
}

// ones has a one in each byte.
const ones = 0x0101_0101_0101_0101

// Several reports whether lanes are not all of one row.
func (r *Rows) Several(lanes uint32) bool {
	row := uint64(r[bits.TrailingZeros32(lanes)%PoolLanes]) * ones
	other := uint64(0)
	for l := 0; l < PoolLanes; l, lanes = l+8, lanes>>8 {
		other |= (binary.LittleEndian.Uint64(r[l:l+8]) ^ row) & whole[uint8(lanes)]
	}
	return other != 0
}

// InRows counts something of each row.
type InRows [MaxRows]uint16

// Add counts one more of each of a set of rows.
func (c *InRows) Add(rows uint64) {
	for ; rows != 0; rows &= rows - 1 {
		c[bits.TrailingZeros64(rows)%MaxRows]++
	}
}

// Remove counts one less of each of a set of rows, of which none has none.
func (c *InRows) Remove(rows uint64) {
	for ; rows != 0; rows &= rows - 1 {
		c[bits.TrailingZeros64(rows)%MaxRows]--
	}
}
