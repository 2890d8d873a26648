package rtl

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
)

// System runs several Sims, its islands, in clock domains whose frequencies have exact rational
// ratios. All domains have an edge at time 0. Time is counted in ticks of the least common multiple
// of the frequencies, so it does not drift. For 1300, 650 and 800 MHz this is 10.4 GHz.
//
// Only a [Link] connects islands, and an entry takes at least the latency of its link. So all
// islands can run independently for a quantum, the smallest latency of all links. Then the links
// are brought up to date. The result is the same whatever the quantum and the number of workers.
type System struct {
	// Workers is the number of goroutines that share the islands; 0 and 1 mean the caller's own. No
	// more than GOMAXPROCS are used. Where sharing does not pay, the caller does all the work.
	Workers int

	name      string
	domains   []*Domain
	islands   []*island
	links     []*link
	owner     map[key]*island
	tickHz    uint64
	now       uint64 // ticks
	quantum   uint64 // ticks
	longest   uint64 // period of a domain
	ready     bool
	err       error // of Domain
	onQuantum Observers[uint64]
	pace      pace

	// While the system runs:
	next []uint64  // by island: tick of its next event, or Never
	soon []uint64  // by group of islands: the earliest of these
	ran  []*island // since the last exchange
}

// group is the number of islands whose events have a common earliest tick. A quantum examines all
// groups, and the islands of those that have an event.
const group = 8

// island is a Sim in a System.
type island struct {
	sys     *System
	domain  *Domain
	sim     *Sim
	number  int     // in the order of Add
	period  uint64  // of the domain
	counted uint64  // evaluations when the shares of workers were last made
	cost    float64 // ns of an evaluation since then, 0: not known
	work    float64 // estimated time, in ns, between the last two times
}

// Domain is a clock domain of a [System].
type Domain struct {
	sys    *System
	name   string
	hz     uint64
	period uint64 // ticks
}

// Progress is the outcome of a run of a System.
type Progress struct {
	Cycles uint64 // cycles that passed in the domain
	Done   bool   // the condition holds
	Idle   bool   // nothing will ever happen again: no process is awake, no timer is set and no entry is on its way
}

// NewSystem makes an empty system.
func NewSystem(name string) *System {
	return &System{name: name, owner: map[key]*island{}}
}

// Domain adds a clock domain of hz hertz. Errors are reported by [System.Add] and
// [System.Elaborate].
func (s *System) Domain(name string, hz uint64) *Domain {
	d := &Domain{sys: s, name: name, hz: hz}
	switch {
	case hz == 0:
		s.err = errors.Join(s.err, fmt.Errorf("rtl: %s: domain %s has a frequency of 0 Hz", s.name, name))
		return d
	case s.ready:
		s.err = errors.Join(s.err, fmt.Errorf("rtl: %s: domain %s comes after the first run", s.name, name))
		return d
	case s.tickHz == 0:
		s.tickHz = 1
	}
	if hi, lo := bits.Mul64(s.tickHz/gcd(s.tickHz, hz), hz); hi != 0 || lo > 1<<50 {
		s.err = errors.Join(s.err, fmt.Errorf("rtl: %s: domain %s: its frequency of %d Hz has too odd a ratio to the others", s.name, name, hz))
		return d
	}
	s.tickHz = s.tickHz / gcd(s.tickHz, hz) * hz
	s.domains = append(s.domains, d)
	return d
}

// Add elaborates the design under root as an island in domain d. It fails after the first run.
func (s *System) Add(name string, d *Domain, root any) (*Sim, error) {
	if s.ready {
		return nil, fmt.Errorf("rtl: %s: island %s comes after the first run", s.name, name)
	}
	if s.err != nil {
		return nil, s.err
	}
	if d.sys != s {
		return nil, fmt.Errorf("rtl: %s: island %s: domain %s is of another system", s.name, name, d.name)
	}
	k, err := elaborate(name, root, &island{sys: s, domain: d})
	if err != nil {
		return nil, err
	}
	k.island.number = len(s.islands)
	s.islands = append(s.islands, k.island)
	for _, f := range k.queues {
		if l := f.link; l != nil && l.first(f) {
			s.links = append(s.links, l)
		}
	}
	return k, nil
}

// claim makes a module part of the island and returns the island that already has it, if any.
func (i *island) claim(module reflect.Value) *island {
	k := key{module.Pointer(), module.Type()}
	if other := i.sys.owner[k]; other != nil {
		return other
	}
	i.sys.owner[k] = i
	return nil
}

// Elaborate checks that every link has both ends and fixes the quantum. If it was not called, the
// first run calls it and panics on an error.
func (s *System) Elaborate() error {
	errs := []error{s.err}
	for _, l := range s.links {
		errs = append(errs, l.check())
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, d := range s.domains {
		d.period = s.tickHz / d.hz
		s.longest = max(s.longest, d.period)
	}
	for _, i := range s.islands {
		i.period = i.domain.period
	}
	s.quantum = Never
	for _, l := range s.links {
		l.from, l.to = l.near.sim.island.domain.period, l.far.sim.island.domain.period
		s.quantum = min(s.quantum, l.latency*l.to)
	}
	s.next = make([]uint64, len(s.islands))
	s.soon = make([]uint64, (len(s.islands)+group-1)/group)
	s.ready = true
	return nil
}

// Name is the name of the system.
func (s *System) Name() string { return s.name }

// Sims lists the islands in the order of Add.
func (s *System) Sims() []*Sim {
	sims := make([]*Sim, len(s.islands))
	for i, x := range s.islands {
		sims[i] = x.sim
	}
	return sims
}

// Domains lists the clock domains.
func (s *System) Domains() []*Domain { return slices.Clone(s.domains) }

// Domain is the clock domain of an island, nil outside a System.
func (k *Sim) Domain() *Domain {
	if k.island == nil {
		return nil
	}
	return k.island.domain
}

// Name is the name of the domain.
func (d *Domain) Name() string { return d.name }

// Now is the next cycle to run.
func (d *Domain) Now() uint64 { return ceilDiv(d.sys.now, max(d.period, 1)) }

// Reached reports whether Now is cycle n or a later one.
func (d *Domain) Reached(n uint64) bool { return n == 0 || d.sys.now > (n-1)*d.period }

// Fs is the time of the edge that starts cycle n, in femtoseconds, rounded down. It is computed
// from n, so it does not drift. It fits for 5 hours of simulated time.
func (d *Domain) Fs(n uint64) uint64 { return femtoseconds(n, d.hz) }

// Reset resets the islands of the domain, see [Sim.Reset].
func (d *Domain) Reset() {
	for _, i := range d.sys.islands {
		if i.domain == d {
			i.sim.Reset()
		}
	}
}

func femtoseconds(n, hz uint64) uint64 { return n/hz*1e15 + mulDiv(n%hz, 1e15, hz) }

// OnQuantum has f called at the end of each quantum, on the goroutine that called Run, until leave
// is called. By then every cycle that starts before time fs has run and its observers have been
// called, and no later cycle has. Merge the observations of several islands by time here.
func (s *System) OnQuantum(f func(fs uint64)) (leave func()) { return s.onQuantum.Add(f) }

// Run advances all domains by the time of the given number of cycles of d.
func (s *System) Run(d *Domain, cycles uint64) Progress {
	p, _ := s.run(nil, d, cycles, s.quantumRunner)
	return p
}

// RunUntil is Run until cond holds or nothing will ever happen again, for at most max cycles of d.
// It calls cond between quanta; without links, every 1024 cycles of d.
func (s *System) RunUntil(cond func() bool, d *Domain, max uint64) Progress {
	p, _ := s.run(cond, d, max, s.quantumRunner)
	return p
}

// RunChecked is Run with the checks of [Sim.RunChecked], on one goroutine.
func (s *System) RunChecked(d *Domain, cycles uint64) error {
	_, err := s.run(nil, d, cycles, func() (func(uint64) error, func()) {
		return func(to uint64) error {
			for _, i := range s.islands {
				if err := i.sim.check(i.cycle(to)); err != nil {
					return fmt.Errorf("island %s: %w", i.sim.name, err)
				}
				i.look()
			}
			s.ran = append(s.ran, s.islands...)
			s.regroup()
			return nil
		}, func() {}
	})
	return err
}

// cycle is the first cycle of the island at or after the given tick.
func (i *island) cycle(tick uint64) uint64 { return ceilDiv(tick, i.period) }

// advance runs all islands up to a tick, one after the other. Often few of them have an event.
func (s *System) advance(to uint64) {
	limit := to + s.longest
	for g, at := range s.soon {
		if at >= limit {
			continue
		}
		n := g * group
		next := s.next[n:min(n+group, len(s.next))]
		islands := s.islands[n:][:len(next)]
		first := uint64(Never)
		for j := range next {
			if next[j] < limit && islands[j].advance(to) {
				s.ran = append(s.ran, islands[j])
			}
			first = min(first, next[j])
		}
		s.soon[g] = first
	}
}

// advance runs the island up to a tick, and reports whether it did. It skips an island whose next
// event comes after the edge at that tick. The time of such an island lags until its next event, or
// until the system stops.
func (i *island) advance(to uint64) bool {
	if i.sys.next[i.number] >= to+i.period {
		return false
	}
	i.sim.step(i.cycle(to))
	i.look()
	return true
}

// look finds the next event of the island, in which all pushes, pops and writes are committed.
func (i *island) look() {
	next := uint64(Never)
	if c := i.sim.coming(); c != Never {
		next = c * i.period
	}
	i.sys.next[i.number] = next
}

// regroup finds the first event of each group.
func (s *System) regroup() {
	for g := range s.soon {
		s.soon[g] = slices.Min(s.next[g*group : min((g+1)*group, len(s.next))])
	}
}

// run is the loop over quanta. The runner advances all islands to a tick.
func (s *System) run(cond func() bool, d *Domain, cycles uint64,
	runner func() (advance func(to uint64) error, stop func()),
) (p Progress, err error) {
	if !s.ready {
		if err := s.Elaborate(); err != nil {
			panic(err)
		}
	}
	start := d.Now()
	end := (start + cycles) * d.period
	quantum := s.quantum
	if quantum == Never && cond != nil {
		quantum = 1024 * d.period
	}
	advance, stop := runner()
	defer stop()
	s.exchange() // after the testbench, a reset or a restored snapshot
	for _, i := range s.islands {
		i.sim.settle()
		i.look()
	}
	s.regroup()
	event := s.exchangeTouched()
	for {
		if cond != nil && cond() {
			p.Done = true
			break
		}
		if s.now >= end {
			break
		}
		to := min(end, max(s.now, event)+quantum)
		if event == Never {
			p.Idle = true
			if cond != nil {
				break
			}
			to = end
		}
		if err := advance(to); err != nil {
			return p, err
		}
		s.now = to
		event = s.exchangeTouched()
		if s.onQuantum.Any() {
			s.onQuantum.Notify(femtoseconds(to, s.tickHz))
		}
	}
	for _, i := range s.islands {
		i.sim.now = max(i.sim.now, i.cycle(s.now))
	}
	p.Cycles = d.Now() - start
	return p, nil
}

// Idle reports whether nothing will ever happen again without the testbench.
func (s *System) Idle() bool {
	if !s.ready {
		return false
	}
	s.exchange()
	for _, i := range s.islands {
		if !i.sim.Idle() {
			return false
		}
	}
	return true
}

// exchange brings all links up to date.
func (s *System) exchange() {
	for _, i := range s.islands {
		i.sim.touched = i.sim.touched[:0]
	}
	for _, l := range s.links {
		l.exchange()
	}
}

// exchangeTouched brings the links up to date that were used since the last time. It returns the
// tick of the first event of all islands, or Never.
func (s *System) exchangeTouched() (event uint64) {
	for _, i := range s.ran {
		k := i.sim
		for _, l := range k.touched {
			l.exchange()
		}
		k.touched = k.touched[:0]
	}
	s.ran = s.ran[:0]
	event = Never
	for _, at := range s.soon {
		event = min(event, at)
	}
	return event
}

// Reset resets all islands and links; time starts again at 0.
func (s *System) Reset() {
	s.now = 0
	for _, i := range s.islands {
		i.sim.now = 0
		i.sim.Reset()
	}
}

// resetLinks empties the links of an island.
func (k *Sim) resetLinks() {
	for _, f := range k.queues {
		if f.link != nil {
			f.link.empty()
		}
	}
}

// Reorder orders the processes of every island at random, see [Sim.Reorder].
func (s *System) Reorder(seed uint64) {
	for i, x := range s.islands {
		x.sim.Reorder(seed + uint64(i)<<32)
	}
}

// Snapshot copies the state of all islands.
func (s *System) Snapshot() *Snapshot {
	b := append([]byte(nil), bytesOf(&s.now)...)
	for _, i := range s.islands {
		i.sim.settle()
		b = i.sim.save(b)
	}
	return &Snapshot{s.shape(), b}
}

// Restore returns to a snapshot of this System or of an identical one. It panics if the design
// differs.
func (s *System) Restore(x *Snapshot) {
	if s.shape() != x.design {
		panic("rtl: Restore of " + s.name + ": the snapshot is of another design")
	}
	b := x.data[copy(bytesOf(&s.now), x.data):]
	for _, i := range s.islands {
		i.sim.settle()
		b = i.sim.load(b)
	}
}

func (s *System) shape() uint64 {
	d := digest{}
	for _, i := range s.islands {
		d.word(i.sim.shape())
	}
	return d.h
}

// Hash is a fingerprint of the state of all islands, see [Sim.Hash].
func (s *System) Hash() uint64 {
	d := digest{}
	for _, i := range s.islands {
		d.word(i.sim.Hash())
	}
	return d.h
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
