// Package rtl simulates clocked hardware written as plain Go. It provides registers, wires, queues,
// memories and clocks, and knows nothing of their use.
//
// # Modules
//
// A module is a pointer to a struct with a method Tick. Its fields are its registers and ports:
//
//	type Encoder struct {
//		rtl.State[encoderState]                 // registers
//		Req                    *rtl.Wire[uint8] // input, a pointer to a wire
//		Grant                  rtl.Wire[uint8]  // output, a wire
//		Out                    rtl.Out[Job]     // end of a queue
//		Table                  *rtl.Mem[Row]    // memory
//		Loader                 *Loader          // another module, whose registers and memories may be read
//		sim                    *rtl.Sim         // set at elaboration: Now, WakeAt
//		latency                uint64           // other fields are parameters, which Tick must not change
//		sums                   [4]uint32        `rtl:"scratch"` // temporary storage of one Tick, like unnamed wires
//	}
//
// Tick computes the next state D from the present state Q and the inputs. It also sets the outputs,
// pushes and pops. It must depend on nothing else: no other variable, no wall clock. All storage is
// plain data: sized numbers, booleans, arrays and structs of them. So a design can be copied,
// compared and traced without help from its author.
//
// [New] elaborates a design. It walks the fields of the root and names each part by its path
// ("gpu.sm[3].issue"). It finds the readers of each part and orders the processes. It refuses
// designs that are not hardware: two drivers, a combinational loop, an unconnected end, a register
// that holds a pointer.
//
//   - A struct without Tick is a container: it only holds modules, and the targets of its pointers
//     are walked too. A module found there is a submodule. Queue ends and wires of a container
//     belong to the testbench, unless a module has them.
//   - In a module, a pointer to another module (or an interface that holds one) means that it reads
//     that module. With the tag `rtl:"own"` the target is a submodule as well.
//   - A module ignores pointers to structs without Tick. With `rtl:"own"`, or held by value or
//     embedded, such structs are parts of the module. A named field of a module type, held by
//     value, is a submodule.
//   - `rtl:"scratch"` marks fields that a Tick writes before it reads them. [Sim.RunChecked]
//     overwrites them before each Tick, and finds parameters that a Tick has changed.
//   - `rtl:"inplace"` lets the module of the field write a [State] or [Mem] in place, after all its
//     readers have run.
//   - `rtl:"handed"` marks a [Mem] whose entries pass from module to module with the queue entries that
//     name them. [As] says what such a queue entry stands for.
//   - `rtl:"optional"` allows an unconnected port, and `rtl:"-"` hides a field.
//   - `bits:"5"` gives the width of a register. `trace:"true"` shows the entries of a memory in
//     waveforms, by the name of the tagged field.
//   - [Sim.Storage] gives the storage of a design. A type with room for the largest configuration
//     can name the sizes of this one. `bits:"lanes"` names the bits of each number, and
//     `len:"lanes"` the elements of an array; `len:"sources,lanes"` those of an array and of its
//     elements. With `if:"option"` the field exists only with the option. [Sim.Queues] gives queues.
//   - A [Foreign] is storage outside of the program, such as the registers of a Verilog model.
//   - `rtl:"sim"` marks data of the simulation that the hardware does not have, such as counters
//     and time stamps.
//   - A field may have several words: `rtl:"sim,inplace"`.
//   - A module whose logic must run at two places in the order of wires has a method Processes
//     instead, which lists [Proc]s.
//
// # A cycle
//
// First the awake processes run, once each, in the order that the wires demand. A wire that changes
// wakes its readers for the same cycle. At the clock edge the next state becomes the present one,
// and pushes, pops and writes take effect. The readers of each change are awake in the next cycle.
//
// All other processes sleep: a process must be a function of its fields, so running it again would
// change nothing. [Sim.RunChecked] finds those that are not. A process that waits for a given cycle
// calls [Sim.WakeAt]. The kernel skips cycles in which all processes sleep.
//
// The pushes, pops, pins and Init of a testbench between runs belong to the cycle before the next.
//
// # What it costs
//
//	process, evaluated            8 to 15 ns, and the time of its Tick
//	State                         comparison 3 to 15 ns for 32 B to 1 KiB; copy, if it changed, the same again
//	Wire                          1 ns; but it orders processes, so use it only where a register does not suffice
//	Queue                         10 ns for an entry from push to pop; with Latency 30 ns
//	Mem                           10 ns for a written entry, and its copy
//	Link                          35 ns for an entry
//	WakeAt                        15 ns
//	sleeping module, idle cycle   nothing
//
// Nothing allocates once the design runs.
//
// # Clock domains and islands
//
// A [Sim] is one clock domain. A [System] runs several, joined by [Link]s: domains of different
// frequencies, or islands that share the work among several processors. The results do not depend
// on the number of processors.
//
// # Tests
//
// Package rtltest has one test that any design can call; it checks that the design keeps these
// rules. A monitor of the entries of a queue or link taps its ends: see [Out.Tap].
package rtl
