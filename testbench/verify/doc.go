// Package verify compares the machine with the golden model, launch by launch.
//
// The golden model (package golden) executes each thread by itself, one instruction after the other,
// with arithmetic of its own. The machine executes warps under a divergence mechanism, and moves every
// value through pipes, caches and DRAM. For a program without data races both must agree on
//
//   - every thread's sequence of PCs,
//   - its general registers and predicates when it exits,
//   - every byte of device memory that the host allocated or the module declares,
//   - the printed records, in any order,
//   - the number of thread instructions: on the machine, the sum of the active lanes of all issued
//     instructions. So nothing is executed twice.
//
// While the machine runs, a watcher at each SM also checks rules that hold for any program:
//
//   - No instruction issues with an empty mask.
//   - No instruction issues for a lane without a live thread.
//   - An SM does not issue more instructions in a cycle than it can, nor two in one lane.
//
// # Use
//
// [Run] performs one launch on a session and compares it. [RunStrict] also compares each value that a
// thread writes to a register. [New] turns a session into a machine for the workloads of package
// kernels, which compares each of their launches:
//
//	m := verify.New(session)
//	if err := workload.Run(m); err != nil { ... }
//
// The golden model starts from the machine's memory before the launch, so each launch is judged by
// itself. The error is a [*Mismatch]. Its text names the first threads, instructions, registers and
// addresses that differ. If the golden model has the same fault, the error is a *testbench.Outcome, as
// in a run without comparison. A deadlock of the machine only is a mismatch that wraps an Outcome: the
// mechanism cannot finish threads that can finish one by one.
//
// # What cannot be compared
//
//   - The result of an atomic depends on the order of threads, %clock on time, and %smid on place.
//     Registers with these values, or computed from them, are not compared at the exit.
//   - A program that branches on such values, or stores them, differs legitimately. So does a program
//     with data races.
//   - Shared and local memory end with their threads. Their contents are seen only in loaded registers.
//   - The print buffer is compared record by record, but not if it overflowed: the dropped records
//     depend on the order.
//
// # What it costs
//
// A comparison adds about half of the run time: one half of that for the golden model, the other for
// the watchers. Until the end of the launch the watchers keep 8 bytes for each issued warp instruction,
// and the exit registers of all threads. The machine's timing does not change. A launch that differs
// runs again on the golden model, which then keeps every sequence of PCs: 4 bytes for each thread
// instruction. A [Recall] lets several machines take one run of the golden model.
package verify
