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

// TestMemoryOfAnSM limits the memory of the host for a further SM of each preset, with a loaded
// kernel, including its registers, caches and shared memory.
// The limit is 1 MiB, or four bytes of the host for each that a larger SM stores.
func TestMemoryOfAnSM(t *testing.T) {
	const more = 32
	p := program(t, mixed)
	for _, preset := range gpu.Presets() {
		t.Run(preset.Name, func(t *testing.T) {
			cfg := preset.Config()
			heap := func(sms int) uint64 {
				cfg.GPU.SMs = sms
				m := load(t, cfg, p, 7, 96)
				var s runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&s)
				runtime.KeepAlive(m)
				return s.HeapAlloc
			}
			used := (heap(1+more) - heap(1)) / more
			t.Logf("%d bytes for a further SM", used)
			c := preset.Config()
			storage := uint64(4*c.SM.Registers + c.L1.Size + c.Const.Size + c.ICache.Size + c.Shared.Size)
			assert.Less(t, used, max(1<<20, 4*storage))
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
