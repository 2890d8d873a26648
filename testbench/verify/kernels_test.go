package verify

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/testbench"
)

// maxCycles bounds what a broken machine can do to a test.
const maxCycles = 5_000_000

func session(t *testing.T, c gpu.Config) *testbench.Session {
	t.Helper()
	s, err := testbench.NewSession(c, testbench.Limits{MaxCycles: maxCycles})
	require.NoError(t, err)
	return s
}

// small is the default machine with less of an L2, which is most of the work of
// making one.
func small() gpu.Config {
	c := gpu.Default()
	c.L2.Size = 64 << 10
	return c
}

// TestKernels runs the whole suite on every machine in its small size, and on the
// first one in its medium size (not with -short): each launch like the golden
// model, the result like the kernel's reference. The experiments run some of the
// larger ones on other machines, and check them as well.
func TestKernels(t *testing.T) {
	for i, p := range gpu.Presets() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			sizes := 1
			if i == 0 && !testing.Short() {
				sizes = 2
			}
			for _, k := range kernels.All() {
				for _, size := range k.Sizes[:sizes] {
					t.Run(k.Name+"/"+size.Name, func(t *testing.T) {
						w := size.New(1)
						require.NoError(t, w.Run(New(session(t, p.Config()))))
						require.NoError(t, w.Check())
					})
				}
			}
		})
	}
}
