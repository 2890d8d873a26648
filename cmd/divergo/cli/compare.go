package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/kernels"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// compareFlags are the flags of the verb compare.
type compareFlags struct {
	machine machineFlags
	vcd     vcdFlags
	profile profileFlag
	mechs   []string
	json    bool
	paths   bool
	svg     string
	seed    uint64
	size    string
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare KERNEL",
		Short: "Run a built-in kernel under every divergence mechanism",
		Long: `Run a built-in kernel under every divergence mechanism, or those of --mech in their order, on machines that are equal
in everything else, the priority of CTAs (sm.cta_priority) as well, and print what they need side by side. Each result is compared
with the kernel's reference. The speed-up is against the first: without --mech the machine's own, pdom unless --set divergence.mechanism says otherwise.
sync_stalls are the cycles that warps have waited for others of their CTA, at branches and reconvergence points.

A second table says what the cycles of the SMs were spent on; --svg FILE draws it.

--vcd FILE writes the waveform of the first mechanism; "divergo run KERNEL --mech NAME --vcd FILE" that of another.

With --paths no machine is run: for each branch, how many warps its paths need without compaction, with thread
block compaction under each lane permutation, and if threads could take any lane (Rhu & Erez, ISCA 2013).

Exit codes: 1 a result differs from the reference, 2 nothing was run, or a file could not be written, 4 the kernel failed under a mechanism
(fault, deadlock, endless loop, watchdog), 130 interrupted.`,
		Example: `  divergo compare bitonic --size medium
  divergo compare mandelbrot --preset slp2013 --json
  divergo compare mandelbrot --svg cycles.svg
  divergo compare bfs --mech pdom,tbc --profile bfs.html
  divergo compare reduction --paths`,
		Args: exactly(1, "a kernel (\"divergo list kernels\")"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.machine.add(c, false)
	f.vcd.add(c)
	f.profile.add(c)
	addMechanisms(c, &f.mechs)
	c.Flags().BoolVar(&f.json, "json", false, "print the results as JSON")
	c.Flags().BoolVar(&f.paths, "paths", false, "compare lane permutations instead: the warps that the paths of each branch can be compacted to")
	c.Flags().StringVar(&f.svg, "svg", "", "draw what the cycles were spent on in `FILE`")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of random inputs")
	c.Flags().StringVar(&f.size, "size", "", "size of the kernel; the first one if not given")
	return c
}

func (f *compareFlags) run(c *cobra.Command, name string) error {
	cfg, err := f.machine.config()
	if err != nil {
		return err
	}
	kernel, err := kernels.Find(name)
	if err != nil {
		return err
	}
	size, err := sizeOf(kernel, f.size)
	if err != nil {
		return err
	}
	mechs, err := chosen(f.mechs, cfg.Divergence.Mechanism)
	if err != nil {
		return err
	}
	if f.paths {
		return f.comparePaths(c, kernel, size, cfg.SM.WarpSize)
	}
	var files output.Set
	defer files.Discard()
	f.machine.reads(&files)
	wave, err := f.vcd.open(&files)
	if err != nil {
		return err
	}
	picture, err := newPicture(&files, "--svg", f.svg, ".svg")
	if err != nil {
		return err
	}
	lines, err := f.profile.open(&files, kernel.Name+" "+size.Name, "")
	if err != nil {
		return err
	}
	work := size.New(f.seed)
	var results []*result
	var failed error // the gravest
	var unkept error // files that could not be written
	for i, m := range mechs {
		if i > 0 {
			wave = nil // only the first is dumped
		}
		cfg.Divergence.Mechanism = m
		s, err := simulate(c, &f.machine, cfg, m, wave, func(s *testbench.Session) error {
			lines.attach(s)
			return work.Run(f.machine.host(s))
		})
		if !ran(err) {
			return fmt.Errorf("%s: %w", m, err)
		}
		lines.add(s)
		r := newResult(s, kernel.Name, size.Name, f.seed)
		if err == nil {
			r.Reference = "equal"
			if wrong := work.Check(); wrong != nil {
				r.Reference = wrong.Error()
				err = fmt.Errorf("%w: %w", errCheck, wrong)
			}
		}
		results = append(results, r)
		unkept = errors.Join(unkept, wave.keep(c.ErrOrStderr()))
		if err != nil {
			err = fmt.Errorf("%s: %w", m, err)
		}
		if exitCode(err) > exitCode(failed) {
			failed = err
		}
		if exitCode(err) == exitInterrupted {
			break
		}
	}
	cycles := newBreakdown(results, cfg.SM.WarpSize)
	unkept = errors.Join(unkept, picture.keep(func(w io.Writer) error {
		_, err := cycles.chart(fmt.Sprintf("%s %s on %s", kernel.Name, size.Name, f.machine.preset)).WriteTo(w)
		return err
	}))
	return errors.Join(f.print(c, kernel, size, results, cycles, lines, cfg.SM.CTAPriority), unkept, lines.keep(), failed)
}

// inOrder lists all mechanisms, the one that others are compared with first.
func inOrder(first string) []divergence.Mechanism {
	list := slices.Clone(divergence.Mechanisms())
	slices.SortStableFunc(list, func(a, b divergence.Mechanism) int {
		switch first {
		case a.Name:
			return -1
		case b.Name:
			return 1
		}
		return 0
	})
	return list
}

// compared are the statistics that the table shows.
var compared = []string{"cycles", "ipc", "simd_efficiency", "warp_instructions", "stack_max_depth", "compacted_entries"}

func (f *compareFlags) print(c *cobra.Command, kernel kernels.Kernel, size kernels.Size, results []*result, cycles *breakdown, lines *sourceProfile, priority sm.CTAPriority) error {
	w := c.OutOrStdout()
	if f.json {
		answer := map[string]any{"schema": schema("compare"), "kernel": kernel.Name, "size": size.Name, "seed": f.seed, "results": results}
		if lines.answers() {
			answer["profile"] = lines.json()
		}
		return printJSON(w, answer)
	}
	fmt.Fprintf(w, "%s %s: %s\nsm.cta_priority under every mechanism: %s\n\n", kernel.Name, size.Name, size.Doc, priority)
	t := table.New(append(append([]string{"mechanism"}, compared...), "sync_stalls", "speed-up", "outcome", "reference")...)
	for _, r := range results {
		row := []any{r.Mechanism}
		for _, name := range compared {
			row = append(row, r.Stats[name])
		}
		speedup := "-"
		if n := r.counters.Cycles; n > 0 && r.Outcome == results[0].Outcome {
			speedup = fmt.Sprintf("%.3f", float64(results[0].counters.Cycles)/float64(n))
		}
		reference, _, _ := strings.Cut(r.Reference, ":")
		sync := r.counters.Divergence.Compaction
		t.Row(append(row, sync.AtBranch+sync.AtJoin, speedup, r.Outcome, reference)...)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := cycles.print(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return errors.Join(printConfig(w, results[0].settings), lines.print(w))
}
