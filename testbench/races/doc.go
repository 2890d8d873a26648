// Package races finds data races in the kernels that a machine runs: two threads access the
// same byte, at least one of them writes, and nothing orders the two.
//
// A Detector listens to the issue of instructions. It reads addresses and values from the
// register file, where they are complete when an instruction issues, and so takes the
// accesses of a thread in the order of its program. Nothing of the machine changes.
//
// What orders two accesses is happens-before, in the manner of FastTrack (Flanagan &
// Freund, PLDI 2009, section 3). Each thread has a clock, and knows of each other thread
// up to which clock its accesses come before. It learns that
//
//   - at a barrier of its CTA, of all threads that have arrived, bar.arrive included, and of
//     those that have exited;
//   - at bar.warp.sync, of the threads that the member mask names;
//   - from a strong read (atomic, volatile, relaxed or acquire), of the threads that wrote
//     to the address with a release, or strongly behind a fence.
//
// Each launch begins anew. Two strong accesses are no race. Our readings: a strong read
// acquires without a fence behind it, since programs leave that to the control flow; a weak
// read of global memory beside an atomic is no race, since programs look at a word before
// they update it. In shared memory it is one: there a barrier is missing.
//
// Two writes of the same value are no race, since every order gives the same memory:
// flags that many threads raise. In a module for less than sm_70 instructions of one warp
// are in order, since a warp runs in step there.
//
// Where threads release and acquire so often that their clocks would take longer than the
// run, a strong read acquires all that has issued before it. That hides races, and makes none.
//
// For each byte the last write is kept, and of the reads since then two, of different
// threads. A race with another reader, or with what an ordered write has replaced, may go
// unseen, as may one that does not occur with the data of the run: what is reported is a
// race, what is not may still be one. The store of an asynchronous copy counts when it issues.
package races
