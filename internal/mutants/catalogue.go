package mutants

import "slices"

// All lists the mutants, by part.
func All() []Mutant {
	return slices.Concat(stacks, paths, barriers, blocks, pipeline, memory, shared)
}

// The mechanisms that a bug of a part shows in.
var (
	pdom      = []string{"pdom"}
	lcp       = []string{"pdom-lcp"}
	ptpc      = []string{"ptpc"}
	ppc       = []string{"ppc"}
	explicit  = []string{"ppc-explicit"}
	dpe       = []string{"dpe"}
	token     = []string{"token"}
	conv      = []string{"barrier"}
	multipath = []string{"multipath"}
	subwarp   = []string{"subwarp"}
	dwf       = []string{"dwf"}
	dwfWB     = []string{"dwf-wb"}
	tbc       = []string{"tbc"}
	tbcLCP    = []string{"tbc-lcp"}
	ideal     = []string{"tbc-ideal"}
	capri     = []string{"capri"}
	regroup   = []string{"tbc", "dwf"}
	weave     = []string{"pdom", "dpe", "multipath"}
	any       = []string{"pdom", "dpe", "tbc"}
)
