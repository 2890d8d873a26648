// Package cuda builds and runs whole CUDA programs, host code included, with no compiler but clang.
//
// Build compiles sources and links them with a runtime of our own (runtime/cudart.c). The runtime
// sends its calls as requests over a socket. A Server answers them on a testbench.Session. Run
// starts a program with a socket to a Server.
//
// The folder include holds CUDA's headers. Most of their device functions come from clang's own
// CUDA headers. These call the instructions in runtime/device.cc and the mathematics in libclc.
package cuda
