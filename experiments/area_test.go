package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu/area"
	"divergo/units"
)

// TestArea compares the area with estimates made by hand. The brackets allow for other libraries
// and other encoder circuits.
func TestArea(t *testing.T) {
	var all area.Cells
	all.Add(area.CellsOf(units.Logic{Kind: units.Encoder, Bits: 32}), 32)
	assert.InDelta(t, .011, micrometers2(&all)/1e6, .006, "0.005 to 0.017 mm2")
	tbc, err := compactionArea("tbc", "Compacts")
	require.NoError(t, err)
	assert.InDelta(t, .71, tbc, .34, "0.37 to 1.05 mm2")
	flipFlop := area.Cells{FlipFlops: 1}
	assert.InDelta(t, 9.435, micrometers2(&flipFlop), .001)
}
