package properties

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"divergo/gpu"
	"divergo/internal/input"
	"divergo/internal/output"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
)

// The files of a counterexample.
const (
	kernelFile  = "kernel.ptx"
	machineFile = "machine.toml"
	launchFile  = "launch.json"
	readmeFile  = "README.md"
	waveFile    = "wave.vcd"
)

// launchText is the launch of a counterexample as its file has it.
type launchText struct {
	Schema    string    `json:"schema"`
	Mechanism string    `json:"mechanism"`
	Checker   string    `json:"checker"`
	Seed      uint64    `json:"seed"`
	Grid      [3]uint32 `json:"grid"`
	Block     [3]uint32 `json:"block"`
	Args      []string  `json:"args"`
}

// launchSchema names the form of launch.json.
const launchSchema = "divergo.counterexample.v1"

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
	_, args := f.Case.PTX()
	launch, err := json.MarshalIndent(launchText{launchSchema, f.Mechanism, f.Checker, f.Case.Seed, f.Case.Grid, f.Case.Block, args}, "", "  ")
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
	fmt.Fprintf(&b, "`%s` is the kernel, on %s CTAs of %s threads, warps of %d; `%s` is the machine.\n\n", kernelFile, dim(c.Grid), dim(c.Block), c.Machine.SM.WarpSize, machineFile)
	fmt.Fprintf(&b, "Every checker once more:\n\n    divergo check --replay .\n\n")
	fmt.Fprintf(&b, "The run alone, compared with the golden model:\n\n    %s --verify\n\n", c.Command(f.Mechanism))
	fmt.Fprintf(&b, "The waveform `%s` is of that run: `gtkwave wave.gtkw`, or `divergo wave %s`.\n\n", waveFile, waveFile)
	fmt.Fprintf(&b, "The kernel was drawn from seed %d and made smaller. As it was drawn: `divergo check %s --seed %d --runs 1`.\n", c.Seed, f.Mechanism, c.Seed)
	return b.String()
}

// Replay checks the counterexample of a folder again. It returns nil if every
// checker is content now.
func Replay(dir string) (*Failure, error) {
	k, mechanism, err := load(dir)
	if err != nil {
		return nil, err
	}
	var r Runner
	return r.Check(k, mechanism)
}

// load reads the case of a folder and the mechanism that failed it.
func load(dir string) (k *Compiled, mechanism string, err error) {
	var text [3][]byte
	for i, name := range []string{kernelFile, machineFile, launchFile} {
		if text[i], err = input.Read(filepath.Join(dir, name), ptx.MaxSource); err != nil {
			return nil, "", err
		}
	}
	var l launchText
	d := json.NewDecoder(bytes.NewReader(text[2]))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return nil, "", fmt.Errorf("%s: %w", filepath.Join(dir, launchFile), err)
	}
	c := &Case{Seed: l.Seed, Grid: l.Grid, Block: l.Block, Machine: gpu.Default()}
	if err := c.Machine.Load(filepath.Join(dir, machineFile), text[1]); err != nil {
		return nil, "", err
	}
	m, err := ptx.Parse(kernelFile, text[0])
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", dir, err)
	}
	k = &Compiled{Case: c, Text: string(text[0])}
	return k, l.Mechanism, k.lower(m, l.Args)
}
