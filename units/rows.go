package units

import (
	"encoding/binary"
	"math/bits"
)

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

// Several reports whether lanes are not all of one row.
func (r *Rows) Several(lanes uint32) bool {
	const ones = 0x0101_0101_0101_0101 // one in each byte
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
