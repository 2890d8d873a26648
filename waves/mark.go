package waves

import "slices"

// mark is where GTKWave may open: the first time in the dump that one of some signals changes.
type mark struct {
	fs      uint64
	changed []uint32 // what changed at that time, in the same Sim
	passed  bool
	signals []uint32
}

// addMarks watches the signals of marks, where something is shown of the Sims that have them.
func (d *Dump) addMarks(patterns []string) {
	for _, p := range patterns {
		m := new(mark)
		d.root.find(parsePattern(p), func(v *variable) {
			if !d.shows(v.origin.island) {
				return
			}
			d.watch(v)
			m.signals = append(m.signals, uint32(v.id))
		})
		d.marks = append(d.marks, m)
	}
}

// shows says whether something of an island is in the dump.
func (d *Dump) shows(island int) bool {
	for _, v := range d.vars {
		if v.shown && v.origin.island == island {
			return true
		}
	}
	return false
}

// note keeps what GTKWave's files need to know of changes of one Sim at one time, all of them.
func (d *Dump) note(fs uint64, changes []change) {
	for _, c := range changes {
		d.seen[c.id] |= c.value
	}
	for _, m := range d.marks {
		if !m.passed {
			m.pass(fs, changes)
		}
	}
}

// pass looks whether a signal of the mark is among changes.
func (m *mark) pass(fs uint64, changes []change) {
	for _, c := range changes {
		if slices.Contains(m.signals, c.id) {
			m.fs, m.passed = fs, true
		}
	}
	if !m.passed {
		return
	}
	for _, c := range changes {
		m.changed = append(m.changed, c.id)
	}
}

// marked is where GTKWave sets its marker, if there is a place: where the trigger fired, or the first mark that was passed.
func (d *Dump) marked() (m *mark) {
	if d.trigger != nil {
		return d.trigger.mark
	}
	for _, m := range d.marks {
		if m.passed {
			return m
		}
	}
	return nil
}
