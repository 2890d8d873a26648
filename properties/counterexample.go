package properties

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/testbench/launches"
	"divergo/waves"
)

// The files of a counterexample.
const (
	kernelFile  = launches.ModuleFile
	machineFile = launches.MachineFile
	launchFile  = "launch.json"
	readmeFile  = "README.md"
	waveFile    = "wave.vcd"
)

// Write puts the failure into a new folder in the one given, and returns its
// name: the kernel as PTX, the launch, the machine, an explanation, and the
// waveform of the run that failed with what GTKWave needs beside it.
func (f *Failure) Write(in string) (dir string, err error) {
	k, err := f.Case.Compile()
	if err != nil {
		return "", err
	}
	dir, err = output.NewFolder(in, fmt.Sprintf("%s-%d", f.Mechanism, f.Case.Seed))
	if err != nil {
		return "", err
	}
	file := &launches.File{Mechanism: f.Mechanism, Checker: f.Checker, Seed: f.Case.Seed, Machine: machineFile, Module: kernelFile}
	each := launches.Launch{Grid: f.Case.Grid, Block: f.Case.Block, Shared: uint32(f.Case.Shared())}
	_, params := f.Case.PTX()
	for _, p := range params {
		if f.Case.Again == 0 {
			each.Args = append(each.Args, p.Spec)
			continue
		}
		file.Buffers = append(file.Buffers, launches.Buffer{Name: p.Name, Init: p.Spec})
		each.Args = append(each.Args, p.Name)
	}
	file.Launches = slices.Repeat([]launches.Launch{each}, 1+f.Case.Again)
	launch, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return dir, err
	}
	cfg := f.Case.Machine
	cfg.Divergence.Mechanism = f.Mechanism
	for name, text := range map[string][]byte{
		kernelFile: []byte(k.Text), machineFile: cfg.TOML(), launchFile: append(launch, '\n'), readmeFile: []byte(f.explain()),
	} {
		if err := output.WriteFile(filepath.Join(dir, name), text); err != nil {
			return dir, err
		}
	}
	return dir, f.wave(k, cfg, filepath.Join(dir, waveFile))
}

// wave runs the case again and writes its waveform, as far as it goes.
func (f *Failure) wave(k *Compiled, cfg gpu.Config, name string) (err error) {
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
	if err != nil {
		return err
	}
	file, err := output.Create(name)
	if err != nil {
		return err
	}
	var d *waves.Dump
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		var err error
		d, err = dump.Attach(s, file, waves.Options{Clocks: true})
		l.Refuse(err)
	})
	defer func() {
		if p := recover(); p != nil { // the waveform ends where the model panics
			err = nil
		}
		if d != nil {
			err = errors.Join(err, d.Close(), d.Save(name))
		}
		err = errors.Join(err, file.Keep())
	}()
	var outcome *testbench.Outcome
	if err := launch(s, k, s.Launch); err != nil && !errors.As(err, &outcome) {
		return err
	}
	return nil
}

// explain is the page about a failure.
func (f *Failure) explain() string {
	var b strings.Builder
	c := &f.Case
	fmt.Fprintf(&b, "# %s: checker %s\n\n", f.Mechanism, f.Checker)
	for _, k := range Checkers() {
		if k.Name == f.Checker {
			fmt.Fprintf(&b, "What must hold: %s (%s).\n\n", k.Doc, k.From)
		}
	}
	fmt.Fprintf(&b, "    %s\n\n", strings.ReplaceAll(f.What, "\n", "\n    "))
	fmt.Fprintf(&b, "`%s` is the kernel, on %s CTAs of %s threads, warps of %d, launches: %d; `%s` is the machine.\n\n", kernelFile, dim(c.Grid), dim(c.Block), c.Machine.SM.WarpSize, 1+c.Again, machineFile)
	fmt.Fprintf(&b, "Every checker once more:\n\n    divergo check --replay .\n\n")
	fmt.Fprintf(&b, "The run alone, compared with the golden model:\n\n    %s --verify\n\n", c.Command(f.Mechanism))
	fmt.Fprintf(&b, "The waveform `%s` is of that run: `gtkwave wave.gtkw`, or `divergo wave %s`.\n\n", waveFile, waveFile)
	fmt.Fprintf(&b, "The kernel was drawn from seed %d and made smaller. As it was drawn: `divergo check %s --seed %d --runs 1`.\n", c.Seed, f.Mechanism, c.Seed)
	return b.String()
}

// Replay checks the counterexample of a folder, or a launch file, again: each launch under
// the mechanism that the file names, or else that of its machine. It returns nil if every
// checker is content now.
func Replay(name string) (*Failure, error) {
	f, cfg, err := load(name)
	if err != nil {
		return nil, err
	}
	plan, err := f.Load()
	if err != nil {
		return nil, err
	}
	var r Runner
	if len(f.Launches) == 1 && len(f.Buffers) == 0 && !plan.Textures() {
		return r.Check(compiled(f, plan, cfg), cfg.Divergence.Mechanism)
	}
	s, err := testbench.NewSession(cfg, testbench.Limits{MaxCycles: maxCycles})
	if err != nil {
		return nil, err
	}
	last := 0
	b, m := r.watched(s, func(run func(testbench.Launch) error) error {
		_, err := plan.Run(s, func(number int, l testbench.Launch) error {
			last = number
			return run(l)
		})
		return err
	}, func() bool { return true })
	if b == nil {
		return nil, nil
	}
	what := fmt.Sprintf("launch %d, %s: %s", last+1, plan.Steps[last].Prog.Name, b.what)
	return &Failure{Checker: b.checker, Mechanism: cfg.Divergence.Mechanism, Case: Case{Seed: f.Seed, Machine: cfg}, What: what, Mismatch: m}, nil
}

// load reads a launch file, or that of a folder, and the machine that it names.
func load(name string) (*launches.File, gpu.Config, error) {
	cfg := gpu.Default()
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		name = filepath.Join(name, launchFile)
	}
	f, err := launches.Read(name)
	if err != nil {
		return nil, cfg, err
	}
	if path := f.MachinePath(); path != "" {
		text, err := input.Read(path, gpu.MaxDocument)
		if err != nil {
			return nil, cfg, err
		}
		if err := cfg.Load(printable.Name(path), text); err != nil {
			return nil, cfg, err
		}
	}
	if f.Mechanism != "" {
		cfg.Divergence.Mechanism = f.Mechanism
	}
	return f, cfg, nil
}

// compiled is the case of a file with one launch.
func compiled(f *launches.File, plan *launches.Plan, cfg gpu.Config) *Compiled {
	step := &plan.Steps[0]
	c := &Case{Seed: f.Seed, Grid: step.Grid, Block: step.Block, Machine: cfg}
	return &Compiled{Case: c, Prog: step.Prog, Args: step.Args, shared: step.Shared}
}
