package verilog

import (
	"errors"
	"fmt"
	"io"

	"divergo/isa"
	"divergo/sm/divergence"
)

// Scored counts what a trace has.
type Scored struct {
	Edges  int // clock edges without reset
	Issued int // instructions
	Warps  int // that have started
	Left   int // of these, those that have not retired
}

// Difference is the first clock edge at which a unit in another simulator is not what it should be.
type Difference struct {
	File string // the trace
	Line int    // of the edge, from 1
	Port string
	Unit string // what the unit has
	Want string
	By   string // "the threads" or the name of the mechanism
}

func (d *Difference) Error() string {
	return fmt.Sprintf("%s:%d: %s: the unit has %s, %s: %s", d.File, d.Line, d.Port, d.Unit, d.By, d.Want)
}

// Score replays a trace that a bench in another simulator has recorded of a unit. It compares the
// slots of each clock edge with a golden model, which moves each thread by itself, and with a
// mechanism in Go, if m is not nil. An error is a *Difference, or says what is wrong with the trace.
func Score(trace string, m *divergence.Mechanism, o divergence.Options) (Scored, error) {
	var p program
	s, err := alone(trace, &p)
	if m == nil {
		return s, err
	}
	// A mechanism may differ before a thread does, or a bench cannot go on.
	var d *Difference
	if earlier := beside(trace, m, o, p.isa(), s.Edges); err == nil || errors.As(earlier, &d) {
		err = earlier
	}
	return s, err
}

// alone compares a trace with its threads, up to the first difference, and learns its program.
func alone(trace string, p *program) (s Scored, err error) {
	r, err := openRecording(trace)
	if err != nil {
		return s, err
	}
	defer r.file.Close()
	var g golden
	for {
		x, err := r.edge()
		switch {
		case errors.Is(err, io.EOF) && s.Edges == 0:
			return s, r.wrong("no clock edge without rst")
		case errors.Is(err, io.EOF):
			return s, nil
		case err != nil:
			return s, err
		}
		if d := g.look(&x.Out); d != nil {
			return s, r.differs(d, r.line, "the threads")
		}
		if err := g.move(&x.In, &x.Out); err != nil {
			return s, r.wrong("%v", err)
		}
		if err := p.learn(x); err != nil {
			return s, r.wrong("%v", err)
		}
		s.count(&x.In, &x.Out)
	}
}

// beside compares the first edges of a trace with a mechanism that runs a program.
func beside(trace string, m *divergence.Mechanism, o divergence.Options, p *isa.Program, edges int) error {
	t, err := newTwin(m, o, p)
	if err != nil {
		return err
	}
	r, err := openRecording(trace)
	if err != nil {
		return err
	}
	defer r.file.Close()
	now, line := &record{}, 0 // an edge without an event
	for n := 0; n <= edges; n++ {
		next := &record{}
		if n < edges {
			if next, err = r.edge(); err != nil {
				return err
			}
		}
		d, err := t.step(now, next)
		switch {
		case err != nil:
			return fmt.Errorf("%s:%d: %w", trace, line, err)
		case d != nil:
			return r.differs(d, line, t.name)
		}
		now, line = next, r.line
	}
	return nil
}

// differs returns a difference at a line.
func (r *recording) differs(d *difference, line int, by string) error {
	return &Difference{r.name, line, d.port, d.unit, d.want, by}
}

// count counts the events of an edge.
func (s *Scored) count(in *Inputs, out *Outputs) {
	s.Edges++
	s.Issued += int(in.Fire)
	s.Warps += int(in.Launch)
	s.Left += int(in.Launch) - int(out.Retire)
}

// edge reads the next edge behind the reset.
func (r *recording) edge() (*record, error) {
	for {
		x, err := r.next()
		if err != nil {
			return nil, err
		}
		if x.In.Reset == 0 {
			r.begun = true
			return x, nil
		}
		if r.begun {
			return nil, r.wrong("rst = 1, want a reset only before the first event")
		}
	}
}
