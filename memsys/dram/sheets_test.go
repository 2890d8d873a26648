package dram_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/memsys/dram"
)

// TestSheets compares the sheets with bits a second and nanoseconds of their makers. Cycles are at least
// as long.
func TestSheets(t *testing.T) {
	for _, c := range []struct {
		name                    string
		pins                    int     // of a channel
		rate                    float64 // Gbit/s and pin
		rcd, rp, ras, refi, rfc float64 // ns, the shortest
		row                     int     // bytes
	}{
		{"gddr3", 32, 1.6, 15, 12.5, 31.25, 7800, 43.75, 2048},
		{"gddr5", 64, 3.7, 12, 12, 28, 3900, 110, 2 * 2048},
		{"hbm2", 128, 1.7, 14, 14, 33, 3900, 260, 2048},
	} {
		s, ok := dram.FindSheet(c.name)
		require.True(t, ok)
		cfg := dram.Default()
		cfg.Channels, cfg.Queue, cfg.AgeCap = 5, 7, 9
		s.Apply(&cfg)
		require.NoError(t, cfg.Check(64))
		assert.Equal(t, []int{5, 7, 9}, []int{cfg.Channels, cfg.Queue, cfg.AgeCap}, "not of the sheet")
		ns := func(cycles int) float64 { return float64(cycles) * 1000 / float64(s.MHz) }
		assert.InDelta(t, float64(c.pins)*c.rate/8, float64(cfg.BusBytes)*float64(s.MHz)/1000, 0.05, "%s: GB/s", c.name)
		for name, of := range map[string][2]float64{
			"tRCD": {c.rcd, ns(cfg.TRCD)}, "tRP": {c.rp, ns(cfg.TRP)}, "tRAS": {c.ras, ns(cfg.TRAS)},
		} {
			assert.GreaterOrEqual(t, of[1], of[0]-0.1, "%s: %s", c.name, name)
			assert.Less(t, of[1], of[0]*1.1, "%s: %s", c.name, name)
		}
		assert.InDelta(t, c.refi, ns(cfg.TREFI), ns(1), "%s: tREFI", c.name)
		assert.InDelta(t, c.rfc, ns(cfg.TRFC), ns(1), "%s: tRFC", c.name)
		assert.Equal(t, c.row, cfg.RowBytes)
		assert.Equal(t, cfg.TRAS+cfg.TRP, cfg.TRC, c.name)
	}
	_, ok := dram.FindSheet("gddr4")
	assert.False(t, ok)
	assert.Len(t, dram.Sheets(), 3)
}
