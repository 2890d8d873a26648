package blocks

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
)

// TestProperties proves each property for its small sizes, except long ones. With the change of Falsify
// there must be a counterexample.
func TestProperties(t *testing.T) {
	need.Tool(t, "yosys", "abc")
	for _, p := range Properties() {
		t.Run(p.Name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("proofs take 20 seconds")
			}
			t.Parallel()
			if !p.Long {
				_, err := p.Prove(p.Sizes[0])
				assert.NoError(t, err)
			}
			text, err := p.Block.Print(p.Sizes[0])
			require.NoError(t, err)
			bad := strings.Replace(text.Verilog, p.Falsify[0], p.Falsify[1], 1)
			require.NotEqual(t, text.Verilog, bad, "nothing to falsify")
			_, err = p.prove(p.Sizes[0], bad, false)
			assert.ErrorIs(t, err, ErrFailed)
			assert.ErrorContains(t, err, "counterexample")
		})
	}
}

// TestArea: a comparator of majority logic needs no memory and no flip-flop; the compactor keeps a
// bit for each thread. Areas shrink with the feature size.
func TestArea(t *testing.T) {
	need.Tool(t, "yosys", "abc", "osu018", "osu035")
	if testing.Short() {
		t.Skip("three syntheses")
	}
	small, err := majority.Area(Sizes{"lanes": 8}, Processes()[0])
	require.NoError(t, err)
	assert.Zero(t, small.FlipFlops)
	assert.Zero(t, small.Memory)
	assert.Positive(t, small.Cells)
	assert.Positive(t, small.Ps)
	older, err := majority.Area(Sizes{"lanes": 8}, Processes()[1])
	require.NoError(t, err)
	assert.Greater(t, older.Um2, small.Um2)
	held, err := compactor.Area(Sizes{"lanes": 4, "warps": 4}, Processes()[0])
	require.NoError(t, err)
	assert.Equal(t, 16, held.FlipFlops)
}
