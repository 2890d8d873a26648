package compaction_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/compaction"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

var capri = divergence.Options{Mechanism: "capri", PathOrder: divergence.TakenFirst}

// predicting runs a kernel under CAPRI.
func predicting(t *testing.T, b micro.Bench, k kernel, each func(d *compaction.CAPRI)) micro.Result {
	t.Helper()
	m, _ := divergence.Find("capri")
	if each != nil {
		b.Each = func(p divergence.Policy, _ []micro.Issue) { each(p.(*compaction.CAPRI)) }
	}
	r, err := b.Run(m, capri, k, 100_000)
	require.NoError(t, err)
	return r
}

// adequate is a loop that all threads leave together, of 2 warps of 4 threads. In some iterations
// the threads that take the branch are in other lanes of either warp, so that compaction is
// adequate. In the others they are in the same lanes.
func adequate(iterations ...bool) kernel {
	taken := func(t *thread) bool {
		lane, warp := t.TID%4, t.TID/4
		if iterations[t.I-1] {
			return lane/2 == warp
		}
		return lane/2 == 0
	}
	return seq(
		at("L", count1),
		at("A", when(taken, "C")),
		at("B", to("D")),
		at("C", nop),
		at("D", line{If: func(t *thread) bool { return t.I < len(iterations) }, To: "L", Uniform: true}),
		exit)
}

// TestAdequacyPrediction follows the rules of the table at one branch: compaction is adequate,
// adequate, not, not, adequate. The first time the branch is not in the table and diverges. Two of
// the four predictions are right.
func TestAdequacyPrediction(t *testing.T) {
	var predictions, history []bool
	open := false
	k := adequate(true, true, false, false, true)
	r := predicting(t, micro.Bench{Lanes: 4, Warps: 2}, k, func(d *compaction.CAPRI) {
		b := d.Opened.At(0)
		if open && b.Left == 0 {
			line := d.CAPT.Lines.At(0)
			require.True(t, line.Valid)
			require.Equal(t, "A", k[line.PC].Label)
			predictions, history = append(predictions, b.Compact), append(history, line.Data.Here)
		}
		open = b.Left != 0
	})
	require.True(t, r.Done)
	assert.Equal(t, []bool{false, true, true, false, false}, predictions)
	assert.Equal(t, []bool{true, true, false, false, true}, history)
	assert.Equal(t, divergence.Prediction{Branches: 5, Correct: 2, Misses: 1, Bypasses: 3 * 2, Compacts: 2},
		r.Stats.Prediction)

	// Only the second time the threads of either way are one warp.
	assert.Equal(t, []string{
		"1 2 - -", "- - 7 8", "1 2 7 8", "1 2 - -", "5 6 - -", "1 2 - -", "5 6 - -", "1 2 - -",
		"- - 7 8",
	}, compacted(k, r.Issues, "C", 4))
	assert.Len(t, compacted(k, r.Issues, "B", 4), 9)
}

// TestAdequateForOneOutcome: compaction is adequate if either of the outcomes needs fewer warps, even
// if the other one does not. Threads 1 and 6, counted from 1, fit into one warp. The others need two,
// as lanes 3 and 4 of both warps are among them.
func TestAdequateForOneOutcome(t *testing.T) {
	for block, taken := range map[string]bool{"C": true, "B": false} {
		k := seq(
			at("L", count1),
			at("A", when(func(t *thread) bool { return (t.TID == 0 || t.TID == 5) == taken }, "C")),
			at("B", to("D")),
			at("C", nop),
			at("D", line{If: func(t *thread) bool { return t.I < 2 }, To: "L", Uniform: true}),
			exit)
		list, r := opened(t, k)
		assert.Equal(t, []string{"A alone", "A compact"}, list, block)
		assert.Equal(t, []string{"1 - - -", "- 6 - -", "1 6 - -"}, compacted(k, r.Issues, block, 4))
	}
}

// TestBypass: at a branch that has not diverged so far a warp continues although the other one has
// not arrived; under plain compaction it waits. It is held at the next branch until the other warp
// has executed the first.
func TestBypass(t *testing.T) {
	k := seq(micro.Repeat("", 8), at("A", when(never, "B")), at("B", nop), nop, at("C", when(odd, "D")), nop,
		at("D", nop), exit)
	order := func(o divergence.Options) (at map[string][2]int) {
		m, _ := divergence.Find(o.Mechanism)
		r, err := micro.Bench{Lanes: 4, Warps: 2, Prefer: []int{1, 0}}.Run(m, o, k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		at = map[string][2]int{}
		for n, i := range r.Issues {
			if l := k[i.PC].Label; l != "" && !i.Mixed {
				x := at[l]
				x[i.Row] = n
				at[l] = x
			}
		}
		return at
	}
	with, without := order(capri), order(tbc)
	assert.Less(t, with["B"][1], with["A"][0], "warp 1 is through before warp 0 comes")
	assert.Greater(t, without["B"][1], without["A"][0], "warp 1 waits for warp 0")
	assert.Less(t, with["C"][1], with["A"][0], "issued")
	assert.Greater(t, with["D"][1], with["A"][0], "and held")
}

// TestTimeHeld: warp 1 reaches the branch to D while warp 0 has still to execute the one to B. It is
// held until then, and the time counts as a wait at a branch. Nobody waits anywhere else.
func TestTimeHeld(t *testing.T) {
	k := seq(micro.Repeat("", 8), when(never, "B"), at("B", nop), nop, when(odd, "D"), nop, at("D", nop), exit)
	var held uint64
	b := micro.Bench{Lanes: 4, Warps: 2, Prefer: []int{1, 0}}
	r := predicting(t, b, k, func(d *compaction.CAPRI) {
		if s := d.Slots().At(1); s.Valid && s.Wait == divergence.WaitsJoin {
			held++
		}
	})
	require.True(t, r.Done)
	assert.Positive(t, held)
	assert.Equal(t, held, r.Stats.Compaction.AtBranch)
	assert.Zero(t, r.Stats.Compaction.AtJoin)
}

// TestExitBeforeBranch: no warp waits at a branch for a warp that ends before it. Neither does the
// warp that is held at the next branch.
func TestExitBeforeBranch(t *testing.T) {
	k := seq(micro.Repeat("", 8), line{Exit: true, If: tid(4)}, when(never, "B"), at("B", nop), when(odd, "C"), nop,
		at("C", nop), exit)
	r := predicting(t, micro.Bench{Lanes: 4, Warps: 2, Prefer: []int{0, 1}}, k, nil)
	require.True(t, r.Done)
	assert.EqualValues(t, 2, r.Stats.Prediction.Branches)
	assert.EqualValues(t, 2, r.Stats.Prediction.Bypasses)
}

// TestBypassedRegion: a two-sided branch diverges within a warp for the first time. The code inside
// executes as with the per-warp stack, barriers included.
func TestBypassedRegion(t *testing.T) {
	for name, k := range map[string]kernel{
		"nested branch": seq(when(odd, "C"), nop, to("D"), at("C", nop), when(below(6), "C2"), nop, at("C2", nop),
			at("D", nop), exit),
		"nested loop": seq(when(odd, "C"), at("L", count1), when(func(t *thread) bool { return t.I <= t.TID }, "L"),
			to("D"), at("C", nop), at("D", nop), exit),
		"barrier": seq(when(odd, "C"), nop, line{Bar: true}, nop, at("C", nop), nop, exit),
		"exit":    seq(when(odd, "C"), nop, exit, at("C", nop), when(below(6), "D"), nop, at("D", nop), exit),
	} {
		stack := microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, 8, 2, k)
		r := predicting(t, micro.Bench{Lanes: 8, Warps: 2}, k, nil)
		require.True(t, r.Done, name)
		assert.Equal(t, sorted(stack.Issues), sorted(r.Issues), name)
		assert.EqualValues(t, 1, r.Stats.Prediction.Branches, "%s: none is predicted inside", name)
		assert.Equal(t, stack.Stats.BarDiverged, r.Stats.BarDiverged, name)
	}
}

// TestBypassParks: the warps bypass a branch as a block, and those that have executed it wait at a
// barrier inside. All threads of the last warp leave for J. Nothing else of the first path runs then,
// so the stack goes on without it: the threads at J exit, which opens the barrier.
func TestBypassParks(t *testing.T) {
	k := seq(at("A", when(tid(8), "J")), line{Bar: true}, at("B", when(odd, "J")), nop, at("J", nop), exit)
	b := micro.Bench{Lanes: 4, Warps: 3, Prefer: []int{0, 1, 2}}
	waits := 0 // warps at the barrier, while the last warp is missing at the branch
	r := predicting(t, b, k, func(d *compaction.CAPRI) {
		o := d.Opened.At(0)
		if o.Left != 1 || k[o.At.PC].Label != "A" || o.Waits || o.Alone {
			return
		}
		waits = 0
		for i := range 2 {
			if d.Slots().At(i).Wait == divergence.WaitsBarrier {
				waits++
			}
		}
	})
	require.True(t, r.Done)
	require.Equal(t, 2, waits)
	microtest.NoneAhead(t, k, r.Issues, 4, 12)
	assert.True(t, strings.HasPrefix(microtest.BlocksOf(k, r.Issues), "AAAJ"), "J before B")
}

// TestOneWay: analysis cannot show that a loop is uniform, but all threads leave it together. It
// does not end compaction inside.
func TestOneWay(t *testing.T) {
	k := adequate(true, true, true, true, true)
	for pc := range k {
		k[pc].Uniform = false
	}
	r := predicting(t, micro.Bench{Lanes: 4, Warps: 2}, k, nil)
	require.True(t, r.Done)
	assert.EqualValues(t, 4, r.Stats.Prediction.Compacts)
	assert.Len(t, compacted(k, r.Issues, "C", 4), 2+4)
}

// TestLoopExit: some threads leave a loop after each of the first iterations. Its branch is not in
// the table when the first ones leave, so the warps continue as they are. The next iteration looks
// the branch up: the table has learned that the remaining threads fit into one warp.
func TestLoopExit(t *testing.T) {
	k := seq(
		at("L", count1), at("X", nop),
		when(func(t *thread) bool { return t.I <= 2 && t.TID%4/2 == t.TID/4 }, "L"),
		at("OUT", nop), exit)
	r := predicting(t, micro.Bench{Lanes: 4, Warps: 2}, k, nil)
	require.True(t, r.Done)
	assert.Equal(t, []string{"1 2 3 4", "5 6 7 8", "1 2 - -", "- - 7 8", "1 2 7 8"}, compacted(k, r.Issues, "X", 4))
	assert.Equal(t, []string{"1 2 3 4", "5 6 7 8"}, compacted(k, r.Issues, "OUT", 4), "all wait for the last round")
	assert.Equal(t, divergence.Prediction{Branches: 3, Correct: 1, Misses: 1, Bypasses: 2, Compacts: 2},
		r.Stats.Prediction)
}

// TestRunsAhead: a warp bypasses the branch out of a loop and reaches the end of the loop by
// another branch, which all threads take. The other warp has yet to execute the first branch. The
// first warp waits there for its thread that left.
func TestRunsAhead(t *testing.T) {
	k := seq(
		micro.Repeat("", 9), at("L", nop), when(func(t *thread) bool { return t.TID == 4 }, "OUT"),
		line{If: func(*thread) bool { return true }, To: "OUT", Uniform: true},
		to("L"), at("OUT", nop), exit)
	r := predicting(t, micro.Bench{Lanes: 4, Warps: 2, Prefer: []int{1, 0}}, k, nil)
	require.True(t, r.Done)
	assert.ElementsMatch(t, []string{"1 2 3 4", "5 6 7 8"}, compacted(k, r.Issues, "OUT", 4))
	var order []int // of the rows at the first instruction of the loop, and behind it
	for _, i := range r.Issues {
		if k[i.PC].Label != "" {
			order = append(order, i.Row)
		}
	}
	assert.Equal(t, 1, order[0])
	assert.Equal(t, 0, order[1], "before anybody is at the end")
}

// opened is what the warps do at each branch of the block: compact, wait, bypass it as a
// block or alone.
func opened(t *testing.T, k kernel) (list []string, r micro.Result) {
	open := false
	r = predicting(t, micro.Bench{Lanes: 4, Warps: 2}, k, func(d *compaction.CAPRI) {
		b := d.Opened.At(0)
		if open && b.Left == 0 {
			how := "block"
			switch {
			case b.Compact:
				how = "compact"
			case b.Waits:
				how = "wait"
			case b.Alone:
				how = "alone"
			}
			list = append(list, k[b.At.PC].Label+" "+how)
		}
		open = b.Left != 0
	})
	require.True(t, r.Done)
	return list, r
}

// TestInside: threads of the last lane skip the code of the others, so that compaction is not
// adequate at A. The branch B inside it is taken by lanes 0 and 1 of one warp and 2 of the other.
// The table still sees it.
func TestInside(t *testing.T) {
	k := seq(
		at("L", count1),
		at("A", when(func(t *thread) bool { return t.TID%4 == 3 }, "J")),
		at("B", when(func(t *thread) bool { return t.TID%4/2 == t.TID/4 }, "C")),
		nop, to("J"), at("C", nop),
		at("J", line{If: func(t *thread) bool { return t.I < 3 }, To: "L", Uniform: true}),
		exit)
	list, r := opened(t, k)
	assert.Equal(t, []string{"A block", "B alone", "A block", "B compact", "A block", "B compact"}, list)
	assert.Equal(t, []string{"1 2 - -", "- - 7 -", "1 2 7 -", "1 2 7 -"}, compacted(k, r.Issues, "C", 4))
}

// TestNothingInside: the table has no line for a two-sided branch, and each warp bypasses it alone.
// In an iteration in which the warps are a block it learns that compaction is adequate nowhere
// inside. As a block all warps take the first side before one takes the second.
func TestNothingInside(t *testing.T) {
	k := seq(
		at("L", count1),
		at("A", when(func(t *thread) bool { return t.TID%4 < 2 }, "T")),
		at("B", when(func(t *thread) bool { return t.TID%4 == 3 }, "C")),
		nop, at("C", nop), to("J"),
		at("T", nop),
		at("J", line{If: func(t *thread) bool { return t.I < 4 }, To: "L", Uniform: true}),
		exit)
	list, r := opened(t, k)
	assert.Equal(t, []string{"A alone", "A block", "B alone", "A alone", "A alone"}, list)
	var order string
	for _, i := range r.Issues {
		if l := k[i.PC].Label; l == "A" || l == "B" || l == "T" {
			order += l
		}
	}
	assert.Equal(t, "AATTBB", order[6:12], "the round as a block, of %s", order)
}

// TestSwitch: a warp that bypasses alone has one pending path for each case of a switch whose tests
// run first. Its stack has no room for all of them, so in the end the smaller path goes first.
func TestSwitch(t *testing.T) {
	var k kernel
	for lane := range 16 {
		k = append(k, when(func(t *thread) bool { return t.TID%16 == lane }, string(rune('a'+lane))))
	}
	k = append(k, to("J"))
	for lane := range 16 {
		k = append(k, at(string(rune('a'+lane)), nop), to("J"))
	}
	k = append(seq(when(func(t *thread) bool { return t.TID%16 == 15 }, "S")),
		append(k, at("S", nop), at("J", nop), exit)...)
	m, _ := divergence.Find("capri")
	r, err := micro.Bench{Lanes: 16, Warps: 2}.Run(m,
		divergence.Options{Mechanism: "capri", PathOrder: divergence.NotTakenFirst}, k, 10_000)
	require.NoError(t, err)
	require.True(t, r.Done)
}

// TestDeep: the fifth branch from the inside could need more entries than the path stack of a warp
// has; the fourth could not.
func TestDeep(t *testing.T) {
	k := seq(nop)
	for _, name := range []string{"E", "D", "C", "B", "A"} {
		taken := func(t *thread) bool { return t.TID%4 == int(name[0]-'A') }
		k = append(append(seq(at(name, when(taken, name+"T"))), k...), to(name+"J"), at(name+"T", nop),
			at(name+"J", nop))
	}
	list, _ := opened(t, append(k, exit))
	assert.Equal(t, []string{"A block", "B alone"}, list)
}

// TestPredictionInvariants: on random structured kernels the sum of active lanes is that of the
// per-warp stack. Over all kernels fewer warp instructions are issued. A single kernel can issue
// more: threads of compacted warps may diverge at a bypassed branch.
func TestPredictionInvariants(t *testing.T) {
	const lanes, warps = 8, 4
	var all divergence.Prediction
	issues, stacks := 0, 0
	for seed := range uint64(60) {
		exits, bars := seed%3 == 1, seed%3 == 2
		fresh := func() kernel { return microtest.RandomKernel(seed, lanes*warps, exits, bars) }
		stack := microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, lanes, warps, fresh())
		r := predicting(t, micro.Bench{Lanes: lanes, Warps: warps}, fresh(), nil)
		require.True(t, r.Done)
		require.Equal(t, stack.Lanes, r.Lanes, "seed %d", seed)
		p := r.Stats.Prediction
		require.LessOrEqual(t, p.Correct, p.Branches)
		require.LessOrEqual(t, p.Compacts+p.Misses, p.Branches)
		issues, stacks = issues+len(r.Issues), stacks+len(stack.Issues)
		all.Branches += p.Branches
		all.Compacts += p.Compacts
		all.Bypasses += p.Bypasses
	}
	assert.Less(t, issues, stacks)
	assert.Positive(t, all.Compacts)
	assert.Greater(t, all.Branches, all.Compacts)
	assert.Greater(t, all.Bypasses, all.Branches)
}
