package divergence

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
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
	// Stack appends the entries on the chip of the stack of a slot, from the bottom. The
	// top that a slot runs has its PC and mask. Nil if slots have no stack of their own.
	Stack func(p Policy, slot int, to []Entry) []Entry
	// Compacts is who is told of each warp that the mechanism makes of the threads
	// of a CTA; nil if it makes none, or others than Compacted describes.
	Compacts func(p Policy) *rtl.Observers[Compacted]
	// Branches is told of the threads of a CTA at a branch at which all of its warps wait;
	// nil if warps do not wait there, or not always.
	Branches func(p Policy) *rtl.Observers[Branched]
}

// Branched is the threads of a CTA that have executed a branch.
type Branched struct {
	CTA        uint8
	At         Point            // of the branch
	Taken, Not *units.BlockMask // by where they go
	Last       bool             // no warp is missing; without it, a warp has come
}

// Compacted is a warp on its way from the compactor to its slot.
type Compacted struct {
	Cycle  uint64
	CTA    uint8
	Slot   uint8
	First  uint8 // row of the CTA's first static warp, and its first slot
	At     Point // where the warp goes on
	Mask   uint32
	Homes  *units.Homes     // of the threads in Mask
	Left   *units.BlockMask // threads of the entry that are in no warp yet
	Entry  *units.BlockMask // all of the entry
	Warps  int              // that the entry is made into, as the mechanism counts them
	Bottom bool             // the entry is that of all live threads
	Popped int              // entries that were popped, a cycle each, before this one came to the top
	Served uint64           // cycle in which the mechanism has last executed a branch of the CTA that it had held, if it holds any
}

// PerLane is the depth of a stack of paths, each of which has a thread, or of
// forks above a bottom.
func PerLane(lanes int, _ *isa.Program) int { return lanes }
