//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/properties"
	"divergo/testbench"
)

// again replays a counterexample, or the counterexamples in a folder.
func (f *checkFlags) again(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--replay: %s says which mechanism, want no %q", f.replay, args[0])
	}
	cases, err := properties.Cases(f.replay)
	if err != nil {
		return err
	}
	var files output.Set
	defer files.Discard()
	junit, err := newPicture(&files, "--junit", f.junit, ".xml")
	if err != nil {
		return err
	}
	if len(cases) != 1 {
		if f.trace.name != "" {
			return fmt.Errorf("--trace: %s has %d counterexamples, want the folder of one", f.replay, len(cases))
		}
		return f.regress(c, cases, junit)
	}
	traces, err := f.trace.open(&files, &machineFlags{}, f.replay, "")
	if err != nil {
		return err
	}
	failure, err := properties.Replay(cases[0])
	if err != nil {
		return err
	}
	if traces != nil {
		var session *testbench.Session
		if err := properties.Again(cases[0], func(s *testbench.Session) error {
			session = s
			return traces.attach(s)
		}); err != nil {
			return err
		}
		if err := traces.keep(c.ErrOrStderr(), session); err != nil {
			return err
		}
	}
	err = junit.keep(func(w io.Writer) error {
		return replaySuites(cases, []*properties.Failure{failure}).write(w)
	})
	if failure != nil {
		last, unseen := failure.Last()
		fmt.Fprint(c.OutOrStdout(), last)
		return errors.Join(failure, unseen, err)
	}
	fmt.Fprintln(c.OutOrStdout(), "every checker passes")
	return err
}

// regress replays many counterexamples, as a regression test.
func (f *checkFlags) regress(c *cobra.Command, cases []string, junit *picture) error {
	asked, leave := listen(c)
	defer leave()
	line := newProgress(c.ErrOrStderr(), "check")
	t := table.New("counterexample", "mechanism", "checker", "place")
	var failures []*properties.Failure
	var errs []error
	failed := 0
	for i, name := range cases {
		if asked() {
			break
		}
		line.say(fmt.Sprintf("%d of %d counterexamples", i, len(cases)))
		failure, err := properties.Replay(name)
		if err != nil {
			line.clear()
			return err
		}
		if failures = append(failures, failure); failure != nil {
			failed++
			t.Row(filepath.ToSlash(name), failure.Mechanism, failure.Checker, failure.Place())
			errs = append(errs, fmt.Errorf("%s: %w", filepath.ToSlash(name), failure))
		}
	}
	line.clear()
	w := c.OutOrStdout()
	if failed > 0 {
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%d of %d counterexamples fail\n", failed, len(failures))
	errs = append(errs, junit.keep(func(w io.Writer) error { return replaySuites(cases, failures).write(w) }))
	if asked() {
		errs = append(errs, errInterrupted)
	}
	return errors.Join(errs...)
}
