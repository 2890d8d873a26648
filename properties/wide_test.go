package properties

import (
	"testing"

	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/properties/draw"
)

// TestWideProperties: every mechanism gives the golden model's result in warps of 64 lanes, and every
// checker holds, on random kernels and machines. Mechanism token has no such warps.
func TestWideProperties(t *testing.T) {
	r := runner{}
	for i, name := range shipped() {
		if name == "token" || forall.LeftOut(i, 4) {
			continue
		}
		ran, outer := 0, t
		forall.CheckMany(t, 40, name+" runs a kernel in warps of 64 lanes", gen.UInt64Range(0, 1<<20),
			func(t *forall.T, seed uint64) {
				c := draw.New(seed, draw.AllFeatures)
				for c.Machine.SM.WarpSize != isa.MaxLanes {
					seed += draw.MachineSeeds
					c = draw.New(seed, draw.AllFeatures)
				}
				k, err := c.Compile()
				require.NoError(t, err)
				v, err := k.For(name)
				require.NoError(t, err)
				f, err := r.Check(v, name)
				require.NoError(t, err)
				if f != nil {
					require.Empty(t, f.What, "seed %d", seed)
				}
				if v.Machine.SM.WarpSize == isa.MaxLanes {
					ran++
				}
			})
		require.Greater(outer, ran, 10, "kernels that ran")
	}
}

// TestNarrowed: a kernel for warps of 64 lanes is checked under token in warps of 32, with as many threads.
func TestNarrowed(t *testing.T) {
	c := draw.New(0, draw.AllFeatures)
	for seed := uint64(0); c.Machine.SM.WarpSize != isa.MaxLanes; seed += draw.MachineSeeds {
		c = draw.New(seed, draw.AllFeatures)
	}
	k, err := c.Compile()
	require.NoError(t, err)
	v, err := k.For("token")
	require.NoError(t, err)
	require.Equal(t, isa.RowLanes, v.Machine.SM.WarpSize)
	require.Equal(t, k.Machine.SM.Threads, v.Machine.SM.Threads)
	require.Equal(t, k.Threads(), v.Threads())
	v, err = k.For("pdom")
	require.NoError(t, err)
	require.Equal(t, isa.MaxLanes, v.Machine.SM.WarpSize)
}
