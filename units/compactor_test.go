package units_test

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/units"
)

// groups reads a mask as the paper draws it: lanes separated by |, in each the
// static warps from the first.
func groups(t *testing.T, text string) (m units.BlockMask) {
	t.Helper()
	lane, warp := 0, 0
	for _, c := range text {
		switch c {
		case '|':
			lane, warp = lane+1, 0
		case '0', '1':
			m[lane] |= uint64(c-'0') << warp
			warp++
		default:
			require.Fail(t, "not a mask", text)
		}
	}
	return m
}

// emitted lists what a compactor makes of a mask: threads counted from 1, a dash
// for an idle lane.
func emitted(m units.BlockMask, lanes int, next func(c *units.Compactor) (uint32, units.Homes)) (warps [][]string) {
	c := units.Compactor{Pending: m}
	for !c.Pending.Empty() {
		mask, from := next(&c)
		var w []string
		for l := range lanes {
			if mask>>l&1 != 0 {
				w = append(w, fmt.Sprint(int(from.Row[l])*lanes+int(from.Lane[l])+1))
			} else {
				w = append(w, "-")
			}
		}
		warps = append(warps, w)
	}
	return warps
}

// TestCompactorExamples has the masks of Fung & Aamodt, HPCA 2011: figure 7,
// and figure 9 with a completion of its outcomes.
func TestCompactorExamples(t *testing.T) {
	for _, c := range []struct {
		name, mask string
		warps      [][]string
	}{
		{"figure 7, A and D", "11|11|11|11", [][]string{{"1", "2", "3", "4"}, {"5", "6", "7", "8"}}},
		{"figure 7, C", "10|01|01|00", [][]string{{"1", "6", "7", "-"}}},
		{"figure 7, B", "01|10|10|11", [][]string{{"5", "2", "3", "4"}, {"-", "-", "-", "8"}}},
		{"figure 9, C", "110|100|011|011", [][]string{{"1", "2", "7", "8"}, {"5", "-", "11", "12"}}},
		{"figure 9, B", "001|011|100|100", [][]string{{"9", "6", "3", "4"}, {"-", "10", "-", "-"}}},
		{"figure 9, D", "111|111|111|111", [][]string{{"1", "2", "3", "4"}, {"5", "6", "7", "8"}, {"9", "10", "11", "12"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := groups(t, c.mask)
			assert.Equal(t, c.warps, emitted(m, 4, (*units.Compactor).Next))
			assert.Equal(t, len(c.warps), m.Compacted())
		})
	}
	assert.Equal(t, [][]string{{"1", "-", "-", "-"}, {"-", "6", "7", "-"}},
		emitted(groups(t, "10|01|01|00"), 4, (*units.Compactor).NextStatic), "compactor off")
}

// TestCompactor: of random masks every thread leaves once, in its lane, the
// lowest-numbered warp of a lane first, in as many warps as the fullest lane has
// threads; with the compactor off, in its static warp; in any lanes, in warps that
// are full but for the last one.
func TestCompactor(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		var m units.BlockMask
		lanes, warps, density := 1+r.IntN(32), 1+r.IntN(64), r.Float64()
		threads, in := 0, map[int]bool{}
		var perLane [32]int
		for l := range lanes {
			for w := range warps {
				if r.Float64() < density {
					m.Add(w, 1<<l)
					perLane[l]++
					threads++
					in[w] = true
				}
			}
		}
		fullest := 0
		for _, n := range perLane {
			fullest = max(fullest, n)
		}
		require.Equal(t, threads, m.Threads())
		require.Equal(t, fullest, m.Compacted())
		require.Equal(t, len(in), bits.OnesCount64(m.Warps()))

		var seen units.BlockMask
		c := units.Compactor{Pending: m}
		n := 0
		for ; !c.Pending.Empty(); n++ {
			before := c.Pending
			mask, from := c.Next()
			for l := range 32 {
				require.Equal(t, mask>>l&1 != 0, before[l] != 0)
				if mask>>l&1 != 0 {
					require.EqualValues(t, l, from.Lane[l])
					bit := uint64(1) << from.Row[l]
					require.NotZero(t, m[l]&bit)
					require.Zero(t, seen[l]&bit, "twice")
					seen[l] |= bit
					require.Zero(t, before[l]&(bit-1), "a lower-numbered warp waits")
				}
			}
		}
		require.Equal(t, fullest, n)
		require.Equal(t, m, seen)

		c = units.Compactor{Pending: m}
		for w := range warps {
			if !in[w] {
				continue
			}
			mask, from := c.NextStatic()
			require.Equal(t, m.Warp(w), mask)
			for l := range 32 {
				if mask>>l&1 != 0 {
					require.Equal(t, units.Home{Row: uint8(w), Lane: uint8(l)}, from.At(l))
				}
			}
		}
		require.True(t, c.Pending.Empty())

		c, seen = units.Compactor{Pending: m}, units.BlockMask{}
		last := -1
		for left := threads; left > 0; left -= lanes {
			mask, from := c.NextFilled(lanes)
			require.EqualValues(t, uint64(1)<<min(left, lanes)-1, mask)
			for l := range min(left, lanes) {
				h := from.At(l)
				require.Greater(t, int(h.Row)*32+int(h.Lane), last, "in the order of threads")
				last = int(h.Row)*32 + int(h.Lane)
				seen.Add(int(h.Row), 1<<h.Lane)
			}
		}
		require.True(t, c.Pending.Empty())
		require.Equal(t, m, seen)
	}
}

// TestBlockMask: union and removal.
func TestBlockMask(t *testing.T) {
	a, b := groups(t, "110|000|101"), groups(t, "010|011|001")
	u := a
	u.Union(&b)
	assert.Equal(t, groups(t, "110|011|101"), u)
	u.Remove(&b)
	assert.Equal(t, groups(t, "100|000|100"), u)
	assert.EqualValues(t, 0b101, u.Lanes())
	assert.EqualValues(t, 0b101, u.Warp(0))
}

// Two warps of four threads that are partly active become one.
func ExampleCompactor() {
	var c units.Compactor
	c.Pending.Add(0, 0b0001)
	c.Pending.Add(1, 0b0110)
	mask, homes := c.Next()
	fmt.Printf("%04b %v\n", mask, homes.Row[:3])
	// Output: 0111 [0 1 1]
}

// TestMostBits: 32 bits are counted by 26 full adders, as many as 31 bits take, and five
// half adders for the last one; the largest of 32 numbers takes 31 comparisons.
func TestMostBits(t *testing.T) {
	assert.Equal(t, []units.Logic{
		{Kind: units.FullAdder, Bits: 1, Count: 32 * 26}, {Kind: units.HalfAdder, Bits: 1, Count: 32 * 5}, {Kind: units.LessThan, Bits: 6, Count: 31},
	}, units.MostBits(32, 32))
}
