package experiments

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/units"
)

// netlist builds gates that compute, and counts each gate. An input that is constantly 0 needs no
// gate.
type netlist struct{ cells }

func (n *netlist) or(a, b *bool) *bool {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n.ors++
	out := *a || *b
	return &out
}

func (n *netlist) and(a, b *bool) *bool {
	if a == nil || b == nil {
		return nil
	}
	n.ands++
	out := *a && *b
	return &out
}

func (n *netlist) andNot(a, b *bool) *bool {
	if b == nil {
		return a
	}
	n.ands++
	n.inverters++
	out := *a && !*b
	return &out
}

// TestCellsOfEncoder wires the encoder of the thread compactor gate by gate. It selects like the
// compactor, and has as many gates as the estimate.
//
// For comparison: Yosys 0.23, "synth" of the same encoder of 32 inputs in Verilog: 106 OR, 31 AND
// and 31 AND with an inverted input.
func TestCellsOfEncoder(t *testing.T) {
	for _, width := range []int{2, 4, 8, 32} {
		for sample := range uint64(50) {
			mask := randomMask(sample, width)
			group := mask[0]
			var n netlist
			var before, valid *bool // nil is 0
			number := make([]*bool, bits.Len(uint(width-1)))
			rest := uint64(0)
			for i := range width {
				request := group>>i&1 != 0
				first := n.andNot(&request, before)
				for b := range number {
					if i>>b&1 != 0 {
						number[b] = n.or(number[b], first)
					}
				}
				if left := n.and(&request, before); left != nil && *left {
					rest |= 1 << i
				}
				before = n.or(before, &request)
			}
			valid = before

			compactor := units.Compactor{Pending: mask}
			lanes, homes := compactor.Next()
			require.Equal(t, lanes&1 != 0, *valid)
			require.Equal(t, compactor.Pending[0], rest)
			if *valid {
				row := 0
				for b, bit := range number {
					if *bit {
						row |= 1 << b
					}
				}
				require.EqualValues(t, homes.Row[0], row)
			}
			require.Equal(t, n.cells, cellsOf(units.Logic{Kind: units.Encoder, Bits: width}))
		}
	}
	assert.Equal(t, cells{inverters: 31, ands: 62, ors: 106}, cellsOf(units.Logic{Kind: units.Encoder, Bits: 32}))
}

// TestArea compares the area with estimates made by hand. The brackets allow for other libraries
// and other encoder circuits.
func TestArea(t *testing.T) {
	var all cells
	all.add(cellsOf(units.Logic{Kind: units.Encoder, Bits: 32}), 32)
	assert.InDelta(t, .011, all.micrometers2()/1e6, .006, "0.005 to 0.017 mm2")
	tbc, err := compactionArea("tbc", "Compacts")
	require.NoError(t, err)
	assert.InDelta(t, .71, tbc, .34, "0.37 to 1.05 mm2")
	flipFlop := cells{flipFlops: 1}
	assert.InDelta(t, 9.435, flipFlop.micrometers2(), .001)
}
