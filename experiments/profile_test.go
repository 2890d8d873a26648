package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/quality"
)

// profiling profiles the smallest size of a kernel on a small machine.
func profiling(t *testing.T, name string, inputs int, limit float64) Profiling {
	t.Helper()
	k, err := kernels.Find(name)
	require.NoError(t, err)
	cfg := gpu.Default()
	cfg.GPU.SMs = 2
	return Profiling{Kernel: k, Size: k.Sizes[0], Config: cfg, Inputs: inputs, Limit: limit}
}

// TestProfile follows figure 11 of Sartori & Kumar (Branch and Data Herding, 2012) on its own runs.
// Each kept candidate makes an input faster, the degradation is the worst one, and the choice stays
// within the limit.
func TestProfile(t *testing.T) {
	for i, name := range []string{"particles", "dxtc", "histogram64"} {
		if forall.LeftOut(i, 3) {
			continue
		}
		o := profiling(t, name, 2, 0.2)
		p, err := o.Find()
		require.NoError(t, err)
		require.NotEmpty(t, p.Candidates, name)
		run := func(h isa.Herding) (cycles []uint64, worst float64) {
			for seed := uint64(1); seed <= 2; seed++ {
				w, s, err := o.Run(p.Prog, h, seed)
				require.NoError(t, err)
				cycles = append(cycles, s.Counters().Cycles)
				worst = max(worst, quality.Degradation(o.Kernel, w))
			}
			return cycles, worst
		}
		base, _ := run(isa.Herding{})
		assert.Equal(t, base, p.Cycles)
		kept, within, chosen := isa.Herding{Kernel: p.Prog.Name}, true, 0
		var want isa.Herding
		for i, c := range p.Candidates {
			if i > 0 {
				assert.LessOrEqual(t, c.Alone, p.Candidates[i-1].Alone, "the fastest first")
			}
			before, _ := run(kept)
			with := isa.Herding{Kernel: kept.Kernel, Branches: kept.Branches, Loads: kept.Loads}
			if c.Load {
				with.Loads = append(with.Loads[:len(with.Loads):len(with.Loads)], int(c.PC))
			} else {
				with.Branches = append(with.Branches[:len(with.Branches):len(with.Branches)], int(c.PC))
				for _, pc := range c.Copies {
					with.Branches = append(with.Branches, int(pc))
				}
			}
			now, worst := run(with)
			assert.Equal(t, now[0] < before[0] || now[1] < before[1], c.Kept, "%s %d", name, c.PC)
			assert.Equal(t, worst, c.Degradation)
			assert.InDelta(t, (float64(base[0])/float64(now[0])+float64(base[1])/float64(now[1]))/2, c.Speedup, 1e-12)
			if c.Kept {
				kept = with
				if within = within && worst <= 0.2; within {
					chosen++
					want = kept
				}
			}
		}
		assert.Equal(t, chosen, p.Chosen, name)
		h := p.Herding()
		assert.ElementsMatch(t, want.Branches, h.Branches, name)
		assert.ElementsMatch(t, want.Loads, h.Loads, name)
		assert.Equal(t, p.Prog.Name, h.Kernel)
	}
}

// TestProfileOfNothing: without safe instructions there are no candidates. A kernel with several
// entries needs a named one.
func TestProfileOfNothing(t *testing.T) {
	p, err := profiling(t, "histogram", 1, 1).Find()
	require.NoError(t, err)
	assert.Empty(t, p.Candidates)
	assert.Equal(t, isa.Herding{Kernel: "histogram"}, p.Herding())
	_, err = profiling(t, "backprop", 1, 1).Find()
	assert.EqualError(t, err, "backprop has several entries, name one: backprop_forward, backprop_adjust")
}
