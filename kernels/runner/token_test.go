package runner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// loop runs a loop kernel on the token stack of a preset, and returns the
// cycles and counts of a second run, which finds the caches filled.
func loop(t *testing.T, preset gpu.Preset, work *kernels.Loop) (cycles uint64, c divergence.Stats) {
	t.Helper()
	cfg := preset.Config()
	cfg.GPU.SMs = 1
	cfg.Divergence.Mechanism = "token"
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, work.Run(runner.New(s)))
		require.NoError(t, work.Check())
	}
	return s.Runs[1].Counters.Cycles, s.Runs[1].Counters.Divergence
}

// TestLoops is figures 1, 2 and 7 of Bialas & Strzelecki (Benchmarking the cost
// of thread divergence in CUDA, 2015): the single and the double loop for the
// patterns M of threads that leave early. What the paper found for its
// emulator holds for the compiled kernels: how many tokens are pushed, how deep
// the stack gets, how often it spills. Time grows with M by the cost of a token, "exactly" 32 cycles on
// Kepler and 26 on Maxwell, and by 84 and 176 with each spill. They agree with the hardware within 76
// cycles for the double loop.
func TestLoops(t *testing.T) {
	double := [32]uint64{15: 20, 19, 18, 17, 36, 34, 32, 30, 48, 45, 42, 39, 56, 52, 48, 44, 60}
	for _, c := range []struct {
		preset       string
		token, spill uint64
	}{{"kepler", 32, 84}, {"maxwell", 26, 176}} {
		preset, err := gpu.FindPreset(c.preset)
		require.NoError(t, err)
		first, _ := loop(t, preset, kernels.NewLoop1(0))
		for m := range uint64(32) {
			spills := uint64(0)
			if m > 15 {
				spills = (m - 15 + 3) / 4
			}
			cycles, st := loop(t, preset, kernels.NewLoop1(int(m)))
			assert.Equal(t, first+m*c.token+spills*c.spill, cycles, "%s, single loop, M = %d", c.preset, m)
			assert.Equal(t, divergence.Stats{
				Branches: 33, Divergent: m, Pushes: m + 1, Pops: m + 1, MaxDepth: m + 1, Spills: spills, Fills: spills,
			}, st, "%s, single loop, M = %d", c.preset, m)
		}
		first, _ = loop(t, preset, kernels.NewLoop2(0))
		for _, m := range []uint64{1, 2, 14, 15, 16, 31} {
			pushes, spills := 33+m*(65-m)/2, double[m]
			cycles, st := loop(t, preset, kernels.NewLoop2(int(m)))
			assert.InDelta(t, first+(pushes-33)*c.token+spills*c.spill, cycles, 76, "%s, double loop, M = %d", c.preset, m)
			assert.Equal(t, [5]uint64{pushes, pushes, m + 2, spills, spills},
				[5]uint64{st.Pushes, st.Pops, st.MaxDepth, st.Spills, st.Fills}, "%s, double loop, M = %d", c.preset, m)
		}
	}
}
