package rtl

// Tap has f called with each entry that is pushed, at the clock edge that ends the cycle, when the entry is complete;
// nil ends it. It is the monitor of a testbench on the wires between two modules: f sees the entry as the consumer will,
// must not change it, and may keep it only by a copy. A queue without a tap costs what it did before. In a [System] f
// is called by the worker of the producer's island.
func (o Out[T]) Tap(f func(cycle uint64, v *T)) {
	q := o.q
	if q.kind == tapped {
		q.kind = registered
	}
	if q.pushed = nil; f == nil {
		return
	}
	if q.kind == registered {
		q.kind = tapped
	}
	q.told = q.tail
	q.pushed = func() {
		for ; q.told != q.tail; q.told++ {
			f(q.sim.stamp(), &q.buf[q.told&q.mask])
		}
	}
}

// Tap has f called with each entry that is popped, while it is; nil ends it. So f sees what a consumer takes in the
// order in which it takes it, also from several queues, and before what the consumer makes of it is pushed. See
// [Out.Tap].
func (i In[T]) Tap(f func(cycle uint64, v *T)) {
	q := i.q
	q.slow = q.pipe || q.flow || q.kind != registered && q.kind != tapped
	if q.popped = nil; f == nil {
		return
	}
	q.slow = true
	q.popped = func() { f(q.sim.stamp(), i.Front()) }
}
