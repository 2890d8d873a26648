package forall

import (
	"fmt"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// warp is a case with a picture.
type warp struct {
	Lanes  uint32
	Rows   []int
	Kind   string
	Masked bool
}

func (w warp) String() string {
	return fmt.Sprintf("%s %d %s %t", Bits(uint64(w.Lanes), 8), w.Rows, w.Kind, w.Masked)
}

var warps = Struct[warp](map[string]gopter.Gen{
	"Lanes": Mask[uint32](8), "Rows": List(20, gen.IntRange(0, 99)), "Kind": OneOf("load", "store",
		"atomic"), "Masked": Bool(),
})

// TestSmallest: each part of a counterexample is made as small as the property allows, and drawn.
func TestSmallest(t *testing.T) {
	for property, want := range map[string]struct {
		holds func(t *T, w warp)
		shown string
	}{
		"no two lanes": {func(t *T, w warp) { require.Zero(t, w.Lanes&(w.Lanes-1)) }, "11000000 [] load false"},
		"lane 5 idle":  {func(t *T, w warp) { require.Zero(t, w.Lanes&0x20) }, "00000100 [] load false"},
		"rows below 7": {func(t *T, w warp) {
			for _, r := range w.Rows {
				require.Less(t, r, 7)
			}
		}, "00000000 [7] load false"},
		"no store":  {func(t *T, w warp) { assert.NotEqual(t, "store", w.Kind) }, "00000000 [] store false"},
		"no mask":   {func(t *T, w warp) { assert.False(t, w.Masked) }, "00000000 [] load true"},
		"no panics": {func(_ *T, w warp) { _ = [4]bool{}[w.Lanes>>5] }, "00000001 [] load false"},
	} {
		assert.Contains(t, check(gopter.DefaultTestParametersWithSeed(1), warps, want.holds), "\n\n"+want.shown+"\n\n",
			property)
	}
}

// TestLists: lists reach their greatest length and do not exceed it, in lists too.
func TestLists(t *testing.T) {
	outer, inner := 0, 0
	lists := List(3, List(20, gen.IntRange(0, 9)))
	assert.Empty(t, check(gopter.DefaultTestParametersWithSeed(1), lists, func(_ *T, c [][]int) {
		outer = max(outer, len(c))
		for _, list := range c {
			inner = max(inner, len(list))
		}
	}))
	assert.Equal(t, 3, outer)
	assert.Equal(t, 20, inner)
}
