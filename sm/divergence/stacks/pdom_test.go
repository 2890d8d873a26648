package stacks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// IPDOM column of the micro-kernel table (design notes, section 3.6): issued
// warp instructions, activity factor, stack depth with the base entry.
func TestPDOMMicroKernels(t *testing.T) {
	for _, c := range []struct {
		kernel   string
		issues   int
		activity float64
		depth    uint64 // 0: not given
	}{
		{"K1", 9, .7222, 3},
		{"K2", 10, .6000, 3},
		{"K2b", 9, .7500, 2},
		{"K3", 27, .6111, 2},
		{"K4", 16, .5000, 3},
		{"K4b", 21, .4286, 3},
		{"K5", 55, .5068, 4},
		{"K6", 12, .7708, 3},
		{"K6b", 66, .7879, 2},
		{"K7", 20, .4750, 3},
		{"U1", 106, .5189, 0},
		{"U2", 106, .5189, 0},
		{"U3", 26, .5769, 0},
		{"U4", 26, .5337, 0},
	} {
		t.Run(c.kernel, func(t *testing.T) {
			r := microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, 8, 1, kernels[c.kernel])
			assert.Len(t, r.Issues, c.issues)
			assert.InDelta(t, c.activity, r.Activity(8), .00005)
			if c.depth > 0 {
				assert.Equal(t, c.depth, r.Stats.MaxDepth)
			}
		})
	}
}

// TestPDOMFigure7 has the issue slots of the lower half of Fung & Aamodt, HPCA 2011, figure 7.
func TestPDOMFigure7(t *testing.T) {
	r := microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, 4, 2, figure7)
	const A, B, C, D = 0, 1, 2, 3
	assert.ElementsMatch(t, []micro.Issue{
		{Row: 0, PC: A, Mask: 0b1111},
		{Row: 1, PC: A, Mask: 0b1111},
		{Row: 0, PC: C, Mask: 0b0001},
		{Row: 1, PC: C, Mask: 0b0110},
		{Row: 0, PC: B, Mask: 0b1110},
		{Row: 1, PC: B, Mask: 0b1001},
		{Row: 0, PC: D, Mask: 0b1111},
		{Row: 1, PC: D, Mask: 0b1111},
	}, r.Issues)
	assert.Equal(t, 24, r.Lanes)
	assert.InDelta(t, .75, r.Activity(4), 0)
}

// TestPathOrder: which of two paths of a warp runs first.
func TestPathOrder(t *testing.T) {
	low := below(2)                                    // lanes 0 and 1 of 8
	high := func(t *thread) bool { return t.TID >= 2 } // the others
	for _, c := range []struct {
		order divergence.PathOrder
		taken func(t *thread) bool
		first uint64
	}{
		{divergence.TakenFirst, low, 0x03},
		{divergence.NotTakenFirst, low, 0xfc},
		{divergence.MajorityFirst, low, 0xfc},
		{divergence.MajorityFirst, high, 0xfc},
		{divergence.MinorityFirst, low, 0x03},
		{divergence.MinorityFirst, high, 0x03},
		{divergence.HighestLaneLast, low, 0x03},
		{divergence.HighestLaneLast, high, 0x03},
	} {
		k := seq(when(c.taken, "C"), to("D"), at("C", nop), at("D", exit))
		r := microtest.Run(t, "pdom", divergence.Options{PathOrder: c.order}, 8, 1, k)
		assert.Equal(t, c.first, r.Issues[1].Mask, "%s", c.order)
	}
}

// TestBarrier: no warp passes before all live warps have arrived, and a warp that exits releases
// the others.
func TestBarrier(t *testing.T) {
	k := seq(
		when(func(t *thread) bool { return t.TID >= 24 }, "OUT"), // the last of four warps leaves
		when(func(t *thread) bool { return t.TID < 8 }, "BAR"),   // the first comes early
		rep("", 10),
		at("BAR", line{Bar: true}),
		nop, exit,
		rep("OUT", 30), exit)
	r := microtest.Run(t, "pdom", divergence.Options{PathOrder: divergence.TakenFirst}, 8, 4, k)
	bar, left, passed := uint32(12), 0, -1
	for i, issue := range r.Issues {
		if issue.Row == 3 && k[issue.PC].Exit {
			left = i
		}
		if issue.PC == bar+1 && passed < 0 {
			passed = i
		}
	}
	assert.Greater(t, passed, left, "a warp passed the barrier while another was on its way")
	assert.EqualValues(t, 1, r.Stats.BarReleases)
	assert.EqualValues(t, 0, r.Stats.BarDiverged)
}

// TestSpinLock: a lock between threads of a warp, which the owner releases after the loop, is never
// released. This kernel hangs on every stack.
func TestSpinLock(t *testing.T) {
	locked := false
	k := seq(
		at("L", line{Do: func(t *thread) {
			if t.I == 0 && !locked {
				locked, t.I = true, 1 // this thread has it
			}
		}}),
		when(func(t *thread) bool { return t.I == 0 }, "L"),
		line{Do: func(*thread) { locked = false }},
		exit)
	m, _ := divergence.Find("pdom")
	r, err := micro.Run(m, divergence.Options{PathOrder: divergence.TakenFirst}, 8, 1, k, 1000)
	require.NoError(t, err)
	assert.False(t, r.Done)
	for _, issue := range r.Issues[2:] {
		assert.EqualValues(t, 0xfe, issue.Mask, "the owner waits at the post-dominator")
	}
}
