package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/kernels"
	"divergo/testbench"
	"divergo/testbench/trace"
	"divergo/testbench/view"
)

// viewFlags are the flags of the verb view.
type viewFlags struct {
	of  compareFlags // what is run
	out string
	at  uint64
}

// runOnly are the flags of view that describe a run.
var runOnly = append([]string{
	"mech", "size", "seed", "preset", "config", "set", "lanes", "workers", "verify", "fast", "pad", "races", "max-cycles",
}, kernelOnly...)

func newView() *cobra.Command {
	var f viewFlags
	c := &cobra.Command{
		Use:   "view TRACE...|KERNEL|FILE.ptx|FILE.json",
		Short: "Show a run over time, as a page for a browser",
		Long: fmt.Sprintf(`Write a page that shows a run over time: warps by cycles, the lanes of a warp by instructions, source
and PTX with the divergence and the waiting of each line (docs/howto/timeline.md). It is one file, which needs
neither a server nor a network. "?" on the page explains it.

The page shows traces (--trace of other verbs), or a kernel that is run for it, with the arguments of
"divergo run", under the mechanisms of --mech. Up to %d traces share a time axis.

The page opens at the first divergence whose lanes soon join again, or at the cycle of --at. Of long runs it
holds each issue around the first divergence, or around that cycle, and sums elsewhere.

Exit codes: 1 --verify or --races has found an error, 2 nothing was written, 4 the kernel failed, 130 interrupted.
The page is written in each case but 2.`, view.MaxTraces),
		Example: `  divergo view bitonic --mech pdom,tbc --out bitonic.html
  divergo view a.trace b.trace --out both.html
  divergo view k.ptx --grid 4 --block 256 --arg buf:iota:u32:1024 --arg u32:1024 --at 5000`,
		Args: func(c *cobra.Command, args []string) error {
			if n := len(args); n < 1 || n > view.MaxTraces {
				return fmt.Errorf("%s: found %d targets, want a kernel, a file, or 1 to %d traces", c.CommandPath(), n, view.MaxTraces)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.of.machine.add(c, false)
	c.Flags().StringSliceVar(&f.of.mechs, "mech", nil,
		fmt.Sprintf("up to %d mechanisms `A,B,C`, one below the other; the machine's own if not given", view.MaxTraces))
	c.Flags().StringVar(&f.out, "out", "", "`FILE`.html that is written; if not given, the name of the target with .html")
	c.Flags().Uint64Var(&f.at, "at", 0, "open at a core `CYCLE` of the first trace")
	c.Flags().Uint64Var(&f.of.seed, "seed", 1, "seed of random inputs")
	f.of.kernel.add(c)
	c.Flags().StringVar(&f.of.size, "size", "", "size of a built-in kernel; the first one if not given")
	return c
}

func (f *viewFlags) run(c *cobra.Command, args []string) error {
	page := view.Page{}
	if c.Flags().Changed("at") {
		page.At = &view.Place{Cycle: f.at}
	}
	var files output.Set
	defer files.Discard()
	if !isTrace(args) {
		return f.kernel(c, args[0], &page, &files)
	}
	if err := refuse(c, runOnly, "a run, "+printable.Name(args[0])+" is a trace"); err != nil {
		return err
	}
	for _, name := range args {
		r, leave, err := openTrace(name)
		if err != nil {
			return err
		}
		defer leave()
		files.Reads("the trace", name)
		page.Traces = append(page.Traces, r)
	}
	page.Title = page.Traces[0].Header.Name
	to, err := f.create(&files, args[0])
	if err != nil {
		return err
	}
	return f.keep(c, to, &page)
}

// isTrace reports whether the targets are traces: several, or a file of no other kind.
func isTrace(args []string) bool {
	_, err := kernels.Find(args[0])
	extension := strings.ToLower(filepath.Ext(args[0]))
	return len(args) > 1 || err != nil && isFile(args[0]) && extension != ".ptx" && extension != ".json"
}

// create creates the page's file. Its default name must be free.
func (f *viewFlags) create(files *output.Set, target string) (*output.File, error) {
	if f.out == "" {
		name := filepath.Base(target)
		f.out = strings.TrimSuffix(name, filepath.Ext(name)) + ".html"
		if _, err := os.Lstat(f.out); err == nil {
			return nil, fmt.Errorf("%s exists: want --out FILE.html; --out %[1]s replaces it", printable.Name(f.out))
		}
	}
	to, err := files.Create("--out", f.out, ".html")
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	return to, nil
}

// keep writes the page and reports it on stderr.
func (f *viewFlags) keep(c *cobra.Command, to *output.File, page *view.Page) error {
	_, err := page.WriteTo(to)
	if err == nil {
		err = to.Keep()
	}
	if err != nil {
		return fmt.Errorf("%s: %w", printable.Name(f.out), err)
	}
	if !to.Stream() {
		fmt.Fprintln(c.ErrOrStderr(), printable.Text("divergo: wrote "+f.out+": open it in a browser"))
	}
	return nil
}

// kernel runs a kernel under each mechanism and writes the page of the traces.
func (f *viewFlags) kernel(c *cobra.Command, target string, page *view.Page, files *output.Set) error {
	of, err := f.of.subject(c, target, files)
	cfg, wrong := f.of.machine.config()
	if err := errors.Join(wrong, err); err != nil {
		return err
	}
	mechs := []string{cfg.Divergence.Mechanism}
	if len(f.of.mechs) > 0 {
		if mechs, err = chosen(f.of.mechs, cfg, c.ErrOrStderr()); err != nil {
			return err
		}
	}
	if len(mechs) > view.MaxTraces {
		return fmt.Errorf("--mech: %d mechanisms, want at most %d on a page", len(mechs), view.MaxTraces)
	}
	f.of.machine.reads(files)
	to, err := f.create(files, target)
	if err != nil {
		return err
	}
	page.Title = strings.TrimSpace(of.name + " " + of.size)
	traces := tracing{title: page.Title, preset: f.of.machine.preset, source: sourcesOf(of.target)}
	var failed error // the most severe error
	for _, m := range mechs {
		cfg.Divergence.Mechanism = m
		var file bytes.Buffer
		var recorder *trace.Recorder
		_, err := simulate(c, &f.of.machine, cfg, m, nil, func(s *testbench.Session) error {
			var err error
			if recorder, err = traces.start(s, &file); err != nil {
				return err
			}
			return of.run(s)
		})
		if !ran(err) {
			return fmt.Errorf("%s: %w", m, err)
		}
		if err := recorder.Close(); err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if err == nil {
			err = f.of.machine.racy()
		}
		if exitCode(err) > exitCode(failed) {
			failed = fmt.Errorf("%s: %w", m, err)
		}
		r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		page.Traces = append(page.Traces, r)
		if exitCode(failed) == exitInterrupted {
			break
		}
	}
	return errors.Join(f.keep(c, to, page), failed)
}
