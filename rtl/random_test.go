package rtl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// token is the entry that the nodes of a random design pass on.
type token struct {
	Value uint32
	Hops  uint8
	From  uint16
}

type nodeState struct {
	Seed  uint32
	Until uint64
	Sum   uint64
	Took  [4]uint16 `bits:"12"`
	Odd   bool
	Held  token // waits for room in Out[0]
	Holds bool
}

// node is a module of a random design that uses every feature of the kernel. It passes tokens from
// its inputs on, in bursts, with short and long pauses. It also reads a neighbour, reads wires and
// keeps a memory.
type node struct {
	rtl.State[nodeState]
	In      []rtl.In[token]
	Out     []rtl.Out[token]
	Hear    []*rtl.Wire[uint8]
	Say     rtl.Wire[uint8]
	Table   *rtl.Mem[[3]uint16] `trace:"true"`
	Friend  *node
	sim     *rtl.Sim
	id      uint16
	pause   uint32
	chatter bool // makes its own tokens
}

func (n *node) Tick() {
	q, d := n.Regs()
	heard := uint8(q.Seed)
	for _, w := range n.Hear {
		heard += w.Get()
	}
	n.Say.Set(heard >> 3)
	now := n.sim.Now()
	if q.Holds {
		if n.Out[0].Ready() { // otherwise the queue wakes the node
			n.Out[0].Push(q.Held)
			d.Holds = false
		}
		return
	}
	if now < q.Until {
		n.sim.WakeAt(q.Until)
		return
	}
	seed := q.Seed
	random := func(below uint32) uint32 {
		seed ^= seed << 13
		seed ^= seed >> 17
		seed ^= seed << 5
		return seed >> 8 % below
	}
	busy := false
	sum := q.Sum + uint64(n.Friend.Q().Seed) + uint64(heard)
	for i, in := range n.In {
		for want := 1 + random(3); want > 0 && in.Valid(); want-- {
			t := *in.Front()
			if in.Len() > 1 {
				sum += uint64(in.Peek(1).Value)
			}
			in.Pop()
			busy = true
			sum = sum*31 + uint64(t.Value)
			d.Took[i&3]++
			d.Odd = !d.Odd
			e := n.Table.Edit(int(t.Value) % n.Table.Len())
			e[t.From%3] += uint16(t.Hops)
			t = token{t.Value + uint32(n.Table.At(int(t.From) % n.Table.Len())[1]), t.Hops + 1, n.id}
			if out := n.Out[int(random(64))%len(n.Out)]; t.Hops > 200 {
				continue
			} else if out.Ready() {
				out.Push(t)
			} else {
				d.Held, d.Holds = t, true
			}
		}
	}
	if n.chatter {
		busy = true
		for _, out := range n.Out {
			for want := random(3); want > 0 && out.Free() > 1; want-- {
				*out.PushSlot() = token{Value: random(1000), From: n.id}
			}
		}
	}
	if !busy {
		return
	}
	d.Seed, d.Sum = seed, sum
	d.Until = now + 1 + uint64(random(n.pause))
	if random(16) == 0 {
		d.Until += uint64(random(700))
	}
}

// randomDesign wires n nodes in a ring with chords. Wires and queues with Flow lead from lower to
// higher numbers. Queues with Pipe lead down, so that there is no loop.
func randomDesign(n int, seed uint64) []*node {
	r := rand.New(rand.NewPCG(seed, 1))
	nodes := make([]*node, n)
	for i := range nodes {
		nodes[i] = &node{
			Table: rtl.NewMem[[3]uint16](1 + r.IntN(9)), id: uint16(i),
			pause: 1 + r.Uint32N(1+r.Uint32N(40)), chatter: i%7 == 0,
		}
		nodes[i].Init(nodeState{Seed: r.Uint32() | 1})
		for range r.IntN(3) {
			if i > 0 {
				nodes[i].Hear = append(nodes[i].Hear, &nodes[r.IntN(i)].Say)
			}
		}
	}
	for i, x := range nodes {
		x.Friend = nodes[r.IntN(n)]
		for k := range 1 + r.IntN(2) {
			to := (i + 1) % n
			if k > 0 {
				to = r.IntN(n)
			}
			var opts []rtl.QueueOption
			long := r.IntN(3) == 0
			if long {
				opts = append(opts, rtl.Latency(1+uint64(r.IntN(1+r.IntN(600)))))
			}
			if r.IntN(3) == 0 {
				if to > i && !long {
					opts = append(opts, rtl.Flow())
				} else if to < i {
					opts = append(opts, rtl.Pipe())
				}
			}
			q := rtl.NewQueue[token](1+r.IntN(9), opts...)
			x.Out = append(x.Out, q.Out())
			nodes[to].In = append(nodes[to].In, q.In())
		}
	}
	return nodes
}

func randomSim(n int, seed uint64) *rtl.Sim {
	return rtl.MustNew("ring", &struct{ Node []*node }{randomDesign(n, seed)})
}

func TestRandomDesigns(t *testing.T) {
	for _, n := range []int{1, 2, 9, 40, 100} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%d nodes, seed %d", n, seed), func(t *testing.T) {
				rtltest.Properties(t, func() *rtl.Sim { return randomSim(n, seed) }, 700)
			})
		}
	}
}

// TestLargeDesign: more than 512 processes need more than one cache line for each process set.
func TestLargeDesign(t *testing.T) {
	rtltest.Properties(t, func() *rtl.Sim { return randomSim(1500, 5) }, 60)
}

// TestRandomDesignIsAlive: the random design must be active, otherwise its properties would prove
// nothing.
func TestRandomDesignIsAlive(t *testing.T) {
	nodes := randomDesign(40, 1)
	k := rtl.MustNew("ring", &struct{ Node []*node }{nodes})
	k.Run(3000)
	took := 0
	for _, n := range nodes {
		for _, x := range n.Q().Took {
			took += int(x)
		}
	}
	require.Greater(t, took, 1000)
	require.Less(t, k.Evals(), uint64(40*3000*3/4), "nodes must sleep, too")
}
