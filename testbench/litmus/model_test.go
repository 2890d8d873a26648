package litmus_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/testbench/litmus"
)

// TestVerdicts: the model agrees with the claims of each test, most of which are the manual's or of published work,
// and allows what a sequentially consistent machine does.
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
