package gpu_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/gpu"
)

// TestMemoryOfAnSM: at most 5 MB for each SM, all parts of the machine
// included, beside the program's own buffers.
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
