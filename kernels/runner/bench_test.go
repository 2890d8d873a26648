package runner_test

import (
	"fmt"
	"io"
	"testing"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm"
	"divergo/testbench"
	"divergo/waves"
)

// BenchmarkKernels measures the whole simulator with four kernels at their medium size on a preset.
// With -short it runs their small size on two SMs. It runs on one core and on two, without and with
// everything traced.
//
// It reports the simulated cycles of busy SMs and warp instructions per second, and the ns per
// cycle of a busy SM.
func BenchmarkKernels(b *testing.B) {
	preset, err := gpu.FindPreset("slp")
	if err != nil {
		b.Fatal(err)
	}
	work, cfg := "medium", preset.Config()
	if testing.Short() {
		work, cfg = "small", cut(cfg, 2)
	}
	for _, name := range []string{"mandelbrot", "bitonic", "matmul", "bfs"} {
		kernel, err := kernels.Find(name)
		if err != nil {
			b.Fatal(err)
		}
		size, err := kernel.Size(work)
		if err != nil {
			b.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			for _, traced := range []bool{false, true} {
				b.Run(fmt.Sprintf("%s/workers=%d/traced=%t", name, workers, traced), func(b *testing.B) {
					var busy, issued uint64
					for b.Loop() {
						b.StopTimer()
						s, err := testbench.NewSession(cfg, testbench.Limits{})
						if err != nil {
							b.Fatal(err)
						}
						s.Machine.System().Workers = workers
						var dump *waves.Dump
						if traced {
							if dump, err = waves.Attach(s.Machine.System(), io.Discard, waves.Options{}); err != nil {
								b.Fatal(err)
							}
						}
						work := size.New(1)
						b.StartTimer()
						if err := work.Run(runner.New(s)); err != nil {
							b.Fatal(err)
						}
						if dump != nil {
							if err := dump.Close(); err != nil {
								b.Fatal(err)
							}
						}
						c := s.Counters()
						busy += c.SMCycles - c.Classes[sm.ClassEmpty]
						issued += c.Instructions
					}
					seconds := b.Elapsed().Seconds()
					b.ReportMetric(float64(busy)/seconds/1e6, "MSM-cycles/s")
					b.ReportMetric(float64(issued)/seconds/1e6, "Mwarp-inst/s")
					b.ReportMetric(seconds*1e9/float64(busy), "ns/SM-cycle")
				})
			}
		}
	}
}
