package rtl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
)

// TestMiniEqualsFused: the kernel computes the same as the handwritten step function, in every
// cycle.
func TestMiniEqualsFused(t *testing.T) {
	for _, p := range append(profiles, profile{"odd", 150, 3, 63, 13}) {
		t.Run(p.Name, func(t *testing.T) {
			m, f := newMini(p), newFused(p)
			for c := range 20_000 {
				m.Run(1)
				f.Run(1)
				require.Equal(t, f.dump(nil), m.dump(nil), "cycle %d", c)
			}
		})
	}
}

func TestMiniProperties(t *testing.T) {
	for _, p := range append(profiles, profile{"odd", 150, 3, 63, 13}) {
		t.Run(p.Name, func(t *testing.T) {
			rtltest.Properties(t, func() *rtl.Sim { return newMini(p).Sim }, 5000)
		})
	}
}

func BenchmarkMini(b *testing.B) {
	for _, p := range profiles {
		b.Run("kernel/"+p.Name, func(b *testing.B) {
			m := newMini(p)
			m.Run(100_000)
			e := m.Evals()
			b.ReportAllocs()
			b.ResetTimer()
			m.Run(uint64(b.N))
			b.ReportMetric(float64(m.Evals()-e)/float64(b.N), "evals/op")
		})
		b.Run("fused/"+p.Name, func(b *testing.B) {
			m := newFused(p)
			m.Run(100_000)
			b.ReportAllocs()
			b.ResetTimer()
			m.Run(uint64(b.N))
		})
	}
}

// TestNothingAllocates: the kernel allocates nothing once a design runs.
func TestNothingAllocates(t *testing.T) {
	m := newMini(busyProfile)
	m.Run(1000)
	assert.Zero(t, testing.AllocsPerRun(100, func() { m.Run(100) }), "mini")
	m.Observe(func(uint64, []uint64) {})
	assert.Zero(t, testing.AllocsPerRun(100, func() { m.Run(100) }), "mini, observed")
	k := randomSim(50, 1)
	k.Run(3000)
	assert.Zero(t, testing.AllocsPerRun(100, func() { k.Run(100) }), "random design")
	s := randomSystem(t, 4, 8, 1)
	d := s.Domains()[0]
	s.Run(d, 3000)
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() { s.Run(d, 100) }), 1.0, "random system")
}

// BenchmarkProcess is the cost of evaluating a process that counts, in a design of n such
// processes.
func BenchmarkProcess(b *testing.B) {
	for _, n := range []int{1, 30, 300, 1200} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			top := &struct{ E []*edges }{}
			for range n {
				top.E = append(top.E, new(edges))
			}
			k := rtl.MustNew("top", top)
			k.Run(10)
			b.ReportAllocs()
			b.ResetTimer()
			k.Run(uint64(b.N/n + 1))
		})
	}
}

// BenchmarkObserved is the busy workload with an observer that does nothing, to be compared with BenchmarkMini.
func BenchmarkObserved(b *testing.B) {
	m := newMini(busyProfile)
	m.Observe(func(uint64, []uint64) {})
	m.Run(100_000)
	b.ReportAllocs()
	b.ResetTimer()
	m.Run(uint64(b.N))
}

// feeder pushes an entry a cycle, eater takes it: two processes and a queue.
type feeder struct {
	rtl.State[struct{ N uint32 }]
	Out rtl.Out[uint32]
}

func (f *feeder) Tick() {
	if f.Out.Ready() {
		f.Out.Push(f.Q().N)
		f.D().N++
	}
}

type eater struct {
	rtl.State[struct{ Sum uint32 }]
	In rtl.In[uint32]
}

func (e *eater) Tick() {
	if e.In.Valid() {
		e.D().Sum += *e.In.Front()
		e.In.Pop()
	}
}

// BenchmarkQueue is a cycle in which one entry enters a queue and one leaves, with both processes.
func BenchmarkQueue(b *testing.B) {
	for _, x := range []struct {
		name string
		opts []rtl.QueueOption
	}{
		{"registered", nil},
		{"pipe", []rtl.QueueOption{rtl.Pipe()}},
		{"flow", []rtl.QueueOption{rtl.Flow()}},
		{"latency 10", []rtl.QueueOption{rtl.Latency(10)}},
		{"latency 400", []rtl.QueueOption{rtl.Latency(400)}},
	} {
		b.Run(x.name, func(b *testing.B) {
			q := rtl.NewQueue[uint32](512, x.opts...)
			k := rtl.MustNew("top", &struct {
				F *feeder
				E *eater
			}{&feeder{Out: q.Out()}, &eater{In: q.In()}})
			k.Run(1000)
			b.ReportAllocs()
			b.ResetTimer()
			k.Run(uint64(b.N))
		})
	}
}

// BenchmarkLink is BenchmarkQueue with a link between two islands, which run in turn.
func BenchmarkLink(b *testing.B) {
	l := rtl.NewLink[uint32](512, 64)
	s := rtl.NewSystem("pair")
	d := s.Domain("core", coreHz)
	_, err := s.Add("f", d, &feeder{Out: l.Out()})
	require.NoError(b, err)
	_, err = s.Add("e", d, &eater{In: l.In()})
	require.NoError(b, err)
	s.Run(d, 1000)
	b.ReportAllocs()
	b.ResetTimer()
	s.Run(d, uint64(b.N))
}

// BenchmarkWakeAt is a process that sleeps for some cycles at a time. One op is one sleep.
func BenchmarkWakeAt(b *testing.B) {
	for _, pause := range []uint64{2, 100, 1000} {
		b.Run(fmt.Sprint(pause), func(b *testing.B) {
			k := rtl.MustNew("top", &napper{pause: pause})
			b.ReportAllocs()
			k.Run(pause * uint64(b.N))
		})
	}
}

type napper struct {
	pause uint64
	sim   *rtl.Sim
}

func (n *napper) Tick() { n.sim.WakeAt(n.sim.Now() + n.pause) }

// BenchmarkMem writes an entry a cycle.
func BenchmarkMem(b *testing.B) {
	b.Run("8 B", benchmarkMem[[1]uint64])
	b.Run("128 B", benchmarkMem[[16]uint64])
}

func benchmarkMem[T [1]uint64 | [16]uint64](b *testing.B) {
	k := rtl.MustNew("top", &rowWriter[T]{Rows: rtl.NewMem[T](64)})
	k.Run(100)
	b.ReportAllocs()
	b.ResetTimer()
	k.Run(uint64(b.N))
}

type rowWriter[T [1]uint64 | [16]uint64] struct {
	rtl.State[struct{ N uint32 }]
	Rows *rtl.Mem[T]
}

func (w *rowWriter[T]) Tick() {
	(*w.Rows.Edit(int(w.Q().N % 64)))[0]++
	w.D().N++
}

// BenchmarkElaborate elaborates 30 cores of 40 modules.
func BenchmarkElaborate(b *testing.B) {
	for range b.N {
		b.StopTimer()
		top := &struct{ Core [30]struct{ Node []*node } }{}
		for i := range top.Core {
			top.Core[i].Node = randomDesign(40, uint64(i))
		}
		b.StartTimer()
		rtl.MustNew("gpu", top)
	}
}

// BenchmarkIslands runs eight islands of forty nodes, one op a cycle.
func BenchmarkIslands(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprint(workers, " workers"), func(b *testing.B) {
			s := rtl.NewSystem("gpu")
			s.Workers = workers
			d := s.Domain("core", coreHz)
			var links [8]*rtl.Link[uint32]
			for i := range links {
				links[i] = rtl.NewLink[uint32](128, 16)
			}
			for i := range links {
				top := &struct {
					E []*edges
					F *feeder
					T *eater
				}{F: &feeder{Out: links[i].Out()}, T: &eater{In: links[(i+1)%8].In()}}
				for range 40 {
					top.E = append(top.E, new(edges))
				}
				if _, err := s.Add(fmt.Sprint("island", i), d, top); err != nil {
					b.Fatal(err)
				}
			}
			s.Run(d, 1000)
			b.ReportAllocs()
			b.ResetTimer()
			s.Run(d, uint64(b.N))
		})
	}
}
