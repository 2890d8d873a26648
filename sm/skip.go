package sm

import (
	"math/bits"

	"divergo/internal/key"
)

// Skip selects the cycles that a warp may skip when it enters a pipe with fewer lanes than the
// warp.
type Skip string

// The choices of Skip.
const (
	SkipNone Skip = "none"
	SkipBCC  Skip = "bcc"
	SkipSCC  Skip = "scc"
)

// entry returns the number of groups of width lanes that enter a pipe for a warp, one group a
// cycle. The lanes of mask execute; the warp has the given number of lanes.
type entry func(mask uint64, lanes, width int) int

// skips holds the kinds of intra-warp compaction (Vaidya et al., SIMD Divergence Optimization
// through Intra-Warp Compaction, ISCA 2013). The warp stays as it is; only cycles of its execution
// are skipped. The example has lanes 0 to 15 in a pipe of 4 lanes; x marks the lanes that execute:
//
//	      lanes             none    bcc     scc
//	 0  1  2  3  | x - - -  cycle 0 cycle 0 cycle 0   0  4 14 15
//	 4  5  6  7  | x - - -  cycle 1 cycle 1
//	 8  9 10 11  | - - - -  cycle 2
//	12 13 14 15  | - - x x  cycle 3 cycle 2
//
// The paper's groups are the quads of an execution unit of 4 lanes. Our reading: groups are as wide
// as the pipe. The paper's swizzle takes each operand of a cycle from any lane of any quad, and
// puts results back. The number of cycles is therefore that for the number of executing lanes. An
// instruction that no lane executes takes one cycle.
var skips = key.Choices[Skip, entry]{}.
	With(SkipNone, "none: a warp takes warp_size / simd_width cycles, whatever lanes execute",
		func(_ uint64, lanes, width int) int { return lanes / width }).
	With(SkipBCC, "basic cycle compression: groups of simd_width neighbouring lanes of which none executes",
		func(mask uint64, _, width int) int {
			n := 0
			for group := uint64(1)<<width - 1; mask != 0; n++ {
				mask &^= group << (bits.TrailingZeros64(mask) / width * width)
			}
			return max(n, 1)
		}).
	With(SkipSCC, "swizzled cycle compression: lanes that execute move to other groups and places, as many fill a group", func(mask uint64, _, width int) int {
		return max((bits.OnesCount64(mask)+width-1)/width, 1)
	})

// Words lists the valid values.
func (Skip) Words() key.Words { return skips.Words() }
