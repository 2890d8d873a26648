package isa

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHerdedBranchesHaveNoReconvergence checks that a branch that is always herded takes no
// reconvergence instruction (Sartori & Kumar, section III). One whose herding may stop takes one.
func TestHerdedBranchesHaveNoReconvergence(t *testing.T) {
	for _, c := range []struct {
		what  string
		limit int
		herd  bool
		want  bool
	}{{"plain", 0, false, true}, {"herded", 0, true, false}, {"herded up to a threshold", 5, true, true}} {
		p := divergent(t, "?C", "", "x")
		if c.herd {
			for pc := range p.Insts {
				if p.Insts[pc].Conditional() {
					p.Insts[pc].Flags |= FlagHerd
				}
			}
			require.True(t, p.Herds())
		}
		p.HerdLimit = c.limit
		for _, with := range []func(*Program) *Program{
			WithTokens,
			func(p *Program) *Program { return WithBarriers(p, false) }, WithReconv,
		} {
			assert.Equal(t, c.want, len(with(p).Insts) > len(p.Insts), c.what)
		}
	}
}
