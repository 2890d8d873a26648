package stacks_test

import (
	"testing"

	"divergo/sm/divergence"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/stacks"
)

// TestRandomKernels looks into the stacks that hold more than one path in an entry.
func TestRandomKernels(t *testing.T) {
	microtest.RandomKernels(t, []divergence.Options{
		{Mechanism: "dpe"},
		{Mechanism: "multipath"},
		microtest.With("multipath", "multipath.paths", "1"),
	}, func(p divergence.Policy) {
		switch p := p.(type) {
		case *stacks.DPE:
			dualPath(t, p)
		case *stacks.MultiPath:
			multiPath(t, p)
		}
	})
}
