package divergence

import (
	"divergo/isa"
	"divergo/rtl"
	"divergo/units"
)

// Arrival is the unit that a mechanism counts at a CTA barrier. It applies to modules for sm_70 or
// later.
type Arrival uint8

// The units of arrival. A path is a group of threads of one warp at one PC.
const (
	// ByWarp: all threads of a warp arrive together.
	ByWarp Arrival = iota
	// ByPair is like ByPath, except that a path suspended beneath its sibling's branch cannot
	// arrive until that branch completes.
	ByPair
	// ByPath: the threads of a path arrive together and wait. At a barrier without a wait
	// (bar.arrive) the first path brings the whole warp.
	ByPath
	// ByThread: each thread arrives by itself.
	ByThread
)

// Promises are the properties of a mechanism that checkers may rely on.
type Promises struct {
	// Meets: the threads of a warp that diverge at a branch run together again from its
	// post-dominator.
	Meets bool
	// InStep: threads only join in the same iterations of all surrounding loops. The Uniform flag
	// of isa.Inst then holds for every slot.
	InStep bool
	// Moves: threads change lanes, which takes a crossbar in front of the register file.
	Moves bool
	// Across: a slot can hold threads of several CTAs of the SM.
	Across bool
	// Arrival is the unit counted at a CTA barrier.
	Arrival Arrival
	// Gathers: the threads that a .sync instruction names wait there for each other, whatever paths
	// they are on.
	Gathers bool
	// Prompt bounds the delay, in cycles, between a branch outcome and the next issue from that
	// warp. A CTA barrier or a transfer to memory may delay it further. Zero means no bound.
	Prompt int
	// Depth is the largest number of entries of a warp's stack, for warps of so many lanes. Nil or
	// a result of 0 means no bound.
	Depth func(lanes int, p *isa.Program) int
	// Stack appends the on-chip stack entries of a slot, from the bottom. The entry at the top has
	// the PC and mask of the slot. Nil means that slots have no stack of their own.
	Stack func(p Policy, slot int, to []Entry) []Entry
	// Compacts returns the observers of each warp that the mechanism forms from the threads of a
	// CTA. Nil means that it forms none, or forms warps that Compacted does not describe.
	Compacts func(p Policy) *rtl.Observers[Compacted]
	// Branches returns the observers of each branch at which all warps of a CTA wait. Nil means
	// that warps do not wait there, or not always.
	Branches func(p Policy) *rtl.Observers[Branched]
}

// Branched describes the threads of a CTA that have executed a branch.
type Branched struct {
	CTA        uint8
	At         Point            // of the branch
	Taken, Not *units.BlockMask // by branch outcome
	Last       bool             // all warps have arrived; if false, one more warp has
}

// Compacted describes a warp on its way from the compactor to its slot.
type Compacted struct {
	Cycle  uint64
	CTA    uint8
	Slot   uint8
	First  uint8 // row of the CTA's first static warp, and its first slot
	At     Point // where the warp continues
	Mask   uint64
	Homes  *units.Homes     // of the threads in Mask
	Left   *units.BlockMask // threads of the entry that are in no warp yet
	Entry  *units.BlockMask // all threads of the entry
	Warps  int              // warps made of the entry, as the mechanism counts them
	Bottom bool             // the entry is the bottom one, with all live threads
	// Popped counts the entries popped, one a cycle, before this entry became the top.
	Popped int
	// Served is the last cycle in which a held branch of the CTA was executed, for mechanisms that
	// hold branches.
	Served uint64
}

// PerLane is the depth of a stack of paths with a thread each, or of forks above a bottom entry.
func PerLane(lanes int, _ *isa.Program) int { return lanes }
