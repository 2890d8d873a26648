package ptx

import "strings"

// Pragmas that a kernel can have for this machine, in its header or its body.
// Those of others, such as "nounroll", are none of ours.
const (
	noCompaction      = "divergo.no_compaction"
	noLanePermutation = "divergo.no_lane_permutation"
)

// pragma sets an attribute of the program.
func (l *lowering) pragma(s pragma) {
	switch {
	case s.text == noCompaction:
		l.prog.NoCompaction = true
	case s.text == noLanePermutation:
		l.prog.NoLanePermutation = true
	case strings.HasPrefix(s.text, "divergo."):
		l.errorf(s.pos, CodeName, "unknown pragma \"%s\"%s", clip(s.text), didYouMean(s.text, []string{noCompaction, noLanePermutation}))
	}
}
