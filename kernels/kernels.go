package kernels

import (
	"image"

	"divergo/internal/nearest"
)

// Machine is what a workload needs of the machine that runs it. Addresses are
// those of the device's global memory.
type Machine interface {
	// Alloc returns the address of fresh zeroed memory, aligned for any type.
	Alloc(bytes int) uint64
	Write(addr uint64, data []byte)
	Read(addr uint64, data []byte)
	// Launch runs a grid to completion and makes its stores visible to Read.
	Launch(Call) error
}

// Call is the launch of a grid of a kernel, by names.
type Call struct {
	Module string    // file name of the PTX module; PTX returns its text
	Kernel string    // entry of the module
	Grid   [3]uint32 // CTAs in x, y and z
	Block  [3]uint32 // threads of a CTA in x, y and z
	Shared uint32    // bytes of dynamic shared memory of a CTA
	Params []byte    // the parameter bank: each parameter at its natural alignment
}

// Workload is a kernel with its input and the answer that it must give.
type Workload interface {
	// Run plays the host's part on m. A workload runs any number of times.
	Run(m Machine) error
	// Check compares the results of the last Run with the reference, bit for
	// bit, and names the first element that differs.
	Check() error
	// Mismatch counts the elements of the last Run's results that differ from
	// the reference, of total.
	Mismatch() (wrong, total int)
	// Results are those of the last Run, for what accepts errors: see package quality.
	Results() []Result
}

// Result is an array that a Run has computed, and its reference: both []uint8,
// []int32, []uint32 or []float32.
type Result struct {
	Name      string
	Got, Want any
}

// Metric is how far off a result is: what Sartori & Kumar (Branch and Data Herding,
// 2012, section VII) take for the benchmark.
type Metric uint8

// The metrics.
const (
	MismatchingBytes Metric = iota // the fraction of the bytes of all results that differ
	MeanDifference                 // of the elements of the first result, as a fraction of the mean magnitude
)

// String names the metric.
func (m Metric) String() string { return [...]string{"mismatching bytes", "mean difference"}[m] }

// Picture is a Workload whose result can be looked at. Image draws the result
// of the last Run.
type Picture interface {
	Workload
	Image() image.Image
}

// Kernel is one entry of the suite.
type Kernel struct {
	Name    string
	Doc     string // what it computes, in one line
	Source  string // where the algorithm comes from and which paper measures it
	Control string // the control flow that it shows
	Result  string // what the result is compared with
	Metric  Metric // of the result, if errors are accepted
	// Votes says that all threads of a warp vote and shuffle together. Such a kernel is for sm_70, where addresses
	// have 64 bits, and ends in a fault where a warp that has parted is not put together again (dwf).
	Votes bool
	Sizes []Size // in ascending order of work; the first is the default
}

// Size is one configuration of a kernel. New makes the workload; the seed
// fixes the input.
type Size struct {
	Name string
	Doc  string // problem size and launch shape
	New  func(seed uint64) Workload
}

// All is the suite, in the order of the documentation: from no divergence to
// much.
func All() []Kernel {
	return []Kernel{
		vecadd, matmul, convolution, histogram, laplace, quasirandom, reduction, compact, bitonic, sortnet, blocksort, backprop,
		bfs, aesKernel, coulomb, libor, streamcluster, store, nearestKernel, leukocyte, spheres, galerkin, weather, mergesort, heartwall, haar, fdtd3d, eigenvaluesKernel, facedetect, hotspot, mummer, mummerpp, namd, persistent, pathfinder, shortcircuit, exceptions, gotos, coroutine, sobel, mandelbrot, loop1, loop2, queens,
		nbody, oceanfft, binomial, gaussian, lbm, histogram64, sobelfilter, sad, dxtc, particles, volumerender, julia,
	}
}

// Find returns the kernel of that name. The error suggests the nearest one.
func Find(name string) (Kernel, error) {
	var names []string
	for _, k := range All() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return Kernel{}, nearest.Unknown("kernel", name, names)
}

// Size returns the size of that name. The error suggests the nearest one.
func (k Kernel) Size(name string) (Size, error) {
	var names []string
	for _, s := range k.Sizes {
		if s.Name == name {
			return s, nil
		}
		names = append(names, s.Name)
	}
	return Size{}, nearest.Unknown("size of "+k.Name, name, names)
}
