package memsys_test

import (
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/memsys"
)

// TestDefault checks the numbers of Fung and Aamodt (HPCA 2011, table 2) and GPGPU-Sim 2.1.1b.
func TestDefault(t *testing.T) {
	c := memsys.Default()
	require.NoError(t, c.Check())
	assert.Equal(t, 64, c.L1.Size/c.L1.Assoc/c.L1.Line, "sets of the L1")
	assert.Equal(t, 256, c.L2.Size/c.L2.Assoc/c.L2.Line, "sets of a slice")
	assert.Equal(t, c.DRAM.TRC, c.DRAM.TRAS+c.DRAM.TRP)
	bytes := c.DRAM.Channels * c.DRAM.BusBytes
	assert.InDelta(t, 51.2, float64(bytes)*0.8, 1e-9, "peak GB/s at 800 MHz")
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		change func(*memsys.Config)
		want   string
	}{
		{func(c *memsys.Config) { c.DRAM.Banks = 0 }, "dram.banks = 0: want a power of two from 1 to 16"},
		{func(c *memsys.Config) { c.L1.Line, c.L2.Line = 48, 48 }, "l1.line = 48: want a power of two from 32 to 128"},
		{func(c *memsys.Config) { c.L1.MSHRs = 257 }, "l1.mshrs = 257: want 1 to 256"},
		{func(c *memsys.Config) { c.L1.MSHRMerge = 9 }, "l1.mshr_merge = 9: want 1 to 8"},
		{
			func(c *memsys.Config) { c.L1.Size = 3 << 10 },
			"l1.size = 3072: want a power of two of sets of l1.assoc * l1.line = 8 * 64 = 512 bytes",
		},
		{func(c *memsys.Config) { c.L1.Assoc = 0 }, "l1.assoc = 0: want 1 to 64"},
		{func(c *memsys.Config) { c.L1.Write = "Back" }, `l1.write: unknown value "Back"; did you mean "back"?`},
		{func(c *memsys.Config) { c.L2.Line = 128 }, "l2.line = 128: want l1.line = 64: packets carry whole lines"},
		{func(c *memsys.Config) { c.Shared.Banks = 12 }, "shared.banks = 12: want a power of two from 1 to 64"},
		{func(c *memsys.Config) { c.Icnt.FlitBytes = 0 }, "icnt.flit_bytes = 0: want 1 to 256"},
		{func(c *memsys.Config) { c.DRAM.Channels = 0 }, "dram.channels = 0: want 1 to 64"},
		{
			func(c *memsys.Config) { c.DRAM.Scheduler = "fr-fcfs" },
			`dram.scheduler: unknown value "fr-fcfs"; did you mean "frfcfs"?`,
		},
		{func(c *memsys.Config) { c.DRAM.TCCD = 1 }, "dram.t_ccd = 1: want 2 (dram.burst) to 1000"},
		{
			func(c *memsys.Config) { c.DRAM.BusBytes = 64 },
			"dram.bus_bytes = 64: a burst moves dram.bus_bytes * dram.burst = 128 bytes: want a line of 64 bytes to be 1 to 32 whole bursts",
		},
		{func(c *memsys.Config) { c.DRAM.Interleave = 32 }, "dram.interleave = 32: want at least a line of 64 bytes"},
		{
			func(c *memsys.Config) { c.DRAM.TRC = 34 },
			"dram.t_rc = 34: want at least dram.t_ras + dram.t_rp = 25 + 10 = 35",
		},
		{func(c *memsys.Config) { c.DRAM.TRAS = 11 }, "dram.t_ras = 11: want at least dram.t_rcd = 12"},
		{func(c *memsys.Config) { c.DRAM.TRRD = 36 }, "dram.t_rrd = 36: want at most dram.t_rc = 35"},
	} {
		cfg := memsys.Default()
		c.change(&cfg)
		assert.ErrorContains(t, cfg.Check(), c.want)
	}
	cfg := memsys.Default()
	cfg.L1.MSHRs, cfg.DRAM.Queue = 0, 65
	err := cfg.Check()
	assert.ErrorContains(t, err, "l1.mshrs")
	assert.ErrorContains(t, err, "dram.queue")
}

// TestTOML: every key is written in snake case under its block, and read back.
func TestTOML(t *testing.T) {
	want := small()
	text, err := toml.Marshal(want)
	require.NoError(t, err)
	assert.Contains(t, string(text), "mshr_merge = 8")
	assert.Contains(t, string(text), "t_rcd = 12")
	var got memsys.Config
	require.NoError(t, toml.Unmarshal(text, &got))
	assert.Equal(t, want, got)
}
