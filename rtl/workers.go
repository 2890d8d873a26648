package rtl

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew runs the islands of a system on several goroutines, each with its share of the islands. An island touches
// nothing of another during a quantum, so shares and timing cannot influence a result.
type crew struct {
	members []*member // the first is the caller of Run
	busy    []*member // the others that have a share now
	to      uint64    // tick to advance to
	stop    bool
	quanta  uint64
}

// member is one goroutine of a crew.
type member struct {
	share       []*island
	start, done gate     // count quanta
	failed      *failure // of this quantum
	_           [64]byte // members are written by different processors
}

// failure is a panic of an island.
type failure struct {
	island *island
	value  any
}

const (
	rebalance = 256 // quanta together after which the shares are made anew
	sample    = 16  // quanta of which one measures what each island takes
)

// quantumRunner makes the function that advances all islands to a tick, and the one that frees what it needs.
func (s *System) quantumRunner() (advance func(to uint64) error, stop func()) {
	n := min(s.Workers, len(s.islands), runtime.GOMAXPROCS(0))
	if n <= 1 {
		return func(to uint64) error {
			for _, i := range s.islands {
				i.advance(to)
			}
			return nil
		}, func() {}
	}
	c := &crew{members: make([]*member, n)}
	for i := range c.members {
		c.members[i] = &member{start: newGate(), done: newGate()}
		if i > 0 {
			go c.follow(c.members[i])
		}
	}
	advance = func(to uint64) error {
		if s.pace.together(s.evaluations) {
			c.together(s, to)
		} else {
			for _, i := range s.islands {
				i.advance(to)
			}
		}
		return nil
	}
	s.pace.resume()
	return advance, func() {
		s.pace.pause()
		c.stop = true
		c.busy = c.members[1:]
		c.begin()
	}
}

// together advances all islands, each member its share.
func (c *crew) together(s *System, to uint64) {
	if c.quanta%rebalance == 0 {
		c.deal(s.islands)
	}
	c.to = to
	c.begin()
	c.members[0].work(to, c.quanta%sample == 0)
	for _, m := range c.busy {
		m.done.wait(c.quanta)
	}
	c.surface(s.islands)
}

// begin lets the members that have a share start the next quantum.
func (c *crew) begin() {
	c.quanta++
	for _, m := range c.busy {
		m.start.open(c.quanta)
	}
}

// follow does the share of a member in each quantum.
func (c *crew) follow(m *member) {
	for seen := uint64(0); ; {
		seen = m.start.wait(seen + 1)
		if c.stop {
			return
		}
		m.work(c.to, c.quanta%sample == 0)
		m.done.open(seen)
	}
}

// work advances the share and keeps a panic for the caller of Run.
func (m *member) work(to uint64, measure bool) {
	var at *island
	defer func() {
		if v := recover(); v != nil {
			m.failed = &failure{at, v}
		}
	}()
	for _, at = range m.share {
		if measure {
			at.measure(to)
		} else {
			at.advance(to)
		}
	}
}

// measure advances an island and notes what an evaluation takes there: the least that it was, since a goroutine may be
// interrupted.
func (i *island) measure(to uint64) {
	start, evals := time.Now(), i.sim.evals
	i.advance(to)
	if n := i.sim.evals - evals; n > 0 {
		if cost := float64(time.Since(start)) / float64(n); i.cost == 0 || cost < i.cost {
			i.cost = cost
		}
	}
}

// surface panics with what the first island in the order of Add panicked with.
func (c *crew) surface(islands []*island) {
	for _, i := range islands {
		for _, m := range c.members {
			if m.failed != nil && m.failed.island == i {
				panic(m.failed.value)
			}
		}
	}
}

// deal makes the shares by the time that the islands have taken since the last time, as far as it was measured. A share
// is a run of islands in the order of Add: what was made together lies together in memory, and a cache line used by two
// processors at once costs more than an even deal gains.
func (c *crew) deal(islands []*island) {
	total := 0.0
	for _, i := range islands {
		evals := i.sim.evals - i.counted + uint64(len(i.sim.procs))
		i.counted = i.sim.evals
		i.work = float64(evals) * max(i.cost, 1)
		i.cost = 0
		total += i.work
	}
	for _, m := range c.members {
		m.share = m.share[:0]
	}
	n := len(c.members)
	c.busy = c.members[1:]
	before := 0.0
	for _, i := range islands {
		m := c.members[min(int((before+i.work/2)*float64(n)/total), n-1)]
		m.share = append(m.share, i)
		before += i.work
	}
}

// evaluations is the number of them so far, in all islands.
func (s *System) evaluations() (n uint64) {
	for _, i := range s.islands {
		n += i.sim.evals
	}
	return n
}

// gate holds one goroutine until a count is reached. It waits hot for about as long as an operating system takes to
// wake a thread, and then gives its processor up: another process may need it, or the member that it waits for.
type gate struct {
	count  atomic.Uint64
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // gates are used by different processors
}

func newGate() gate { return gate{wake: make(chan struct{}, 1)} }

// open lets the goroutine that waits for n go on.
func (g *gate) open(n uint64) {
	g.count.Store(n)
	if g.asleep.CompareAndSwap(true, false) {
		g.wake <- struct{}{}
	}
}

// wait returns the count, at least n.
func (g *gate) wait(n uint64) uint64 {
	const hot = 20_000 // some 10 microseconds
	for range hot {
		if c := g.count.Load(); c >= n {
			return c
		}
	}
	g.asleep.Store(true)
	if g.count.Load() < n || !g.asleep.CompareAndSwap(true, false) {
		<-g.wake
	}
	return g.count.Load()
}
