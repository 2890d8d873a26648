package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"divergo/cuda"
	"divergo/gpu"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/internal/table"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/races"
)

// programExit is the exit code of a program that divergo ran.
type programExit struct{ code int }

func (e programExit) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func newCuda() *cobra.Command {
	c := &cobra.Command{
		Use:   "cuda build|run|compare|nvcc|toolkit",
		Short: "Build and run whole CUDA programs",
		Long: `Build CUDA programs, host code and all, with clang alone, and run them: their kernels on the
simulated machine, everything else on this one. Needs Debian's packages clang-19, libclc-19 and g++.`,
		Example: `  divergo cuda run kernels/programs/bfs.cu
  divergo cuda compare --mech pdom,tbc kernels/programs/stencil.cu -- 64 3
  divergo cuda build main.cu reference.cpp -O3 -o prog
  DIVERGO_FLAGS="--mech tbc --set gpu.sms=4" ./prog`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.Help()
			}
			return verbs(c, args)
		},
	}
	c.AddCommand(newCudaBuild(), newCudaRun(), newCudaCompare(), newCudaNvcc(), newCudaToolkit(), newCudaServe())
	return c
}

// compilerFlags are the compiler flags of a verb.
type compilerFlags struct{ options cuda.Options }

func (b *compilerFlags) add(c *cobra.Command) {
	f, o := c.Flags(), &b.options
	f.StringArrayVarP(&o.Defines, "define", "D", nil, "`NAME[=TEXT]` to define")
	f.StringArrayVarP(&o.Includes, "include", "I", nil, "`FOLDER` with headers")
	f.StringArrayVarP(&o.LibraryDirs, "library-path", "L", nil, "`FOLDER` with libraries")
	f.StringArrayVarP(&o.Libraries, "library", "l", nil, "`LIBRARY` to link with")
	f.StringVarP(&o.Level, "optimize", "O", "2", "`LEVEL` of optimisation, of the host's code and the device's: 0 to 3")
	f.StringVar(&o.Standard, "std", "", "`STANDARD` of C++, c++17 for example")
	f.StringVar(&o.Arch, "arch", cuda.DefaultArch, "`GPU` to compile for")
	f.BoolVar(&o.Relocatable, "rdc", false,
		"relocatable code of the device: files use each other's device functions and variables")
	f.BoolVar(&o.FastMath, "use_fast_math", false,
		"approximate instructions for the device's float mathematics, and no denormals")
}

// build compiles sources to a program that starts this executable as its simulator.
func (b *compilerFlags) build(sources []string, program string) error {
	var err error
	if b.options.Divergo, err = os.Executable(); err != nil {
		return err
	}
	return cuda.Build(sources, program, b.options)
}

// targets splits the arguments of a command line: the program or its sources, and, behind "--", the
// program's arguments.
func targets(c *cobra.Command, args []string) (list, rest []string, err error) {
	list = args
	if at := c.ArgsLenAtDash(); at >= 0 {
		list, rest = args[:at], args[at:]
	}
	if len(list) == 0 {
		return nil, nil, fmt.Errorf("%s: want a program or its sources", c.CommandPath())
	}
	for i, target := range list {
		if _, err := os.Stat(target); err == nil {
			continue
		} else if i == 0 {
			return nil, nil, err
		}
		return nil, nil, fmt.Errorf("%s: no file %q; for a program, its arguments follow \"--\": %[1]s %[3]s -- %[4]s",
			c.CommandPath(), target, strings.Join(list[:i], " "), strings.Join(list[i:], " "))
	}
	if filepath.Ext(list[0]) == "" && len(list) > 1 {
		return nil, nil, fmt.Errorf("%s: found %q behind the program: its arguments follow \"--\"", c.CommandPath(),
			list[1])
	}
	return list, rest, nil
}

// program returns the program of a command line and its arguments. It builds the program first if
// sources are given; done removes it.
func (b *compilerFlags) program(c *cobra.Command, args []string) (program string, rest []string, done func(),
	err error,
) {
	done = func() {}
	list, rest, err := targets(c, args)
	if err != nil {
		return "", nil, done, err
	}
	base := filepath.Base(list[0])
	ext := filepath.Ext(base)
	if ext == "" {
		program, err = filepath.Abs(list[0])
		return program, rest, done, err
	}
	folder, err := output.TempFolder()
	if err != nil {
		return "", nil, done, err
	}
	program = folder.Path(strings.TrimSuffix(base, ext))
	return program, rest, folder.Remove, b.build(list, program)
}

func newCudaBuild() *cobra.Command {
	var b compilerFlags
	var program string
	c := &cobra.Command{
		Use:   "build FILE...",
		Short: "Build a CUDA program",
		Long: `Compile CUDA, C++ and C files, and link them, object files and libraries to a program. It runs by
itself, on a machine that the flags of "divergo cuda run" in the environment variable DIVERGO_FLAGS
describe.

Exit codes: 2 a file does not compile, or the program could not be written.`,
		Example: `  divergo cuda build prog.cu -o prog
  divergo cuda build main.cu reference.cpp -O3 -DN=100 -Iinclude -lm -o prog`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("%s: want files", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return b.build(args, program) },
	}
	b.add(c)
	c.Flags().StringVarP(&program, "output", "o", "a.out", "`FILE` for the program")
	return c
}

func newCudaNvcc() *cobra.Command {
	return &cobra.Command{
		Use:   "nvcc [OPTION|FILE]...",
		Short: "Compile with the options of NVIDIA's compiler",
		Long: `Compile and link CUDA, C++ and C files with the options of nvcc, so that Makefiles can use it in its
place. Options that choose what does not exist here (-maxrregcount, -Xptxas) do nothing; others that
are not known are errors.

Exit codes: 2 an option is wrong, a file does not compile, or could not be written.`,
		Example: `  make NVCC="divergo cuda nvcc"
  divergo cuda nvcc -O3 -arch=sm_35 -Xcompiler -Wall -Iinclude main.cu reference.cpp -o prog
  divergo cuda nvcc -dc a.cu b.cu && divergo cuda nvcc a.o b.o -o prog`,
		DisableFlagParsing: true, // nvcc's options follow other rules
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 || slices.ContainsFunc(args, func(a string) bool { return a == "-h" || a == "--help" }) {
				return c.Help()
			}
			own, err := os.Executable()
			if err != nil {
				return err
			}
			return cuda.Nvcc(args, own, rawOutput(c), c.ErrOrStderr())
		},
	}
}

func newCudaToolkit() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "toolkit FOLDER",
		Short: "Write a folder that build systems take for CUDA's toolkit",
		Long: `Write a folder with bin/nvcc, which is "divergo cuda nvcc", the headers in include, and the runtime
in lib64, for build systems that ask where CUDA is, and for programs that another compiler links
with -lcudart. The folder can be written again. Other files in it are never overwritten.

Exit codes: 2 the folder holds other files, or could not be written.`,
		Example: `  divergo cuda toolkit ~/cuda
  make CUDA_PATH=$HOME/cuda`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			own, err := os.Executable()
			if err != nil {
				return err
			}
			return cuda.Toolkit(args[0], own, force)
		},
	}
	c.Flags().BoolVar(&force, "force", false, "add files to a folder that holds other files")
	return c
}

// programFlags are the flags of verbs that run programs.
type programFlags struct {
	machine machineFlags
	json    string
	each    launchesFlag
	vcd     vcdFlags
	trace   traceFlag
	profile profileFlag
}

// newProgramFlags returns the flags with preset kepler. CUDA programs expect GPUs that hold a block
// of 1,024 threads and 48 KiB of shared memory.
//
// Source: CUDA C++ Programming Guide, technical specifications per compute capability.
func newProgramFlags() programFlags { return programFlags{machine: machineFlags{preset: "kepler"}} }

func (p *programFlags) addJSON(c *cobra.Command, several bool) {
	p.each.add(c)
	p.vcd.add(c)
	p.trace.add(c, several)
	p.profile.add(c)
	c.Flags().StringVar(&p.json, "json", "", "write the statistics to `FILE` as JSON instead of printing them")
}

// ranProgram is the outcome of a program's run on a machine.
type ranProgram struct {
	session *testbench.Session
	server  *cuda.Server
	code    int
	mech    string
	races   []*races.Race
	racy    error
	output  []byte            // compare only: what the program printed
	files   map[string]string // compare only: hashes of the files that the program wrote, by path
}

// serve answers the requests of a client on a machine: a program, or another caller of with.
func (p *programFlags) serve(c *cobra.Command, cfg gpu.Config, label string, k keptOf,
	with func(s *cuda.Server) (int, error),
) (*ranProgram, error) {
	r := &ranProgram{mech: cfg.Divergence.Mechanism}
	var err error
	r.session, err = simulate(c, &p.machine, cfg, label, k.wave, func(s *testbench.Session) error {
		k.lines.attach(s)
		if err := k.trace.attach(s); err != nil {
			return err
		}
		r.server = &cuda.Server{
			Session: s, Launch: p.machine.launch, Stderr: &printable.Writer{W: c.ErrOrStderr()},
			Name: "divergo " + p.machine.preset,
		}
		var err error
		r.code, err = with(r.server)
		return err
	})
	r.races, r.racy = p.machine.foundRaces(), p.machine.racy()
	return r, err
}

// end returns the error of the command: the program's exit code, else that of a failed launch that
// the program ignored, else the races.
func (r *ranProgram) end() error {
	switch {
	case r.code != 0:
		return programExit{r.code}
	case r.server.Failed != nil:
		return programExit{exitCode(r.server.Failed)}
	}
	return r.racy
}

func newCudaRun() *cobra.Command {
	var b compilerFlags
	p := newProgramFlags()
	c := &cobra.Command{
		Use:   "run PROGRAM|FILE... [-- ARG...]",
		Short: "Run a CUDA program",
		Long: `Run a program that "divergo cuda build" has made, or build it of its sources first. Its kernels run
on the simulated machine; the statistics are printed on standard error when it has ended. A launch
that fails is an error code of CUDA's in the program, and a diagnosis on standard error.

The exit code is the program's. If that is 0: 4 a launch failed, 1 --verify has found a difference,
or --races a race; 2 nothing was run, 130 interrupted.`,
		Example: `  divergo cuda run kernels/programs/bfs.cu
  divergo cuda run --mech tbc --set gpu.sms=4 prog -- 1024 8`,
		RunE: func(c *cobra.Command, args []string) error {
			cfg, err := p.machine.config()
			if err != nil {
				return err
			}
			var files output.Set
			defer files.Discard()
			p.machine.reads(&files)
			list, _, err := targets(c, args)
			if err != nil {
				return err
			}
			b.options.Reads(&files, list)
			kept, err := p.open(&files, list[0])
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
			r, err := p.serve(c, cfg, filepath.Base(program), kept, func(s *cuda.Server) (int, error) {
				return cuda.Run(s, asked, os.Stdin, rawOutput(c), c.ErrOrStderr(), program, rest...)
			})
			if err != nil {
				return err
			}
			if asked() {
				return errInterrupted
			}
			if err := p.report(c, kept, r, filepath.Base(program)); err != nil {
				return err
			}
			return r.end()
		},
	}
	p.machine.add(c, true)
	p.addJSON(c, false)
	b.add(c)
	return c
}

// rawOutput returns the standard output without the filter for printable text, as a program writes
// to it.
func rawOutput(c *cobra.Command) io.Writer {
	if w, ok := c.OutOrStdout().(*printable.Writer); ok {
		return w.W
	}
	return c.OutOrStdout()
}

// newCudaServe makes the hidden verb that a program starts when it runs without "divergo cuda run".
func newCudaServe() *cobra.Command {
	p := newProgramFlags()
	c := &cobra.Command{
		Use:    "serve DESCRIPTOR",
		Short:  "Answer a CUDA program that has started this process",
		Hidden: true,
		Args:   exactly(1, "a file descriptor"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := c.ParseFlags(strings.Fields(os.Getenv("DIVERGO_FLAGS"))); err != nil {
				return fmt.Errorf("DIVERGO_FLAGS: %w", flagError(c, err))
			}
			if rest := c.Flags().Args(); len(rest) > 0 {
				return fmt.Errorf("DIVERGO_FLAGS: found %q, want flags", rest[0])
			}
			descriptor, err := strconv.Atoi(args[0])
			if err != nil {
				return fmt.Errorf("%q: want a file descriptor", args[0])
			}
			cfg, err := p.machine.config()
			if err != nil {
				return fmt.Errorf("DIVERGO_FLAGS: %w", err)
			}
			var files output.Set
			defer files.Discard()
			p.machine.reads(&files)
			if program := os.Getenv("DIVERGO_PROGRAM"); program != "" {
				files.Reads("the program", program)
			}
			kept, err := p.open(&files, "program")
			if err != nil {
				return fmt.Errorf("DIVERGO_FLAGS: %w", err)
			}
			r, err := p.serve(c, cfg, "cuda", kept,
				func(s *cuda.Server) (int, error) { return 0, cuda.ServeDescriptor(s, descriptor) })
			if err != nil {
				return err
			}
			if err := p.report(c, kept, r, "program"); err != nil {
				return err
			}
			return r.end()
		},
	}
	p.machine.add(c, true)
	p.addJSON(c, false)
	return c
}

// keptOf are the files of a program's run. Each is nil if it is not wanted.
type keptOf struct {
	json  *output.File
	wave  *waveform
	trace *tracing
	lines *sourceProfile
	each  *launchLines
}

// open creates the files; of traces one for each of several mechanisms. target is a program or a
// source; the profile looks for other sources in its folder.
func (p *programFlags) open(files *output.Set, target string, mechs ...string) (k keptOf, err error) {
	if k.wave, err = p.vcd.open(files); err != nil {
		return k, err
	}
	if k.trace, err = p.trace.open(files, &p.machine, filepath.Base(target), target, mechs...); err != nil {
		return k, err
	}
	if k.lines, err = p.profile.open(files, &p.machine, filepath.Base(target), target); err != nil {
		return k, err
	}
	if k.each, err = p.each.open(files); err != nil || p.json == "" {
		return k, err
	}
	k.json, err = files.Create("--json", p.json, ".json")
	return k, err
}

// kernelResult holds the counters of all launches of one kernel.
type kernelResult struct {
	Kernel   string         `json:"kernel"`
	Launches int            `json:"launches"`
	Stats    map[string]any `json:"stats"`
}

// programResult is the result of a program: the total in the form of a kernel's result, and the
// counters by kernel.
type programResult struct {
	*result
	Kernels []kernelResult `json:"kernels"`
	Exit    int            `json:"exit_code"`
}

func newProgramResult(r *ranProgram, name string) *programResult {
	p := &programResult{result: newResult(r.session, "", name, "", 0), Kernels: []kernelResult{}, Exit: r.code}
	p.Schema = schema("cuda")
	p.Printed, p.Races = nil, r.races // the program itself prints on the standard output
	for _, k := range r.session.ByKernel() {
		one := kernelResult{ptx.Demangled(k.Prog.Name), k.Launches, map[string]any{}}
		for _, stat := range testbench.Stats() {
			one.Stats[stat.Name] = stat.Value(&k.Counters)
		}
		p.Kernels = append(p.Kernels, one)
	}
	return p
}

// report keeps the files. It prints the statistics on standard error if no file takes them.
func (p *programFlags) report(c *cobra.Command, k keptOf, r *ranProgram, name string) error {
	result := newProgramResult(r, name)
	k.lines.add(r.session)
	k.each.add(r.session)
	unkept := errors.Join(k.wave.keep(c.ErrOrStderr()), k.trace.keep(c.ErrOrStderr(), r.session), k.lines.keep(),
		k.each.close())
	if k.json != nil {
		result.Profile = k.lines.json()
		if err := printJSON(k.json, result); err != nil {
			return errors.Join(unkept, err)
		}
		return errors.Join(unkept, k.json.Keep())
	}
	w := c.ErrOrStderr()
	fmt.Fprintf(w, "\n%s, %s: %d launches\n\n", result.Mechanism, p.machine.preset, len(r.session.Runs))
	t := table.New(append([]string{"kernel", "launches"}, perKernel...)...)
	for _, k := range result.Kernels {
		t.Row(append([]any{ptx.Short(k.Kernel), k.Launches}, values(k.Stats)...)...)
	}
	t.Row(append([]any{"total", len(r.session.Runs)}, values(result.Stats)...)...)
	_, err := t.WriteTo(w)
	if result.Sample != nil {
		fmt.Fprintf(w, "\nsampled: %s\n", result.Sample)
	}
	return errors.Join(unkept, err, k.lines.print(w))
}

// perKernel lists the statistics of the tables by kernel.
var perKernel = []string{"cycles", "warp_instructions", "ipc", "simd_efficiency", "divergent_branches"}

func values(stats map[string]any) []any {
	var row []any
	for _, name := range perKernel {
		row = append(row, stats[name])
	}
	return row
}
