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
	Lane [PoolLanes]uint8 `if:"crossbar" len:"lanes" bits:"lanes_bits"`
}

// LaneBits returns the bits of a lane's number, at least 5.
func LaneBits(lanes int) int { return max(bits.Len(uint(lanes-1)), 5) }

// At returns the home of the thread in a lane.
func (h *Homes) At(lane int) Home {
	lane &= PoolLanes - 1
	return Home{h.Row[lane], h.Lane[lane]}
}

// Equal reports whether all elements are equal.
func (h *Homes) Equal(o *Homes) bool {
	return h.Row.equal(&o.Row) && (*Rows)(&h.Lane).equal((*Rows)(&o.Lane))
}

// Moved reports whether any of the lanes holds a thread of another lane.
func (h *Homes) Moved(lanes uint64) bool {
	if (*Rows)(&h.Lane).equal(&own) {
		return false
	}
	return (*Rows)(&h.Lane).differ(&own, lanes) != 0
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

// le reads and writes eight elements of Rows as a word.
var le = binary.LittleEndian

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
	return le.Uint64(r[:]) == le.Uint64(o[:]) && le.Uint64(r[8:]) == le.Uint64(o[8:]) &&
		le.Uint64(r[16:]) == le.Uint64(o[16:]) && le.Uint64(r[24:]) == le.Uint64(o[24:]) &&
		le.Uint64(r[32:]) == le.Uint64(o[32:]) && le.Uint64(r[40:]) == le.Uint64(o[40:]) &&
		le.Uint64(r[48:]) == le.Uint64(o[48:]) && le.Uint64(r[56:]) == le.Uint64(o[56:])
}

// differ returns the bytes of the given lanes that differ, joined from all words. Most warps have no
// lanes above the first 32.
func (r *Rows) differ(o *Rows, lanes uint64) (differ uint64) {
	differ = r.differ8(o, 0, lanes) | r.differ8(o, 8, lanes) | r.differ8(o, 16, lanes) | r.differ8(o, 24, lanes)
	if lanes>>32 != 0 {
		differ |= r.differ8(o, 32, lanes) | r.differ8(o, 40, lanes) | r.differ8(o, 48, lanes) | r.differ8(o, 56, lanes)
	}
	return differ
}

// differ8 is differ for eight lanes.
func (r *Rows) differ8(o *Rows, at int, lanes uint64) uint64 {
	return (le.Uint64(r[at:]) ^ le.Uint64(o[at:])) & whole[uint8(lanes>>at)]
}

// Take copies the rows of from in the given lanes.
func (r *Rows) Take(from *Rows, lanes uint64) {
	r.take8(from, 0, lanes)
	r.take8(from, 8, lanes)
	r.take8(from, 16, lanes)
	r.take8(from, 24, lanes)
	if lanes>>32 != 0 {
		r.take8(from, 32, lanes)
		r.take8(from, 40, lanes)
		r.take8(from, 48, lanes)
		r.take8(from, 56, lanes)
	}
}

// take8 is Take for eight lanes.
func (r *Rows) take8(from *Rows, at int, lanes uint64) {
	old := le.Uint64(r[at:])
	le.PutUint64(r[at:], old^(old^le.Uint64(from[at:]))&whole[uint8(lanes>>at)])
}

// Shift adds first to the rows of the given lanes.
func (r *Rows) Shift(first uint8, lanes uint64) {
	add := uint64(first) * ones
	for at := 0; lanes != 0; at += 8 {
		le.PutUint64(r[at:], le.Uint64(r[at:])+add&whole[uint8(lanes)])
		lanes >>= 8
	}
}

// ones has a one in each byte.
const ones = 0x0101_0101_0101_0101

// Several reports whether the lanes belong to more than one row.
func (r *Rows) Several(lanes uint64) bool {
	row := uint64(r[bits.TrailingZeros64(lanes)%PoolLanes]) * ones
	several := r.other8(row, 0, lanes) | r.other8(row, 8, lanes) | r.other8(row, 16, lanes) | r.other8(row, 24, lanes)
	if lanes>>32 != 0 {
		several |= r.other8(row, 32, lanes) | r.other8(row, 40, lanes) | r.other8(row, 48, lanes) |
			r.other8(row, 56, lanes)
	}
	return several != 0
}

// other8 returns the bytes of eight lanes that differ from a row.
func (r *Rows) other8(row uint64, at int, lanes uint64) uint64 {
	return (le.Uint64(r[at:]) ^ row) & whole[uint8(lanes>>at)]
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
