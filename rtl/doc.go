// Package rtl is a kernel for clocked hardware written as plain Go. It knows registers, wires, queues, memories and
// clocks; it knows nothing of what they are used for.
//
// # Modules
//
// A module is a pointer to a struct with a method Tick. Its fields are its registers and ports:
//
//	type Encoder struct {
//		rtl.State[encoderState]                // registers
//		Req                    *rtl.Wire[uint8] // input: a pointer to a wire
//		Grant                  rtl.Wire[uint8]  // output: a wire
//		Out                    rtl.Out[Job]     // end of a queue
//		Table                  *rtl.Mem[Row]    // memory
//		Loader                 *Loader          // another module: its registers and memories may be read
//		sim                    *rtl.Sim         // filled in at elaboration: Now, WakeAt
//		latency                uint64           // anything else is a parameter: Tick leaves it as it was
//		sums                   [4]uint32        `rtl:"scratch"` // but this is for the time of a Tick, wires without a name
//	}
//
// Tick computes the next state D from the present state Q and the inputs, sets the outputs, pushes and pops. It must
// depend on nothing else: no other variable, no wall clock. All that is stored is plain data (sized numbers, booleans,
// arrays and structs of them), so a design can be copied, compared and traced without help from its author.
//
// [New] elaborates a design: it walks the fields of the root, names each part by its path ("gpu.sm[3].issue"),
// finds out who reads what, orders the processes and refuses what is not hardware: two drivers, a combinational loop,
// an end that is not connected, a register that holds a pointer.
//
//   - A struct without Tick is a container: it only holds modules, and what it points to is walked too. A module met
//     there is a submodule. Queue ends and wires of a container belong to the testbench, unless a module has them.
//   - In a module, a pointer (or an interface that holds one) to another module means that it reads it. With the tag
//     `rtl:"own"` it is a submodule as well. Pointers to structs without Tick are ignored; with `rtl:"own"`, or held
//     by value or embedded, they are parts of the module. A named field of a module type, held by value, is a submodule.
//   - `rtl:"scratch"` is what a Tick needs for itself and writes before it reads. [Sim.RunChecked] makes nonsense of it
//     before each Tick, and finds parameters that a Tick has changed.
//   - `rtl:"inplace"` has the module of the field write a [State] or [Mem] in place, behind all who read it.
//   - `rtl:"optional"` allows an unconnected port, `rtl:"-"` hides a field, `bits:"5"` gives the width of a register and
//     `trace:"true"` shows the entries of a memory in waveforms, by the name of the field that has it.
//   - How much storage a design is, says [Sim.Storage]. A type that has room for the largest configuration can have a size
//     of this one by name: `bits:"lanes"` the bits of each number, `len:"lanes"` the elements of an array, and
//     `if:"option"` whether there is such a field at all. `rtl:"sim"` marks what only the simulation needs: counters,
//     time stamps.
//   - A field may have several words: `rtl:"sim,inplace"`.
//   - A module whose logic has to run at two places in the order of wires lists [Proc]s by a method Processes instead.
//
// # A cycle
//
// First the awake processes run, once each, in the order that the wires demand. A wire that changes wakes its readers
// for this same cycle. Then comes the edge: the next state becomes the present one, pushes, pops and writes take
// effect, and whoever reads what has changed is awake in the next cycle. All others sleep: a process must be a function
// of its fields, so to run it again would change nothing. [Sim.RunChecked] finds those that are not.
// A process that waits for a cycle says so by [Sim.WakeAt]. Cycles in which all sleep are skipped.
//
// What a testbench does between runs (pushes, pops, pins, Init) belongs to the cycle before the next.
//
// # What it costs
//
//	process, evaluated            8 to 15 ns, and what its Tick does
//	State                         compared: 3 to 15 ns for 32 B to 1 KiB; copied, if it changed: the same again
//	Wire                          1 ns; but it orders processes, so use it only where a register will not do
//	Queue                         10 ns for an entry that goes in and comes out; with Latency 30 ns
//	Mem                           10 ns for a written entry, and its copy
//	Link                          35 ns for an entry
//	WakeAt                        15 ns
//	sleeping module, idle cycle   nothing
//
// Nothing allocates once the design runs.
//
// # Clock domains and islands
//
// A [Sim] is one clock domain. A [System] runs several, of different frequencies or to use several processors, joined
// by [Link]s. The results do not depend on how many processors are used.
//
// # Tests
//
// Package rtltest has one test that any design can call; it checks that the design keeps the promises above. A monitor
// of what goes through a queue or link taps its ends: see [Out.Tap].
package rtl
