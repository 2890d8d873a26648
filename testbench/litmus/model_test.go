package litmus_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/testbench/litmus"
)

// TestVerdicts checks that the model agrees with the claims of each test, most of which come from
// the manual or from publications. The model must also allow every outcome of a sequentially
// consistent machine.
func TestVerdicts(t *testing.T) {
	tests := litmus.Tests()
	assert.GreaterOrEqual(t, len(tests), 40)
	seen := map[string]bool{}
	for _, test := range tests {
		assert.False(t, seen[test.Name], test.Name)
		seen[test.Name] = true
		assert.NotEmpty(t, test.Claims, test.Name)
		allowed := test.Allowed()
		require.NoError(t, test.Judge(allowed))
		assert.Subset(t, allowed, test.Interleavings(), test.Name)
		t.Logf("%s: %d allowed, %d sequentially consistent", test.Name, len(allowed), len(test.Interleavings()))
	}
}
