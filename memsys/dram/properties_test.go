package dram_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/audit"
	"divergo/internal/forall"
	"divergo/memsys/dram"
)

// sheet is a data sheet. Some of its times are given as the excess over the shortest possible time.
type sheet struct {
	TCL, WL, TRP, TRCD, TWTR, TRTP, TWR, TRRD int
	TCCD, TRAS, TRC                           int // excess over 2, TRCD and TRAS + TRP
	Banks, Queue, HitCap, Bus, Burst          int
	AgeCap, High, Low, Refresh, TRFC          int // Refresh: 0 for none, or 1 more than the excess over the shortest
	Scheduler                                 dram.Scheduler
}

func (s sheet) config() dram.Config {
	c := dram.Default()
	c.Channels, c.Banks, c.Queue, c.HitCap, c.BusBytes, c.Burst, c.Scheduler = 1, s.Banks, s.Queue, s.HitCap, s.Bus,
		s.Burst, s.Scheduler
	c.TCL, c.WL, c.TRP, c.TRCD, c.TWTR, c.TRTP, c.TWR = s.TCL, s.WL, s.TRP, s.TRCD, s.TWTR, s.TRTP, s.TWR
	c.TCCD, c.TRAS = 2+s.TCCD, s.TRCD+s.TRAS
	c.TRC = c.TRAS + c.TRP + s.TRC
	c.TRRD = min(s.TRRD, c.TRC)
	c.AgeCap, c.WriteHigh = s.AgeCap, min(s.High, s.Queue)
	c.WriteLow = min(s.Low, max(c.WriteHigh-1, 0))
	if s.Refresh != 0 {
		c.TRFC = s.TRFC
		c.TREFI = c.LeastTREFI() + s.Refresh - 1
	}
	return c
}

// stream is a sequence of requests to a channel.
type stream struct {
	Sheet    sheet
	Requests []request
	Busy     uint64 // cycles, of every 64, in which no answer is taken
}

// request is a request that comes After cycles after the one before.
type request struct {
	Write           bool
	Bank, Row, Line int
	Bytes           uint64 // mask of a write; of a read, 0 for the line
	After           int
}

func (r request) String() string {
	op := fmt.Sprintf("read %#x of", r.Bytes)
	if r.Write {
		op = fmt.Sprintf("write %#x of", r.Bytes)
	}
	return fmt.Sprintf("after %d: %s bank %d row %d line %d", r.After, op, r.Bank, r.Row, r.Line)
}

func (s stream) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%+v, busy %#x\n", s.Sheet, s.Busy)
	for _, r := range s.Requests {
		fmt.Fprintln(&out, r)
	}
	return out.String()
}

func TestChannelProperties(t *testing.T) {
	time := func(least, most int) gopter.Gen { return gen.IntRange(least, most) }
	forall.Check(t, "each request is answered once, with what was written, by commands that the data sheet allows",
		forall.Struct[stream](map[string]gopter.Gen{
			"Sheet": forall.Struct[sheet](map[string]gopter.Gen{
				"TCL": time(1, 20), "WL": time(1, 20), "TRP": time(1, 20), "TRCD": time(1, 20), "TWTR": time(0,
					10), "TRTP": time(0, 10), "TWR": time(0, 15), "TRRD": time(1, 20),
				"TCCD": time(0, 4), "TRAS": time(0, 20), "TRC": time(0, 20),
				"Banks": forall.OneOf(1, 2, 4, 8, 16), "Queue": time(1, 64), "HitCap": time(0, 4), "Bus": forall.OneOf(4, 8,
					16), "Burst": forall.OneOf(1, 2),
				"AgeCap": forall.OneOf(0, 0, 1, 20, 100), "High": forall.OneOf(0, 0, 1, 3, 20), "Low": gen.IntRange(0,
					4), "Refresh": forall.OneOf(0, 0, 1, 50), "TRFC": time(0, 40),
				"Scheduler": forall.OneOf(dram.FRFCFS, dram.FRFCFS, dram.FRFCFS, dram.FCFS),
			}),
			"Requests": forall.List(100, forall.Struct[request](map[string]gopter.Gen{
				"Write": forall.OneOf(false, false, true), "Bank": gen.IntRange(0, 15), "Row": gen.IntRange(0,
					2), "Line": gen.IntRange(0, 3),
				"Bytes": forall.Mask[uint64](line), "After": forall.OneOf(0, 0, 0, 1, 2, 30, 500),
			})),
			"Busy": forall.Mask[uint64](63),
		}), func(t *forall.T, s stream) {
			cfg := s.Sheet.config()
			b := newBench(t, cfg)
			books := audit.WatchChannel(line, &cfg, b.Channel)
			var want []dram.Response // by ID
			mem := map[uint64]*dram.Line{}
			next := uint64(0) // first cycle for the next request
			full := uint64(0) // cycles in which a request waited for a place in the queue
			for answered := 0; answered < len(s.Requests); {
				waits := b.Channel.In.Valid()
				if n := len(want); n < len(s.Requests) && b.In.Ready() && b.Now() >= next+uint64(s.Requests[n].After) {
					r := s.Requests[n]
					to := at(&cfg, r.Bank%cfg.Banks, r.Row, r.Line*line)
					q := dram.Request{ID: uint8(n), Write: r.Write, Addr: to}
					if mem[q.Addr] == nil {
						mem[q.Addr] = new(dram.Line)
					}
					w := dram.Response{ID: q.ID, Write: q.Write}
					if q.Write {
						q.Mask = dram.ByteMask{r.Bytes}
						for i := range line {
							if q.Data[i] = byte(n + 1 + i); r.Bytes>>i&1 != 0 {
								mem[q.Addr][i] = q.Data[i]
							}
						}
					} else if w.Data = *mem[q.Addr]; r.Bytes != 0 {
						q.Mask = dram.ByteMask{r.Bytes}
						w.Mask = q.Mask
						for i := range line {
							if r.Bytes>>i&1 == 0 {
								w.Data[i] = 0
							}
						}
					}
					want, next = append(want, w), b.Now()
					b.In.Push(q)
					waits = true
				}
				if waits && bits.OnesCount64(b.Channel.Q().Used) == cfg.Queue {
					full++
				}
				b.step()
				require.Nil(t, books.Fault())
				if b.Out.Valid() && s.Busy>>(b.Now()%64)&1 == 0 {
					p := b.Out.Front()
					require.Equal(t, want[p.ID], *p, "request %d", p.ID)
					b.Out.Pop()
					answered++
				}
				require.Less(t, b.Now(), uint64(50_000), "no end")
			}
			books.End()
			require.Nil(t, books.Fault())
			for addr, l := range mem {
				got := make([]byte, line)
				require.NoError(t, b.store.Read(addr, got))
				require.Equal(t, l[:line], got, "%#x", addr)
			}
			require.Zero(t, b.Channel.Count.Q().Unmapped)
			require.Equal(t, full, b.Channel.Count.Q().QueueFull)
		})
}

func TestStoreProperties(t *testing.T) {
	type write struct{ Region, Offset, Size int }
	type host struct {
		Channels int
		Mapped   []int // regions
		Writes   []write
	}
	regions := []uint64{0x1000_0000, 0x1001_0000, 0x8_0000_0000}
	const size = 10_000
	forall.Check(t, "the host reads what it has written last, over the channels, where memory was mapped",
		forall.Struct[host](map[string]gopter.Gen{
			"Channels": gen.IntRange(1, 8), "Mapped": forall.List(3, gen.IntRange(0, 2)),
			"Writes": forall.List(20, forall.Struct[write](map[string]gopter.Gen{
				"Region": gen.IntRange(0, 2), "Offset": gen.IntRange(0, size-2000), "Size": gen.IntRange(1, 2000),
			})),
		}), func(t *forall.T, c host) {
			cfg := dram.Default()
			cfg.Channels = c.Channels
			s := newStore(cfg)
			want := map[int][]byte{} // by region
			for n, w := range c.Writes {
				if n < len(c.Mapped) { // some regions are mapped when others have contents
					require.NoError(t, s.Map(regions[c.Mapped[n]], size))
					if want[c.Mapped[n]] == nil {
						want[c.Mapped[n]] = make([]byte, size)
					}
				}
				data := make([]byte, w.Size)
				for i := range data {
					data[i] = byte(n + 1 + i)
				}
				err := s.Write(regions[w.Region]+uint64(w.Offset), data)
				if want[w.Region] == nil {
					require.Error(t, err, "write %d", n)
					continue
				}
				require.NoError(t, err, "write %d", n)
				copy(want[w.Region][w.Offset:], data)
			}
			for region, bytes := range want {
				got := make([]byte, size)
				require.NoError(t, s.Read(regions[region], got))
				for i := range got {
					if got[i] != bytes[i] {
						require.Equal(t, bytes[i], got[i], "region %d, byte %d", region, i)
					}
				}
			}
		})
}

func TestLineProperties(t *testing.T) {
	type mask struct{ Low, High uint64 }
	forall.Check(t, "a line takes the bytes of a mask", forall.Struct[mask](map[string]gopter.Gen{
		"Low": forall.Mask[uint64](64), "High": forall.Mask[uint64](64),
	}), func(t *forall.T, m mask) {
		var to, from, want dram.Line
		for i := range to {
			to[i], from[i] = byte(i), byte(128+i)
			want[i] = [2]byte{to[i], from[i]}[[2]uint64{m.Low, m.High}[i/64]>>(i%64)&1]
		}
		to.Merge(&from, dram.ByteMask{m.Low, m.High})
		require.Equal(t, want, to)
	})
}

// TestAddrMapProperties checks small maps address by address.
func TestAddrMapProperties(t *testing.T) {
	type place struct {
		channel int
		local   uint64
	}
	type of struct {
		Channels, Interleave int
		Hash                 dram.Hash
		Start                int // first block
	}
	forall.Check(t, "each channel holds its addresses without gaps, a group of blocks in all channels",
		forall.Struct[of](map[string]gopter.Gen{
			"Channels": gen.IntRange(1, 12), "Interleave": forall.OneOf(32, 64), "Hash": forall.OneOf(dram.HashNone,
				dram.HashXOR, dram.HashXOR), "Start": forall.OneOf(0, 1000, 1<<20),
		}), func(t *forall.T, c of) {
			cfg := dram.Default()
			cfg.Channels, cfg.Interleave, cfg.Hash = c.Channels, c.Interleave, c.Hash
			m := dram.NewAddrMap(&cfg)
			const groups = 40
			seen := map[place]bool{}
			first := uint64(c.Start * c.Channels * c.Interleave)
			for a := first; a < first+uint64(groups*c.Channels*c.Interleave); a += 8 {
				p := place{m.Channel(a), m.Local(a)}
				require.False(t, seen[p], "%+v twice", p)
				seen[p] = true
				require.GreaterOrEqual(t, p.local, uint64(c.Start*c.Interleave))
				require.Less(t, p.local, uint64((c.Start+groups)*c.Interleave))
				require.Less(t, p.channel, c.Channels)
				if c.Hash == dram.HashNone {
					require.EqualValues(t, a/uint64(c.Interleave)%uint64(c.Channels), p.channel)
				}
			}
		})
}

// TestChannelHash: blocks a whole turn of eight channels apart are all in one channel, with a hash
// eight of them in eight.
func TestChannelHash(t *testing.T) {
	cfg := dram.Default()
	for hash, want := range map[dram.Hash]int{dram.HashNone: 1, dram.HashXOR: 8} {
		cfg.Hash = hash
		m := dram.NewAddrMap(&cfg)
		for start := range uint64(3) {
			channels := map[int]bool{}
			for i := range uint64(8) {
				channels[m.Channel((start*8+i)*8*256)] = true
			}
			require.Len(t, channels, want, hash)
		}
	}
}
