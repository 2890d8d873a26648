package kernels

import (
	"errors"
	"image"

	"divergo/internal/nearest"
)

// Machine runs the kernels of a workload. Addresses are those of the device's global memory.
type Machine interface {
	// Alloc returns the address of new zeroed memory, aligned for any type.
	Alloc(bytes int) uint64
	Write(addr uint64, data []byte)
	Read(addr uint64, data []byte)
	// Launch runs a grid to completion and makes its stores visible to Read.
	Launch(Call) error
}

// Call is the launch of a kernel's grid, by names.
type Call struct {
	Module string    // file name of the PTX module; PTX returns its text
	Kernel string    // entry of the module
	Grid   [3]uint32 // CTAs in x, y and z
	Block  [3]uint32 // threads of a CTA in x, y and z
	Shared uint32    // bytes of dynamic shared memory of a CTA
	Params []byte    // the parameter bank: each parameter at its natural alignment
}

// Workload is a kernel with its input and its expected results.
type Workload interface {
	// Run executes the host's part on m. A workload can run any number of times.
	Run(m Machine) error
	// Check compares the results of the last Run with the reference, bit for bit. Its error names
	// the first element that differs.
	Check() error
	// Mismatch counts the elements of the last Run's results: those that differ from the reference,
	// and all.
	Mismatch() (wrong, total int)
	// Results returns the results of the last Run, for users that accept errors: see package
	// quality.
	Results() []Result
}

// Result is an array computed by a Run, and its reference. Both are []uint8, []int32, []uint32 or
// []float32.
type Result struct {
	Name      string
	Got, Want any
}

// Metric measures the error of a result, as Sartori & Kumar do for the benchmark (Branch and Data
// Herding, 2012, section VII).
type Metric uint8

// The error metrics.
const (
	MismatchingBytes Metric = iota // the fraction of the bytes of all results that differ
	// mean difference of the first result's elements, as a fraction of their mean magnitude
	MeanDifference
)

// String returns the name of the metric.
func (m Metric) String() string { return [...]string{"mismatching bytes", "mean difference"}[m] }

// Picture is a Workload whose result is a picture. Image draws the result of the last Run.
type Picture interface {
	Workload
	Image() image.Image
}

// Kernel is an entry of the suite.
type Kernel struct {
	Name    string
	Doc     string // its computation, in one line
	Source  string // origin of the algorithm, and the paper that measures it
	Control string // its control flow
	Result  string // reference of the result
	Metric  Metric // error metric, for users that accept errors
	// Votes is set if all threads of a warp vote and shuffle together. Such a kernel is for sm_70,
	// where addresses have 64 bits. It ends in a fault under dwf, which does not reassemble
	// diverged warps.
	Votes bool
	Sizes []Size // in ascending order of work; the first is the default
}

// Size is one configuration of a kernel. New makes the workload; the seed determines the input.
type Size struct {
	Name string
	Doc  string // problem size and launch shape
	New  func(seed uint64) Workload
}

// All returns the suite in the order of the documentation: from no divergence to much.
func All() []Kernel {
	return []Kernel{
		vecadd, matmul, convolution, histogram, laplace, quasirandom, reduction, compact, bitonic, sortnet, blocksort,
		backprop,
		bfs, aesKernel, coulomb, libor, streamcluster, store, nearestKernel, leukocyte, spheres, galerkin, weather,
		mergesort, heartwall, haar, fdtd3d, eigenvaluesKernel, facedetect, hotspot, mummer, mummerpp, namd,
		persistent, pathfinder, shortcircuit, exceptions, gotos, coroutine, sobel, mandelbrot, mandelbrot20,
		loop1, loop2, queens,
		nbody, oceanfft, binomial, gaussian, lbm, histogram64, sobelfilter, sad, dxtc, particles, volumerender, julia,
	}
}

// Module returns the file name of the PTX module of the kernel's first launch.
func (k Kernel) Module() string {
	calls, err := Outline(k.Sizes[0].New(1), 1)
	if err != nil || len(calls) == 0 {
		return ""
	}
	return calls[0].Module
}

// Outline returns the first launches of a workload, at most the given number, without executing
// them. Reads give zeros, so a workload whose host waits for results may launch others.
func Outline(w Workload, most int) ([]Call, error) {
	o := outline{most: most, end: 256}
	if err := w.Run(&o); err != nil && !errors.Is(err, errEnough) {
		return nil, err
	}
	return o.calls, nil
}

// outline is a Machine that records launches and executes nothing.
type outline struct {
	calls []Call
	most  int
	end   uint64 // of what is allocated
}

// errEnough ends a workload that has launched enough.
var errEnough = errors.New("outline has enough launches")

// Alloc implements Machine.
func (o *outline) Alloc(bytes int) uint64 {
	at := o.end
	o.end += (uint64(bytes) + 255) &^ 255
	return at
}

// Write implements Machine.
func (o *outline) Write(uint64, []byte) {}

// Read implements Machine.
func (o *outline) Read(uint64, []byte) {}

// Launch implements Machine.
func (o *outline) Launch(c Call) error {
	if o.calls = append(o.calls, c); len(o.calls) == o.most {
		return errEnough
	}
	return nil
}

// Find returns the kernel of a name. Its error suggests the nearest name.
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

// Size returns the size of a name. Its error suggests the nearest name.
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
