package sm

import (
	"math/bits"

	"divergo/internal/key"
)

// Skip says which cycles a warp does not need that enters a pipe with fewer lanes
// than it has threads.
type Skip string

// The ways to skip.
const (
	SkipNone Skip = "none"
	SkipBCC  Skip = "bcc"
	SkipSCC  Skip = "scc"
)

// entry is how many groups of width lanes enter a pipe for a warp of so many
// lanes, of which those of mask execute: one each cycle.
type entry func(mask uint32, lanes, width int) int

// skips is intra-warp compaction (Vaidya et al., SIMD Divergence Optimization
// through Intra-Warp Compaction, ISCA 2013), which leaves a warp as it is and
// leaves out cycles of its execution. Lanes 0 to 15 in a pipe of 4 lanes, of
// which those marked execute:
//
//	      lanes             none    bcc     scc
//	 0  1  2  3  | x - - -  cycle 0 cycle 0 cycle 0   0  4 14 15
//	 4  5  6  7  | x - - -  cycle 1 cycle 1
//	 8  9 10 11  | - - - -  cycle 2
//	12 13 14 15  | - - x x  cycle 3 cycle 2
//
// The paper's groups are the quads of an execution unit of 4 lanes; here they are
// as wide as the pipe. Its swizzle takes each operand of a cycle from any quad and
// from any lane of it, and puts results back, so that the cycles are those of as
// many lanes as execute. An instruction that no lane executes passes in a cycle.
var skips = key.Choices[Skip, entry]{}.
	With(SkipNone, "none: a warp takes warp_size / simd_width cycles, whatever lanes execute", func(_ uint32, lanes, width int) int { return lanes / width }).
	With(SkipBCC, "basic cycle compression: groups of simd_width neighbouring lanes of which none executes", func(mask uint32, _, width int) int {
		n := 0
		for group := uint32(1)<<width - 1; mask != 0; n++ {
			mask &^= group << (bits.TrailingZeros32(mask) / width * width)
		}
		return max(n, 1)
	}).
	With(SkipSCC, "swizzled cycle compression: lanes that execute move to other groups and places, as many fill a group", func(mask uint32, _, width int) int {
		return max((bits.OnesCount32(mask)+width-1)/width, 1)
	})

// Words lists the valid values.
func (Skip) Words() key.Words { return skips.Words() }
