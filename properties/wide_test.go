package properties

import (
	"testing"

	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/properties/draw"
	"divergo/sm/divergence"
)

// exchanges are the features with instructions in which threads of a warp exchange values. They have
// masks of 32 lanes.
const exchanges = draw.Votes | draw.Gathers | draw.Counts

// TestWideProperties: every mechanism gives the golden model's result in warps of 64 lanes, and every
// checker holds, on random kernels and machines.
func TestWideProperties(t *testing.T) {
	r := runner{}
	for i, m := range divergence.Mechanisms() {
		if m.Name == "token" || forall.LeftOut(i, 4) {
			continue
		}
		forall.CheckMany(t, 40, m.Name+" runs a kernel in warps of 64 lanes", gen.UInt64Range(0, 1<<20),
			func(t *forall.T, seed uint64) {
				c := draw.New(seed, draw.AllFeatures&^(exchanges|draw.Anywhere|draw.Rushes))
				s := &c.Machine.SM
				s.Threads = s.Threads / s.WarpSize * 64
				s.WarpSize = 64
				k, err := c.Compile()
				require.NoError(t, err)
				f, err := r.Check(k, m.Name)
				require.NoError(t, err)
				require.Nil(t, f)
			})
	}
}
