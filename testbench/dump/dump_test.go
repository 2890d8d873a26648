package dump

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	_ "divergo/examples/frontier" // a mechanism from outside
	"divergo/gpu"
)

// TestStacks: those of a mechanism are found, whatever it calls them, and the entries
// of each, wherever they begin.
func TestStacks(t *testing.T) {
	for mechanism, want := range map[string]map[string]int{
		"pdom": {"Stack": 2 * 32}, "token": {"Stack": 16}, "dpe": {"Stack": 32}, "ptpc": {},
		"capri": {"Stack": 128, "Private": 2 * 32}, "frontier": {"List": 32},
	} {
		c := gpu.Default()
		c.GPU.SMs = 1
		c.Divergence.Mechanism = mechanism
		m, err := gpu.New(c)
		require.NoError(t, err)
		got := map[string]int{}
		for _, s := range stacks(m) {
			got[s.field] = s.capacity()
		}
		assert.Equal(t, want, got, mechanism)
	}
}
