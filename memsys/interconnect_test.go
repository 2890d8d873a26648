package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/memtest"
	"divergo/memsys"
	"divergo/memsys/dram"
	"divergo/rtl"
)

// netBench is a request network; the test acts as its SMs and slices.
type netBench struct {
	*rtl.Sim
	Net *memsys.RequestNetwork
	In  []rtl.Out[memsys.Request]
	Out []rtl.In[memsys.Request]
}

func newNetBench(cfg memsys.IcntConfig, sms, slices int) *netBench {
	b := &netBench{}
	var in []rtl.In[memsys.Request]
	var out []rtl.Out[memsys.Request]
	for range sms {
		q := rtl.NewQueue[memsys.Request](cfg.Queue)
		b.In, in = append(b.In, q.Out()), append(in, q.In())
	}
	for range slices {
		q := rtl.NewQueue[memsys.Request](cfg.Queue)
		b.Out, out = append(b.Out, q.In()), append(out, q.Out())
	}
	b.Net = memsys.NewRequestNetwork(&cfg, in, out)
	b.Sim = rtl.MustNew("net", b)
	return b
}

// packet returns a request of a given length: a header, or a store of n bytes.
func packet(dst, n int, id uint64) memsys.Request {
	r := memsys.Request{Dst: uint8(dst), A: id}
	if n > 0 {
		r.Kind, r.Mask = memsys.Store, dram.Span(0, n)
	}
	return r
}

// TestPacketBytes checks the sizes of GPGPU-Sim 2.1.1b.
func TestPacketBytes(t *testing.T) {
	assert.Equal(t, 8, (&memsys.Request{Kind: memsys.Load}).Bytes())
	full := memsys.Request{Kind: memsys.Store, Mask: dram.Span(0, 64)}
	assert.Equal(t, 8+8+64, full.Bytes())
	assert.Equal(t, 8+16+128, (&memsys.Request{Kind: memsys.Store, Mask: dram.Span(0, 128)}).Bytes())
	assert.Equal(t, 8, (&memsys.Response{Kind: memsys.Store}).Bytes())
	assert.Equal(t, 8+64, (&memsys.Response{Kind: memsys.Load, Size: 64}).Bytes())
}

// TestFlits: a packet takes one cycle for each flit.
func TestFlits(t *testing.T) {
	for _, c := range []struct{ flit, data, flits int }{
		{32, 0, 1}, {32, 16, 1}, {32, 17, 2}, {32, 64, 3}, {8, 0, 1}, {8, 64, 10}, {7, 0, 2},
	} {
		b := newNetBench(memsys.IcntConfig{FlitBytes: c.flit, Queue: 4, Concentration: 1}, 1, 1)
		b.In[0].Push(packet(0, c.data, 0))
		n := 0
		for ; !b.Out[0].Valid(); n++ {
			b.Run(1)
		}
		assert.Equal(t, c.flits, n, "%d bytes of data in flits of %d", c.data, c.flit)
	}
}

// TestFairness: SMs that all send to one slice get equal shares, and so do ports.
func TestFairness(t *testing.T) {
	for _, conc := range []int{1, 3} {
		b := newNetBench(memsys.IcntConfig{FlitBytes: 32, Queue: 2, Concentration: conc}, 6, 2)
		count := make([]int, 6)
		for range 600 {
			for sm := range 6 {
				if b.In[sm].Ready() {
					p := packet(0, 0, 0)
					p.Src = uint16(sm)
					b.In[sm].Push(p)
				}
			}
			b.Run(1)
			if b.Out[0].Valid() {
				count[b.Out[0].Front().Src]++
				b.Out[0].Pop()
			}
		}
		for sm, n := range count {
			assert.InDelta(t, 100, n, 2, "SM %d, concentration %d", sm, conc)
		}
	}
}

// TestBusyOutput: where SMs share a port, one whose slice is busy does not keep the
// other from a slice that is free.
func TestBusyOutput(t *testing.T) {
	b := newNetBench(memsys.IcntConfig{FlitBytes: 8, Queue: 4, Concentration: 2}, 4, 2)
	b.In[1].Push(packet(1, 0, 0)) // the next turn is that of SM 0
	b.Run(1)
	b.In[2].Push(packet(0, 64, 0)) // ten flits
	b.Run(1)
	b.In[0].Push(packet(0, 0, 0))
	b.In[1].Push(packet(1, 0, 0))
	b.Run(1)
	assert.Equal(t, 2, b.Out[1].Len(), "both packets of SM 1")
	assert.False(t, b.Out[0].Valid())
	b.Run(8)
	assert.Equal(t, 1, b.Out[0].Len(), "that of SM 2, after ten cycles")
	b.Run(1)
	assert.Equal(t, 2, b.Out[0].Len(), "that of SM 0")
}

// TestManyPorts: each of 1,024 SMs with a port of its own gets the responses to its own requests.
func TestManyPorts(t *testing.T) {
	const sms = 1024
	var scripts [][]memtest.Step
	for sm := range uint64(sms) {
		scripts = append(scripts, script(0, volatile(at(memsys.Store, 4*sm, 7*sm)), at(memsys.Atomic, 4*sm, 1),
			volatile(at(memsys.Load, 4*sm, 0)), memsys.Access{Kind: memsys.Fence}))
	}
	s := run(t, func(c *memsys.Config) {
		c.Icnt.Concentration, c.L1.Size, c.L1.Assoc, c.L2.Size, c.Shared.Size = 1, 512, 2, 64<<10, 64
	}, scripts...)
	for sm := range sms {
		require.EqualValues(t, 7*sm, value(s, sm, 1), "atomic of SM %d", sm)
		require.EqualValues(t, 7*sm+1, value(s, sm, 2), "load of SM %d", sm)
	}
}
