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
	list  []rtl.ForeignSignal
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
func (m *model) Signals() []rtl.ForeignSignal { return m.list }

// Sample copies their values.
func (m *model) Sample(b []byte) { m.try(func(u bench) error { return u.sample(b) }) }

// readSignals reads the list of signals.
func readSignals(text string) (list []rtl.ForeignSignal, err error) {
	for line := range strings.Lines(text) {
		var s rtl.ForeignSignal
		if _, err := fmt.Sscan(line, &s.Path, &s.Width, &s.Count, &s.At, &s.Size); err != nil {
			return nil, fmt.Errorf("signals of the unit: %q: %w", line, err)
		}
		list = append(list, s)
	}
	return list, nil
}
