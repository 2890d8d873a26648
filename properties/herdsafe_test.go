package properties

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/isa/safety"
	"divergo/testbench"
)

var (
	herdRuns = flag.Uint64("herd.runs", 300, "random kernels to herd")
	herdSeed = flag.Uint64("herd.seed", 1, "seed of the first one")
)

// TestHerdingWhatIsSafe: with all that the analysis calls safe herded at once, a
// kernel never faults, never deadlocks and always ends (claim C2-18), on random
// machines and mechanisms.
func TestHerdingWhatIsSafe(t *testing.T) {
	var herded, forced, diverted, kernels int
	mechanisms := shipped()
	for seed := *herdSeed; seed < *herdSeed+*herdRuns; seed++ {
		c := Draw(seed, AllFeatures)
		k, err := c.Compile()
		require.NoError(t, err)
		mechanism := mechanisms[seed%uint64(len(mechanisms))]
		k, err = k.forMechanism(mechanism)
		require.NoError(t, err)
		branches, loads := safety.Analyze(k.Prog).Safe()
		if len(branches)+len(loads) == 0 {
			continue
		}
		kernels++
		h := isa.Herding{Branches: branches, Loads: loads}
		made, err := h.Apply(k.Prog)
		require.NoError(t, err, "seed %d", seed)

		cfg := k.Machine
		cfg.Divergence.Mechanism, cfg.Herd.Enable = mechanism, true
		s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: 4 * maxCycles})
		require.NoError(t, err)
		s.Herd = func(*isa.Program) (*isa.Program, error) { return made, nil }
		err = launch(s, k, s.Launch)
		require.NoError(t, err, "seed %d under %s, herded: branches %v, loads %v\n%s", seed, mechanism, branches, loads, k.Text)
		n := s.Counters()
		herded += int(n.Herd.Branches + n.Coalescer.Herd.Loads)
		forced += int(n.Herd.Forced)
		diverted += int(n.Coalescer.Herd.Diverted)
	}
	t.Logf("seeds %d to %d: %d kernels with something safe, %d instructions herded, %d lanes led another way, %d to another block",
		*herdSeed, *herdSeed+*herdRuns-1, kernels, herded, forced, diverted)
	require.Greater(t, kernels, int(*herdRuns/4))
	require.Positive(t, forced)
	require.Positive(t, diverted)
}
