// Package gpucheck compares results with those of a real GPU. It writes cases: kernels with their
// launches, their data and the results of the golden model. The CUDA program run.cu, which knows
// nothing of divergo, runs them on a GPU and lists those that differ there.
//
//	go run ./internal/gpucheck/cases forms > forms.bin
//	go run ./internal/gpucheck/cases kernels 0 10000 > kernels.bin
//	nvcc -std=c++17 -o run internal/gpucheck/run.cu -lcuda
//	./run forms.bin
//
// There are two kinds of cases. Each form of a computing instruction runs on operands at the edges of
// their types and on random ones. And there are the random kernels of package draw, in which what PTX
// leaves open is set: registers and memory begin with zeros.
//
// The file testdata/h200.txt holds a hash of what each form gave on an H200. A test compares it with the
// golden model and with the datapath, without a GPU.
package gpucheck
