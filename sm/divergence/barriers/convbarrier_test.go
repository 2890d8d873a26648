package barriers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/sm/divergence/barriers"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

func bssy(b uint8, to string) line  { return line{Op: isa.OpBSSY, Conv: b, To: to} }
func bsync(b uint8, to string) line { return line{Op: isa.OpBSync, Conv: b, To: to} }

// step is an issued instruction.
type step struct{ pc, mask uint64 }

func steps(r micro.Result) (list []step) {
	for _, i := range r.Issues {
		list = append(list, step{uint64(i.PC), i.Mask})
	}
	return list
}

// lastPaths runs a kernel on a warp of 4 and returns the last state of its paths.
func lastPaths(t *testing.T, o divergence.Options, k kernel) (micro.Result, []divergence.Path) {
	t.Helper()
	m, _ := divergence.Find("barrier")
	var paths []divergence.Path
	b := micro.Bench{
		Lanes: 4, Warps: 1,
		Each: func(p divergence.Policy, _ []micro.Issue) { paths = p.Paths(paths[:0]) },
	}
	r, err := b.Run(m, o, k, 1000)
	require.NoError(t, err)
	return r, paths
}

// TestBarrierNested: a region inside another (Hanoi, nested reconvergence). Each has its own
// barrier here.
func TestBarrierNested(t *testing.T) {
	r, _ := lastPaths(t, divergence.Options{}, seq(
		bssy(0, "G"),        // 0
		when(below(2), "F"), // 1
		bssy(1, "X"),        // 2
		when(below(3), "E"), // 3
		nop,                 // 4
		at("E", bsync(1, "X")),
		at("X", nop), // 6
		at("F", bsync(0, "G")),
		at("G", exit))) // 8
	require.True(t, r.Done)
	assert.Equal(t, []step{
		{0, 0b1111},
		{1, 0b1111},
		{7, 0b0011},
		{2, 0b1100},
		{3, 0b1100},
		{5, 0b0100},
		{4, 0b1000},
		{5, 0b1000},
		{6, 0b1100},
		{7, 0b1100},
		{8, 0b1111},
	}, steps(r))
}

// TestBarrierWrong: a thread leaves a region for the barrier of the surrounding one. The others
// wait for it (Hanoi, early reconvergence without break), and Paths says which threads wait where.
func TestBarrierWrong(t *testing.T) {
	r, paths := lastPaths(t, divergence.Options{}, seq(
		bssy(0, "M"),        // 0
		bssy(1, "Z"),        // 1
		when(below(1), "D"), // 2
		when(below(2), "B"), // 3
		nop,                 // 4
		at("B", bsync(0, "M")),
		at("M", nop), // 6
		at("D", bsync(1, "Z")),
		at("Z", exit))) // 8
	require.False(t, r.Done)
	assert.Equal(t, []divergence.Path{
		{PC: 6, Reconv: 6, Mask: 0b1110, Wait: divergence.WaitsJoin},
		{PC: 8, Reconv: 8, Mask: 0b0001, Wait: divergence.WaitsJoin},
	}, paths)
}

// TestBarrierTaken: the two sides of a branch use the same barrier. One side loses it while one of
// its threads is at a CTA barrier. The threads that wait for that one continue by themselves once
// the other side cannot run, and all meet behind the branch.
func TestBarrierTaken(t *testing.T) {
	r, _ := lastPaths(t, divergence.Options{}, seq(
		bssy(0, "END"),      // 0
		when(below(2), "F"), // 1
		bssy(1, "X"),        // 2
		when(below(3), "E"), // 3
		nop,                 // 4
		at("E", bsync(1, "X")),
		at("X", nop), // 6
		to("J"),      // 7
		at("F", bssy(1, "Y")),
		when(below(1), "G"), // 9
		line{Bar: true},     // 10
		at("G", bsync(1, "Y")),
		at("Y", nop), // 12
		at("J", bsync(0, "END")),
		at("END", exit))) // 14
	require.True(t, r.Done)
	assert.Equal(t, []step{
		{0, 0b1111},
		{1, 0b1111},
		{8, 0b0011},
		{9, 0b0011},
		{11, 0b0001}, // waits for the other one
		{10, 0b0010},
		{2, 0b1100},
		{3, 0b1100},
		{5, 0b0100},
		{4, 0b1000},
		{5, 0b1000},
		{6, 0b1100},
		{7, 0b1100},
		{13, 0b1100},
		{12, 0b0001}, // waits for no thread
		{13, 0b0001},
		{11, 0b0010},
		{12, 0b0010},
		{13, 0b0010},
		{14, 0b1111},
	}, steps(r))
}

// TestBarrierSpinLock: with a yield at the head of the loop a lock moves from thread to thread. It
// does not if the threads must meet before they release it (Hanoi, spin lock).
func TestBarrierSpinLock(t *testing.T) {
	for _, c := range []struct {
		name        string
		yield, late bool // meet behind the release
		done        bool
	}{
		{"yield", true, true, true},
		{"no yield", false, true, false},
		{"meet before the release", true, false, false},
	} {
		var owners []int
		locked := false
		head := nop
		if c.yield {
			head = line{Op: isa.OpYield}
		}
		head.Label = "LOOP"
		lock := line{Do: func(t *thread) {
			if t.I == 0 && !locked {
				locked, t.I = true, 1
				owners = append(owners, t.TID)
			}
		}}
		unlock := line{Do: func(*thread) { locked = false }}
		meet, tail := "END", seq(unlock, bsync(0, "END"))
		if !c.late {
			meet, tail = "U", seq(bsync(0, "U"), at("U", unlock))
		}
		r, _ := lastPaths(t, divergence.Options{PathOrder: divergence.MajorityFirst}, seq(
			bssy(0, meet), head, lock, when(func(t *thread) bool { return t.I == 0 }, "LOOP"),
			tail, at("END", exit)))
		assert.Equal(t, c.done, r.Done, c.name)
		if c.done {
			assert.Equal(t, []int{0, 1, 2, 3}, owners)
			assert.Len(t, r.Issues, 22)
		}
	}
}

// TestBarrierExit: a barrier does not wait for threads that have left.
func TestBarrierExit(t *testing.T) {
	r, _ := lastPaths(t, divergence.Options{}, seq(
		bssy(0, "J"),
		when(below(2), "S"),
		line{Exit: true, If: odd},
		at("S", bsync(0, "J")),
		at("J", exit)))
	require.True(t, r.Done)
	assert.Equal(t, step{4, 0b0111}, steps(r)[len(r.Issues)-1])
}

// TestBarrierYield: in a compiled program a lock that is taken and released in a loop reaches every
// thread, for every order of paths.
func TestBarrierYield(t *testing.T) {
	for _, word := range divergence.PathOrder("").Words() {
		order := divergence.PathOrder(word.Name)
		locked := false
		r, _ := lastPaths(t, barriers.Keys.With(divergence.Options{PathOrder: order}, barriers.Params{Yield: true}),
			seq(
				nop,
				at("L", line{Do: func(t *thread) {
					if !locked {
						locked, t.I = true, 1
					}
				}}),
				when(func(t *thread) bool { return t.I == 0 }, "N"),
				line{Do: func(*thread) { locked = false }},
				at("N", when(func(t *thread) bool { return t.I == 0 }, "L")),
				exit))
		assert.True(t, r.Done, order)
		assert.Positive(t, r.Added)
	}
}

// TestBarrierYieldInRegion: a path that yields inside a region of its own does not go below a path
// outside of it. It goes below the other path of its region.
func TestBarrierYieldInRegion(t *testing.T) {
	yield := line{Op: isa.OpYield}
	r, _ := lastPaths(t, divergence.Options{}, seq(
		bssy(0, "END"),      // 0
		when(below(2), "F"), // 1
		to("J"),             // 2
		at("F", bssy(1, "Y")),
		yield,               // 4
		when(below(1), "G"), // 5
		nop,                 // 6
		at("G", yield),
		bsync(1, "Y"), // 8
		at("Y", nop),  // 9
		at("J", bsync(0, "END")),
		at("END", exit))) // 11
	require.True(t, r.Done)
	assert.Equal(t, []step{
		{0, 0b1111},
		{1, 0b1111},
		{3, 0b0011},
		{4, 0b0011}, // the path at 2 is not in barrier 1
		{5, 0b0011},
		{7, 0b0001}, // the path at 6 is
		{6, 0b0010},
		{7, 0b0010},
		{8, 0b0001},
		{8, 0b0010},
		{9, 0b0011},
		{10, 0b0011},
		{2, 0b1100},
		{10, 0b1100},
		{11, 0b1111},
	}, steps(r))
}

// TestBarrierRandom: in compiled programs with a yield at each loop, each thread executes what it
// executes by itself.
func TestBarrierRandom(t *testing.T) {
	const lanes, warps = 8, 2
	m, _ := divergence.Find("barrier")
	for seed := range uint64(60) {
		k := microtest.RandomKernel(seed, lanes*warps, seed%3 == 1, seed%3 == 2)
		b := micro.Bench{Lanes: lanes, Warps: warps, Latency: int(seed % 2 * 4)}
		r, err := b.Run(m, barriers.Keys.With(divergence.Options{PathOrder: divergence.MinorityFirst},
			barriers.Params{Yield: true}), k, 200_000)
		require.NoError(t, err)
		require.True(t, r.Done, "seed %d", seed)
		again := microtest.RandomKernel(seed, lanes*warps, seed%3 == 1, seed%3 == 2)
		for tid, pcs := range microtest.PerThread(r.Issues, lanes, lanes*warps) {
			require.Equal(t, microtest.Alone(again, tid), pcs, "seed %d, thread %d", seed, tid)
		}
	}
}
