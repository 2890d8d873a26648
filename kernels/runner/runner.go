// Package runner runs the workloads of package kernels on the machine.
//
// A workload asks for a PTX module and an entry by name; the runner parses
// the module once and launches the program on a session.
package runner

import (
	"divergo/isa"
	"divergo/kernels"
	"divergo/ptx"
	"divergo/testbench"
)

// Machine is a session as workloads see it. It implements kernels.Machine.
type Machine struct {
	*testbench.Session
	modules map[string]*ptx.Module
}

// New joins a session with the modules of package kernels.
func New(s *testbench.Session) *Machine {
	return &Machine{s, make(map[string]*ptx.Module)}
}

// Launch implements kernels.Machine. The error is a *testbench.Outcome if the
// run did not finish.
func (m *Machine) Launch(l kernels.Launch) error {
	p, err := m.program(l.Module, l.Kernel)
	if err != nil {
		return err
	}
	return m.Session.Launch(testbench.Launch{Prog: p, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: l.Params})
}

// program is an entry of a module.
func (m *Machine) program(module, kernel string) (*isa.Program, error) {
	mod, ok := m.modules[module]
	if !ok {
		text, err := kernels.PTX(module)
		if err != nil {
			return nil, err
		}
		if mod, err = ptx.Parse(module, []byte(text)); err != nil {
			return nil, err
		}
		m.modules[module] = mod
	}
	return testbench.Program(mod, kernel)
}
