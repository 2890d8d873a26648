package waves

import "slices"

// mark is where GTKWave may open: the time of the last of a sequence of changes.
type mark struct {
	steps   [][]uint32 // the signals of which one has to change, for each step that is left
	fs      uint64
	changed []uint32 // what changed at that time, in the same Sim
}

func (m *mark) passed() bool { return len(m.steps) == 0 }

// addMarks watches the signals of marks, where something is shown of the Sims that have them.
func (d *Dump) addMarks(marks [][]string) {
	for _, patterns := range marks {
		m := new(mark)
		for _, p := range patterns {
			var ids []uint32
			d.root.find(parsePattern(p), func(v *variable) {
				if d.shows(v.origin.island) {
					d.watch(v)
					ids = append(ids, uint32(v.id))
				}
			})
			m.steps = append(m.steps, ids)
		}
		d.marks = append(d.marks, m)
	}
}

// shows says whether something of an island is in the dump.
func (d *Dump) shows(island int) bool {
	return slices.ContainsFunc(d.vars, func(v *variable) bool { return v.shown && v.origin.island == island })
}

// note keeps what GTKWave's files need to know of changes of one Sim at one time, all of them.
func (d *Dump) note(fs uint64, changes []change) {
	for _, c := range changes {
		d.seen[c.id] |= c.value
	}
	for _, m := range d.marks {
		if !m.passed() {
			m.pass(fs, changes)
		}
	}
}

// pass takes the steps that the changes make.
func (m *mark) pass(fs uint64, changes []change) {
	for !m.passed() && slices.ContainsFunc(changes, func(c change) bool { return slices.Contains(m.steps[0], c.id) }) {
		m.steps = m.steps[1:]
	}
	if m.passed() {
		m.fs = fs
		for _, c := range changes {
			m.changed = append(m.changed, c.id)
		}
	}
}

// marked is where GTKWave sets its marker, if there is a place: where the trigger fired, or the first mark that was passed.
func (d *Dump) marked() *mark {
	if d.trigger != nil {
		return d.trigger.mark
	}
	for _, m := range d.marks {
		if m.passed() {
			return m
		}
	}
	return nil
}
