// Package golden is the scalar reference model. It runs each thread of a grid by itself, one
// instruction after the other, over flat memory. It models no caches and no time. It models a warp
// only at the instructions that are defined on warps.
//
// The model shares three things with the machine: isa.Program, the address map of package isa, and
// isa's approximate functions (sin, ex2 and the like). Those functions have no independent reference:
// the manual gives an error bound, not a value. Every other instruction is implemented here a second
// time from the PTX ISA manual, in the most obvious way. A difference between the two is a bug in one
// of them.
//
// # What is compared
//
// In a program without data races three results do not depend on the order of threads:
//
//   - the final memory,
//   - the registers of each thread at its exit,
//   - each thread's sequence of PCs.
//
// They must be the same on the machine, under every mechanism. Clocks, %smid and the like depend on
// the order; they read as zero here. Memory that was never written reads as zero.
//
// # Order of execution
//
// CTAs run one after the other. The threads of a CTA take turns. Each runs until it waits at a
// barrier, exits, or has executed Options.Slice instructions. This limit lets another thread of the
// CTA release a lock. A thread that waits for a later CTA is ended by Options.MaxSteps.
//
// # Barriers
//
// bar.sync without a thread count opens when every live thread of the CTA waits at that barrier. A
// thread count asks for that many threads in complete warps: a warp counts when all of its live threads
// have arrived. A warp that the CTA does not fill counts as a whole (PTX ISA, section 9.7.12.1).
// Threads that can never continue are a deadlock, and the result names them.
//
// # Threads of a warp
//
// A thread waits at a vote, a shuffle and the like until all threads have arrived that execute it
// together. With .sync these are the live threads of its membermask, at the same instruction. Without
// .sync they are a group that the machine has formed (Options.Together), or else all live threads of
// the warp.
package golden
