package cli

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/ptx"
	"divergo/testbench"
)

// launchesFlag is the flag --launches: statistics of each launch.
type launchesFlag struct{ name string }

func (l *launchesFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&l.name, "launches", "",
		"write the statistics of each launch, each kernel and all together to `FILE`, a line of JSON for each")
}

// open creates the file. It returns nil without the flag.
func (l *launchesFlag) open(files *output.Set) (*launchLines, error) {
	if l.name == "" {
		return nil, nil
	}
	file, err := files.Create("--launches", l.name, ".jsonl")
	if err != nil {
		return nil, fmt.Errorf("--launches: %w", err)
	}
	return &launchLines{file: file}, nil
}

// launchLines is the file of --launches and the first error in writing it.
type launchLines struct {
	file *output.File
	err  error
}

// launchLine is a line of statistics about a launch, a kernel or the whole run.
type launchLine struct {
	Schema    string         `json:"schema"`
	Of        string         `json:"of"` // launch, kernel or total
	Mechanism string         `json:"mechanism"`
	Launch    int            `json:"launch,omitempty"` // launch lines only: counted from 1
	Launches  int            `json:"launches"`
	Kernel    string         `json:"kernel,omitempty"`
	Name      string         `json:"name,omitempty"` // demangled name of the kernel
	Grid      *[3]uint32     `json:"grid,omitempty"`
	Block     *[3]uint32     `json:"block,omitempty"`
	Outcome   string         `json:"outcome,omitempty"`
	Emulated  bool           `json:"emulated,omitempty"`
	Stats     map[string]any `json:"stats"`

	Functional *functionalResult `json:"functional,omitempty"` // of an emulated launch
}

// add writes the lines of a session. close returns its error.
func (l *launchLines) add(s *testbench.Session) {
	if l == nil {
		return
	}
	e := json.NewEncoder(l.file)
	e.SetEscapeHTML(false)
	write := func(line launchLine, c testbench.Counters) {
		line.Schema, line.Mechanism, line.Stats = schema("launches"), s.Machine.Config.Divergence.Mechanism,
			map[string]any{}
		for _, stat := range testbench.Stats() {
			line.Stats[stat.Name] = stat.Value(&c)
		}
		if err := e.Encode(line); l.err == nil {
			l.err = err
		}
	}
	for i := range s.Runs {
		r := &s.Runs[i]
		name := r.Launch.Prog.Name
		line := launchLine{
			Of: "launch", Launch: i + 1, Launches: 1, Kernel: name, Name: ptx.Demangled(name),
			Grid: &r.Launch.Grid, Block: &r.Launch.Block, Outcome: r.Outcome.End.String(), Emulated: r.Emulated,
			Functional: newFunctional(r, s.Machine.Config.SM.WarpSize),
		}
		write(line, r.Counters)
	}
	for _, k := range s.ByKernel() {
		write(launchLine{Of: "kernel", Launches: k.Launches, Kernel: k.Prog.Name, Name: ptx.Demangled(k.Prog.Name)},
			k.Counters)
	}
	if len(s.Runs) > 0 {
		write(launchLine{Of: "total", Launches: len(s.Runs)}, s.Counters())
	}
}

// close keeps the file if it is complete.
func (l *launchLines) close() error {
	if l == nil {
		return nil
	}
	err := l.err
	if err == nil {
		err = l.file.Keep()
	}
	l.file.Discard()
	if err != nil {
		return fmt.Errorf("--launches: %w", err)
	}
	return nil
}
