package properties

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/properties/books"
	"divergo/testbench"
	"divergo/testbench/golden"
	"divergo/testbench/verify"
)

// seen holds the results of a second run of a failure.
type seen struct {
	cycle  uint64          // of the failure
	trails []*verify.Trail // of the threads concerned; those that differ from the golden model first
	shows  string          // flags with which "divergo run" shows it; "": it does not
	wave   *window         // of the waveform; nil: there is none

	timeline bool // there is one
}

// look runs a failing case again and finds the cycle and the threads.
//
// The cycle is that of the checker, or else that of the first difference from the golden model, or
// else that of the last instruction. The threads are those of the checker, or those that differ, or
// those that stored wrong bytes. Of a run that did not end, they are the unfinished threads.
func (f *Failure) look(stop func() bool) (*seen, error) {
	if f.seen != nil {
		return f.seen, nil
	}
	s, err := f.session(maxCycles)
	if err != nil {
		return nil, err
	}
	s.Limits.Stop = func() bool {
		return stop != nil && stop() || f.at.Cycle > 0 && s.Machine.Core().Now() > f.at.Cycle+1
	}
	var r *verify.Recording
	start := uint64(0)
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		var err error
		start = s.Machine.Core().Now()
		r, err = verify.Follow(s, &l.Launch)
		l.Refuse(err)
	})
	err = f.again(s)
	if stop != nil && stop() {
		return nil, errStopped
	}
	if r == nil {
		return nil, err
	}
	if err := r.End(stop); err != nil {
		return nil, err
	}
	x := &seen{cycle: f.at.Cycle}
	if m := f.Mismatch; m != nil && len(m.Broken) > 0 && x.cycle == 0 {
		x.cycle = start + m.Broken[0].Cycle
	}
	f.concerned(x, r)
	f.seen = x
	return x, nil
}

// shownTrails limits the printed threads.
const shownTrails = 4

// String describes the cycle and the last instructions; "" if no thread is concerned.
func (x *seen) String() string {
	if len(x.trails) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "It failed in cycle %d. The last instructions of the threads concerned, and results that are not those of the golden model:\n\n", x.cycle)
	for _, t := range x.trails[:min(len(x.trails), shownTrails)] {
		fmt.Fprintf(&b, "    %s\n\n", strings.ReplaceAll(t.String(), "\n", "\n    "))
	}
	if more := len(x.trails) - shownTrails; more > 0 {
		fmt.Fprintf(&b, "Threads that are not shown: %d.\n\n", more)
	}
	return b.String()
}

// Last runs the case again and describes the failing cycle and the last instructions of the threads
// concerned; "" if there are none.
func (f *Failure) Last() (string, error) {
	x, err := f.look(nil)
	if err != nil {
		return "", err
	}
	return x.String(), nil
}

// session returns a machine for the case.
func (f *Failure) session(limit uint64) (*testbench.Session, error) {
	cfg := f.Case.Machine.Under(f.Mechanism)
	return testbench.NewSession(cfg, testbench.Limits{MaxCycles: limit})
}

// again runs the launches until the first failure, each compared with the golden model. It recovers
// from panics.
func (f *Failure) again(s *testbench.Session) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = nil
		}
	}()
	return f.perform(s, func(l testbench.Launch) error { return verify.RunStrict(s, l) })
}

// concerned finds the threads and the cycle of a failure in a recording.
func (f *Failure) concerned(x *seen, r *verify.Recording) {
	until := cmp.Or(x.cycle, ^uint64(0))
	all := r.Trails(until)
	some := func(is func(t *verify.Trail) bool) {
		if len(x.trails) == 0 {
			x.trails = slices.DeleteFunc(slices.Clone(all), func(t *verify.Trail) bool { return !is(t) })
		}
	}
	some(func(t *verify.Trail) bool { return slices.Contains(f.at.Threads, t.Thread) })
	some(func(t *verify.Trail) bool { return t.Differs && x.cycle == 0 })
	var storers []golden.ID
	last, end := r.Last()
	stored := uint64(0)
	if f.Checker == checkMemory && f.Mismatch != nil {
		for _, b := range f.Mismatch.Memory {
			for at := uint64(0); at < uint64(len(b.Machine)); at += 4 {
				if id, cycle, ok := r.Storer(b.Addr + at); ok {
					storers = append(storers, id)
					stored = max(stored, cycle)
				}
			}
		}
	}
	some(func(t *verify.Trail) bool { return slices.Contains(storers, t.Thread) })
	some(func(t *verify.Trail) bool { return f.Checker == checkOutcome && !t.Finished })
	some(func(t *verify.Trail) bool { return f.Checker == checkPanic && t.Thread == last })
	slices.SortStableFunc(x.trails, func(a, b *verify.Trail) int {
		if a.Differs != b.Differs {
			return map[bool]int{true: -1, false: 1}[a.Differs]
		}
		if a.Differs {
			return cmp.Compare(a.Cycle, b.Cycle)
		}
		return 0
	})
	switch {
	case x.cycle > 0:
	case len(x.trails) > 0 && x.trails[0].Differs:
		x.cycle = x.trails[0].Cycle
	default:
		x.cycle = cmp.Or(stored, end)
	}
}

// shows returns the flags with which "divergo run" shows the failure, or "". That command compares
// results only; it runs no other checker.
func (f *Failure) shows(stop func() bool) (flags string, err error) {
	limit := min(4*f.cycles+100_000, maxCycles)
	s, err := f.session(limit)
	if err != nil {
		return "", err
	}
	s.Limits.Stop = stop
	defer func() {
		if p := recover(); p != nil {
			flags, err = "", nil
		}
	}()
	err = f.perform(s, func(l testbench.Launch) error { return verify.Run(s, l) })
	var m *verify.Mismatch
	var o *testbench.Outcome
	switch {
	case errors.As(err, &o) && o.End == gpu.Stopped:
		return "", errStopped
	case errors.As(err, &o) && o.End == gpu.OutOfTime:
		return fmt.Sprintf("--verify --max-cycles %d", limit), nil
	case errors.As(err, &m), o != nil:
		return "--verify", nil
	}
	return "", nil
}

// opcode is that of the instruction at which a thread first differs, "" if none does.
func (x *seen) opcode() string {
	if len(x.trails) == 0 || !x.trails[0].Differs {
		return ""
	}
	t := x.trails[0]
	return books.Opcode(t.Program(), t.Steps[len(t.Steps)-1].PC)
}
