package testbench

import (
	"divergo/isa"
	"divergo/ptx"
)

// Program lowers a kernel of a module and makes it ready to run: control flow
// analysed, instructions resolved to their place in the datapath. The empty
// name stands for the only kernel of the module.
func Program(m *ptx.Module, kernel string) (*isa.Program, error) {
	p, err := m.Program(kernel)
	if err != nil {
		return nil, err
	}
	if err := isa.Bind(p); err != nil {
		return nil, err
	}
	return p, nil
}
