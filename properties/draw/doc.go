// Package draw makes random cases: a kernel, its launch, and a machine to run it on.
//
//	seed --> New --> Case --> Compile --> Compiled --> For a mechanism
//	                  |
//	                  +--> Smaller: cases that are one step simpler
//
// A kernel is a syntax tree (Kernel, Stmt), which the emitter writes as PTX. The same seed and
// features give the same case.
package draw
