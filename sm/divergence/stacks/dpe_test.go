package stacks_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
	"divergo/sm/divergence/stacks"
)

// TestDPE runs kernels worked out on paper for one warp of 8. Its slots issue in turn: slot 0 the
// taken path, slot 1 the other.
func TestDPE(t *testing.T) {
	for _, c := range []struct {
		name   string
		kernel kernel
		want   [][2]uint64 // PC and mask
		depth  uint64
	}{
		{
			//      0
			//     / \
			//    1   4     paths B (lanes 0-3) and A (4-7) take turns,
			//    2   5     B first because A has issued last
			//    3   |
			//     \ /
			//      6
			"both paths of a branch interleave",
			seq(when(tid(4), "C"), nop, nop, to("D"), rep("C", 2), at("D", exit)),
			[][2]uint64{{0, 0xff}, {1, 0x0f}, {4, 0xf0}, {2, 0x0f}, {5, 0xf0}, {3, 0x0f}, {6, 0xff}},
			2,
		},
		{
			//    0
			//    |\
			//    1 |       the taken path ends where it begins: nothing to interleave
			//    2 |
			//    |/
			//    3
			"if without else",
			seq(when(tid(4), "J"), nop, nop, at("J", exit)),
			[][2]uint64{{0, 0xff}, {1, 0x0f}, {2, 0x0f}, {3, 0xff}},
			2,
		},
		{
			//    0<-+      threads leave one after the other: the entry of the
			//    1--+      first one to leave is used by all
			//    2
			"loop",
			seq(at("L", count1), when(func(t *thread) bool { return t.I <= t.TID/2 }, "L"), exit),
			[][2]uint64{
				{0, 0xff},
				{1, 0xff},
				{0, 0xfc},
				{1, 0xfc},
				{0, 0xf0},
				{1, 0xf0},
				{0, 0xc0},
				{1, 0xc0},
				{2, 0xff},
			},
			2,
		},
		{
			//        0
			//       / \
			//      1   6     1 diverges when 6 has run: the path at 7 is covered
			//     / \  7     and has to wait until the paths from 1 have joined
			//    2   4 |
			//    3   5 |
			//     \ / /
			//      8
			"a nested branch covers the other path",
			seq(when(tid(4), "E1"), when(tid(2), "E2"), nop, to("J"), at("E2", nop), to("J"), rep("E1", 2),
				at("J", exit)),
			[][2]uint64{
				{0, 0xff},
				{1, 0x0f},
				{6, 0xf0},
				{2, 0x03},
				{4, 0x0c},
				{3, 0x03},
				{5, 0x0c},
				{7, 0xf0},
				{8, 0xff},
			},
			3,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := microtest.Run(t, "dpe", divergence.Options{}, 8, 1, c.kernel)
			var got [][2]uint64
			for _, i := range r.Issues {
				got = append(got, [2]uint64{uint64(i.PC), i.Mask})
			}
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.depth, r.Stats.MaxDepth)
		})
	}
}

// TestDPEOutcomeOfACoveredPath: both paths have a divergent branch on the way. The first outcome's
// pair covers the path of the second, which puts its own pair below the first.
//
//	      0            stack, bottom first, after both outcomes:
//	    /   \          {-}  {at 6, at 13}  {8, 10}  {2, 4}
//	  1       7
//	 / \     / \
//	2   4   8   10
//	 \ /     \ /
//	  6       12
//	    \   /
//	     13
func TestDPEOutcomeOfACoveredPath(t *testing.T) {
	arm := func(label, other, join string, c func(t *thread) bool) kernel {
		return seq(at(label, when(c, other)), nop, to(join), at(other, nop), nop, at(join, nop))
	}
	k := seq(when(tid(4), "R"), arm("L", "L2", "LJ", odd), to("J"), arm("R", "R2", "RJ", odd), at("J", exit))
	m, _ := divergence.Find("dpe")
	for _, latency := range []int{0, 6} {
		deepest, forks := 0, []uint32(nil)
		b := micro.Bench{Lanes: 8, Warps: 1, Latency: latency, Each: func(p divergence.Policy, _ []micro.Issue) {
			d := p.(*stacks.DPE)
			dualPath(t, d)
			if depth := int(*d.Stack.Depth.At(0)); depth > deepest {
				deepest, forks = depth, nil
				for i := 1; i < depth; i++ {
					forks = append(forks, d.Stack.At(0, i).RPC.PC)
				}
			}
		}}
		r, err := b.Run(m, divergence.Options{}, k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		const J, LJ, RJ = 14, 6, 13
		assert.Equal(t, []uint32{J, RJ, LJ}, forks)
		for i, pcs := range microtest.PerThread(r.Issues, 8, 8) {
			assert.Equal(t, microtest.Alone(k, i), pcs, "thread %d", i)
		}
	}
}

// TestDPEBarrierOfACoveredPath: the path at C has a barrier on the way when it is covered. It waits
// there with the two paths of the top entry.
func TestDPEBarrierOfACoveredPath(t *testing.T) {
	bar := line{Bar: true}
	k := seq(
		when(tid(4), "C"),
		when(odd, "X"), rep("", 3), bar, to("Y"),
		rep("X", 3), bar,
		at("Y", nop), to("D"),
		at("C", bar), nop,
		at("D", bar), exit)
	m, _ := divergence.Find("dpe")
	r, err := micro.Bench{Lanes: 8, Warps: 1, Latency: 5}.Run(m, divergence.Options{}, k, 1000)
	require.NoError(t, err)
	require.True(t, r.Done)
	microtest.NoneAhead(t, k, r.Issues, 8, 8)
	for i, pcs := range microtest.PerThread(r.Issues, 8, 8) {
		assert.Equal(t, microtest.Alone(k, i), pcs, "thread %d", i)
	}
}

// TestDPEBarrierBesideAnEndedPath: the threads that go to J have nothing to do before the others
// join them there. The warp arrives at the barriers of the others without them.
//
//	  0
//	 / \
//	|   1          the branch at 1 covers the ended path
//	|  / \
//	| 2   4        barriers
//	|  \ /
//	|   5
//	 \ /
//	  6
func TestDPEBarrierBesideAnEndedPath(t *testing.T) {
	bar := line{Bar: true}
	k := seq(
		when(tid(4), "J"),
		when(odd, "X"), bar, to("Y"),
		at("X", bar),
		at("Y", nop),
		at("J", exit))
	m, _ := divergence.Find("dpe")
	for _, latency := range []int{0, 5} {
		r, err := micro.Bench{Lanes: 8, Warps: 1, Latency: latency}.Run(m, divergence.Options{}, k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		for i, pcs := range microtest.PerThread(r.Issues, 8, 8) {
			assert.Equal(t, microtest.Alone(k, i), pcs, "thread %d", i)
		}
	}
}

// dualPath tests the invariants of a dual-path stack. The paths of an entry are disjoint and part
// of a path below it. Only paths of the top entry that have not ended are in slots.
func dualPath(t *testing.T, d *stacks.DPE) {
	for w := range d.Stack.Depth.Len() {
		depth := int(*d.Stack.Depth.At(w))
		below := append(make([]uint64, 0, 64), ^uint64(0))
		for i := range depth {
			e := *d.Stack.At(w, i)
			if i == depth-1 { // its paths are in the slots
				for side := range e.Side {
					s := d.Table.At(2*w + side)
					e.Side[side].Mask = 0
					if s.Valid {
						if s.PC == e.RPC.PC && s.Depth == e.RPC.Depth {
							require.Fail(t, "a path at its end can be scheduled")
						}
						e.Side[side].Mask = s.Mask
					}
				}
			}
			a, b := e.Side[0].Mask, e.Side[1].Mask
			inside := false
			for _, m := range below {
				inside = inside || (a|b)&^m == 0
			}
			if a&b != 0 || !inside {
				require.Fail(t, "not two parts of one path below", "warp %d entry %d: %08b and %08b", w, i, a, b)
			}
			below = append(below, a, b)
		}
	}
}
