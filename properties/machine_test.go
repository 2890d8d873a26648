package properties

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/sm/divergence"
)

// TestEachMachineCanBeBuilt: with every mechanism. The machine of seeds from 20736 on has
// 32 warps, with which subwarp has slots for 16 paths at most.
func TestEachMachineCanBeBuilt(t *testing.T) {
	seeds := []uint64{20736 / machineSeeds}
	for seed := range uint64(20) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		c := drawMachine(rand.New(rand.NewPCG(seed, 1)))
		for _, m := range divergence.Mechanisms() {
			c.Divergence.Mechanism = m.Name
			_, err := gpu.New(c)
			require.NoError(t, err, "machine %d, %s", seed, m.Name)
		}
	}
}
