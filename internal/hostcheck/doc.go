// Package hostcheck compares the results of the machine with those of the host's processor. The
// golden model shares the PTX front end and the decoded program with the machine, so it cannot find
// a fault in them. A random C++ program that clang compiles for both shares no code of divergo on
// the host's side.
//
// A program is drawn from a seed as a tree, has no undefined behaviour, and ends. Its threads
// differ in the values that they derive from their index. Many programs make a batch: one source
// text, compiled for the device at each level of optimisation and once for the host. Each program
// runs at each level under each mechanism. The words of each thread must equal those of the host. A
// failure is made smaller on the tree.
//
// The programs of Csmith run in the same way. Others wrote Csmith, and it too is independent of
// divergence hardware. The global variables of its programs become members of a struct, and each
// thread has its own.
package hostcheck
