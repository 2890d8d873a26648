package compaction_test

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/sm/divergence/compaction"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	"divergo/units"
)

// blockRun runs a kernel under a mechanism of thread block compaction.
func blockRun(t *testing.T, o divergence.Options, b micro.Bench, k kernel, each func(d *compaction.TBC)) micro.Result {
	t.Helper()
	m, ok := divergence.Find(o.Mechanism)
	require.True(t, ok)
	if each != nil {
		b.Each = func(p divergence.Policy, _ []micro.Issue) { each(p.(*compaction.TBC)) }
	}
	r, err := b.Run(m, o, k, 100_000)
	require.NoError(t, err)
	return r
}

// compacted lists the issues of a block as the paper writes warps: threads from
// 1 by lane, a dash for an idle one.
func compacted(k kernel, issues []micro.Issue, block string, lanes int) (warps []string) {
	for _, i := range issues {
		if k[i.PC].Label != block {
			continue
		}
		var w []string
		for l := range lanes {
			if i.Mask>>l&1 != 0 {
				w = append(w, fmt.Sprint(i.Thread(l, lanes)+1))
			} else {
				w = append(w, "-")
			}
		}
		warps = append(warps, strings.Join(w, " "))
	}
	return warps
}

// blockStack is the stack of CTA 0, its entries as PC/RPC{threads}.
func blockStack(k kernel, d *compaction.TBC, lanes int) string {
	name := func(pc uint32) string {
		if pc == isa.NoPC {
			return "-"
		}
		return k[pc].Label
	}
	var entries []string
	for i := range int(*d.Stack.Depth.At(0)) {
		e := d.Stack.At(0, i)
		var threads []int
		for l, group := range e.Mask {
			for ; group != 0; group &= group - 1 {
				threads = append(threads, bits.TrailingZeros64(group)*lanes+l+1)
			}
		}
		slices.Sort(threads)
		entries = append(entries, fmt.Sprintf("%s/%s%v", name(e.At.PC), name(e.RPC.PC), threads))
	}
	return strings.Join(entries, " ")
}

// stacks runs kernel k and lists the different stacks on the way, with the
// cycles that each lasted.
func stacks(t *testing.T, o divergence.Options, b micro.Bench, k kernel) (list []string, cycles []int, r micro.Result) {
	r = blockRun(t, o, b, k, func(d *compaction.TBC) {
		if s := blockStack(k, d, b.Lanes); len(list) == 0 || list[len(list)-1] != s {
			list, cycles = append(list, s), append(cycles, 1)
		} else {
			cycles[len(cycles)-1]++
		}
	})
	require.True(t, r.Done)
	return list, cycles, r
}

var tbc = divergence.Options{Mechanism: "tbc", PathOrder: divergence.TakenFirst}

// TestCompactionFigure7: the three threads that go to C become one warp, and 7 issue slots replace
// 8 (Fung & Aamodt, HPCA 2011, figure 7).
func TestCompactionFigure7(t *testing.T) {
	list, _, r := stacks(t, tbc, micro.Bench{Lanes: 4, Warps: 2}, figure7)
	assert.Equal(t, []string{
		"",
		"A/-[1 2 3 4]",
		"A/-[1 2 3 4 5 6 7 8]",
		"D/-[1 2 3 4 5 6 7 8] B/D[2 3 4 5 8] C/D[1 6 7]",
		"D/-[1 2 3 4 5 6 7 8] B/D[2 3 4 5 8]",
		"D/-[1 2 3 4 5 6 7 8] D/D[2 3 4 5 8]", // one of two warps has reached D
		"D/-[1 2 3 4 5 6 7 8]",
	}, list[:7])
	for block, want := range map[string][]string{
		"A": {"1 2 3 4", "5 6 7 8"},
		"C": {"1 6 7 -"},
		"B": {"5 2 3 4", "- - - 8"},
		"D": {"1 2 3 4", "5 6 7 8"},
	} {
		assert.Equal(t, want, compacted(figure7, r.Issues, block, 4), block)
	}
	assert.Len(t, r.Issues, 7)
	assert.InDelta(t, .857, r.Activity(4), .0005)
	assert.EqualValues(t, 3, r.Stats.MaxDepth)
}

// TestCompactionWide: in warps of 64 lanes, threads 41 to 64 of the first warp and 1 to 40 of the second go
// to B and fill one warp there. The others fill one at C. Threads count from 1.
func TestCompactionWide(t *testing.T) {
	const lanes = 64
	toC := func(t *thread) bool { return (t.TID%lanes < 40) == (t.TID < lanes) }
	k := seq(at("A", when(toC, "C")), at("B", to("D")), at("C", nop), at("D", exit))
	var atB, atC []string
	for lane := range lanes {
		first, second := fmt.Sprint(lane+1), fmt.Sprint(lane+1+lanes)
		if lane < 40 {
			first, second = second, first
		}
		atB, atC = append(atB, first), append(atC, second)
	}
	r := blockRun(t, tbc, micro.Bench{Lanes: lanes, Warps: 2}, k, nil)
	assert.Equal(t, []string{strings.Join(atB, " ")}, compacted(k, r.Issues, "B", lanes))
	assert.Equal(t, []string{strings.Join(atC, " ")}, compacted(k, r.Issues, "C", lanes))
}

// TestCompactionFigure9: three warps reach a branch in the order W2, W3, W1 (Fung & Aamodt, HPCA
// 2011, figure 9). The paper's text gives the outcomes of threads 5 and 6. Our reading: the others.
// Target masks are by lane, with a digit for each warp.
func TestCompactionFigure9(t *testing.T) {
	toC := func(t *thread) bool { return slices.Contains([]int{1, 2, 5, 7, 8, 11, 12}, t.TID+1) }
	k := seq(at("S", line{Bar: true}), at("A", when(toC, "C")), at("B", to("D")), at("C", nop), at("D", exit))
	text := func(m *units.BlockMask) string {
		var lanes []string
		for l := range 4 {
			s := ""
			for w := range 3 {
				s += fmt.Sprint(m[l] >> w & 1)
			}
			lanes = append(lanes, s)
		}
		return strings.Join(lanes, "|")
	}
	var arrivals []string
	r := blockRun(t, tbc, micro.Bench{Lanes: 4, Warps: 3, Prefer: []int{1, 2, 0}}, k, func(d *compaction.TBC) {
		targets := d.Targets.At(0)
		s := fmt.Sprintf("C %s B %s WCnt %d", text(&targets.Taken), text(&targets.Not), d.Stack.At(0, 0).WCnt)
		if !targets.Taken.Empty() && (len(arrivals) == 0 || arrivals[len(arrivals)-1] != s) {
			arrivals = append(arrivals, s)
		}
	})
	require.True(t, r.Done)
	assert.Equal(t, []string{
		"C 010|000|010|010 B 000|010|000|000 WCnt 2",
		"C 010|000|011|011 B 001|011|000|000 WCnt 1",
		"C 110|100|011|011 B 001|011|100|100 WCnt 0",
	}, arrivals[:3])
	for block, want := range map[string][]string{
		"C": {"1 2 7 8", "5 - 11 12"},
		"B": {"9 6 3 4", "- 10 - -"},
		"D": {"1 2 3 4", "5 6 7 8", "9 10 11 12"},
	} {
		assert.ElementsMatch(t, want, compacted(k, r.Issues, block, 4), block)
	}
}

// TestEmptyTarget: all threads of a CTA take a branch. The entry of the other side has no threads,
// and is popped in the cycle after it becomes the top.
func TestEmptyTarget(t *testing.T) {
	k := seq(at("A", when(tid(0), "C")), at("B", to("D")), at("C", nop), at("D", exit))
	list, cycles, r := stacks(t, tbc, micro.Bench{Lanes: 4, Warps: 1}, k)
	i := slices.Index(list, "D/-[1 2 3 4] B/D[]")
	require.Positive(t, i, "%q", list)
	assert.Equal(t, "D/-[1 2 3 4] B/D[] C/D[1 2 3 4]", list[i-1])
	assert.Equal(t, "D/-[1 2 3 4]", list[i+1])
	assert.Equal(t, 1, cycles[i])
	assert.Zero(t, r.Stats.Pushes-1, "of the bottom entry only: nothing diverged")
}

// TestEmptyTargets: all threads stay in a loop whose second exit has its own block. Each iteration
// leaves an entry without threads for that block, as long as the stack is not deep. The paper
// always pushes two entries, and pops them at the top of the stack (Fung & Aamodt, HPCA 2011,
// section 3.3).
func TestEmptyTargets(t *testing.T) {
	for rounds, depth := range map[int]uint64{1: 3, 5: 7, 20: 22, 1000: 32} {
		k := seq(
			at("L", count1), when(tid(0), "L2"), nop, to("OUT"),
			at("L2", when(func(t *thread) bool { return t.I < rounds }, "L")),
			at("OUT", exit))
		r := blockRun(t, tbc, micro.Bench{Lanes: 4, Warps: 2}, k, nil)
		require.True(t, r.Done)
		assert.Equal(t, depth, r.Stats.MaxDepth, "%d rounds", rounds)
		assert.Equal(t, uint64(1), r.Stats.Pushes, "nothing diverged")
	}
}

// TestCompactionTiming: a warp is in its slot in the third cycle after the outcome of the last warp
// at the branch (stack, compactor, warp). The next warp is in its slot a cycle later.
func TestCompactionTiming(t *testing.T) {
	var cycle, split int
	filled := map[int]int{}
	blockRun(t, tbc, micro.Bench{Lanes: 4, Warps: 2}, figure7, func(d *compaction.TBC) {
		cycle++
		depth := int(*d.Stack.Depth.At(0))
		if depth == 3 && split == 0 {
			split = cycle // the stack has been written
		}
		for i := range 2 {
			if s := d.Table.At(i); s.Valid && figure7[s.PC].Label == "B" && filled[i] == 0 {
				filled[i] = cycle
			}
			if s := d.Table.At(i); s.Valid && figure7[s.PC].Label == "C" && split > 0 && filled[2] == 0 {
				filled[2] = cycle
			}
		}
	})
	assert.Equal(t, split+2, filled[2])
	assert.Equal(t, filled[0]+1, filled[1])
}

// TestLikelyPointOfOuterLoop: a branch without divergence keeps the threads' likely-convergence
// point. Entries are pushed only at divergence (Fung & Aamodt, HPCA 2011, section 4). The inner
// loop has the likely point I. In it all threads continue at C and leave at D for O, the likely
// point of the branch at A. O is one issue of all four, and no thread reaches A by itself.
func TestLikelyPointOfOuterLoop(t *testing.T) {
	k := seq(
		at("A", when(func(t *thread) bool { return t.I == 0 && t.TID >= 1 }, "C")),
		at("B", to("O")),
		at("C", when(func(*thread) bool { return false }, "F")),
		at("D", when(func(*thread) bool { return true }, "O")),
		at("I", to("C")),
		at("O", line{Do: count, If: func(t *thread) bool { return t.I == 1 }, To: "A"}),
		at("F", exit))
	for mech, blocks := range map[string]string{
		"tbc-lcp": "ACDBOABOF", "pdom-lcp": "ACDBOABOF",
		"tbc": "ACDOABOBOABOF",
	} {
		r := microtest.Run(t, mech, divergence.Options{PathOrder: divergence.TakenFirst}, 4, 1, k)
		assert.Equal(t, blocks, microtest.BlocksOf(k, r.Issues), mech)
		assert.Equal(t, r.Stats.Pushes, r.Stats.Pops, mech)
	}
}

// TestLikelyPointsNest: the entry of the likely-convergence point of an inner loop, I, has that of the
// loop around it, O, because both loops may be left at once (Fung & Aamodt, HPCA 2011, section 4). At
// D thread 1 leaves the inner loop. Threads 2 and 3 go round once more, and join thread 0 at O.
func TestLikelyPointsNest(t *testing.T) {
	for mech, blocks := range map[string]string{
		"tbc-lcp": "ACDOABOICDBOABOF", "pdom-lcp": "ACDOABOICDBOABOF",
	} {
		turns := make([]int, 4)
		k := seq(
			at("A", when(func(t *thread) bool { return t.I == 0 && t.TID >= 1 }, "C")),
			at("B", to("O")),
			at("C", when(func(*thread) bool { return false }, "F")),
			at("D", line{
				Do: func(t *thread) { turns[t.TID]++ },
				If: func(t *thread) bool { return t.TID == 1 || turns[t.TID] == 2 }, To: "O",
			}),
			at("I", to("C")),
			at("O", line{Do: count, If: func(t *thread) bool { return t.I == 1 }, To: "A"}),
			at("F", exit))
		r := microtest.Run(t, mech, divergence.Options{PathOrder: divergence.TakenFirst}, 4, 1, k)
		assert.Equal(t, blocks, microtest.BlocksOf(k, r.Issues), mech)
	}
}

// TestLikelyPointsStayOutside: inside of a branch with a reconvergence point of its own, paths do not
// end at the likely point of the branch around it (Fung & Aamodt, HPCA 2011, section 4). At X thread 0
// leaves a loop for F; the likely point is M. The other threads diverge at Y: some go to X by M, the
// others by L. Each path executes its block, and all three threads execute X again together.
func TestLikelyPointsStayOutside(t *testing.T) {
	k := seq(
		at("X", line{Do: count, If: func(t *thread) bool { return t.I == 2 || t.TID == 0 }, To: "F"}),
		at("Y", when(odd, "L")),
		at("M", to("X")),
		at("L", to("X")),
		at("F", exit))
	prog := k.Program("k")
	require.Equal(t, "M", k[prog.Insts[0].Likely].Label)
	require.Equal(t, "X", k[prog.Insts[1].Reconv].Label)
	for _, mech := range []string{"tbc-lcp", "pdom-lcp"} {
		r := microtest.Run(t, mech, divergence.Options{PathOrder: divergence.TakenFirst}, 4, 1, k)
		assert.Equal(t, "XYLMXF", microtest.BlocksOf(k, r.Issues), mech)
	}
}

// TestLikelyPointOfAnExit: a branch that leaves for its reconvergence point has an entry at its
// likely point, as each divergent branch with such a point has (Fung & Aamodt, HPCA 2011, section 4).
// Thread 3 waits at D for the inner loop's I, and the others leave that loop for O. There thread 2
// leaves the outer loop at A, and the entry for O is between thread 3 and those that go on. The next
// branch at C has an entry of its own at I, at which thread 1 does not wait for thread 3.
func TestLikelyPointOfAnExit(t *testing.T) {
	for _, mech := range []string{"tbc-lcp", "pdom-lcp"} {
		var rounds, turns [4]int
		k := seq(
			at("A", line{
				Do: func(t *thread) { rounds[t.TID]++ },
				If: func(t *thread) bool { return rounds[t.TID] == [...]int{3, 3, 2, 2}[t.TID] }, To: "F",
			}),
			at("C", line{
				Do: func(t *thread) { turns[t.TID]++ },
				If: func(t *thread) bool { return turns[t.TID] != [...]int{0, 2, 0, 1}[t.TID] }, To: "O",
			}),
			at("D", when(func(*thread) bool { return false }, "F")),
			at("I", to("C")),
			at("O", to("A")),
			at("F", exit))
		r := microtest.Run(t, mech, divergence.Options{PathOrder: divergence.TakenFirst}, 4, 1, k)
		assert.Equal(t, "ACOACOADICOADICOAF", microtest.BlocksOf(k, r.Issues), mech)
	}
}

// TestLikelyPointsHaveRoom: in each of six nested loops two threads diverge, and meet at the likely
// point of the loop, one entry deeper than in the loop around it. 3W entries for warps of W = 2 are
// enough: from depth W+2 on a branch pushes no entry for its likely point.
func TestLikelyPointsHaveRoom(t *testing.T) {
	const loops = 6
	var rounds [loops][2]int
	var start, end []kernel
	for i := range loops {
		label := func(s string) string { return fmt.Sprint(s, i) }
		start = append(start, seq(
			at(label("T"), line{
				Do: func(t *thread) { rounds[i][t.TID]++ },
				If: func(t *thread) bool { return rounds[i][t.TID] == 2 }, To: label("in"),
			}),
			at(label("X"), when(func(t *thread) bool { return t.TID == 0 }, label("N"))),
			at(label("Y"), when(func(*thread) bool { return false }, label("E"))),
			at(label("Z"), to(label("N"))),
			at(label("in"), line{})))
		end = append(end, seq(
			at(label("out"), when(func(*thread) bool { return true }, label("E"))),
			at(label("N"), to(label("T"))),
			at(label("E"), line{})))
	}
	slices.Reverse(end)
	k := slices.Concat(append(append(start, end...), seq(at("F", exit)))...)
	r := microtest.Run(t, "pdom-lcp", divergence.Options{PathOrder: divergence.TakenFirst}, 2, 1, k)
	assert.LessOrEqual(t, r.Stats.MaxDepth, uint64(6))
	assert.Equal(t, r.Stats.Pushes, r.Stats.Pops)
}

// TestBlockLikelyConvergence: two warps behave as the warp of Fung & Aamodt, HPCA 2011, figure 10.
// Their threads share lanes, so that nothing can be compacted: twice the 9 blocks with
// likely-convergence points, twice 13 without. Without them the stack is one entry deeper than that
// of a warp. When thread 2 reaches A again, with F, B and D below, it has two entries; that of C
// has no threads.
func TestBlockLikelyConvergence(t *testing.T) {
	for _, c := range []struct {
		mech   string
		issues int
		depth  uint64
	}{{"tbc-lcp", 18, 5}, {"tbc", 26, 5}} {
		k := seq(
			at("A", when(func(t *thread) bool { return t.I == 0 && t.TID%4 >= 1 }, "C")),
			at("B", to("E")),
			at("C", when(func(t *thread) bool { return t.TID%4 == 1 }, "E")),
			at("D", to("F")),
			at("E", line{Do: count, If: func(t *thread) bool { return t.I == 1 }, To: "A"}),
			at("F", exit))
		r := blockRun(t, divergence.Options{Mechanism: c.mech}, micro.Bench{Lanes: 4, Warps: 2}, k, nil)
		require.True(t, r.Done)
		assert.Len(t, r.Issues, c.issues, c.mech)
		assert.Equal(t, 44, r.Lanes)
		assert.Equal(t, c.depth, r.Stats.MaxDepth, c.mech)
	}
}

// TestBlockBarriers: a barrier opens when all live threads have arrived, those below the top entry
// as well. If some cannot reach it, the kernel hangs.
func TestBlockBarriers(t *testing.T) {
	bar := line{Bar: true}
	for _, c := range []struct {
		name     string
		kernel   kernel
		finishes bool
		diverged bool
	}{
		{"by all", seq(bar, nop, bar, exit), true, false},
		{"behind a join", seq(when(odd, "C"), nop, to("D"), at("C", nop), at("D", bar), exit), true, false},
		{"the others have left", seq(when(odd, "OUT"), bar, nop, bar, exit, at("OUT", exit)), true, false},
		{
			"in a loop that all go round",
			seq(at("L", count1), bar, when(func(t *thread) bool { return t.I < 5 }, "L"), exit), true, false,
		},
		{"the others wait at the join", seq(when(odd, "C"), nop, bar, at("C", nop), exit), true, true},
		{
			"the others wait at a join in an arm",
			seq(when(below(12), "J"), when(odd, "K"), nop, bar, at("K", nop), at("J", nop), exit), true, true,
		},
		{"the others wait below to leave", seq(when(odd, "B"), exit, at("B", nop), bar, nop, bar, exit), true, true},
		{"some of one way leave", seq(when(below(12), "J"), when(odd, "OUT"), at("J", nop), bar, nop, exit,
			at("OUT", exit)), true, true},
		{
			"some leave from each turn of a loop",
			seq(at("L", count1), bar, when(func(t *thread) bool { return t.I > t.TID%5 }, "OUT"), to("L"),
				at("OUT", exit)), true, true,
		},
		{
			"the same from the other way",
			seq(at("L", count1), bar, when(func(t *thread) bool { return t.I <= t.TID%5 }, "L"), exit), true, true,
		},
		{"each way has its own", seq(when(odd, "C"), bar, exit, at("C", bar), exit), false, true},
		{
			"some at a barrier, others at a branch",
			seq(line{Bar: true, If: below(8)}, nop, when(odd, "C"), nop, at("C", exit)), false, false,
		},
	} {
		k := c.kernel
		r := blockRun(t, tbc, micro.Bench{Lanes: 8, Warps: 3, Latency: 4}, k, nil)
		assert.Equal(t, c.finishes, r.Done, c.name)
		assert.Equal(t, c.diverged, r.Stats.BarDiverged > 0, c.name)
		if c.finishes {
			microtest.NoneAhead(t, k, r.Issues, 8, 24)
		}
	}
}

// TestExitParks: odd threads of two warps wait at a barrier when those of the third warp exit, which
// the compactor forms last. As nothing else of their path runs then, the stack goes on without them:
// the even threads leave, which opens the barrier.
func TestExitParks(t *testing.T) {
	k := seq(when(odd, "B"), nop, exit, at("B", line{Exit: true, If: tid(16)}), line{Bar: true}, nop, exit)
	r := blockRun(t, tbc, micro.Bench{Lanes: 8, Warps: 3, Prefer: []int{0, 1, 2}}, k, nil)
	assert.True(t, r.Done)
	waits, leaves := -1, -1
	for i, issue := range r.Issues {
		switch {
		case issue.PC == 4:
			waits = i
		case issue.PC == 3 && issue.Home(1).Row == 2:
			leaves = i
		}
	}
	assert.Less(t, waits, leaves)
}

// TestExitCompletesArrivals: warps 0 and 1 arrive at a barrier without waiting, and then warp 2 exits.
// That completes the barrier: all live threads have arrived. When warp 0 comes to it again, it waits
// for warp 1, which comes later.
func TestExitCompletesArrivals(t *testing.T) {
	k := seq(at("A", line{Pass: true, If: below(8)}), at("E", line{Exit: true, If: tid(8)}), micro.Repeat("", 8),
		line{Load: 100}, at("B", line{Bar: true}), at("C", nop), exit)
	r := blockRun(t, tbc, micro.Bench{Lanes: 4, Warps: 3, Prefer: []int{0, 1, 2}}, k, nil)
	require.True(t, r.Done)
	var order []string
	for _, i := range r.Issues {
		if l := k[i.PC].Label; l != "" {
			order = append(order, fmt.Sprint(l, i.Row))
		}
	}
	require.Equal(t, "E2", order[5], "after A0 and A1")
	assert.Equal(t, []string{"B0", "B1"}, order[6:8], "C0 is behind B1")
}

// TestBlocksShareCompactor: several CTAs at a time, each with its own stack.
func TestBlocksShareCompactor(t *testing.T) {
	for _, latency := range []int{0, 5} {
		r := blockRun(t, tbc, micro.Bench{Lanes: 4, Warps: 2, CTAs: 5, Latency: latency}, figure7, nil)
		require.True(t, r.Done)
		assert.Len(t, r.Issues, 5*7)
		var cs []string
		for cta := range 5 {
			first := cta * 8
			cs = append(cs, fmt.Sprintf("%d %d %d -", first+1, first+6, first+7))
		}
		assert.ElementsMatch(t, cs, compacted(figure7, r.Issues, "C", 4))
	}
}

// TestCompactionInvariants: on random structured kernels the sum of active lanes is that of the
// per-warp stack, and no more warp instructions are issued. An entry gives no more warps than
// static ones with a thread, and at least as many as its threads fill. With the compactor off the
// instructions equal those of the per-warp stack, one by one.
func TestCompactionInvariants(t *testing.T) {
	const lanes, warps = 8, 4
	fewer := 0
	for seed := range uint64(60) {
		exits, bars := seed%3 == 1, seed%3 == 2
		fresh := func() kernel { return microtest.RandomKernel(seed, lanes*warps, exits, bars) }
		b := micro.Bench{Lanes: lanes, Warps: warps}
		stack := microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, lanes, warps, fresh())
		var count divergence.Compaction
		r := blockRun(t, tbc, b, fresh(), func(d *compaction.TBC) { count = d.Stats().Compaction })
		require.True(t, r.Done)
		require.Equal(t, stack.Lanes, r.Lanes, "seed %d", seed)
		require.LessOrEqual(t, len(r.Issues), len(stack.Issues), "seed %d", seed)
		require.LessOrEqual(t, count.Ideal, count.Warps)
		require.LessOrEqual(t, count.Warps, count.Static)
		if len(r.Issues) < len(stack.Issues) {
			fewer++
		}
		off := compaction.Keys.With(tbc, compaction.Params{Static: true})
		r = blockRun(t, off, b, fresh(), nil)
		require.True(t, r.Done)
		require.Equal(t, sorted(stack.Issues), sorted(r.Issues), "seed %d", seed)
	}
	assert.Greater(t, fewer, 20, "kernels that compaction helps")
}

// sorted orders issues by row, PC and mask.
func sorted(issues []micro.Issue) []micro.Issue {
	slices.SortFunc(issues, func(a, b micro.Issue) int {
		return (a.Row-b.Row)<<40 + (int(a.PC)-int(b.PC))<<20 + int(a.Mask) - int(b.Mask)
	})
	return issues
}

// TestDeepBlockStack: in a loop one thread after another goes to its own block, which does not come
// back. That fills half of a stack. From there on the smaller path runs first.
func TestDeepBlockStack(t *testing.T) {
	k := seq(
		at("L", count1), when(func(t *thread) bool { return t.I <= t.TID }, "L2"), nop, to("OUT"),
		at("L2", when(func(t *thread) bool { return t.I < 1000 }, "L")),
		at("OUT", exit))
	r := blockRun(t, tbc, micro.Bench{Lanes: 16, Warps: 8}, k, nil)
	require.True(t, r.Done)
	assert.Less(t, r.Stats.MaxDepth, uint64(64))
}

// TestIdealCompaction: where threads can change lanes a path takes as many warps as its threads
// fill. The masks are those of Rhu & Erez, ISCA 2013, figures 5, 1, 2 and 9. They show the threads
// that take the branch by lane, warp by warp.
func TestIdealCompaction(t *testing.T) {
	for mask, want := range map[string]int{
		"0---/4---/8---/C---": 1, "01--/45--/89--/CD--": 2, "0-2-/4-6-/8-A-/C-E-": 2, "0123/456-/89--/C---": 3, // 5a
		"0123/4567/----/----": 2, "012-/456-": 2, "01--": 1, "0123/4567/89AB/CD--": 4, // 5b
		"01--/--67/89--/--EF": 2, "0123/45--/--AB/CDEF": 3, "01--/45--/--AB/--EF": 2, "0-2-/4-6-/-9-B/-D-F": 2, // 5c
		"----/---7/--A-": 1, "0---/4---/8---": 1, "0123/456-/89-B": 3, // 1 and 2
		"0-2-4-6-/8-A-C-E-/G-I-K-M-/O-Q-S-U-": 2, "0123----/89AB----/GHIJ----/OPQR----": 2, // 9
	} {
		warps := strings.Split(mask, "/")
		lanes := len(warps[0])
		all := strings.Join(warps, "")
		k := seq(at("A", when(func(t *thread) bool { return all[t.TID] != '-' }, "C")), at("B", to("D")), at("C", nop),
			at("D", exit))
		b := micro.Bench{Lanes: lanes, Warps: len(warps)}
		r := blockRun(t, divergence.Options{Mechanism: "tbc-ideal"}, b, k, nil)
		require.True(t, r.Done, mask)
		assert.Len(t, compacted(k, r.Issues, "C", lanes), want, mask)
		idle := strings.Count(all, "-")
		assert.Len(t, compacted(k, r.Issues, "B", lanes), (idle+lanes-1)/lanes, mask)
		assert.Equal(t, r.Stats.Compaction.Ideal, uint64(want+(idle+lanes-1)/lanes+2*len(warps)), mask)
		assert.Len(t, compacted(k, r.Issues, "D", lanes), len(warps), mask)
	}
}
