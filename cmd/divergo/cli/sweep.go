//go:build !js

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"divergo/internal/nearest"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/internal/table"
	"divergo/sweep"
)

// sweepFlags are the flags of the verb sweep.
type sweepFlags struct {
	store  string
	jobs   int
	shard  string
	dryRun bool
	slurm  slurmFlags
}

// errMissing marks a sweep with points that have no result.
var errMissing = errors.New("points without a result")

func newSweep() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep PLAN.toml",
		Short: "Run kernels on many machines: every point of a plan",
		Long: `Run every point of a plan that has no result yet. The plan lists what varies, as TOML:

  kernel = "bitonic medium"            the same in each point
  where = "mechanism == pdom or sm.simd_width < 32"
  [product]                            each value with each value of the other axes
  mechanism = ["pdom", "tbc", "ppc"]
  sm.simd_width = [8, 16, 32]

An axis is a key ("divergo list keys"), or preset, config, mechanism, lanes, kernel, herd or seed
(docs/howto/sweeps.md). All of the plan is checked before the first run.

Each result is a file of the store, PLAN.sweep unless --store names another folder. A sweep that was
interrupted, killed or extended makes only what is missing. Points that end in a fault, a deadlock
or at max_cycles have results, too. A point whose worker crashes is tried three times.

--shard I/N makes every N-th point from the I-th on, for other computers with the same store.
--engine slurm makes the points on a cluster with Slurm. Ctrl-C leaves its tasks in the queue; the
same command waits for them.

Exit codes: 1 points are without a result, or two runs of a point differed, 2 nothing was run, or the
store could not be written, 130 interrupted.`,
		Example: `  divergo sweep plan.toml --dry-run
  divergo sweep plan.toml
  divergo sweep plan.toml --shard 3/8 --store /shared/plan.sweep
  divergo sweep plan.toml --engine slurm --partition short --time 30
  divergo sweep status plan.toml
  divergo sweep collect plan.toml -o results.csv
  divergo sweep report plan.toml -o plan.html`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 1 && filepath.Ext(args[0]) == "" {
				if _, err := os.Stat(args[0]); err != nil {
					return verbs(c, args)
				}
			}
			return exactly(1, "a plan file, or one of status, collect, report")(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.addStore(c)
	c.Flags().IntVar(&f.jobs, "jobs", 0, "points at once; 0: one for each processor")
	c.Flags().StringVar(&f.shard, "shard", "", "make only part `I/N` of the points")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false,
		"print the number of points, the time that a sample of them predicts, and axes that cannot matter")
	f.slurm.add(c)
	c.AddCommand(newSweepStatus(), newSweepCollect(), newSweepReport(), newSweepWork())
	return c
}

func (f *sweepFlags) addStore(c *cobra.Command) {
	c.Flags().StringVar(&f.store, "store", "", "`FOLDER` of the results; PLAN.sweep if not given")
}

// folder returns the folder of the store.
func (f *sweepFlags) folder(plan string) string {
	if f.store != "" {
		return f.store
	}
	return strings.TrimSuffix(plan, filepath.Ext(plan)) + ".sweep"
}

// open reads a plan and opens its store.
func (f *sweepFlags) open(name string) (*sweep.Plan, *sweep.Store, error) {
	plan, err := sweep.Read(name)
	if err != nil {
		return nil, nil, err
	}
	store, err := sweep.OpenStore(f.folder(name))
	return plan, store, err
}

// look is open for verbs that make nothing: the store must be there.
func (f *sweepFlags) look(name string) (*sweep.Plan, *sweep.Store, error) {
	if _, err := os.Stat(f.folder(name)); err != nil {
		if _, wrong := sweep.Read(name); wrong != nil {
			return nil, nil, wrong
		}
		return nil, nil, fmt.Errorf("%s: no results yet: \"divergo sweep %s\" makes them", printable.Name(f.folder(name)),
			printable.Name(name))
	}
	return f.open(name)
}

func (f *sweepFlags) run(c *cobra.Command, name string) error {
	if f.jobs < 0 {
		return fmt.Errorf("--jobs %d: want at least 1, or 0 for all processors", f.jobs)
	}
	if err := f.slurm.check(c); err != nil {
		return err
	}
	plan, err := sweep.Read(name)
	if err != nil {
		return err
	}
	asked, leave := listen(c)
	defer leave()
	line := newProgress(c.ErrOrStderr(), "sweep")
	defer line.clear()
	o := sweep.Options{
		Jobs: f.jobs, Stop: asked, Stderr: &printable.Writer{W: c.ErrOrStderr()},
		Progress: func(r sweep.Report) { line.say(swept(&r)) },
	}
	if f.shard != "" {
		if o.Points, err = parseShard(plan, f.shard); err != nil {
			return err
		}
	}
	if f.dryRun {
		return f.predict(c, plan, o)
	}
	store, err := sweep.OpenStore(f.folder(name))
	if err != nil {
		return err
	}
	var r *sweep.Report
	if f.slurm.engine == "slurm" {
		r, err = f.slurm.run(c, plan, store, o, line)
	} else {
		r, err = sweep.Run(plan, store, o)
	}
	line.clear()
	if err != nil {
		return failedSweep(err)
	}
	w := c.OutOrStdout()
	fmt.Fprintf(w, "%d points: %d made, %d were there\n", r.Points, r.Made, r.Before)
	for _, l := range r.Lost {
		fmt.Fprintf(c.ErrOrStderr(), "divergo: point %d has crashed %d times: %s\n  %s\n", l.Point, l.Tries,
			plan.Command(l.Point), printable.Text(strings.TrimSpace(l.Why)))
	}
	switch {
	case asked():
		return errInterrupted
	case len(r.Lost) > 0:
		return fmt.Errorf("%w: %d", errMissing, len(r.Lost))
	case f.shard != "":
		return nil
	}
	return printStatus(w, c.ErrOrStderr(), plan, store)
}

// failedSweep adds the kind to an error of a sweep.
func failedSweep(err error) error {
	if conflict := (*sweep.Conflict)(nil); errors.As(err, &conflict) {
		return fmt.Errorf("%w: %w", errDiffers, err)
	}
	return err
}

// parseShard reads I/N.
func parseShard(plan *sweep.Plan, text string) ([]int, error) {
	number, all, ok := strings.Cut(text, "/")
	i, wrong := strconv.Atoi(number)
	n, err := strconv.Atoi(all)
	if !ok || wrong != nil || err != nil {
		return nil, fmt.Errorf("--shard %q: want I/N, such as 1/8", text)
	}
	points, err := plan.Shard(i, n)
	if err != nil {
		return nil, fmt.Errorf("--shard: %w", err)
	}
	return points, nil
}

// swept describes the progress of a sweep.
func swept(r *sweep.Report) string {
	text := fmt.Sprintf("%d of %d points, %.1f a second, %s left", r.Before+r.Made, r.Points, r.Rate,
		r.Left.Round(time.Second))
	if r.Waiting > 0 {
		text += fmt.Sprintf(", %d wait for memory", r.Waiting)
	}
	if n := len(r.Lost); n > 0 {
		text += fmt.Sprintf(", %d lost", n)
	}
	return text
}

// predict prints what a sweep would do.
func (f *sweepFlags) predict(c *cobra.Command, plan *sweep.Plan, o sweep.Options) error {
	folder, err := output.TempFolder()
	if err != nil {
		return err
	}
	defer folder.Remove()
	sample, err := sweep.TakeSample(plan, folder.Path("store"), o)
	if err != nil {
		return failedSweep(err)
	}
	if o.Stop() {
		return errInterrupted
	}
	w := c.OutOrStdout()
	points := plan.Len()
	if o.Points != nil {
		points = len(o.Points)
	}
	fmt.Fprintf(w, "points: %d\n", points)
	fmt.Fprintf(w, "time: about %s with %d at once (a sample of %d took %s each, the longest %s)\n",
		rounded(sample.Time), sample.Jobs, sample.Points, rounded(sample.Mean), rounded(sample.Longest))
	for _, e := range plan.Idle() {
		fmt.Fprintf(w, "%s cannot matter: %s\n", strings.Join(e.Axes, ", "), e.Why)
	}
	for _, e := range sample.Idle {
		fmt.Fprintf(w, "%s does not matter in the sample: %s\n", strings.Join(e.Axes, ", "), e.Why)
	}
	return nil
}

// rounded returns a time with about three digits.
func rounded(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for unit*1000 < d {
		unit *= 10
	}
	return d.Round(unit)
}

// printStatus prints what the store has of a plan: outcomes, effects of the axes and, on notes, the
// warnings.
func printStatus(w, notes io.Writer, plan *sweep.Plan, store *sweep.Store) error {
	st, err := sweep.ReadStatus(plan, store)
	if err != nil {
		return err
	}
	for _, x := range st.Warnings {
		fmt.Fprintln(notes, printable.Text(x.Text)+places(x.Points))
	}
	fmt.Fprintln(w)
	t := table.New("outcome", "points", "for example")
	for _, o := range st.Outcomes {
		example := ""
		if o.Name != "finished" {
			example = plan.Command(o.First)
		}
		t.Row(o.Name, o.Points, example)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = table.New("axis", "values", "changes", "of", "")
	for _, e := range st.Effects {
		values := 0
		for _, a := range plan.Axes {
			if a.Name == e.Axes[0] {
				values = len(a.Values)
			}
		}
		why := e.Why
		if e.Groups > 0 && e.Changed == 0 && why == "" {
			why = "changes nothing"
		}
		t.Row(strings.Join(e.Axes, ", "), values, e.Changed, e.Groups, why)
	}
	_, err = t.WriteTo(w)
	return err
}

// places says in how many points a warning occurs.
func places(points int) string {
	if points == 1 {
		return " (in 1 point)"
	}
	return fmt.Sprintf(" (in %d points)", points)
}

func newSweepStatus() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "status PLAN.toml",
		Short: "Print how far a sweep is, and which axes matter",
		Long: `Print the outcomes of the points so far, each with the command of its first point. A second table has
for each axis the sets of points that are equal in all other axes, and in how many of them a
statistic changes; if in none, the reason where it is known. Each warning is printed once.

Exit codes: 2 the plan is wrong, or there are no results.`,
		Example: `  divergo sweep status plan.toml`,
		Args:    exactly(1, "a plan file"),
		RunE: func(c *cobra.Command, args []string) error {
			plan, store, err := f.look(args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%d points\n", plan.Len())
			return printStatus(c.OutOrStdout(), c.ErrOrStderr(), plan, store)
		},
	}
	f.addStore(c)
	return c
}

func newSweepCollect() *cobra.Command {
	var f sweepFlags
	var out, format string
	var columns []string
	c := &cobra.Command{
		Use:   "collect PLAN.toml",
		Short: "Write the results of a sweep as a table",
		Long: `Write a row for each point of a plan, in plan order: its axes, outcome and statistics. Points without
a result have the outcome "missing". The same results give the same bytes.

The format is that of the extension of -o: .csv, .jsonl (a JSON object a line) or .parquet, unless
--format names it. --columns selects statistics ("divergo list stats"), message and limited_by.

Exit codes: 2 the plan is wrong, there are no results, or the file could not be written.`,
		Example: `  divergo sweep collect plan.toml --columns cycles,ipc
  divergo sweep collect plan.toml -o results.parquet`,
		Args: exactly(1, "a plan file"),
		RunE: func(c *cobra.Command, args []string) error {
			if format == "" {
				format = strings.TrimPrefix(strings.ToLower(filepath.Ext(out)), ".")
			}
			if format == "" {
				format = sweep.Formats[0]
			}
			var files output.Set
			defer files.Discard()
			files.Reads("the plan", args[0])
			known := false
			for _, name := range sweep.Formats {
				known = known || name == format
			}
			if !known {
				return nearest.Unknown("format", format, sweep.Formats)
			}
			plan, store, err := f.look(args[0])
			if err != nil {
				return err
			}
			var to io.Writer = rawOutput(c)
			var file *output.File
			if out != "" {
				if file, err = files.Create("-o", out, "."+format); err != nil {
					return fmt.Errorf("-o: %w", err)
				}
				to = file
			}
			missing, err := sweep.Write(to, format, plan, store, columns)
			if err != nil {
				return err
			}
			if file != nil {
				if err := file.Keep(); err != nil {
					return err
				}
			}
			if missing > 0 {
				fmt.Fprintf(c.ErrOrStderr(), "divergo: %d of %d points have no result\n", missing, plan.Len())
			}
			return nil
		},
	}
	f.addStore(c)
	c.Flags().StringVarP(&out, "output", "o", "", "`FILE` for the table; standard output if not given")
	c.Flags().StringVar(&format, "format", "", "csv, jsonl or parquet")
	c.Flags().StringSliceVar(&columns, "columns", nil, "statistics `A,B,C` in place of all")
	return c
}

// newSweepWork makes the hidden verb of the processes that make points.
func newSweepWork() *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:    "work PLAN.toml",
		Short:  "Make points for another process",
		Hidden: true,
		Args:   exactly(1, "a plan file"),
		RunE: func(c *cobra.Command, args []string) error {
			plan, store, err := f.open(args[0])
			if err != nil {
				return err
			}
			_, leave := listen(c) // Ctrl-C reaches the other process, too, which then ends this one
			defer leave()
			return sweep.Work(plan, store, os.Stdin, rawOutput(c), c.ErrOrStderr())
		},
	}
	f.addStore(c)
	return c
}
