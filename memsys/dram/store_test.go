package dram_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/memsys/dram"
	"divergo/rtl"
)

// TestAddrMap: for any number of channels, each address has a separate place, and blocks of 256
// bytes go to the channels in turn.
func TestAddrMap(t *testing.T) {
	for _, channels := range []int{1, 2, 3, 6, 8} {
		cfg := dram.Default()
		cfg.Channels = channels
		m := dram.NewAddrMap(&cfg)
		type place struct {
			channel int
			bank    uint8
			row     uint32
			col     uint16
		}
		seen := map[place]uint64{}
		for block := range uint64(1 << 13) {
			addr := block * 64
			p := place{channel: m.Channel(addr)}
			p.bank, p.row, p.col = m.Place(addr)
			other, double := seen[p]
			require.False(t, double, "%#x and %#x are both at %+v", addr, other, p)
			seen[p] = addr
			require.Equal(t, int(addr/256)%channels, p.channel)
			require.Less(t, int(p.bank), cfg.Banks)
			require.Less(t, int(p.col), cfg.RowBytes)
			// The next byte of a line is in the same row.
			b, r, c := m.Place(addr + 63)
			require.Equal(t, place{p.channel, p.bank, p.row, p.col + 63}, place{m.Channel(addr + 63), b, r, c})
		}
	}
	// Bits [10:8] are the channel of eight. Above them come 2 KiB of a row, then the bank.
	cfg := dram.Default()
	m := dram.NewAddrMap(&cfg)
	assert.Equal(t, 5, m.Channel(0x1234_5500))
	bank, row, col := m.Place(3<<14 | 7<<17 | 2<<11 | 5<<8 | 9)
	assert.EqualValues(t, 3, bank)
	assert.EqualValues(t, 7, row)
	assert.EqualValues(t, 2<<8|9, col)
}

// newStore makes a store with its channels.
func newStore(cfg dram.Config) *dram.Store {
	s := dram.NewStore()
	for range cfg.Channels {
		dram.NewChannel(&cfg, line, s, rtl.NewQueue[dram.Request](1).In(), rtl.NewQueue[dram.Response](1).Out())
	}
	return s
}

func TestStoreErrors(t *testing.T) {
	none := dram.NewStore()
	assert.EqualError(t, none.Map(0, 1), "memory [0x0, +0x1): the store has 0 of 0 channels")
	assert.EqualError(t, none.Read(16, make([]byte, 1)), "memory at 0x10: the store has no channels")
	s := newStore(dram.Default())
	assert.EqualError(t, s.Map(1<<37-1, 2), "memory [0x1fffffffff, +0x2): expected addresses below 0x2000000000")
	assert.Error(t, s.Map(^uint64(0), 2), "the end wraps around")
	require.NoError(t, s.Map(1<<37-1, 1))
	require.NoError(t, s.Map(0, 1))
	assert.EqualError(t, s.Read(1<<20, make([]byte, 1)), "memory at 0x100000: never mapped")
	assert.Error(t, s.Write(1<<40, make([]byte, 1)))
	assert.NoError(t, s.Map(1<<30, 0))
	assert.Error(t, s.Read(1<<30, make([]byte, 1)), "nothing was mapped")
}

func TestByteMask(t *testing.T) {
	assert.Equal(t, dram.ByteMask{0xf0, 0}, dram.Span(4, 4))
	assert.Equal(t, dram.ByteMask{1 << 63, 3}, dram.Span(63, 3))
	assert.Equal(t, dram.ByteMask{^uint64(0), ^uint64(0)}, dram.Span(0, 128))
	assert.Equal(t, dram.ByteMask{}, dram.Span(70, 0))
	assert.True(t, dram.Span(0, 64).Covers(dram.Span(10, 20)))
	assert.False(t, dram.Span(0, 64).Covers(dram.Span(60, 8)))
}

// The channel of the machine reads a line: two commands, then the data.
func ExampleChannel() {
	cfg := dram.Default()
	cfg.Channels = 1
	in, out := rtl.NewQueue[dram.Request](1), rtl.NewQueue[dram.Response](1)
	store := dram.NewStore()
	bench := struct{ Channel *dram.Channel }{dram.NewChannel(&cfg, 64, store, in.In(), out.Out())}
	design := &struct {
		Bench any
		In    rtl.Out[dram.Request]
		Out   rtl.In[dram.Response]
	}{&bench, in.Out(), out.In()}
	sim := rtl.MustNew("dram", design)

	fmt.Println(store.Map(0x4000, 64), store.Write(0x4000, []byte("hello")))
	design.In.Push(dram.Request{Addr: 0x4000})
	for !design.Out.Valid() {
		sim.Run(1)
		if c := bench.Channel.Q().Command; c.Op != dram.Nop {
			fmt.Println(sim.Now()-1, c.Op, "bank", c.Bank, "row", c.Row)
		}
	}
	fmt.Printf("%d %s\n", sim.Now(), design.Out.Front().Data[:5])
	// Output:
	// <nil> <nil>
	// 1 ACT bank 0 row 1
	// 13 RD bank 0 row 1
	// 15 RD bank 0 row 1
	// 17 RD bank 0 row 1
	// 19 RD bank 0 row 1
	// 32 hello
}
