package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/properties"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// checkFlags are the flags of the verb check.
type checkFlags struct {
	options     properties.Options
	features    string
	dir, replay string
	trace       traceFlag
	// the bucket of the counterexample; nil if there is none or it could not be written
	found          *properties.Bucket
	json, checkers bool
	coverage       bool
	isLitmus       bool
}

// defaultRuns is the number of kernels of a check without a flag for its length.
const defaultRuns = 500

func newCheck() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [MECHANISM...|--litmus [TEST...]]",
		Short: "Look for bugs of divergence mechanisms with random kernels",
		Long: `Run random kernels on random small machines under the mechanisms, or under all of them, and compare
every thread with the golden model; in each run a list of invariants is watched (--checkers prints
it). The kernels have nested and unstructured control flow, early exits and barriers, and no data
races.

Kernel, launch, data and machine come from one seed; the seeds are consecutive, so that a check can
be repeated, and continued where another one ended; with --journal FILE it goes on by itself after
it was interrupted or killed. The first failure is made as small as a few seconds allow and written
to a new folder: PTX, machine, an explanation with the last instructions, the waveform around the
cycle in which it failed, and the command that runs it again. A cause that has a folder in --dir
already is counted there: same mechanism, checker and place, and a case that still fails.

With --litmus it runs litmus tests in place of random kernels: a few threads with a few loads,
stores, atomics and fences each, on random machines. An outcome that the PTX memory model does not
allow is a finding. Arguments are names of tests, or files with tests, which end with .litmus; all
that divergo has if there are none. A table counts the outcomes, and the weak ones, which no
sequentially consistent machine has. With --runs 0 the tests are not run.

FEATURES are names, separated by commas, or names to leave out, each with a - before it:
` + wrap(draw.FeatureNames(), 100) + `

Exit codes: 0 nothing found, 1 a checker found something, 2 usage error, 130 interrupted.`,
		Example: `  divergo check pdom tbc --runs 200
  divergo check --for 10m --jobs 4 --seed 100000
  divergo check --for 8h --jobs 4 --journal night.journal
  divergo check ppc --features gotos,loops --json
  divergo check --replay counterexample/ppc-17
  divergo check --litmus MP SB+fence.sc --runs 100
  divergo check --litmus my.litmus --runs 0`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	o := &f.options
	fl := c.Flags()
	fl.Uint64Var(&o.Runs, "runs", 0,
		fmt.Sprintf("kernels, each under every mechanism; %d unless --for is given; launches of each litmus test, %d",
			defaultRuns, defaultLitmus))
	fl.DurationVar(&o.For, "for", 0, "`TIME` to look for failures, such as 90s or 10m")
	fl.Uint64Var(&o.Seed, "seed", 0, "first seed")
	fl.IntVar(&o.Jobs, "jobs", 1, "processors to use; what is found does not depend on it")
	fl.StringVar(&f.features, "features", "", "what kernels can have: `FEATURES`; all unless given")
	fl.DurationVar(&o.Shrink, "shrink", properties.ShrinkTime, "`TIME` to spend on making a failure small")
	fl.StringVar(&f.dir, "dir", "counterexample", "`FOLDER` in which each cause of failures has a folder")
	fl.StringVar(&o.Journal, "journal", "", "note in `FILE` which seeds are done, and go on from there if it exists")
	fl.StringVar(&f.replay, "replay", "", "check the counterexample of a `FOLDER` again")
	f.trace.add(c, false)
	fl.BoolVar(&f.coverage, "coverage", false,
		"print as well what hardware did: events, launches, values of keys, instructions by lanes")
	fl.BoolVar(&f.checkers, "checkers", false, "list the checkers")
	fl.BoolVar(&f.isLitmus, "litmus", false, "run litmus tests of the memory model, by name or from files")
	fl.BoolVar(&f.json, "json", false, "print the result as JSON")
	return c
}

// wrap joins names with spaces into lines of at most width columns.
func wrap(names []string, width int) string {
	var lines []string
	line := " "
	for _, n := range names {
		if len(line)+1+len(n) > width {
			lines, line = append(lines, line), " "
		}
		line += " " + n
	}
	return strings.Join(append(lines, line), "\n")
}

func (f *checkFlags) run(c *cobra.Command, args []string) error {
	if f.isLitmus {
		return f.litmus(c, args)
	}
	for _, name := range args {
		if _, err := divergence.Open(name); err != nil {
			return err
		}
	}
	switch o := &f.options; {
	case f.checkers:
		return f.list(c.OutOrStdout())
	case f.trace.name != "" && f.replay == "":
		return errors.New("--trace: want --replay too, whose run it writes")
	case f.replay != "":
		return f.again(c, args)
	case o.Jobs < 1:
		return fmt.Errorf("--jobs %d: want at least 1", o.Jobs)
	case o.For < 0:
		return fmt.Errorf("--for %s: want no negative time", o.For)
	case o.Shrink < 0:
		return fmt.Errorf("--shrink %s: want no negative time", o.Shrink)
	case o.Runs == 0 && o.For == 0 && !c.Flags().Changed("runs"):
		o.Runs = defaultRuns
	}
	if o := &f.options; o.Seed > math.MaxUint64-max(o.Runs, 1) {
		return fmt.Errorf("--seed %d: want at most %d, so that there are seeds for all kernels", o.Seed,
			math.MaxUint64-max(o.Runs, 1))
	}
	if f.features != "" {
		set, err := draw.ParseFeatures(f.features)
		if err != nil {
			return fmt.Errorf("--features: %w", err)
		}
		f.options.Features = set
	}
	f.options.Mechanisms = args
	return f.campaign(c)
}

// list prints the catalogue of checkers.
func (f *checkFlags) list(w io.Writer) error {
	if f.json {
		list := []map[string]any{}
		for _, k := range properties.Checkers() {
			list = append(list, map[string]any{"name": k.Name, "holds": k.Doc, "more": append([]string{}, k.More...), "source": k.From})
		}
		return printJSON(w, map[string]any{"schema": schema("check.checkers"), "checkers": list})
	}
	t := table.New("checker", "what must hold", "source")
	for _, k := range properties.Checkers() {
		t.Row(k.Name, k.Doc, k.From)
	}
	_, err := t.WriteTo(w)
	return err
}

// again replays a counterexample.
func (f *checkFlags) again(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("--replay: %s says which mechanism, want no %q", f.replay, args[0])
	}
	var files output.Set
	defer files.Discard()
	traces, err := f.trace.open(&files, &machineFlags{}, f.replay, "")
	if err != nil {
		return err
	}
	failure, err := properties.Replay(f.replay)
	if err != nil {
		return err
	}
	if traces != nil {
		var session *testbench.Session
		if err := properties.Again(f.replay, func(s *testbench.Session) error {
			session = s
			return traces.attach(s)
		}); err != nil {
			return err
		}
		if err := traces.keep(c.ErrOrStderr(), session); err != nil {
			return err
		}
	}
	if failure != nil {
		last, err := failure.Last()
		fmt.Fprint(c.OutOrStdout(), last)
		return errors.Join(failure, err)
	}
	fmt.Fprintln(c.OutOrStdout(), "every checker passes")
	return nil
}

// campaign runs the check and keeps a counterexample. It reports the finding even if the
// counterexample cannot be written.
func (f *checkFlags) campaign(c *cobra.Command) error {
	if err := output.TryFolder(f.dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	asked, leave := listen(c)
	defer leave()
	nothing := f.options.Runs == 0 && c.Flags().Changed("runs")
	f.options.Stop = func() bool { return nothing || asked() }
	line := newProgress(c.ErrOrStderr(), "check")
	f.options.Progress = func(r properties.Report) { line.say(checked(&r, &f.options)) }
	r, err := properties.Run(f.options)
	line.clear()
	if r == nil {
		return err
	}
	by := origin(c)
	if r.Failure != nil {
		var unkept error
		if f.found, unkept = r.Failure.Write(f.dir, by, asked); unkept != nil {
			f.found, err = nil, errors.Join(err, fmt.Errorf("--dir: %w", unkept))
		}
	}
	show := f.print
	if f.json {
		show = f.printJSON
	}
	err = errors.Join(show(c.OutOrStdout(), r, by.Program), err)
	if r.Failure != nil {
		if f.found != nil && f.found.Count == 1 { // slow, so it comes after every other message
			if unkept := r.Failure.Show(f.found.Folder, by, asked); unkept != nil {
				err = errors.Join(err, fmt.Errorf("--dir: %w", unkept))
			}
		}
		err = errors.Join(r.Failure, err)
	}
	if asked() {
		err = errors.Join(err, errInterrupted)
	}
	return err
}

// errInterrupted ends a check after Ctrl-C.
var errInterrupted = errors.New("interrupted")

// checked describes the progress of a campaign.
func checked(r *properties.Report, o *properties.Options) string {
	var left time.Duration
	if o.For > 0 {
		left = o.For - r.Spent
	}
	if rate := r.Rate(); o.Runs > r.Cases && rate > 0 {
		byRuns := time.Duration(float64(time.Second) * float64(o.Runs-r.Cases) * float64(len(r.Mechanisms)) / rate)
		if o.For == 0 || byRuns < left {
			left = byRuns
		}
	}
	return fmt.Sprintf("%d kernels, %.0f runs a second, %s left", r.Cases, r.Rate(), max(left, 0).Round(time.Second))
}

// print writes the report as text.
func (f *checkFlags) print(w io.Writer, r *properties.Report, _ string) error {
	fmt.Fprintf(w, "%s\n\n", r)
	if x := r.Failure; x != nil {
		smallest := fmt.Sprintf("the smallest case found, on %d threads, ", x.Case.Threads())
		switch {
		case f.found == nil:
			smallest += "could not be written"
		case f.found.Count == 1:
			smallest += "is in " + filepath.ToSlash(f.found.Folder)
		default:
			smallest = fmt.Sprintf("%s has a case of the same cause, which was found %d times",
				filepath.ToSlash(f.found.Folder), f.found.Count)
		}
		_, err := fmt.Fprintf(w, "%s fails checker %s with seed %d; %s\n", x.Mechanism, x.Checker, x.Case.Seed,
			smallest)
		return err
	}
	total := r.Total()
	if err := total.Print(w); err != nil {
		return err
	}
	if missed := total.Missed(); len(missed) > 0 {
		fmt.Fprintf(w, "\nnever reached: %s\n", strings.Join(missed, "; "))
	}
	if f.coverage {
		if err := printHardware(w, &total); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\nnothing found; --seed %d goes on\n", r.Next)
	return err
}

// printHardware writes the coverage bins of hardware events, one line for each kind. It marks the
// bins that were never reached.
func printHardware(w io.Writer, c *properties.Coverage) error {
	names, counts := c.Hardware()
	t := table.New("", "bin", "reached")
	var never []string
	for i, name := range names {
		kind, bin, _ := strings.Cut(name, ": ")
		t.Row(kind, bin, counts[i])
		if counts[i] == 0 {
			never = append(never, name)
		}
	}
	fmt.Fprintln(w)
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nof %d bins %d were never reached: %s\nopcodes that no kernel has: %s\n",
		len(names), len(never), strings.Join(never, "; "), strings.Join(draw.Undrawn(), "; "))
	return err
}

// printJSON writes the report as JSON.
func (f *checkFlags) printJSON(w io.Writer, r *properties.Report, program string) error {
	total := r.Total()
	bins := map[string]uint64{}
	names, counts := total.Bins()
	for i, n := range names {
		bins[n] = counts[i]
	}
	missed := append([]string{}, total.Missed()...)
	if f.coverage {
		names, counts := total.Hardware()
		for i, n := range names {
			if bins[n] = counts[i]; counts[i] == 0 {
				missed = append(missed, n)
			}
		}
	}
	answer := map[string]any{
		"schema": schema("check"), "mechanisms": r.Mechanisms, "first_seed": f.options.Seed, "next_seed": r.Next,
		"kernels": r.Cases, "runs": r.Runs, "thread_instructions": r.Lanes, "seconds": r.Spent.Seconds(),
		"runs_per_second": r.Rate(),
		"coverage":        bins, "missed": missed, "failure": nil,
	}
	if x := r.Failure; x != nil {
		failure := map[string]any{
			"mechanism": x.Mechanism, "checker": x.Checker, "seed": x.Case.Seed, "what": x.What,
			"grid": x.Case.Grid, "block": x.Case.Block, "threads": x.Case.Threads(),
			"statements": x.Case.Kernel.Statements(),
			"folder":     "", "command": "", "place": "", "count": 0,
		}
		if b := f.found; b != nil {
			failure["folder"], failure["place"], failure["count"] = filepath.ToSlash(b.Folder), b.Place, b.Count
			failure["command"] = program + " check --replay " + quoted(filepath.ToSlash(b.Folder))
		}
		answer["failure"] = failure
	}
	return printJSON(w, answer)
}
