package experiments

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/isa"
	"divergo/kernels"
)

// TestCompacted: for each benchmark and permutation, the hardware compacts the sides of branches
// into the warps that follow from the golden model's masks.
func TestCompacted(t *testing.T) {
	for i, b := range benchmarks {
		if forall.LeftOut(i, 8) {
			continue
		}
		w := func() (kernels.Workload, error) { return workload(b.kernel, "small") }
		name := b.kernel + " small"
		if b.tiled != nil {
			w, name = b.workload, b.id()
		}
		s := slp("tbc", "")
		s.wide = true
		machine, err := s.madeOf(name, w, permuted...)
		require.NoError(t, err, b.name)
		emulator, err := pathsOnce(name, w)
		require.NoError(t, err, b.name)
		for _, class := range []isa.Class{isa.ClassProgrammatic, isa.ClassData} {
			got, want := machine.Total(class), emulator.Total(class)
			assert.Equal(t, want.Divergent, got.Divergent, "%s, %s", b.name, class)
			for i, set := range got.sets() {
				of := want.sets()[i]
				assert.Equal(t, of.Paths, set.Paths, "%s, %s", b.name, class)
				assert.Equal(t, of.Static, set.Static, "%s, %s", b.name, class)
				assert.Equal(t, of.Ideal, set.Ideal, "%s, %s", b.name, class)
				for _, p := range permuted {
					if of.Paths > 0 && set.Paths > 0 {
						assert.Equal(t, of.Under(p), set.Under(p), "%s, %s, %s", b.name, class, p)
					}
				}
			}
		}
	}
}
