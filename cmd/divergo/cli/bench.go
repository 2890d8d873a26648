package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"divergo/internal/bench"
	"divergo/internal/chart"
	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/kernels"
)

// benchFlags are the flags of the verb bench.
type benchFlags struct {
	against       string
	size          string
	runs          int
	count         bool
	parts, growth bool
	steps         int
	svg           string
	json          bool
	markdown      bool
}

func newBench() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench [KERNEL...]",
		Short: "Measure how fast the simulator is",
		Long: `Run a fixed set of kernels on a fixed set of machines, traced and not, on one processor and on all,
and print the least time of several runs. Each is a process of its own, its start included; what is
traced is every signal of the machine.

--parts measures the parts of the simulator: arithmetic, mechanisms that regroup threads, memory,
waiting SMs, workers, the functional model, sampling, start, dumps, random checks. --growth measures how time and memory grow by
SMs, CTAs, instructions of a kernel, traced signals and DRAM channels, each four times as many as
before; the column "of linear" is 1 if time grows as they do, and more if it grows faster. --svg FILE
draws it.

--count counts the instructions of the processor instead of time, with valgrind. They do not depend
on other programs. For a loop they are those of a simulated cycle, without the start.

--markdown prints the tables of docs/explanation/performance.md: runs on one processor, and for
kernels also the measured times of GPGPU-Sim.

With --against FILE, another binary of divergo, both run in turn, and a column says how many times
as fast this one is, and how many times as much processor time the other one takes. A * behind it:
the two count other cycles or instructions.

Exit codes: 2 a binary cannot be run, or its run fails, 130 interrupted.`,
		Example: `  divergo bench
  divergo bench --against ./divergo-old --json
  divergo bench mandelbrot --size small --runs 1
  divergo bench --parts --count
  divergo bench --growth --steps 3 --svg growth.svg`,
		RunE: f.run,
	}
	c.Flags().StringVar(&f.against, "against", "", "compare with `FILE`, a binary built of another commit")
	c.Flags().StringVar(&f.size, "size", "medium", "size of the kernels")
	c.Flags().IntVar(&f.runs, "runs", 3, "runs of each, of which the least counts")
	c.Flags().BoolVar(&f.count, "count", false, "count instructions of the processor, with valgrind")
	c.Flags().BoolVar(&f.parts, "parts", false, "measure the parts of the simulator")
	c.Flags().BoolVar(&f.growth, "growth", false, "measure the growth of time and memory")
	c.Flags().IntVar(&f.steps, "steps", 6, "of --growth: points of an axis, 1 to 6")
	c.Flags().StringVar(&f.svg, "svg", "", "of --growth: draw the growth into `FILE`")
	c.Flags().BoolVar(&f.json, "json", false, "print the results as JSON")
	c.Flags().BoolVar(&f.markdown, "markdown", false, "print the tables of docs/explanation/performance.md")
	return c
}

// benchResult is the output of bench.
type benchResult struct {
	Schema string          `json:"schema"`
	Host   bench.Host      `json:"host"`
	Binary binary          `json:"binary"`
	Count  int             `json:"runs_of_each"`
	Runs   []*bench.Result `json:"runs"`
}

func (f *benchFlags) run(c *cobra.Command, names []string) error {
	switch {
	case f.runs < 1:
		return fmt.Errorf("--runs %d: want at least 1", f.runs)
	case f.steps < 1 || f.steps > 6:
		return fmt.Errorf("--steps %d: want 1 to 6", f.steps)
	case f.parts && f.growth, (f.parts || f.growth) && len(names) > 0:
		return errors.New("want kernels, --parts or --growth")
	case f.svg != "" && !f.growth:
		return errors.New("--svg draws what --growth measures: add --growth")
	case f.count && f.against != "":
		return errors.New("--count counts one binary: leave out --against")
	case f.markdown && (f.json || f.against != ""):
		return errors.New("--markdown prints the tables of one binary: leave out --json and --against")
	}
	if len(names) == 0 {
		names = bench.Kernels
	}
	for _, name := range names {
		kernel, err := kernels.Find(name)
		if err != nil {
			return err
		}
		if _, err := sizeOf(kernel, f.size); err != nil {
			return err
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	old := ""
	if f.against != "" {
		if old, err = exec.LookPath(f.against); err != nil && !errors.Is(err, exec.ErrDot) {
			return fmt.Errorf("--against: %w", err)
		}
	}
	var files output.Set
	defer files.Discard()
	drawn, err := newPicture(&files, "--svg", f.svg, ".svg")
	if err != nil {
		return err
	}
	asked, leave := listen(c)
	defer leave()
	r := benchResult{Schema: schema("bench"), Host: bench.ThisHost(), Binary: built(), Count: f.runs}
	dir, err := os.MkdirTemp("", "divergo-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	cases := bench.Cases(names, f.size, r.Host.Processors)
	switch {
	case f.parts:
		times := 2000
		if f.count { // valgrind takes 50 times as long
			times = 300
		}
		cases, err = bench.Parts(dir, times, r.Host.Processors)
	case f.growth:
		cases, err = bench.Growth(dir, f.steps)
	}
	if err != nil {
		return err
	}
	for _, x := range cases {
		if (f.count || f.markdown) && x.Workers > 1 {
			continue // counts are those of one processor
		}
		one, err := f.measure(x, self, old)
		var failure *bench.Failure
		if asked() || errors.As(err, &failure) && failure.Code == exitInterrupted {
			return errInterrupted
		}
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, one)
	}
	if err := drawn.keep(func(w io.Writer) error {
		_, err := chart.Column{r.picture()}.WriteTo(w)
		return err
	}); err != nil {
		return err
	}
	if f.json {
		return printJSON(c.OutOrStdout(), r)
	}
	out := c.OutOrStdout()
	if f.markdown {
		return r.markdown(out, f)
	}
	if _, err := fmt.Fprintf(out, "%d x %s, %s; divergo %s, %s; least of %d\n\n", r.Host.Processors, r.Host.Processor,
		r.Host.Platform, r.Binary.Commit, r.Binary.Go, r.Count); err != nil {
		return err
	}
	show := r.table(old != "")
	switch {
	case f.growth:
		show = r.growth(f.count)
	case f.count || f.parts:
		show = r.partsTable(f.count)
	}
	_, err = show.WriteTo(out)
	return err
}

// markdown prints the tables of docs/explanation/performance.md.
func (r *benchResult) markdown(w io.Writer, f *benchFlags) error {
	switch {
	case f.growth:
		return r.growth(f.count).WriteMarkdown(w)
	case f.parts:
		return r.partsTable(f.count).WriteMarkdown(w)
	}
	if err := r.kernels(f.count).WriteMarkdown(w); err != nil {
		return err
	}
	t := table.New("machine", "kernel", "GPGPU-Sim's time, times ours")
	for _, b := range bench.GPGPUSim {
		t.Row(b.Machine, b.Kernels, b.Faster)
	}
	fmt.Fprintln(w)
	return t.WriteMarkdown(w)
}

// kernels has a row for each run of a kernel: its processor time, or its instructions.
func (r *benchResult) kernels(counted bool) *table.Table {
	unit := "processor s"
	if counted {
		unit = "M instructions"
	}
	t := table.New("kernel", "machine", "traced", "cycles", unit)
	for _, x := range r.Runs {
		each := seconds(x.New.Processor)
		if counted {
			each = fmt.Sprintf("%.0f", float64(x.Counted)/1e6)
		}
		t.Row(x.Kernel, x.Machine, map[bool]string{true: "yes", false: "no"}[x.Traced], x.Cycles, each)
	}
	return t
}

// measure measures the time of a case, or its instructions.
func (f *benchFlags) measure(x bench.Case, self, old string) (*bench.Result, error) {
	if f.count {
		return bench.Count(x, self)
	}
	return bench.Measure(x, self, old, f.runs)
}

// partsTable has a row for each run: its times, or its instructions.
func (r *benchResult) partsTable(counted bool) *table.Table {
	if counted {
		t := table.New("part", "run", "machine", "cycles", "M instructions", "instructions a cycle")
		for _, x := range r.Runs {
			each := ""
			if x.PerCycle > 0 {
				each = fmt.Sprintf("%.0f", x.PerCycle)
			}
			t.Row(x.Part, x.Kernel, x.Machine, x.Cycles, fmt.Sprintf("%.0f", float64(x.Counted)/1e6), each)
		}
		return t
	}
	t := table.New("part", "run", "machine", "workers", "cycles", "s", "processor s", "MB")
	for _, x := range r.Runs {
		t.Row(x.Part, x.Kernel, x.Machine, x.Workers, x.Cycles, seconds(x.New.Elapsed), seconds(x.New.Processor),
			x.Memory>>20)
	}
	return t
}

// growth has a row for each point of an axis: its time, or its instructions.
func (r *benchResult) growth(counted bool) *table.Table {
	if counted {
		t := table.New("axis", "value", "cycles", "M instructions", "of linear")
		for i, x := range r.Runs {
			t.Row(x.Axis, x.Value, x.Cycles, fmt.Sprintf("%.0f", float64(x.Counted)/1e6), fmt.Sprintf("%.2f", r.ofLinear(i)))
		}
		return t
	}
	t := table.New("axis", "value", "cycles", "processor s", "MB", "of linear")
	for i, x := range r.Runs {
		t.Row(x.Axis, x.Value, x.Cycles, seconds(x.New.Processor), x.Memory>>20, fmt.Sprintf("%.2f", r.ofLinear(i)))
	}
	return t
}

// ofLinear is the cost of a run for each unit of its axis, as a multiple of that of the run before.
// The first point of an axis has 1.
func (r *benchResult) ofLinear(i int) float64 {
	x := r.Runs[i]
	if i == 0 || r.Runs[i-1].Axis != x.Axis {
		return 1
	}
	return cost(x) / float64(x.Value) / (cost(r.Runs[i-1]) / float64(r.Runs[i-1].Value))
}

// cost is the instructions of a run, or its processor time.
func cost(x *bench.Result) float64 {
	if x.Counted > 0 {
		return float64(x.Counted)
	}
	return x.New.Processor
}

// picture draws the cost for each unit of the axes.
func (r *benchResult) picture() *chart.Lines {
	l := &chart.Lines{Title: "Cost for each unit, as a multiple of the first", X: "steps, each four times as many", Y: "cost for a unit"}
	first := 0.0
	for i, x := range r.Runs {
		each := cost(x) / float64(x.Value)
		if i == 0 || r.Runs[i-1].Axis != x.Axis {
			l.Series = append(l.Series, chart.Series{Name: x.Axis})
			first = each
		}
		s := &l.Series[len(l.Series)-1]
		s.X, s.Y = append(s.X, float64(len(s.X))), append(s.Y, each/first)
	}
	return l
}

func (r *benchResult) table(compared bool) *table.Table {
	header := []string{"kernel", "machine", "traced", "workers", "cycles", "s", "processor s", "M warp instructions/s"}
	if compared {
		header = append(header, "times as fast", "processor time")
	}
	t := table.New(header...)
	for _, x := range r.Runs {
		traced := "no"
		if x.Traced {
			traced = "yes"
		}
		row := []any{
			x.Kernel, x.Machine, traced, x.Workers, x.Cycles, seconds(x.New.Elapsed), seconds(x.New.Processor),
			seconds(x.Rate() / 1e6),
		}
		if compared {
			differs := ""
			if x.Differs {
				differs = "*"
			}
			row = append(row, fmt.Sprintf("%.2f", x.Faster), fmt.Sprintf("%.2f", x.Lighter)+differs)
		}
		t.Row(row...)
	}
	return t
}

// seconds formats a time in seconds.
func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
