package waves

// phase is the treatment of a change.
type phase uint8

const (
	waiting phase = iota // for From: it updates the values
	arming               // for the trigger: it is kept for a while, then it updates the values
	open                 // it is written
	closed               // after To
)

// merge orders the changes of all Sims by time and then by Sim, before time until. All changes
// before until are in the logs, so the order does not depend on the order in which the Sims ran.
func (d *Dump) merge(until uint64) {
	for d.phase != closed {
		fs := until
		for _, p := range d.probes {
			fs = min(fs, p.next())
		}
		if fs == until {
			break
		}
		d.reach(fs)
		for _, p := range d.probes {
			if p.next() == fs {
				d.take(fs, p.take())
			}
		}
		if d.phase == arming && d.trigger.fired {
			d.replay(fs)
		}
	}
	for _, p := range d.probes {
		if d.out.failed() || d.phase == closed {
			p.off = true
		}
		p.forget()
	}
}

// reach moves to the time of the next change.
func (d *Dump) reach(fs uint64) {
	if d.phase == waiting && fs > d.from {
		d.begin()
	}
	switch {
	case d.phase != waiting && fs > d.to:
		d.finish(d.to)
	case d.phase == open:
		d.stamp(fs)
	}
}

// take handles the changes of one Sim at one time.
func (d *Dump) take(fs uint64, changes []change) {
	switch d.phase {
	case waiting:
		for _, c := range changes {
			d.values[c.id] = c.value
		}
	case arming:
		d.trigger.keep(fs, changes, d.values)
	case open:
		d.note(fs, changes)
		for _, c := range changes {
			d.values[c.id] = c.value
			d.bits[c.id].note(c.value)
			d.changed = d.changed || c.id < d.shown
		}
		d.out.changes(changes)
	}
}

// begin ends the wait for From.
func (d *Dump) begin() {
	if d.trigger == nil {
		d.start(d.from)
		return
	}
	d.phase = arming
	if d.trigger.check(d.values) {
		d.replay(d.from)
	}
}

// start opens the dump with the values of all variables.
func (d *Dump) start(fs uint64) {
	for _, c := range d.clocks {
		d.values[c.id] = c.seek(fs)
	}
	if len(d.clocks) > 0 {
		d.values[d.cycle] = d.clocks[0].present()
	}
	for id, value := range d.values {
		d.bits[id] = seen{value, value}
	}
	d.out.values(fs, d.values[:d.shown])
	d.phase, d.opened, d.written = open, fs, fs
}

// replay opens the dump for a trigger that fired at time fs, with the changes kept from before.
func (d *Dump) replay(fs uint64) {
	t := d.trigger
	t.at, t.mark = fs, &mark{fs: fs}
	from := max(d.from, t.opening())
	kept := t.kept[t.oldest:]
	for len(kept) > 0 && kept[0].fs <= from {
		d.values[kept[0].id] = kept[0].value
		kept = kept[1:]
	}
	d.start(from)
	for i := range kept {
		if kept[i].fs == fs {
			t.mark.changed = append(t.mark.changed, kept[i].id)
		}
		if k := &kept[i]; i == 0 || k.fs != kept[i-1].fs {
			d.reach(k.fs)
		}
		d.take(kept[i].fs, []change{kept[i].change})
	}
	t.kept = nil
}

// finish ends the dump at time fs, or right after its last change. A dump that was never opened
// shows the last values.
func (d *Dump) finish(fs uint64) {
	if d.phase == waiting && fs > d.from {
		d.begin()
	}
	if d.phase == waiting || d.phase == arming {
		if d.trigger != nil {
			for _, k := range d.trigger.kept[d.trigger.oldest:] {
				d.values[k.id] = k.value
			}
		}
		d.start(fs)
	}
	if d.phase == open {
		d.stamp(max(min(fs, d.to), d.written+1))
		d.phase = closed
	}
}

// stamp writes a time after d.written, and the clock edges up to it.
func (d *Dump) stamp(fs uint64) {
	for d.written < fs {
		next := fs
		for _, c := range d.clocks {
			next = min(next, c.next)
		}
		d.out.time(next)
		d.written = next
		edges := d.edges[:0]
		for i, c := range d.clocks {
			if c.next != next {
				continue
			}
			if edges = append(edges, change{c.toggle(), c.id}); i == 0 && c.falls {
				edges = append(edges, change{c.cycle, d.cycle})
			}
		}
		d.out.changes(edges)
		d.edges = edges
	}
}
