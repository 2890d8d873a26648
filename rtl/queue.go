package rtl

import (
	"bytes"
	"fmt"
	"math/bits"
	"reflect"
)

// Queue is a fifo with ready/valid ends, one producer module and one consumer module. Both
// directions are registered: a push is visible in the next cycle, and so is the room made by a pop.
// The options [Pipe], [Flow] and [Latency] change that. Any number of pushes and pops may happen in
// a cycle, as far as room and entries allow. T is plain data. Entries pushed before elaboration are
// there after reset.
//
// An idle queue costs nothing. A push wakes both ends for the next cycle. A pop wakes the consumer,
// and a producer that found the queue full, or counted its room, since it was last woken. A link
// wakes its producer for each entry that has left it.
type Queue[T any] struct {
	f   fifo
	buf []T
}

// fifo is a Queue of any type, or one end of a Link. It has all code that runs seldom: the methods
// of Queue are compiled for each of its types in every package that imports a machine.
//
// Positions count entries since reset, modulo 2^32. The consumer sees [head, vis). For the
// producer, [rel, tail) is occupied. The edge brings both up to date.
type fifo struct {
	head, tail uint32
	vis, rel   uint32
	cap, mask  uint32
	touch      *uint64 // word and bit of the set of used queues
	bit        uint64
	slow       bool // a push or pop needs pushing or popping
	waits      bool // room wakes the producer
	pushed     bool // Latency: in this cycle

	kind       fifoKind
	pipe, flow bool
	latency    uint64
	at         []uint64 // by position, Latency and Link: cycle in which the entry becomes visible
	back       []uint64 // by position, Link: cycle of the producer in which the room becomes visible
	link       *link
	sim        *Sim
	timer      int
	prod, cons fan // processes of the ends, into the next cycle
	both       fan
	prodNow    fan // Pipe: producer, into this cycle
	consNow    fan // Flow: consumer, into this cycle
	owned      owned
	ends       [2]*module // producer, consumer

	pushes, pops Observers[tapping] // taps of the ends
	told         uint32             // position up to which the taps have seen pushes
	valid        *Valid             // and the index in it, or nil
	validAt      int
	mirror       *mirror // what the observer last saw; nil without an observer

	of    reflect.Type // the type of an entry
	shows reflect.Type // the type that an observer sees; nil: of
	show  func(to, entry []byte)
	kept  uint32  // number of entries at elaboration
	reset []byte  // contents of these entries
	data  []byte  // the entries by place, as stored in memory
	notes []uint8 // by place: the parts of the entry that are not zero, see PushStale
}

type fifoKind uint8

const (
	registered fifoKind = iota
	delayed             // Latency
	near                // producer's end of a Link
	far                 // consumer's end of a Link
	tapped              // registered, with a tap on its Out end or in a set of Valid
)

// QueueOption changes the timing of ready or valid in a Queue.
type QueueOption func(*fifo)

// Pipe lets ready pass through: a pop makes room for a push in the same cycle. The producer runs after the consumer.
func Pipe() QueueOption { return func(f *fifo) { f.pipe, f.slow = true, true } }

// Flow lets valid pass through: an entry is visible in the cycle of its push. The consumer runs after the producer.
func Flow() QueueOption { return func(f *fifo) { f.flow, f.slow = true, true } }

// Latency makes an entry visible n >= 1 cycles after its push, in order. Several entries may be on
// their way, and they count towards the capacity. The kernel wakes the consumer when an entry
// becomes visible. So one object models a pipeline of fixed depth.
func Latency(n uint64) QueueOption {
	return func(f *fifo) { f.latency = n }
}

// As says what an entry stands for, where it holds only the place of values that are elsewhere. The
// function fills in a zero V. Waveforms show it, and [Sim.Queues] counts its bits.
func As[T, V any](show func(v *V, entry *T)) QueueOption {
	return func(f *fifo) {
		f.shows = reflect.TypeFor[V]()
		f.show = func(to, entry []byte) { show(valueIn[V](to), valueIn[T](entry)) }
	}
}

// NewQueue makes a queue of capacity entries. It panics if the capacity is not positive, if the
// latency is 0, or if Flow is combined with a latency over 1.
func NewQueue[T any](capacity int, opts ...QueueOption) *Queue[T] {
	q := new(Queue[T])
	q.buf = make([]T, q.f.places(capacity))
	q.f.hold(bytesOfAll(q.buf), reflect.TypeFor[T]())
	q.f.set(opts)
	return q
}

func (f *fifo) set(opts []QueueOption) {
	f.latency = 1
	for _, o := range opts {
		o(f)
	}
	if f.latency == 0 || f.flow && f.latency > 1 {
		panic("rtl: NewQueue: latency must be at least 1, and 1 with Flow")
	}
	if f.latency > 1 {
		f.kind, f.slow = delayed, true
		f.at = make([]uint64, len(f.notes))
	}
}

// hold sets the bytes in which the queue keeps its entries.
func (f *fifo) hold(data []byte, of reflect.Type) { f.data, f.of = data, of }

// places sets the capacity of the queue, and returns the number of places that it needs.
func (f *fifo) places(capacity int) int {
	if capacity < 1 || capacity > 1<<30 {
		panic(fmt.Sprintf("rtl: queue capacity %d, expected 1 or more", capacity))
	}
	size := 1 << bits.Len(uint(capacity-1))
	f.notes = make([]uint8, size)
	f.cap, f.mask = uint32(capacity), uint32(size-1)
	f.touch = new(uint64)
	return size
}

// Out is the producer's end.
func (q *Queue[T]) Out() Out[T] { return Out[T]{q} }

// In is the consumer's end.
func (q *Queue[T]) In() In[T] { return In[T]{q} }

// Out is the producer's end of a [Queue] or [Link], a field of the producer module.
type Out[T any] struct{ q *Queue[T] }

// In is the consumer's end of a [Queue] or [Link], a field of the consumer module.
type In[T any] struct{ q *Queue[T] }

// Connected reports whether the end belongs to a queue. Tag a field that may stay unconnected
// `rtl:"optional"`.
func (o Out[T]) Connected() bool { return o.q != nil }

// Ready reports whether there is room for one more entry in this cycle.
func (o Out[T]) Ready() bool {
	f := &o.q.f
	if f.tail-f.rel < f.cap {
		return true
	}
	f.waits = true
	return false
}

// Free is the number of entries that can be pushed in this cycle.
func (o Out[T]) Free() int {
	f := &o.q.f
	f.waits = true
	return int(f.cap - (f.tail - f.rel))
}

// Push appends an entry. It panics unless the end is Ready.
func (o Out[T]) Push(v T) { *slot(o.q) = v } // inlined, so that v is copied once

// PushStale appends an entry without clearing it, which saves time for a large T. The entry still
// holds what was last pushed to its place in the ring of the queue. The caller fills it in within
// this cycle.
//
// The note is a byte kept with the place. The caller records in it which parts it has filled, such
// as a bit for each row of lanes. The next push to the place reads it to find the parts to clear.
// The note of an all-zero place is 0. After Push or PushSlot it is 255: any part may be filled.
//
//	v, note := out.PushStale()
//	clearRows(v, *note)
//	*note = fill(v)
//
// It panics unless the end is Ready.
func (o Out[T]) PushStale() (v *T, note *uint8) {
	q := o.q
	at := q.f.append()
	return &q.buf[at], &q.f.notes[at]
}

// PushSlot appends a zero entry and returns it for the caller to fill in within this cycle. This
// saves the copy of a large T. It panics unless the end is Ready.
func (o Out[T]) PushSlot() *T {
	p := slot(o.q)
	var zero T
	*p = zero
	return p
}

// slot appends an entry with stale contents, for the caller to write all of it.
func slot[T any](q *Queue[T]) *T {
	at := q.f.append()
	q.f.notes[at] = 255
	return &q.buf[at]
}

// append appends an entry with stale contents, and returns its place.
func (f *fifo) append() (at uint32) {
	if f.slow || f.tail-f.rel >= f.cap {
		f.pushing()
	}
	at = f.tail & f.mask
	f.tail++
	*f.touch |= f.bit
	return at
}

// Connected reports whether the end belongs to a queue. Tag a field that may stay unconnected
// `rtl:"optional"`.
func (i In[T]) Connected() bool { return i.q != nil }

// Valid reports whether an entry is visible.
func (i In[T]) Valid() bool { return i.q.f.head != i.q.f.vis }

// Len is the number of visible entries.
func (i In[T]) Len() int { return int(i.q.f.vis - i.q.f.head) }

// Front is the oldest entry. It is read-only, and meaningful only if Valid.
func (i In[T]) Front() *T { return &i.q.buf[i.q.f.head&i.q.f.mask] }

// Peek is the entry n places after the front, 0 <= n < Len. It is read-only.
func (i In[T]) Peek(n int) *T { return &i.q.buf[(i.q.f.head+uint32(n))&i.q.f.mask] }

// Pop removes the oldest entry. It panics unless Valid.
func (i In[T]) Pop() {
	f := &i.q.f
	if f.slow || f.head == f.vis {
		f.popping()
	}
	f.head++
	*f.touch |= f.bit
}

// pushing is the part of a push that a plain queue with room does not need: errors, times and
// wake-ups.
func (f *fifo) pushing() {
	if f.tail-f.rel >= f.cap {
		panic(fmt.Sprintf("rtl: push to %s, which is full (%d entries): check Ready first", f.where(), f.cap))
	}
	switch {
	case f.sim == nil:
		if f.kind == near {
			panic("rtl: push to a link before elaboration: a link starts empty")
		}
	case f.flow:
		f.vis = f.tail + 1
		f.light(f.head)
		f.consNow.mark()
	case f.kind == delayed:
		f.pushed = true
		at := f.sim.stamp() + f.latency
		f.at[f.tail&f.mask] = at
		if f.vis == f.tail {
			f.sim.fly(f.timer, at)
		}
	case f.kind == near:
		f.at[f.tail&f.mask] = f.link.arrival(f.sim.stamp())
		f.sim.touched = append(f.sim.touched, f.link)
	}
}

// popping is the part of a pop that a plain queue with an entry does not need.
func (f *fifo) popping() {
	if f.head == f.vis {
		panic(fmt.Sprintf("rtl: pop from %s, which shows no entry: check Valid first", f.where()))
	}
	switch {
	case f.pipe:
		f.rel = f.head + 1
		f.prodNow.mark()
	case f.kind == far:
		f.back[f.head&f.mask] = f.link.credit(f.sim.stamp())
		f.sim.touched = append(f.sim.touched, f.link)
	}
	f.light(f.head + 1)
	if f.pops.Any() {
		f.pops.Notify(tapping{f.sim.stamp(), f.head & f.mask})
	}
}

func (f *fifo) where() string {
	if f.owned.path == "" {
		return "a queue that is in no design"
	}
	return "queue " + f.owned.path
}

// edge ends a cycle in which the queue was used.
func (f *fifo) edge() {
	if f.pushes.Any() {
		f.tellPushes()
	}
	switch {
	case f.kind == near || f.kind == far || f.pipe || f.flow:
		if f.kind == registered || f.kind == tapped {
			f.vis, f.rel = f.tail, f.head
			f.light(f.head)
		}
		f.both.mark()
	case f.kind == delayed:
		popped := f.rel != f.head
		if f.rel = f.head; popped {
			f.cons.mark()
		}
		if f.pushed || popped && f.waits {
			f.pushed, f.waits = false, false
			f.prod.mark()
		}
	case f.vis != f.tail || f.waits:
		f.vis, f.rel, f.waits = f.tail, f.head, false
		f.light(f.head)
		f.both.mark()
	default:
		f.rel = f.head
		f.cons.mark()
	}
}

// ripen makes arrivals visible. It returns the cycle of the next arrival, or Never.
func (f *fifo) ripen(now uint64) uint64 {
	if f.kind == near {
		for f.rel != f.head {
			if at := f.back[f.rel&f.mask]; at > now {
				return at
			}
			f.rel++
			f.prod.mark()
		}
		return Never
	}
	for f.vis != f.tail {
		if at := f.at[f.vis&f.mask]; at > now {
			return at
		}
		f.vis++
		f.light(f.head)
		f.cons.mark()
	}
	return Never
}

// arrives is the cycle of the first arrival, or Never.
func (f *fifo) arrives() uint64 {
	switch {
	case f.kind == near && f.rel != f.head:
		return f.back[f.rel&f.mask]
	case f.kind != near && f.kind != tapped && f.kind != registered && f.vis != f.tail:
		return f.at[f.vis&f.mask]
	}
	return Never
}

// end is an In or Out of any type; its queue is nil if it is not connected.
type end interface {
	end() (f *fifo, producer bool)
}

func (o Out[T]) end() (*fifo, bool) {
	if o.q == nil {
		return nil, true
	}
	return &o.q.f, true
}

func (i In[T]) end() (*fifo, bool) {
	if i.q == nil {
		return nil, false
	}
	return &i.q.f, false
}

func (f *fifo) home() *owned { return &f.owned }

func (f *fifo) typ() reflect.Type { return f.of }

// shown is the type that an observer sees.
func (f *fifo) shown() reflect.Type {
	if f.shows != nil {
		return f.shows
	}
	return f.of
}

func (f *fifo) elaborated() {
	f.kept = f.tail - f.head
	f.reset = bytes.Clone(f.data[:int(f.kept)*len(f.data)/len(f.notes)])
	f.restart()
}

func (f *fifo) restart() {
	clear(f.data)
	clear(f.notes)
	clear(f.at)
	clear(f.back)
	copy(f.data, f.reset)
	for i := range f.kept {
		f.notes[i] = 255
	}
	f.head, f.tail, f.vis, f.rel = 0, f.kept, f.kept, 0
	f.told = f.kept
	f.waits = true
	f.renew()
}

func (f *fifo) save(b []byte) []byte {
	pos := [4]uint32{f.head, f.tail, f.vis, f.rel}
	b = append(b, bytesOf(&pos)...)
	b = append(b, f.data...)
	b = append(b, f.notes...)
	b = append(b, bytesOfAll(f.at)...)
	return append(b, bytesOfAll(f.back)...)
}

func (f *fifo) load(b []byte) []byte {
	var pos [4]uint32
	b = b[copy(bytesOf(&pos), b):]
	f.head, f.tail, f.vis, f.rel = pos[0], pos[1], pos[2], pos[3]
	f.told = f.tail
	f.waits = true
	f.renew()
	b = b[copy(f.data, b):]
	b = b[copy(f.notes, b):]
	b = b[copy(bytesOfAll(f.at), b):]
	return b[copy(bytesOfAll(f.back), b):]
}

func (f *fifo) sum(d *digest) {
	now := f.sim.now
	d.word(uint64(f.tail-f.head)<<32 | uint64(f.vis-f.head))
	d.word(uint64(f.tail - f.rel))
	for i := f.head; i != f.tail; i++ {
		d.all(f.entry(i), f.of)
	}
	if f.kind == delayed || f.kind == far {
		for i := f.vis; i != f.tail; i++ {
			d.word(f.at[i&f.mask] - now)
		}
	}
	if f.kind == near {
		for i := f.rel; i != f.head; i++ {
			d.word(f.back[i&f.mask] - now)
		}
	}
}

// entry is the entry at a position, as stored in memory.
func (f *fifo) entry(position uint32) []byte {
	size := int(f.of.Size())
	at := int(position&f.mask) * size
	return f.data[at : at+size]
}
