package rtl

import (
	"math/rand/v2"
	"slices"
)

// bind sizes the tables and fills them in the order of e.k.procs.
func (e *elaboration) bind() {
	k := e.k
	for _, p := range k.parts {
		p.home().sim = k
		p.elaborated()
	}
	for _, f := range k.queues {
		f.sim = k
		if f.kind != registered {
			k.timed = append(k.timed, f)
		}
	}
	n := (len(k.procs) + 1 + 63) / 64 // one more: RunChecked has a process that does nothing
	ns, nq, nm := (len(k.states)+63)/64, (len(k.queues)+63)/64, (len(k.mems)+63)/64
	sets := make([]uint64, (3*n+ns+nq+nm+7)&^7) // whole cache lines, not shared with another island
	cut := func(n int) []uint64 {
		s := sets[:n:n]
		sets = sets[n:]
		return s
	}
	k.next, k.dirty, k.ran = cut(n), cut(n), cut(n)
	k.asked, k.usedQueues, k.usedMems = cut(ns), cut(nq), cut(nm)
	for i, h := range k.states {
		h.asked = fan{word: &k.asked[i/64], mask: 1 << (i % 64)}
	}
	for i, f := range k.queues {
		f.touch, f.bit = &k.usedQueues[i/64], 1<<(i%64)
	}
	k.timers = newTimers(n)
	k.flying = make([]uint64, (len(k.timed)+63)/64)
	for i, f := range k.timed {
		f.timer = i
	}
	k.refly()
	k.number()
	k.schedule()
}

// number gives each State, Wire, Queue and traced Mem its group of signals.
func (k *Sim) number() {
	n := 0
	next := func(s storage) {
		s.home().group = n
		n++
	}
	for _, s := range k.states {
		next(s)
	}
	for _, w := range k.wires {
		next(w)
	}
	for _, f := range k.queues {
		next(f)
	}
	for _, m := range k.mems {
		if m.traced {
			next(m)
		}
	}
	for _, f := range k.foreign {
		next(f)
	}
	k.changed = make([]uint64, (n+63)/64)
}

// schedule fills the tables that depend on the order of processes, and wakes all processes.
func (k *Sim) schedule() {
	k.ticks = make([]Ticker, len(k.procs)+1)
	clear(k.next)
	for i, p := range k.procs {
		p.id = i
		k.ticks[i] = p.tick
	}
	k.ticks[len(k.procs)] = tickFunc(func() {})
	for _, s := range k.states {
		s.fan = newFan(k.next, s.readers)
	}
	k.connect()
	for _, w := range k.wires {
		set := k.dirty
		if w.whdr().pin {
			set = k.next
		}
		w.whdr().fan = newFan(set, w.whdr().readers)
	}
	for i, r := range k.mems {
		r.fan = newFan(k.next, r.readers)
		r.used = fan{word: &k.usedMems[i/64], mask: 1 << (i % 64)}
		r.connect()
	}
	for _, f := range k.queues {
		var both []*process
		for i, next := range []*fan{&f.prod, &f.cons} {
			now := []*fan{&f.prodNow, &f.consNow}[i]
			*next, *now = fan{}, fan{}
			if m := f.ends[i]; m != nil {
				*next, *now = newFan(k.next, m.procs), newFan(k.dirty, m.procs)
				both = append(both, m.procs...)
			}
		}
		f.both = newFan(k.next, both)
	}
	k.small = newSmall(k)
	k.wakeAll()
}

// connect sets what each state marks, with an observer or without.
func (k *Sim) connect() {
	for _, h := range k.states {
		h.connect(k.observers.Any())
	}
}

// Reorder orders the processes at random, as far as wires allow, for tests: the order must not
// matter. Call it before the first cycle or after Reset; it panics if an arrival or a timer is due.
func (k *Sim) Reorder(seed uint64) {
	if k.due() != Never {
		panic("rtl: Reorder of " + k.name + " while it runs: Reset it first")
	}
	k.procs = slices.Clone(k.order)
	r := rand.New(rand.NewPCG(seed, 0))
	r.Shuffle(len(k.procs), func(i, j int) { k.procs[i], k.procs[j] = k.procs[j], k.procs[i] })
	k.procs, _ = levelize(k.procs)
	k.schedule()
}
