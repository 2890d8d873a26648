package sweep

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/launches"
)

// maker makes points, one after the other. It keeps what the next point may need: the machine, the
// lowered programs and the input of a kernel.
type maker struct {
	*Plan
	stderr  io.Writer   // of CUDA programs
	stopped func() bool // polled while a CUDA program runs

	session  *testbench.Session
	machine  uint32 // of the session
	programs runner.Programs
	last     given // of the last point
	warned   map[[2]any][]Warning
	warnings []Warning // of the present point
}

// given is what a kernel runs on.
type given struct {
	subject *subject
	seed    uint64
	work    kernels.Workload
	plan    *launches.Plan
}

// make runs a point. program is the path of a CUDA program that was built of sources. The error
// means that there is no result, because of this computer.
func (m *maker) make(i int, program string) (*Result, error) {
	steps := m.steps(i)
	s, err := m.sessionOf(i, steps)
	if err != nil {
		return nil, err
	}
	m.warnings = nil
	r := &Result{Outcome: gpu.Finished.String()}
	fail := func(outcome string, err error) { r.Outcome, r.Message = outcome, firstLine(err) }
	herds, err := m.herds(steps)
	if err == nil {
		err = herds.Attach(s)
	}
	if err == nil {
		err = m.run(s, steps, program, r)
	}
	var outcome *testbench.Outcome
	var local *localError
	switch {
	case errors.As(err, &local):
		return nil, err
	case errors.As(err, &outcome):
		if fail(outcome.End.String(), err); outcome.Fault != nil { // its lines are few
			r.Message = strings.ReplaceAll(err.Error(), "\n  ", "; ")
		}
	case err != nil:
		fail(Refused, err)
	default:
		if err := herds.Unused(s); err != nil {
			fail(Refused, err)
		}
	}
	for _, w := range s.Warnings() {
		m.warn(w)
	}
	counters := s.Counters()
	r.LimitedBy, r.Warnings, r.Stats = limits(s), m.warnings, stats(&counters)
	return r, nil
}

// firstLine returns the first line of a message. The others list every warp of a machine.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// localError is a failure of this computer, not of the point.
type localError struct{ err error }

func (e *localError) Error() string { return e.err.Error() }
func (e *localError) Unwrap() error { return e.err }

// run runs the kernel of a point on a session.
func (m *maker) run(s *testbench.Session, steps []int, program string, r *Result) error {
	of, seed := m.subject(steps), m.seed(steps)
	in := &m.last
	if in.subject != of || in.seed != seed {
		*in = given{subject: of, seed: seed}
	}
	switch {
	case of.size != nil:
		if in.work == nil {
			in.work = of.size.New(seed)
		}
		if err := in.work.Run(runner.With(s, m.programs)); err != nil {
			return err
		}
		if err := in.work.Check(); err != nil {
			if r.Message = firstLine(err); !s.Herded() { // herded results are approximate
				r.Outcome = Wrong
			}
		}
		return nil
	case of.launch != "":
		if in.plan == nil {
			f, err := launches.Read(of.launch)
			if err != nil {
				return &localError{err}
			}
			f.Seed = seed
			if in.plan, err = f.Load(); err != nil {
				return &localError{err}
			}
		}
		_, err := in.plan.Run(s, func(_ int, l testbench.Launch) error { return s.Launch(l) })
		return err
	}
	if program == "" {
		program = of.build[0]
	}
	server := &cuda.Server{
		Session: s, Stderr: m.stderr, Name: "divergo",
		Launch: func(s *testbench.Session, l testbench.Launch) error { return s.Launch(l) },
	}
	code, err := cuda.Run(server, m.stopped, nil, io.Discard, m.stderr, program, of.args...)
	switch {
	case err != nil:
		return &localError{err}
	case server.Failed != nil:
		return server.Failed
	case code != 0:
		r.Outcome, r.Message = Failed, fmt.Sprintf("%s: exit code %d", of.text, code)
	}
	return nil
}

// sessionOf returns a session on the machine of a point, in its initial state.
func (m *maker) sessionOf(i int, steps []int) (*testbench.Session, error) {
	if m.session != nil && m.machine == m.machineOf[i] {
		m.session.Reset()
	} else {
		m.session = nil // its memory is free for the next one
		s, err := testbench.NewSession(m.config(steps), testbench.Limits{MaxCycles: m.maxCycles, Stop: m.stopped})
		if err != nil {
			return nil, err
		}
		s.OnLaunch.Add(m.launched)
		m.session, m.machine = s, m.machineOf[i]
	}
	if m.programs == nil {
		m.programs, m.warned = runner.Programs{}, map[[2]any][]Warning{}
	}
	return m.session, nil
}

// launched notes the warnings about a program under a mechanism. They are found once.
func (m *maker) launched(l *testbench.Loaded) {
	o := m.session.Machine.Config.Divergence
	key := [2]any{o, l.Prog}
	list, ok := m.warned[key]
	if !ok {
		mech, _ := divergence.Find(o.Mechanism)
		list = testbench.ProgramWarnings(mech, o, l.Prog)
		m.warned[key] = list
	}
	for _, w := range list {
		m.warn(w)
	}
}

// warn adds a warning to the result, once.
func (m *maker) warn(w Warning) {
	if !slices.ContainsFunc(m.warnings, func(o Warning) bool { return o.Key == w.Key }) {
		m.warnings = append(m.warnings, w)
	}
}

// herds returns what a point herds.
func (m *maker) herds(steps []int) (*testbench.Herds, error) {
	m.session.Herd = nil
	at := m.find("herd")
	if at < 0 || m.axes[at].herds[steps[at]].spec == "" {
		return testbench.ReadHerds("herd")
	}
	return testbench.ReadHerds("herd", m.axes[at].herds[steps[at]].spec)
}

// limits returns what bounds the CTAs of an SM in the launches of a session.
func limits(s *testbench.Session) string {
	var list []string
	for i := range s.Runs {
		r := &s.Runs[i]
		limit := r.Occupancy.Limit
		ctas := uint64(r.Launch.Grid[0]) * uint64(r.Launch.Grid[1]) * uint64(r.Launch.Grid[2])
		if ctas <= uint64(len(s.Machine.SMs)*r.Occupancy.CTAs) {
			limit = Grid
		}
		if !slices.Contains(list, limit) {
			list = append(list, limit)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return slices.Index(Limits, a) - slices.Index(Limits, b) })
	return strings.Join(list, ", ")
}
