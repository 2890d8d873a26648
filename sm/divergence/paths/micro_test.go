package paths_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/sm/divergence"
	"divergo/sm/divergence/microtest"
)

// column is what a mechanism makes of a micro-kernel: issued warp instructions,
// activity factor, and stack depth where it is given.
type column struct {
	issues   int
	activity float64
	depth    uint64
}

// TestMicroKernels is the micro-kernel table (design notes, section 3.6). It has the columns of a
// PC for each thread, of paired-path comparison as in the paper, and of the same with cascading
// pops. The remaining column is in TestPDOMMicroKernels.
func TestMicroKernels(t *testing.T) {
	for _, c := range []struct {
		kernel                    string
		ptpc, verbatim, cascading column
	}{
		{"K1", column{9, .7222, 0}, column{9, .7222, 1}, column{9, .7222, 1}},
		{"K2", column{10, .6000, 0}, column{11, .5455, 2}, column{10, .6000, 2}},
		{"K2b", column{9, .7500, 0}, column{12, .5625, 3}, column{9, .7500, 3}},
		{"K3", column{27, .6111, 0}, column{36, .4583, 7}, column{27, .6111, 7}},
		{"K4", column{12, .6667, 0}, column{17, .4706, 2}, column{16, .5000, 2}},
		{"K4b", column{13, .6923, 0}, column{24, .3750, 3}, column{21, .4286, 3}},
		{"K5", column{40, .6969, 0}, column{48, .5807, 2}, column{47, .5931, 2}},
		{"K6", column{19, .4868, 0}, column{19, .4868, 1}, column{19, .4868, 1}},
		{"K6b", column{94, .5532, 0}, column{156, .3333, 7}, column{94, .5532, 7}},
		{"K7", column{15, .6333, 0}, column{21, .4524, 2}, column{20, .4750, 2}},
		{"U1", column{75, .7333, 0}, column{75, .7333, 0}, column{75, .7333, 0}},
		{"U2", column{75, .7333, 0}, column{75, .7333, 0}, column{75, .7333, 0}},
		{"U3", column{18, .8333, 0}, column{18, .8333, 0}, column{18, .8333, 0}},
		{"U4", column{18, .7708, 0}, column{27, .5139, 0}, column{26, .5337, 0}},
	} {
		for _, m := range []struct {
			mech    string
			options divergence.Options
			want    column
		}{
			{"ptpc", divergence.Options{}, c.ptpc},
			{"ppc", microtest.With("ppc", "ppc.verbatim", "true"), c.verbatim},
			{"ppc", divergence.Options{}, c.cascading},
		} {
			r := microtest.Run(t, m.mech, m.options, 8, 1, kernels[c.kernel])
			assert.Len(t, r.Issues, m.want.issues, "%s %+v", c.kernel, m)
			assert.InDelta(t, m.want.activity, r.Activity(8), .00005, "%s %+v", c.kernel, m)
			if m.want.depth > 0 {
				assert.Equal(t, m.want.depth, r.Stats.MaxDepth, "%s %+v", c.kernel, m)
			}
		}
	}
}
