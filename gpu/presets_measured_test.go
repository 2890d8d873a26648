package gpu

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMeasuredPresetNumbers: sums over the chip give the figures of the makers' data sheets, which no
// key holds.
func TestMeasuredPresetNumbers(t *testing.T) {
	for _, want := range []struct {
		preset    string
		l2        int     // KiB
		bandwidth float64 // GB/s of DRAM
		single    int     // single-precision operations of an SM in a cycle
		double    int
		special   int
		registers int // KiB of an SM
		warps     int // of an SM
	}{
		// NVIDIA's GTX 480 page: 177.4 GB/s. Fermi whitepaper: 768 KiB of L2, 32 cores and 4 special-function
		// units, 128 KiB of registers; programming guide: 4 of double precision, 48 warps.
		{"fermi", 768, 177.4, 32, 4, 4, 128, 48},
		// V100 whitepaper: 6144 KiB, 900 GB/s, 64 and 32 cores, 16 special-function units, 256 KiB, 64 warps.
		{"volta", 6144, 900, 64, 32, 16, 256, 64},
		// A100 whitepaper: 40960 KiB, 1555 GB/s.
		{"ampere", 40960, 1555, 64, 32, 16, 256, 64},
		// H100 whitepaper: a fifth of 51200 KiB and of 3350 GB/s; 128 and 64 cores.
		{"hopper-sm", 51200 / 5, 3350. / 5, 128, 64, 16, 256, 64},
		// RDNA whitepaper: 4096 KiB, 448 GB/s, 64 lanes, a quarter and a sixteenth of them; 2 times 128 KiB
		// and 20 waves of a SIMD.
		{"rdna-like", 4096, 448, 64, 4, 16, 256, 40},
	} {
		p, err := FindPreset(want.preset)
		require.NoError(t, err)
		c := p.Config()
		require.NoError(t, c.Check(), want.preset)
		assert.Equal(t, want.l2<<10, c.L2.Size*c.DRAM.Channels, want.preset)
		moves := c.DRAM.Channels * c.DRAM.BusBytes * c.Clocks.DRAMMHz
		assert.InEpsilon(t, want.bandwidth, float64(moves)/1000, .005, want.preset)
		assert.Equal(t, want.single, c.SM.Schedulers*c.SM.SIMDWidth, want.preset)
		assert.Equal(t, want.double, c.SM.Schedulers*c.SM.DPWidth, want.preset)
		assert.Equal(t, want.special, c.SM.Schedulers*c.SM.SFUWidth, want.preset)
		assert.Equal(t, want.registers<<10, 4*c.SM.Registers, want.preset)
		assert.Equal(t, want.warps, c.SM.Warps(), want.preset)
	}
}
