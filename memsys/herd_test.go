package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
)

// TestHerdedLoad: lanes 0 to 19 each read a word of one block of 128 bytes, the other lanes read
// words of another. The load takes one line, that of the first block, and each lane keeps its
// offset. The latency of the selector delays the reply.
func TestHerdedLoad(t *testing.T) {
	var a memsys.Access
	a.Kind, a.Size, a.Mask, a.Herd = memsys.Load, 4, 0xffff_ffff, true
	for i := range isa.RowLanes {
		a.Addr[i] = 0x1000 + 4*uint64(i)
		if i >= 20 {
			a.Addr[i] += 0x400
		}
	}
	var first [2]int
	for i, latency := range []int{0, 3} {
		cfg := memsys.Default()
		cfg.L1.Line, cfg.Herd.LoadLatency = 128, latency
		in, out := rtl.NewQueue[memsys.Access](1), rtl.NewQueue[memsys.Reply](4)
		req, rsp := rtl.NewQueue[memsys.LineRequest](64), rtl.NewQueue[memsys.LineResponse](64)
		b := &coalescerBench{
			Coalescer: memsys.NewCoalescer(&cfg, in.In(), out.Out(), req.Out(), rsp.In()),
			In:        in.Out(), Out: out.In(), Req: req.In(), Rsp: rsp.Out(),
		}
		b.Sim = rtl.MustNew("bench", b)
		b.In.Push(a)
		for !b.Req.Valid() && first[i] < 100 {
			b.Run(1)
			first[i]++
		}
		r := *b.Req.Front()
		assert.Equal(t, uint64(0x1000), r.Line)
		assert.Equal(t, a.Mask, r.Lanes)
		b.Req.Pop()
		b.Run(10)
		require.False(t, b.Req.Valid(), "one request")
		answer := memsys.LineResponse{Entry: r.Entry, Lanes: r.Lanes}
		for k := range answer.Data {
			answer.Data[k] = byte(k)
		}
		b.Rsp.Push(answer)
		b.Run(4)
		require.True(t, b.Out.Valid())
		for lane, v := range b.Out.Front().Data {
			assert.Equal(t, uint64(byte(4*lane)), v[0]&0xff, "lane %d", lane)
		}
		assert.Equal(t, memsys.HerdCounters{Loads: 1, Diverted: 12, Saved: 1}, b.Coalescer.Count.Q().Herd)
	}
	assert.Equal(t, first[0]+3, first[1])
}
