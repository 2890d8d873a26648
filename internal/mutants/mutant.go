package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Mutant is a planted bug.
type Mutant struct {
	Name string // names of the part and the bug
	Bug  string // the mistake
	// By are the mechanisms whose check must find it.
	By []string
	// Audit is the package and the tests that must find it, if there are any.
	Audit string
	// Claims are the claims of package experiments that must fail, if there are any.
	Claims []string
	// From is a report of such a fault in hardware or a simulator, as repository#number on GitHub,
	// if the mutant was made from one.
	From string
	// Lives is the reason why By seldom or never finds it, if so. Random kernels then skip it.
	Lives string

	At      string // file and line of the entry, from the root of the module
	Folder  string // of the package, from the root of the module
	In      string // declaration with the lines to change
	Nth, Of int    // which of several matches; 0 if there must be one
	Old     string
	New     string
}

// Overlay writes the changed copy of the file into dir, and a list for the flag -overlay of the go
// command. It returns the name of the list. root is the folder of the module.
func (m *Mutant) Overlay(root, dir string) (string, error) {
	p, err := parsePackage(root, m.Folder)
	if err != nil {
		return "", err
	}
	file, text, err := p.plant(m)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(dir, m.Name+".go")
	if err := os.WriteFile(changed, text, 0o644); err != nil {
		return "", err
	}
	replace := map[string]string{filepath.Join(root, filepath.FromSlash(file)): changed}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, m.Name+".json")
	return overlay, os.WriteFile(overlay, list, 0o644)
}

// errorf is an error at the entry of the mutant.
func (m *Mutant) errorf(format string, a ...any) error {
	return fmt.Errorf("%s: %s: %s", m.At, m.Name, fmt.Sprintf(format, a...))
}
