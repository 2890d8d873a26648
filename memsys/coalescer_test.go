package memsys_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
)

// coalescerBench is a coalescer whose L1 is the test.
type coalescerBench struct {
	*rtl.Sim
	Coalescer *memsys.Coalescer
	In        rtl.Out[memsys.Access]
	Out       rtl.In[memsys.Reply]
	Req       rtl.In[memsys.LineRequest]
	Rsp       rtl.Out[memsys.LineResponse]
}

func newCoalescerBench(line int) *coalescerBench {
	cfg := memsys.Default()
	cfg.L1.Line = line
	in, out := rtl.NewQueue[memsys.Access](1), rtl.NewQueue[memsys.Reply](4)
	req, rsp := rtl.NewQueue[memsys.LineRequest](64), rtl.NewQueue[memsys.LineResponse](64)
	b := &coalescerBench{
		Coalescer: memsys.NewCoalescer(&cfg, in.In(), out.Out(), req.Out(), rsp.In()),
		In:        in.Out(), Out: out.In(), Req: req.In(), Rsp: rsp.Out(),
	}
	b.Sim = rtl.MustNew("bench", b)
	return b
}

// TestCoalescerLines is Q1, Q2, Q3 and Q4 of the coalescer: as many requests
// as distinct lines, one a cycle; together exactly the bytes of the active
// lanes; the highest lane wins a byte; each lane answered once, with its own bytes.
func TestCoalescerLines(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 400 {
		line := uint64(32) << r.IntN(3)
		b := newCoalescerBench(int(line))
		a := memsys.Access{Tag: uint16(r.Uint32()), Kind: memsys.Kind(r.IntN(2)), Size: 1 << r.IntN(5), Mask: r.Uint32() | 1<<r.IntN(32)}
		reach := 1 << (4 + r.IntN(10)) // from one line to all different
		lines := map[uint64]bool{}
		bytes := map[uint64]byte{} // written by stores
		for i := range a.Addr {
			a.Addr[i] = uint64(r.IntN(max(reach/int(a.Size), 1))) * uint64(a.Size)
			a.Data[i] = [2]uint64{r.Uint64(), r.Uint64()}
			if a.Mask>>i&1 != 0 {
				lines[a.Addr[i]/line] = true
				for k := range uint64(a.Size) {
					bytes[a.Addr[i]+k] = byte(a.Data[i][k/8] >> (k % 8 * 8))
				}
			}
		}
		b.In.Push(a)
		b.Run(uint64(len(lines)) + 1) // one cycle to arrive, one for each line
		require.Equal(t, len(lines), b.Req.Len(), "lines of %d bytes for %v, mask %#x", line, a.Addr, a.Mask)
		if a.Kind == memsys.Store {
			require.True(t, b.Out.Valid(), "a store is answered with its last line")
		}

		lanes := uint32(0)
		var reqs []memsys.LineRequest
		for b.Req.Valid() {
			q := *b.Req.Front()
			b.Req.Pop()
			require.Zero(t, q.Line%line)
			require.Zero(t, lanes&q.Lanes, "a lane in two lines")
			lanes |= q.Lanes
			for k := range memsys.MaxLine {
				addr := q.Line + uint64(k)
				want, written := bytes[addr]
				if a.Kind == memsys.Load {
					written = false
				} else if uint64(k) >= line {
					written = false
				}
				require.Equal(t, written, q.Mask[k/64]>>(k%64)&1 != 0, "byte enable of %#x", addr)
				if written {
					require.Equal(t, want, q.Data[k], "byte %#x: the highest lane wins", addr)
				}
			}
			reqs = append(reqs, q)
		}
		require.Equal(t, a.Mask, lanes)
		if a.Kind == memsys.Load {
			r.Shuffle(len(reqs), func(i, j int) { reqs[i], reqs[j] = reqs[j], reqs[i] })
			for i, q := range reqs {
				require.False(t, b.Out.Valid(), "answered after %d of %d lines", i, len(reqs))
				p := memsys.LineResponse{Entry: q.Entry, Lanes: q.Lanes}
				for k := range p.Data {
					p.Data[k] = pattern(q.Line + uint64(k))
				}
				b.Rsp.Push(p)
				b.Run(2)
			}
		}
		require.Equal(t, 1, b.Out.Len())
		p := b.Out.Front()
		require.Equal(t, a.Tag, p.Tag)
		require.Equal(t, a.Mask, p.Mask)
		for i := range a.Addr {
			var want [2]uint64
			if a.Kind == memsys.Load && a.Mask>>i&1 != 0 {
				for k := range uint64(a.Size) {
					want[k/8] |= uint64(pattern(a.Addr[i]+k)) << (k % 8 * 8)
				}
			}
			require.Equal(t, want, p.Data[i], "lane %d", i)
		}
	}
}

// pattern is the byte at an address of a memory that nobody writes.
func pattern(addr uint64) byte { return byte(addr*167 + addr>>8*13) }

// TestCoalescerAtomics is Q5: one request a lane, in the order of lanes, even for
// the same word.
func TestCoalescerAtomics(t *testing.T) {
	b := newCoalescerBench(64)
	a := memsys.Access{Kind: memsys.Atomic, Size: 4, Atom: isa.AtomAdd, Type: isa.U32, Mask: 0x8000_0115}
	for i := range a.Addr {
		a.Addr[i] = 0x1234
		a.Data[i][0] = uint64(i)
	}
	b.In.Push(a)
	b.Run(10)
	for _, lane := range []int{0, 2, 4, 8, 31} {
		require.True(t, b.Req.Valid())
		q := b.Req.Front()
		assert.EqualValues(t, 1<<lane, q.Lanes)
		assert.EqualValues(t, lane, q.A)
		assert.EqualValues(t, 0x1200, q.Line)
		assert.EqualValues(t, 0x34, q.Off)
		b.Req.Pop()
	}
	assert.False(t, b.Req.Valid())
}

// TestCoalescerTableFull: with one entry a second load waits for the first, and
// a store does not need one.
func TestCoalescerTableFull(t *testing.T) {
	cfg := memsys.Default()
	cfg.L1.Pending = 1
	in, out := rtl.NewQueue[memsys.Access](4), rtl.NewQueue[memsys.Reply](4)
	req, rsp := rtl.NewQueue[memsys.LineRequest](64), rtl.NewQueue[memsys.LineResponse](64)
	b := &coalescerBench{
		Coalescer: memsys.NewCoalescer(&cfg, in.In(), out.Out(), req.Out(), rsp.In()),
		In:        in.Out(), Out: out.In(), Req: req.In(), Rsp: rsp.Out(),
	}
	b.Sim = rtl.MustNew("bench", b)
	for i, k := range []memsys.Kind{memsys.Load, memsys.Store, memsys.Load} {
		b.In.Push(memsys.Access{Tag: uint16(i), Kind: k, Size: 4, Mask: 1})
	}
	b.Run(20)
	require.Equal(t, 2, b.Req.Len(), "the load and the store")
	b.Rsp.Push(memsys.LineResponse{Lanes: 1})
	b.Run(20)
	assert.Equal(t, 3, b.Req.Len())
	assert.EqualValues(t, 1, b.Coalescer.Count.Q().TableFull, "it is counted once, however long it waits")
}

// TestNoLanes: an access of no lane is answered without the L1.
func TestNoLanes(t *testing.T) {
	for _, kind := range []memsys.Kind{memsys.Load, memsys.Store, memsys.Atomic, memsys.Reduce} {
		b := newCoalescerBench(64)
		b.In.Push(memsys.Access{Tag: 7, Kind: kind, Size: 4})
		b.Run(3)
		assert.False(t, b.Req.Valid(), kind)
		require.True(t, b.Out.Valid(), kind)
		assert.EqualValues(t, 7, b.Out.Front().Tag)
	}
}

// TestRepliesWait: stores are not taken while nobody takes their replies.
func TestRepliesWait(t *testing.T) {
	b := newCoalescerBench(64)
	sent, got := 0, 0
	for n := range 60 {
		if b.In.Ready() && sent < 10 {
			b.In.Push(memsys.Access{Tag: uint16(sent), Kind: memsys.Store, Size: 4, Mask: 1})
			sent++
		}
		b.Run(1)
		if n == 30 {
			assert.Equal(t, 4, b.Req.Len(), "as many as there is room for replies")
		}
		if n > 30 && b.Out.Valid() {
			assert.EqualValues(t, got, b.Out.Front().Tag)
			b.Out.Pop()
			got++
		}
	}
	assert.Equal(t, 10, got)
}
