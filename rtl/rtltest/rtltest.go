// Package rtltest checks the properties that every design on package rtl must have. A design that
// has them can be stopped, checkpointed, traced, reset and spread over processors without a change
// of its results.
//
//	func TestProperties(t *testing.T) {
//		rtltest.Properties(t, func() *rtl.Sim { return rtl.MustNew("alu", newBench()) }, 10_000)
//	}
package rtltest

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"divergo/rtl"
)

// Properties checks, for the given number of cycles, that the design
//   - does the same when sleeping processes are evaluated too (no sensitivity is missing);
//   - does the same for any order of processes that the wires allow;
//   - does the same in one run and cycle by cycle;
//   - continues from a snapshot, restored here or in a new Sim, as if it had never stopped;
//   - equals the elaborated design after a reset, whatever it did before;
//   - does the same when observed, and every change is reported.
//
// build makes a new Sim with the same contents each time. It may prepare it as a testbench does, by
// pushes, pins and Init; a reset undoes that.
func Properties(t *testing.T, build func() *rtl.Sim, cycles uint64) {
	t.Helper()
	run(t, func() machine { return sim{build()} }, cycles, common)
}

// SystemProperties is Properties for a System, with cycles of its first domain. It also checks that
// islands in parallel give the same results as islands in turn.
func SystemProperties(t *testing.T, build func() *rtl.System, cycles uint64) {
	t.Helper()
	run(t, func() machine { return system{build()} }, cycles,
		append(common, property{"islands in parallel equal serial", parallel}))
}

func run(t *testing.T, build func() machine, cycles uint64, properties []property) {
	for _, p := range properties {
		t.Run(p.name, func(t *testing.T) {
			if err := p.check(build, cycles); err != nil {
				t.Error(err)
			}
		})
	}
}

// machine is a Sim or a System.
type machine interface {
	run(cycles uint64)
	runChecked(cycles uint64) error
	Reorder(seed uint64)
	Snapshot() *rtl.Snapshot
	Restore(s *rtl.Snapshot)
	Reset()
	Hash() uint64
	sims() []*rtl.Sim
}

type sim struct{ *rtl.Sim }

func (s sim) run(n uint64)              { s.Run(n) }
func (s sim) runChecked(n uint64) error { return s.RunChecked(n) }
func (s sim) sims() []*rtl.Sim          { return []*rtl.Sim{s.Sim} }

type system struct{ *rtl.System }

func (s system) run(n uint64)              { s.Run(s.Domains()[0], n) }
func (s system) runChecked(n uint64) error { return s.RunChecked(s.Domains()[0], n) }
func (s system) sims() []*rtl.Sim          { return s.Sims() }

type property struct {
	name  string
	check func(build func() machine, cycles uint64) error
}

var common = []property{
	{"checked run equals run", checked},
	{"any process order", anyOrder},
	{"cycle by cycle equals one run", stepped},
	{"restored snapshot equals never stopped", restored},
	{"reset equals elaborated", reset},
	{"observed equals unobserved", observed},
}

func checked(build func() machine, cycles uint64) error {
	want, got := build(), build()
	want.run(cycles)
	if err := got.runChecked(cycles); err != nil {
		return err
	}
	return equal(want, got)
}

func anyOrder(build func() machine, cycles uint64) error {
	want := build()
	want.run(cycles)
	for seed := range uint64(8) {
		got := build()
		got.Reorder(seed)
		got.run(cycles)
		if err := equal(want, got); err != nil {
			return fmt.Errorf("process order %d: %w", seed, err)
		}
	}
	return nil
}

func stepped(build func() machine, cycles uint64) error {
	want, got := build(), build()
	want.run(cycles)
	for range cycles {
		got.run(1)
	}
	return equal(want, got)
}

func restored(build func() machine, cycles uint64) error {
	want, got := build(), build()
	want.run(cycles)
	got.run(cycles / 2)
	s := got.Snapshot()
	got.run(cycles - cycles/2)
	if err := equal(want, got); err != nil {
		return fmt.Errorf("after the snapshot was taken: %w", err)
	}
	for _, m := range []machine{got, build()} {
		m.Restore(s)
		m.run(cycles - cycles/2)
		if err := equal(want, m); err != nil {
			return fmt.Errorf("after the snapshot was restored: %w", err)
		}
	}
	return nil
}

func reset(build func() machine, cycles uint64) error {
	want, got := build(), build()
	want.Reset()
	got.run(cycles / 3)
	got.Reset()
	if err := equal(want, got); err != nil {
		return fmt.Errorf("at once: %w", err)
	}
	want.run(cycles)
	got.run(cycles)
	return equal(want, got)
}

func observed(build func() machine, cycles uint64) error {
	want, got := build(), build()
	var errs []error
	for _, k := range got.sims() {
		observe(k, func(err error) {
			if len(errs) < 5 {
				errs = append(errs, err)
			}
		})
	}
	want.run(cycles)
	got.run(cycles)
	return errors.Join(append(errs, equal(want, got))...)
}

// observe reports signals that change although their group does not.
func observe(k *rtl.Sim, report func(error)) {
	signals := k.Signals()
	old := make([]uint64, len(signals))
	for i := range signals {
		old[i] = signals[i].Value()
	}
	k.Observe(func(cycle uint64, changed []uint64) {
		for i := range signals {
			s := &signals[i]
			if v := s.Value(); v != old[i] {
				old[i] = v
				if changed[s.Group/64]>>(s.Group%64)&1 == 0 {
					report(fmt.Errorf("cycle %d: %s changes to %#x, but its group is not reported", cycle, s.Path, v))
				}
			}
		}
	})
}

func parallel(build func() machine, cycles uint64) error {
	// the number of workers is at most GOMAXPROCS
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(4, runtime.NumCPU())))
	want := build()
	want.run(cycles)
	for workers := 2; workers <= 4; workers++ {
		got := build()
		got.(system).Workers = workers
		got.run(cycles)
		if err := equal(want, got); err != nil {
			return fmt.Errorf("%d workers: %w", workers, err)
		}
	}
	return nil
}

// equal describes how two machines differ.
func equal(want, got machine) error {
	if want.Hash() == got.Hash() {
		return nil
	}
	var differ []string
	gotSims := got.sims()
	for i, k := range want.sims() {
		a, b := k.Signals(), gotSims[i].Signals()
		for j := range a {
			if v, w := a[j].Value(), b[j].Value(); v != w {
				differ = append(differ, fmt.Sprintf("%s is %#x, expected %#x", a[j].Path, w, v))
			}
		}
	}
	switch n := len(differ); {
	case n == 0:
		return errors.New("the state differs, in a memory that is not traced or in a queue behind its front")
	case n > 5:
		differ = append(differ[:5], fmt.Sprintf("and %d more", n-5))
	}
	return errors.New("the state differs: " + strings.Join(differ, "; "))
}
