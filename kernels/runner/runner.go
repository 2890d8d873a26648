// Package runner runs the workloads of package kernels on the machine.
//
// A workload names a PTX module and an entry. The runner parses the module once and launches the
// program on a session.
package runner

import (
	"divergo/isa"
	"divergo/kernels"
	"divergo/ptx"
	"divergo/testbench"
)

// Programs holds lowered kernels by module.
type Programs map[string]*module

// module is a module of package kernels, parsed once.
type module struct {
	text     *ptx.Module
	programs map[string]*isa.Program // by entry
}

// Program returns an entry of a module of package kernels. Repeated calls return the same program.
func (list Programs) Program(name, kernel string) (*isa.Program, error) {
	return list.program(name, kernel, kernels.PTX)
}

// program returns an entry of a module. read returns the module's text.
func (list Programs) program(name, kernel string, read func(string) (string, error)) (*isa.Program, error) {
	m, ok := list[name]
	if !ok {
		text, err := read(name)
		if err != nil {
			return nil, err
		}
		parsed, err := ptx.Parse(name, []byte(text))
		if err != nil {
			return nil, err
		}
		m = &module{parsed, map[string]*isa.Program{}}
		list[name] = m
	}
	if p, ok := m.programs[kernel]; ok {
		return p, nil
	}
	p, err := testbench.Program(m.text, kernel)
	if err == nil {
		m.programs[kernel] = p
	}
	return p, err
}

// Entries lists the entries of a kernel's module.
func Entries(k kernels.Kernel) ([]string, error) {
	name := k.Name + ".ptx"
	text, err := kernels.PTX(name)
	if err != nil {
		return nil, err
	}
	m, err := ptx.Parse(name, []byte(text))
	if err != nil {
		return nil, err
	}
	return m.Kernels(), nil
}

// Machine runs workloads on a session. It implements kernels.Machine.
type Machine struct {
	*testbench.Session
	programs Programs
	narrow   Programs // programs with 32-bit addresses; nil: addresses have 64 bits
}

// New returns a Machine for a session.
func New(s *testbench.Session) *Machine {
	return &Machine{s, make(Programs), nil}
}

// With returns a Machine for a session that finds lowered kernels in a list, and adds to it. Sessions
// one after the other can share the list.
func With(s *testbench.Session, list Programs) *Machine { return &Machine{s, list, nil} }

// New32 returns a Machine that runs the kernels with 32-bit addresses, which need fewer registers.
func New32(s *testbench.Session) *Machine {
	return &Machine{s, make(Programs), make(Programs)}
}

// Launch implements kernels.Machine. Its error is a *testbench.Outcome if the run does not finish.
func (m *Machine) Launch(l kernels.Call) error {
	p, err := m.programs.Program(l.Module, l.Kernel)
	if err != nil {
		return err
	}
	params := l.Params
	if m.narrow != nil {
		wide := p.Params
		if p, err = m.narrow.program(l.Module, l.Kernel, kernels.PTX32); err != nil {
			return err
		}
		params = narrowed(params, wide, p)
	}
	return m.Session.Launch(testbench.Launch{Prog: p, Grid: l.Grid, Block: l.Block, Shared: l.Shared, Params: params})
}

// narrowed converts a parameter bank for 64-bit addresses to one for 32-bit addresses. All device
// buffers lie below 4 GiB.
func narrowed(bank []byte, wide []isa.Param, p *isa.Program) []byte {
	made := make([]byte, p.ParamBytes)
	for i, to := range p.Params {
		copy(made[to.Offset:to.Offset+to.Size], bank[wide[i].Offset:])
	}
	return made
}
