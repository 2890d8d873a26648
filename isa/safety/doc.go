// Package safety finds the branches and loads of a kernel that can be herded without a fault, a
// deadlock or an infinite loop. A herded branch may lead lanes the wrong way, and a herded load may
// give lanes another block than they requested. With safe ones, only values in memory can become
// wrong (J. Sartori & R. Kumar, Branch and Data Herding, 2012, section V and figure 11).
//
// # Vulnerable operations
//
// An error must not reach:
//
//   - the address of a load, store, atomic or asynchronous copy;
//   - the divisor of an integer division;
//   - the bound of a loop;
//   - the target of an indirect branch or call;
//   - the participating threads of a barrier, a vote, a shuffle or a matrix instruction;
//   - the decision whether a thread executes one of these, calls a function or executes trap.
//
// The paper works on the syntax tree of C and names the first three. Here they are instructions,
// and the last three are added.
//
// Three operations are not vulnerable:
//
//   - An access whose address cannot leave a variable of known size, whatever the registers hold.
//     An example is an index into shared memory or a module variable that is a byte, or masked, or
//     clamped by constants.
//   - A division whose divisor cannot be 0.
//   - A loop with a counting exit, for all of its other exits. The counter must then be exact, and
//     the other exits can be herded (Mandelbrot).
//
// # Dependences
//
// The analysis goes backwards from the vulnerable operations, breadth first. The chain that it
// reports for an unsafe branch or load is therefore a shortest one.
//
//   - An exact value needs exact sources. Where paths with different definitions of it meet, it
//     needs the branch at which they diverge. Behind a loop those are the exits of the loop.
//   - An exact execution needs all branches on which the place is control dependent.
//   - An exact load needs everything that is stored to the same array.
//
// All branches and loads without such a dependence are safe, even if all are herded at once.
//
// # What it assumes
//
// The kernel, without herding, neither faults nor hangs. Pointers in different kernel parameters
// lead to different arrays, and an address computed from one stays in its array. Shared memory
// counts as one array, and so does local memory. A pointer that was itself loaded may lead
// anywhere. At the start of the kernel, the arrays that it reads hold the same as without herding,
// except for those that it writes.
//
// Functions are analysed together with the kernel. Each register and local memory that they share
// is one value, and a call is vulnerable. Division by zero faults on no GPU, but programs test for
// it as if it did.
//
// Time and memory grow with the size of the program. If a program is too entangled for that, the
// analysis gives up and reports everything as unsafe.
package safety
