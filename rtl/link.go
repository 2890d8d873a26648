package rtl

import (
	"fmt"
	"math/bits"
	"reflect"
)

// Link is a queue between islands of a [System], with a fixed latency in both directions. Only
// links may connect islands. Its ends are those of a [Queue], so a module does not know which of
// the two it is connected to.
//
// Let P be the clock period of the consumer. An entry pushed at time t is visible at the first
// clock edge of the consumer at or after t + latency*P. Room made by a pop at time t is visible at
// the first edge of the producer at or after t + latency*P. So the capacity bounds the entries and
// credits on their way: for one entry a cycle between equal clocks it must be 2*latency.
type Link[T any] struct {
	near Queue[T]
	_    [64]byte // the ends are used by different processors
	far  Queue[T]
	link link
}

// link is a Link of any type.
//
// Both halves share one ring of entries and of times. The producer writes positions from near.tail
// on, and the consumer returns those before far.head. The kernel updates each side with the other's
// progress between quanta, when no island runs. So there is no race: a position is written again
// only after its credit has returned.
type link struct {
	near, far *fifo
	latency   uint64
	from, to  uint64 // ticks of a cycle of the producer and of the consumer
}

// NewLink makes a link of capacity entries with a latency >= 1, in cycles of the consumer. It
// panics if the latency is 0.
func NewLink[T any](capacity int, latency uint64) *Link[T] {
	if latency == 0 {
		panic("rtl: NewLink: the latency is at least 1 cycle of the consumer")
	}
	l := new(Link[T])
	l.near.buf = make([]T, l.near.f.places(capacity))
	l.far.buf = l.near.buf
	l.link = link{near: &l.near.f, far: &l.far.f, latency: latency}
	l.link.init(capacity, bytesOfAll(l.near.buf), reflect.TypeFor[T]())
	return l
}

func (l *link) init(capacity int, data []byte, of reflect.Type) {
	n, f := l.near, l.far
	places := f.places(capacity)
	n.at, n.back = make([]uint64, places), make([]uint64, places)
	f.at, f.back = n.at, n.back
	n.kind, f.kind = near, far
	for _, half := range []*fifo{n, f} {
		half.hold(data, of)
		half.slow = true
		half.link = l
	}
}

// Out is the producer's end.
func (l *Link[T]) Out() Out[T] { return Out[T]{&l.near} }

// In is the consumer's end.
func (l *Link[T]) In() In[T] { return In[T]{&l.far} }

// arrival is the cycle of the consumer in which an entry pushed in the given cycle of the producer becomes visible.
func (l *link) arrival(cycle uint64) uint64 {
	if l.from == l.to {
		return cycle + l.latency
	}
	return l.latency + ceilDiv(cycle*l.from, l.to)
}

// credit is the cycle of the producer in which room made in the given cycle of the consumer becomes visible.
func (l *link) credit(cycle uint64) uint64 {
	if l.from == l.to {
		return cycle + l.latency
	}
	return ceilDiv((cycle+l.latency)*l.to, l.from)
}

// exchange updates each end with the progress of the other. No island may run.
func (l *link) exchange() {
	n, f := l.near, l.far
	if f.tail != n.tail {
		first := f.vis == f.tail
		f.tail = n.tail
		if first {
			f.arm(f.at[f.vis&f.mask])
		}
	}
	if n.head != f.head {
		first := n.rel == n.head
		n.head = f.head
		if first {
			n.arm(n.back[n.rel&n.mask])
		}
	}
}

// arm sets the arrival at an end, between quanta. An overdue arrival happens in the next cycle.
func (f *fifo) arm(at uint64) {
	k := f.sim
	at = max(at, k.now)
	k.fly(f.timer, at)
	i := k.island
	s, tick := i.sys, at*i.period
	s.next[i.number] = min(s.next[i.number], tick)
	s.soon[i.number/group] = min(s.soon[i.number/group], tick)
}

// empty drops all entries and credits of the link.
func (l *link) empty() {
	l.near.restart()
	l.far.restart()
	l.near.prod.mark()
	l.far.cons.mark()
}

// first reports whether the end f is the only one in a system so far. Of two ends in one island it
// is the near one.
func (l *link) first(f *fifo) bool {
	other := l.near
	if f == other {
		other = l.far
	}
	return other.sim == nil || other.sim == f.sim && f == l.near
}

// check reports a missing end of the link.
func (l *link) check() error {
	switch {
	case l.near.sim == nil:
		return fmt.Errorf("link to %s has no producer: its Out end is in no island", l.far.owned.path)
	case l.far.sim == nil:
		return fmt.Errorf("link %s has no consumer: its In end is in no island", l.near.owned.path)
	}
	return nil
}

func ceilDiv(a, b uint64) uint64 { return (a + b - 1) / b }

// mulDiv is a*b/c, rounded down; the quotient fits.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return q
}
