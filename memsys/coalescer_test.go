package memsys_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/memsys"
	"divergo/rtl"
)

// coalescerBench is a coalescer; the test acts as its L1.
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

// TestCoalescerAtomics: atomics take one request a lane, in the order of lanes, even for the same
// word (Q5 of the design notes).
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

// TestCoalescerTableFull: with one entry a second load waits for the first. A store needs no entry.
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

// TestNoLanes: an access without lanes is answered without the L1.
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

// TestNoLine: observers see no line of a fence or a flush, whatever their lanes hold.
func TestNoLine(t *testing.T) {
	for _, kind := range []memsys.Kind{memsys.Fence, memsys.Flush, memsys.Load} {
		b := newCoalescerBench(64)
		a, parts, line := memsys.Access{Kind: kind, Size: 4, Mask: 1}, 0, uint64(0)
		a.Addr[0] = 0x1234
		if kind == memsys.Load {
			line = 0x1200
		}
		b.Coalescer.OnPart.Add(func(p memsys.Part) {
			assert.Equal(t, line, p.Line, kind)
			parts++
		})
		b.In.Push(a)
		b.Run(3)
		assert.Equal(t, 1, parts, kind)
	}
}

// TestRepliesWait: stores are not taken while their replies have no room.
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
