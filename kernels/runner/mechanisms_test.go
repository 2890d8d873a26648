package runner_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/kernels"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/paths"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// TestMechanisms runs the small size of every kernel under every mechanism. Each thread executes as
// many instructions as in the golden model, with the same effects. The result equals the kernel's
// reference.
func TestMechanisms(t *testing.T) {
	var options []divergence.Options
	for _, m := range divergence.Mechanisms() {
		o := gpu.Default().Divergence
		o.Mechanism = m.Name
		options = append(options, o)
		if m.Name == "ppc" {
			options = append(options, paths.PPCKeys.With(o, paths.PPCParams{Verbatim: true}))
		}
	}
	for i, kernel := range kernels.All() {
		t.Run(kernel.Name, func(t *testing.T) {
			scoreboards := []sm.Dependence{sm.OneInFlight, sm.PerRegister}
			if testing.Short() {
				scoreboards = scoreboards[:1]
			}
			for _, scoreboard := range scoreboards {
				for j, o := range options {
					if leftOut(i + j) {
						continue
					}
					cfg := cut(gpu.Default(), 2)
					cfg.SM.Scoreboard = scoreboard
					cfg.Divergence = o
					s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
					require.NoError(t, err)
					work := kernel.Sizes[0].New(1)
					err = work.Run(verify.New(s))
					if refused(&kernel, o.Mechanism) {
						require.ErrorContains(t, err, "vote.sync.ballot.b32")
						continue
					}
					require.NoError(t, err, "%+v", o)
					require.NoError(t, work.Check(), "%+v", o)
					checkCycles(t, s)
				}
			}
		})
	}
}

// leftOut reports whether -short leaves out the n-th run.
func leftOut(n int) bool { return forall.LeftOut(n, 16) }

// refused reports whether a kernel cannot run under a mechanism. Kernels that vote need whole
// warps, and dwf does not reassemble diverged warps.
func refused(kernel *kernels.Kernel, mech string) bool {
	return kernel.Votes && mech == "dwf"
}
