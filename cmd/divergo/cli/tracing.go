package cli

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/testbench"
	"divergo/testbench/trace"
)

// traceFlag is the flag --trace: every issued instruction and event.
type traceFlag struct {
	name   string
	values bool
}

func (t *traceFlag) add(c *cobra.Command, several bool) {
	help := "write every issued instruction and event to `FILE`, for \"divergo trace\""
	if several {
		help = "write every issued instruction and event, under each mechanism M to its own file: " +
			"`FILE`.trace makes FILE-M.trace"
	}
	c.Flags().StringVar(&t.name, "trace", "", help)
	c.Flags().BoolVar(&t.values, "trace-values", false, "--trace also has the value of each register that is written")
}

// tracing is the traces of a command, a file for each run; nil without the flag. The runs come in
// the order of the files.
type tracing struct {
	title, preset string
	values        bool
	source        func(name string) []string
	names         []string
	files         []*output.File
	now           *trace.Recorder
}

// open creates the file, or one for each of several mechanisms. Sources are those of the built-in
// kernels, or files in the target's folder.
func (t *traceFlag) open(files *output.Set, m *machineFlags, title, target string, mechs ...string) (*tracing, error) {
	if t.name == "" {
		if t.values {
			return nil, errors.New("--trace-values says what --trace FILE writes: want --trace too")
		}
		return nil, nil
	}
	r := &tracing{
		title: title, preset: m.preset, values: t.values, source: sourcesOf(target), names: []string{t.name},
	}
	if len(mechs) > 0 {
		r.names = nil
		extension := filepath.Ext(t.name)
		for _, m := range mechs {
			r.names = append(r.names, strings.TrimSuffix(t.name, extension)+"-"+path.Base(m)+extension)
		}
	}
	for _, name := range r.names {
		file, err := files.Create("--trace", name, ".trace")
		if err != nil {
			return nil, fmt.Errorf("--trace: %w", err)
		}
		r.files = append(r.files, file)
	}
	return r, nil
}

// attach starts the trace of a session.
func (r *tracing) attach(s *testbench.Session) error {
	if r == nil {
		return nil
	}
	var err error
	if r.now, err = r.start(s, r.files[0]); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	return nil
}

// start starts a trace of a session.
func (r *tracing) start(s *testbench.Session, to io.Writer) (*trace.Recorder, error) {
	h := trace.HeaderOf(s.Machine)
	h.Generator, h.Name, h.Preset, h.Values = "divergo "+release, r.title, r.preset, r.values
	w, err := trace.NewWriter(to, h)
	if err != nil {
		return nil, err
	}
	return trace.Attach(s, w, r.source), nil
}

// keep completes the trace of a run, and reports its file on stderr.
func (r *tracing) keep(stderr io.Writer, s *testbench.Session) error {
	if r == nil || r.now == nil {
		return nil
	}
	name, file := r.names[0], r.files[0]
	r.names, r.files = r.names[1:], r.files[1:]
	if err := errors.Join(r.now.Close(), file.Keep()); err != nil {
		return fmt.Errorf("--trace: %w", err)
	}
	if !file.Stream() {
		fmt.Fprintln(stderr, printable.Text(fmt.Sprintf("divergo: wrote %s, %s: read it with \"divergo trace print %[1]s\"",
			name, s.Machine.Config.Divergence.Mechanism)))
	}
	return nil
}
