package units_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/units"
)

// groups reads a mask as the paper draws it: lanes separated by |, each with its static warps in
// order.
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

// emitted lists the warps that a compactor makes of a mask. Threads count from 1; a dash is an idle
// lane.
func emitted(m units.BlockMask, lanes int, next func(c *units.Compactor) (uint64, units.Homes)) (warps [][]string) {
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

// TestCompactorExamples uses the masks of Fung & Aamodt, HPCA 2011: figure 7, and figure 9 with a
// completion of its outcomes.
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
		{
			"figure 9, D", "111|111|111|111",
			[][]string{{"1", "2", "3", "4"}, {"5", "6", "7", "8"}, {"9", "10", "11", "12"}},
		},
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

// TestMostBits: 26 full adders, the number for 31 bits, and five half adders for the last bit count
// 32 bits. The largest of 32 numbers takes 31 comparisons.
func TestMostBits(t *testing.T) {
	assert.Equal(t, []units.Logic{
		{Kind: units.FullAdder, Bits: 1, Count: 32 * 26}, {
			Kind: units.HalfAdder, Bits: 1,
			Count: 32 * 5,
		}, {Kind: units.LessThan, Bits: 6, Count: 31},
	}, units.MostBits(32, 32))
}
