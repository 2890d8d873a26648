package divergence_test

import (
	"fmt"
	"testing"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// variants are all mechanisms, and what their options change.
func variants() (list []divergence.Options) {
	for _, m := range divergence.Mechanisms() {
		list = append(list, divergence.Options{Mechanism: m.Name, PathOrder: divergence.TakenFirst})
	}
	return append(list,
		microtest.With("multipath", "multipath.paths", "1"),
		divergence.Options{Mechanism: "pdom", PathOrder: divergence.MinorityFirst},
		microtest.With("ppc", "ppc.verbatim", "true"),
		microtest.With("token", "token.window", "1"))
}

// TestRandomKernels is of all mechanisms.
func TestRandomKernels(t *testing.T) { microtest.RandomKernels(t, variants(), nil) }

// TestNests: loops nest deeper than a warp has lanes, and fill stacks and tables.
func TestNests(t *testing.T) {
	for seed := range uint64(12) {
		lanes := 2 << (seed % 3)
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			microtest.Exact(t, variants(), lanes, 2, nil, func() micro.Kernel {
				return micro.Nest(seed, 2*lanes, 3*lanes)
			})
		})
	}
}

// TestClocked is of all mechanisms.
func TestClocked(t *testing.T) { microtest.Clocked(t, variants()) }
