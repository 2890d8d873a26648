package memsys_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/memtest"
	"divergo/memsys"
	"divergo/memsys/dram"
)

// TestBandwidth measures reads on the memory system by itself: what part of the time the data buses of
// the DRAM move data. A stream reads line after line, and random reads take any line of 16 MiB.
//
// The bounds follow from the data sheet. A stream loses the refreshes, tRFC of each tREFI. A random
// read needs a row of its own: tRRD behind the last one, 1/banks of tRC if the banks share the work,
// and a PRE, an ACT and its bursts on the command bus. Refreshes are not counted for it.
//
// A slice of the L2 takes three cycles for a line that misses: the request, the line, the answer. So
// the faster kinds need lines of 128 bytes to use their buses with this clock of the L2.
func TestBandwidth(t *testing.T) {
	for _, name := range []string{"default", "gddr3", "gddr5", "hbm2"} {
		cfg := memsys.Default()
		cfg.DRAM.Channels = 2
		if s, ok := dram.FindSheet(name); ok {
			s.Apply(&cfg.DRAM)
		}
		if cfg.DRAM.BusBytes > 8 {
			cfg.L1.Line, cfg.L2.Line = 128, 128
		}
		cfg.Icnt.FlitBytes, cfg.Icnt.Concentration = 256, 1 // the DRAM is the bottleneck
		cfg.L2.MSHRs = 128
		d := &cfg.DRAM
		bursts := cfg.L2.Line / (d.BusBytes * d.Burst)
		data := bursts * d.Burst
		stream := 1.0
		if d.TREFI != 0 {
			stream -= float64(d.TRFC) / float64(d.TREFI)
		}
		random := float64(data) / max(float64(data), float64(d.TRRD), float64(d.TRC)/float64(d.Banks),
			float64(2+bursts))

		steps := 2000
		if testing.Short() {
			steps = 500
		}
		next := uint64(0)
		got := busy(t, &cfg, steps, func() uint64 { next++; return next - 1 })
		t.Logf("%s: a stream of reads uses %.1f %% of the peak, the timing allows %.1f %%", name, 100*got, 100*stream)
		assert.Greater(t, got, 0.85, "%s: of the peak", name)
		assert.LessOrEqual(t, got, stream+0.02, "%s: some refresh may be outside of what is measured", name)

		r := rand.New(rand.NewPCG(1, 2))
		got = busy(t, &cfg, steps/10, func() uint64 { return r.Uint64N(readable / uint64(cfg.L2.Line)) })
		t.Logf("%s: random reads use %.1f %% of the peak, the timing allows %.1f %%", name, 100*got, 100*random)
		assert.LessOrEqual(t, got, random, "%s: more than the timing allows", name)
		assert.Greater(t, got, random*0.85, name)
	}
}

// readable is the memory that TestBandwidth reads, in bytes.
const readable = 16 << 20

// busy returns the part of the DRAM's cycles in which its buses move data. Eight SMs load lines until
// all have sent so many accesses of 32 lines.
func busy(t *testing.T, cfg *memsys.Config, steps int, next func() uint64) float64 {
	t.Helper()
	scripts := make([][]memtest.Step, 8)
	for range steps / 8 {
		for sm := range scripts {
			a := memsys.Access{Kind: memsys.Load, Size: 4, Mask: ^uint32(0)}
			for lane := range a.Addr {
				a.Addr[lane] = base + next()*uint64(cfg.L1.Line)%readable
			}
			scripts[sm] = append(scripts[sm], memtest.Step{Access: a})
		}
	}
	s, err := memtest.New(*cfg, scripts...)
	require.NoError(t, err)
	require.NoError(t, s.Store.Map(base, readable))
	const begin, end = 0, 1
	var cycles, bus [2]uint64
	replies := func() (n int) {
		for _, sm := range s.SMs {
			n += int(sm.Driver.Q().Replies)
		}
		return n
	}
	for i, part := range []int{steps / 10, steps * 9 / 10} { // neither the beginning nor the end
		p := s.RunUntil(func() bool { return replies() >= part }, s.Core, 1e7)
		require.True(t, p.Done)
		cycles[i] = s.Core.Now() * 800 / 1300
		for _, c := range s.Channels {
			bus[i] += c.Count.Q().BusCycles
		}
	}
	return float64(bus[end]-bus[begin]) / float64(cycles[end]-cycles[begin]) / float64(len(s.Channels))
}
