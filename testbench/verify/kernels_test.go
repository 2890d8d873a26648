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

// TestKernels runs the whole suite on every machine, in its small and its
// medium size: each launch like the golden model, the result like the
// kernel's reference.
func TestKernels(t *testing.T) {
	for _, p := range gpu.Presets() {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for _, k := range kernels.All() {
				for _, size := range k.Sizes[:2] {
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
