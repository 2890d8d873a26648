package rtl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// seen holds the entries that the taps of a queue report, by cycle.
type seen [][]uint32

func (s seen) tap(cycle uint64, v *uint32) { s[cycle] = append(s[cycle], *v) }

// TestTap: taps of every kind of queue report the entries that its ends log, until they leave. They
// change nothing.
func TestTap(t *testing.T) {
	const cycles, half = 200, 100
	check := func(t *testing.T, p *queuePair, run func(uint64)) {
		out, in := p.Push.Out, p.Pop.In
		pushed, popped := make(seen, cycles), make(seen, cycles)
		pushed2, popped2 := make(seen, cycles), make(seen, cycles)
		leave := []func(){out.Tap(pushed.tap), in.Tap(popped.tap), out.Tap(pushed2.tap), in.Tap(popped2.tap)}
		run(half)
		leave[0]()
		leave[1]()
		run(cycles - half)
		leave[2]()
		leave[3]()
		for c := range cycles {
			require.Equal(t, p.Push.log[c].values, pushed2[c], "pushed in cycle %d", c)
			require.Equal(t, p.Pop.log[c].values, popped2[c], "popped in cycle %d", c)
		}
		run(10)
		total := 0
		for c := range cycles {
			if c >= half {
				require.Empty(t, pushed[c])
				require.Empty(t, popped[c])
				continue
			}
			require.Equal(t, p.Push.log[c].values, pushed[c], "pushed in cycle %d", c)
			require.Equal(t, p.Pop.log[c].values, popped[c], "popped in cycle %d", c)
			total += len(popped[c])
		}
		require.NotZero(t, total)
	}
	for name, opts := range map[string][]rtl.QueueOption{
		"registered": nil, "latency": {rtl.Latency(5)}, "pipe": {rtl.Pipe()}, "flow": {rtl.Flow()},
	} {
		t.Run(name, func(t *testing.T) {
			q := rtl.NewQueue[uint32](3, opts...)
			p := newQueuePair(q.Out(), q.In(), bursts{2, 0, 1}, bursts{0, 3, 0, 1})
			s := rtl.MustNew("top", p)
			check(t, p, s.Run)
			if opts == nil {
				requireFifo(t, p, 3, func(c int) int { return c + 1 }, func(c int) int { return c + 1 })
			}
		})
	}
	t.Run("link", func(t *testing.T) {
		s, p := newLinkPair(t, coreHz, coreHz, 8, 3, bursts{2, 0, 1}, bursts{0, 3, 0, 1}, true)
		require.NoError(t, s.Elaborate())
		check(t, p, func(n uint64) { s.Run(s.Domains()[0], n) })
	})
}
