package gpu_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/sm"
)

// TestMemoryOfAnSM: the host memory of a machine is at most 5 MB for each SM. This includes all
// parts of the machine, but not the program's own buffers.
func TestMemoryOfAnSM(t *testing.T) {
	p := program(t, mixed)
	for _, preset := range gpu.Presets() {
		t.Run(preset.Name, func(t *testing.T) {
			heap := func() uint64 {
				var m runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before := heap()
			cfg := preset.Config()
			m := load(t, cfg, p, 1, 64)
			m.Run(nil, 100_000)
			used := (heap() - before) / uint64(cfg.GPU.SMs)
			runtime.KeepAlive(m)
			t.Logf("%.1f MB for each of %d SMs", float64(used)/1e6, cfg.GPU.SMs)
			assert.Less(t, used, uint64(5_000_000))
		})
	}
}

// TestProgramIsShared: all SMs of a machine share one decoded program.
func TestProgramIsShared(t *testing.T) {
	const n = 4000
	p := program(t, strings.Repeat("add.u32 %r1, %r2, 7;\n", n)+"exit;")
	cfg := gpu.Default()
	m, err := gpu.New(cfg)
	require.NoError(t, err)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	require.NoError(t, m.Load(sm.Kernel{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{32, 1, 1},
		Params: make([]byte, p.ParamBytes),
	}))
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/n, uint64(2000), "bytes for an instruction on %d SMs",
		cfg.GPU.SMs)
}
