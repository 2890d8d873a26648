package divergence

import (
	"divergo/isa"
)

// Arrival is who counts at a CTA barrier, in a module for sm_70 or later.
type Arrival uint8

// The ways to arrive.
const (
	ByWarp   Arrival = iota // a warp, all of whose threads come at once
	ByPair                  // as ByPath, but not one that a branch of its sibling covers, which comes to no barrier before that branch has ended
	ByPath                  // those of a path, which wait for themselves; where they need not wait, all of the warp
	ByThread                // each thread
)

// Promises are what a mechanism says of itself to those who check it.
type Promises struct {
	// Meets: the threads of a warp that part at a branch go on together from its
	// post-dominator.
	Meets bool
	// InStep: threads are only brought together in the same iterations of all loops
	// around, so that isa.Inst's Uniform holds for them.
	InStep bool
	// Moves: threads change their lanes, for which there is a crossbar in front of
	// the register file.
	Moves bool
	// Across: threads of several CTAs of the SM are brought together.
	Across bool
	// Arrival is who counts at a CTA barrier.
	Arrival Arrival
	// Gathers: threads that a .sync instruction names wait for each other there, on
	// whatever paths they come.
	Gathers bool
	// Prompt bounds the delay, in cycles, between a branch outcome and the next issue from
	// that warp. Threads at a CTA barrier, and words on their way to memory, may delay it
	// further. Zero means no bound.
	Prompt int
	// Depth is how many entries a stack never exceeds, with warps of so many lanes;
	// nil, or 0, if there is no such bound.
	Depth func(lanes int, p *isa.Program) int
}

// PerLane is the depth of a stack of paths, each of which has a thread, or of
// forks above a bottom.
func PerLane(lanes int, _ *isa.Program) int { return lanes }
