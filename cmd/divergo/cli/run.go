package cli

import (
	"cmp"
	"errors"
	"fmt"
	"image/png"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"divergo/gpu"
	"divergo/internal/output"
	"divergo/isa"
	"divergo/kernels"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/testbench/launches"
	"divergo/testbench/verify"
)

// runFlags are the flags of the verb run.
type runFlags struct {
	machine machineFlags
	vcd     vcdFlags
	trace   traceFlag
	herd    herdFlags
	profile profileFlag
	each    launchesFlag
	json    bool
	all     bool
	seed    uint64

	kernel kernelFlags
	dumps  []string

	size, image string // for built-in kernels
}

// Flags that apply to one kind of target only.
var (
	kernelOnly   = []string{"kernel", "grid", "block", "shared", "arg"}
	fileFlags    = append([]string{"dump"}, kernelOnly...)
	builtinFlags = []string{"size", "image"}
)

func newRun() *cobra.Command {
	var r runFlags
	c := &cobra.Command{
		Use:   "run FILE.ptx|FILE.json|KERNEL",
		Short: "Run one kernel on one machine, or the launches of a file",
		Long: `Run a kernel of a PTX file, or a built-in one, and print what the machine counted. FILE.json is a
launch file, which says what is launched, and on which data (docs/howto/launch-files.md).

Each parameter of a PTX kernel takes one --arg, in order. SPEC is

  TYPE:VALUE           u32:7  s32:-1  f32:0.5  b32:0x3f800000;  TYPE:V1,V2,... for a struct by value
  buf:zero:BYTES       a buffer of zeros; the kernel gets its address
  buf:@FILE            the bytes of a file
  buf:TYPE:V1,V2,...   values
  buf:iota:TYPE:N      0, 1, 2, ... N-1
  buf:rand:TYPE:N      N random values by --seed: integers of the whole range, floats in [0, 1)
  tex:SIZE:buf:...     a texture or surface of W, WxH or WxHxD texels; the kernel gets its handle
  NAME=tex:SIZE:buf:...  bound to the .texref or .surfref NAME, and no parameter (docs/howto/launch-files.md)

--herd names branches and loads that are herded: all active lanes go where most of them want to, or read the block
of memory that most of them read. It is a herding file, or

  branches  loads  all           of every kernel
  branch=PC,PC;load=PC           as "divergo dis" prints them
  threshold=N                    herding stops after so many instructions of warps

The result of a built-in kernel is then compared, and may differ.

TYPE is u8 s8 u16 s16 u32 s32 u64 s64 f32 f64, or b8 b16 b32 b64 in hexadecimal. --dump INDEX=FILE
writes the buffer of parameter INDEX, counted from 0, as it is after the run; NAME=FILE that of a
reference.

Exit codes: 1 the result of a built-in kernel differs from its reference, or --races has found a
race, 2 nothing was run, or a file could not be written, 4 the program failed, 130 interrupted. A
waveform or trace is complete up to the last cycle in each case but 2.`,
		Example: `  divergo run bitonic --size medium --mech pdom --json
  divergo run k.ptx --grid 4 --block 256 --arg buf:iota:u32:1024 --arg u32:1024 --dump 0=out.bin
  divergo run launch.json --mech tbc --dump result=out.bin
  divergo run bitonic --mech tbc --trace bitonic.trace
  divergo run mandelbrot --image m.png --vcd m.vcd --vcd-filter 'sm[0].**' --set gpu.sms=4`,
		Args: exactly(1, "a PTX file, a launch file or a kernel (\"divergo list kernels\")"),
		RunE: func(c *cobra.Command, args []string) error { return r.run(c, args[0]) },
	}
	r.machine.add(c, true)
	r.vcd.add(c)
	r.trace.add(c, false)
	r.profile.add(c)
	r.each.add(c)
	f := c.Flags()
	f.StringArrayVar(&r.herd.given, "herd", nil, "`FILE.json or SPEC` of what is herded; can be repeated")
	f.BoolVar(&r.json, "json", false, "print the result as JSON")
	f.BoolVar(&r.all, "all", false, "print every statistic and every key of the machine")
	f.Uint64Var(&r.seed, "seed", 1, "seed of random inputs")
	r.kernel.add(c)
	f.StringArrayVar(&r.dumps, "dump", nil, "`INDEX=FILE`: write a buffer after the run; of a launch file NAME=FILE")
	f.StringVar(&r.size, "size", "", "size of a built-in kernel; the first one if not given")
	f.StringVar(&r.image, "image", "", "`FILE`.png for the picture that a built-in kernel makes")
	return c
}

func (r *runFlags) run(c *cobra.Command, target string) error {
	if kernel, err := kernels.Find(target); err == nil || !isFile(target) {
		if err != nil {
			_, wrong := r.machine.config()
			return errors.Join(wrong, err)
		}
		if err := refuse(c, fileFlags, "a PTX file, "+target+" is a built-in kernel"); err != nil {
			return err
		}
		return r.builtin(c, kernel)
	}
	if err := refuse(c, builtinFlags, "a built-in kernel, "+target+" is a file"); err != nil {
		return err
	}
	return r.file(c, target)
}

// isFile reports whether a target that names no kernel looks like a file.
func isFile(target string) bool {
	if strings.HasSuffix(target, ".ptx") || strings.ContainsAny(target, `/\`) {
		return true
	}
	_, err := os.Stat(target)
	return err == nil
}

// refuse reports the given flags that have no meaning here, and why.
func refuse(c *cobra.Command, flags []string, why string) error {
	var errs []error
	for _, name := range flags {
		if c.Flags().Changed(name) {
			errs = append(errs, fmt.Errorf("--%s is for %s", name, why))
		}
	}
	return errors.Join(errs...)
}

// file runs an entry of a PTX file, or a launch file.
func (r *runFlags) file(c *cobra.Command, name string) error {
	w, err := r.kernel.work(c, name, &r.machine, &r.seed)
	cfg, wrong := r.machine.config()
	if err := errors.Join(wrong, r.herd.read(), err); err != nil {
		return err
	}
	if err := w.check(&cfg); err != nil {
		return err
	}
	var files output.Set
	defer files.Discard()
	r.machine.reads(&files)
	r.herd.reads(&files)
	w.reads(&files)
	dumps, err := openDumps(&files, r.dumps, w)
	if err != nil {
		return err
	}
	kept, err := r.open(&files, w.name, name)
	if err != nil {
		return err
	}

	var placed *launches.Placed
	s, err := simulate(c, &r.machine, cfg, w.name, kept.wave, func(s *testbench.Session) error {
		kept.lines.attach(s)
		if err := errors.Join(kept.trace.attach(s), r.herd.Attach(s)); err != nil {
			return err
		}
		var err error
		placed, err = w.run(s, &r.machine, nil)
		return err
	})
	if !ran(err) {
		return err
	}
	kept.lines.add(s)
	if err := r.herd.Unused(s); err != nil {
		return err
	}
	var unkept error
	if err == nil {
		unkept = dumps.write(s, placed)
	}
	return errors.Join(r.answer(c, s, newResult(s, r.machine.preset, w.name, "", r.seed), kept, err), unkept)
}

// builtin runs a built-in kernel and compares the result with its reference.
func (r *runFlags) builtin(c *cobra.Command, kernel kernels.Kernel) error {
	cfg, err := r.machine.config()
	if err = errors.Join(err, r.herd.read()); err != nil {
		return err
	}
	size, err := sizeOf(kernel, r.size)
	if err != nil {
		return err
	}
	work := size.New(r.seed)
	drawn, draws := work.(kernels.Picture)
	if r.image != "" && !draws {
		return fmt.Errorf("--image: %s makes no picture (docs/reference/kernels.md: who does)", kernel.Name)
	}
	var files output.Set
	defer files.Discard()
	r.machine.reads(&files)
	r.herd.reads(&files)
	image, err := newPicture(&files, "--image", r.image, ".png")
	if err != nil {
		return err
	}
	kept, err := r.open(&files, kernel.Name+" "+size.Name, "")
	if err != nil {
		return err
	}

	s, err := simulate(c, &r.machine, cfg, kernel.Name, kept.wave, func(s *testbench.Session) error {
		kept.lines.attach(s)
		if err := errors.Join(kept.trace.attach(s), r.herd.Attach(s)); err != nil {
			return err
		}
		return work.Run(r.machine.host(s))
	})
	if !ran(err) {
		return err
	}
	kept.lines.add(s)
	if err := r.herd.Unused(s); err != nil {
		return err
	}
	answer := newResult(s, r.machine.preset, kernel.Name, size.Name, r.seed)
	var unkept error
	if err == nil {
		answer.Reference = "equal"
		if wrong := work.Check(); wrong != nil {
			answer.Reference = wrong.Error()
			if !s.Herded() { // herded results are approximate
				err = fmt.Errorf("%w: %w", errCheck, wrong)
			}
		}
		unkept = image.keep(func(w io.Writer) error { return png.Encode(w, drawn.Image()) })
	}
	return errors.Join(r.answer(c, s, answer, kept, err), unkept)
}

// sizeOf returns the named size of a kernel, or the first.
func sizeOf(kernel kernels.Kernel, name string) (kernels.Size, error) {
	if name == "" {
		return kernel.Sizes[0], nil
	}
	size, err := kernel.Size(name)
	if err != nil {
		return size, fmt.Errorf("--size: %w", err)
	}
	return size, nil
}

// kept are the files of a run besides its answer. Each is nil if it is not wanted.
type kept struct {
	wave  *waveform
	trace *tracing
	lines *sourceProfile
	each  *launchLines
}

// open creates the files. The profile looks for sources beside the target.
func (r *runFlags) open(files *output.Set, title, target string) (k kept, err error) {
	if k.wave, err = r.vcd.open(files); err != nil {
		return k, err
	}
	if k.trace, err = r.trace.open(files, &r.machine, title, target); err != nil {
		return k, err
	}
	if k.lines, err = r.profile.open(files, &r.machine, title, target); err != nil {
		return k, err
	}
	k.each, err = r.each.open(files)
	return k, err
}

// answer keeps the files and prints the result, even if a file cannot be kept. The returned error
// includes failed, the outcome of the run.
func (r *runFlags) answer(c *cobra.Command, s *testbench.Session, result *result, k kept, failed error) error {
	k.each.add(s)
	unkept := errors.Join(k.wave.keep(c.ErrOrStderr()), k.trace.keep(c.ErrOrStderr(), s), k.lines.keep(),
		k.each.close())
	result.Races = r.machine.foundRaces()
	show := func(w io.Writer) error { return errors.Join(result.print(w, r.all), k.lines.print(w)) }
	if r.json {
		result.Profile = k.lines.json()
		show = func(w io.Writer) error { return printJSON(w, result) }
	}
	return errors.Join(show(c.OutOrStdout()), unkept, failed, r.machine.racy())
}

// simulate builds a machine and calls do on its session. It shows progress on a terminal, and stops
// the run at Ctrl-C.
func simulate(c *cobra.Command, m *machineFlags, cfg gpu.Config, label string, wave *waveform,
	do func(*testbench.Session) error,
) (*testbench.Session, error) {
	if m.workers < 0 {
		return nil, fmt.Errorf("--workers %d: want 0 or more", m.workers)
	}
	if err := m.samples(c); err != nil {
		return nil, err
	}
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: m.maxCycles})
	if err != nil {
		return nil, err
	}
	s.Machine.System().Workers = cmp.Or(m.workers, runtime.NumCPU())
	s.Pad = m.pad
	if m.fast != "" {
		s.Emulates = func(number int) bool { return number < m.detailed.from || number > m.detailed.to }
	}
	if m.sample > 0 {
		s.Sample = &testbench.Sampling{Every: m.sample}
	}
	m.watch(s)
	asked, leave := listen(c)
	defer leave()
	wave.attach(s)
	line := newProgress(c.ErrOrStderr(), label)
	defer line.clear()
	s.Limits.Stop = func() bool {
		line.tick(s.Machine)
		return asked()
	}
	told := map[*isa.Program]bool{}
	mech, _ := divergence.Find(cfg.Divergence.Mechanism)
	m.warnings.w = c.ErrOrStderr()
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		if !told[l.Prog] {
			told[l.Prog] = true
			line.clear()
			m.warnings.tell(testbench.ProgramWarnings(mech, cfg.Divergence, l.Prog))
		}
	})
	err = do(s)
	line.clear()
	m.warnings.tell(s.Warnings())
	m.tellRaces(c.ErrOrStderr(), label)
	return s, err
}

// ran reports whether a machine ran, so that there are results to show.
func ran(err error) bool {
	var outcome *testbench.Outcome
	var mismatch *verify.Mismatch
	return err == nil || errors.As(err, &outcome) || errors.As(err, &mismatch)
}
