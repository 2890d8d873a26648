package rtl

import "slices"

// Observers are the functions that receive one kind of event, in the order in which they were
// added. The zero value has none. An event without observers costs one comparison: `if x.On.Any() {
// x.On.Notify(...) }`.
type Observers[T any] struct{ all observers }

// observers are Observers of any type.
type observers struct{ list []any } // pointers to functions

// add is not inlined, so that the compiler compiles it once. It would compile the methods of a
// generic type for each of its types in every package that imports a machine.
//
//go:noinline
func (o *observers) add(f any) (leave func()) {
	o.list = append(o.list, f) // behind the part that a notification goes through
	return func() {
		if i := slices.Index(o.list, f); i >= 0 {
			o.list = slices.Concat(o.list[:i], o.list[i+1:])
		}
	}
}

// Add has f called with each event until the function that it returns is called. Observers added or
// removed during a notification take effect from the next one.
func (o *Observers[T]) Add(f func(T)) (leave func()) { return o.all.add(&f) }

// Any reports whether there is an observer.
func (o *Observers[T]) Any() bool { return len(o.all.list) != 0 }

// Notify calls all observers with an event.
func (o *Observers[T]) Notify(v T) {
	for _, f := range o.all.list {
		(*f.(*func(T)))(v)
	}
}
