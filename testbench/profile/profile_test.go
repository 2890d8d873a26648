package profile_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/memsys"
	"divergo/properties/draw"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/profile"
)

// adds checks that the counts of lines add up to the machine's counts.
func adds(t *testing.T, s *testbench.Session, p *profile.Profile, name string) {
	t.Helper()
	var sum profile.Counts
	for _, k := range p.Kernels() {
		for i := range k.Lines {
			sum.Add(&k.Lines[i].Counts)
		}
	}
	c := s.Counters()
	assert.Equal(t, c.Instructions, sum.Issued, "%s: warp_instructions", name)
	assert.Equal(t, c.Lanes, sum.Lanes, "%s: thread_instructions", name)
	assert.Equal(t, c.Active, sum.Active, "%s: active_lane_histogram", name)
	assert.Equal(t, c.Inserted, sum.Inserted, "%s: inserted_instructions", name)
	if s.Runs[len(s.Runs)-1].Outcome.OK() {
		assert.Equal(t, c.Divergence.Branches, sum.Branches, "%s: branches", name)
		assert.Equal(t, c.Divergence.Divergent, sum.Divergent, "%s: divergent_branches", name)
	} else { // outcomes may be on their way to the mechanism
		assert.GreaterOrEqual(t, sum.Branches, c.Divergence.Branches, "%s: branches", name)
		assert.GreaterOrEqual(t, sum.Divergent, c.Divergence.Divergent, "%s: divergent_branches", name)
	}
	assert.Equal(t, c.Coalescer.Accesses, sum.Accesses, "%s: mem_instructions", name)
	assert.Equal(t, c.Coalescer.Lines, sum.Lines, "%s: mem_lines", name)
	assert.Equal(t, c.L1.LoadHits, sum.Found[memsys.Hit], "%s: l1_load_hits", name)
	assert.Equal(t, c.L1.LoadMisses, sum.Found[memsys.Miss], "%s: l1_load_misses", name)
	assert.Equal(t, c.L1.Merges, sum.Found[memsys.Merge], "%s: l1_load_merges", name)
	c.Classes[sm.ClassEmpty] = 0
	assert.Equal(t, c.Classes, sum.Cycles, "%s: cycles by class", name)
}

// TestKernels checks that the counts of all lines and instructions of a kernel add up to its
// statistics, under each mechanism, launch by launch.
func TestKernels(t *testing.T) {
	for _, name := range []string{"bitonic", "bfs", "queens"} {
		kernel, err := kernels.Find(name)
		require.NoError(t, err)
		for _, m := range divergence.Mechanisms() {
			cfg := gpu.Default()
			cfg.GPU.SMs = 2
			cfg.Divergence.Mechanism = m.Name
			s, err := testbench.NewSession(cfg, testbench.Limits{})
			require.NoError(t, err)
			s.Machine.System().Workers = 2
			p := profile.Attach(s)
			require.NoError(t, kernel.Sizes[0].New(1).Run(runner.New(s)), "%s, %s", name, m.Name)
			p.Detach()
			adds(t, s, p, name+", "+m.Name)
		}
	}
}

// TestRandom checks the same for random kernels on random machines, however they end.
func TestRandom(t *testing.T) {
	for seed := range uint64(40) {
		if forall.LeftOut(int(seed), 8) {
			continue
		}
		c := draw.New(seed, draw.AllFeatures)
		k, err := c.Compile()
		require.NoError(t, err)
		for _, m := range divergence.Mechanisms() {
			k, err := k.For(m.Name)
			require.NoError(t, err)
			s, err := testbench.NewSession(k.Machine.Under(m.Name), testbench.Limits{MaxCycles: 200_000})
			require.NoError(t, err)
			bank, _, err := s.Place(k.Prog, k.Args)
			require.NoError(t, err)
			p := profile.Attach(s)
			err = s.Launch(testbench.Launch{Prog: k.Prog, Grid: c.Grid, Block: c.Block, Params: bank})
			var o *testbench.Outcome
			if err != nil && !errors.As(err, &o) {
				require.NoError(t, err)
			}
			p.Detach()
			adds(t, s, p, fmt.Sprintf("%s, seed %d", m.Name, c.Seed))
		}
	}
}
