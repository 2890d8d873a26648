package frontier_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/divtest"
)

// shared has two branches to one place. Their post-dominator is J, so that a
// stack runs X twice.
var shared = divtest.Kernel{
	{If: divtest.BelowThread(2), To: "X"},
	{},
	{If: divtest.BelowThread(4), To: "X"},
	{},
	{To: "J"},
	{Label: "X"},
	{},
	{Label: "J", Exit: true},
}

// barriers that the paths of a warp come to one after the other: each has one of
// its own; they have the same, and the second comes from behind it; the second
// warp ends before it.
var barriers = []divtest.Kernel{
	{{If: divtest.Odd, To: "B"}, {Bar: true}, {To: "J"}, {Label: "B", Bar: true}, {Label: "J", Exit: true}},
	{{If: divtest.Odd, To: "B"}, {Label: "A"}, {Bar: true}, {Exit: true}, {Label: "B", To: "A"}},
	{{If: divtest.FromThread(8), To: "B"}, {If: divtest.Odd, To: "B"}, {Bar: true}, {Label: "B", Exit: true}},
}

// run runs a kernel on warps of 8 threads.
func run(t *testing.T, mechanism string, warps int, k divtest.Kernel) divtest.Result {
	t.Helper()
	m, ok := divergence.Find(mechanism)
	require.True(t, ok, mechanism)
	r, err := divtest.Run(m, divergence.Options{}, 8, warps, k, 100_000)
	require.NoError(t, err)
	require.True(t, r.Done, "threads are left")
	return r
}

// TestBeforeThePostDominator: 8 instructions, of which the stack runs X and the
// next one twice.
func TestBeforeThePostDominator(t *testing.T) {
	assert.Len(t, run(t, "frontier", 1, shared).Issues, 8)
	assert.Len(t, run(t, "pdom", 1, shared).Issues, 10)
}

// TestSmallestPC: the list runs what a PC for each thread runs, which is another
// way to find the smallest, instruction by instruction and lane by lane.
func TestSmallestPC(t *testing.T) {
	for name, k := range divtest.Micro {
		assert.Equal(t, run(t, "ptpc", 1, k).Issues, run(t, "frontier", 1, k).Issues, name)
	}
	for i, k := range barriers {
		assert.Equal(t, run(t, "ptpc", 2, k).Issues, run(t, "frontier", 2, k).Issues, "barriers %d", i)
	}
	for seed := range uint64(60) {
		kernel := func() divtest.Kernel {
			return divtest.Random(seed, 16, divtest.Shape{Exits: seed%3 == 1, Bars: seed%3 == 2})
		}
		assert.Equal(t, run(t, "ptpc", 2, kernel()).Issues, run(t, "frontier", 2, kernel()).Issues, "seed %d", seed)
	}
}

// TestDepth: the list has an entry for each PC at which threads are, the one of
// the slot included when a branch inserts. In K3 all that have left the loop
// wait behind it; the branches at the beginning of K2 lead to two places.
func TestDepth(t *testing.T) {
	assert.EqualValues(t, 2, run(t, "frontier", 1, divtest.Micro["K3"]).Stats.MaxDepth)
	assert.EqualValues(t, 3, run(t, "frontier", 1, divtest.Micro["K2"]).Stats.MaxDepth)
}

// A warp of 8 threads, instruction by instruction.
func Example() {
	m, _ := divergence.Find("frontier")
	r, err := divtest.Run(m, divergence.Options{}, 8, 1, shared, 1000)
	if err != nil {
		fmt.Println(err)
	}
	for _, i := range r.Issues {
		fmt.Printf("pc %d  mask %08b\n", i.PC, i.Mask)
	}
	// Output:
	// pc 0  mask 11111111
	// pc 1  mask 11111100
	// pc 2  mask 11111100
	// pc 3  mask 11110000
	// pc 4  mask 11110000
	// pc 5  mask 00001111
	// pc 6  mask 00001111
	// pc 7  mask 11111111
}
