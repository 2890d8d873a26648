package properties

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/properties/draw"
	"divergo/testbench"
	"divergo/testbench/launches"
)

// The files of a counterexample.
const (
	kernelFile  = launches.ModuleFile
	machineFile = launches.MachineFile
	launchFile  = "launch.json"
	readmeFile  = "README.md"
	bucketFile  = "bucket.json"
	waveFile    = "wave.vcd"
)

// Origin describes how a failure was found, for the README of its folder.
type Origin struct {
	By      string // the command line
	Program string // the program to run in the folder of a counterexample; "": it has no command line
}

// Bucket groups failures of one probable cause: a mechanism, a checker, and a place. It has one
// folder, which holds its first case.
type Bucket struct {
	Schema    string   `json:"schema"`
	Mechanism string   `json:"mechanism"`
	Checker   string   `json:"checker"`
	Place     string   `json:"place"` // see Failure.Place
	Count     int      `json:"count"` // of failures
	Seeds     []uint64 `json:"seeds"` // of the failures, ascending

	Folder string `json:"-"`
	New    bool   `json:"-"` // the folder was made for it
}

// bucketSchema identifies the format of a bucket's file.
const bucketSchema = "divergo.bucket.v1"

// Write counts the failure in the bucket of its cause, if the folder in has one whose case still
// fails. Otherwise it makes a folder there, with the kernel as PTX, the launch, the machine and an
// explanation; Show adds to it. If stop is not nil, it is polled and ends the runs of Write.
func (f *Failure) Write(in string, by Origin, stop func() bool) (*Bucket, error) {
	return f.write(in, by, stop, []uint64{f.Case.Seed})
}

// write is Write for a failure that several seeds have.
func (f *Failure) write(in string, by Origin, stop func() bool, seeds []uint64) (*Bucket, error) {
	b := &Bucket{
		Schema: bucketSchema, Mechanism: f.Mechanism, Checker: f.Checker, Place: f.place(stop), Count: len(seeds),
		Seeds: seeds, New: true,
	}
	if old := b.find(in, stop); old != nil {
		old.Count += len(seeds)
		old.Seeds = slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.Seeds, seeds))))
		return old, old.write()
	}
	k, err := f.Case.Compile()
	if err != nil {
		return nil, err
	}
	if b.Folder, err = output.NewFolder(in, fmt.Sprintf("%s-%d", path.Base(f.Mechanism), f.Case.Seed)); err != nil {
		return nil, err
	}
	launch, err := json.MarshalIndent(f.launches(), "", "  ")
	if err != nil {
		return b, err
	}
	cfg := f.Case.Machine.Under(f.Mechanism)
	for name, text := range map[string][]byte{
		kernelFile: []byte(k.Text), machineFile: cfg.TOML(), launchFile: append(launch,
			'\n'), readmeFile: []byte(f.explain(by, nil)),
	} {
		if err := output.WriteFile(filepath.Join(b.Folder, name), text); err != nil {
			return b, err
		}
	}
	return b, b.write()
}

// launches returns the launch file of the case.
func (f *Failure) launches() *launches.File {
	file := &launches.File{
		Mechanism: f.Mechanism, Checker: f.Checker, Seed: f.Case.Seed, Machine: machineFile,
		Module: kernelFile,
	}
	each := launches.Entry{Grid: f.Case.Grid, Block: f.Case.Block, Shared: uint32(f.Case.Shared())}
	_, params := f.Case.PTX()
	for _, p := range params {
		if f.Case.Again == 0 { // the host writes nothing
			each.Args = append(each.Args, p.Spec)
			continue
		}
		file.Buffers = append(file.Buffers, launches.Buffer{Name: p.Name, Init: p.Spec})
		each.Args = append(each.Args, p.Name)
	}
	file.Launches = slices.Repeat([]launches.Entry{each}, 1+f.Case.Again)
	for i := range file.Launches {
		for _, w := range f.Case.HostWrites(i, params) {
			file.Launches[i].Writes = append(file.Launches[i].Writes, w.String())
		}
	}
	return file
}

// write writes the file of a bucket.
func (b *Bucket) write() error {
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return output.WriteFile(filepath.Join(b.Folder, bucketFile), append(text, '\n'))
}

// find returns the bucket of the same cause in a folder, or nil. It skips a bucket whose own case
// passes, or fails elsewhere: its cause is gone.
func (b *Bucket) find(in string, stop func() bool) *Bucket {
	entries, err := os.ReadDir(in)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		old := &Bucket{Folder: filepath.Join(in, e.Name())}
		text, err := input.Read(filepath.Join(old.Folder, bucketFile), gpu.MaxDocument)
		if err != nil || json.Unmarshal(text, old) != nil || !b.same(old) {
			continue
		}
		if b.Checker == checkReset || b.Checker == checkSame { // a replay does not always show these
			return old
		}
		f, err := replay(old.Folder, stop)
		if err != nil || f == nil {
			continue
		}
		again := Bucket{Schema: bucketSchema, Mechanism: f.Mechanism, Checker: f.Checker, Place: f.place(stop)}
		if b.same(&again) {
			return old
		}
	}
	return nil
}

// same reports whether two buckets have one cause.
func (b *Bucket) same(c *Bucket) bool {
	return b.Schema == c.Schema && b.Mechanism == c.Mechanism && b.Checker == c.Checker && b.Place == c.Place
}

// place names the broken rule, independent of the kernel, and an opcode. The opcode is that of the
// threads' last branch, call, barrier or exit, or the one that first wrote a different value.
func (f *Failure) place(stop func() bool) string {
	at := f.at
	if f.Checker == checkRegisters {
		if x, err := f.look(stop); err == nil {
			return at.Rule.Name + ", written by " + x.opcode()
		}
	}
	return at.Place()
}

// Show runs a case with a new folder again, and adds the last instructions of the threads
// concerned. It also adds the waveform up to the failing cycle, with a save file for GTKWave, and the
// timeline. If stop is not nil and returns true, Show ends, without them.
func (f *Failure) Show(folder string, by Origin, stop func() bool) error {
	x, err := f.look(stop)
	if err == nil {
		x.shows, err = f.shows(stop)
	}
	if err == nil {
		err = output.WriteFile(filepath.Join(folder, readmeFile), []byte(f.explain(by, x)))
	}
	if err == nil {
		x.wave, err = f.wave(filepath.Join(folder, waveFile), x.cycle, waveBytes, stop)
	}
	if err == nil {
		err = f.timeline(folder, x, stop)
	}
	if err == nil {
		err = output.WriteFile(filepath.Join(folder, readmeFile), []byte(f.explain(by, x)))
	}
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// explain returns the page about a failure; x adds the results of a second run, unless it is nil.
func (f *Failure) explain(by Origin, x *seen) string {
	var b strings.Builder
	c := &f.Case
	program := cmp.Or(by.Program, "divergo")
	fmt.Fprintf(&b, "# %s: checker %s\n\n", f.Mechanism, f.Checker)
	for _, k := range Checkers() {
		if k.Name == f.Checker {
			fmt.Fprintf(&b, "What must hold: %s (%s).\n\n", k.Doc, k.From)
			for i, more := range k.More {
				fmt.Fprintf(&b, "- %s\n%s", more, strings.Repeat("\n", (i+1)/len(k.More)))
			}
		}
	}
	fmt.Fprintf(&b, "    %s\n\n", strings.ReplaceAll(f.What, "\n", "\n    "))
	if x != nil {
		b.WriteString(x.String())
	}
	fmt.Fprintf(&b, "`%s` is the kernel, on %s CTAs of %s threads, warps of %d, launches: %d; `%s` is the machine.\n\n",
		kernelFile, dim(c.Grid), dim(c.Block), c.Machine.SM.WarpSize, 1+c.Again, machineFile)
	fmt.Fprintf(&b, "It was found by\n\n    %s\n\n", by.By)
	if by.Program == "" {
		fmt.Fprintf(&b, "That is a test, which has no command line. `divergo` in what follows is a program with one that has the mechanism `%s` (docs/howto/your-own-mechanism.md).\n\n", f.Mechanism)
	}
	features := ""
	if f.Features != 0 && f.Features != draw.AllFeatures {
		features = " --features " + f.Features.Flag()
	}
	drawn := func(seed, runs uint64) string {
		return fmt.Sprintf("    %s check %s --seed %d --runs %d%s\n\n", program, f.Mechanism, seed, runs, features)
	}
	if f.Checker == checkReset {
		before := c.Seed % draw.MachineSeeds
		fmt.Fprintf(&b, "A machine fails that has run other kernels before. All kernels of that machine:\n\n%s",
			drawn(c.Seed-before, before+1))
	} else {
		fmt.Fprintf(&b, "Every checker once more, in this folder:\n\n    %s check --replay .\n\n", program)
	}
	if x != nil && x.shows != "" {
		fmt.Fprintf(&b, "The run by itself, compared with the golden model:\n\n    %s run %s %s\n\n", program,
			launchFile, x.shows)
	}
	if x != nil && x.timeline {
		fmt.Fprintf(&b, "`%s` shows the run over time, for a browser. It opens at cycle %d", timelineFile, x.cycle)
		if len(x.trails) > 0 {
			fmt.Fprintf(&b, " and marks %s", x.trails[0].Thread)
		}
		b.WriteString(".\n\n")
	}
	if x != nil && x.wave != nil {
		fmt.Fprintf(&b, "The waveform `%s` has the cycles %d to %d of that run. It opens at cycle %d:\n\n    %s wave %s\n\n", waveFile, x.wave.from, x.wave.to, x.cycle, program, waveFile)
	}
	switch {
	case f.bred:
		fmt.Fprintf(&b, "The kernel was bred from those of a corpus, by seed %d, and made smaller.\n\n", c.Seed)
	case f.Checker != checkReset: // which is not made smaller
		fmt.Fprintf(&b, "The kernel was drawn from seed %d and made smaller. As it was drawn:\n\n%s", c.Seed,
			drawn(c.Seed, 1))
	}
	fmt.Fprintf(&b, "Other failures of the same cause are counted in `%s`.\n", bucketFile)
	return b.String()
}

// Place names the broken rule and an opcode: see Bucket.
func (f *Failure) Place() string { return f.place(nil) }

// Cases lists the counterexamples of a folder in order: the folder itself, or those of its folders. The
// name of a launch file is a case by itself.
func Cases(name string) ([]string, error) {
	if info, err := os.Stat(name); err != nil || !info.IsDir() {
		return []string{name}, nil
	}
	if _, err := os.Stat(filepath.Join(name, launchFile)); err == nil {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		folder := filepath.Join(name, e.Name())
		if _, err := os.Stat(filepath.Join(folder, launchFile)); err == nil {
			list = append(list, folder)
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: has no %s, and no folder with one", printable.Name(name), launchFile)
	}
	return list, nil
}

// Replay checks the counterexample of a folder, or a launch file, again. Each launch runs under the
// mechanism that the file names, or else that of its machine. It returns nil if every checker
// passes.
func Replay(name string) (*Failure, error) { return replay(name, nil) }

// Again runs the launches of a counterexample, or of a launch file, without checking them. It calls
// attach with the session, before the first launch. A launch that does not finish is no error, and
// neither is a panic of the hardware, with which the run ends.
func Again(name string, attach func(s *testbench.Session) error) (err error) {
	f, cfg, err := load(name)
	if err != nil {
		return err
	}
	plan, err := f.Load()
	if err != nil {
		return err
	}
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
	if err != nil {
		return err
	}
	if err := attach(s); err != nil {
		return err
	}
	defer func() {
		if p := recover(); p != nil {
			err = nil
		}
	}()
	_, err = plan.Run(s, func(_ int, l testbench.Launch) error { return s.Launch(l) })
	if o := (*testbench.Outcome)(nil); errors.As(err, &o) {
		return nil
	}
	return err
}

// replay is Replay with a function stop that ends it; nil: never.
func replay(name string, stop func() bool) (*Failure, error) {
	f, cfg, err := load(name)
	if err != nil {
		return nil, err
	}
	plan, err := f.Load()
	if err != nil {
		return nil, err
	}
	r := runner{Stop: stop}
	if len(f.Launches) == 1 && len(f.Buffers) == 0 && !plan.Textures() {
		return r.Check(compiled(f, plan, cfg), cfg.Divergence.Mechanism)
	}
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
	if err != nil {
		return nil, err
	}
	last := 0
	perform := func(s *testbench.Session, run func(testbench.Launch) error) error {
		_, err := plan.Run(s, func(number int, l testbench.Launch) error {
			last = number
			return run(l)
		})
		return err
	}
	b, m := r.watched(s, func(run func(testbench.Launch) error) error { return perform(s, run) },
		func() bool { return true })
	switch {
	case b == nil && r.stopped:
		return nil, errStopped
	case b == nil:
		return nil, nil
	}
	what := fmt.Sprintf("launch %d, %s: %s", last+1, plan.Steps[last].Prog.Name, b.What)
	return &Failure{
		Checker: b.Rule.Checker, Mechanism: cfg.Divergence.Mechanism,
		Case: draw.Case{Seed: f.Seed, Machine: cfg}, What: what, Mismatch: m, at: *b, cycles: s.Machine.Core().Now(),
		perform: perform,
	}, nil
}

// load reads a launch file, or the one in a folder, and its machine.
func load(name string) (*launches.File, gpu.Config, error) {
	cfg := gpu.Default()
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, launchFile)
	}
	f, err := launches.Read(name)
	if err != nil {
		return nil, cfg, err
	}
	if machine := f.MachinePath(); machine != "" {
		text, err := input.Read(machine, gpu.MaxDocument)
		if err != nil {
			return nil, cfg, err
		}
		if err := cfg.Load(printable.Name(machine), text); err != nil {
			return nil, cfg, err
		}
	}
	if f.Mechanism != "" {
		cfg = cfg.Under(f.Mechanism)
	}
	return f, cfg, nil
}

// compiled returns the case of a file with one launch.
func compiled(f *launches.File, plan *launches.Plan, cfg gpu.Config) *draw.Compiled {
	step := &plan.Steps[0]
	c := &draw.Case{Seed: f.Seed, Grid: step.Grid, Block: step.Block, Machine: cfg}
	return &draw.Compiled{Case: c, Prog: step.Prog, Args: step.Args, SharedBytes: step.Shared}
}

func dim(d [3]uint32) string { return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2]) }
