package waves

import "slices"

// mark is a place where GTKWave may open: the time of the first change of one of some signals.
type mark struct {
	signals []uint32
	passed  bool
	fs      uint64
	changed []uint32 // variables that changed at that time, in the same Sim
	left    []change // of Options.Returns, those that changed at that time, with their old values
	end     uint64   // time at which one of them has its old value again; 0: none yet
}

// addMarks watches the signals of marks and those that return.
func (d *Dump) addMarks(marks, returns []string) {
	for _, p := range marks {
		d.marks = append(d.marks, &mark{signals: d.watchShown(p)})
	}
	for _, p := range returns {
		d.returns = append(d.returns, d.watchShown(p))
	}
}

// watchShown watches the signals of a pattern, in Sims with signals in the dump.
func (d *Dump) watchShown(p string) (ids []uint32) {
	d.root.find(parsePattern(p), func(v *variable) {
		if d.shows(v.origin.island) {
			d.watch(v)
			ids = append(ids, uint32(v.id))
		}
	})
	return ids
}

// place sets the marker to a cycle of the first domain.
func (d *Dump) place(cycle uint64) {
	if cycle > 0 {
		d.placed = &mark{passed: true, fs: d.cycles(cycle)}
	}
}

// shows reports whether a signal of an island is in the dump.
func (d *Dump) shows(island int) bool {
	return slices.ContainsFunc(d.vars, func(v *variable) bool { return v.shown && v.origin.island == island })
}

// note records data for GTKWave's files. changes are all changes of one Sim at one time.
func (d *Dump) note(fs uint64, changes []change) {
	for _, m := range d.marks {
		switch {
		case !m.passed:
			m.pass(fs, changes)
			m.leave(changes, d.returns, d.values)
		case m.end == 0 && len(m.left) > 0 && m.returned(changes):
			m.end = fs
		}
	}
	for _, c := range changes {
		d.seen[c.id] |= c.value
		d.values[c.id] = c.value
	}
	if m := d.placed; m != nil && fs <= m.fs && fs >= d.before(m) {
		m.keep(changes)
	}
}

// pass sets the mark, if one of its signals is among the changes.
func (m *mark) pass(fs uint64, changes []change) {
	if !slices.ContainsFunc(changes, func(c change) bool { return slices.Contains(m.signals, c.id) }) {
		return
	}
	m.passed, m.fs = true, fs
	m.keep(changes)
}

// leave records the old values of signals that changed at a mark that has passed: those of the first
// list with a change.
func (m *mark) leave(changes []change, lists [][]uint32, values []uint64) {
	for _, ids := range lists {
		for _, c := range changes {
			if m.passed && slices.Contains(ids, c.id) {
				m.left = append(m.left, change{id: c.id, value: values[c.id]})
			}
		}
		if len(m.left) > 0 {
			return
		}
	}
}

// returned reports whether a signal that left at the mark gets its old value.
func (m *mark) returned(changes []change) bool {
	return slices.ContainsFunc(m.left, func(c change) bool { return slices.Contains(changes, c) })
}

// keep records the changed variables.
func (m *mark) keep(changes []change) {
	for _, c := range changes {
		m.changed = append(m.changed, c.id)
	}
}

// marked is where GTKWave sets its marker, or nil. It is the place of Options.At if the dump
// includes it, otherwise the trigger, otherwise the first mark that was passed.
func (d *Dump) marked() *mark {
	switch {
	case d.placed != nil && d.placed.fs >= d.opened && d.placed.fs <= d.written:
		return d.placed
	case d.trigger != nil:
		return d.trigger.mark
	}
	for _, m := range d.marks {
		if m.passed {
			return m
		}
	}
	return nil
}
