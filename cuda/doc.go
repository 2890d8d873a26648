// Package cuda builds and runs whole CUDA programs, host code and all, with
// clang alone. Build compiles sources and links them with a runtime of our own
// (runtime/cudart.c), whose calls are requests over a socket; a Server answers
// them on a testbench.Session; Run starts a program with a socket to one.
//
// The folder include has CUDA's headers. Most of their device functions are
// those of clang's own CUDA headers, above the functions of runtime/device.cc,
// which has the instructions, and libclc, which has the mathematics.
package cuda
