package cli

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/kernels"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// compareFlags are the flags of the verb compare.
type compareFlags struct {
	machine machineFlags
	vcd     vcdFlags
	trace   traceFlag
	profile profileFlag
	mechs   []string
	json    bool
	all     bool
	paths   bool
	svg     string
	seed    uint64
	size    string
	kernel  kernelFlags
}

func newCompare() *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare KERNEL|FILE.ptx|FILE.json",
		Short: "Run a kernel, or the launches of a file, under every divergence mechanism",
		Long: `Run a built-in kernel, a kernel of a PTX file with the arguments of "divergo run", or a launch file
under every divergence mechanism that the machine can have, or those of --mech in their order. The
machines are equal in everything else, the priority of CTAs (sm.cta_priority) as well. What the
mechanisms need is printed side by side. The result of a built-in kernel is compared with its
reference; of files all bytes of all buffers and variables after each launch are compared with those
of the first mechanism that finishes. The speed-up is against the first mechanism: without --mech the
machine's own, pdom unless --set divergence.mechanism says otherwise. sync_stalls are the cycles that
warps have waited for others of their CTA, at branches and reconvergence points.

A second table says what the cycles of the SMs were spent on; --svg FILE draws it.

--vcd FILE writes the waveform of the first mechanism; "divergo run KERNEL --mech NAME --vcd FILE" that of another.
--trace FILE.trace writes a trace of each: FILE-pdom.trace and so on.

With --paths no machine is run: for each branch, how many warps its paths need without compaction,
with thread block compaction under each lane permutation, and if threads could take any lane (Rhu &
Erez, ISCA 2013).

Exit codes: 1 a result differs from the reference or the first mechanism's, or --races has found a
race, 2 nothing was run, or a file could not be written, 4 the kernel failed under a mechanism
(fault, deadlock, endless loop, watchdog), 130 interrupted.`,
		Example: `  divergo compare bitonic --size medium
  divergo compare mandelbrot --preset slp --json
  divergo compare mandelbrot --svg cycles.svg
  divergo compare bfs --mech pdom,tbc --profile bfs.html
  divergo compare k.ptx --grid 4 --block 256 --arg buf:iota:u32:1024 --arg u32:1024
  divergo compare launch.json --mech pdom,dwf --verify
  divergo compare reduction --paths`,
		Args: exactly(1, "a PTX file, a launch file or a kernel (\"divergo list kernels\")"),
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	f.machine.add(c, false)
	f.vcd.add(c)
	f.trace.add(c, true)
	f.profile.add(c)
	addMechanisms(c, &f.mechs)
	c.Flags().BoolVar(&f.json, "json", false, "print the results as JSON")
	c.Flags().BoolVar(&f.all, "all", false, "print all columns, and every key of the machine")
	c.Flags().BoolVar(&f.paths, "paths", false,
		"compare lane permutations instead: the warps that the paths of each branch can be compacted to")
	c.Flags().StringVar(&f.svg, "svg", "", "draw what the cycles were spent on in `FILE`")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of random inputs")
	f.kernel.add(c)
	c.Flags().StringVar(&f.size, "size", "", "size of a built-in kernel; the first one if not given")
	return c
}

// subject is the work that compare runs under each mechanism.
type subject struct {
	name, size, doc string
	target          string // the file; empty for a built-in kernel
	equal           string // column header: what each result is compared with
	run             func(s *testbench.Session) error
	judge           func() error // describes how the last run's result differs; nil if it does not
	paths           func(warpSize int) (*experiments.Paths, error)
}

// subject identifies a target: a built-in kernel or a file.
func (f *compareFlags) subject(c *cobra.Command, target string, files *output.Set) (*subject, error) {
	kernel, err := kernels.Find(target)
	if err == nil {
		if err := refuse(c, kernelOnly, "a PTX file, "+target+" is a built-in kernel"); err != nil {
			return nil, err
		}
		return f.builtin(kernel)
	}
	if !isFile(target) {
		return nil, err
	}
	if err := refuse(c, []string{"size"}, "a built-in kernel, "+target+" is a file"); err != nil {
		return nil, err
	}
	w, err := f.kernel.work(c, target, &f.machine, &f.seed)
	if err != nil {
		return nil, err
	}
	w.reads(files)
	return w.subject(target, &f.machine), nil
}

// builtin makes the subject of a built-in kernel.
func (f *compareFlags) builtin(kernel kernels.Kernel) (*subject, error) {
	size, err := sizeOf(kernel, f.size)
	if err != nil {
		return nil, err
	}
	work := size.New(f.seed)
	return &subject{
		name: kernel.Name, size: size.Name, doc: size.Doc, equal: "reference",
		run:   func(s *testbench.Session) error { return work.Run(f.machine.host(s)) },
		judge: work.Check,
		paths: func(warpSize int) (*experiments.Paths, error) {
			p, err := experiments.MeasurePaths(work, warpSize)
			if err != nil {
				return nil, err
			}
			if err := work.Check(); err != nil {
				return nil, fmt.Errorf("%w: %w", errCheck, err)
			}
			return p, nil
		},
	}, nil
}

func (f *compareFlags) run(c *cobra.Command, target string) error {
	var files output.Set
	defer files.Discard()
	of, err := f.subject(c, target, &files)
	cfg, wrong := f.machine.config()
	if err := errors.Join(wrong, err); err != nil {
		return err
	}
	mechs, err := chosen(f.mechs, cfg, c.ErrOrStderr())
	if err != nil {
		return err
	}
	if f.paths {
		return f.comparePaths(c, of, cfg.SM.WarpSize)
	}
	f.machine.reads(&files)
	wave, err := f.vcd.open(&files)
	if err != nil {
		return err
	}
	picture, err := newPicture(&files, "--svg", f.svg, ".svg")
	if err != nil {
		return err
	}
	traces, err := f.trace.open(&files, &f.machine, strings.TrimSpace(of.name+" "+of.size), of.target, mechs...)
	if err != nil {
		return err
	}
	lines, err := f.profile.open(&files, &f.machine, strings.TrimSpace(of.name+" "+of.size), of.target)
	if err != nil {
		return err
	}
	var results []*result
	var failed error // the most severe error
	var unkept error // errors of files that could not be written
	for i, m := range mechs {
		if i > 0 {
			wave = nil // the waveform shows only the first run
		}
		cfg.Divergence.Mechanism = m
		s, err := simulate(c, &f.machine, cfg, m, wave, func(s *testbench.Session) error {
			lines.attach(s)
			if err := traces.attach(s); err != nil {
				return err
			}
			return of.run(s)
		})
		if !ran(err) {
			return fmt.Errorf("%s: %w", m, err)
		}
		lines.add(s)
		r := newResult(s, f.machine.preset, of.name, of.size, f.seed)
		r.kernels, r.Races = s.ByKernel(), f.machine.foundRaces()
		if err == nil {
			r.Reference = "equal"
			if wrong := of.judge(); wrong != nil {
				r.Reference = wrong.Error()
				err = fmt.Errorf("%w: %w", errCheck, wrong)
			}
		}
		if err == nil {
			err = f.machine.racy()
		}
		results = append(results, r)
		unkept = errors.Join(unkept, wave.keep(c.ErrOrStderr()), traces.keep(c.ErrOrStderr(), s))
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
		_, err := cycles.chart(fmt.Sprintf("%s on %s", strings.TrimSpace(of.name+" "+of.size),
			f.machine.preset)).WriteTo(w)
		return err
	}))
	return errors.Join(f.print(c, of, results, cycles, lines), unkept, lines.keep(), failed)
}

// inOrder lists all mechanisms; first, the baseline of the comparison, leads.
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

// compared lists the statistics of the table, comparedAll those of the table with --all.
var (
	compared    = []string{"cycles", "ipc", "simd_efficiency", "warp_instructions"}
	comparedAll = append(slices.Clip(compared), "stack_max_depth", "compacted_entries", "sync_stalls_branch",
		"sync_stalls_join")
)

func (f *compareFlags) print(c *cobra.Command, of *subject, results []*result, cycles *breakdown,
	lines *sourceProfile,
) error {
	w := c.OutOrStdout()
	if f.json {
		answer := map[string]any{
			"schema": schema("compare"), "kernel": of.name, "size": of.size, "seed": f.seed,
			"results": results,
		}
		if lines.answers() {
			answer["profile"] = lines.json()
		}
		return printJSON(w, answer)
	}
	fmt.Fprintf(w, "%s: %s\n\n", strings.TrimSpace(of.name+" "+of.size), of.doc)
	columns := compared
	if f.all {
		columns = comparedAll
	}
	t := table.New(slices.Concat([]string{"mechanism"}, columns, []string{"speed-up", "outcome", of.equal})...)
	for _, r := range results {
		row := []any{r.Mechanism}
		for _, name := range columns {
			row = append(row, r.Stats[name])
		}
		speedup := "-"
		if n := r.counters.Cycles; n > 0 && r.Outcome == results[0].Outcome {
			speedup = fmt.Sprintf("%.3f", float64(results[0].counters.Cycles)/float64(n))
		}
		reference, _, _ := strings.Cut(r.Reference, ":")
		t.Row(append(row, speedup, r.Outcome, reference)...)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := cycles.print(w, f.all); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if of.target != "" {
		if err := printSame(w, results); err != nil {
			return err
		}
	}
	if f.all {
		return errors.Join(printConfig(w, results[0].settings), lines.print(w))
	}
	return errors.Join(results[0].printMachine(w, "sm.cta_priority"), lines.print(w))
}

// namesake returns the index in another run of the kernel that matches k, or -1.
//
// Several kernels can share a name, for example in different modules. before holds the kernels
// ahead of k in the first run. The n-th kernel of a name matches the n-th kernel of that name in
// other.
func namesake[K any](before []K, k *K, other []K, name func(*K) string) int {
	n := 0
	for i := range before {
		if name(&before[i]) == name(k) {
			n++
		}
	}
	for i := range other {
		if name(&other[i]) == name(k) {
			if n == 0 {
				return i
			}
			n--
		}
	}
	return -1
}

// printSame writes the statistics of a file's launches by kernel, if there are several kernels. It
// also reports whether memory is the same under all mechanisms.
func printSame(w io.Writer, results []*result) error {
	if len(results[0].kernels) > 1 {
		t := table.New(append(append([]string{"kernel", "mechanism", "launches"}, perKernel...), "speed-up")...)
		name := func(k *testbench.KernelRuns) string { return k.Prog.Name }
		for i := range results[0].kernels {
			k := &results[0].kernels[i]
			for _, r := range results {
				at := namesake(results[0].kernels[:i], k, r.kernels, name)
				if at < 0 {
					continue
				}
				o := &r.kernels[at]
				row := []any{ptx.Short(ptx.Demangled(k.Prog.Name)), r.Mechanism, o.Launches}
				for _, name := range perKernel {
					for _, stat := range testbench.Stats() {
						if stat.Name == name {
							row = append(row, stat.Value(&o.Counters))
						}
					}
				}
				speedup := "-"
				if n := o.Counters.Cycles; n > 0 {
					speedup = fmt.Sprintf("%.3f", float64(k.Counters.Cycles)/float64(n))
				}
				t.Row(append(row, speedup)...)
			}
		}
		if _, err := t.WriteTo(w); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	same, finished := true, 0
	for _, r := range results {
		if r.Reference != "" {
			finished++
		}
		if r.Reference != "" && r.Reference != "equal" {
			same = false
			fmt.Fprintf(w, "%s: %s\n", r.Mechanism, r.Reference)
		}
	}
	if same {
		fmt.Fprintf(w, "all bytes of all buffers and variables are the same after each launch, under the %d of %d mechanisms that finished\n", finished, len(results))
	}
	_, err := fmt.Fprintln(w)
	return err
}
