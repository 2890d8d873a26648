package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/kernels"
)

// TestExceptions: a kernel that is slower with CAPRI is not slower without the given reason. On two
// SMs of the preset tbc there are no other exceptions.
func TestExceptions(t *testing.T) {
	t.Parallel()
	slower := map[string]bool{}
	for i := range exceptions {
		e := &exceptions[i]
		as, without, err := e.measure()
		require.NoError(t, err, e.kernel)
		assert.Less(t, as, .99, e.kernel)
		assert.GreaterOrEqual(t, without, .99, e.kernel)
		slower[e.kernel] = e.preset == "tbc"
	}
	c, err := capriMachine("tbc", 2)
	require.NoError(t, err)
	for i, k := range kernels.All() {
		if forall.LeftOut(i, 8) {
			continue
		}
		r, err := overTBC(c, k.Sizes[0])
		require.NoError(t, err, k.Name)
		assert.Equal(t, slower[k.Name], r < .99, "%s: %.3f", k.Name, r)
	}
}
