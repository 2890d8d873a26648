package properties

import (
	"divergo/internal/audit"
	"divergo/properties/books"
	"divergo/testbench"
)

// auditors attaches the audit of the memory system to a loaded session.
func auditors(s *testbench.Session) *audit.Memory {
	m := s.Machine
	return audit.Watch(&m.Config.Config, m.Memory)
}

// audited returns the finding of the memory audit, or nil. Each of its rules belongs to the checker
// of the same name.
func audited(m *audit.Memory) *books.Finding {
	if f := m.Fault(); f != nil {
		return books.Found(f.Rule.Checker, f.Rule.Name, f.What)
	}
	return nil
}
