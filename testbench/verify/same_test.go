package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/testbench"
	"divergo/waves"
)

// TestSame checks that cycles, counters and results depend only on the kernel and the machine. Each
// way of running is compared with the first one.
func TestSame(t *testing.T) {
	names := []string{"bitonic", "bfs", "histogram", "mandelbrot", "reduction"}
	if testing.Short() {
		names = names[:1]
	}
	for _, name := range names {
		for _, preset := range []string{"tbc", "kepler"} {
			t.Run(name+"/"+preset, func(t *testing.T) {
				k, err := kernels.Find(name)
				require.NoError(t, err)
				p, err := gpu.FindPreset(preset)
				require.NoError(t, err)
				c := p.Config()
				c.GPU.SMs = 3
				want := counted(t, k, c, watched)
				for _, v := range []struct {
					how string
					run func(*testing.T, *testbench.Session, kernels.Workload)
				}{
					{"again", watched},
					{"not watched", unwatched},
					{"2 workers", func(t *testing.T, s *testbench.Session, w kernels.Workload) {
						s.Machine.System().Workers = 2
						watched(t, s, w)
					}},
					{"processes in another order", func(t *testing.T, s *testbench.Session, w kernels.Workload) {
						s.Machine.System().Reorder(7)
						watched(t, s, w)
					}},
					{"one SM's slots traced", traced("sm[1].Div.**")},
					{"all traced", traced()},
				} {
					assert.Equal(t, want, counted(t, k, c, v.run), v.how)
				}
			})
		}
	}
}

// counted returns the counters of each launch of the kernel's small size.
func counted(t *testing.T, k kernels.Kernel, c gpu.Config,
	run func(*testing.T, *testbench.Session, kernels.Workload),
) []testbench.Run {
	t.Helper()
	s, w := session(t, c), k.Sizes[0].New(3)
	run(t, s, w)
	require.NoError(t, w.Check())
	for i := range s.Runs {
		s.Runs[i].Launch.Prog = nil // equal, but not identical
	}
	return s.Runs
}

func watched(t *testing.T, s *testbench.Session, w kernels.Workload) {
	t.Helper()
	require.NoError(t, w.Run(New(s)))
}

func unwatched(t *testing.T, s *testbench.Session, w kernels.Workload) {
	t.Helper()
	require.NoError(t, w.Run(runner.New(s)))
}

func traced(filter ...string) func(*testing.T, *testbench.Session, kernels.Workload) {
	return func(t *testing.T, s *testbench.Session, w kernels.Workload) {
		t.Helper()
		var size counter
		d, err := waves.Attach(s.Machine.System(), &size, waves.Options{Filter: filter})
		require.NoError(t, err)
		watched(t, s, w)
		require.NoError(t, d.Close())
		require.Greater(t, int(size), 10_000, "bytes of the dump")
	}
}

// counter counts the bytes written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
