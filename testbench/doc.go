// Package testbench is the host's side of the machine: the work of a driver, a debugger and an
// operator.
//
// A Session owns a machine. The host allocates device memory, writes inputs, launches kernels one
// after the other, and reads results:
//
//	s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
//	addr := s.Alloc(1024)
//	s.Write(addr, input)
//	err = s.Launch(testbench.Launch{Prog: p, Grid: ..., Block: ..., Params: ...})
//	s.Read(addr, output)
//
// # How a launch ends
//
// Launch returns nil when every thread has exited and its stores are in device memory. Otherwise it
// returns an *Outcome:
//
//   - fault: a thread made an error;
//   - deadlock: no thread can ever continue;
//   - endless loop: no thread can ever leave its loop;
//   - watchdog: the cycles of Limits are used up;
//   - stopped: the host ended the run.
//
// An Outcome names the threads, their source lines, and the reason for their wait. Any other error
// means that nothing was run.
//
// # Arguments
//
// ParseArg reads the argument specifications of the command line, CheckArgs compares them with a
// kernel's parameters, and Session.Place puts them into device memory.
//
// # Statistics
//
// Counters sum the counts of the blocks of the machine. Stats is the one table of statistics, with
// names, units, meanings and sources. Results and documentation are printed from it.
//
// Package golden, below this one, is the scalar reference model, and package verify compares the
// machine with it.
package testbench
