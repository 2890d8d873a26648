package rtl

import "slices"

// Observers are all who want to hear of one kind of event, in the order in which they came. The zero value has none, and
// costs whoever has an event to tell one comparison: `if x.On.Any() { x.On.Notify(...) }`.
type Observers[T any] struct{ all observers }

// observers are Observers, whatever their type.
type observers struct{ list []any } // pointers to functions

// add is not inlined, so that the compiler makes it once: the methods of a generic type are made for each of its types in
// every package that imports a machine.
//
//go:noinline
func (o *observers) add(f any) (leave func()) {
	o.list = append(o.list[:len(o.list):len(o.list)], f)
	return func() {
		if i := slices.Index(o.list, f); i >= 0 {
			o.list = slices.Concat(o.list[:i], o.list[i+1:])
		}
	}
}

// Add has f called with each event from now on, until the function that it returns is called. Who comes or leaves during
// an event does so for the next one.
func (o *Observers[T]) Add(f func(T)) (leave func()) { return o.all.add(&f) }

// Any says whether there is somebody.
func (o *Observers[T]) Any() bool { return len(o.all.list) != 0 }

// Notify tells all of an event.
func (o *Observers[T]) Notify(v T) {
	for _, f := range o.all.list {
		(*f.(*func(T)))(v)
	}
}
