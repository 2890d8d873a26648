// Package testbench is the host's side of the machine: what a driver, a
// debugger and an operator do around the hardware.
//
// A Session owns a machine. The host allocates device memory, writes inputs,
// launches kernels one after the other, and reads results:
//
//	s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
//	addr := s.Alloc(1024)
//	s.Write(addr, input)
//	err = s.Launch(testbench.Launch{Prog: p, Grid: ..., Block: ..., Params: ...})
//	s.Read(addr, output)
//
// # How a launch ends
//
// Launch returns nil when every thread has run to its end and its stores are
// in device memory. It returns an *Outcome when that cannot be: a thread
// misbehaved (fault), no thread can ever go on (deadlock) or leave its loop (endless loop), the cycles that
// Limits allows are used up (watchdog), or the host stopped it. An Outcome says
// which threads, where in the source, and what they wait for. Any other error
// means that nothing was run.
//
// # Arguments
//
// ParseArg reads the argument specifications of the command line, CheckArgs
// compares them with a kernel's parameters, and Session.Place puts them into
// device memory.
//
// # Statistics
//
// Counters sum what the blocks of the machine have counted; Stats is the one
// table of statistics, with names, units, meanings and sources, from which
// results and documentation are printed.
//
// Package golden, below this one, is the scalar reference model, and package
// verify compares the machine with it.
package testbench
