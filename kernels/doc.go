// Package kernels holds the workloads.
//
// Each has CUDA C source, its PTX, a driver in place of the host's code, and a reference. The
// reference computes the same result on the host in another way.
//
// # Running one
//
// Find returns a Kernel by name. A Size of it makes a Workload. A Workload runs on any Machine: the
// detailed model (package runner), the golden model, or a few lines of Go in a test.
//
// Run allocates memory, copies inputs, launches as often as the algorithm needs, and copies the
// results back. Check compares every element with the reference, bit for bit.
//
//	kernel, err := kernels.Find("bitonic")
//	...
//	work := kernel.Sizes[0].New(1)
//	if err := work.Run(machine); err != nil { ... }
//	if err := work.Check(); err != nil { ... }
//
// For other sizes than those of the list, call the kernel's constructor, such as NewBitonic or
// NewLoop1. The pattern M of a loop, for instance, is an argument of NewLoop1. Inputs depend on the
// seed only.
//
// # Rules for every kernel
//
// No kernel has a data race. No thread reads the data of another without a barrier between. Threads
// write to the same place only by atomics with unused results. So memory, results and each thread's
// path are the same on every correct machine.
//
// Float arithmetic is never contracted to fma. So float32 in Go, rounded after each operation,
// gives the same bits.
//
// # Adding one
//
//  1. Write cuda/NAME.cu. Kernels start with the word KERNEL; package cudac
//     describes the rest of the header. Test i < n if the grid can be larger
//     than the data.
//  2. Run "go generate ./kernels" (it needs clang-19) and read ptx/NAME.ptx:
//     each if and each loop should be a bra.
//  3. Write NAME.go: a constructor that makes the input and the reference, a
//     Run that ends in expect calls, and a var of type Kernel. It needs two or
//     more sizes, one of which leaves a CTA partly filled.
//  4. Add the var to All. The tests of this package then cover it.
package kernels
