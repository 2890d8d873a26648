package properties

import (
	"testing"

	"divergo/properties/draw"
	"divergo/testbench/races"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestNoRaces checks that random kernels have no races, under any mechanism. Their threads exchange
// values at barriers, by atomics, and by messages after fences.
func TestNoRaces(t *testing.T) {
	seeds := uint64(1000)
	if testing.Short() {
		seeds = 100
	}
	r := runner{}
	finished := 0
	for seed := range seeds {
		mechanism := shipped()[seed%uint64(len(shipped()))]
		c := draw.New(seed, draw.AllFeatures&^draw.Larges)
		k, err := c.Compile()
		require.NoError(t, err)
		k, err = k.For(mechanism)
		require.NoError(t, err)
		s, err := r.session(k.Machine, mechanism)
		require.NoError(t, err)
		d := races.Attach(s)
		if err := k.Launch(s, s.Launch); err == nil {
			finished++
		}
		d.Detach()
		for _, r := range d.Found() {
			assert.Fail(t, "a race", "seed %d, %s: %s", seed, mechanism, r)
		}
	}
	assert.Greater(t, finished, int(seeds)*9/10)
}
