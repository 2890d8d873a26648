package frontier_test

import (
	"divergo/properties"
	"divergo/properties/books"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"fmt"
	"testing"

	"mine/frontier"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// shared has two branches to one place. Their post-dominator is J, so that a
// stack runs X twice.
var shared = micro.Kernel{
	{If: micro.BelowThread(2), To: "X"},
	{},
	{If: micro.BelowThread(4), To: "X"},
	{},
	{To: "J"},
	{Label: "X"},
	{},
	{Label: "J", Exit: true},
}

// barriers are kernels in which the paths of a warp reach barriers one after the other. In the
// first each path has its own barrier. In the second they have the same one, and the second path
// reaches it from behind. In the third the second warp ends before the barrier.
var barriers = []micro.Kernel{
	{{If: micro.Odd, To: "B"}, {Bar: true}, {To: "J"}, {Label: "B", Bar: true}, {Label: "J", Exit: true}},
	{{If: micro.Odd, To: "B"}, {Label: "A"}, {Bar: true}, {Exit: true}, {Label: "B", To: "A"}},
	{{If: micro.FromThread(8), To: "B"}, {If: micro.Odd, To: "B"}, {Bar: true}, {Label: "B", Exit: true}},
}

// run runs a kernel on warps of 8 threads.
func run(t *testing.T, mechanism string, warps int, k micro.Kernel) micro.Result {
	t.Helper()
	m, ok := divergence.Find(mechanism)
	require.True(t, ok, mechanism)
	r, err := micro.Run(m, divergence.Options{}, 8, warps, k, 100_000)
	require.NoError(t, err)
	require.True(t, r.Done, "threads are left")
	return r
}

// TestBeforeThePostDominator: 8 instructions, of which the stack runs X and the next one twice.
func TestBeforeThePostDominator(t *testing.T) {
	assert.Len(t, run(t, "frontier", 1, shared).Issues, 8)
	assert.Len(t, run(t, "pdom", 1, shared).Issues, 10)
}

// TestSmallestPC: the list runs the same instructions as a PC for each thread, which finds the
// smallest PC in another way. They agree instruction by instruction and lane by lane.
func TestSmallestPC(t *testing.T) {
	for name, k := range micro.Kernels {
		assert.Equal(t, run(t, "ptpc", 1, k).Issues, run(t, "frontier", 1, k).Issues, name)
	}
	for i, k := range barriers {
		assert.Equal(t, run(t, "ptpc", 2, k).Issues, run(t, "frontier", 2, k).Issues, "barriers %d", i)
	}
	for seed := range uint64(60) {
		kernel := func() micro.Kernel {
			return micro.Random(seed, 16, micro.Shape{Exits: seed%3 == 1, Bars: seed%3 == 2})
		}
		assert.Equal(t, run(t, "ptpc", 2, kernel()).Issues, run(t, "frontier", 2, kernel()).Issues, "seed %d", seed)
	}
}

// TestDepth: the list has an entry for each PC with threads, including that of the slot when a
// branch inserts. In K3 all threads that have left the loop wait behind it. The branches at the
// beginning of K2 lead to two places.
func TestDepth(t *testing.T) {
	assert.EqualValues(t, 2, run(t, "frontier", 1, micro.Kernels["K3"]).Stats.MaxDepth)
	assert.EqualValues(t, 3, run(t, "frontier", 1, micro.Kernels["K2"]).Stats.MaxDepth)
}

// TestReach: threads leave the loop of K3 one after the other. They wait in one path if each can
// join the next to last entry of the list; the loop is the last. Otherwise the 7 that leave before
// the last one wait apart, and become one path at the top.
func TestReach(t *testing.T) {
	m, _ := divergence.Find("frontier")
	all := run(t, "frontier", 1, micro.Kernels["K3"])
	for reach, waiting := range map[string]int{"1": 7, "2": 1, "32": 1} {
		o, err := divergence.Options{}.With("frontier.reach", reach)
		require.NoError(t, err)
		r, err := micro.Run(m, o, 8, 1, micro.Kernels["K3"], 1000)
		require.NoError(t, err)
		assert.Equal(t, all.Issues, r.Issues)
		assert.EqualValues(t, waiting, m.Counters()[0].Value(r.Counts), "reach %s", reach)
	}
}

// TestChecked: random kernels on random machines, with any reach.
func TestChecked(t *testing.T) { properties.Check(t, "frontier") }

// stack is a mechanism that runs one side of a branch after the other.
const stack = "stack"

func init() {
	m, _ := divergence.Find("pdom")
	m.Name = stack
	divergence.Register(m)
	books.Register(stack, frontier.Watch)
}

// TestBook: the checker of frontier finds a fault in it.
func TestBook(t *testing.T) {
	r, err := properties.Run(properties.Options{Mechanisms: []string{stack}, Runs: 200, Shrink: 1})
	require.NoError(t, err)
	require.NotNil(t, r.Failure)
	assert.Equal(t, "frontier", r.Failure.Checker)
}

// A warp of 8 threads, instruction by instruction.
func Example() {
	m, _ := divergence.Find("frontier")
	r, err := micro.Run(m, divergence.Options{}, 8, 1, shared, 1000)
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
