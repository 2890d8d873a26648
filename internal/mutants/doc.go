// Package mutants plants bugs in the hardware, one at a time, to test whether the checks find them.
//
// A mutant is a mistake that a developer could make: one pop too many, a lost mask bit, a missed
// wake-up, a short timing. It is never in a released binary: the go command compiles a changed copy
// in place of the file (build flag -overlay).
//
//	go test ./internal/mutants             # two of them
//	go test ./internal/mutants -all -v     # all, with the checker that killed each
//
// # The files
//
// The file mutants.diff in the folder of a package has its mutants. This is one:
//
//	name: pdom-lost-lanes
//	bug: the reconvergence entry gets the mask of one side
//	by: pdom
//	@@ PathStack.Diverge
//	- e.At, e.Mask = rpc, s.Mask
//	+ e.At, e.Mask = rpc, not
//
// Lines that begin with # are comments. The keys are those of [Mutant]; the names of by and claims
// are separated by spaces.
//
// The line of @@ names a function, a method (Type.Method), or a constant, variable or type of the
// package, in any of its files. The lines below it are a diff: "-" removes a line, "+" adds one,
// and a line that begins with a space stays.
//
// # Matching
//
// The lines that a diff removes or keeps are Go: expressions, statements, cases of a switch, or a
// function. They are compared as a syntax tree, so that formatting, comments and parentheses do not
// matter. If they end within a block, any statements may follow there:
//
//	@@ Coalescer.sharing
//	- case Atomic, Reduce:
//	+ case Reduce:
//	  	return left & -left
//
// They must match once. If that takes too many lines, the line of @@ selects a match:
//
//	@@ Coalescer.sharing 2 of 3
//
// A mutant without a match is reported with the place that is nearest to it.
package mutants
