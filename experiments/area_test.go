package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/units"
)

// TestArea compares the area with estimates made by hand. The brackets allow for other libraries
// and other encoder circuits.
func TestArea(t *testing.T) {
	all, err := cells([]units.Logic{{Kind: units.Encoder, Bits: 32, Count: 32}}, 0)
	require.NoError(t, err)
	assert.InDelta(t, .011, all.Mid, .006, "0.005 to 0.017 mm2")
	tbc, err := compactionArea("tbc", "Compacts")
	require.NoError(t, err)
	assert.InDelta(t, .71, tbc.Mid, .34, "0.37 to 1.05 mm2")
	flipFlops, err := cells(nil, 1e6)
	require.NoError(t, err)
	assert.InDelta(t, 1.44*4.522/.798, flipFlops.Mid, .001, "gates of UMC 65 nm, cells of NanGate")
}
