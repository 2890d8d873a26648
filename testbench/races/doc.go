// Package races finds data races in the kernels that a machine runs. In a data race two threads
// access the same byte, at least one of them writes, and nothing orders the two accesses.
//
// A Detector observes the issue of instructions. It reads addresses and values from the register
// file, where they are complete when an instruction issues. So it sees the accesses of a thread in
// program order. It changes nothing of the machine.
//
// # What orders two accesses
//
// Two accesses are ordered by happens-before, as in FastTrack (Flanagan & Freund, PLDI 2009,
// section 3). Each thread has a clock. For each other thread, it knows the clock up to which that
// thread's accesses come before its own. It learns this
//
//   - at a barrier of its CTA, from all threads that have arrived, bar.arrive included, and from
//     those that have exited;
//   - at bar.warp.sync, from the threads of the member mask;
//   - from a strong read (atomic, volatile, relaxed or acquire), from the threads that wrote to the
//     address with a release, or strongly after a fence.
//
// Each launch begins with new clocks.
//
// # What is no race
//
//   - Two strong accesses.
//   - Two writes of the same value: every order gives the same memory. Programs raise flags so.
//   - A weak read of global memory beside an atomic. Our reading: programs look at a word before they
//     update it. In shared memory this is a race, because a barrier is missing.
//   - Accesses of one warp by different instructions, in a module for less than sm_70: a warp runs in
//     step there.
//
// Our reading: a strong read acquires without a fence after it, because programs leave that order to
// the control flow.
//
// # What goes unseen
//
// A reported race is a race; an unreported one may exist.
//
//   - For each byte the detector keeps the last write, and two later reads by different threads. It
//     may miss a race with another reader, or with accesses that an ordered write has replaced.
//   - It misses a race that does not occur with the data of the run.
//   - Threads may release and acquire so often that their clocks would take longer than the run. A
//     strong read then acquires everything issued before it. That hides races, and reports no false
//     ones.
//   - The store of an asynchronous copy counts when the copy issues.
package races
