package rtl

import "reflect"

// Wire carries a value within a cycle, from the one process that drives it to its readers. A field
// of type Wire is an output of its module, a field of type *Wire an input. The driver runs before
// the readers; elaboration refuses a loop. Apart from wires, only queues with [Pipe] or [Flow] and
// storage written in place order processes.
//
// A wire keeps its value until its driver sets it again. A wire in a struct that is not a module is
// a pin: the testbench sets it between runs.
type Wire[T comparable] struct {
	v     T
	shown T // what the observer last saw
	reset T // value at elaboration
	h     wireHdr
}

// wireHdr is the part of a Wire that does not depend on its type.
type wireHdr struct {
	fan     fan // into this cycle; for a pin into the next to run
	owned   owned
	driver  *process
	pin     bool
	readers []*process
}

// AnyWire is a *Wire of any type, as listed in a [Proc].
type AnyWire interface {
	storage
	whdr() *wireHdr
	value() []byte
	moved() bool
}

// Get is the value of the wire in this cycle.
func (w *Wire[T]) Get() T { return w.v }

// At is Get without the copy of a large T. It is read-only.
func (w *Wire[T]) At() *T { return &w.v }

// Set drives the wire and wakes its readers if the value changed.
func (w *Wire[T]) Set(v T) {
	if w.v != v {
		w.v = v
		w.h.fan.mark()
	}
}

// Edit returns the value of the wire for its driver to change in place. It saves the copies and the
// comparison of a large T. It always wakes the readers, so a driver with nothing to change must not
// call it.
func (w *Wire[T]) Edit() *T {
	w.h.fan.mark()
	return &w.v
}

func (w *Wire[T]) whdr() *wireHdr { return &w.h }

func (w *Wire[T]) value() []byte { return bytesOf(&w.v) }

// moved reports whether the value changed since the last call.
func (w *Wire[T]) moved() bool {
	if w.v == w.shown {
		return false
	}
	w.shown = w.v
	return true
}

func (w *Wire[T]) home() *owned { return &w.h.owned }

func (w *Wire[T]) typ() reflect.Type { return reflect.TypeFor[T]() }

func (w *Wire[T]) elaborated() { w.reset = w.v }

func (w *Wire[T]) restart() { w.v = w.reset }

func (w *Wire[T]) save(b []byte) []byte { return append(b, bytesOf(&w.v)...) }

func (w *Wire[T]) load(b []byte) []byte { return b[copy(bytesOf(&w.v), b):] }

func (w *Wire[T]) sum(d *digest) { d.all(bytesOf(&w.v), w.typ()) }
