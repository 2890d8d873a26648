// Package kernels holds the workloads: for each, CUDA C source, its PTX, a
// driver that plays the host's part, and a reference that computes the same
// answer on the host in another way.
//
// # Running one
//
// Find names a Kernel, a Size of it makes a Workload, and a Workload runs on
// any Machine: the detailed model (package runner), the golden model, or a few
// lines of Go in a test. Run allocates, copies inputs, launches as often as the
// algorithm asks and copies the results back; Check compares every element with
// the reference, bit for bit.
//
//	kernel, err := kernels.Find("bitonic")
//	...
//	work := kernel.Sizes[0].New(1)
//	if err := work.Run(machine); err != nil { ... }
//	if err := work.Check(); err != nil { ... }
//
// A size that the list lacks comes from the kernel's constructor, such as
// NewBitonic or NewLoop1; the pattern M of a loop, for instance, is an
// argument there. Inputs depend on the seed alone.
//
// # What every kernel keeps to
//
// No kernel has a data race: no thread reads what another writes without a
// barrier between, and threads that write one place do so by atomics whose
// results nobody uses. Memory, results and each thread's way through the
// program are therefore the same on every correct machine. Float arithmetic
// is never contracted to fma, so plain float32 in Go, rounded after each
// operation, gives the same bits.
//
// # Adding one
//
//  1. Write cuda/NAME.cu. Kernels start with the word KERNEL; package cudac
//     says what else the header has. Test i < n where the grid can be larger
//     than the data.
//  2. Run "go generate ./kernels" (it needs clang-19) and read ptx/NAME.ptx:
//     each if and each loop should be a bra.
//  3. Write NAME.go: a constructor that makes the input and the reference, a
//     Run that ends in expect calls, and a var of type Kernel with two or more
//     sizes, one of which leaves a CTA partly filled.
//  4. Add the var to All. The tests of this package then cover it.
package kernels
