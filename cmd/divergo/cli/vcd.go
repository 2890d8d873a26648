package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/nearest"
	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/dump"
	"divergo/waves"
)

// vcdFlags select the part of a run that the waveform shows.
type vcdFlags struct {
	file, trigger string
	launch        string // [KERNEL:]N
	filter        []string
	from, to      uint64
}

func (v *vcdFlags) add(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&v.file, "vcd", "",
		"write a waveform to `FILE`, and what GTKWave needs beside it; FILE.fst is in GTKWave's format")
	f.StringArrayVar(&v.filter, "vcd-filter", nil, "`PATTERN` of signals to dump, such as 'sm[0].**'; can be repeated")
	f.Uint64Var(&v.from, "vcd-from", 0, "first core `CYCLE` of the waveform")
	f.Uint64Var(&v.to, "vcd-to", 0, "last core `CYCLE` of the waveform; 0: the last of the run")
	f.StringVar(&v.launch, "vcd-launch", "",
		"the waveform is that of launch N, or of the Nth of a kernel, `[KERNEL:]N`")
	f.StringVar(&v.trigger, "vcd-trigger", "", "start the waveform at a condition: '[N before] SIGNAL OP VALUE'")
}

// open creates the file before the run, so that an unwritable path is reported first. Without --vcd
// it returns nil, a waveform that is never written.
func (v *vcdFlags) open(files *output.Set) (*waveform, error) {
	opts := waves.Options{Filter: v.filter, From: v.from, To: v.to, FST: waves.IsFST(v.file), Clocks: true}
	if v.trigger != "" {
		t, err := waves.ParseTrigger(v.trigger)
		if err != nil {
			return nil, fmt.Errorf("--vcd-trigger: %w", err)
		}
		opts.Trigger = t
	}
	only, err := parseNth(v.launch)
	if err != nil {
		return nil, fmt.Errorf("--vcd-launch %w", err)
	}
	if v.file == "" {
		if len(v.filter) > 0 || v.trigger != "" || v.launch != "" || v.from != 0 || v.to != 0 {
			return nil, errors.New("--vcd-filter, --vcd-from, --vcd-to, --vcd-launch and --vcd-trigger choose what --vcd FILE writes: want --vcd too")
		}
		return nil, nil
	}
	file, err := files.Create("--vcd", v.file, ".vcd", ".fst")
	if err == nil && !file.Stream() {
		err = errors.Join(files.Claim("the save file of --vcd", waves.SaveFile(v.file)),
			files.Claim("the command file of --vcd", waves.CommandFile(v.file)))
	}
	if err == nil && opts.FST && file.Stream() {
		err = fmt.Errorf("%s: want a regular file for FST", v.file)
	}
	if err != nil {
		return nil, fmt.Errorf("--vcd: %w", err)
	}
	return &waveform{name: v.file, file: file, opts: opts, only: only}, nil
}

// nth selects a launch: the nth of a kernel, or of all kernels. The zero value selects every
// launch.
type nth struct {
	kernel string
	n      int
}

// parseNth reads [KERNEL:]N. The empty text selects every launch. KERNEL may hold colons, as C++
// names do.
func parseNth(text string) (nth, error) {
	if text == "" {
		return nth{}, nil
	}
	var of nth
	number := text
	if at := strings.LastIndexByte(text, ':'); at >= 0 {
		of.kernel, number = text[:at], text[at+1:]
	}
	var err error
	if of.n, err = strconv.Atoi(number); err != nil || of.n < 1 {
		return of, fmt.Errorf("%q: want N or KERNEL:N, counted from 1", text)
	}
	return of, nil
}

// count returns the number of a session's launches of the kernel.
func (of nth) count(s *testbench.Session) (n int) {
	for i := range s.Runs {
		if of.is(s.Runs[i].Launch.Prog) {
			n++
		}
	}
	return n
}

// is reports whether the selected kernel is p. The name is that of the PTX, or the demangled one,
// with or without parameters.
func (of nth) is(p *isa.Program) bool {
	plain := ptx.Demangled(p.Name)
	return of.kernel == "" || of.kernel == p.Name || of.kernel == plain || of.kernel == ptx.Short(plain)
}

// missing explains why the session had no such launch.
func (of nth) missing(s *testbench.Session) error {
	var names []string
	for _, k := range s.ByKernel() {
		names = append(names, ptx.Short(ptx.Demangled(k.Prog.Name)))
	}
	switch n := of.count(s); {
	case of.kernel == "":
		return fmt.Errorf("--vcd-launch %d: there were %d launches", of.n, n)
	case n == 0:
		return fmt.Errorf("--vcd-launch %s:%d: %w", of.kernel, of.n, nearest.Unknown("kernel", of.kernel, names))
	default:
		return fmt.Errorf("--vcd-launch %s:%d: the kernel was launched %d times", of.kernel, of.n, n)
	}
}

// waveform is the dump of one session.
type waveform struct {
	name    string
	file    *output.File
	opts    waves.Options
	only    nth
	session *testbench.Session
	dump    *waves.Dump
	failed  error // reason for a missing dump
}

// attach starts the dump with the first launch, or with the selected one. The dump ends with the
// session, or with the selected launch.
func (w *waveform) attach(s *testbench.Session) {
	if w == nil {
		return
	}
	w.session = s
	s.OnLaunch.Add(func(l *testbench.Loaded) {
		switch {
		case w.failed != nil:
			return
		case w.dump != nil:
			if w.only.n > 0 {
				l.Refuse(w.dump.Close())
			}
			return
		case w.only.n > 0 && (!w.only.is(l.Prog) || w.only.count(s)+1 != w.only.n):
			return
		}
		w.dump, w.failed = dump.Attach(s, w.file, w.opts)
		l.Refuse(w.failed)
	})
}

// keep completes the dump and reports the written files on stderr. Beside a file it writes those
// that GTKWave needs. A dump without changes is kept with a warning.
func (w *waveform) keep(stderr io.Writer) error {
	if w == nil {
		return nil
	}
	if w.failed != nil {
		return fmt.Errorf("--vcd: %w", w.failed)
	}
	if w.dump == nil {
		if w.only.n > 0 && len(w.session.Runs) > 0 {
			return w.only.missing(w.session)
		}
		return nil
	}
	if err := w.dump.Close(); err != nil {
		return fmt.Errorf("--vcd: %w", err)
	}
	if err := w.file.Keep(); err != nil {
		return fmt.Errorf("--vcd: %w", err)
	}
	if w.dump.Empty() {
		fmt.Fprintln(stderr, printable.Text(fmt.Sprintf("divergo: warning: %s has no changes: %s", w.name, w.why())))
	}
	if w.file.Stream() {
		return nil
	}
	mechanism := w.session.Machine.Config.Divergence.Mechanism
	fmt.Fprintln(stderr, printable.Text(fmt.Sprintf("divergo: wrote %s, %s: open it with \"divergo wave %[1]s\"",
		w.name, mechanism)))
	return w.dump.Save(w.name)
}

// why returns the reason for a waveform without changes.
func (w *waveform) why() string {
	last := w.session.Machine.Core().Now()
	if t := w.opts.Trigger; t != nil {
		if _, fired := w.dump.Triggered(); !fired {
			return fmt.Sprintf("%s %s %s never held", t.Signal, t.Op, t.Value)
		}
	}
	if w.opts.From > last {
		return fmt.Sprintf("it starts with cycle %d, want one up to %d, the last", w.opts.From, last)
	}
	return "no signal of it changes"
}
