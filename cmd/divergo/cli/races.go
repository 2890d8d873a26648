package cli

import (
	"errors"
	"fmt"
	"io"

	"divergo/testbench"
	"divergo/testbench/races"
)

// errRaces reports that --races found data races.
var errRaces = errors.New("data races")

// watch starts the race detector on a session, with --races.
func (m *machineFlags) watch(s *testbench.Session) {
	if m.watched = nil; m.races {
		m.watched = races.Attach(s)
	}
}

// tellRaces writes the races of the finished session, which label names. It leaves out pairs of
// lines that an earlier session of the command reported.
func (m *machineFlags) tellRaces(w io.Writer, label string) {
	if m.watched == nil {
		return
	}
	m.watched.Detach()
	if m.told == nil {
		m.told = map[[2]string]bool{}
	}
	for _, r := range m.watched.Found() {
		if lines := r.Lines(); !m.told[lines] {
			m.told[lines] = true
			fmt.Fprintf(w, "%s\n  in the run of %s\n", r, label)
		}
	}
	if n := m.watched.Forgotten(); n > 0 {
		fmt.Fprintf(w, "divergo: warning: %s: --races has forgotten %d pages of 4 KiB for want of room, and may have missed races there\n", label, n)
	}
}

// racy returns an error if the finished session had races.
func (m *machineFlags) racy() error {
	if n := len(m.foundRaces()); n > 0 {
		return fmt.Errorf("%w between pairs of source lines: %d", errRaces, n)
	}
	return nil
}

// foundRaces lists the races of the finished session; nil without --races.
func (m *machineFlags) foundRaces() []*races.Race {
	if m.watched == nil {
		return nil
	}
	return m.watched.Found()
}
