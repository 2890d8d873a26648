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

// Programs are kernels that have been lowered, by module and entry.
type Programs map[[2]string]*isa.Program

// Program is an entry of a module of package kernels, the same each time.
func (list Programs) Program(module, kernel string) (*isa.Program, error) {
	key := [2]string{module, kernel}
	if p, ok := list[key]; ok {
		return p, nil
	}
	text, err := kernels.PTX(module)
	if err != nil {
		return nil, err
	}
	mod, err := ptx.Parse(module, []byte(text))
	if err != nil {
		return nil, err
	}
	p, err := testbench.Program(mod, kernel)
	if err == nil {
		list[key] = p
	}
	return p, err
}

// Machine is a session as workloads see it. It implements kernels.Machine.
type Machine struct {
	*testbench.Session
	programs Programs
}

// New joins a session with the kernels.
func New(s *testbench.Session) *Machine {
	return &Machine{s, make(Programs)}
}

// Launch implements kernels.Machine. The error is a *testbench.Outcome if the
// run did not finish.
func (m *Machine) Launch(l kernels.Launch) error {
	p, err := m.programs.Program(l.Module, l.Kernel)
	if err != nil {
		return err
	}
	return m.Session.Launch(testbench.Launch{Prog: p, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: l.Params})
}
