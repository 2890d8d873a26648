package waves

import "sort"

// trigger watches for a condition, and keeps the changes of the cycles before it.
type trigger struct {
	holds  []func(value uint64) bool // by variable, nil if it is not watched
	before uint64                    // cycles to show
	cycles func(cycle uint64) uint64 // start of a cycle of the first domain, fs
	fired  bool
	at     uint64 // fs
	mark   *mark  // at the trigger; nil until it fires

	kept   []moment // in the order of time
	oldest int      // index in kept
}

// moment is a change and its time.
type moment struct {
	fs uint64
	change
}

// arm makes the trigger from the options.
func (d *Dump) arm(o *Trigger, cycles func(uint64) uint64) (*trigger, error) {
	t := &trigger{before: o.Before, cycles: cycles}
	var watched []*variable
	d.root.find(parsePattern(o.Signal), func(v *variable) { watched = append(watched, v) })
	if len(watched) == 0 {
		return nil, d.root.unmatched("trigger", o.Signal)
	}
	inOrder(watched)
	for _, v := range watched {
		d.watch(v)
	}
	t.holds = make([]func(uint64) bool, len(d.vars))
	for _, v := range watched {
		d.call(v)
		c, err := o.condition(v)
		if err != nil {
			return nil, err
		}
		t.holds[v.id] = c
	}
	return t, nil
}

// check reports whether the condition holds for any of the values.
func (t *trigger) check(values []uint64) bool {
	for id, holds := range t.holds {
		if holds != nil && holds(values[id]) {
			t.fired = true
		}
	}
	return t.fired
}

// keep stores changes. It moves into values those that a dump would not show if the trigger fired
// at fs.
func (t *trigger) keep(fs uint64, changes []change, values []uint64) {
	for ; t.oldest < len(t.kept) && t.kept[t.oldest].fs+t.cycles(t.before+1) < fs; t.oldest++ {
		k := &t.kept[t.oldest]
		values[k.id] = k.value
	}
	if t.oldest > len(t.kept)/2 && t.oldest > logLimit {
		t.kept = t.kept[:copy(t.kept, t.kept[t.oldest:])]
		t.oldest = 0
	}
	for _, c := range changes {
		if h := t.holds[c.id]; h != nil && h(c.value) {
			t.fired = true
		}
		t.kept = append(t.kept, moment{fs, c})
	}
}

// opening is the start of the first cycle to show.
func (t *trigger) opening() uint64 {
	last := sort.Search(int(t.at/t.cycles(1))+2, func(i int) bool { return t.cycles(uint64(i)) > t.at }) - 1
	return t.cycles(uint64(max(last, 0)) - min(t.before, uint64(max(last, 0))))
}
