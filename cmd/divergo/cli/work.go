package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"divergo/experiments"
	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/nearest"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/launches"
	"divergo/testbench/verify"
)

// kernelFlags describe a launch of a kernel of a PTX file.
type kernelFlags struct {
	kernel, grid, block string
	shared              uint32
	args                []string
}

func (k *kernelFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&k.kernel, "kernel", "", "entry `NAME` of the file, if it has several")
	f.StringVar(&k.grid, "grid", "1", "CTAs, `X[,Y[,Z]]`")
	f.StringVar(&k.block, "block", "1", "threads of a CTA, `X[,Y[,Z]]`")
	f.Uint32Var(&k.shared, "shared", 0, "`BYTES` of dynamic shared memory of a CTA")
	f.StringArrayVar(&k.args, "arg", nil, "`SPEC` of the next kernel parameter")
}

// work is the content of a file that a machine executes.
type work struct {
	name  string // name of the kernel, or of the file if it has several launches
	plan  *launches.Plan
	files []source // files that the work is read from
	json  bool     // a launch file, whose buffers have names
}

// source is a file to read, and its use.
type source struct{ use, name string }

// isLaunchFile reports whether a file name is that of a launch file.
func isLaunchFile(name string) bool { return strings.EqualFold(filepath.Ext(name), ".json") }

// work reads a PTX file with its flags, or a launch file. A launch file also supplies the machine
// and the seed if no flag does.
func (k *kernelFlags) work(c *cobra.Command, name string, m *machineFlags, seed *uint64) (*work, error) {
	if !isLaunchFile(name) {
		return k.ptx(name, *seed)
	}
	if err := refuse(c, kernelOnly, "a PTX file, "+name+" is a launch file"); err != nil {
		return nil, err
	}
	f, err := launches.Read(name)
	if err != nil {
		return nil, err
	}
	if c.Flags().Changed("seed") {
		f.Seed = *seed
	}
	*seed = f.Seed
	m.base, m.baseMechanism = f.MachinePath(), f.Mechanism
	w := &work{name: filepath.Base(name), files: []source{{"the launch file", name}}, json: true}
	for _, file := range f.Files() {
		w.files = append(w.files, source{"a file of " + name, file})
	}
	if w.plan, err = f.Load(); err != nil {
		return nil, err
	}
	first := w.plan.Steps[0].Prog.Name
	if !slices.ContainsFunc(w.plan.Steps, func(s launches.Step) bool { return s.Prog.Name != first }) {
		w.name = first
	}
	return w, nil
}

// ptx reads a PTX file and the flags of its launch. The error lists all faults of the flags.
func (k *kernelFlags) ptx(name string, seed uint64) (*work, error) {
	l := testbench.Launch{Shared: k.shared}
	module, err := readPTX(name)
	if err != nil {
		return nil, err
	}
	if l.Prog, err = testbench.Program(module, k.kernel); err != nil {
		return nil, err
	}
	var errs []error
	if l.Grid, err = testbench.ParseDim(k.grid); err != nil {
		errs = append(errs, fmt.Errorf("--grid %w", err))
	}
	if l.Block, err = testbench.ParseDim(k.block); err != nil {
		errs = append(errs, fmt.Errorf("--block %w", err))
	}
	args, err := testbench.ParseArgs(k.args, seed)
	if err = errors.Join(append(errs, err)...); err != nil {
		return nil, err
	}
	w := &work{name: l.Prog.Name, files: []source{{"the PTX file", name}}}
	for i := range args {
		if file := testbench.ArgFile(args[i].Spec); file != "" {
			w.files = append(w.files, source{"--arg " + args[i].Spec, file})
		}
	}
	w.plan, err = launches.One(l, args)
	return w, err
}

// readPTX reads a PTX file. It refuses CUDA sources by name.
func readPTX(name string) (*ptx.Module, error) {
	switch shown := printable.Name(name); strings.ToLower(filepath.Ext(name)) {
	case ".cu", ".cuh", ".cpp", ".cc", ".c":
		return nil, fmt.Errorf("%s: a CUDA source, want PTX: \"divergo cuda run %[1]s\" builds and runs a program with main; "+
			"docs/tutorial/02-your-kernel.md compiles a kernel", shown)
	}
	text, err := input.Read(name, ptx.MaxSource)
	if err != nil {
		return nil, err
	}
	return ptx.Parse(printable.Name(name), text)
}

// reads registers the files that the work was read from.
func (w *work) reads(files *output.Set) {
	for _, f := range w.files {
		files.Reads(f.use, f.name)
	}
}

// launch names a launch in messages.
func (w *work) launch(number int) string {
	return fmt.Sprintf("launch %d, %s", number+1, ptx.Short(ptx.Demangled(w.plan.Steps[number].Prog.Name)))
}

// maxErrors limits the number of reported impossible launches.
const maxErrors = 10

// check explains why a launch is impossible on a machine.
func (w *work) check(cfg *gpu.Config) error {
	var errs []error
	for i := range w.plan.Steps {
		s := &w.plan.Steps[i]
		l := testbench.Launch{
			Prog: s.Prog, Grid: s.Grid, Block: s.Block, Shared: s.Shared,
			Params: make([]byte, s.Prog.ParamBytes),
		}
		if _, err := l.Check(cfg); err != nil {
			if len(errs) == maxErrors {
				errs = append(errs, errors.New("too many errors"))
				break
			}
			errs = append(errs, w.failed(i, err))
		}
	}
	return errors.Join(errs...)
}

// failed adds the name of a launch to its error, if there are several launches.
func (w *work) failed(number int, err error) error {
	if err == nil || len(w.plan.Steps) == 1 {
		return err
	}
	return fmt.Errorf("%s: %w", w.launch(number), err)
}

// run runs the launches on a session. It calls behind, if not nil, after each.
func (w *work) run(s *testbench.Session, m *machineFlags, behind func(*launches.Placed, int)) (*launches.Placed,
	error,
) {
	placed := w.plan.Place(s)
	for i, l := range placed.Launches {
		if err := placed.Bind(s, i); err != nil {
			return placed, w.failed(i, err)
		}
		if err := m.launch(s, l); err != nil {
			return placed, w.failed(i, w.named(placed, err))
		}
		if behind != nil {
			behind(placed, i)
		}
	}
	return placed, nil
}

// named adds the buffers' names to a mismatch between a run and the golden model.
func (w *work) named(placed *launches.Placed, err error) error {
	var m *verify.Mismatch
	if errors.As(err, &m) {
		for i := range m.Memory {
			for j, addr := range placed.Addrs {
				if b := &m.Memory[i]; b.Addr >= addr && b.Addr < addr+w.plan.Buffers[j].Bytes {
					b.In = "buffer " + w.plan.Buffers[j].Name
				}
			}
		}
	}
	return err
}

// subject makes the subject of compare from the work.
func (w *work) subject(target string, m *machineFlags) *subject {
	var now, base []launches.State
	bytes := uint64(0)
	for i := range w.plan.Buffers {
		bytes += w.plan.Buffers[i].Bytes
	}
	return &subject{
		name: w.name, target: target, equal: "memory",
		doc: fmt.Sprintf("launches: %d; %d bytes in %d buffers", len(w.plan.Steps), bytes, len(w.plan.Buffers)),
		run: func(s *testbench.Session) error {
			now = nil
			_, err := w.run(s, m, func(placed *launches.Placed,
				number int,
			) {
				now = append(now, w.plan.State(s, placed, number))
			})
			return err
		},
		judge: func() error {
			if base == nil {
				base = now
			}
			if number, what := launches.Difference(base, now); number >= 0 {
				return fmt.Errorf("differs behind %s: %s has other bytes", w.launch(number), what)
			}
			return nil
		},
		paths: func(warpSize int) (*experiments.Paths, error) { return experiments.MeasurePlan(w.plan, warpSize) },
	}
}

// buffer returns the index of the buffer that a flag means. For a PTX kernel, the text is the index
// of a parameter or the name of a texture reference. For a launch file, it is the buffer's name.
func (w *work) buffer(text string) (int, error) {
	if w.json {
		var names []string
		for i := range w.plan.Buffers {
			if w.plan.Buffers[i].Name == text {
				return i, nil
			}
			names = append(names, w.plan.Buffers[i].Name)
		}
		return 0, nearest.Unknown("buffer", text, names)
	}
	if at := slices.IndexFunc(w.plan.Buffers,
		func(b launches.Memory) bool {
			return b.Texture != nil && b.Texture.Reference == text &&
				text != ""
		}); at >= 0 {
		return at, nil
	}
	index, err := strconv.Atoi(text)
	step := &w.plan.Steps[0]
	switch {
	case err != nil:
		return 0, errors.New("want INDEX=FILE, where INDEX counts parameters from 0")
	case index < 0 || index >= len(step.Args):
		return 0, fmt.Errorf("%s has %d parameters, counted from 0", w.name, len(step.Args))
	case !step.Args[index].Buffer:
		return 0, fmt.Errorf("parameter %d, %s, is no buffer but %s", index, step.Prog.Params[index].Name,
			step.Args[index].Spec)
	}
	return slices.IndexFunc(w.plan.Buffers,
		func(b launches.Memory) bool { return b.Name == step.Prog.Params[index].Name }), nil
}

// dumpFiles are the files of --dump, by buffer.
type dumpFiles struct {
	work    *work
	flags   []string
	buffers []int
	files   []*output.File
}

// openDumps creates the files before the run, so that an unwritable path is reported first.
func openDumps(files *output.Set, flags []string, w *work) (*dumpFiles, error) {
	d := &dumpFiles{work: w}
	for _, text := range flags {
		if err := d.open(files, text); err != nil {
			return nil, fmt.Errorf("--dump %s: %w", text, err)
		}
	}
	return d, nil
}

func (d *dumpFiles) open(files *output.Set, text string) error {
	which, name, _ := strings.Cut(text, "=")
	if name == "" {
		which = ""
	}
	buffer, err := d.work.buffer(which)
	if err != nil {
		return err
	}
	file, err := files.Create("--dump "+text, name, "")
	if err != nil {
		return err
	}
	d.flags, d.buffers, d.files = append(d.flags, which), append(d.buffers, buffer), append(d.files, file)
	return nil
}

// write fills and keeps the files after a run. It continues after a file that it cannot write.
func (d *dumpFiles) write(s *testbench.Session, placed *launches.Placed) error {
	var errs []error
	for i, file := range d.files {
		data := make([]byte, d.work.plan.Buffers[d.buffers[i]].Bytes)
		s.Read(placed.Addrs[d.buffers[i]], data)
		_, err := file.Write(data)
		if err == nil {
			err = file.Keep()
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("--dump %s: %w", d.flags[i], err))
		}
	}
	return errors.Join(append(errs, s.Err())...)
}
