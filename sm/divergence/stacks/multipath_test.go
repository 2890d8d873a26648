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

// TestMultiPath runs kernels worked out on paper for one warp of 8 whose slots issue in turn, one
// instruction a cycle.
func TestMultiPath(t *testing.T) {
	nested := seq(when(tid(4), "E1"), when(tid(2), "E2"), nop, to("J"), at("E2", nop), to("J"), rep("E1", 2),
		at("J", exit))
	for _, c := range []struct {
		name      string
		mechanism divergence.Options
		kernel    kernel
		want      [][2]uint64 // PC and mask
		depth     uint64      // of the reconvergence table
	}{
		{
			//        0
			//       / \         slot 0: 6, slot 1: 1, whose sides are 4 in slot 1 and 2 in
			//      1   6        slot 2. All three take turns; a dual-path stack lets 7
			//     / \  7        wait until 3 and 5 have joined.
			//    2   4 |
			//    3   5 |        Both branches meet at 8: one entry, and the bottom.
			//     \ / /
			//      8
			"three paths at a time",
			divergence.Options{Mechanism: "multipath"},
			nested,
			[][2]uint64{
				{0, 0xff},
				{1, 0x0f},
				{6, 0xf0},
				{4, 0x0c},
				{2, 0x03},
				{7, 0xf0},
				{5, 0x0c},
				{3, 0x03},
				{8, 0xff},
			},
			2,
		},
		{
			// With a slot each warp runs a split until it ends: the first side, E1, then
			// the one that has waited longest.
			"one slot",
			microtest.With("multipath", "multipath.paths", "1"),
			nested,
			[][2]uint64{
				{0, 0xff},
				{6, 0xf0},
				{7, 0xf0},
				{1, 0x0f},
				{4, 0x0c},
				{5, 0x0c},
				{2, 0x03},
				{3, 0x03},
				{8, 0xff},
			},
			2,
		},
		{
			//    0<-+      threads leave one after the other: all iterations use the
			//    1--+      entry of the first one that some leave
			//    2
			"loop",
			divergence.Options{Mechanism: "multipath"},
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
			//      0          threads 0 and 1 go to 3, the others to 1; of those 2 and 3
			//     / \         go to 3, 4 to 7 to 2 and out. All branches meet at 5 only, since
			//    1-. |        4 is passed by. Threads 0 to 3 are at 3 in different splits:
			//    |  \|        in slot 1 from 0, in slot 0 later
			//    2   3
			//    |   4
			//     \ /
			//      5
			"side entrance, no early join",
			divergence.Options{Mechanism: "multipath"},
			entrance(),
			[][2]uint64{{0, 0xff}, {1, 0xfc}, {3, 0x03}, {3, 0x0c}, {2, 0xf0}, {4, 0x03}, {4, 0x0c}, {5, 0xff}},
			2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := microtest.Run(t, c.mechanism.Mechanism, c.mechanism, 8, 1, c.kernel)
			assert.Equal(t, c.want, microtest.IssuesOf(r))
			assert.Equal(t, c.depth, r.Stats.MaxDepth)
		})
	}
}

func entrance() kernel {
	return seq(when(func(t *thread) bool { return t.TID < 2 }, "X"),
		when(func(t *thread) bool { return t.TID < 4 }, "X"), to("E"), at("X", nop), nop, at("E", exit))
}

// TestMultiPathTables has the paper's tables for one branch, with warps of 4. Block A diverges into
// B (0101) and C (1010), which meet at D. B is the shorter one.
//
//	          splits                  reconvergence table (PC, mask, pending)
//	A         A1111                   -
//	BR A      C1010  B0101            D 1111 1111
//	B ends    C1010                   D 1111 1010
//	C ends    D1111                   -
func TestMultiPathTables(t *testing.T) {
	const A, B, C, D = 0, 1, 3, 6
	k := seq(when(odd, "C"), nop, to("D"), rep("C", 3), at("D", exit))
	m, ok := divergence.Find("multipath")
	require.True(t, ok)
	type entry struct {
		pc            uint32
		mask, pending uint64
	}
	type tables struct {
		splits string
		table  []entry
	}
	name := map[uint32]string{A: "A", B: "B", B + 1: "B", C: "C", C + 1: "C", C + 2: "C", D: "D"}
	var got []tables
	b := micro.Bench{Lanes: 4, Warps: 1, Each: func(p divergence.Policy, _ []micro.Issue) {
		d := p.(*stacks.MultiPath)
		var now tables
		for i := range d.Table.Len() {
			if s := d.Table.At(i); s.Valid {
				now.splits += name[s.PC] + binary(s.Mask)
			}
		}
		for i := 1; i < 4; i++ {
			if e := d.Rejoin.At(i); e.Mask != 0 {
				now.table = append(now.table, entry{e.At.PC, e.Mask, e.Pending})
			}
		}
		if n := len(got); now.splits != "" && (n == 0 || !assert.ObjectsAreEqual(got[n-1], now)) {
			got = append(got, now)
		}
	}}
	r, err := b.Run(m, divergence.Options{}, k, 100)
	require.NoError(t, err)
	require.True(t, r.Done)
	assert.Equal(t, []tables{
		{"A1111", nil},
		{"C1010B0101", []entry{{D, 0b1111, 0b1111}}},
		{"C1010", []entry{{D, 0b1111, 0b1010}}},
		{"D1111", nil},
	}, got)
}

func binary(mask uint64) (text string) {
	for i := 3; i >= 0; i-- {
		text += string('0' + rune(mask>>i&1))
	}
	return text
}

// TestMultiPathCounts: with two slots, one of the three splits of the nested
// branches has to wait.
func TestMultiPathCounts(t *testing.T) {
	m, ok := divergence.Find("multipath")
	require.True(t, ok)
	k := seq(when(tid(4), "E1"), when(tid(2), "E2"), nop, to("J"), at("E2", nop), to("J"), rep("E1", 4), at("J", exit))
	r, err := micro.Run(m, microtest.With("multipath", "multipath.paths", "2"), 8, 1, k, 1000)
	require.NoError(t, err)
	require.True(t, r.Done)
	assert.EqualValues(t, 3, microtest.Counter(t, m, r, "multipath.splits"))
	assert.EqualValues(t, 1, microtest.Counter(t, m, r, "multipath.parked"))
}

// TestMultiPathBarrier: three splits of a warp execute a barrier each. With one slot the first two
// make room for the third. The warp arrives with the last.
func TestMultiPathBarrier(t *testing.T) {
	bar := line{Bar: true}
	for _, paths := range []string{"1", "2", "8"} {
		k := seq(when(tid(4), "C"), when(odd, "B"), bar, to("J"), at("B", nop), bar, to("J"), rep("C", 3), bar,
			at("J", nop), bar, exit)
		m, _ := divergence.Find("multipath")
		r, err := micro.Bench{Lanes: 8, Warps: 2}.Run(m, microtest.With("multipath", "multipath.paths", paths), k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done, "%s slots", paths)
		microtest.NoneAhead(t, k, r.Issues, 8, 16)
		assert.EqualValues(t, 3, r.Stats.BarDiverged, "warp 1 is in C with all threads")
		assert.EqualValues(t, 2, r.Stats.BarReleases)
		for i, pcs := range microtest.PerThread(r.Issues, 8, 16) {
			assert.Equal(t, microtest.Alone(k, i), pcs, "thread %d", i)
		}
	}
}

// TestMultiPathCost: the words of the paper's tables, for warps of 8 with a slot for each split. A
// split has a PC, a mask and an index; an entry has a PC, two masks and an index.
func TestMultiPathCost(t *testing.T) {
	o := microtest.With("multipath", "multipath.paths", "8")
	m, ok := divergence.Find("multipath")
	require.True(t, ok)
	c, err := m.Cost(o, divergence.Geometry{Lanes: 8, Warps: 4, CTAs: 2})
	require.NoError(t, err)
	table := microtest.Structure(t, c, "Rejoin")
	assert.Equal(t, 4*8, table.Words)
	assert.Equal(t, 32+8+8+5, table.Width())
	to := microtest.Structure(t, c, "To")
	assert.Equal(t, 4*8, to.Words)
	assert.Equal(t, 5, to.Width())
	_, err = m.Cost(microtest.With("multipath", "multipath.paths", "32"),
		divergence.Geometry{Lanes: 32, Warps: 64, CTAs: 2})
	assert.ErrorContains(t, err, "divergence.multipath.paths = 32: want at most 8 with 64 warps")
}

// multiPath tests what holds in each cycle: splits that go to an entry, and entries,
// are disjoint and together the pending threads of it.
func multiPath(t *testing.T, d *stacks.MultiPath) {
	lanes := d.Rejoin.Len() / d.Meeting.Len()
	slots := d.Table.Len() / d.Meeting.Len()
	for w := range d.Meeting.Len() {
		coming := make([]uint64, lanes)
		add := func(to uint8, mask uint64) {
			if mask == 0 || coming[to]&mask != 0 {
				require.Fail(t, "a thread is in two splits, or a split has none")
			}
			coming[to] |= mask
		}
		for i := w * slots; i < (w+1)*slots; i++ {
			if s := d.Table.At(i); s.Valid {
				add(*d.To.At(i), s.Mask)
			}
		}
		for i := range int(*d.Pool.Depth.At(w)) {
			x := d.Pool.At(w, i)
			add(x.To, x.Mask)
		}
		for i := 1; i < lanes; i++ {
			if e := d.Rejoin.At(w*lanes + i); e.Mask != 0 {
				add(e.Parent, e.Mask)
			}
		}
		for i := range lanes {
			e := d.Rejoin.At(w*lanes + i)
			if e.Mask == 0 && coming[i] == 0 {
				continue
			}
			if i == 0 && coming[i] != e.Mask || i > 0 &&
				(coming[i] != e.Pending || e.Pending == 0 || e.Pending&^e.Mask != 0) {
				require.Fail(t, "not the pending threads", "entry %d: %08b come, %+v", i, coming[i], *e)
			}
		}
	}
}
