package waves_test

import (
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/waves"
)

// lfsrs is a module in which every register changes in every cycle: 24 of mixed widths.
type lfsrs struct {
	rtl.State[struct {
		Bit  [4]bool
		Byte [8]uint8
		Half [4]uint16
		Word [6]uint32
		Long [2]uint64
	}]
}

func (l *lfsrs) Tick() {
	q, d := l.Regs()
	x := q.Word[0]*1664525 + 1013904223
	for i := range d.Bit {
		d.Bit[i] = !q.Bit[i]
	}
	for i := range d.Byte {
		d.Byte[i] += uint8(x>>27) | 1
	}
	for i := range d.Half {
		d.Half[i] += uint16(x>>20) | 1
	}
	for i := range d.Word {
		d.Word[i] = x + uint32(i)
	}
	for i := range d.Long {
		d.Long[i] = uint64(x)<<20 + uint64(i)
	}
}

const lfsrChanges = 24

// counted counts the bytes written.
type counted struct{ n int64 }

func (c *counted) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}

func (c *counted) WriteAt(b []byte, _ int64) (int, error) { return c.Write(b) }

// BenchmarkChange is the cost of a traced change: every register of a design changes in every cycle.
func BenchmarkChange(b *testing.B) {
	run := func(b *testing.B, attach func(*rtl.Sim) *waves.Dump) {
		k := rtl.MustNew("l", &lfsrs{})
		d := attach(k)
		k.Run(1000)
		b.ReportAllocs()
		b.ResetTimer()
		k.Run(uint64(b.N))
		b.StopTimer()
		if d != nil {
			require.NoError(b, d.Close())
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lfsrChanges, "ns/change")
	}
	b.Run("off", func(b *testing.B) { run(b, func(*rtl.Sim) *waves.Dump { return nil }) })
	for _, c := range []struct {
		name string
		opts waves.Options
	}{
		{"dump", waves.Options{}},
		{"fst", waves.Options{FST: true}},
		{"clocks", waves.Options{Clocks: true}},
		{"before", waves.Options{From: 1 << 40}},
		{"trigger", waves.Options{Trigger: &waves.Trigger{
			Signal: "l.Half[0]", Before: 1000,
			Holds: func(uint64) bool { return false },
		}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			run(b, func(k *rtl.Sim) *waves.Dump {
				d, err := waves.AttachSim(k, new(counted), c.opts)
				require.NoError(b, err)
				return d
			})
		})
	}
}

// table is a module with a kilobyte of registers, few of which change.
type table struct {
	rtl.State[struct{ Row [1024]uint8 }]
}

func (t *table) Tick() { t.D().Row[t.Q().Row[0]]++; t.D().Row[0]++ }

// BenchmarkLargeState is the cost of finding the two changes among 1024 registers.
func BenchmarkLargeState(b *testing.B) {
	k := rtl.MustNew("t", &table{})
	d, err := waves.AttachSim(k, io.Discard, waves.Options{})
	require.NoError(b, err)
	k.Run(1000)
	b.ReportAllocs()
	b.ResetTimer()
	k.Run(uint64(b.N))
	b.StopTimer()
	require.NoError(b, d.Close())
}

// BenchmarkToy is a run of the toy, eleven islands in two clock domains, without and with a dump of everything.
func BenchmarkToy(b *testing.B) {
	for _, dump := range []bool{false, true} {
		b.Run(map[bool]string{false: "off", true: "dump"}[dump], func(b *testing.B) {
			y := newToy(b, 1)
			var bytes counted
			if dump {
				d, err := waves.Attach(y.sys, &bytes, waves.Options{})
				require.NoError(b, err)
				defer func() { require.NoError(b, d.Close()) }()
			}
			y.sys.Run(y.core, 1000)
			b.ReportAllocs()
			b.ResetTimer()
			y.sys.Run(y.core, uint64(b.N))
			b.ReportMetric(float64(bytes.n)/float64(b.N), "bytes/cycle")
		})
	}
}

// TestMemoryIsConstant: a dumped run allocates no more than another run, whatever its length.
func TestMemoryIsConstant(t *testing.T) {
	perRun := func(attach func(y *toy) func() error) float64 {
		y := newToy(t, 1)
		end := attach(y)
		y.sys.Run(y.core, 20000)
		n := testing.AllocsPerRun(5, func() { y.sys.Run(y.core, 4000) })
		require.NoError(t, end())
		return n
	}
	off := perRun(func(*toy) func() error { return func() error { return nil } })
	for _, opts := range []waves.Options{
		{},
		{Clocks: true},
		{From: 1 << 40},
		{Trigger: &waves.Trigger{Signal: "toy.sm.PC", Before: 300, Holds: func(uint64) bool { return false }}},
	} {
		on := perRun(func(y *toy) func() error {
			d, err := waves.Attach(y.sys, io.Discard, opts)
			require.NoError(t, err)
			return d.Close
		})
		assert.LessOrEqual(t, on, off, "%+v", opts)
	}
}
