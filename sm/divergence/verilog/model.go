package verilog

import (
	"fmt"
	"strings"

	"divergo/rtl"
)

// bench is a unit that runs: in a shared object or in a process.
type bench interface {
	// clock is a clock edge.
	clock(in *Inputs, out *Outputs) error
	// debug reads the groups of threads of a warp and returns their number.
	debug(warp int, to *[maxEntries]Entry) (int, error)
	save(b []byte) ([]byte, error)
	load(b []byte) error
	sample(b []byte) error
	// signals describes the signals: see divergo_signals.
	signals() (string, error)
}

// model is the unit of one SM. It starts with the first use, since many machines are built and never
// run.
type model struct {
	start func() (bench, error)
	b     bench
	about *description
	fail  func(error)
	heal  func() // forgets a failure

	in      Inputs
	out     Outputs
	entries [maxEntries]Entry
}

// try calls f with the running unit and reports an error.
func (m *model) try(f func(b bench) error) {
	if m.b == nil {
		b, err := m.start()
		if err != nil {
			m.fail(err)
			return
		}
		m.b = b
	}
	if err := f(m.b); err != nil {
		m.fail(err)
	}
}

// groups asks the debug port for the groups of threads of a warp.
func (m *model) groups(w int) (list []Entry) {
	m.try(func(b bench) error {
		n, err := b.debug(w, &m.entries)
		list = m.entries[:n]
		return err
	})
	return list
}

// Save appends the state.
func (m *model) Save(b []byte) []byte {
	m.try(func(u bench) (err error) { b, err = u.save(b); return err })
	return b
}

// Load returns to a state. A unit that has failed is made anew.
func (m *model) Load(b []byte) {
	m.heal()
	if p, ok := m.b.(*process); ok && p.dead != nil {
		m.b = nil
	}
	m.try(func(u bench) error { return u.load(b) })
}

// Signals lists the signals of the unit.
func (m *model) Signals() []rtl.ForeignSignal { return m.about.signals }

// Storage lists its registers and memories.
func (m *model) Storage() []rtl.Storage { return m.about.storage }

// Sample copies their values.
func (m *model) Sample(b []byte) { m.try(func(u bench) error { return u.sample(b) }) }

// description is what a model tells about the unit.
type description struct {
	signals []rtl.ForeignSignal
	storage []rtl.Storage
}

// readDescription reads the lines of divergo_signals.
func readDescription(text string) (*description, error) {
	d := new(description)
	for line := range strings.Lines(text) {
		var err error
		if rest, ok := strings.CutPrefix(line, "register "); ok {
			s := rtl.Storage{Fields: make([]rtl.Field, 1)}
			_, err = fmt.Sscan(rest, &s.Path, &s.Words, &s.Fields[0].Bits)
			d.storage = append(d.storage, s)
		} else {
			var s rtl.ForeignSignal
			_, err = fmt.Sscan(line, &s.Path, &s.Width, &s.Count, &s.At, &s.Size)
			d.signals = append(d.signals, s)
		}
		if err != nil {
			return nil, fmt.Errorf("signals of the unit: %q: %w", line, err)
		}
	}
	return d, nil
}
