package trace_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/testbench"
	"divergo/testbench/trace"
)

// BenchmarkRun measures runs with and without a trace, which may take 1.5 times as long.
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct{ kernel, size, mechanism string }{
		{"bitonic", "medium", "pdom"},
		{"bitonic", "medium", "tbc"},
		{"bitonic", "small", "dwf"},
		{"mandelbrot", "medium", "pdom"},
		{"matmul", "medium", "pdom"},
		{"bfs", "medium", "barrier"},
	} {
		for _, traced := range []bool{false, true} {
			name := c.kernel + "/" + c.mechanism + map[bool]string{false: "/untraced", true: "/traced"}[traced]
			b.Run(name, func(b *testing.B) {
				kernel, err := kernels.Find(c.kernel)
				require.NoError(b, err)
				size, err := kernel.Size(c.size)
				require.NoError(b, err)
				cfg := gpu.Default()
				cfg.Divergence.Mechanism = c.mechanism
				s, err := testbench.NewSession(cfg, testbench.Limits{})
				require.NoError(b, err)
				for b.Loop() {
					s.Reset()
					work := size.New(1)
					var r *trace.Recorder
					to := &sink{}
					if traced {
						w, err := trace.NewWriter(to, trace.HeaderOf(s.Machine))
						require.NoError(b, err)
						r = trace.Attach(s, w, nil)
					}
					require.NoError(b, work.Run(runner.New(s)))
					if traced {
						require.NoError(b, r.Close())
						b.ReportMetric(float64(to.n), "bytes")
					}
				}
			})
		}
	}
}

// sink counts bytes.
type sink struct{ n int }

func (w *sink) Write(p []byte) (int, error) {
	w.n += len(p)
	return io.Discard.Write(p)
}
