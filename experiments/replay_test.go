package experiments

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/kernels"
	"divergo/testbench/golden"
)

// TestReplay: a CTA on one stack executes, warp by warp, the same as the machine's warps on their
// own stacks. There are as many branches and as many divergent ones.
func TestReplay(t *testing.T) {
	for i, k := range kernels.All() {
		if forall.LeftOut(i, 8) {
			continue
		}
		branches, divergent := 0, 0
		work := k.Sizes[0].New(1)
		require.NoError(t, work.Run(newEmulator(32, func(p *isa.Program, threads []golden.Thread) {
			replay(p, threads, func(_ uint32, taken, not []int) {
				a, b := locations(32, taken), locations(32, not)
				branches += bits.OnesCount64(a.Warps() | b.Warps())
				divergent += bits.OnesCount64(a.Warps() & b.Warps())
			})
		})))
		c, err := run("pdom", k)
		require.NoError(t, err)
		assert.EqualValues(t, c.Divergence.Branches, branches, k.Name)
		assert.EqualValues(t, c.Divergence.Divergent, divergent, k.Name)
	}
}
