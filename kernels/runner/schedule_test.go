package runner_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// TestCTAPriorities: the order in which CTAs issue changes cycles but no results.
func TestCTAPriorities(t *testing.T) {
	names := []string{"mandelbrot", "backprop"}
	if testing.Short() {
		names = names[1:]
	}
	for _, name := range names {
		kernel, err := kernels.Find(name)
		require.NoError(t, err)
		t.Run(name, func(t *testing.T) {
			for _, m := range divergence.Mechanisms() {
				cycles := map[sm.CTAPriority]uint64{}
				for _, w := range sm.CTAPriority("").Words() {
					p := sm.CTAPriority(w.Name)
					cfg := cut(gpu.Default(), 1)
					cfg.Divergence.Mechanism, cfg.SM.CTAPriority = m.Name, p
					s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
					require.NoError(t, err)
					work := kernel.Sizes[0].New(1)
					require.NoError(t, work.Run(verify.New(s)), "%s %s", m.Name, p)
					require.NoError(t, work.Check(), "%s %s", m.Name, p)
					checkCycles(t, s)
					cycles[p] = s.Counters().Cycles
					if m.Name == "tbc" && p == sm.PriorityAge {
						assert.NotZero(t, s.Counters().Classes[sm.IdleSync], "%s %s", m.Name, p)
					}
				}
				assert.NotEqual(t, cycles[sm.PriorityAge], cycles[sm.PriorityRRB], m.Name)
			}
		})
	}
}

// TestSubCores: with two and four sub-cores each mechanism computes the same results, or refuses the
// machine or a CTA too large for a sub-core. Fewer cycles than with one sub-core pass.
func TestSubCores(t *testing.T) {
	names := []string{"reduction", "bitonic", "bfs"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		kernel, err := kernels.Find(name)
		require.NoError(t, err)
		for _, m := range divergence.Mechanisms() {
			var cycles []uint64
			for _, n := range []int{1, 2, 4} {
				cfg := cut(gpu.Default(), 1)
				cfg.Divergence.Mechanism, cfg.SM.Schedulers = m.Name, n
				s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
				if m.Across && n > 1 {
					require.ErrorContains(t, err, "registers are in several sub-cores")
					continue
				}
				require.NoError(t, err)
				work := kernel.Sizes[0].New(1)
				if err := work.Run(verify.New(s)); m.Blocks && n == 4 && err != nil {
					require.ErrorContains(t, err, "the sub-core that runs it has", "%s %s %d", name, m.Name, n)
					continue
				}
				require.NoError(t, work.Check(), "%s %s %d", name, m.Name, n)
				checkCycles(t, s)
				cycles = append(cycles, s.Counters().Cycles)
			}
			// A CTA of mechanisms with Blocks is in one sub-core, and bfs waits for memory.
			if !m.Blocks && !m.Across && name != "bfs" {
				assert.Less(t, cycles[1], cycles[0], "%s %s", name, m.Name)
				assert.Less(t, cycles[2], cycles[0], "%s %s", name, m.Name)
			}
		}
	}
}

// TestPriorityIsNoMechanism: a kernel without divergence takes the same time under every mechanism,
// apart from a few cycles for each branch, at any CTA priority. The priority changes the time more
// than the mechanism.
func TestPriorityIsNoMechanism(t *testing.T) {
	kernel, err := kernels.Find("vecadd")
	require.NoError(t, err)
	cycles := func(mech string, p sm.CTAPriority) float64 {
		cfg := cut(gpu.Default(), 2)
		cfg.Divergence.Mechanism = mech
		if p != "" {
			cfg.SM.CTAPriority = p
		}
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 5_000_000})
		require.NoError(t, err)
		require.NoError(t, kernel.Sizes[0].New(1).Run(verify.New(s)))
		return float64(s.Counters().Cycles)
	}
	ctas := []sm.CTAPriority{""}
	for _, w := range sm.CTAPriority("").Words() {
		ctas = append(ctas, sm.CTAPriority(w.Name))
	}
	for _, p := range ctas {
		pdom := cycles("pdom", p)
		for _, m := range []string{"tbc", "tbc-lcp", "capri", "dwf", "dwf-wb"} {
			assert.InEpsilon(t, pdom, cycles(m, p), .05, "%s %q", m, p)
		}
	}
	assert.Less(t, cycles("pdom", sm.PriorityAge), .9*cycles("pdom", sm.PriorityNone))
}

// checkCycles: each cycle of an SM is in one class. An instruction counts in the class of its
// active lanes for each cycle that it takes to enter the pipes. Only warps of mechanisms with a
// stack for each CTA wait for their CTA.
func checkCycles(t *testing.T, s *testbench.Session) {
	t.Helper()
	c, cfg := s.Counters(), &s.Machine.Config.SM
	all := uint64(0)
	for _, n := range c.Classes {
		all += n
	}
	assert.Equal(t, c.SMCycles, all)
	enter := uint64(cfg.WarpSize / cfg.SIMDWidth)
	assert.Equal(t, enter*(c.Instructions+c.Inserted), c.Classes.Issue())
	if c.Inserted == 0 {
		var want [sm.LaneBins]uint64
		for k := 1; k <= cfg.WarpSize; k++ {
			want[(k-1)*sm.LaneBins/cfg.WarpSize] += enter * c.Active[k]
		}
		assert.Equal(t, want[:], c.Classes[sm.ClassIssue:])
	}
	if m, _ := divergence.Find(s.Machine.Config.Divergence.Mechanism); !m.Blocks {
		assert.Zero(t, c.Classes[sm.IdleSync], m.Name)
	}
}
