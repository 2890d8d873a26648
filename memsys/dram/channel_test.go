package dram_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/memsys/dram"
	"divergo/rtl"
)

const line = 64

// bench is a channel in a separate simulation; the test sends its requests and reads its commands.
type bench struct {
	*rtl.Sim
	Channel *dram.Channel
	In      rtl.Out[dram.Request]
	Out     rtl.In[dram.Response]
	store   *dram.Store
}

func newBench(t require.TestingT, cfg dram.Config) *bench {
	cfg.Channels = 1
	require.NoError(t, cfg.Check(line))
	in, out := rtl.NewQueue[dram.Request](4), rtl.NewQueue[dram.Response](4)
	b := &bench{In: in.Out(), Out: out.In(), store: dram.NewStore()}
	b.Channel = dram.NewChannel(&cfg, line, b.store, in.In(), out.Out())
	b.Sim = rtl.MustNew("bench", b)
	require.NoError(t, b.store.Map(0, 1<<18))
	return b
}

// step runs a cycle and returns the command issued in it.
func (b *bench) step() (cycle uint64, c dram.Command) {
	cycle = b.Now()
	b.Run(1)
	return cycle, b.Channel.Q().Command
}

// at returns the address of a byte of a row in the default map of one channel.
func at(cfg *dram.Config, bank, row, col int) uint64 {
	return uint64((row*cfg.Banks+bank)*cfg.RowBytes + col)
}

// TestReadLatency checks the times that follow from the data sheet. The time from the first command
// for a read to its first data is
//   - tCL if the row is open;
//   - tRCD + tCL if the bank is closed;
//   - tRP + tRCD + tCL if another row is open.
//
// The 64 bytes of a line then take 8 cycles.
func TestReadLatency(t *testing.T) {
	cfg := dram.Default()
	b := newBench(t, cfg)
	read := func(row, col int) (first dram.Op, data uint64) {
		b.In.Push(dram.Request{Addr: at(&cfg, 3, row, col)})
		var start uint64
		for range 200 {
			cycle, c := b.step()
			if c.Op != dram.Nop && first == dram.Nop {
				first, start = c.Op, cycle
			}
			if b.Out.Valid() {
				b.Out.Pop()
				b.Run(100) // so that tRAS and tRC have passed
				return first, cycle - 8 - start
			}
		}
		require.Fail(t, "no response")
		return
	}
	for _, c := range []struct {
		name     string
		row, col int
		first    dram.Op
		data     uint64
	}{
		{"closed bank", 5, 0, dram.Activate, 22},
		{"row hit", 5, 512, dram.Read, 10},
		{"conflict", 6, 0, dram.Precharge, 32},
		{"row hit after conflict", 6, 64, dram.Read, 10},
	} {
		first, data := read(c.row, c.col)
		assert.Equal(t, c.first, first, c.name)
		assert.Equal(t, c.data, data, c.name)
	}
}

// TestSameBankActivates: activates of two rows of a bank are tRC = 35 cycles apart, which is tRAS +
// tRP.
func TestSameBankActivates(t *testing.T) {
	cfg := dram.Default()
	b := newBench(t, cfg)
	b.In.Push(dram.Request{Addr: at(&cfg, 0, 1, 0)})
	b.In.Push(dram.Request{Addr: at(&cfg, 0, 2, 0)})
	var acts []uint64
	for range 100 {
		if cycle, c := b.step(); c.Op == dram.Activate {
			acts = append(acts, cycle)
		}
	}
	require.Len(t, acts, 2)
	assert.EqualValues(t, 35, acts[1]-acts[0])
}

// TestPeakBandwidth: row hits use the data bus in every cycle, with 8 bytes each.
func TestPeakBandwidth(t *testing.T) {
	cfg := dram.Default()
	b := newBench(t, cfg)
	sent, done := 0, 0
	var first, last uint64
	for range 2000 {
		if b.In.Ready() && sent < cfg.RowBytes/line {
			b.In.Push(dram.Request{Addr: at(&cfg, 0, 0, sent*line)})
			sent++
		}
		b.Run(1)
		for b.Out.Valid() {
			if done == 0 {
				first = b.Now()
			}
			last = b.Now()
			b.Out.Pop()
			done++
		}
	}
	require.Equal(t, 32, done)
	assert.EqualValues(t, 31*line/8, last-first)
	q := *b.Channel.Count.Q()
	assert.EqualValues(t, 31, q.RowHits)
	assert.EqualValues(t, 1, q.RowMisses)
	assert.EqualValues(t, 32*line, q.Bytes)
	assert.EqualValues(t, 32*line/8, q.BusCycles)
}

// TestHitCap: a request to another row waits for at most HitCap row hits.
func TestHitCap(t *testing.T) {
	for _, limit := range []int{1, 4, 0} {
		cfg := dram.Default()
		cfg.HitCap = limit
		b := newBench(t, cfg)
		b.In.Push(dram.Request{Addr: at(&cfg, 0, 0, 0)})
		b.In.Push(dram.Request{ID: 1, Addr: at(&cfg, 0, 9, 0)})
		hits, over := 0, -1
		for range 1000 {
			if b.In.Ready() {
				b.In.Push(dram.Request{Addr: at(&cfg, 0, 0, hits%32*line)})
			}
			b.Run(1)
			for b.Out.Valid() {
				if b.Out.Front().ID == 1 {
					over = hits
				}
				hits++
				b.Out.Pop()
			}
		}
		if limit == 0 {
			assert.Equal(t, -1, over, "without a limit an endless stream of hits starves it")
		} else {
			assert.Equal(t, 1+limit, over, "requests answered before it") // the first came before it
		}
	}
}

// TestRefresh: an idle channel has been refreshed every tREFI when the next request comes. A busy one
// first closes its row, tRAS after its activate.
func TestRefresh(t *testing.T) {
	cfg := dram.Default()
	cfg.TREFI, cfg.TRFC = 500, 60
	b := newBench(t, cfg)
	var got []dram.Commanded
	b.Channel.OnCommand.Add(func(c dram.Commanded) { got = append(got, c) })
	cycles := func(op dram.Op) (list []uint64) {
		for _, c := range got {
			if c.Op == op {
				list = append(list, c.Cycle)
			}
		}
		return list
	}
	b.Run(2_250)
	assert.Empty(t, got, "it sleeps")
	b.In.Push(dram.Request{Addr: at(&cfg, 0, 1, 0)})
	b.Run(100)
	assert.Equal(t, []uint64{500, 1000, 1500, 2000}, cycles(dram.Refresh))
	assert.Empty(t, cycles(dram.PrechargeAll), "no bank was open")

	got = nil
	b.Run(2_495 - b.Now())
	b.In.Push(dram.Request{Addr: at(&cfg, 1, 1, 0)})
	b.Run(200)
	assert.Equal(t, []uint64{2496, 2496 + 25 + 10 + 60}, cycles(dram.Activate), "tRAS, tRP and tRFC later again")
	assert.Equal(t, []uint64{2496 + 25}, cycles(dram.PrechargeAll))
	assert.Equal(t, []uint64{2496 + 25 + 10}, cycles(dram.Refresh))
	assert.EqualValues(t, 5, b.Channel.Count.Q().Refreshes)
}

// TestAgeCap: reads of a row keep the bus from turning, so that a write of another bank starves. With
// a cap it goes first when it is that old.
func TestAgeCap(t *testing.T) {
	for _, limit := range []int{0, 200} {
		cfg := dram.Default()
		cfg.HitCap, cfg.AgeCap = 0, limit
		b := newBench(t, cfg)
		came, wrote := uint64(0), uint64(0)
		for n := range 2000 {
			switch {
			case !b.In.Ready():
			case n >= 100 && came == 0:
				came = b.Now()
				b.In.Push(dram.Request{Write: true, ID: 1, Addr: at(&cfg, 5, 0, 0), Mask: dram.ByteMask{1}})
			default:
				b.In.Push(dram.Request{Addr: at(&cfg, 0, 0, n%32*line)})
			}
			cycle, c := b.step()
			if c.Op == dram.Write {
				wrote = cycle
			}
			for b.Out.Valid() {
				b.Out.Pop()
			}
		}
		if limit == 0 {
			assert.Zero(t, wrote)
			continue
		}
		assert.Greater(t, wrote, came+200)
		assert.Less(t, wrote, came+200+100, "the queue is full when it comes, and then it needs an activate")
	}
}

// TestWriteDrain: writes wait until three are there, while reads pass, and go until one is left. A read
// of a line that is to be written waits for that.
func TestWriteDrain(t *testing.T) {
	cfg := dram.Default()
	cfg.WriteHigh, cfg.WriteLow = 3, 1
	b := newBench(t, cfg)
	var got []string
	b.Channel.OnCommand.Add(func(c dram.Commanded) {
		if c.Op == dram.Read || c.Op == dram.Write {
			got = append(got, fmt.Sprint(c.Op, " ", c.Col/line))
		}
	})
	push := func(write bool, n int) {
		for !b.In.Ready() {
			b.Run(1)
		}
		b.In.Push(dram.Request{Write: write, Addr: at(&cfg, 0, 0, n*line), Mask: dram.ByteMask{1}})
	}
	push(false, 0)
	push(true, 1)
	push(false, 2)
	push(true, 3)
	push(false, 4)
	push(true, 5)
	push(false, 6)
	for range 300 {
		b.Run(1)
		for b.Out.Valid() {
			b.Out.Pop()
		}
	}
	assert.Equal(t, []string{"WR 1", "WR 3", "RD 0", "RD 2", "RD 4", "RD 6", "WR 5"}, got,
		"the third write comes before the row is open")
	assert.EqualValues(t, 1, b.Channel.Count.Q().Drains)

	got = nil
	push(false, 0)
	push(true, 1)
	push(false, 1)
	push(false, 2)
	for range 300 {
		b.Run(1)
		for b.Out.Valid() {
			b.Out.Pop()
		}
	}
	assert.Equal(t, []string{"RD 0", "WR 1", "RD 1", "RD 2"}, got, "the read of the line waits for the write")
}
