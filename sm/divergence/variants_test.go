package divergence_test

import (
	"testing"

	"divergo/sm/divergence"
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

// TestClocked is of all mechanisms.
func TestClocked(t *testing.T) { microtest.Clocked(t, variants()) }
