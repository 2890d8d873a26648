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

// Modules are the modules of package kernels that have been parsed, by file
// name.
type Modules map[string]*ptx.Module

// Program is an entry of a module.
func (m Modules) Program(module, kernel string) (*isa.Program, error) {
	mod, ok := m[module]
	if !ok {
		text, err := kernels.PTX(module)
		if err != nil {
			return nil, err
		}
		if mod, err = ptx.Parse(module, []byte(text)); err != nil {
			return nil, err
		}
		m[module] = mod
	}
	return testbench.Program(mod, kernel)
}

// Machine is a session as workloads see it. It implements kernels.Machine.
type Machine struct {
	*testbench.Session
	modules Modules
}

// New joins a session with the modules of package kernels.
func New(s *testbench.Session) *Machine {
	return &Machine{s, make(Modules)}
}

// Launch implements kernels.Machine. The error is a *testbench.Outcome if the
// run did not finish.
func (m *Machine) Launch(l kernels.Launch) error {
	p, err := m.modules.Program(l.Module, l.Kernel)
	if err != nil {
		return err
	}
	return m.Session.Launch(testbench.Launch{Prog: p, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: l.Params})
}
