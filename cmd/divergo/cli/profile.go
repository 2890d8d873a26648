package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"divergo/internal/output"
	"divergo/internal/printable"
	"divergo/kernels"
	"divergo/testbench"
	"divergo/testbench/profile"
)

// profileFlag is --profile: statistics by line of the source.
type profileFlag struct {
	name    string
	sources []string
}

func (p *profileFlag) add(c *cobra.Command) {
	c.Flags().StringVar(&p.name, "profile", "",
		"statistics by line of the source and by branch in `FILE`.html, FILE.json or, as text, another one; -: with the answer")
	c.Flags().StringArrayVar(&p.sources, "source", nil,
		"also look in `FOLDER` for the source files that the profile shows (repeatable)")
}

// sourceProfile is the profile of the runs of a command; nil without the flag.
type sourceProfile struct {
	file   *output.File // nil: the profile is part of the answer
	preset string
	show   func(io.Writer) error
	report profile.Report
	now    *profile.Profile // the current run's
}

// open creates the file. Sources are those of the built-in kernels, or files in the target's folder
// or in a folder of --source.
func (p *profileFlag) open(files *output.Set, m *machineFlags, title, target string) (*sourceProfile, error) {
	for _, folder := range p.sources {
		if p.name == "" {
			return nil, errors.New("--source: want --profile, which shows the sources")
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("--source: %s: want a folder", printable.Name(folder))
		}
	}
	if p.name == "" {
		return nil, nil
	}
	s := &sourceProfile{
		preset: m.preset, report: profile.Report{Title: title, Source: sourcesOf(target, p.sources...)},
	}
	if p.name == "-" {
		return s, nil
	}
	extension := strings.ToLower(filepath.Ext(p.name))
	switch extension {
	case ".html":
		s.show = s.report.Page
	case ".json":
		s.show = func(w io.Writer) error { return printJSON(w, s.report.JSON()) }
	default:
		s.show, extension = s.report.Print, ".txt"
	}
	var err error
	if s.file, err = files.Create("--profile", p.name, extension); err != nil {
		return nil, fmt.Errorf("--profile: %w", err)
	}
	return s, nil
}

// sourcesOf returns a function that finds source files: in the folder of a target, or among those of the
// built-in kernels if there is none, then in the given folders.
func sourcesOf(target string, folders ...string) func(file string) []string {
	if target == "" {
		return profile.Sources(kernels.Source, folders...)
	}
	return profile.Sources(nil, append([]string{filepath.Dir(target)}, folders...)...)
}

// attach starts the profile of a session.
func (s *sourceProfile) attach(to *testbench.Session) {
	if s != nil {
		s.now = profile.Attach(to)
	}
}

// add adds the finished run to the profile.
func (s *sourceProfile) add(of *testbench.Session) {
	if s == nil {
		return
	}
	s.now.Detach()
	c := &of.Machine.Config
	s.report.Machine = inWords(s.preset, c)
	s.report.Runs = append(s.report.Runs, profile.Run{
		Name: c.Divergence.Mechanism, WarpSize: c.SM.WarpSize, Cycles: of.Counters().Cycles, Kernels: s.now.Kernels(),
	})
}

// keep fills and keeps the file.
func (s *sourceProfile) keep() error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.show(s.file)
	if err == nil {
		err = s.file.Keep()
	}
	if err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	return nil
}

// answers reports whether the profile is part of the answer.
func (s *sourceProfile) answers() bool { return s != nil && s.file == nil }

// json returns the profile as a part of the answer; nil if it goes to a file.
func (s *sourceProfile) json() map[string]any {
	if !s.answers() {
		return nil
	}
	return s.report.JSON()
}

// print writes the profile below the answer, if it is part of it.
func (s *sourceProfile) print(w io.Writer) error {
	if !s.answers() {
		return nil
	}
	fmt.Fprintln(w)
	return s.report.Print(w)
}
