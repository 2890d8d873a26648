// Package verify compares the machine with the golden model, launch by launch.
//
// The golden model (package golden) executes each thread alone, one
// instruction after the other, with arithmetic of its own. The machine executes
// warps under a divergence mechanism, and moves every value through pipes,
// caches and DRAM. For a program without data races both must agree on
//
//   - every thread's sequence of PCs,
//   - its general registers and predicates when it exits,
//   - every byte of device memory that the host allocated or the module declares,
//   - what they print, in any order,
//   - the number of thread instructions, which on the machine is the sum of the
//     active lanes of all issued instructions: nothing is executed twice.
//
// While the machine runs, a watcher at each SM also checks what holds for any
// program: no instruction issues with an empty mask, none for a lane without
// a live thread (never started, or exited already), one instruction at a time
// for each SM.
//
// # Use
//
// [Run] is one launch on a session, compared; [RunStrict] compares each value that a thread writes to a register, too. [New] makes of a session a machine
// for the workloads of package kernels that compares every launch of theirs:
//
//	m := verify.New(session)
//	if err := workload.Run(m); err != nil { ... }
//
// The golden model starts from the machine's memory as it is before the launch, so each
// launch is judged by itself. The error is a [*Mismatch], whose text names the first
// threads, instructions, registers and addresses that differ. A fault that the golden
// model runs into as well is no mismatch but a *testbench.Outcome, as in a run without
// comparison. A deadlock on the machine alone is a mismatch that wraps one: a
// mechanism that cannot finish what threads one by one can.
//
// # What cannot be compared
//
// What an atomic returns depends on the order in which threads come, %clock on
// time and %smid on place: the registers that hold these, or are computed from
// them, are left out at the exit. A program that decides by them, or stores
// them, differs with good reason, and so does a program with data races. Shared
// and local memory die with their threads: what they held is seen in what
// threads loaded from it. The print buffer is compared record by record, and not
// if it was too small: which records found no room depends on the order.
//
// # What it costs
//
// About half as much time again as the run without comparison, of which the golden model
// takes one half and the watchers the other. They keep 8 bytes for each issued
// warp instruction and the exit registers of all threads until the end of the
// launch. The machine's timing does not change. A launch that differs runs again on
// the golden model with every sequence of PCs kept, 4 bytes for each thread
// instruction.
package verify
