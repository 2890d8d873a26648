// Package verilog prints clocked modules of package rtl as synthesizable Verilog. It executes the
// Tick of a module symbolically, in the form of go/ssa. The Go code that the simulator runs is thus
// the source of the hardware.
//
//	source  -- Load -->    Library       functions in SSA form
//	module  -- Print -->   Text          the Verilog, with its ports
//
// # What becomes what
//
//	State, Mem of one entry          registers
//	Mem                              an array of registers, written at the clock edge
//	*Wire                            inputs, one for each field
//	Wire                             outputs
//	other fields                     constants: the values of the live module
//	if, switch                       multiplexers
//	loop of a constant length        a copy of the body for each iteration
//	loop over the bits of a mask     a copy of the body for each bit
//	call                             the gates of the called function
//
// Widths come from the tags `bits`, `len` and `if` of package rtl, and from the values: a sum of two
// 5-bit numbers has 6 bits. A panic is an assumption that its condition never holds. Comments name
// the Go statement of each wire.
//
// The tag `reset:"none"` at a field means that the reset does not clear the memories in it. No output
// may then depend on an entry that has not been written since.
//
// # What it refuses
//
// A [Refusal] names file, line and reason. Hardware does a fixed amount of work in a cycle, so a
// loop whose length depends on data is refused. So are maps, strings, slices that grow, division
// by a variable, and calls of functions without source.
package verilog
