package rtl

import (
	"runtime"
	"slices"
	"sync/atomic"
)

// workers runs the islands of a system on several goroutines, each with a fixed share of the islands for some quanta.
// An island touches nothing of another during a quantum, so shares and timing cannot influence a result.
type workers struct {
	shares [][]*island
	to     uint64 // tick to advance to; ^0 ends the workers
	quanta int
	start  atomic.Uint64 // counts quanta
	left   atomic.Int64  // workers that have not finished
	failed []failure     // by worker
}

// failure is a panic of an island.
type failure struct {
	island *island
	value  any
}

const (
	stopWorkers = ^uint64(0)
	rebalance   = 256 // quanta
)

// quantumRunner makes the function that advances all islands to a tick, and the one that frees what it needs.
func (s *System) quantumRunner() (advance func(to uint64) error, stop func()) {
	n := min(s.Workers, len(s.islands), runtime.GOMAXPROCS(0))
	if n <= 1 {
		return func(to uint64) error {
			for _, i := range s.islands {
				i.sim.advance(i.cycle(to))
			}
			return nil
		}, func() {}
	}
	w := &workers{shares: make([][]*island, n), failed: make([]failure, n)}
	for i := 1; i < n; i++ {
		go w.loop(i)
	}
	advance = func(to uint64) error {
		if w.quanta%rebalance == 0 {
			w.balance(s.islands)
		}
		w.quanta++
		w.to = to
		w.left.Store(int64(n - 1))
		w.start.Add(1)
		w.work(0)
		spin(func() bool { return w.left.Load() == 0 })
		w.surface(s.islands)
		return nil
	}
	return advance, func() {
		w.to = stopWorkers
		w.start.Add(1)
	}
}

func (w *workers) loop(me int) {
	for quantum := uint64(1); ; quantum++ {
		spin(func() bool { return w.start.Load() == quantum })
		if w.to == stopWorkers {
			return
		}
		w.work(me)
		w.left.Add(-1)
	}
}

// work advances one share and keeps a panic for the caller of Run.
func (w *workers) work(me int) {
	var at *island
	defer func() {
		if v := recover(); v != nil {
			w.failed[me] = failure{at, v}
		}
	}()
	for _, at = range w.shares[me] {
		at.sim.advance(at.cycle(w.to))
	}
}

// surface panics with what the first island in the order of Add panicked with.
func (w *workers) surface(islands []*island) {
	first, value := len(islands), any(nil)
	for _, f := range w.failed {
		if f.island != nil {
			if i := slices.Index(islands, f.island); i < first {
				first, value = i, f.value
			}
		}
	}
	if value != nil {
		panic(value)
	}
}

// balance deals the islands out by the work they did since the last time: the heaviest first, each to the worker with
// the least so far.
func (w *workers) balance(islands []*island) {
	type load struct {
		i    *island
		work uint64
	}
	loads := make([]load, len(islands))
	for n, i := range islands {
		loads[n] = load{i, i.sim.evals - i.weight + uint64(len(i.sim.procs))}
		i.weight = i.sim.evals
	}
	slices.SortStableFunc(loads, func(a, b load) int {
		switch {
		case a.work > b.work:
			return -1
		case a.work < b.work:
			return 1
		}
		return 0
	})
	sums := make([]uint64, len(w.shares))
	for i := range w.shares {
		w.shares[i] = w.shares[i][:0]
	}
	for _, l := range loads {
		least := 0
		for i := range sums {
			if sums[i] < sums[least] {
				least = i
			}
		}
		w.shares[least] = append(w.shares[least], l.i)
		sums[least] += l.work
	}
}

// spin waits until done, first hot, then letting others run.
func spin(done func() bool) {
	for i := 0; !done(); i++ {
		if i > 1000 {
			runtime.Gosched()
		}
	}
}
