package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/testbench"
	"divergo/testbench/verify"
	"divergo/units"
)

// TestLanes runs the small size of every kernel with every placement of threads
// in lanes, compacted and not: each thread does what the golden model does, and
// the result is that of the kernel's reference.
func TestLanes(t *testing.T) {
	for _, kernel := range kernels.All() {
		t.Run(kernel.Name, func(t *testing.T) {
			for _, p := range units.Permutations() {
				for _, mech := range []string{"pdom", "tbc"} {
					cfg := gpu.Default()
					cfg.GPU.SMs = 2
					cfg.SM.Lanes, cfg.Divergence.Mechanism = p, mech
					s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
					require.NoError(t, err)
					work := kernel.Sizes[0].New(1)
					require.NoError(t, work.Run(verify.New(s)), "%s, %s", p, mech)
					require.NoError(t, work.Check(), "%s, %s", p, mech)
				}
			}
		})
	}
}
