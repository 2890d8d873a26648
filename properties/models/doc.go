// Package models predicts which threads issue which instruction under a mechanism.
//
// Each file is a model of one mechanism, of 30 to 250 lines, written from its paper and without the
// code of the mechanism in view. It has no clock. A model says which groups of threads can issue,
// and is told which of them issued and how its branch went.
//
//	issue, outcome --> Watch --> Model: Ready, Step
//	                     |
//	                     +--> Mismatch: issued by the hardware, and what the model has instead
//
// The models of package books watch every event of a run, and share readings of the papers with the
// hardware. The ones here share the program alone, with the points of convergence that the compiler
// found.
package models
