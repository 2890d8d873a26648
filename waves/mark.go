package waves

import "slices"

// mark is a place where GTKWave may open: the time of the first change of one of some signals.
type mark struct {
	signals []uint32
	passed  bool
	fs      uint64
	changed []uint32 // variables that changed at that time, in the same Sim
	apart   []apart  // those of Options.Joins
	joined  uint64   // fs of the first time at which all of apart have their earlier values again; 0: none
	other   uint64   // fs of the first time at which another of Options.Joins gets such a value; 0: none
}

// apart is a signal that changed at a mark, or first after it.
type apart struct {
	change        // the present value
	before uint64 // the value before the mark
}

// maxJoin is the number of cycles in which a join is looked for.
const maxJoin = 2000

// addMarks watches the signals of marks, in Sims with signals in the dump.
func (d *Dump) addMarks(patterns []string) {
	for _, p := range patterns {
		m := new(mark)
		d.root.find(parsePattern(p), func(v *variable) {
			if d.shows(v.origin.island) {
				d.watch(v)
				m.signals = append(m.signals, uint32(v.id))
			}
		})
		d.marks = append(d.marks, m)
	}
}

// addJoins watches the signals that show a join, in Sims with signals in the dump.
func (d *Dump) addJoins(patterns []string) {
	var ids []int
	for _, p := range patterns {
		d.root.find(parsePattern(p), func(v *variable) {
			if d.shows(v.origin.island) {
				d.watch(v)
				ids = append(ids, v.id)
			}
		})
	}
	d.joins = make([]bool, len(d.vars))
	for _, id := range ids {
		d.joins[id] = true
	}
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
			if m.passed {
				d.part(m, changes)
			}
		case m.joined > 0 || fs > m.fs+d.cycles(maxJoin):
		case len(m.apart) == 0:
			d.part(m, changes)
		default:
			m.join(fs, changes, d.joins)
		}
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

// part records the signals that change at a mark, or first after it, with their values until then.
func (d *Dump) part(m *mark, changes []change) {
	for _, c := range changes {
		if d.joins[c.id] {
			m.apart = append(m.apart, apart{c, d.values[c.id]})
			m.changed = append(m.changed, c.id)
		}
	}
}

// join looks whether all signals have their values from before the mark, or another one has such a
// value: threads that were apart may meet elsewhere.
func (m *mark) join(fs uint64, changes []change, joins []bool) {
	some, all := false, true
	for i := range m.apart {
		a := &m.apart[i]
		for _, c := range changes {
			if c.id == a.id {
				a.value, some = c.value, true
			} else if m.other == 0 && joins[c.id] && c.value == a.before {
				m.other = fs
			}
		}
		all = all && a.value == a.before
	}
	if some && all {
		m.joined = fs
	}
}

// end is where the signals that changed at the mark join, 0 if they do not.
func (m *mark) end() uint64 {
	if m.joined > 0 {
		return m.joined
	}
	return m.other
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
