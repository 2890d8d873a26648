package verify

import (
	"errors"

	"divergo/gpu"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/sm"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// Machine adapts a session for workloads, and compares each launch with the golden model. It
// implements kernels.Machine.
type Machine struct {
	*runner.Machine
}

// New returns a comparing machine for a session.
func New(s *testbench.Session) *Machine { return &Machine{runner.New(s)} }

// Launch implements kernels.Machine. The error is that of Run.
func (m *Machine) Launch(l kernels.Call) error {
	return compared(m.Session, false, func() error { return m.Machine.Launch(l) })
}

// Run launches a grid on a session and on the golden model, and compares. The error is a *Mismatch
// if they differ. It is a *testbench.Outcome if neither side finishes or the run was stopped. Any
// other error gives the reason why the launch is impossible. Run also notifies the SMs' other
// observers.
func Run(s *testbench.Session, l testbench.Launch) error {
	return compared(s, false, func() error { return s.Launch(l) })
}

// RunStrict is Run, and also compares each value that a thread writes to a register, in order, even
// if nothing reads it. Use it for programs in which each load has only one possible value.
func RunStrict(s *testbench.Session, l testbench.Launch) error {
	return compared(s, true, func() error { return s.Launch(l) })
}

// compared performs one launch of s and compares it; writes includes all register writes.
func compared(s *testbench.Session, writes bool, launch func() error) error {
	return (*Recall)(nil).compared(s, writes, launch)
}

// compared is the function compared. The golden model does not run if k has its result.
func (k *Recall) compared(s *testbench.Session, writes bool, launch func() error) error {
	var r *run
	leave := s.OnLaunch.Add(func(l *testbench.Loaded) {
		var err error
		r, err = begin(s, &l.Launch, writes)
		if l.Refuse(err); r != nil {
			r.recall = k
		}
	})
	err := launch()
	leave()
	if r == nil {
		return err
	}
	for _, w := range r.watchers {
		w.detach()
	}
	var outcome *testbench.Outcome
	if err != nil && (!errors.As(err, &outcome) || outcome.End == gpu.Stopped) {
		return err
	}
	return r.judge(outcome)
}

// run is a launch being compared.
type run struct {
	session  *testbench.Session
	writes   bool    // register writes are compared
	recall   *Recall // nil: none
	launch   testbench.Launch
	image    []region // device memory before the launch
	watchers []*watcher
}

// region is a range of device memory that threads may access.
type region struct {
	sm.Range
	data []byte
}

// begin saves the image of device memory and attaches the watchers. The launch must be loaded.
func begin(s *testbench.Session, l *testbench.Launch, writes bool) (*run, error) {
	r := &run{session: s, writes: writes, launch: *l}
	for _, v := range s.Machine.SMs[0].Kernel().Valid {
		data, err := r.read(v)
		if err != nil {
			return nil, err
		}
		r.image = append(r.image, region{v, data})
	}
	for i, m := range s.Machine.SMs {
		w := watch(i, m, s.Machine.Units[i], s.Machine.Config.SM.WarpSize, s.Machine.Core().Now())
		if writes {
			w.watchWrites()
		}
		r.watchers = append(r.watchers, w)
	}
	return r, nil
}

// read copies a range from the machine's device memory.
func (r *run) read(v sm.Range) ([]byte, error) {
	data := make([]byte, v.End-v.Start)
	return data, r.session.Machine.Store.Read(v.Start, data)
}

// golden runs the launch on the golden model. The model may need more instructions than a machine
// that omitted some.
func (r *run) golden(o golden.Options) (*golden.Result, *golden.Memory, error) {
	m := golden.Memory{Pad: r.session.Pad}
	for _, v := range r.image {
		if err := errors.Join(m.Map(v.Start, uint64(len(v.data))), m.Write(v.Start, v.data)); err != nil {
			return nil, nil, err
		}
	}
	o.MaxSteps, o.Together, o.Herds = golden.DefaultMaxSteps, r.together(), r.herds()
	for _, w := range r.watchers {
		o.MaxSteps += 2 * w.issued
	}
	res, err := golden.Run(r.launch.Prog, r.launch.Golden(&r.session.Machine.Config), &m, o)
	return res, &m, err
}

// judge compares the launch. The outcome is nil if the machine finished.
func (r *run) judge(outcome *testbench.Outcome) error {
	want, memory, err := r.model()
	if err != nil {
		return err
	}
	d := &Mismatch{Launch: r.launch, Outcome: outcome, Golden: want.End}
	for _, w := range r.watchers {
		d.Broken = append(d.Broken, w.broken...)
	}
	switch finishes := want.End == golden.Finished; {
	case outcome == nil && finishes:
		d.Issued, d.Steps = r.session.Runs[len(r.session.Runs)-1].Counters.Lanes, want.Steps
		err = errors.Join(r.compareThreads(d, want), r.compareMemory(d, memory), r.comparePrinted(d, memory))
		r.strays(d, want.Strays)
	case finishes:
		err = r.compareBegun(d)
	}
	switch {
	case err != nil:
		return err
	case d.differs():
		return d
	case outcome != nil:
		return outcome
	}
	return nil
}
