package cli

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"divergo/cuda"
	"divergo/internal/nearest"
	"divergo/internal/table"
	"divergo/ptx"
	"divergo/sm/divergence"
)

func newCudaCompare() *cobra.Command {
	var b compilerFlags
	p := newProgramFlags()
	var mechanisms []string
	c := &cobra.Command{
		Use:   "compare PROGRAM|FILE... [-- ARG...]",
		Short: "Run a CUDA program under several divergence mechanisms",
		Long: `Run a program once under each divergence mechanism, on machines that are equal in everything else, and print what
its kernels need side by side; the speed-up is against the first. What the program prints is shown once. What it
printed and all bytes that it copied from the device are compared with the first run's.

Exit codes: 1 they differ, 2 nothing was run, 4 a launch failed, 130 interrupted; else the program's.`,
		Example: `  divergo cuda compare kernels/programs/bfs.cu
  divergo cuda compare --mech pdom,tbc,dwf prog -- 1024 8`,
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := p.machine.config()
			if err != nil {
				return err
			}
			list, err := chosen(mechanisms, cfg.Divergence.Mechanism)
			if err != nil {
				return err
			}
			program, rest, done, err := b.program(c, args)
			defer done()
			if err != nil {
				return err
			}
			asked, leave := listen(c)
			defer leave()
			var runs []*ranProgram
			for _, m := range list {
				cfg.Divergence.Mechanism = m
				var out bytes.Buffer
				r, err := p.serve(c, cfg, m, keptOf{}, func(s *cuda.Server) (int, error) {
					return cuda.Run(s, asked, nil, &out, c.ErrOrStderr(), program, rest...)
				})
				if err != nil {
					return fmt.Errorf("%s: %w", m, err)
				}
				if asked() {
					return errInterrupted
				}
				r.output = out.Bytes()
				runs = append(runs, r)
			}
			return compareRuns(c, runs)
		},
	}
	p.machine.add(c, false)
	addMechanisms(c, &mechanisms)
	b.add(c)
	return c
}

// addMechanisms adds the flag that chooses mechanisms to be compared.
func addMechanisms(c *cobra.Command, list *[]string) {
	c.Flags().StringSliceVar(list, "mech", nil, "mechanisms `A,B,C`, in the order of the table; all if not given")
}

// chosen lists mechanisms by name: those given, or all.
func chosen(names []string, first string) ([]string, error) {
	if len(names) == 0 {
		for _, m := range inOrder(first) {
			names = append(names, m.Name)
		}
		return names, nil
	}
	var errs []error
	for _, name := range names {
		if _, ok := divergence.Find(name); !ok {
			errs = append(errs, fmt.Errorf("--mech: %w", nearest.Unknown("mechanism", name, mechanismNames())))
		}
	}
	return names, errors.Join(errs...)
}

// compareRuns prints the table, and what is not the same in all runs.
func compareRuns(c *cobra.Command, runs []*ranProgram) error {
	w := c.OutOrStdout()
	if _, err := w.Write(runs[0].output); err != nil {
		return err
	}
	fmt.Fprintln(w)
	t := table.New(append(append([]string{"kernel", "mechanism", "launches"}, perKernel...), "speed-up")...)
	var results []*programResult
	for _, r := range runs {
		results = append(results, newProgramResult(r, "program"))
	}
	row := func(kernel, mech string, launches int, stats, first map[string]any) {
		speedup := "-"
		a, b := first["cycles"], stats["cycles"].(uint64)
		if a, ok := a.(uint64); ok && b > 0 {
			speedup = fmt.Sprintf("%.3f", float64(a)/float64(b))
		}
		t.Row(append(append([]any{kernel, mech, launches}, values(stats)...), speedup)...)
	}
	name := func(k *kernelResult) string { return k.Kernel }
	for n := range results[0].Kernels {
		k := &results[0].Kernels[n]
		for i, r := range results {
			if at := namesake(results[0].Kernels[:n], k, r.Kernels, name); at >= 0 {
				row(short(k.Kernel), runs[i].mech, r.Kernels[at].Launches, r.Kernels[at].Stats, k.Stats)
			}
		}
	}
	for i, r := range results {
		row("total", runs[i].mech, len(r.Launches), r.Stats, results[0].Stats)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	var failed error // the gravest
	same := true
	for _, r := range runs {
		if err := r.end(); exitCode(err) > exitCode(failed) {
			failed = err
		}
		if what := r.difference(runs[0]); what != "" {
			same = false
			fmt.Fprintf(w, "%s: %s\n", r.mech, what)
		}
	}
	if !same {
		return errors.Join(fmt.Errorf("%w under some mechanisms", errCheck), failed)
	}
	bytes := uint64(0)
	for _, copied := range runs[0].server.Copies {
		bytes += copied.Bytes
	}
	fmt.Fprintf(w, "the same under all mechanisms: %d bytes printed, %d bytes in %d copies from the device\n", len(runs[0].output), bytes, len(runs[0].server.Copies))
	return failed
}

// difference says what is first not as in another run.
func (r *ranProgram) difference(first *ranProgram) string {
	if err := r.server.Failed; err != nil {
		summary, _, _ := strings.Cut(err.Error(), "\n")
		return summary
	}
	for i := range first.session.Runs {
		a := &first.session.Runs[i].Launch
		name := short(ptx.Demangled(a.Prog.Name))
		if i >= len(r.session.Runs) {
			return fmt.Sprintf("launch %d, %s, is missing", i+1, name)
		}
		if b := &r.session.Runs[i].Launch; a.Prog.Name != b.Prog.Name || a.Grid != b.Grid || a.Block != b.Block {
			return fmt.Sprintf("launch %d is %s %s, and was %s %s", i+1, short(ptx.Demangled(b.Prog.Name)), shape(b.Grid), name, shape(a.Grid))
		}
	}
	for i, a := range first.server.Copies {
		if i >= len(r.server.Copies) {
			return fmt.Sprintf("copy %d from the device is missing", i+1)
		}
		if r.server.Copies[i] != a {
			last := "before any launch"
			if n := r.server.Copies[i].Launches; n > 0 {
				last = fmt.Sprintf("behind launch %d, %s", n, short(ptx.Demangled(r.session.Runs[n-1].Launch.Prog.Name)))
			}
			return fmt.Sprintf("copy %d from the device, %d bytes %s, has other bytes", i+1, a.Bytes, last)
		}
	}
	switch {
	case len(r.session.Runs) > len(first.session.Runs):
		return fmt.Sprintf("%d launches, and %d before", len(r.session.Runs), len(first.session.Runs))
	case !bytes.Equal(r.output, first.output):
		return "what it printed differs"
	case r.code != first.code:
		return fmt.Sprintf("exit code %d, and %d before", r.code, first.code)
	}
	return ""
}
