package rtl

import (
	"bytes"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// Kind is the kind of hardware that a Signal belongs to.
type Kind uint8

// The kinds of signals.
const (
	Reg Kind = iota // a field of a State
	WireSignal
	QueueSignal
	MemSignal
)

// Signal is a value that can be traced. A scalar lies at Ptr, is Size bytes long (1, 2, 4 or 8),
// and has Width bits. A struct or an array has Parts.
type Signal struct {
	Path string // fields from the root, "gpu.sm[3].issue.PC"
	// bits: from a numeric tag such as `bits:"5"`, otherwise from the type, also with a name as in
	// `bits:"lanes"`: see Within
	Width int
	Type  reflect.Type
	Kind  Kind
	Group int // all signals of a State, Wire, Queue or Mem change together, see Observe
	Ptr   unsafe.Pointer
	Size  uintptr

	// Without lists options that the hardware does not have. Parts leaves out fields with such an
	// option in their tag, as in `if:"calls"`.
	Without []string

	sizes map[string]int
	bits  string // the name in its tag of bits, and the names in that of elements
	names []string
}

// Within returns the signal and its parts in a design with the given sizes. Where a tag names one, as
// in `bits:"lanes"` or `len:"lanes"`, a number has no more bits and an array no more elements.
func (s Signal) Within(sizes map[string]int) Signal {
	s.sizes = sizes
	if n, ok := sizes[s.bits]; ok {
		s.Width = min(s.Width, n)
	}
	return s
}

// Value is the present value, as raw bits.
func (s *Signal) Value() uint64 { return loadScalar(s.Ptr, s.Size) }

// loadScalar reads a number of size bytes. The signal is a field of a live design, so p is valid.
func loadScalar(p unsafe.Pointer, size uintptr) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// Signals lists every scalar of the design, in the order of Bundles.
func (k *Sim) Signals() []Signal {
	var out []Signal
	for _, b := range k.Bundles() {
		out = b.scalars(out)
	}
	return out
}

func (s *Signal) scalars(out []Signal) []Signal {
	if s.Scalar() {
		return append(out, *s)
	}
	for _, p := range s.Parts() {
		out = p.scalars(out)
	}
	return out
}

// Bundles lists the whole values that can be traced: the registers of each module, the wires, the
// queues, and the memories in fields tagged `trace:"true"`. A queue shows the number of visible
// entries, a valid bit and the front entry. A queue has the path of its producer.
func (k *Sim) Bundles() []Signal {
	var out []Signal
	list := func(kind Kind, o *owned, leaf string, t reflect.Type, value []byte) {
		// value holds a t from its first byte on, and stays in place as long as the design lives.
		p := unsafe.Pointer(unsafe.SliceData(value))
		s := newSignal(Signal{Path: o.path + leaf, Kind: kind, Group: o.group}, t, p, "")
		if kind == MemSignal {
			s.bits, s.names = o.tag.Get("bits"), append([]string{""}, strings.Split(o.tag.Get("len"), ",")...)
		}
		out = append(out, s)
	}
	for _, s := range k.states {
		leaf := ""
		if s.typ().Kind() != reflect.Struct {
			leaf = ".Q"
		}
		list(Reg, s.home(), leaf, s.typ(), s.q)
	}
	for _, w := range k.wires {
		list(WireSignal, w.home(), "", w.typ(), w.value())
	}
	for _, c := range k.queues {
		v, front := c.look()
		list(QueueSignal, c.home(), ".Count", reflect.TypeFor[uint32](), bytesOf(&v.count))
		list(QueueSignal, c.home(), ".Valid", reflect.TypeFor[bool](), bytesOf(&v.valid))
		list(QueueSignal, c.home(), ".Front", c.shown(), front)
	}
	for _, m := range k.mems {
		if m.traced && m.len() > 0 {
			list(MemSignal, m.home(), "", reflect.ArrayOf(m.len(), m.typ()), m.bytes[0])
		}
	}
	for _, f := range k.foreign {
		out = f.signals(out)
	}
	return out
}

// Scalar reports whether the signal has a value, and no parts.
func (s *Signal) Scalar() bool {
	return s.Type.Kind() != reflect.Struct && s.Type.Kind() != reflect.Array
}

// Parts lists the fields of a struct, with those of embedded structs, or the elements of an array.
func (s *Signal) Parts() []Signal {
	switch s.Type.Kind() {
	case reflect.Struct:
		return s.fields(make([]Signal, 0, s.Type.NumField()), s.Type, s.Ptr)
	case reflect.Array:
		n, elem, names := s.Type.Len(), s.Type.Elem(), s.names
		if len(names) > 0 {
			if size, ok := s.sizes[names[0]]; ok {
				n = min(n, size)
			}
			names = names[1:]
		}
		parts := make([]Signal, n)
		for i := range parts {
			p := *s
			p.names = names
			p.Path += "[" + strconv.Itoa(i) + "]"
			// Element i lies within the array that begins at s.Ptr.
			p.Type, p.Ptr, p.Size = elem, unsafe.Add(s.Ptr, uintptr(i)*elem.Size()), elem.Size()
			parts[i] = p
		}
		return parts
	}
	return nil
}

func (s *Signal) fields(to []Signal, t reflect.Type, p unsafe.Pointer) []Signal {
	for i := range t.NumField() {
		f := t.Field(i)
		switch {
		case f.Name == "_" || slices.Contains(s.Without, f.Tag.Get("if")):
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			to = s.fields(to, f.Type, unsafe.Add(p, f.Offset)) // a field lies within its struct
		default:
			x := *s
			x.Path += "." + f.Name
			x = newSignal(x, f.Type, unsafe.Add(p, f.Offset), f.Tag.Get("bits")) // this one too
			x.bits, x.names = f.Tag.Get("bits"), strings.Split(f.Tag.Get("len"), ",")
			to = append(to, x.Within(s.sizes))
		}
	}
	return to
}

// newSignal completes a signal with a value of plain type t at p. The width of an array is that of a scalar in it.
func newSignal(s Signal, t reflect.Type, p unsafe.Pointer, tag string) Signal {
	s.Type, s.Ptr, s.Size = t, p, t.Size()
	for t.Kind() == reflect.Array {
		t = t.Elem()
	}
	switch {
	case tag != "" && !isName(tag):
		s.Width, _ = strconv.Atoi(tag) // checked at elaboration
	case t.Kind() == reflect.Bool:
		s.Width = 1
	default:
		s.Width = int(t.Size()) * 8
	}
	return s
}

// edge is a clock edge and the groups of signals that changed at it.
type edge struct {
	cycle   uint64
	changed []uint64
}

// Observe has f called after each clock edge that was not skipped, until leave is called. The
// argument changed is a bit set of the groups of signals that changed. During the call, wires have
// the values of the given cycle; registers, queues and memories have those of the next one.
//
// An entry of a timed queue that becomes visible is reported in a call of its own, for the cycle
// before. The cost follows the activity; without an observer there is none. In a [System] the
// worker of the island calls f; see [System.OnQuantum] for the order between islands.
func (k *Sim) Observe(f func(cycle uint64, changed []uint64)) (leave func()) {
	first := !k.observers.Any()
	gone := k.observers.Add(func(e edge) { f(e.cycle, e.changed) })
	if first {
		clear(k.changed)
		k.refresh()
		k.connect()
	}
	return func() {
		gone()
		k.connect()
	}
}

// runObserved is run with an observer: it also notes the groups of signals that change.
func (k *Sim) runObserved(end uint64) {
	for k.now < end {
		if k.due() <= k.now {
			k.fireObserved()
		}
		if !k.evaluate() {
			k.now = min(end, k.due())
			continue
		}
		for w, m := range k.asked {
			for k.asked[w] = 0; m != 0; m &= m - 1 {
				if h := k.states[w<<6|bits.TrailingZeros64(m)]; h.edge() {
					h.owned.note()
				}
			}
		}
		for w, m := range k.ran {
			for ; m != 0; m &= m - 1 {
				for _, x := range k.procs[w<<6|bits.TrailingZeros64(m)].drives {
					if x.moved() {
						x.home().note()
					}
				}
			}
		}
		for _, w := range k.pins {
			if w.moved() {
				w.home().note()
			}
		}
		k.settleObserved()
		k.now++
		k.report(k.now - 1)
	}
}

// settleObserved is edgeQueues and edgeMems, and notes what changed.
func (k *Sim) settleObserved() {
	for w, m := range k.usedQueues {
		k.usedQueues[w] = 0
		for ; m != 0; m &= m - 1 {
			f := k.queues[w<<6|bits.TrailingZeros64(m)]
			f.edge()
			if f.refresh() {
				f.owned.note()
			}
		}
	}
	for w, m := range k.usedMems {
		k.usedMems[w] = 0
		for ; m != 0; m &= m - 1 {
			if x := k.mems[w<<6|bits.TrailingZeros64(m)]; x.edge() && x.traced {
				x.owned.note()
			}
		}
	}
}

// fireObserved is fire. It also reports entries that become visible, as a change at the end of the
// cycle before.
func (k *Sim) fireObserved() {
	k.fire()
	seen := false
	for _, f := range k.queues {
		if f.kind != registered && f.refresh() {
			f.owned.note()
			seen = true
		}
	}
	if seen && k.now > 0 {
		k.report(k.now - 1)
	}
}

// note adds the group to the next call of the observer.
func (o *owned) note() {
	if o.sim != nil {
		o.sim.changed[o.group/64] |= 1 << (o.group % 64)
	}
}

func (k *Sim) report(cycle uint64) {
	k.observers.Notify(edge{cycle, k.changed})
	clear(k.changed)
}

// noteAll marks everything as changed.
func (k *Sim) noteAll() {
	k.refresh()
	for i := range k.changed {
		k.changed[i] = ^uint64(0)
	}
}

// refresh updates the observer's view of queues and wires.
func (k *Sim) refresh() {
	if !k.observers.Any() {
		return
	}
	for _, w := range k.wires {
		w.moved()
	}
	for _, f := range k.queues {
		f.refresh()
	}
}

// view is what a waveform shows of a queue, or of an end of a link.
type view struct {
	count uint32 // visible entries; at the producer's end of a link, entries without returned credit
	valid bool
}

// mirror holds the view and a copy of the front entry. When the queue becomes empty, the front
// stays.
type mirror struct {
	view
	front reflect.Value // pointer to the copy
	made  reflect.Value // pointer to what As makes of an entry
}

// look is the observer's view of the queue, at a fixed address.
func (f *fifo) look() (v *view, front []byte) {
	f.refresh()
	return &f.mirror.view, bytesAt(f.mirror.front.Elem())
}

// refresh updates the observer's view, and reports whether it differs.
func (f *fifo) refresh() bool {
	if f.mirror == nil {
		f.mirror = &mirror{front: reflect.New(f.shown()), made: reflect.New(f.shown())}
	}
	now, at := view{f.vis - f.head, f.vis != f.head}, f.head
	if f.kind == near { // the occupied places, and the newest entry
		now, at = view{f.tail - f.rel, f.tail != f.rel}, f.tail-1
	}
	changed := now != f.mirror.view
	f.mirror.view = now
	if !now.valid {
		return changed
	}
	shown, front := bytesAt(f.mirror.front.Elem()), f.entry(at)
	if f.show != nil {
		f.mirror.made.Elem().SetZero()
		made := bytesAt(f.mirror.made.Elem())
		f.show(made, front)
		front = made
	}
	if !bytes.Equal(front, shown) {
		copy(shown, front)
		changed = true
	}
	return changed
}
