package rtl

// tapping is an entry of a queue as a tap sees it: the place in the queue.
type tapping struct {
	cycle uint64
	place uint32
}

// Tap has f called with each entry that is pushed, at the clock edge that ends the cycle, when the entry is complete,
// until leave is called. It is the monitor of a testbench on the wires between two modules: f sees the entry as the consumer
// will, must not change it, and may keep it only by a copy. A queue without a tap costs what it did before. In a [System]
// f is called by the worker of the producer's island.
func (o Out[T]) Tap(f func(cycle uint64, v *T)) (leave func()) {
	q := o.q
	if !q.f.pushes.Any() {
		q.f.told = q.f.tail
	}
	return q.f.tap(&q.f.pushes, func(t tapping) { f(t.cycle, &q.buf[t.place]) })
}

// Tap has f called with each entry that is popped, while it is, until leave is called. So f sees what a consumer takes in
// the order in which it takes it, also from several queues, and before what the consumer makes of it is pushed. See
// [Out.Tap].
func (i In[T]) Tap(f func(cycle uint64, v *T)) (leave func()) {
	q := i.q
	return q.f.tap(&q.f.pops, func(t tapping) { f(t.cycle, &q.buf[t.place]) })
}

// tap adds a tap to those of an end.
func (f *fifo) tap(end *Observers[tapping], tap func(tapping)) (leave func()) {
	gone := end.Add(tap)
	f.retap()
	return func() { gone(); f.retap() }
}

// retap has a push or a pop do more if there is a tap.
func (f *fifo) retap() {
	switch {
	case f.kind == registered && f.pushes.Any():
		f.kind = tapped
	case f.kind == tapped && !f.pushes.Any():
		f.kind = registered
	}
	f.slow = f.pipe || f.flow || f.kind != registered && f.kind != tapped || f.pops.Any()
}

// tellPushes tells the taps of the entries that have been pushed.
func (f *fifo) tellPushes() {
	for ; f.told != f.tail; f.told++ {
		f.pushes.Notify(tapping{f.sim.stamp(), f.told & f.mask})
	}
}
