package rtl

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"reflect"
	"sync"
)

// Snapshot is the whole state of a Sim or System at the start of a cycle.
type Snapshot struct {
	design uint64 // identifies names, sizes and order
	data   []byte
}

// Snapshot copies the state.
func (k *Sim) Snapshot() *Snapshot {
	k.settle()
	return &Snapshot{k.shape(), k.save(nil)}
}

// Restore returns to a snapshot of this Sim or of an identical one. It panics if the design
// differs.
func (k *Sim) Restore(s *Snapshot) {
	k.alone("Restore")
	if k.shape() != s.design {
		panic("rtl: Restore of " + k.name + ": the snapshot is of another design")
	}
	k.settle()
	k.load(s.data)
}

func (k *Sim) save(b []byte) []byte {
	b = append(b, bytesOf(&k.now)...)
	b = append(b, bytesOfAll(k.next)...)
	b = k.timers.save(b)
	for _, p := range k.parts {
		b = p.save(b)
	}
	return b
}

func (k *Sim) load(b []byte) []byte {
	b = b[copy(bytesOf(&k.now), b):]
	b = b[copy(bytesOfAll(k.next), b):]
	b = k.timers.load(b)
	for _, p := range k.parts {
		b = p.load(b)
	}
	k.refly()
	k.noteAll()
	return b
}

// Reset returns every register, memory, wire and queue to its value at elaboration. Time starts
// again at cycle 0. In an island of a System time continues, and the links of the island are
// emptied.
func (k *Sim) Reset() {
	k.settle()
	for _, p := range k.parts {
		p.restart()
	}
	k.timers.clear()
	k.refly()
	if k.island == nil {
		k.now = 0
	} else {
		k.resetLinks()
	}
	k.wakeAll()
	k.noteAll()
}

func (k *Sim) wakeAll() {
	for i := range k.procs {
		k.next[i/64] |= 1 << (i % 64)
	}
}

// Hash is a fingerprint of all states, memories, wires and queues at the start of a cycle. It is
// equal for equal contents, whatever the cycle number and the order of processes.
func (k *Sim) Hash() uint64 {
	k.settle()
	d := digest{}
	k.sum(&d)
	return d.h
}

func (k *Sim) sum(d *digest) {
	for _, p := range k.parts {
		p.sum(d)
	}
}

// shape identifies the design and the order of its processes.
func (k *Sim) shape() uint64 {
	d := digest{}
	for _, p := range k.procs {
		d.text(p.name)
	}
	for _, p := range k.parts {
		d.text(p.home().path)
		d.text(p.typ().String())
	}
	d.text(fmt.Sprint(len(k.timers.wheel), len(k.save(nil))))
	return d.h
}

// digest is a 64-bit hash of values; padding between fields does not count.
type digest struct{ h uint64 }

func (d *digest) word(w uint64) {
	hi, lo := bits.Mul64(d.h^w^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	d.h = hi ^ lo ^ bits.RotateLeft64(d.h, 23)
}

func (d *digest) text(s string) {
	d.word(uint64(len(s)))
	for _, c := range []byte(s) {
		d.word(uint64(c))
	}
}

// all adds the values of plain type t stored in b, one after the other.
func (d *digest) all(b []byte, t reflect.Type) {
	parts, size := layout(t), t.Size()
	if len(parts) == 1 && parts[0].size == size {
		d.bytes(b)
		return
	}
	for ; len(b) > 0; b = b[size:] {
		for _, s := range parts {
			d.bytes(b[s.at : s.at+s.size])
		}
	}
}

func (d *digest) bytes(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		d.word(binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		var rest [8]byte
		copy(rest[:], b)
		d.word(binary.LittleEndian.Uint64(rest[:]))
	}
}

// span is a part of a type without padding.
type span struct{ at, size uintptr }

// layouts caches the spans of the types that have been hashed.
var layouts sync.Map // reflect.Type to []span

func layout(t reflect.Type) []span {
	if l, ok := layouts.Load(t); ok {
		return l.([]span)
	}
	l := spans(nil, t, 0)
	layouts.Store(t, l)
	return l
}

func spans(list []span, t reflect.Type, at uintptr) []span {
	switch last := len(list) - 1; {
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			list = spans(list, f.Type, at+f.Offset)
		}
	case t.Kind() == reflect.Array:
		for i := range t.Len() {
			list = spans(list, t.Elem(), at+uintptr(i)*t.Elem().Size())
		}
	case last >= 0 && list[last].at+list[last].size == at:
		list[last].size += t.Size()
	default:
		list = append(list, span{at, t.Size()})
	}
	return list
}
