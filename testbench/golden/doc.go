// Package golden is the scalar reference model: it runs each thread of a grid
// alone, one instruction after the other, over flat memory. It knows nothing
// of warps executing together, except at instructions that are about that, of
// caches or of time.
//
// With the machine it shares only isa.Program, the address map of package isa
// and isa's approximate functions (sin, ex2 and the like), which have no
// independent reference: the manual gives them an error bound, not a value.
// Every other meaning of an instruction is written down a second time here,
// from the PTX ISA manual, for obvious correctness: a difference between the
// two is a bug in one of them.
//
// # What is compared
//
// For a program without data races the final memory, the registers of each
// thread at its exit and the sequence of PCs that each thread goes through do
// not depend on the order in which threads run, so they must be the same on
// the machine, under every mechanism. Clocks, %smid and the like depend on it;
// they read as zero here. Memory that was never written reads as zero.
//
// # Order of execution
//
// CTAs run one after the other. The threads of a CTA take turns: each runs
// until it waits at a barrier, exits, or has executed Options.Slice
// instructions. The limit lets a lock that another thread of the CTA holds be
// released; what waits for a later CTA ends by Options.MaxSteps.
//
// # Barriers
//
// bar.sync without a thread count opens when every thread of the CTA that has
// not exited waits at that barrier. With a count it opens when the warps all of
// whose live threads have arrived make up that many threads; a warp that the
// CTA does not fill counts as a whole (PTX ISA, section 9.7.12.1). Threads that
// can never go on are a deadlock, and the result names them.
//
// # Threads of a warp
//
// A thread waits at a vote, a shuffle and the like until those are there that
// execute it together: with .sync all that its membermask names and that have not
// exited, at the same instruction; without, those of a group that the machine has
// formed (Options.Together), or all of the warp.
package golden
