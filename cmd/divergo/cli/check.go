//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/properties"
	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench/litmus"
)

// checkFlags are the flags of the verb check.
type checkFlags struct {
	options     properties.Options
	features    string
	dir, replay string
	shard       string
	junit, html string
	trace       traceFlag
	// the bucket of each cause of failures; nil for one that could not be written
	found          []*properties.Bucket
	json, checkers bool
	coverage       bool
	isLitmus       bool
	merge          bool
}

// defaultRuns is the number of kernels of a check without a flag for its length.
const defaultRuns = 500

// isFailure reports whether an error is what a check found.
func isFailure(err error) bool {
	var failure *properties.Failure
	var forbidden *litmus.Finding
	var wrong *litmus.WrongClaim
	return errors.As(err, &failure) || errors.As(err, &forbidden) || errors.As(err, &wrong)
}

func newCheck() *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [MECHANISM...|--litmus [TEST...]|--merge JOURNAL...]",
		Short: "Look for bugs of divergence mechanisms with random kernels",
		Long: `Run random kernels on random small machines and compare every thread with the golden model; in each
run a list of invariants is watched (--checkers prints it). The kernels have nested and unstructured
control flow, early exits and barriers, and no data races. Each kernel runs under all MECHANISMs. If
none is named, it runs under four, and all mechanisms take turns.

Kernel, launch, data and machine come from one seed; the seeds are consecutive, so that a check can
be repeated, and continued where another one ended; with --journal FILE it goes on by itself after
it was interrupted or killed. The first failure is made as small as a few seconds allow and written
to a new folder: PTX, machine, an explanation with the last instructions, the waveform around the
cycle in which it failed, and the command that runs it again. A cause that has a folder in --dir
already is counted there: same mechanism, checker and place, and a case that still fails.
--keep-going checks the seeds behind a failure too, and writes a folder for each cause.

--junit writes the result for a CI server, --html a page with what was reached. Each campaign adds a point
to the trend of that folder. A build with "go build -cover -coverpkg=./..." counts statements, too.

--shard I/N checks every N-th bundle of 64 seeds from the I-th on, for other computers. Each shard has a journal
of its own; --merge joins them in the new journal that --journal names, with the bytes of a check on
one computer.

--corpus FILE steers the check to what hardware seldom does. The file keeps kernels that reached a
situation which few others reached; two thirds of the kernels are bred from those. First seed and file
determine the check. It notes what is done, like a journal.

--replay FOLDER checks a counterexample again, or all those of the folder.

With --litmus it runs litmus tests in place of random kernels: a few threads with a few loads,
stores, atomics and fences each, on random machines. An outcome that the PTX memory model does not
allow is a finding. Arguments are names of tests, or files with tests, which end with .litmus; all
that divergo has if there are none. A table counts the outcomes, and the weak ones, which no
sequentially consistent machine has. With --runs 0 the tests are not run.

FEATURES are names, separated by commas, or names to leave out, each with a - before it:
` + wrap(draw.FeatureNames(), 100) + `

Exit codes: 0 nothing found, 1 a checker found something, 2 usage error, or a file could not be
written, 130 interrupted.`,
		Example: `  divergo check pdom tbc --runs 200
  divergo check --time 10m --jobs 4 --seed 100000
  divergo check --time 8h --jobs 4 --journal night.journal
  divergo check --runs 100000 --shard 3/8 --keep-going --journal shard3.journal
  divergo check --merge shard*.journal --journal all.journal
  divergo check pdom --time 10m --corpus pdom.corpus
  divergo check ppc --features gotos,loops --json
  divergo check --runs 2000 --keep-going --junit check.xml --html check
  divergo check --replay counterexample/ppc-17
  divergo check --litmus MP SB+fence.sc --runs 100
  divergo check --litmus my.litmus --runs 0`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	o := &f.options
	fl := c.Flags()
	fl.Uint64Var(&o.Runs, "runs", 0,
		fmt.Sprintf("kernels; %d unless --time is given; launches of each litmus test, %d",
			defaultRuns, defaultLitmus))
	fl.DurationVar(&o.Time, "time", 0, "`TIME` to look for failures, such as 90s or 10m")
	fl.Uint64Var(&o.Seed, "seed", 0, "first seed")
	fl.IntVar(&o.Jobs, "jobs", 1, "processors to use; what is found does not depend on it")
	fl.StringVar(&f.shard, "shard", "", "check only part `I/N` of the seeds")
	fl.BoolVar(&o.KeepGoing, "keep-going", false, "check the seeds behind a failure too, and list failures by cause")
	fl.StringVar(&f.features, "features", "", "what kernels can have: `FEATURES`; all but anywhere and rushes unless given")
	fl.DurationVar(&o.Shrink, "shrink", properties.ShrinkTime, "`TIME` to spend on making a failure small")
	fl.StringVar(&f.dir, "dir", "counterexample", "`FOLDER` in which each cause of failures has a folder")
	fl.StringVar(&o.Journal, "journal", "", "note in `FILE` which seeds are done, and go on from there if it exists")
	fl.StringVar(&o.Corpus, "corpus", "",
		"keep kernels that reach rare situations in `FILE`, breed others from them, and go on from there if it exists")
	fl.BoolVar(&f.merge, "merge", false, "join the journals of shards in the new one of --journal")
	fl.StringVar(&f.replay, "replay", "", "check the counterexample of a `FOLDER` again, or all those in it")
	fl.StringVar(&f.junit, "junit", "", "write the result to `FILE.xml` for a CI server, as JUnit")
	fl.StringVar(&f.html, "html", "",
		"write a page in `FOLDER`: coverage by bin and source line, failures, the trend over the campaigns of the folder")
	f.trace.add(c, false)
	fl.BoolVar(&f.coverage, "coverage", false,
		"print what was reached and what never: branches, statements, events, launches, keys, instructions")
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
	if f.merge {
		return f.join(c, args)
	}
	for _, name := range args {
		if _, err := divergence.Open(name); err != nil {
			return err
		}
	}
	if f.shard != "" {
		n, err := fmt.Sscanf(f.shard, "%d/%d", &f.options.Shard.I, &f.options.Shard.N)
		if s := f.options.Shard; err != nil || n != 2 || f.shard != s.String() || s.I < 1 || s.I > s.N {
			return fmt.Errorf("--shard %q: want I/N with I from 1 to N, such as 1/8", f.shard)
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
	case o.Time < 0:
		return fmt.Errorf("--time %s: want no negative time", o.Time)
	case o.Shrink < 0:
		return fmt.Errorf("--shrink %s: want no negative time", o.Shrink)
	case o.Runs == 0 && o.Time == 0 && !c.Flags().Changed("runs"):
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

// join merges the journals of shards, and reports the campaign.
func (f *checkFlags) join(c *cobra.Command, journals []string) error {
	if err := refuse(c, []string{"runs", "time", "seed", "features", "shard", "keep-going", "replay", "litmus"},
		"a check without --merge"); err != nil {
		return err
	}
	to := f.options.Journal
	switch {
	case len(journals) == 0:
		return errors.New("--merge: want the journals of the shards")
	case to == "":
		return errors.New("--merge: want --journal FILE too, the new journal")
	}
	options, err := properties.Merge(journals, to)
	if err != nil {
		return fmt.Errorf("--merge: %w", err)
	}
	options.Jobs, options.Shrink = f.options.Jobs, f.options.Shrink
	f.options = options
	return f.campaign(c)
}

// campaign runs the check and keeps counterexamples. It reports the findings even if the
// counterexamples cannot be written.
func (f *checkFlags) campaign(c *cobra.Command) error {
	if err := output.TryFolder(f.dir); err != nil {
		return fmt.Errorf("--dir: %w", err)
	}
	var files output.Set
	defer files.Discard()
	junit, err := newPicture(&files, "--junit", f.junit, ".xml")
	if err != nil {
		return err
	}
	html, err := openPage(f.html)
	if err != nil {
		return err
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
	for i := range r.Causes {
		bucket, unkept := r.Causes[i].Write(f.dir, by, asked)
		if unkept != nil {
			bucket, err = nil, errors.Join(err, fmt.Errorf("--dir: %w", unkept))
		}
		f.found = append(f.found, bucket)
	}
	show := f.print
	if f.json {
		show = f.printJSON
	}
	err = errors.Join(show(c.OutOrStdout(), r, by.Program), err)
	suites := junit.keep(func(w io.Writer) error { return f.campaignSuites(r).write(w) })
	err = errors.Join(suites, html.write(f, r), err)
	for i := range r.Causes { // slow, so it comes after every other message
		if b := f.found[i]; b != nil && b.New {
			if unkept := r.Causes[i].Failure.Show(b.Folder, by, asked); unkept != nil {
				err = errors.Join(err, fmt.Errorf("--dir: %w", unkept))
			}
		}
	}
	for i := range r.Causes {
		err = errors.Join(err, r.Causes[i].Failure)
	}
	if asked() {
		err = errors.Join(err, errInterrupted)
	}
	return err
}

// checked describes the progress of a campaign.
func checked(r *properties.Report, o *properties.Options) string {
	var left time.Duration
	if o.Time > 0 {
		left = o.Time - r.Spent
	}
	if rate := r.Rate(); o.Runs > r.Cases && rate > 0 {
		byRuns := time.Duration(float64(time.Second) * float64(o.Runs-r.Cases) * float64(r.Each) / rate)
		if o.Time == 0 || byRuns < left {
			left = byRuns
		}
	}
	return fmt.Sprintf("%d kernels, %.0f runs a second, %s left", r.Cases, r.Rate(), max(left, 0).Round(time.Second))
}
