package rtl

import (
	"runtime"
	"sync/atomic"
	"time"
)

// crew runs the islands of a system on several goroutines, each with its share of the islands. An
// island touches no other island during a quantum, so shares and timing cannot influence a result.
type crew struct {
	members []*member // the first is the caller of Run
	busy    []*member // the others that have a share
	to      uint64    // tick to advance to
	stop    bool
	quanta  uint64
}

// member is one goroutine of a crew. It takes the islands of its share from the first on. When none
// are left, it takes those of the others from the last on. So no member waits longer than one
// island takes, and nearly all islands stay in the caches of one processor.
type member struct {
	share []*island
	// the untaken islands of the share in this quantum: index of the first; in the upper half,
	// index of the end
	left        atomic.Uint64
	start, done gate      // count quanta
	ran         []*island // in this quantum
	failed      *failure  // in this quantum
	_           [64]byte  // members are written by different processors
}

// failure is a panic of an island.
type failure struct {
	island *island
	value  any
}

const (
	rebalance = 256 // quanta that ran together between two deals of the shares
	sample    = 16  // one of so many quanta measures the time of each island
)

// quantumRunner makes two functions: advance runs all islands up to a tick, and stop ends the
// goroutines.
func (s *System) quantumRunner() (advance func(to uint64) error, stop func()) {
	n := min(s.Workers, len(s.islands), runtime.GOMAXPROCS(0))
	if n <= 1 {
		return func(to uint64) error {
			s.advance(to)
			return nil
		}, func() {}
	}
	c := &crew{members: []*member{new(member)}}
	s.pace.crew = n
	advance = func(to uint64) error {
		if n := s.pace.members(s.evaluations); n > 1 {
			c.together(s, n, to)
		} else {
			s.advance(to)
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

// together advances all islands: each of the first n members its share.
func (c *crew) together(s *System, n int, to uint64) {
	for len(c.members) < n {
		m := &member{start: newGate(), done: newGate()}
		c.members = append(c.members, m)
		go c.follow(m, c.quanta)
	}
	if c.quanta%rebalance == 0 || len(c.busy) != n-1 {
		c.deal(s.islands, n)
	}
	c.to = to
	for _, m := range c.members {
		m.left.Store(uint64(len(m.share)) << 32)
	}
	c.begin()
	c.work(c.members[0])
	for _, m := range c.busy {
		m.done.wait(c.quanta)
	}
	c.surface()
	for _, m := range c.members {
		s.ran = append(s.ran, m.ran...)
		m.ran = m.ran[:0]
	}
	s.regroup()
}

// begin lets the members that have a share start the next quantum.
func (c *crew) begin() {
	c.quanta++
	for _, m := range c.busy {
		m.start.open(c.quanta)
	}
}

// follow does the share of a member in each quantum after the one seen last.
func (c *crew) follow(m *member, seen uint64) {
	for {
		seen = m.start.wait(seen + 1)
		if c.stop {
			return
		}
		c.work(m)
		m.done.open(seen)
	}
}

// work advances the share of a member, then what is left of the others. It keeps a panic for the
// caller of Run.
func (c *crew) work(m *member) {
	var at *island
	defer func() {
		if v := recover(); v != nil {
			m.failed = &failure{at, v}
		}
	}()
	measure := c.quanta%sample == 0
	for at = m.first(); at != nil; at = m.first() {
		m.quantum(at, c.to, measure)
	}
	for _, other := range c.members {
		for at = other.last(); at != nil; at = other.last() {
			m.quantum(at, c.to, measure)
		}
	}
}

// first takes the first island left in a share, nil if there is none.
func (m *member) first() *island {
	for {
		left := m.left.Load()
		if uint32(left) == uint32(left>>32) {
			return nil
		}
		if m.left.CompareAndSwap(left, left+1) {
			return m.share[uint32(left)]
		}
	}
}

// last takes the last island left in a share, nil if there is none.
func (m *member) last() *island {
	for {
		left := m.left.Load()
		if uint32(left) == uint32(left>>32) {
			return nil
		}
		if m.left.CompareAndSwap(left, left-1<<32) {
			return m.share[left>>32-1]
		}
	}
}

// quantum advances an island to a tick. If measure is set it notes the time of an evaluation there:
// the least, since a goroutine may be interrupted.
func (m *member) quantum(i *island, to uint64, measure bool) {
	var start time.Time
	evals := i.sim.evals
	if measure {
		start = time.Now()
	}
	if !i.advance(to) {
		return
	}
	m.ran = append(m.ran, i)
	if n := i.sim.evals - evals; measure && n > 0 {
		if cost := float64(time.Since(start)) / float64(n); i.cost == 0 || cost < i.cost {
			i.cost = cost
		}
	}
}

// surface repeats the panic of the first island in the order of Add that panicked.
func (c *crew) surface() {
	var first *failure
	for _, m := range c.members {
		if f := m.failed; f != nil && (first == nil || f.island.number < first.island.number) {
			first = f
		}
	}
	if first != nil {
		panic(first.value)
	}
}

// deal makes the shares of the first n members by the estimated time of the islands since the last
// deal. A share is a run of islands in the order of Add: islands made together lie together in
// memory. A cache line used by two processors at once costs more than an even deal gains.
func (c *crew) deal(islands []*island, n int) {
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
	c.busy = c.members[1:n]
	before := 0.0
	for _, i := range islands {
		m := c.members[min(int((before+i.work/2)*float64(n)/total), n-1)]
		m.share = append(m.share, i)
		before += i.work
	}
}

// evaluations is the number of process evaluations so far, in all islands.
func (s *System) evaluations() (n uint64) {
	for _, i := range s.islands {
		n += i.sim.evals
	}
	return n
}

// gate holds one goroutine until a count is reached. It spins for about as long as an operating
// system takes to wake a thread, and then gives its processor up. Another process may need it, or
// the member that it waits for.
type gate struct {
	count  atomic.Uint64
	asleep atomic.Bool
	wake   chan struct{}
	_      [64]byte // gates are used by different processors
}

func newGate() gate { return gate{wake: make(chan struct{}, 1)} }

// open releases the goroutine that waits for n.
func (g *gate) open(n uint64) {
	g.count.Store(n)
	if g.asleep.CompareAndSwap(true, false) {
		g.wake <- struct{}{}
	}
}

// wait returns the count once it is at least n.
func (g *gate) wait(n uint64) uint64 {
	const hot = 20_000 // about 10 microseconds
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
