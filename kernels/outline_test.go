package kernels_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/kernels"
)

// TestOutline: an outline has the first launches of a workload, in order, and no more than asked for.
func TestOutline(t *testing.T) {
	for _, k := range kernels.All() {
		calls, err := kernels.Outline(k.Sizes[0].New(1), 3)
		require.NoError(t, err, k.Name)
		require.NotEmpty(t, calls, k.Name)
		assert.LessOrEqual(t, len(calls), 3, k.Name)
		first, err := kernels.Outline(k.Sizes[0].New(1), 1)
		require.NoError(t, err, k.Name)
		require.Len(t, first, 1, k.Name)
		assert.Equal(t, calls[0].Kernel, first[0].Kernel, k.Name)
		assert.Equal(t, first[0].Module, k.Module())
	}
}
