package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence/formation"
	"divergo/testbench"
)

// TestFormation: except for kernels that vote, no kernel relies on the threads of a warp staying
// together. So their results are right under dynamic warp formation in any issue order. The test
// uses the wide machine with a greedy scheduler. Warp barriers keep together the warps that vote.
func TestFormation(t *testing.T) {
	preset, err := gpu.FindPreset("slp")
	require.NoError(t, err)
	policies := formation.IssuePolicy("").Words()
	for i, kernel := range kernels.All() {
		for j, mechanism := range []string{"dwf", "dwf-wb"} {
			if leftOut(i + 2*j) {
				continue
			}
			t.Run(kernel.Name+"/"+mechanism, func(t *testing.T) {
				cfg := cut(preset.Config(), 2)
				cfg.Divergence.Mechanism = mechanism
				require.NoError(t, cfg.Set("divergence.dwf.issue="+policies[(i+j)%len(policies)].Name))
				s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
				require.NoError(t, err)
				work := kernel.Sizes[0].New(1)
				if refused(&kernel, mechanism) {
					require.ErrorContains(t, work.Run(runner.New(s)), "fault: threads")
					return
				}
				require.NoError(t, work.Run(runner.New(s)))
				require.NoError(t, work.Check())
			})
		}
	}
}
