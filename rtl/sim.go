package rtl

import (
	"math/bits"
)

// Ticker is a module with one process: Tick computes the next state and the outputs from the present state and the
// inputs.
type Ticker interface{ Tick() }

// Processor is a module with several processes, for logic that must run at different places in the order of wires.
type Processor interface{ Processes() []Proc }

// Proc is one process of a [Processor]. Wires order processes, so a process lists exactly those
// that it reads and drives. Registers, memories and registered queues need no such list.
type Proc struct {
	Name   string
	Fn     func()
	Reads  []AnyWire
	Drives []AnyWire
}

// tickFunc is one of several processes of a module.
type tickFunc func()

// Tick calls f.
func (f tickFunc) Tick() { f() }

// process is a scheduled Proc.
type process struct {
	name   string
	mod    *module
	tick   Ticker
	reads  []AnyWire
	drives []AnyWire
	after  []dependency
	id     int // position in the order
	mark   uint8
}

// Sim runs the processes of one clock domain, or of one island of a [System].
//
// A cycle has two phases. First the awake processes run, in the order that the wires demand. A wire
// that changes wakes its readers in the same cycle. At the clock edge, the states whose next value
// was requested commit, and so do used queues and written memories. Each change wakes its readers
// for the next cycle. Cycles in which no process is awake are skipped.
type Sim struct {
	now        uint64
	next       []uint64 // processes to run in the next cycle
	dirty      []uint64 // processes still to run in this cycle
	ran        []uint64
	asked      []uint64 // states whose next value a process has requested
	usedQueues []uint64
	usedMems   []uint64
	cur        int // running process
	ticks      []Ticker
	small      *small // nil unless each set of processes, states, queues and memories fits one word
	timers     timers
	timed      []*fifo  // queues with a latency and ends of links
	flying     []uint64 // of these, those with entries or credits on their way
	ripe       uint64   // no entry or credit arrives before this cycle
	evals      uint64
	between    uint64 // 1 between runs, 0 while running

	name      string
	mods      []*module
	procs     []*process // in the order they run
	order     []*process // in the order of elaboration
	states    []*stateHdr
	wires     []AnyWire
	pins      []AnyWire
	queues    []*fifo
	mems      []*ram
	foreign   []*Foreign
	parts     []storage // all parts that hold bits
	observers Observers[edge]
	changed   []uint64 // groups of signals that changed, for the observer
	island    *island  // nil outside a System
	touched   []*link  // links used since the last exchange
}

// Name is the name given at elaboration.
func (k *Sim) Name() string { return k.name }

// Now is the number of the current cycle; between runs, of the next one to run.
func (k *Sim) Now() uint64 { return k.now }

// Evals is the number of process evaluations so far, a measure of work.
func (k *Sim) Evals() uint64 { return k.evals }

// WakeAt makes the running process run in the given cycle, or in the next one if that has passed.
// It is the only way to depend on time. Only the earliest request is sure to be kept, so a process
// that wakes repeats the requests that it still needs. An unnecessary wake-up is harmless. [Never]
// is no request.
func (k *Sim) WakeAt(cycle uint64) {
	if cycle < Never {
		k.timers.set(k.cur, max(cycle, k.now+1), k.now)
	}
}

// stamp is the cycle of a push or pop. Between runs, a push or pop of the testbench belongs to the
// cycle before.
func (k *Sim) stamp() uint64 { return k.now - min(k.between, k.now) }

// Run advances n cycles.
func (k *Sim) Run(n uint64) {
	k.alone("Run")
	k.advance(k.now + n)
}

// RunUntil advances until cond holds, at most max cycles, and reports whether it holds. The
// function cond reads the design's state. It is called before each cycle that is not skipped.
func (k *Sim) RunUntil(cond func() bool, max uint64) bool {
	k.alone("RunUntil")
	end := k.now + max
	for !cond() {
		if k.now >= end {
			return false
		}
		if !k.awake() {
			k.advance(min(end, k.due()))
			if k.now >= end {
				return cond()
			}
		}
		k.advance(k.now + 1)
	}
	return true
}

// Idle reports whether nothing will ever happen again without the testbench.
func (k *Sim) Idle() bool { return !k.awake() && k.due() == Never }

func (k *Sim) alone(what string) {
	if k.island != nil {
		panic("rtl: " + what + " of island " + k.name + ": a System runs its islands")
	}
}

// awake reports whether a process is to run in the next cycle, apart from timers.
func (k *Sim) awake() bool {
	if s := k.small; s != nil {
		return *s.next|*s.usedQueues|*s.usedMems != 0
	}
	any := uint64(0)
	for _, w := range k.next {
		any |= w
	}
	for _, w := range k.usedQueues {
		any |= w
	}
	for _, w := range k.usedMems {
		any |= w
	}
	return any != 0
}

// nextEvent is the next cycle in which something can happen, or Never.
func (k *Sim) nextEvent() uint64 {
	if k.awake() {
		return k.now
	}
	return k.due()
}

// coming is nextEvent where nothing is left to commit, as after step and settle.
func (k *Sim) coming() uint64 {
	for _, w := range k.next {
		if w != 0 {
			return k.now
		}
	}
	return k.due()
}

// advance runs up to cycle end, at once if nothing happens until then.
func (k *Sim) advance(end uint64) {
	k.settle()
	if k.nextEvent() > end {
		k.now = max(k.now, end)
		return
	}
	k.step(end)
}

// step is the part of advance after settle: it runs up to cycle end.
func (k *Sim) step(end uint64) {
	k.between = 0
	if k.observers.Any() {
		k.runObserved(end)
	} else {
		k.run(end)
	}
	k.between = 1
	k.show()
}

// settle commits the pushes, pops and writes of the testbench between runs. It then makes visible
// what is due in the next cycle. So the state between runs does not depend on where runs begin and
// end.
func (k *Sim) settle() {
	if k.observers.Any() {
		k.settleObserved()
	} else {
		k.edgeQueues()
		k.edgeMems()
	}
	k.show()
}

// show makes visible what is due in the next cycle.
func (k *Sim) show() {
	switch {
	case k.due() > k.now:
	case k.observers.Any():
		k.fireObserved()
	default:
		k.fire()
	}
}

// run advances up to cycle end without an observer. Three functions do the same:
//
//   - run handles sets of any size, with a loop over the words of each;
//   - runSmall handles sets of one word, which it keeps in registers. For one SM it takes 0.94 to
//     0.97 of the instructions of run. Most islands are small;
//   - runObserved also notes the groups of signals that change.
//
// TestRandomDesigns and TestLargeDesign compare them.
func (k *Sim) run(end uint64) {
	if k.small != nil {
		k.runSmall(end)
		return
	}
	for k.now < end {
		if k.due() <= k.now {
			k.fire()
		}
		if !k.evaluate() {
			k.now = min(end, k.due())
			continue
		}
		for w, m := range k.asked {
			for k.asked[w] = 0; m != 0; m &= m - 1 {
				k.states[w<<6|bits.TrailingZeros64(m)].edge()
			}
		}
		k.edgeQueues()
		k.edgeMems()
		k.now++
	}
}

// small holds the tables of a Sim of up to 64 processes, states, queues and memories. An index of
// six bits into an array of 64 needs no bounds check.
type small struct {
	ticks  [64]Ticker
	regs   [64]*stateHdr
	queues [64]*fifo
	rams   [64]*ram

	next, asked, usedQueues, usedMems *uint64 // the words of these sets
}

func newSmall(k *Sim) *small {
	if len(k.next) > 1 || len(k.asked) > 1 || len(k.usedQueues) > 1 || len(k.usedMems) > 1 {
		return nil
	}
	s := &small{next: &k.next[0], asked: word(k.asked), usedQueues: word(k.usedQueues), usedMems: word(k.usedMems)}
	copy(s.ticks[:], k.ticks)
	copy(s.regs[:], k.states)
	copy(s.queues[:], k.queues)
	copy(s.rams[:], k.mems)
	return s
}

// word is the one word of a set of up to 64 members. An empty set may have no word and gets a new
// one.
func word(set []uint64) *uint64 {
	if len(set) == 0 {
		return new(uint64)
	}
	return &set[0]
}

// runSmall is run with sets of one word. Queues and memories of the usual kinds commit inline: all
// their readers are in the one word of next, so a fan is a mask.
func (k *Sim) runSmall(end uint64) {
	s := k.small
	next, dirty := s.next, &k.dirty[0]
	asked, usedQueues, usedMems := s.asked, s.usedQueues, s.usedMems
	for k.now < end {
		if k.due() <= k.now {
			k.fire()
		}
		m := *next
		if m == 0 {
			k.now = min(end, k.due())
			continue
		}
		*next = 0
		for *dirty = m; m != 0; m = *dirty {
			*dirty = m & (m - 1)
			k.evals++
			k.cur = bits.TrailingZeros64(m)
			s.ticks[k.cur&63].Tick()
		}
		m = *asked
		*asked = 0
		for ; m != 0; m &= m - 1 {
			s.regs[bits.TrailingZeros64(m)&63].edge()
		}
		m = *usedQueues
		*usedQueues = 0
		for ; m != 0; m &= m - 1 {
			f := s.queues[bits.TrailingZeros64(m)&63]
			switch {
			case f.kind != registered:
				f.edge()
			case f.vis != f.tail || f.waits:
				f.vis, f.rel, f.waits = f.tail, f.head, f.slow
				*next |= f.both.mask
			default:
				f.rel = f.head
				*next |= f.cons.mask
			}
		}
		m = *usedMems
		*usedMems = 0
		for ; m != 0; m &= m - 1 {
			if r := s.rams[bits.TrailingZeros64(m)&63]; r.together {
				*next |= r.fan.mask
			} else {
				r.edge()
			}
		}
		k.now++
	}
}

// evaluate runs the processes awake in this cycle, in order, with those that wake meanwhile. It
// reports whether there were any.
func (k *Sim) evaluate() bool {
	awake := uint64(0)
	for w, m := range k.next {
		k.dirty[w] = m
		awake |= m
		k.next[w] = 0
	}
	if awake == 0 {
		return false
	}
	for w := range k.dirty {
		d := &k.dirty[w]
		ran := uint64(0)
		for m := *d; m != 0; m = *d {
			*d = m & (m - 1)
			ran |= m & -m
			k.cur = w<<6 | bits.TrailingZeros64(m)
			k.ticks[k.cur].Tick()
		}
		k.ran[w] = ran
		k.evals += uint64(bits.OnesCount64(ran))
	}
	return true
}

func (k *Sim) edgeQueues() {
	for w, m := range k.usedQueues {
		if m != 0 {
			k.usedQueues[w] = 0
			for ; m != 0; m &= m - 1 {
				k.queues[w<<6|bits.TrailingZeros64(m)].edge()
			}
		}
	}
}

func (k *Sim) edgeMems() {
	for w, m := range k.usedMems {
		if m != 0 {
			k.usedMems[w] = 0
			for ; m != 0; m &= m - 1 {
				k.mems[w<<6|bits.TrailingZeros64(m)].edge()
			}
		}
	}
}

// due is the next cycle with a timer or an arrival, or Never.
func (k *Sim) due() uint64 { return min(k.timers.due, k.ripe) }

// fire wakes the processes that are due in this cycle.
func (k *Sim) fire() {
	if k.ripe <= k.now {
		k.ripen()
	}
	if k.timers.due > k.now {
		return
	}
	row := k.timers.row(k.now)
	for w, m := range row {
		k.next[w] |= m
		row[w] = 0
	}
	k.timers.advance(k.now)
}

// fly notes that an entry or credit of a timed queue arrives in the given cycle, or that the queue
// is to be checked then.
func (k *Sim) fly(queue int, at uint64) {
	k.flying[queue/64] |= 1 << (queue % 64)
	k.ripe = min(k.ripe, at)
}

// ripen makes arrivals visible at the ends of queues.
func (k *Sim) ripen() {
	k.ripe = Never
	for w, m := range k.flying {
		for ; m != 0; m &= m - 1 {
			at := k.timed[w<<6|bits.TrailingZeros64(m)].ripen(k.now)
			if at == Never {
				k.flying[w] &^= m & -m
			}
			k.ripe = min(k.ripe, at)
		}
	}
}

// refly rebuilds flying and ripe.
func (k *Sim) refly() {
	clear(k.flying)
	k.ripe = Never
	for i, f := range k.timed {
		if at := f.arrives(); at != Never {
			k.fly(i, at)
		}
	}
}
