package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/spf13/cobra"

	"divergo/internal/bench"
	"divergo/internal/table"
	"divergo/kernels"
)

// benchFlags are the flags of the verb bench.
type benchFlags struct {
	against string
	size    string
	count   int
	json    bool
}

func newBench() *cobra.Command {
	var f benchFlags
	c := &cobra.Command{
		Use:   "bench [KERNEL...]",
		Short: "Measure how fast the simulator is",
		Long: `Run a fixed set of kernels on a fixed set of machines, traced and not, on one processor and on all,
and print the least time of several runs. Each is a process of its own, its start included; what is
traced is every signal of the machine.

With --against FILE, another binary of divergo, both run in turn, and a column says how many times
as fast this one is, and how many times as much processor time the other one takes. A * behind it:
the two count other cycles or instructions.

Exit codes: 2 a binary cannot be run, or its run fails, 130 interrupted.`,
		Example: `  divergo bench
  divergo bench --against ./divergo-old --json
  divergo bench mandelbrot --size small --count 1`,
		RunE: f.run,
	}
	c.Flags().StringVar(&f.against, "against", "", "compare with `FILE`, a binary built of another commit")
	c.Flags().StringVar(&f.size, "size", "medium", "size of the kernels")
	c.Flags().IntVar(&f.count, "count", 3, "runs of each, of which the least counts")
	c.Flags().BoolVar(&f.json, "json", false, "print the results as JSON")
	return c
}

// benchResult is the output of bench.
type benchResult struct {
	Schema string          `json:"schema"`
	Host   bench.Host      `json:"host"`
	Binary binary          `json:"binary"`
	Count  int             `json:"count"`
	Runs   []*bench.Result `json:"runs"`
}

func (f *benchFlags) run(c *cobra.Command, names []string) error {
	if f.count < 1 {
		return fmt.Errorf("--count %d: want at least 1", f.count)
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
	asked, leave := listen(c)
	defer leave()
	r := benchResult{Schema: schema("bench"), Host: bench.ThisHost(), Binary: built(), Count: f.count}
	for _, x := range bench.Cases(names, f.size, r.Host.Processors) {
		one, err := bench.Measure(x, self, old, f.count)
		var failure *bench.Failure
		if asked() || errors.As(err, &failure) && failure.Code == exitInterrupted {
			return errInterrupted
		}
		if err != nil {
			return err
		}
		r.Runs = append(r.Runs, one)
	}
	if f.json {
		return printJSON(c.OutOrStdout(), r)
	}
	out := c.OutOrStdout()
	if _, err := fmt.Fprintf(out, "%d x %s, %s; divergo %s, %s; least of %d\n\n", r.Host.Processors, r.Host.Processor,
		r.Host.Platform, r.Binary.Commit, r.Binary.Go, r.Count); err != nil {
		return err
	}
	_, err = r.table(old != "").WriteTo(out)
	return err
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
