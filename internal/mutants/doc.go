// Package mutants plants bugs in the hardware, one at a time, to see whether the checks find them. A mutant is a change of a line
// or two that a person could have made: a pop too many, a mask bit lost, a wake-up missed, a timing short by one. It never is in a
// binary that ships: the go command compiles a changed copy of the file in place of the file (build flag -overlay).
//
// Most mutants are hunted with random kernels by `divergo check`, whose auditors of the memory system see also what no result can
// show, as a command of the DRAM that comes too early. Some are hunted by the tests of their block as well, or alone: the bank test
// knows the conflicts.
//
//	go test ./internal/mutants             # a handful
//	go test ./internal/mutants -all -v     # all, with the checker that killed each
package mutants

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Mutant is a planted bug.
type Mutant struct {
	Name string // part and bug
	Bug  string // what went wrong in the head of the person
	File string // from the root of the module
	Old  string // occurs once in File
	New  string
	// By are the mechanisms whose check has to find it.
	By []string
	// Audit is the package and the tests that have to find it, if there are any.
	Audit string
	// From is a report of such a fault in hardware or a simulator, repository#number on GitHub, if it
	// was made after one.
	From string
	// Lives is why By need not find it, if so.
	Lives string
}

// Overlay writes the changed copy of the file and what the go command wants to know of it into dir, and returns the name
// of the latter. Root is the folder of the module.
func (m *Mutant) Overlay(root, dir string) (string, error) {
	path := filepath.Join(root, filepath.FromSlash(m.File))
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), m.Old); n != 1 {
		return "", fmt.Errorf("%s: %s has the line to change %d times: %q", m.Name, m.File, n, m.Old)
	}
	changed := filepath.Join(dir, m.Name+".go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), m.Old, m.New, 1)), 0o644); err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, m.Name+".json")
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, list, 0o644)
}
