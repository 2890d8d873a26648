package ptx_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/ptx"
)

// TestPragmas checks that a kernel can switch features off in its header or its body, and that
// pragmas of other tools are ignored.
func TestPragmas(t *testing.T) {
	const text = `.version 7.6
.target sm_70
.address_size 64
.visible .entry header() .pragma "nounroll", "divergo.no_compaction"; { ret; }
.visible .entry body() { .pragma "divergo.no_lane_permutation"; ret; }
.visible .entry plain() { .pragma "nounroll"; ret; }`
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	for name, want := range map[string][2]bool{"header": {true, false}, "body": {false, true}, "plain": {}} {
		p, err := m.Program(name)
		require.NoError(t, err)
		assert.Equal(t, want, [2]bool{p.NoCompaction, p.NoLanePermutation}, name)
	}
}
