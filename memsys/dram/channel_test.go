package dram_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/audit"
	"divergo/memsys/dram"
	"divergo/rtl"
)

const line = 64

// bench is a channel of its own, fed and watched by the test.
type bench struct {
	*rtl.Sim
	Channel *dram.Channel
	In      rtl.Out[dram.Request]
	Out     rtl.In[dram.Response]
	store   *dram.Store
}

func newBench(t *testing.T, cfg dram.Config) *bench {
	t.Helper()
	cfg.Channels = 1
	require.NoError(t, cfg.Check(line))
	in, out := rtl.NewQueue[dram.Request](4), rtl.NewQueue[dram.Response](4)
	b := &bench{In: in.Out(), Out: out.In(), store: dram.NewStore()}
	b.Channel = dram.NewChannel(&cfg, line, b.store, in.In(), out.Out())
	b.Sim = rtl.MustNew("bench", b)
	require.NoError(t, b.store.Map(0, 1<<20))
	return b
}

// step runs a cycle and returns the command given in it.
func (b *bench) step() (cycle uint64, c dram.Command) {
	cycle = b.Now()
	b.Run(1)
	return cycle, b.Channel.Q().Command
}

// at is the address of a byte of a row in the default map of one channel.
func at(cfg *dram.Config, bank, row, col int) uint64 {
	return uint64((row*cfg.Banks+bank)*cfg.RowBytes + col)
}

// TestReadLatency holds the figures that follow from the data sheet: from the
// first command for a read to its first data it is tCL if the row is open,
// tRCD + tCL if the bank is closed and tRP + tRCD + tCL if another row is open;
// the 64 bytes of a line then take 8 cycles.
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
				b.Run(100) // so that tRAS and tRC are over
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

// TestSameBankActivates: two rows of a bank, one after the other, are tRC = 35
// apart, which is tRAS + tRP.
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

// TestPeakBandwidth: row hits keep the data bus busy in every cycle, 8 bytes each.
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

// TestHitCap: a request to another row waits for no more than HitCap row hits.
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

// TestRandom runs random requests under random data sheets past the auditor.
func TestRandom(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 7))
		cfg := dram.Default()
		if seed%3 != 0 {
			any := func(lo, hi int) int { return lo + r.IntN(hi-lo+1) }
			cfg.TCL, cfg.WL, cfg.TRP, cfg.TRCD = any(1, 20), any(1, 20), any(1, 20), any(1, 20)
			cfg.TRAS, cfg.TWTR, cfg.TCCD = cfg.TRCD+any(0, 20), any(0, 10), any(2, 6)
			cfg.TRC, cfg.TRTP, cfg.TWR = cfg.TRAS+cfg.TRP+any(0, 20), any(0, 10), any(0, 15)
			cfg.TRRD = min(any(1, 20), cfg.TRC)
			cfg.Banks, cfg.Queue, cfg.HitCap = 1<<any(0, 4), any(1, 64), any(0, 4)
			cfg.BusBytes, cfg.Burst = 4<<any(0, 2), any(1, 2)
		}
		if seed%4 == 3 {
			cfg.Scheduler = dram.FCFS
		}
		b := newBench(t, cfg)
		cfg.Channels = 1
		a := audit.WatchChannel(line, &cfg, b.Channel)
		var want [256]dram.Response // by ID; fewer are in flight
		mem := map[uint64]*dram.Line{}
		sent := 0
		for answered := 0; answered < 400; {
			if b.In.Ready() && sent < 400 && r.IntN(4) > 0 {
				q := dram.Request{ID: uint8(sent), Write: r.IntN(3) == 0, Addr: at(&cfg, r.IntN(cfg.Banks), r.IntN(3), r.IntN(4)*line)}
				if mem[q.Addr] == nil {
					mem[q.Addr] = new(dram.Line)
				}
				w := dram.Response{ID: q.ID, Write: q.Write}
				if q.Write {
					q.Mask = dram.ByteMask{r.Uint64() & r.Uint64()}
					if r.IntN(2) == 0 {
						q.Mask[0] &= 0xff0000
					}
					for i := range line {
						q.Data[i] = byte(r.Uint32())
						if q.Mask[0]>>i&1 != 0 {
							mem[q.Addr][i] = q.Data[i]
						}
					}
				} else {
					w.Data = *mem[q.Addr]
				}
				want[q.ID] = w
				b.In.Push(q)
				sent++
			}
			b.step()
			require.Nil(t, a.Fault())
			if b.Out.Valid() && r.IntN(8) >= int(seed%8) { // sometimes nobody takes the answers for long
				p := b.Out.Front()
				require.Equal(t, want[p.ID], *p, "request %d", p.ID)
				b.Out.Pop()
				answered++
			}
			require.Less(t, b.Now(), uint64(200_000), "no end")
		}
		a.End()
		require.Nil(t, a.Fault())
		for addr, l := range mem {
			got := make([]byte, line)
			require.NoError(t, b.store.Read(addr, got))
			require.Equal(t, l[:line], got)
		}
		assert.Zero(t, b.Channel.Count.Q().Unmapped)
	}
}
