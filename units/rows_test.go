package units_test

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/units"
)

// TestRows: lane by lane.
func TestRows(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	several := 0
	for range 2000 {
		var to, from, want units.Rows
		for l := range to {
			to[l], from[l] = uint8(r.IntN(64)), uint8(r.IntN(64))
		}
		lanes := r.Uint32() & r.Uint32() & r.Uint32()
		same := r.Uint32() & r.Uint32()
		want = to
		for l := range to {
			if lanes>>l&1 != 0 {
				want[l] = from[l]
			}
		}
		to.Take(&from, lanes)
		assert.Equal(t, want, to)
		first := uint8(r.IntN(64))
		for l := range to {
			if same>>l&1 != 0 {
				want[l] += first
			}
		}
		to.Shift(first, same)
		assert.Equal(t, want, to)
		row := uint8(r.IntN(64))
		for l := range to {
			if same>>l&1 != 0 {
				to[l] = row
			}
		}
		assert.False(t, to.Several(0))
		assert.False(t, to.Several(same))
		in := map[uint8]bool{}
		for l := range to {
			if lanes>>l&1 != 0 {
				in[to[l]] = true
			}
		}
		assert.Equal(t, len(in) > 1, to.Several(lanes))
		if len(in) > 1 {
			several++
		}
		if lone := lanes &^ same & -(lanes &^ same); lone != 0 && same != 0 { // one lane of another row, the highest or lowest too
			to[bits.TrailingZeros32(lone)] = row ^ 1
			assert.True(t, to.Several(same|lone))
		}
	}
	assert.Positive(t, several)
}

// TestMoved: lane by lane.
func TestMoved(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	moved := 0
	for range 2000 {
		var h units.Homes
		lanes, want := r.Uint32()&r.Uint32()&r.Uint32(), false
		for l := range h.Lane {
			h.Lane[l] = uint8(l)
			if r.IntN(8) == 0 {
				h.Lane[l] = uint8(r.IntN(32))
				want = want || h.At(l).Lane != uint8(l) && lanes>>l&1 != 0
			}
		}
		if assert.Equal(t, want, h.Moved(lanes)); want {
			moved++
		}
	}
	assert.NotZero(t, moved)
	assert.NotEqual(t, 2000, moved)
}

// TestInRows: row by row.
func TestInRows(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	var counts, want units.InRows
	for range 2000 {
		rows := r.Uint64() & r.Uint64() >> r.IntN(64)
		more := r.IntN(2) == 0
		for row := range want {
			switch {
			case !more && want[row] == 0:
				rows &^= 1 << row
			case rows>>row&1 == 0:
			case more:
				want[row]++
			default:
				want[row]--
			}
		}
		if more {
			counts.Add(rows)
		} else {
			counts.Remove(rows)
		}
		assert.Equal(t, want, counts)
	}
}
