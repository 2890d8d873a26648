package properties

import (
	"divergo/internal/audit"
	"divergo/properties/books"
	"divergo/testbench"
)

// auditors watch the memory system of a session that is loaded.
func auditors(s *testbench.Session) *audit.Memory {
	m := s.Machine
	return audit.Watch(&m.Config.Config, m.Memory)
}

// audited is what the auditors of a memory system have found. Its rules are
// checkers of the same names.
func audited(m *audit.Memory) *books.Finding {
	if f := m.Fault(); f != nil {
		return books.Found(f.Rule.Checker, f.Rule.Name, f.What)
	}
	return nil
}
