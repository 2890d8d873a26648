package rtl

// tapping is an entry of a queue as a tap sees it.
type tapping[T any] struct {
	cycle uint64
	v     *T
}

// Tap has f called with each entry that is pushed, at the clock edge that ends the cycle, when the entry is complete,
// until leave is called. It is the monitor of a testbench on the wires between two modules: f sees the entry as the consumer
// will, must not change it, and may keep it only by a copy. A queue without a tap costs what it did before. In a [System]
// f is called by the worker of the producer's island.
func (o Out[T]) Tap(f func(cycle uint64, v *T)) (leave func()) {
	q := o.q
	if !q.pushes.Any() {
		q.told = q.tail
	}
	gone := q.pushes.Add(func(t tapping[T]) { f(t.cycle, t.v) })
	q.tap()
	return func() { gone(); q.tap() }
}

// Tap has f called with each entry that is popped, while it is, until leave is called. So f sees what a consumer takes in
// the order in which it takes it, also from several queues, and before what the consumer makes of it is pushed. See
// [Out.Tap].
func (i In[T]) Tap(f func(cycle uint64, v *T)) (leave func()) {
	q := i.q
	gone := q.pops.Add(func(t tapping[T]) { f(t.cycle, t.v) })
	q.tap()
	return func() { gone(); q.tap() }
}

// tap has the queue tell its taps, if it has any.
func (q *Queue[T]) tap() {
	switch {
	case q.kind == registered && q.pushes.Any():
		q.kind = tapped
	case q.kind == tapped && !q.pushes.Any():
		q.kind = registered
	}
	q.pushed, q.popped = nil, nil
	if q.pushes.Any() {
		q.pushed = func() {
			for ; q.told != q.tail; q.told++ {
				q.pushes.Notify(tapping[T]{q.sim.stamp(), &q.buf[q.told&q.mask]})
			}
		}
	}
	if q.pops.Any() {
		q.popped = func() { q.pops.Notify(tapping[T]{q.sim.stamp(), q.In().Front()}) }
	}
	q.slow = q.pipe || q.flow || q.kind != registered && q.kind != tapped || q.pops.Any()
}
