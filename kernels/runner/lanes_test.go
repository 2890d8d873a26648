package runner_test

import (
	"flag"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/verify"
	"divergo/units"
)

var whole = flag.Bool("whole", false, "run kernels under all mechanisms in all presets, not only some")

// TestLanes runs the small size of every kernel with every lane permutation, with and without
// compaction. Each thread executes as in the golden model, and the result equals the reference.
// TestMechanisms covers the permutation of the default machine.
func TestLanes(t *testing.T) {
	presets, mechs := []string{gpu.DefaultPreset}, []string{"pdom", "tbc"}
	if testing.Short() {
		mechs = mechs[1:]
	}
	if *whole {
		presets, mechs = nil, nil
		for _, p := range gpu.Presets() {
			presets = append(presets, p.Name)
		}
		for _, m := range divergence.Mechanisms() {
			mechs = append(mechs, m.Name)
		}
	}
	for i, kernel := range kernels.All() {
		t.Run(kernel.Name, func(t *testing.T) {
			for _, preset := range presets {
				for _, mech := range mechs {
					for j, lanes := range units.Permutations() {
						if leftOut(i+j) || !*whole && lanes == gpu.Default().SM.Lanes {
							continue
						}
						runLanes(t, &kernel, preset, mech, lanes)
					}
				}
			}
		})
	}
}

func runLanes(t *testing.T, kernel *kernels.Kernel, preset, mech string, lanes units.Permutation) {
	name := fmt.Sprintf("%s, %s, %s", preset, mech, lanes)
	p, err := gpu.FindPreset(preset)
	require.NoError(t, err)
	cfg := cut(p.Config(), 2)
	cfg.SM.Lanes, cfg.Divergence.Mechanism = lanes, mech
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
	require.NoError(t, err, name)
	work := kernel.Sizes[0].New(1)
	err = work.Run(verify.New(s))
	if refused(kernel, mech) {
		require.ErrorContains(t, err, "vote.sync.ballot.b32", name)
		return
	}
	require.NoError(t, err, name)
	require.NoError(t, work.Check(), name)
}
