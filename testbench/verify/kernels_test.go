package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/internal/forall"
	"divergo/kernels"
	"divergo/testbench"
)

// maxCycles limits the effect of a broken machine on a test.
const maxCycles = 5_000_000

func session(t *testing.T, c gpu.Config) *testbench.Session {
	t.Helper()
	s, err := testbench.NewSession(c, testbench.Limits{MaxCycles: maxCycles})
	require.NoError(t, err)
	return s
}

// sessions keeps a session for each machine of a test: a reset is faster than a new machine.
type sessions map[gpu.Config]*testbench.Session

// of returns a session in its initial state.
func (all sessions) of(t *testing.T, c gpu.Config) *testbench.Session {
	t.Helper()
	if s := all[c]; s != nil {
		s.Reset()
		return s
	}
	all[c] = session(t, c)
	return all[c]
}

// small returns the default machine with a smaller L2, which takes most of the time to build a
// machine.
func small() gpu.Config {
	c := gpu.Default()
	c.L2.Size = 64 << 10
	return c
}

// TestKernels runs the whole suite in its small size on every machine, and in its medium size on
// the first one. With -short it runs every fourth kernel in its small size.
//
// Each launch must match the golden model, and the result the kernel's reference. The experiments
// run some of the larger sizes on other machines, and check them as well.
func TestKernels(t *testing.T) {
	for i, p := range gpu.Presets() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			sizes := 1
			if i == 0 && !testing.Short() {
				sizes = 2
			}
			made := sessions{}
			for j, k := range kernels.All() {
				if forall.LeftOut(i+j, 4) {
					continue
				}
				for _, size := range k.Sizes[:sizes] {
					t.Run(k.Name+"/"+size.Name, func(t *testing.T) {
						w := size.New(1)
						require.NoError(t, w.Run(New(made.of(t, p.Config()))))
						require.NoError(t, w.Check())
					})
				}
			}
		})
	}
}
