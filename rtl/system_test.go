package rtl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

const (
	coreHz = 1_300_000_000 // Fermi shader, interconnect and memory clocks
	icntHz = 650_000_000
	dramHz = 800_000_000
)

// edges counts the clock edges of its domain.
type edges struct {
	rtl.State[struct{ N uint64 }]
}

func (e *edges) Tick() { e.D().N++ }

func add(t require.TestingT, s *rtl.System, name string, d *rtl.Domain, root any) *rtl.Sim {
	k, err := s.Add(name, d, root)
	require.NoError(t, err)
	return k
}

func TestDomainEdgesInAMillisecond(t *testing.T) {
	s := rtl.NewSystem("gpu")
	var e [3]*edges
	var d [3]*rtl.Domain
	for i, hz := range []uint64{coreHz, icntHz, dramHz} {
		d[i] = s.Domain([]string{"core", "icnt", "dram"}[i], hz)
		e[i] = new(edges)
		add(t, s, d[i].Name(), d[i], e[i])
	}
	s.Run(d[2], 800_000) // 1 ms
	assert.Equal(t, []uint64{1_300_000, 650_000, 800_000}, []uint64{e[0].Q().N, e[1].Q().N, e[2].Q().N})
	for i, n := range []uint64{1_300_000, 650_000, 800_000} {
		assert.Equal(t, n, d[i].Now())
		assert.Equal(t, uint64(1e12), d[i].Fs(n), "1 ms in fs")
	}
	assert.Equal(t, uint64(769_230), d[0].Fs(1), "1/1.3 GHz = 769230.77 fs")
	assert.Equal(t, uint64(10_000_000), d[0].Fs(13))
	assert.Equal(t, uint64(18_000e15), d[0].Fs(18_000*coreHz), "5 hours do not overflow")
	s.Run(d[0], 1) // up to the second edge of the core after 1 ms: one edge of each
	assert.Equal(t, []uint64{1_300_001, 650_001, 800_001}, []uint64{e[0].Q().N, e[1].Q().N, e[2].Q().N})
}

// newLinkPair puts the two ends of a link into islands with the given clocks.
func newLinkPair(t require.TestingT, from, to uint64, capacity int, latency uint64, push, pop bursts,
	swap bool,
) (*rtl.System, *queuePair) {
	l := rtl.NewLink[uint32](capacity, latency)
	p := newQueuePair(l.Out(), l.In(), push, pop)
	s := rtl.NewSystem("pair")
	a, b := s.Domain("a", from), s.Domain("b", to)
	if !swap { // the order of the islands does not matter
		add(t, s, "push", a, p.Push)
		add(t, s, "pop", b, p.Pop)
	} else {
		add(t, s, "pop", b, p.Pop)
		add(t, s, "push", a, p.Push)
	}
	return s, p
}

// TestLinkThroughput: a link between equal clocks carries an entry a cycle if its capacity covers
// the latency of both directions.
func TestLinkThroughput(t *testing.T) {
	for capacity, want := range map[int]uint32{16: 984, 8: 496} {
		s, p := newLinkPair(t, coreHz, coreHz, capacity, 8, bursts{3}, bursts{3}, false)
		s.Run(s.Domains()[0], 1000)
		assert.InDelta(t, want, p.Pop.Q().Got, 10, "capacity %d", capacity)
	}
}

// relay returns each entry in the cycle in which it gets it. A relay that serves begins in cycle 0.
type relay struct {
	rtl.State[struct {
		Served bool
		Got    uint64
		Last   uint64 // cycle
	}]
	In     rtl.In[uint32]
	Out    rtl.Out[uint32]
	serves bool
	sim    *rtl.Sim
}

func (r *relay) Tick() {
	q, d := r.Regs()
	if r.serves && !q.Served {
		d.Served = true
		r.Out.Push(1)
	}
	if r.In.Valid() {
		d.Got, d.Last = q.Got+1, r.sim.Now()
		r.In.Pop()
		r.Out.Push(1)
	}
}

// TestRally: a ball arrives in time although, while it is between two islands, nothing happens for
// longer than a quantum.
func TestRally(t *testing.T) {
	const there, back, cycles = 3, 40, 1000
	for first := range 2 {
		to, fro := rtl.NewLink[uint32](2, there), rtl.NewLink[uint32](2, back)
		p := [2]*relay{{In: fro.In(), Out: to.Out(), serves: true}, {In: to.In(), Out: fro.Out()}}
		s := rtl.NewSystem("court")
		d := s.Domain("core", coreHz)
		for i := range p {
			add(t, s, fmt.Sprintf("player%d", (i+first)%2), d, p[(i+first)%2])
		}
		s.Run(d, cycles)
		rounds := uint64((cycles - 1) / (there + back))
		assert.Equal(t, rounds, p[0].Q().Got, "player %d first", first)
		assert.Equal(t, rounds*(there+back), p[0].Q().Last)
		assert.Equal(t, rounds*(there+back)+there, p[1].Q().Last)
	}
}

// randomSystem spreads random nodes over islands in three domains, joined by links.
func randomSystem(t *testing.T, islands, size int, seed uint64) *rtl.System {
	r := rand.New(rand.NewPCG(seed, 3))
	s := rtl.NewSystem("system")
	d := []*rtl.Domain{s.Domain("core", coreHz), s.Domain("icnt", icntHz), s.Domain("dram", dramHz)}
	nodes := make([][]*node, islands)
	for i := range nodes {
		nodes[i] = randomDesign(size, seed<<8+uint64(i))
	}
	for i := range nodes {
		for range 3 {
			to := (i + 1 + r.IntN(islands)) % islands // sometimes its own island
			l := rtl.NewLink[token](1+r.IntN(20), 1+uint64(r.IntN(30)))
			a, b := nodes[i][r.IntN(size)], nodes[to][r.IntN(size)]
			a.Out = append(a.Out, l.Out())
			b.In = append(b.In, l.In())
		}
	}
	for i, x := range nodes {
		add(t, s, fmt.Sprintf("island%d", i), d[i%3], &struct{ Node []*node }{x})
	}
	return s
}

func TestRandomSystems(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rtltest.SystemProperties(t, func() *rtl.System { return randomSystem(t, 2+int(seed)*2, 8, seed) }, 900)
		})
	}
}

func TestSystemErrors(t *testing.T) {
	s := rtl.NewSystem("gpu")
	core := s.Domain("core", coreHz)
	q := rtl.NewQueue[uint32](2)
	p := newQueuePair(q.Out(), q.In(), nil, nil)
	_, err := s.Add("a", core, &struct {
		Push *pusher
		In   rtl.In[uint32]
	}{p.Push, q.In()})
	require.NoError(t, err)
	_, err = s.Add("b", core, p.Pop)
	require.EqualError(t, err, "b.In is connected to queue a.Push.Out of a: only a Link may connect islands")
	_, err = s.Add("c", core, p)
	require.ErrorContains(t, err, "c.Push, a *rtl_test.pusher, is already part of island a: only a Link may connect islands")

	l := rtl.NewLink[uint32](2, 4)
	p = newQueuePair(l.Out(), l.In(), nil, nil)
	_, err = rtl.New("alone", p)
	require.ErrorContains(t, err, "alone.Push.Out is an end of a Link: Links are for the islands of a System, use a Queue")
	s = rtl.NewSystem("gpu")
	core = s.Domain("core", coreHz)
	add(t, s, "a", core, p.Push)
	require.EqualError(t, s.Elaborate(), "link a.Out has no consumer: its In end is in no island")
	add(t, s, "b", core, p.Pop)
	require.NoError(t, s.Elaborate())
	_, err = s.Add("c", core, new(edges))
	require.EqualError(t, err, "rtl: gpu: island c comes after the first run")
	assert.PanicsWithValue(t, "rtl: Run of island a: a System runs its islands", func() { s.Sims()[0].Run(1) })

	s = rtl.NewSystem("gpu")
	_, err = s.Add("a", s.Domain("dead", 0), new(edges))
	require.EqualError(t, err, "rtl: gpu: domain dead has a frequency of 0 Hz")
	s = rtl.NewSystem("gpu")
	s.Domain("a", 1_000_000_007)
	_, err = s.Add("b", s.Domain("b", 998_244_353), new(edges))
	require.EqualError(t, err, "rtl: gpu: domain b: its frequency of 998244353 Hz has too odd a ratio to the others")
	_, err = rtl.NewSystem("other").Add("b", core, new(edges))
	require.EqualError(t, err, "rtl: other: island b: domain core is of another system")
}

// bomb panics in a given cycle.
type bomb struct {
	rtl.State[struct{ N uint32 }]
	At  uint32
	Msg string
}

func (b *bomb) Tick() {
	b.D().N++
	if b.Q().N == b.At {
		panic(b.Msg)
	}
}

func TestPanicOfAnIslandSurfaces(t *testing.T) {
	for workers := range 4 {
		s := rtl.NewSystem("gpu")
		s.Workers = workers
		d := s.Domain("core", coreHz)
		add(t, s, "a", d, &bomb{At: 10_000})
		add(t, s, "b", d, &bomb{At: 7, Msg: "first in the order of Add"})
		add(t, s, "c", d, &bomb{At: 5, Msg: "first in time"})
		assert.PanicsWithValue(t, "first in the order of Add", func() { s.Run(d, 100) }, "%d workers", workers)
	}
}

func TestSystemStopsWhenIdle(t *testing.T) {
	l := rtl.NewLink[uint32](4, 50)
	q := &lazy{In: l.In()}
	s := rtl.NewSystem("gpu")
	a, b := s.Domain("core", coreHz), s.Domain("dram", dramHz)
	top := &struct{ Out rtl.Out[uint32] }{l.Out()}
	add(t, s, "a", a, top)
	k := add(t, s, "b", b, q)
	p := s.Run(a, 1000)
	assert.Equal(t, rtl.Progress{Cycles: 1000, Idle: true}, p)
	top.Out.Push(3)
	assert.False(t, s.Idle())
	p = s.RunUntil(func() bool { return q.Q().N == 1 }, a, 10_000)
	assert.True(t, p.Done)
	assert.Less(t, p.Cycles, uint64(300))
	// The push belongs to cycle 999 of the core.
	arrival := (999*dramHz+coreHz-1)/coreHz + 50
	assert.Equal(t, uint64(arrival), q.Q().Seen[0])
	p = s.RunUntil(func() bool { return false }, a, 1_000_000)
	assert.True(t, p.Idle)
	assert.Less(t, p.Cycles, uint64(300), "it is no use to go on")
	assert.Less(t, k.Evals(), uint64(10))
	assert.True(t, s.Idle())
}

func TestDomainReset(t *testing.T) {
	s, p := newLinkPair(t, coreHz, dramHz, 8, 4, bursts{1, 2}, bursts{0, 0, 0, 0, 1}, false)
	a := s.Domains()[0]
	s.Run(a, 500)
	require.Greater(t, p.Push.Q().Sent, uint32(20))
	sent, got := p.Push.Q().Sent, p.Pop.Q().Got
	s.Domains()[1].Reset()
	assert.Equal(t, sent, p.Push.Q().Sent, "the other domain keeps its registers")
	assert.Equal(t, uint32(0), p.Pop.Q().Got)
	assert.NotZero(t, got)
	assert.Equal(t, 8, p.Push.Out.Free(), "the link is empty")
	assert.Equal(t, 0, p.Pop.In.Len())
	assert.Equal(t, uint64(500), a.Now(), "time goes on")
	s.Run(a, 100)
	assert.Less(t, p.Pop.Q().Got, p.Push.Q().Sent-sent+1)
	assert.NotZero(t, p.Pop.Q().Got)
}

// TestOnQuantum: the observations of islands, merged by time at the quanta, give one order of
// events. The callback after each quantum gives the time up to which that order is complete.
func TestOnQuantum(t *testing.T) {
	for _, workers := range []int{1, 4} {
		s := randomSystem(t, 5, 6, 7)
		s.Workers = workers
		var events [5][]uint64 // fs, by island
		for i, k := range s.Sims() {
			k.Observe(func(cycle uint64, _ []uint64) { events[i] = append(events[i], k.Domain().Fs(cycle)) })
		}
		var last uint64
		total := 0
		s.OnQuantum(func(fs uint64) {
			require.Greater(t, fs, last)
			for i := range events {
				require.True(t, slices.IsSorted(events[i]))
				for _, at := range events[i] {
					require.GreaterOrEqual(t, at+1_600_000, last, "nothing comes late by more than a cycle")
					require.Less(t, at, fs)
				}
				total += len(events[i])
				events[i] = events[i][:0]
			}
			last = fs
		})
		s.Run(s.Domains()[0], 3000)
		require.Equal(t, s.Domains()[0].Fs(3000), last)
		require.Greater(t, total, 1000)
	}
}

// TestTestbenchPushesIntoALink: an entry that the testbench pushes into a link belongs to the cycle
// before. If the much faster consumer has passed its arrival time, the entry comes in the next
// cycle.
func TestTestbenchPushesIntoALink(t *testing.T) {
	for _, hz := range [][2]uint64{{7, 1000}, {1000, 7}, {5, 5}} {
		l := rtl.NewLink[uint32](4, 2)
		q := &lazy{In: l.In()}
		s := rtl.NewSystem("pair")
		a, b := s.Domain("a", hz[0]), s.Domain("b", hz[1])
		top := &struct{ Out rtl.Out[uint32] }{l.Out()}
		add(t, s, "a", a, top)
		add(t, s, "b", b, q)
		slow := a
		if hz[1] < hz[0] {
			slow = b
		}
		top.Out.Push(1) // cycle 0: there is no cycle before
		s.Run(slow, 50)
		top.Out.Push(2)
		now := b.Now()
		arrival := ((a.Now()-1)*hz[1]+hz[0]-1)/hz[0] + 2 // by the clock of b
		s.Run(slow, 50)
		assert.Equal(t, []uint64{2, max(now, arrival)}, q.Q().Seen[:2], "%v Hz", hz)
	}
}

// stuck never pops.
type stuck struct {
	rtl.State[struct{ Len uint8 }]
	In rtl.In[uint32]
}

func (s *stuck) Tick() { s.D().Len = uint8(s.In.Len()) }

// TestDomainResetWakesTheOtherEnds: the reset of one domain empties its links and wakes both ends.
func TestDomainResetWakesTheOtherEnds(t *testing.T) {
	for reset := range 2 {
		l := rtl.NewLink[uint32](4, 2)
		prod, cons := &insistent{Out: l.Out()}, &stuck{In: l.In()}
		s := rtl.NewSystem("pair")
		a, b := s.Domain("a", 3), s.Domain("b", 3)
		add(t, s, "prod", a, prod)
		add(t, s, "cons", b, cons)
		s.Run(a, 50)
		require.True(t, s.Idle())
		require.Equal(t, uint8(4), cons.Q().Len)
		s.Domains()[reset].Reset()
		s.Run(a, 1)
		assert.Equal(t, uint8(0), cons.Q().Len, "reset of %d", reset)
		assert.False(t, s.Idle())
		s.Run(a, 20)
		assert.Equal(t, uint8(4), cons.Q().Len, "reset of %d", reset)
	}
}

func TestNamesOfASystem(t *testing.T) {
	s := randomSystem(t, 2, 2, 1)
	d := s.Domains()[1]
	assert.Equal(t, "system", s.Name())
	assert.Equal(t, "icnt", d.Name())
	assert.Same(t, d, s.Sims()[1].Domain())
	assert.Nil(t, rtl.MustNew("top", new(edges)).Domain())
	other := randomSystem(t, 3, 2, 1)
	assert.PanicsWithValue(t, "rtl: Restore of system: the snapshot is of another design",
		func() { s.Restore(other.Snapshot()) })
	x := s.Domain("late", 5)
	require.NotNil(t, x)
	s.Run(d, 1)
	s.Domain("too late", 5)
	assert.EqualError(t, s.Elaborate(), "rtl: system: domain too late comes after the first run")
}

// TestSystemRunChecked: a missing sensitivity is found in an island, too.
func TestSystemRunChecked(t *testing.T) {
	blink := new(blinker)
	s := rtl.NewSystem("gpu")
	d := s.Domain("core", coreHz)
	add(t, s, "sm", d, &struct {
		Blink  *blinker
		Forget *forgetful
	}{blink, &forgetful{via: func() uint16 { return *blink.Q() / 8 }}})
	require.EqualError(t, s.RunChecked(d, 100),
		"island sm: cycle 8: process sm.Forget has a missing sensitivity: it sleeps, but if evaluated it changes sm.Forget")
}

// TestAContainerMayHoldTheSystem: a design may point to the System that it is part of.
func TestAContainerMayHoldTheSystem(t *testing.T) {
	s := rtl.NewSystem("gpu")
	d := s.Domain("core", coreHz)
	first := add(t, s, "a", d, new(edges))
	top := &struct {
		*rtl.System
		E    *edges
		Sims []*rtl.Domain
	}{s, new(edges), s.Domains()}
	add(t, s, "b", d, top)
	assert.Same(t, first, s.Sims()[0])
	s.Run(d, 3)
	assert.Equal(t, uint64(3), top.E.Q().N)
}
