package litmus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestVerdicts checks that the model agrees with the claims of each test, most of which come from
// the manual or from publications. The model must also allow every outcome of a sequentially
// consistent machine.
func TestVerdicts(t *testing.T) {
	tests := Tests()
	assert.GreaterOrEqual(t, len(tests), 40)
	seen := map[string]bool{}
	for _, test := range tests {
		assert.False(t, seen[test.Name], test.Name)
		seen[test.Name] = true
		assert.NotEmpty(t, test.claims, test.Name)
		allowed := test.allowed()
		require.NoError(t, test.judge(allowed))
		assert.Subset(t, allowed, test.interleavings(), test.Name)
		t.Logf("%s: %d allowed, %d sequentially consistent", test.Name, len(allowed), len(test.interleavings()))
	}
}
