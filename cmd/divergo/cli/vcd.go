package cli

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
)

// vcdFlags choose what of a run goes into a waveform.
type vcdFlags struct {
	file, trigger string
	filter        []string
	from, to      uint64
}

func (v *vcdFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&v.file, "vcd", "", "write a waveform to `FILE`, and what GTKWave needs beside it")
	f.StringArrayVar(&v.filter, "vcd-filter", nil, "`PATTERN` of signals to dump, such as 'sm[0].**'; can be repeated")
	f.Uint64Var(&v.from, "vcd-from", 0, "first core `CYCLE` of the waveform")
	f.Uint64Var(&v.to, "vcd-to", 0, "last core `CYCLE` of the waveform; 0: the last of the run")
	f.StringVar(&v.trigger, "vcd-trigger", "", "start the waveform at a condition: '[N before] SIGNAL OP VALUE'")
}

// open creates the file, so that a path that cannot be written is found before
// the run. Without --vcd it returns nil, which is a waveform that is not
// written.
func (v *vcdFlags) open(files *output.Set) (*waveform, error) {
	opts := waves.Options{Filter: v.filter, From: v.from, To: v.to, Clocks: true}
	if v.trigger != "" {
		t, err := waves.ParseTrigger(v.trigger)
		if err != nil {
			return nil, fmt.Errorf("--vcd-trigger: %w", err)
		}
		opts.Trigger = t
	}
	if v.file == "" {
		if len(v.filter) > 0 || v.trigger != "" || v.from != 0 || v.to != 0 {
			return nil, errors.New("--vcd-filter, --vcd-from, --vcd-to and --vcd-trigger choose what --vcd FILE writes: want --vcd too")
		}
		return nil, nil
	}
	file, err := files.Create("--vcd", v.file, ".vcd")
	if err == nil && !file.Stream() {
		err = files.Claim("the save file of --vcd", waves.SaveFile(v.file))
	}
	if err != nil {
		return nil, fmt.Errorf("--vcd: %w", err)
	}
	return &waveform{name: v.file, file: file, opts: opts}, nil
}

// waveform is a dump of one session.
type waveform struct {
	name string
	file *output.File
	opts waves.Options
	dump *waves.Dump
}

// attach starts the dump with the first launch.
func (w *waveform) attach(s *testbench.Session) {
	if w == nil {
		return
	}
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		if w.dump != nil {
			return
		}
		var err error
		w.dump, err = dump.Attach(s, w.file, w.opts)
		l.Refuse(err)
	})
}

// keep completes the dump and, beside a file, those for GTKWave. A dump that no trigger
// opened is kept too, with a word on stderr.
func (w *waveform) keep(stderr io.Writer) error {
	if w == nil || w.dump == nil {
		return nil
	}
	if err := w.dump.Close(); err != nil {
		return fmt.Errorf("--vcd: %w", err)
	}
	if err := w.file.Keep(); err != nil {
		return fmt.Errorf("--vcd: %w", err)
	}
	if t := w.opts.Trigger; t != nil {
		if _, fired := w.dump.Triggered(); !fired {
			fmt.Fprintln(stderr, printable.Text(fmt.Sprintf("divergo: %s is empty: %s %s %s never held", w.name, t.Signal, t.Op, t.Value)))
		}
	}
	if w.file.Stream() {
		return nil
	}
	return w.dump.Save(w.name)
}
