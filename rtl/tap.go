package rtl

// tapping is an event at a tap: the cycle, and the place of the entry in the queue.
type tapping struct {
	cycle uint64
	place uint32
}

// Tap has f called with each entry that is pushed, until leave is called. The call is at the clock
// edge that ends the cycle, when the entry is complete. It is the monitor of a testbench on the
// wires between two modules: f sees the entry as the consumer will see it. It must not change the
// entry, and must copy what it keeps. A queue without a tap costs nothing extra. In a [System] the
// worker of the producer's island calls f.
func (o Out[T]) Tap(f func(cycle uint64, v *T)) (leave func()) {
	q := o.q
	if !q.f.pushes.Any() {
		q.f.told = q.f.tail
	}
	return q.f.tap(&q.f.pushes, func(t tapping) { f(t.cycle, &q.buf[t.place]) })
}

// Tap has f called with each entry during its pop, until leave is called. So f sees the entries in
// the order in which the consumer takes them, also across several queues. It sees each entry before
// the consumer pushes a result of it. See [Out.Tap].
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

// retap sets the kind and the slow flag of the queue by its taps.
func (f *fifo) retap() {
	switch {
	case f.kind == registered && (f.pushes.Any() || f.valid != nil):
		f.kind = tapped
	case f.kind == tapped && !f.pushes.Any() && f.valid == nil:
		f.kind = registered
	}
	f.slow = f.pipe || f.flow || f.kind != registered && f.kind != tapped || f.pops.Any() || f.valid != nil
}

// tellPushes calls the taps with the entries pushed since the last call.
func (f *fifo) tellPushes() {
	for ; f.told != f.tail; f.told++ {
		f.pushes.Notify(tapping{f.sim.stamp(), f.told & f.mask})
	}
}
