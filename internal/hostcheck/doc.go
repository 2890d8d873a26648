// Package hostcheck compares what the machine computes with what the processor
// of the host computes. The golden model shares the PTX front end and the
// decoded program with the machine, and cannot see a fault that lies there; a
// random C++ program that clang compiles for both shares nothing with us on the
// host's side.
//
// A program is drawn from a seed as a tree, has no undefined behaviour, and ends.
// Its threads differ in what they draw from their index. Many programs make a
// batch, which is one source text, compiled for the device at each level of
// optimisation and once for the host. Each program runs at each level under each
// mechanism, and each thread's words must be those of the host. A failure is made
// smaller on the tree.
//
// The programs of Csmith, which others wrote and which know nothing of divergence
// hardware either, run in the same way: their global variables become
// members of a struct that each thread has for itself.
package hostcheck
