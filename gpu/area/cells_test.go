package area

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/units"
)

// netlist builds gates that compute, and counts each gate. An input that is constantly 0 needs no
// gate.
type netlist struct{ Cells }

func (n *netlist) or(a, b *bool) *bool {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	n.Ors++
	out := *a || *b
	return &out
}

func (n *netlist) and(a, b *bool) *bool {
	if a == nil || b == nil {
		return nil
	}
	n.Ands++
	out := *a && *b
	return &out
}

func (n *netlist) andNot(a, b *bool) *bool {
	if b == nil {
		return a
	}
	n.Ands++
	n.Inverters++
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
			group := rand.New(rand.NewPCG(sample, uint64(width))).Uint64N(1 << width)
			mask := units.BlockMask{group, 1}
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
			require.Equal(t, n.Cells, CellsOf(units.Logic{Kind: units.Encoder, Bits: width}))
		}
	}
	assert.Equal(t, Cells{Inverters: 31, Ands: 62, Ors: 106}, CellsOf(units.Logic{Kind: units.Encoder, Bits: 32}))
}
