package experiments_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/gpu"
)

// probes runs a test on one SM of each preset, with -short on some of them.
func probes(t *testing.T, test func(t *testing.T, p *experiments.Probe)) {
	for _, preset := range gpu.Presets() {
		if testing.Short() && preset.Name != "tbc" && preset.Name != "volta" {
			continue
		}
		t.Run(preset.Name, func(t *testing.T) {
			p, err := experiments.NewProbe(preset.Config())
			require.NoError(t, err)
			test(t, p)
		})
	}
}

// apart is the longer way of memory instructions on a machine with sub-cores: to the common memory
// pipe and back (docs/explanation/architecture.md, "Sub-cores").
func apart(c *gpu.Config) int {
	if c.SM.Schedulers > 1 {
		return 2
	}
	return 0
}

// TestProbeKnees: a walk of the L1's size hits, and one of a line more in each set misses, as LRU
// keeps nothing of it. A hit takes a cycle in each of 8 blocks besides the AGU and the L1: issue,
// operands, LSU, PreMem, coalescer, coalescer's table, WriteBackPort and Writeback. The same holds
// of the L2.
func TestProbeKnees(t *testing.T) {
	probes(t, func(t *testing.T, p *experiments.Probe) {
		c := &p.Config
		hit := float64(c.SM.AGULatency + c.L1.HitLatency + 8 + apart(c))
		// The wires to the crossbar, to the slice and from the crossbar, and the L2's latency.
		away := float64(3*c.Icnt.Latency+c.L2.Latency) * float64(c.Clocks.CoreMHz) / float64(c.Clocks.IcntMHz)
		lines, span := c.L1.Size/c.L1.Line, c.L1.Size/c.L1.Assoc
		far := 0.
		for _, walk := range []struct{ fits, one, stride int }{
			{lines, lines / c.L1.Assoc, c.L1.Line},
			{c.L1.Assoc, 1, span},
			{c.L1.Assoc, 1, 2 * span},
		} {
			for _, n := range []int{walk.fits / 2, walk.fits} {
				got, err := p.Chase(n, walk.stride, "")
				require.NoError(t, err)
				assert.Equal(t, hit, got, "%d pointers %d bytes apart", n, walk.stride)
			}
			var err error
			far, err = p.Chase(walk.fits+walk.one, walk.stride, "")
			require.NoError(t, err)
			assert.Greater(t, far, hit+away)
		}
		// The DRAM's commands of a closed row, and its wires both ways, in core cycles.
		row := float64(c.DRAM.TRCD+c.DRAM.TCL+2*c.DRAM.Latency) * float64(c.Clocks.CoreMHz) / float64(c.Clocks.DRAMMHz)
		for _, part := range []float64{.5, 1} {
			n, stride := p.L2Walk(part)
			got, err := p.Chase(n, stride, ".cg")
			require.NoError(t, err)
			assert.InDelta(t, far, got, 1, "part %g of the L2", part)
		}
		n, stride := p.L2Walk(1)
		got, err := p.Chase(n+2, stride, ".cg")
		require.NoError(t, err)
		assert.Greater(t, got, far+row)
	})
}

// TestProbeConflicts: a warp takes a turn for each word of a bank, and lanes are looked at in groups
// of shared.lanes.
func TestProbeConflicts(t *testing.T) {
	probes(t, func(t *testing.T, p *experiments.Probe) {
		c := &p.Config
		for _, stride := range []int{1, 2, 3, 4, 8, 16, 32} {
			turns := 0
			for first := 0; first < c.SM.WarpSize; first += c.Shared.Lanes {
				words, most := map[int]int{}, 0
				for lane := first; lane < min(first+c.Shared.Lanes, c.SM.WarpSize); lane++ {
					bank := lane * stride % c.Shared.Banks
					words[bank]++
					most = max(most, words[bank])
				}
				turns += most
			}
			got, err := p.SharedLatency(stride)
			require.NoError(t, err)
			assert.EqualValues(t, c.SM.AGULatency+c.Shared.Latency+6+apart(c)+turns-1, got, "stride %d", stride)
		}
	})
}

// TestProbeArithmetic: a dependent instruction follows 3 cycles after the latency of its pipe
// (docs/explanation/architecture.md), or when the lanes are free. All sub-cores together start an
// instruction of a warp in warp_size / width cycles; the loop itself takes up to 12 %.
func TestProbeArithmetic(t *testing.T) {
	probes(t, func(t *testing.T, p *experiments.Probe) {
		c := &p.Config.SM
		for _, class := range experiments.OpClasses() {
			key, width, start := c.ALULatency, c.SIMDWidth, 0
			switch class.Name {
			case "integer add":
				start = c.Initiation.IntAdd
			case "integer mad":
				start = c.Initiation.IntMad
				if c.Latency.IntMad > 0 {
					key = c.Latency.IntMad
				}
			case "double fma":
				key, width = c.DPLatency, c.DPWidth
			case "special":
				key, width = c.SFULatency, c.SFUWidth
			}
			enters := max(c.WarpSize/width, start)
			got, err := p.Latency(class)
			require.NoError(t, err)
			assert.InDelta(t, max(key+3, enters), got, 1, class.Name)
			rate, err := p.Throughput(class)
			require.NoError(t, err)
			if c.Scoreboard == "warp" { // a warp has one instruction in flight
				enters = max(enters, (key+3)*c.WarpSize/min(1024, c.Threads))
			}
			most := float64(c.Schedulers*c.WarpSize) / float64(enters)
			assert.InDelta(t, .94*most, rate, .07*most, class.Name)
		}
	})
}

// TestProbeLocality: the coalescer takes a cycle for each line, an atomic one for each lane, and the
// constant cache one for each distinct word.
func TestProbeLocality(t *testing.T) {
	probes(t, func(t *testing.T, p *experiments.Probe) {
		c := &p.Config
		for _, stride := range []int{8, 32} {
			got, err := p.Bandwidth(experiments.FromL1, stride)
			require.NoError(t, err)
			lines := c.SM.WarpSize * 4 * stride / max(c.L1.Line, 4*stride)
			assert.InEpsilon(t, 4*float64(c.SM.WarpSize)/float64(lines), got, .02, "stride %d", stride)
		}
		for _, space := range []string{"global", "shared"} {
			one, err := p.Atomics(space, 0)
			require.NoError(t, err)
			far, err := p.Atomics(space, 32)
			require.NoError(t, err)
			// A turn for each lane: lanes are not merged.
			assert.GreaterOrEqual(t, one, .95*float64(c.SM.WarpSize), space)
			assert.GreaterOrEqual(t, far, .95*float64(c.SM.WarpSize), space)
		}
		if c.Const.Size == 0 {
			return
		}
		least, err := p.Constants(1)
		require.NoError(t, err)
		for _, words := range []int{4, 8, 32} {
			got, err := p.Constants(words)
			require.NoError(t, err)
			assert.InEpsilon(t, math.Max(least, float64(words)), got, .02, "%d words", words)
		}
	})
}

// TestMeasuredPresets: each preset that follows measurements comes within 3 % of the latencies of
// memory that its sources have. The figure prints both.
func TestMeasuredPresets(t *testing.T) {
	for _, preset := range []string{"volta", "fermi", "ampere", "hopper-sm"} {
		if testing.Short() && preset != "volta" {
			break
		}
		compared := 0
		for _, row := range draw(t, "machine-"+preset).Rows {
			switch row[0] {
			case "L1 hit", "L2 hit", "DRAM", "shared memory", "single fma":
				if row[3] != "-" {
					assert.InEpsilon(t, row[3], row[2], .03, "%s: %s", preset, row[0])
					compared++
				}
			}
		}
		assert.GreaterOrEqual(t, compared, 4, preset)
	}
}
