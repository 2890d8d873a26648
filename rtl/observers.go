package rtl

import "slices"

// Observers are all who want to hear of one kind of event, in the order in which they came. The zero value has none, and
// costs whoever has an event to tell one comparison: `if x.On.Any() { x.On.Notify(...) }`.
type Observers[T any] struct{ list []*func(T) }

// Add has f called with each event from now on, until the function that it returns is called. Who comes or leaves during
// an event does so for the next one.
func (o *Observers[T]) Add(f func(T)) (leave func()) {
	o.list = append(o.list[:len(o.list):len(o.list)], &f)
	return func() {
		if i := slices.Index(o.list, &f); i >= 0 {
			o.list = slices.Concat(o.list[:i], o.list[i+1:])
		}
	}
}

// Any says whether there is somebody.
func (o *Observers[T]) Any() bool { return len(o.list) != 0 }

// Notify tells all of an event.
func (o *Observers[T]) Notify(v T) {
	for _, f := range o.list {
		(*f)(v)
	}
}
