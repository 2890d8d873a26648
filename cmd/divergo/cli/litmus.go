//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/table"
	"divergo/properties/draw"
	"divergo/testbench/litmus"
)

// defaultLitmus is the number of launches of each litmus test.
const defaultLitmus = 1000

// litmusFlags are the flags of check that apply with --litmus.
var litmusFlags = []string{"litmus", "runs", "seed", "jobs", "json"}

// litmus runs litmus tests: the named ones, those of files, or all.
func (f *checkFlags) litmus(c *cobra.Command, args []string) error {
	var other error
	c.Flags().VisitAll(func(flag *pflag.Flag) {
		if flag.Changed && !slices.Contains(litmusFlags, flag.Name) {
			other = errors.Join(other, fmt.Errorf("--%s: does not go with --litmus, which takes --%s",
				flag.Name, strings.Join(litmusFlags[1:], ", --")))
		}
	})
	tests, err := litmusTests(args)
	o := litmus.Options{
		Tests: tests, Runs: f.options.Runs, Seed: f.options.Seed, Jobs: f.options.Jobs, Machine: draw.Machine,
	}
	if !c.Flags().Changed("runs") {
		o.Runs = defaultLitmus
	}
	switch {
	case other != nil || err != nil:
		return errors.Join(other, err)
	case o.Jobs < 1:
		return fmt.Errorf("--jobs %d: want at least 1", o.Jobs)
	case o.Seed > math.MaxUint64-o.Runs-1:
		return fmt.Errorf("--seed %d: want at most %d, so that there are seeds for all runs", o.Seed,
			math.MaxUint64-o.Runs-1)
	}
	asked, leave := listen(c)
	defer leave()
	o.Stop = asked
	line := newProgress(c.ErrOrStderr(), "check")
	o.Progress = func(done, of uint64) { line.say(fmt.Sprintf("%d of %d launches", done, of)) }
	r, err := litmus.Run(o)
	line.clear()
	if err != nil {
		return err
	}
	by := origin(c)
	show := printLitmus
	if f.json {
		show = printLitmusJSON
	}
	err = show(c.OutOrStdout(), r, &o, by.Program)
	for i := range r.Results {
		err = errors.Join(err, r.Results[i].Wrong())
	}
	if r.Finding != nil {
		err = errors.Join(r.Finding, err)
	}
	if asked() {
		err = errors.Join(err, errInterrupted)
	}
	return err
}

// maxLitmus is the size limit of a file of litmus tests, in bytes.
const maxLitmus = 1 << 20

// litmusTests returns the tests of these names or files. Without arguments it returns all built-in
// tests.
func litmusTests(args []string) (tests []*litmus.Test, err error) {
	all := litmus.Tests()
	if len(args) == 0 {
		return all, nil
	}
	var names []string
	for _, t := range all {
		names = append(names, t.Name)
	}
	for _, arg := range args {
		if i := slices.Index(names, arg); i >= 0 {
			tests = append(tests, all[i])
			continue
		}
		if filepath.Ext(arg) != ".litmus" {
			return nil, fmt.Errorf("%w; a file ends with .litmus", nearest.Unknown("litmus test", arg, names))
		}
		text, err := input.Read(arg, maxLitmus)
		if err != nil {
			return nil, err
		}
		list, err := litmus.Parse(filepath.ToSlash(arg), string(text))
		if err != nil {
			return nil, err
		}
		tests = append(tests, list...)
	}
	return tests, nil
}

// replayLitmus returns the command that replays a finding.
func replayLitmus(f *litmus.Finding, program string) string {
	name := f.Test.Name
	if !slices.Contains(litmus.Tests(), f.Test) {
		name, _, _ = strings.Cut(f.Test.Place, ".litmus:")
		name += ".litmus"
	}
	return fmt.Sprintf("%s check --litmus %s --seed %d --runs 1", program, quoted(name), f.Seed)
}

// printLitmus writes a line for each test. A line for each weak outcome follows.
func printLitmus(w io.Writer, r *litmus.Report, o *litmus.Options, program string) error {
	t := table.New("test", "launches", "executions", "outcomes", "seen", "weak", "seen")
	for i := range r.Results {
		one := &r.Results[i]
		n := one.Count()
		t.Row(one.Test.Name, one.Launches, one.Executions, n.Allowed, n.Seen, n.Weak, n.WeakSeen)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	if len(r.Results) == 1 {
		fmt.Fprintln(w)
		if err := printOutcomes(w, &r.Results[0]); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	if f := r.Finding; f != nil {
		fmt.Fprintf(w, "%v\nmachine: %s\nagain: %s\n", f, settingsText(&f.Machine), replayLitmus(f, program))
		return nil
	}
	_, err := fmt.Fprintf(w, "no outcome that the model forbids; --seed %d goes on\n", r.Next)
	return err
}

// printOutcomes writes the outcomes that the model allows for a test.
func printOutcomes(w io.Writer, r *litmus.Result) error {
	t := table.New("outcome", "", "times")
	for _, out := range r.Outcomes {
		kind := ""
		if out.Weak {
			kind = "weak"
		}
		t.Row(r.Test.Show(out.Outcome), kind, out.Times)
	}
	_, err := t.WriteTo(w)
	return err
}

// settingsText lists the settings that differ from the default machine.
func settingsText(c *gpu.Config) string {
	usual := gpu.Default()
	var list []string
	for _, k := range gpu.Keys() {
		if v := k.Get(c); v != k.Get(&usual) {
			list = append(list, k.Name+"="+v)
		}
	}
	return strings.Join(list, " ")
}

// printLitmusJSON writes the report as JSON.
func printLitmusJSON(w io.Writer, r *litmus.Report, o *litmus.Options, program string) error {
	tests := []map[string]any{}
	for i := range r.Results {
		one := &r.Results[i]
		outcomes := []map[string]any{}
		for _, out := range one.Outcomes {
			outcomes = append(outcomes, map[string]any{
				"outcome": one.Test.Show(out.Outcome), "weak": out.Weak, "times": out.Times,
			})
		}
		tests = append(tests, map[string]any{
			"test": one.Test.Name, "source": one.Test.Source, "launches": one.Launches, "executions": one.Executions,
			"outcomes": outcomes,
		})
	}
	answer := map[string]any{
		"schema": schema("check.litmus"), "first_seed": o.Seed, "next_seed": r.Next,
		"seconds": r.Spent.Seconds(), "tests": tests, "failure": nil,
	}
	if f := r.Finding; f != nil {
		settings := map[string]any{}
		for _, s := range f.Machine.Resolved() {
			settings[s.Key] = s.Value
		}
		failure := map[string]any{
			"test": f.Test.Name, "seed": f.Seed, "mechanism": f.Machine.Divergence.Mechanism, "outcome": "",
			"what": f.Error(), "config": settings, "command": replayLitmus(f, program),
		}
		if f.Err == nil {
			failure["outcome"] = f.Test.Show(f.Outcome)
		}
		answer["failure"] = failure
	}
	return printJSON(w, answer)
}
