package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/internal/output"
	"divergo/internal/table"
	"divergo/ptx"
	"divergo/sm/divergence"
)

// cudaCompareFlags are the flags of the verb cuda compare.
type cudaCompareFlags struct {
	build   compilerFlags
	program programFlags
	mechs   []string
	svg     string
	ignore  []string
}

func newCudaCompare() *cobra.Command {
	f := cudaCompareFlags{program: newProgramFlags()}
	c := &cobra.Command{
		Use:   "compare PROGRAM|FILE... [-- ARG...]",
		Short: "Run a CUDA program under several divergence mechanisms",
		Long: `Run a program once under each divergence mechanism, on machines that are equal in everything else,
and print what its kernels need side by side; the speed-up is against the first. What the program
prints is shown once.

All bytes that it copied from the device, and the files that it wrote in or below the working
folder, are compared with the first run's. Lines of its output that differ are shown, and are no
failure: a program may print a time. --ignore RE leaves lines out, of the output and of the files.

--vcd FILE writes the waveform of the first mechanism, --trace FILE.trace a trace of each: FILE-pdom.trace and so on.
--profile and --launches have all of them, and --svg FILE draws what the cycles were spent on.

Exit codes: 1 copies, files, launches or exit codes differ, 2 nothing was run, 4 a launch failed,
130 interrupted; else the program's.`,
		Example: `  divergo cuda compare kernels/programs/bfs.cu
  divergo cuda compare --mech pdom,tbc,dwf prog -- 1024 8
  divergo cuda compare --ignore 'time.*ms' --json all.json --svg cycles.svg prog`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.program.machine.add(c, false)
	f.program.addJSON(c, true)
	addMechanisms(c, &f.mechs)
	c.Flags().StringVar(&f.svg, "svg", "", "draw what the cycles were spent on in `FILE`")
	c.Flags().StringArrayVar(&f.ignore, "ignore", nil,
		"leave lines that match the regular expression `RE` out of the comparison; can be repeated")
	f.build.add(c)
	return c
}

func (f *cudaCompareFlags) run(c *cobra.Command, args []string) error {
	p := &f.program
	cfg, err := p.machine.config()
	if err != nil {
		return err
	}
	list, err := chosen(f.mechs, cfg, c.ErrOrStderr())
	if err != nil {
		return err
	}
	ignore, err := parseIgnore(f.ignore)
	if err != nil {
		return err
	}
	var files output.Set
	defer files.Discard()
	p.machine.reads(&files)
	sources, _, err := targets(c, args)
	if err != nil {
		return err
	}
	f.build.options.Reads(&files, sources)
	kept, err := p.open(&files, sources[0], list...)
	if err != nil {
		return err
	}
	picture, err := newPicture(&files, "--svg", f.svg, ".svg")
	if err != nil {
		return err
	}
	program, rest, done, err := f.build.program(c, args)
	defer done()
	if err != nil {
		return err
	}
	asked, leave := listen(c)
	defer leave()
	var runs []*ranProgram
	var unkept error // errors of files that could not be written
	for i, m := range list {
		cfg.Divergence.Mechanism = m
		if i > 0 {
			kept.wave = nil // the waveform shows only the first run
		}
		before, err := filesBelow(".")
		if err != nil {
			return err
		}
		var out bytes.Buffer
		r, err := p.serve(c, cfg, m, kept, func(s *cuda.Server) (int, error) {
			return cuda.Run(s, asked, nil, &out, c.ErrOrStderr(), program, rest...)
		})
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if asked() {
			return errInterrupted
		}
		r.output = out.Bytes()
		if r.files, err = writtenFiles(".", before, ignore); err != nil {
			return fmt.Errorf("%s: files that the program wrote: %w", m, err)
		}
		kept.lines.add(r.session)
		kept.each.add(r.session)
		unkept = errors.Join(unkept, kept.wave.keep(c.ErrOrStderr()), kept.trace.keep(c.ErrOrStderr(), r.session))
		if kept.wave != nil && kept.wave.failed != nil { // the launch was refused
			return unkept
		}
		runs = append(runs, r)
	}
	return errors.Join(f.report(c, runs, kept, picture, filepath.Base(program), ignore), unkept, kept.lines.keep(),
		kept.each.close())
}

// addMechanisms adds the flag that selects the mechanisms to compare.
func addMechanisms(c *cobra.Command, list *[]string) {
	c.Flags().StringSliceVar(list, "mech", nil, "mechanisms `A,B,C`, in the order of the table; all that the machine can have if not given")
}

// chosen lists the mechanisms to compare: those given by name, or all that the machine can have. It
// writes a note about the others.
func chosen(names []string, cfg gpu.Config, notes io.Writer) ([]string, error) {
	if len(names) == 0 {
		var left []string
		for _, m := range inOrder(cfg.Divergence.Mechanism) {
			if cfg.Under(m.Name).SM.Schedulers == cfg.SM.Schedulers {
				names = append(names, m.Name)
			} else {
				left = append(left, m.Name)
			}
		}
		if len(left) > 0 {
			fmt.Fprintf(notes, "divergo: without %s: want sm.schedulers = 1, found %d\n", strings.Join(left, ", "),
				cfg.SM.Schedulers)
		}
		return names, nil
	}
	var errs []error
	for _, name := range names {
		if _, err := divergence.Open(name); err != nil {
			errs = append(errs, fmt.Errorf("--mech: %w", err))
		}
	}
	return names, errors.Join(errs...)
}

// comparedProgram is one run of a program in the JSON of compare.
type comparedProgram struct {
	*programResult
	Files      []string `json:"files"`                       // files that the program wrote
	Difference string   `json:"difference,omitempty"`        // first difference of the computed data from the first run
	Output     string   `json:"output_difference,omitempty"` // difference of the printed lines from the first run
}

// report prints the table, or writes it as JSON, and prints the differences between runs.
func (f *cudaCompareFlags) report(c *cobra.Command, runs []*ranProgram, kept keptOf, picture *picture, name string,
	ignore []*regexp.Regexp,
) error {
	w := c.OutOrStdout()
	if _, err := w.Write(runs[0].output); err != nil {
		return err
	}
	fmt.Fprintln(w)
	var results []*programResult
	var totals []*result
	var compared []comparedProgram
	for _, r := range runs {
		one := newProgramResult(r, name)
		results, totals = append(results, one), append(totals, one.result)
		compared = append(compared, comparedProgram{
			one, append([]string{}, slices.Sorted(maps.Keys(r.files))...), r.difference(runs[0]),
			textDifference(runs[0].output, r.output, ignore),
		})
	}
	cycles := newBreakdown(totals, runs[0].session.Machine.Config.SM.WarpSize)
	unkept := picture.keep(func(w io.Writer) error {
		_, err := cycles.chart(fmt.Sprintf("%s on %s", name, f.program.machine.preset)).WriteTo(w)
		return err
	})
	if kept.json != nil {
		answer := map[string]any{"schema": schema("cuda-compare"), "program": name, "results": compared}
		if kept.lines.answers() {
			answer["profile"] = kept.lines.json()
		}
		err := printJSON(kept.json, answer)
		if err == nil {
			err = kept.json.Keep()
		}
		unkept = errors.Join(unkept, err)
	} else if err := errors.Join(printPrograms(w, runs, results), kept.lines.print(w)); err != nil {
		return err
	}
	return errors.Join(printDifferences(w, runs, compared), unkept)
}

// printPrograms prints a row for each kernel and mechanism.
func printPrograms(w io.Writer, runs []*ranProgram, results []*programResult) error {
	t := table.New(append(append([]string{"kernel", "mechanism", "launches"}, perKernel...), "speed-up")...)
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
				row(ptx.Short(k.Kernel), runs[i].mech, r.Kernels[at].Launches, r.Kernels[at].Stats, k.Stats)
			}
		}
	}
	for i, r := range results {
		row("total", runs[i].mech, len(r.Launches), r.Stats, results[0].Stats)
	}
	if _, err := t.WriteTo(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// printDifferences prints the differences between runs. A difference of the printed output is not a
// failure.
func printDifferences(w io.Writer, runs []*ranProgram, compared []comparedProgram) error {
	var failed error // the most severe error
	same, printed := true, fmt.Sprintf("%d bytes printed, ", len(runs[0].output))
	for i, r := range runs {
		if err := r.end(); exitCode(err) > exitCode(failed) {
			failed = err
		}
		if what := compared[i].Difference; what != "" {
			same = false
			fmt.Fprintf(w, "%s: %s\n", r.mech, what)
		}
		if what := compared[i].Output; what != "" {
			printed = ""
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
	fmt.Fprintf(w, "the same under all mechanisms: %s%d bytes in %d copies from the device, %d files written\n",
		printed, bytes, len(runs[0].server.Copies), len(runs[0].files))
	if printed == "" {
		fmt.Fprintln(w, "lines of its output differ: --ignore RE leaves lines out")
	}
	return failed
}

// difference describes the first difference from another run, apart from the printed output. It is
// empty if there is none.
func (r *ranProgram) difference(first *ranProgram) string {
	if err := r.server.Failed; err != nil {
		summary, _, _ := strings.Cut(err.Error(), "\n")
		return summary
	}
	for i := range first.session.Runs {
		a := &first.session.Runs[i].Launch
		name := ptx.Short(ptx.Demangled(a.Prog.Name))
		if i >= len(r.session.Runs) {
			return fmt.Sprintf("launch %d, %s, is missing", i+1, name)
		}
		if b := &r.session.Runs[i].Launch; a.Prog.Name != b.Prog.Name || a.Grid != b.Grid || a.Block != b.Block {
			return fmt.Sprintf("launch %d is %s %s, and was %s %s", i+1, ptx.Short(ptx.Demangled(b.Prog.Name)),
				shape(b.Grid), name, shape(a.Grid))
		}
	}
	for i, a := range first.server.Copies {
		if i >= len(r.server.Copies) {
			return fmt.Sprintf("copy %d from the device is missing", i+1)
		}
		if r.server.Copies[i] != a {
			last := "before any launch"
			if n := r.server.Copies[i].Launches; n > 0 {
				last = fmt.Sprintf("behind launch %d, %s", n,
					ptx.Short(ptx.Demangled(r.session.Runs[n-1].Launch.Prog.Name)))
			}
			return fmt.Sprintf("copy %d from the device, %d bytes %s, has other bytes", i+1, a.Bytes, last)
		}
	}
	if what := fileDifference(first.files, r.files); what != "" {
		return what
	}
	switch {
	case len(r.session.Runs) > len(first.session.Runs):
		return fmt.Sprintf("%d launches, and %d before", len(r.session.Runs), len(first.session.Runs))
	case len(r.server.Copies) > len(first.server.Copies):
		return fmt.Sprintf("%d copies from the device, and %d before", len(r.server.Copies), len(first.server.Copies))
	case r.code != first.code:
		return fmt.Sprintf("exit code %d, and %d before", r.code, first.code)
	}
	return ""
}
