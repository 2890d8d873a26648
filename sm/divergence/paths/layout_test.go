package paths_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// TestLayout: half of a warp takes a block that lies behind the block it returns to. Where the
// smallest PC runs, the others finish before that block begins. After a new layout both halves
// meet: the 20 instructions of the join issue once.
func TestLayout(t *testing.T) {
	k := seq(when(odd, "COLD"), nop, micro.Repeat("JOIN", 20), exit, at("COLD", nop), to("JOIN"))
	for _, mechanism := range []string{"ppc", "ptpc"} {
		for layout, issues := range map[bool]int{false: 2 + 21 + 2 + 21, true: 2 + 2 + 21} {
			m, _ := divergence.Find(mechanism)
			r, err := micro.Bench{Lanes: 4, Warps: 1}.Run(m,
				microtest.With(mechanism, mechanism+".layout", strconv.FormatBool(layout)), k, 1000)
			require.NoError(t, err)
			require.True(t, r.Done)
			assert.Len(t, r.Issues, issues, "%s, layout %t", mechanism, layout)
		}
	}
}
