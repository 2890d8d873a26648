package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/internal/table"
	"divergo/testbench/trace"
	"divergo/testbench/trace/convert"
)

func newTrace() *cobra.Command {
	c := &cobra.Command{
		Use:   "trace",
		Short: "Show or compare traces of runs",
		Long: `Show what a file of "divergo run --trace FILE" holds, or compare two of them. A trace has each issued
instruction and each event of the divergence hardware, with the listing of the kernel and the
statistics of the run (docs/reference/trace.md).`,
		Args: verbs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newTracePrint(), newTraceCSV(), newTracePerfetto(), newTraceKonata(), newTraceStats(), newTraceDiff())
	return c
}

// openTrace opens a trace.
func openTrace(name string) (*trace.Reader, func() error, error) {
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%s: no such file, want a trace", printable.Name(name))
		}
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s: is a folder, want a trace", printable.Name(name))
	}
	var r *trace.Reader
	if err == nil {
		if r, err = trace.NewReader(f, info.Size()); err != nil {
			err = fmt.Errorf("%s: %w", printable.Name(name), err)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return r, f.Close, nil
}

// selectFlags choose records.
type selectFlags struct {
	from, to uint64
	sms      []int
	warps    []string
}

func (s *selectFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.Uint64Var(&s.from, "from", 0, "first core `CYCLE`")
	f.Uint64Var(&s.to, "to", 0, "last core `CYCLE`; 0: the last of the run")
	f.IntSliceVar(&s.sms, "sm", nil, "`SMS` by number, separated by commas; all if not given")
	f.StringSliceVar(&s.warps, "warp", nil,
		"`WARPS`, separated by commas, each CTA.WARP such as 3.0; of a regrouped warp the lowest lane counts")
}

// chosen reads the flags.
func (s *selectFlags) chosen(r *trace.Reader) (q convert.Select, err error) {
	if s.to != 0 && s.to < s.from {
		return q, fmt.Errorf("--to %d: want a cycle from --from %d on", s.to, s.from)
	}
	for _, sm := range s.sms {
		if sm < 0 || sm >= r.Header.SMs {
			return q, fmt.Errorf("--sm %d: want 0 to %d", sm, r.Header.SMs-1)
		}
	}
	q.From, q.To, q.SMs = s.from, s.to, s.sms
	for _, text := range s.warps {
		cta, warp, ok := strings.Cut(text, ".")
		c, err := strconv.ParseUint(cta, 10, 64)
		w, wrong := strconv.ParseUint(warp, 10, 8)
		if !ok || err != nil || wrong != nil {
			return q, fmt.Errorf("--warp %q: want CTA.WARP, for example 3.0", text)
		}
		q.Warps = append(q.Warps, convert.Warp{CTA: c, Warp: uint8(w)})
	}
	return q, nil
}

// onTrace returns what a verb with one trace runs: it opens the trace, reads the flags and warns of a trace
// that was cut short.
func (s *selectFlags) onTrace(
	do func(c *cobra.Command, name string, r *trace.Reader, q convert.Select) error,
) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		r, done, err := openTrace(args[0])
		if err != nil {
			return err
		}
		defer done()
		q, err := s.chosen(r)
		if err != nil {
			return err
		}
		warnCut(c, args[0], r)
		return do(c, args[0], r, q)
	}
}

// wantTrace is the argument of these verbs.
const wantTrace = "a trace, which \"divergo run --trace FILE\" writes"

// newConversion returns a verb that writes a trace in another form, to standard output or a file of the
// extension.
func newConversion(name, short, long, example, extension string,
	write func(to io.Writer, r *trace.Reader, s convert.Select) error,
) *cobra.Command {
	var s selectFlags
	var out string
	c := &cobra.Command{
		Use: name + " TRACE", Short: short, Long: long, Example: example,
		Args: exactly(1, wantTrace),
		RunE: s.onTrace(func(c *cobra.Command, name string, r *trace.Reader, q convert.Select) error {
			if out == "" {
				return named(name, write(c.OutOrStdout(), r, q))
			}
			var files output.Set
			defer files.Discard()
			files.Reads("the trace", name)
			file, err := files.Create("--out", out, extension)
			if err != nil {
				return fmt.Errorf("--out: %w", err)
			}
			if err := write(file, r, q); err != nil {
				return named(name, err)
			}
			return file.Keep()
		}),
	}
	s.add(c)
	c.Flags().StringVar(&out, "out", "", "write to `FILE`"+extension+" instead of standard output")
	return c
}

// named adds the name of a trace to an error.
func named(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", printable.Name(name), err)
}

// warnCut warns of a trace that was cut short.
func warnCut(c *cobra.Command, name string, r *trace.Reader) {
	if r.Summary == nil {
		fmt.Fprintf(c.ErrOrStderr(), "divergo: warning: %s was cut short: it has the cycles up to its last whole block\n",
			printable.Name(name))
	}
}

func newTraceCSV() *cobra.Command {
	return newConversion("csv", "Write a trace as CSV",
		`Write a line for each record of a trace. The first line has the names of the columns, which
docs/reference/trace.md explains. Masks are hexadecimal.`,
		`  divergo trace csv bitonic.trace --from 1000 --to 2000 --out window.csv`, ".csv", convert.CSV)
}

func newTracePerfetto() *cobra.Command {
	return newConversion("perfetto", "Write a trace for the viewer Perfetto",
		`Write the Trace Event Format (JSON), which ui.perfetto.dev and chrome://tracing open. An SM is a process, a
slot a thread. A microsecond is a core cycle, since the format knows no cycles.`,
		`  divergo trace perfetto bitonic.trace --out bitonic.json`, ".json", convert.Perfetto)
}

func newTraceKonata() *cobra.Command {
	return newConversion("konata", "Write a trace for the pipeline viewer Konata",
		`Write the Kanata log format, version 0004. A slot is a thread. An instruction begins with what its slot
waited for: Wf fetch, Wm memory, Wd dependence, Wt turn, Wc control, Wb barrier, Wj join. Is is its
issue, Ex lasts until its branch outcome or its last reply.

The log is made in memory: select a window of a long trace.`,
		`  divergo trace konata bitonic.trace --to 5000 --out bitonic.log`, ".log", convert.Konata)
}

func newTracePrint() *cobra.Command {
	var s selectFlags
	var names, kinds []string
	var commit bool
	c := &cobra.Command{
		Use:   "print TRACE",
		Short: "Print a trace, one line for each record",
		Long: `Print one line for each record of a trace. --columns chooses from

` + columnDocs() + `
--kind chooses from ` + strings.Join(kindNames(), ", ") + `.

--commit prints a commit log instead, for a test bench: CSV with a line for each instruction of each
static warp, in the order of issue, and its values if the trace was written with --trace-values
(docs/howto/trace.md).`,
		Example: `  divergo trace print bitonic.trace --to 2000
  divergo trace print bitonic.trace --kind branch,reconverge --warp 0.1
  divergo trace print bitonic.trace --columns cycle,mask,source --sm 0
  divergo trace print bitonic.trace --commit`,
		Args: exactly(1, wantTrace),
		RunE: func(c *cobra.Command, args []string) error {
			if commit && (c.Flags().Changed("columns") || c.Flags().Changed("kind")) {
				return errors.New("--commit has columns and kinds of its own: want no --columns and no --kind")
			}
			if len(names) == 0 {
				names = convert.DefaultColumns
			}
			for _, n := range names {
				if !slices.Contains(convert.Columns(), n) {
					return fmt.Errorf("--columns: %w", nearest.Unknown("column", n, convert.Columns()))
				}
			}
			var only []trace.Kind
			for _, k := range kinds {
				at := slices.Index(kindNames(), k)
				if at < 0 {
					return fmt.Errorf("--kind: %w", nearest.Unknown("kind", k, kindNames()))
				}
				only = append(only, trace.Kind(at))
			}
			return s.onTrace(func(c *cobra.Command, name string, r *trace.Reader, q convert.Select) error {
				if q.Kinds = only; commit {
					return named(name, convert.Commit(c.OutOrStdout(), r, q))
				}
				return named(name, convert.Print(c.OutOrStdout(), r, q, names))
			})(c, args)
		},
	}
	s.add(c)
	c.Flags().StringSliceVar(&names, "columns", nil, "`COLUMNS`, separated by commas")
	c.Flags().StringSliceVar(&kinds, "kind", nil, "`KINDS` of records, separated by commas; all if not given")
	c.Flags().BoolVar(&commit, "commit", false, "print a commit log")
	return c
}

// columnDocs lists the columns of trace print.
func columnDocs() string {
	var b strings.Builder
	for _, n := range convert.Columns() {
		fmt.Fprintf(&b, "  %-7s %s\n", n, convert.ColumnDoc(n))
	}
	return b.String()
}

// kindNames lists the kinds of records.
func kindNames() (names []string) {
	for k := range trace.NumKinds {
		names = append(names, k.String())
	}
	return names
}

func newTraceStats() *cobra.Command {
	var all selectFlags
	var asJSON bool
	c := &cobra.Command{
		Use:   "stats TRACE",
		Short: "Count the records of a trace",
		Long: `Count the records of a trace, and print the totals beside the statistics that the run printed. They are
equal, unless the run ended early or the trace was cut short. wait_REASON counts the cycles that slots waited.`,
		Example: `  divergo trace stats bitonic.trace
  divergo trace stats bitonic.trace --json`,
		Args: exactly(1, wantTrace),
		RunE: all.onTrace(func(c *cobra.Command, name string, r *trace.Reader, _ convert.Select) error {
			totals, err := r.Count()
			if err != nil {
				return named(name, err)
			}
			return printTotals(c.OutOrStdout(), name, r, totals.Stats(), asJSON)
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// printTotals prints the totals of a trace.
func printTotals(w io.Writer, name string, r *trace.Reader, totals []trace.Stat, asJSON bool) error {
	run := map[string]string{}
	if r.Summary != nil {
		for _, s := range r.Summary.Stats {
			run[s.Name] = s.Value
		}
	}
	counts := map[string]uint64{}
	records := uint64(0)
	for i := range r.Blocks {
		for k, n := range r.Blocks[i].Counts {
			counts[trace.Kind(k).String()] += n
			records += n
		}
	}
	bytes := 0.0
	if records > 0 {
		bytes = float64(r.Size()) / float64(records)
	}
	if asJSON {
		stats := map[string]string{}
		for _, s := range totals {
			stats[s.Name] = s.Value
		}
		answer := map[string]any{
			"schema": schema("trace.stats"), "file": name, "kernel": r.Header.Name, "mechanism": r.Header.Mechanism,
			"records": records, "bytes_per_record": bytes, "kinds": counts, "totals": stats, "run": run,
		}
		return printJSON(w, answer)
	}
	head := table.New()
	head.Row("kernel", r.Header.Name)
	head.Row("mechanism", r.Header.Mechanism)
	head.Row("written by", r.Header.Generator)
	if r.Summary != nil {
		head.Row("outcome", r.Summary.Outcome)
		head.Row("cycles", r.Summary.Cycles)
	}
	head.Row("records", fmt.Sprintf("%d in %d blocks, %.1f bytes each", records, len(r.Blocks), bytes))
	if _, err := head.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t := table.New("kind", "records")
	for k := range trace.NumKinds {
		t.Row(k.String(), counts[k.String()])
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t = table.New("statistic", "trace", "run")
	for _, s := range totals {
		t.Row(s.Name, s.Value, run[s.Name])
	}
	_, err := t.WriteTo(w)
	return err
}

// maxCommit is the size limit of a commit log, in bytes.
const maxCommit = 1 << 30

func newTraceDiff() *cobra.Command {
	c := &cobra.Command{
		Use:   "diff TRACE|LOG.csv TRACE",
		Short: "Explain the first difference between two runs",
		Long: `Compare the instructions of two runs, static warp by static warp: PC, active lanes, and the values that
are written if both files have them. Cycles may differ. The first difference is explained: the warp, what
each run did, and the last instructions before, in which both agree.

The first file may be a commit log of another design: CSV with the columns of "divergo trace print
--commit" (docs/howto/trace.md).

Exit codes: 0 no difference, 1 a difference, 2 usage error.`,
		Example: `  divergo trace diff pdom.trace dpe.trace
  divergo trace diff rtl.csv pdom.trace`,
		Args: exactly(2, "two traces, or a commit log and a trace"),
		RunE: func(c *cobra.Command, args []string) error {
			b, done, err := openTrace(args[1])
			if err != nil {
				return err
			}
			defer done()
			warnCut(c, args[1], b)
			values := b.Header.Values
			var first convert.Side
			if strings.EqualFold(filepath.Ext(args[0]), ".csv") {
				text, err := input.Read(args[0], maxCommit)
				if err != nil {
					return err
				}
				first.Steps = convert.ReadCommit(bytes.NewReader(text))
			} else {
				a, done, err := openTrace(args[0])
				if err != nil {
					return err
				}
				defer done()
				warnCut(c, args[0], a)
				values = values && a.Header.Values
				first.Steps = convert.Steps(a, convert.Select{}, values)
			}
			first.Name = printable.Name(args[0])
			second := convert.Side{Name: printable.Name(args[1]), Steps: convert.Steps(b, convert.Select{}, values)}
			d, equal, err := convert.Diff(first, second)
			if err != nil {
				return err
			}
			if d == nil {
				fmt.Fprintf(c.OutOrStdout(), "no difference in %d instructions of warps\n", equal)
				return nil
			}
			warps := 0
			if d.Launch >= 0 && d.Launch < len(b.Launches) {
				warps = b.Launches[d.Launch].Warps
			}
			if err := d.Print(c.OutOrStdout(), first.Name, second.Name, warps); err != nil {
				return err
			}
			return fmt.Errorf("%w: the runs differ behind %d equal instructions of warps", errDiffers, equal)
		},
	}
	return c
}

// errDiffers marks runs that are not equal.
var errDiffers = errors.New("a difference")
