package rtl_test

import (
	"fmt"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/rtl"
)

// passage is a case: entries pass through a queue for some cycles.
type passage struct {
	Kind           string
	Capacity       int
	Latency        int
	Pushed, Popped []int // by cycle, repeated
	Cycles         int
	Seed           uint64 // of the order of processes
}

func (p passage) String() string {
	return fmt.Sprintf("%s queue of %d, latency %d, %d cycles in order %d\npush %v\npop  %v", p.Kind, p.Capacity,
		p.Latency, p.Cycles, p.Seed, p.Pushed, p.Popped)
}

func TestQueueProperties(t *testing.T) {
	kinds := map[string]struct {
		opts           []rtl.QueueOption
		arrive, leaves int // cycles until an entry is visible, and its room after the pop
	}{
		"registered": {nil, 1, 1},
		"pipe":       {[]rtl.QueueOption{rtl.Pipe()}, 1, 0},
		"flow":       {[]rtl.QueueOption{rtl.Flow()}, 0, 1},
	}
	forall.Check(t, "entries come out in their order, when the kind of queue says, and none is more than there is room",
		forall.Struct[passage](map[string]gopter.Gen{
			"Kind": forall.OneOf("registered", "pipe", "flow"), "Capacity": forall.OneOf(1, 2, 3, 8, 13,
				64), "Latency": forall.OneOf(1, 1, 2, 17, 150),
			"Pushed": forall.List(20, gen.IntRange(0, 3)), "Popped": forall.List(20,
				gen.IntRange(0, 3)), "Cycles": gen.IntRange(0, 300), "Seed": gen.UInt64Range(0, 9),
		}), func(t *forall.T, c passage) {
			kind := kinds[c.Kind]
			opts, arrive := kind.opts, kind.arrive
			if c.Latency > 1 && c.Kind != "flow" {
				opts, arrive = append(opts, rtl.Latency(uint64(c.Latency))), c.Latency
			}
			q := rtl.NewQueue[uint32](c.Capacity, opts...)
			p := newQueuePair(q.Out(), q.In(), c.Pushed, c.Popped)
			k := rtl.MustNew("top", p)
			k.Reorder(c.Seed)
			k.Run(uint64(c.Cycles))
			require.Len(t, p.Push.log, c.Cycles, "evaluated more or less than once a cycle")
			require.Len(t, p.Pop.log, c.Cycles)
			requireFifo(t, p, c.Capacity,
				func(n int) int { return n + arrive },
				func(n int) int { return n + kind.leaves })
		})
}

// crossing is a case: entries pass through a link between two clocks.
type crossing struct {
	From, To       uint64 // Hz
	Capacity       int
	Latency        uint64
	Pushed, Popped []int // by cycle, repeated
	Runs           []int // cycles of the producer in each run
	Swapped        bool  // the consumer is the first island
}

func (c crossing) String() string {
	return fmt.Sprintf("link of %d, latency %d, from %d to %d Hz, swapped %t, runs of %v cycles\npush %v\npop  %v",
		c.Capacity, c.Latency, c.From, c.To, c.Swapped, c.Runs, c.Pushed, c.Popped)
}

func TestLinkProperties(t *testing.T) {
	clock := forall.OneOf[uint64](coreHz, icntHz, dramHz, 1000, 7)
	forall.Check(t, "entries and credits come at the first edge after the latency, whatever the clocks",
		forall.Struct[crossing](map[string]gopter.Gen{
			"From": clock, "To": clock, "Capacity": forall.OneOf(1, 3, 4, 8, 64),
			"Latency": forall.OneOf[uint64](1, 3, 20, 100),
			"Pushed":  forall.List(20, gen.IntRange(0, 3)), "Popped": forall.List(20, gen.IntRange(0, 3)),
			"Runs": forall.List(5, gen.IntRange(1, 80)), "Swapped": forall.Bool(),
		}).SuchThat(func(c crossing) bool {
			return (c.From <= 1000) == (c.To <= 1000)
		}), func(t *forall.T, c crossing) {
			s, p := newLinkPair(t, c.From, c.To, c.Capacity, c.Latency, c.Pushed, c.Popped, c.Swapped)
			for _, n := range c.Runs { // runs may end within a quantum
				s.Run(s.Domains()[0], uint64(n))
			}
			// Times in units of 1/(From*To) s: a cycle of the producer is To long, one of the consumer From.
			firstEdge := func(time, period uint64) int { return int((time + period - 1) / period) }
			requireFifo(t, p, c.Capacity,
				func(push int) int { return firstEdge(uint64(push)*c.To+c.Latency*c.From, c.From) },
				func(pop int) int { return firstEdge(uint64(pop)*c.From+c.Latency*c.From, c.To) })
		})
}

// edit is a write of a row of a memory, or a change of a part of it.
type edit struct {
	Row   int
	Value uint16
	Whole bool
}

// writer makes edits, and compares what it reads with a plain slice.
type writer struct {
	rtl.State[struct{ N uint32 }]
	Rows      *rtl.Mem[row]
	t         *forall.T
	edits     [][]edit // by cycle
	now, next [12]row
}

func (w *writer) Tick() {
	cycle := w.Q().N
	w.D().N++
	for i := range w.now {
		require.Equal(w.t, w.now[i], *w.Rows.At(i), "cycle %d, row %d", cycle, i)
	}
	for _, e := range w.edits[cycle] {
		next := &w.next[e.Row]
		require.Equal(w.t, *next, *w.Rows.Next(e.Row), "next of row %d in cycle %d", e.Row, cycle)
		if e.Whole {
			*next = row{Tag: e.Value}
			w.Rows.Write(e.Row, *next)
			continue
		}
		staged := w.Rows.Edit(e.Row)
		require.Equal(w.t, *next, *staged, "staged in row %d in cycle %d", e.Row, cycle)
		require.Same(w.t, staged, w.Rows.Edit(e.Row), "second edit of row %d in cycle %d", e.Row, cycle)
		staged.Lane[e.Value%3] += uint32(e.Value)
		next.Lane[e.Value%3] += uint32(e.Value)
	}
	w.now = w.next
}

func TestMemProperties(t *testing.T) {
	forall.Check(t, "a cycle reads what the cycles before it have written",
		forall.List(40, forall.List(5, forall.Struct[edit](map[string]gopter.Gen{
			"Row": gen.IntRange(0, 11), "Value": gen.UInt16Range(0, 3), "Whole": forall.Bool(),
		}))), func(t *forall.T, edits [][]edit) {
			w := &writer{Rows: rtl.NewMem[row](12), t: t, edits: edits}
			w.Rows.Set(3, row{Tag: 77})
			w.now[3].Tag, w.next[3].Tag = 77, 77
			rtl.MustNew("top", &struct{ W *writer }{w}).Run(uint64(len(edits)))
			require.Equal(t, len(edits), int(w.Q().N))
		})
}
