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
	"divergo/testbench/races"
)

// TestNoRaces: no kernel of the suite has a data race, under any mechanism.
func TestNoRaces(t *testing.T) {
	for i, kernel := range kernels.All() {
		t.Run(kernel.Name, func(t *testing.T) {
			for j, m := range divergence.Mechanisms() {
				if leftOut(i+j) || refused(&kernel, m.Name) {
					continue
				}
				cfg := cut(gpu.Default(), 2)
				cfg.Divergence.Mechanism = m.Name
				s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
				require.NoError(t, err)
				d := races.Attach(s)
				require.NoError(t, kernel.Sizes[0].New(1).Run(runner.New(s)), m.Name)
				for _, r := range d.Found() {
					assert.Fail(t, "a race", "%s: %s", m.Name, r)
				}
			}
		})
	}
}

// BenchmarkRaces measures the cost of --races: at most three times the run.
func BenchmarkRaces(b *testing.B) {
	for _, name := range []string{"bitonic", "matmul", "reduction", "histogram", "bfs"} {
		kernel, err := kernels.Find(name)
		require.NoError(b, err)
		for _, watched := range []string{"without", "with"} {
			b.Run(name+"/"+watched, func(b *testing.B) {
				s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
				require.NoError(b, err)
				if watched == "with" {
					races.Attach(s)
				}
				for b.Loop() {
					s.Reset()
					require.NoError(b, kernel.Sizes[1].New(1).Run(runner.New(s)))
				}
			})
		}
	}
}
