package runner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// loop runs a loop kernel on the token stack of a preset, and returns the cycles and counters. The
// code before the loop takes the same time for all patterns, since the machine is new.
func loop(t *testing.T, preset gpu.Preset, work *kernels.Loop) (cycles uint64, c divergence.Stats) {
	t.Helper()
	cfg := preset.Config()
	cfg.GPU.SMs = 1
	cfg.Divergence.Mechanism = "token"
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 1_000_000})
	require.NoError(t, err)
	require.NoError(t, work.Run(runner.New(s)))
	require.NoError(t, work.Check())
	return s.Runs[0].Counters.Cycles, s.Runs[0].Counters.Divergence
}

// TestLoops reproduces figures 1, 2 and 7 of Bialas & Strzelecki (Benchmarking the cost of thread
// divergence in CUDA, 2015).
//
// The figures show the single and the double loop for the patterns M of threads that leave early.
// The results of the paper's emulator hold for the compiled kernels: pushed tokens, depth of the
// stack, and spills.
//
// Time grows with M by the cost of a token, "exactly" 32 cycles on Kepler and 26 on Maxwell. Each
// spill adds 84 and 176 cycles. (With this prediction the paper is within 76 cycles of the hardware
// for the double loop.)
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
		for m := range uint64(32) {
			pushes, spills := 33+m*(65-m)/2, double[m]
			cycles, st := loop(t, preset, kernels.NewLoop2(int(m)))
			assert.Equal(t, first+(pushes-33)*c.token+spills*c.spill, cycles, "%s, double loop, M = %d", c.preset, m)
			assert.Equal(t, [5]uint64{pushes, pushes, m + 2, spills, spills},
				[5]uint64{st.Pushes, st.Pops, st.MaxDepth, st.Spills, st.Fills}, "%s, double loop, M = %d", c.preset, m)
		}
	}
}

// TestInserted runs the small size of every kernel under the mechanisms that insert instructions.
//
// It uses the machines that had them in hardware. One token is on the chip, the others are in
// memory, and every loop has a yield. Each thread executes as in the golden model, and the programs
// are well-formed.
func TestInserted(t *testing.T) {
	for _, name := range []string{"kepler", "maxwell"} {
		preset, err := gpu.FindPreset(name)
		require.NoError(t, err)
		for i, kernel := range kernels.All() {
			for j, mechanism := range []string{"token", "barrier"} {
				if leftOut(i + 2*j) {
					continue
				}
				t.Run(name+"/"+kernel.Name+"/"+mechanism, func(t *testing.T) {
					cfg := cut(preset.Config(), 2)
					cfg.Divergence.Mechanism = mechanism
					setting := map[string]string{
						"maxwell": "divergence.barrier.yield=true",
						"kepler":  "divergence.token.window=1",
					}
					if s, ok := setting[name]; ok {
						require.NoError(t, cfg.Set(s))
					}
					s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
					require.NoError(t, err)
					work := kernel.Sizes[0].New(1)
					require.NoError(t, work.Run(verify.New(s)))
					require.NoError(t, work.Check())
					p := s.Runs[0].Launch.Prog
					require.NoError(t, isa.WithTokens(p).Check())
					require.NoError(t, isa.WithBarriers(p, true).Check())
					assert.Positive(t, s.Counters().Inserted)
				})
			}
		}
	}
}
