package ptx

import "strings"

// Pragmas of this machine, in a kernel's header or body. Pragmas of other tools, such as
// "nounroll", are ignored.
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
		l.errorf(s.pos, CodeName, "unknown pragma \"%s\"%s", clip(s.text),
			didYouMean(s.text, []string{noCompaction, noLanePermutation}))
	}
}
