// Package safety finds the branches and loads of a kernel that can be herded
// without a fault, a deadlock or a loop that never ends: whatever the lanes that
// a herded branch leads the wrong way compute, and whatever a herded load gives
// the lanes that asked for another block, only values in memory can become wrong
// (J. Sartori and R. Kumar, Branch and Data Herding, 2012, section V and figure 11).
//
// # Vulnerable operations
//
// An error must not reach: the address of a load, store, atomic or asynchronous
// copy; the divisor of an integer division; what bounds a loop; the target of an
// indirect branch or call; what a barrier, a vote, a shuffle or a matrix
// instruction is told of its threads; and whether a thread executes one of them,
// calls a function or executes trap. The paper works on the syntax tree of C and names
// the first three; here they are instructions, and the last ones are added.
//
// Three things are not vulnerable. An access whose address cannot leave a variable
// of known size, whatever the registers hold: an index that is a byte, or masked, or
// clamped by constants, into shared memory or a variable of the module. A division by
// what cannot be 0. A loop, for all its exits but one, if that one counts: it is then
// the counter that must be exact, and the others can be herded (Mandelbrot).
//
// # Dependences
//
// From the vulnerable operations the analysis goes backwards, breadth first, so that the
// chain that it reports for an unsafe branch or load is a shortest one. An exact
// value needs exact sources, and, where ways meet that bring different definitions of it, the
// branch at which they part; behind a loop those are the exits of the loop. An
// exact execution needs all branches that the place is control dependent on. An
// exact load needs all that is stored to the same array. A branch or load that
// nothing needs is safe, with all other safe ones at once.
//
// # What it assumes
//
// The kernel as it is, without herding, neither faults nor hangs. Pointers in different
// kernel parameters lead to different arrays, and an address that is computed from
// one stays in its array. Shared memory counts as one array, local memory too, and a
// pointer that was itself loaded may lead anywhere. Arrays that the kernel reads hold the
// same as without herding when it starts, but for those that it writes itself. Functions are
// analysed together with the kernel: what they share with others, registers and
// local memory, is one value each; a call is vulnerable. Division by
// zero faults on no GPU, but programs test for it as if it did.
//
// Time and memory grow with the size of the program. Where a program is so
// entangled that they would not, the analysis gives up and calls everything unsafe.
package safety
