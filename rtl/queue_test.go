package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// transfer is the view and the action of one end of a queue in a cycle.
type transfer struct {
	count  int      // Free of the producer, Len of the consumer
	values []uint32 // pushed or popped
}

// pusher pushes a number of entries a cycle and logs what it sees. Its log is not a register, so it
// must run exactly once a cycle: it is awake in every cycle.
type pusher struct {
	rtl.State[struct{ Sent uint32 }]
	Out rtl.Out[uint32]
	log []transfer
	bursts
	sim *rtl.Sim
}

func (p *pusher) Tick() {
	p.sim.WakeAt(p.sim.Now() + 1)
	t := transfer{count: p.Out.Free()}
	for n := p.in(len(p.log)); n > 0 && p.Out.Ready(); n-- {
		v := p.Q().Sent + uint32(len(t.values))
		if v%2 == 0 {
			p.Out.Push(v)
		} else {
			*p.Out.PushSlot() = v
		}
		t.values = append(t.values, v)
	}
	p.D().Sent += uint32(len(t.values))
	p.log = append(p.log, t)
}

type popper struct {
	rtl.State[struct{ Got uint32 }]
	In  rtl.In[uint32]
	log []transfer
	bursts
	sim *rtl.Sim
}

func (p *popper) Tick() {
	p.sim.WakeAt(p.sim.Now() + 1)
	t := transfer{count: p.In.Len()}
	for n := p.in(len(p.log)); n > 0 && p.In.Valid(); n-- {
		v := *p.In.Front()
		if p.In.Len() > 1 && *p.In.Peek(1) != v+1 {
			panic("Peek is out of order")
		}
		p.In.Pop()
		t.values = append(t.values, v)
	}
	p.D().Got += uint32(len(t.values))
	p.log = append(p.log, t)
}

// bursts are the limits of the entries that an end pushes or pops in each cycle, repeated.
type bursts []int

func (b bursts) in(cycle int) int {
	if len(b) == 0 {
		return 0
	}
	return b[cycle%len(b)]
}

type queuePair struct {
	Push *pusher
	Pop  *popper
}

func newQueuePair(out rtl.Out[uint32], in rtl.In[uint32], push, pop bursts) *queuePair {
	return &queuePair{&pusher{Out: out, bursts: push}, &popper{In: in, bursts: pop}}
}

// requireFifo checks both logs against the definition of a queue. Entry i is visible to the
// consumer from cycle arrives(cycle of its push) on. It occupies room for the producer from its
// push until returns(cycle of its pop).
func requireFifo(t require.TestingT, p *queuePair, capacity int, arrives, returns func(cycle int) int) {
	var pushed, popped []int // cycle by entry
	for c, x := range p.Push.log {
		for _, v := range x.values {
			require.Equal(t, len(pushed), int(v), "pushed out of order")
			pushed = append(pushed, c)
		}
	}
	for c, x := range p.Pop.log {
		for _, v := range x.values {
			require.Equal(t, len(popped), int(v), "popped out of order in cycle %d", c)
			popped = append(popped, c)
		}
	}
	for c, x := range p.Pop.log {
		visible := 0
		for i, at := range pushed {
			if arrives(at) <= c && (i >= len(popped) || popped[i] >= c) {
				visible++
			}
		}
		require.Equal(t, visible, x.count, "visible entries in cycle %d of the consumer", c)
	}
	for c, x := range p.Push.log {
		free := capacity
		for i, at := range pushed {
			if at < c && (i >= len(popped) || returns(popped[i]) > c) {
				free--
			}
		}
		require.Equal(t, free, x.count, "free entries in cycle %d of the producer", c)
	}
}

// lazy pops all visible entries and sleeps otherwise: the kernel must wake it.
type lazy struct {
	rtl.State[struct {
		Seen [8]uint64 // cycle of each pop
		N    uint8
	}]
	In  rtl.In[uint32]
	sim *rtl.Sim
}

func (l *lazy) Tick() {
	if l.In.Valid() {
		d := l.D()
		d.Seen[d.N] = l.sim.Now()
		d.N++
		l.In.Pop()
	}
}

func TestQueueWakesItsConsumer(t *testing.T) {
	for latency, want := range map[uint64][]uint64{
		1: {10, 11, 12, 13}, 2: {11, 12, 13, 14},
		700: {709, 710, 711, 712},
	} {
		q := rtl.NewQueue[uint32](4, rtl.Latency(latency))
		top := &struct {
			Lazy *lazy
			Out  rtl.Out[uint32] // the testbench's end
		}{&lazy{In: q.In()}, q.Out()}
		k := rtl.MustNew("top", top)
		k.Run(10)
		for range 4 {
			require.True(t, top.Out.Ready())
			top.Out.Push(1) // belongs to cycle 9
		}
		assert.False(t, top.Out.Ready())
		k.Run(1000)
		assert.Equal(t, want, top.Lazy.Q().Seen[:4], "latency %d", latency)
		assert.Less(t, k.Evals(), uint64(20), "the consumer must sleep while nothing is visible")
		assert.True(t, k.Idle())
	}
}

func TestQueueContentsBeforeElaborationAreItsReset(t *testing.T) {
	q := rtl.NewQueue[uint32](4)
	q.Out().Push(7)
	q.Out().Push(8)
	l := &lazy{In: q.In()}
	top := &struct {
		Lazy *lazy
		Out  rtl.Out[uint32]
	}{l, q.Out()}
	k := rtl.MustNew("top", top)
	fresh := k.Hash()
	for range 2 {
		k.Run(20)
		require.Equal(t, uint8(2), l.Q().N)
		k.Reset()
		require.Equal(t, 2, l.In.Len())
		require.Equal(t, uint32(7), *l.In.Front())
		require.Equal(t, fresh, k.Hash())
	}
}

func TestQueueMisuse(t *testing.T) {
	q := rtl.NewQueue[uint32](2)
	p := newQueuePair(q.Out(), q.In(), nil, nil)
	rtl.MustNew("top", p).Run(1)
	assert.PanicsWithValue(t, "rtl: pop from queue top.Push.Out, which shows no entry: check Valid first",
		func() { p.Pop.In.Pop() })
	p.Push.Out.Push(1)
	p.Push.Out.Push(2)
	assert.PanicsWithValue(t, "rtl: push to queue top.Push.Out, which is full (2 entries): check Ready first",
		func() { p.Push.Out.Push(3) })
	assert.Panics(t, func() { rtl.NewQueue[uint32](0) })
	assert.Panics(t, func() { rtl.NewQueue[uint32](1, rtl.Latency(0)) })
	assert.Panics(t, func() { rtl.NewQueue[uint32](1, rtl.Latency(2), rtl.Flow()) })
	var none rtl.Out[uint32]
	assert.False(t, none.Connected())
	assert.False(t, rtl.In[uint32]{}.Connected())
	assert.True(t, q.Out().Connected())
	assert.True(t, q.In().Connected())
}

// TestPushSlotIsZero: a slot of PushSlot is zero even where an older entry was.
func TestPushSlotIsZero(t *testing.T) {
	q := rtl.NewQueue[[4]uint64](1)
	top := &struct {
		Out rtl.Out[[4]uint64]
		In  rtl.In[[4]uint64]
	}{q.Out(), q.In()}
	k := rtl.MustNew("top", top)
	top.Out.Push([4]uint64{1, 2, 3, 4})
	k.Run(1)
	top.In.Pop()
	k.Run(1)
	assert.Equal(t, [4]uint64{}, *top.Out.PushSlot())
}

// insistent pushes an entry whenever there is room. drain pops one whenever there is one. They have
// no registers, so only the queue wakes them.
type insistent struct{ Out rtl.Out[uint32] }

func (i *insistent) Tick() {
	if i.Out.Ready() {
		i.Out.Push(1)
	}
}

type drain struct{ In rtl.In[uint32] }

func (d *drain) Tick() {
	if d.In.Valid() {
		d.In.Pop()
	}
}

func TestQueueAloneWakesBothEnds(t *testing.T) {
	for name, opts := range map[string][]rtl.QueueOption{
		"registered": nil, "pipe": {rtl.Pipe()}, "flow": {rtl.Flow()}, "latency": {rtl.Latency(3)},
		"pipe and latency": {rtl.Pipe(), rtl.Latency(3)},
	} {
		t.Run(name, func(t *testing.T) {
			top := &struct {
				Out rtl.Out[uint32]
				P   *insistent
				D   *drain
				In  rtl.In[uint32]
			}{}
			full := rtl.NewQueue[uint32](7, opts...)
			top.P, top.In = &insistent{full.Out()}, full.In()
			k := rtl.MustNew("top", top)
			k.Run(20)
			assert.Equal(t, 7, top.In.Len(), "filled by a producer alone")

			top.P, top.In = nil, rtl.In[uint32]{}
			full = rtl.NewQueue[uint32](7, opts...)
			top.D, top.Out = &drain{full.In()}, full.Out()
			k = rtl.MustNew("top", top)
			for range 7 {
				top.Out.Push(1)
			}
			k.Run(20)
			assert.Equal(t, 7, top.Out.Free(), "emptied by a consumer alone")
			assert.True(t, k.Idle())

			rtltest.Properties(t, func() *rtl.Sim {
				q := rtl.NewQueue[uint32](3, opts...)
				return rtl.MustNew("top", &struct {
					P *insistent
					D *drain
				}{&insistent{q.Out()}, &drain{q.In()}})
			}, 50)
		})
	}
}
