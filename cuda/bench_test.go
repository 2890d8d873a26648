//go:build unix

package cuda_test

import (
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/internal/need"
	"divergo/testbench"
)

// BenchmarkOverhead measures the overhead of a launch apart from its simulation, in time and in CPU
// time of both processes. It also measures the speed of copies.
func BenchmarkOverhead(b *testing.B) {
	need.Tool(b, need.CUDA...)
	program := filepath.Join(b.TempDir(), "program")
	require.NoError(b, cuda.Build([]string{"testdata/overhead.cu"}, program, options()))
	for b.Loop() {
		session, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
		require.NoError(b, err)
		var simulated, worked, first, last time.Duration
		launch := func(s *testbench.Session, l testbench.Launch) error {
			start, work := time.Now(), processor(b)
			err := s.Launch(l)
			last = processor(b)
			if first == 0 {
				first = last // the measured launches follow
				return err
			}
			worked += last - work
			simulated += time.Since(start)
			return err
		}
		const launches, megabytes = 2000, 64
		var out writer
		server := &cuda.Server{Session: session, Launch: launch, Stderr: &out, Name: "test"}
		code, err := cuda.Run(server, func() bool { return false }, nil, &out, &out, program, strconv.Itoa(launches),
			strconv.Itoa(megabytes))
		require.NoError(b, err)
		require.Zero(b, code, string(out))
		var whole, client, to, from, on float64
		_, err = fmt.Sscan(string(out), &whole, &client, &to, &from, &on)
		require.NoError(b, err, string(out))
		inside := float64(simulated.Microseconds()) / launches
		b.ReportMetric(whole-inside, "us/launch")
		b.ReportMetric(client+float64((last-first-worked).Microseconds())/launches, "cpu-us/launch")
		b.ReportMetric(inside, "us-simulated/launch")
		b.ReportMetric(to, "MB/s-to-device")
		b.ReportMetric(from, "MB/s-to-host")
		b.ReportMetric(on, "MB/s-on-device")
	}
	b.ReportMetric(0, "ns/op")
}

// processor returns the CPU time of this process.
func processor(b *testing.B) time.Duration {
	var usage syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}
