package rtl_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
)

// alarm wakes at the cycles of its list and notes when it ran.
type alarm struct {
	rtl.State[struct {
		Ran [16]uint64
		N   uint8
	}]
	at  []uint64
	sim *rtl.Sim
}

func (a *alarm) Tick() {
	now := a.sim.Now()
	for _, at := range a.at {
		if at == now {
			a.D().Ran[a.Q().N] = now
			a.D().N++
		}
		if at > now {
			a.sim.WakeAt(at)
		}
	}
}

func TestWakeAt(t *testing.T) {
	// These are distances around the length of the timer wheel, and far apart.
	at := []uint64{0, 1, 2, 255, 256, 257, 511, 512, 1000, 1255, 1256, 100_000, 1 << 40}
	a, b := &alarm{at: at}, &alarm{at: []uint64{300, 301, 99_999}}
	k := rtl.MustNew("top", &struct{ A, B *alarm }{a, b})
	k.Run(1<<40 + 2)
	assert.Equal(t, at, a.Q().Ran[:a.Q().N])
	assert.Equal(t, []uint64{300, 301, 99_999}, b.Q().Ran[:b.Q().N])
	assert.Less(t, k.Evals(), uint64(60))
	assert.True(t, k.Idle())
	assert.Equal(t, uint64(1<<40+2), k.Now())
}

func TestWakeAtOfThePast(t *testing.T) {
	a := &alarm{}
	k := rtl.MustNew("top", a)
	k.Run(5)
	require.True(t, k.Idle())
	k.WakeAt(rtl.Never)
	require.True(t, k.Idle())
	k.WakeAt(2) // as by a process in cycle 4
	require.False(t, k.Idle())
	evals := k.Evals()
	k.Run(10)
	assert.Equal(t, uint64(1), k.Evals()-evals)
}

func TestRunUntil(t *testing.T) {
	a := &alarm{at: []uint64{100, 5000}}
	k := rtl.MustNew("top", a)
	seen := func(n uint8) func() bool { return func() bool { return a.Q().N == n } }
	assert.True(t, k.RunUntil(seen(1), 1000))
	assert.Equal(t, uint64(101), k.Now())
	assert.True(t, k.RunUntil(seen(1), 1000), "it holds at once")
	assert.Equal(t, uint64(101), k.Now())
	assert.False(t, k.RunUntil(seen(2), 1000))
	assert.Equal(t, uint64(1101), k.Now())
	assert.True(t, k.RunUntil(seen(2), 1_000_000))
	assert.Equal(t, uint64(5001), k.Now())
	assert.False(t, k.RunUntil(seen(3), 1_000_000))
	assert.Less(t, k.Evals(), uint64(10))
}

// forgetful reads a module through a function, so that its fields do not show it.
type forgetful struct {
	rtl.State[uint16]
	via func() uint16
}

func (f *forgetful) Tick() { *f.D() = f.via() }

// liar drives a wire that it does not list.
type liar struct {
	Out, More rtl.Wire[bool]
	Blink     *blinker
}

func (l *liar) Processes() []rtl.Proc {
	return []rtl.Proc{
		{Name: "more", Fn: func() {}, Drives: []rtl.AnyWire{&l.More}},
		{Name: "out", Fn: func() {
			l.Out.Set(*l.Blink.Q() > 5)
			l.More.Set(*l.Blink.Q() > 5)
		}, Drives: []rtl.AnyWire{&l.Out}},
	}
}

// sleeper changes something each time it is evaluated, which a process must not do.
type sleeper struct {
	Out  rtl.Out[uint16] `rtl:"optional"`
	Mem  *rtl.Mem[uint16]
	Wire rtl.Wire[uint16]
	do   func(*sleeper)
}

func (s *sleeper) Tick() { s.do(s) }

func TestRunChecked(t *testing.T) {
	blink := new(blinker)
	top := &struct {
		Blink  *blinker
		Forget *forgetful
	}{blink, &forgetful{via: func() uint16 { return *blink.Q() / 8 }}}
	k := rtl.MustNew("top", top)
	require.EqualError(t, k.RunChecked(100),
		"cycle 8: process top.Forget has a missing sensitivity: it sleeps, but if evaluated it changes top.Forget")

	reader := &inverter{}
	l := &liar{Blink: new(blinker)}
	reader.In = &l.More
	k = rtl.MustNew("top", &struct {
		R *inverter
		B *blinker
		L *liar
	}{reader, l.Blink, l})
	require.EqualError(t, k.RunChecked(100),
		"cycle 6: process top.L.out wakes top.R in the same cycle, which runs before it: "+
			"it drives a wire that it does not list in Drives")

	count := uint16(0)
	for want, do := range map[string]func(*sleeper){
		"uses queue top.S.Out": func(s *sleeper) { s.Out.Push(1) },
		"writes a Mem":         func(s *sleeper) { s.Mem.Edit(0); s.Mem.Write(1, count) },
		"changes a wire, or uses a queue with Pipe or Flow": func(s *sleeper) { s.Wire.Set(count) },
	} {
		q := rtl.NewQueue[uint16](64)
		s := &sleeper{Out: q.Out(), Mem: rtl.NewMem[uint16](2)}
		s.do = func(s *sleeper) {
			if count++; count > 1 {
				do(s)
			}
		}
		count = 0
		hear := &listener{In: &s.Wire}
		k := rtl.MustNew("top", &struct {
			S  *sleeper
			In rtl.In[uint16]
			H  *listener
		}{s, q.In(), hear})
		require.EqualError(t, k.RunChecked(10),
			"cycle 1: process top.S has a missing sensitivity: it sleeps, but if evaluated it "+want)
	}
}

type listener struct{ In *rtl.Wire[uint16] }

func (*listener) Tick() {}

// floats holds not-a-number and minus zero. They are values like others, and its state sleeps.
type floats struct {
	rtl.State[struct{ A, B float64 }]
}

func (f *floats) Tick() {
	f.D().A = math.NaN()
	f.D().B = math.Copysign(0, -1)
}

func TestFloatsInAState(t *testing.T) {
	f := new(floats)
	k := rtl.MustNew("top", f)
	k.Run(100)
	assert.True(t, math.IsNaN(f.Q().A))
	assert.True(t, math.Signbit(f.Q().B), "0 to -0 is a change")
	assert.Equal(t, uint64(2), k.Evals())
	require.NoError(t, k.RunChecked(10))
}

func TestInitAfterElaborationWakesReaders(t *testing.T) {
	a := &alarm{}
	k := rtl.MustNew("top", a)
	fresh := k.Hash()
	k.Run(10)
	evals := k.Evals()
	s := *a.Q()
	s.N = 5
	a.Init(s)
	assert.NotEqual(t, fresh, k.Hash())
	k.Run(10)
	assert.Equal(t, uint64(1), k.Evals()-evals)
	assert.Equal(t, uint8(5), a.Q().N)
	k.Reset()
	assert.Equal(t, uint8(0), a.Q().N, "reset is what it was at elaboration")
	assert.Equal(t, fresh, k.Hash())
}

// sums keeps values outside registers.
type sums struct {
	rtl.State[uint16]
	rtl.In[uint16] `rtl:"optional"`
	total          uint16
	table          []uint16
	kept           [2]uint16 `rtl:"scratch"`
	rows           []*uint16 `rtl:"scratch"`
	do             func(*sums)
}

func (s *sums) Tick() { s.do(s) }

// TestNothingOutlivesATick: a checked run finds values that last from one Tick to the next outside
// registers. It reports a changed parameter in the same cycle. Scratch that is read before it is
// written makes its result differ from that of Run.
func TestNothingOutlivesATick(t *testing.T) {
	build := func(do func(*sums)) *rtl.Sim {
		return rtl.MustNew("top", &struct{ S *sums }{&sums{
			table: make([]uint16, 2), rows: []*uint16{new(uint16)},
			do: do,
		}})
	}
	for name, do := range map[string]func(*sums){
		"total": func(s *sums) { s.total++ },
		"table": func(s *sums) { s.table[1] = 3 },
	} {
		require.ErrorContains(t, build(do).RunChecked(10), "cycle 0: process top.S changes top.S."+name+
			", which is a parameter")
	}
	both := func(do func(*sums)) (run, checked *rtl.Sim) {
		run, checked = build(do), build(do)
		run.Run(10)
		require.NoError(t, checked.RunChecked(10))
		return run, checked
	}
	run, checked := both(func(s *sums) {
		s.kept, s.total, s.rows[0] = [2]uint16{1, 2}, 0, nil
		*s.D() = min(*s.Q()+s.kept[1], 9)
	})
	require.Equal(t, run.Hash(), checked.Hash())
	run, checked = both(func(s *sums) { *s.D() = s.kept[0]; s.kept[0] = 7 })
	require.NotEqual(t, run.Hash(), checked.Hash())
	require.Panics(t, func() { _ = build(func(s *sums) { *s.rows[0] = 1 }).RunChecked(1) })
}

// late calls WakeAt only if it is evaluated in cycle 5, which never happens.
type late struct {
	rtl.State[uint16]
	sim *rtl.Sim
}

func (l *late) Tick() {
	if l.sim.Now() == 5 {
		l.sim.WakeAt(10)
	}
	if l.sim.Now() >= 10 {
		*l.D() = 1
	}
}

// TestCheckDoesNotWake: a sleeping process evaluated for the check must not get wake-ups that it
// requests then.
func TestCheckDoesNotWake(t *testing.T) {
	require.EqualError(t, rtl.MustNew("top", new(late)).RunChecked(20),
		"cycle 10: process top has a missing sensitivity: it sleeps, but if evaluated it changes top")
}

func TestResetIsNew(t *testing.T) {
	for seed := range uint64(5) {
		k := randomSim(30, seed)
		fresh := k.Hash()
		k.Run(1000)
		require.NotEqual(t, fresh, k.Hash())
		k.Reset()
		require.Equal(t, fresh, k.Hash())
		require.Equal(t, uint64(0), k.Now())
		s := randomSystem(t, 4, 5, seed)
		fresh = s.Hash()
		s.Run(s.Domains()[0], 1000)
		require.NotEqual(t, fresh, s.Hash())
		s.Reset()
		require.Equal(t, fresh, s.Hash())
		require.Equal(t, uint64(0), s.Domains()[0].Now())
	}
}

func TestResetForgetsWakeUps(t *testing.T) {
	a := &alarm{at: []uint64{10, 1000}}
	k := rtl.MustNew("top", a)
	k.Run(5)
	k.Reset()
	assert.NotPanics(t, func() { k.Reorder(1) }, "nothing is pending")
	k.Run(2000)
	assert.Equal(t, []uint64{10, 1000}, a.Q().Ran[:a.Q().N])
}

func TestRestoreRefusesAnotherDesign(t *testing.T) {
	a := rtl.MustNew("top", &alarm{})
	b := rtl.MustNew("top", new(blinker))
	assert.PanicsWithValue(t, "rtl: Restore of top: the snapshot is of another design",
		func() { b.Restore(a.Snapshot()) })
	assert.PanicsWithValue(t, "rtl: Reorder of top while it runs: Reset it first", func() {
		k := rtl.MustNew("top", &alarm{at: []uint64{1000}})
		k.Run(10)
		k.Reorder(1)
	})
}

func TestShuffledOrdersDiffer(t *testing.T) {
	// Only a log of evaluations, which is outside the rules, shows the order.
	var log []int
	build := func(seed uint64) []int {
		log = nil
		top := &struct{ F []*forgetful }{}
		for i := range 20 {
			top.F = append(top.F, &forgetful{via: func() uint16 { log = append(log, i); return 0 }})
		}
		k := rtl.MustNew("top", top)
		k.Reorder(seed)
		k.Run(1)
		return log
	}
	one, two := build(1), build(2)
	assert.NotEqual(t, one, two)
	assert.ElementsMatch(t, one, two)
	assert.Equal(t, one, build(1))
}

// hoarder keeps the pointer to its next state. It should call D in each cycle.
type hoarder struct {
	rtl.State[struct{ N uint32 }]
	next *struct{ N uint32 } `rtl:"-"`
	sim  *rtl.Sim
}

func (h *hoarder) Tick() {
	h.sim.WakeAt(h.sim.Now() + 1)
	if h.next == nil {
		h.next = h.D()
	}
	h.next.N++
}

// TestNextStateIsAskedForEachCycle: the edge ignores a state without a request in the cycle. A
// checked run compares it, and differs.
func TestNextStateIsAskedForEachCycle(t *testing.T) {
	want, got := new(hoarder), new(hoarder)
	k, c := rtl.MustNew("top", want), rtl.MustNew("top", got)
	k.Run(5)
	require.NoError(t, c.RunChecked(5))
	assert.Equal(t, uint32(1), want.Q().N)
	assert.Equal(t, uint32(5), got.Q().N)
}
