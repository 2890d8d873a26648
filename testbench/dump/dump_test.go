package dump

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
)

// TestCapacity: the entries of a warp's stack are found wherever they begin.
func TestCapacity(t *testing.T) {
	for mechanism, want := range map[string]int{
		"pdom": 2 * 32, "token": 16, "dpe": 32, "ptpc": 0,
	} {
		c := gpu.Default()
		c.GPU.SMs = 1
		c.Divergence.Mechanism = mechanism
		m, err := gpu.New(c)
		require.NoError(t, err)
		assert.Equal(t, want, capacity(m), mechanism)
	}
}
