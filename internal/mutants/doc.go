// Package mutants plants bugs in the hardware, one at a time, to see whether the checks find them.
//
// A mutant is a change that a person could have made: a pop too many, a lost mask bit, a missed
// wake-up, a timing short by one. It is never in a binary that ships: the go command compiles a
// changed copy of the file in place of the file (build flag -overlay).
//
//	go test ./internal/mutants             # two of them
//	go test ./internal/mutants -all -v     # all, with the checker that killed each
//
// # The files
//
// The mutants of a package are in a file mutants.diff in its folder. This is one:
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
// package, in any of its files. The lines below it are a diff: "-" is removed, "+" is added, and a
// line that begins with a space stays.
//
// # Matching
//
// What a diff removes or keeps is Go: expressions, statements, cases of a switch, or a function. It
// is compared as a syntax tree, so that formatting, comments and parentheses do not matter. Where it
// ends within a block, any statements may follow there:
//
//	@@ Coalescer.sharing
//	- case Atomic, Reduce:
//	+ case Reduce:
//	  	return left & -left
//
// It must be there once. Where that takes too many lines, the line of @@ says which one is meant:
//
//	@@ Coalescer.sharing 2 of 3
//
// A mutant without a match is reported with the place that comes nearest to it.
package mutants
