package barriers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/microtest"
)

// TestSubwarp runs kernels worked out on paper for one warp of 8, with loads of 12 cycles. The
// taken path goes first.
func TestSubwarp(t *testing.T) {
	load := line{Load: 12}
	// Two sides, each with a load and an instruction that needs it.
	//
	//	   0
	//	  / \
	//	 1   4 load      barrier: 4 ........ 5 1 ........ 2 3 6
	//	 2   5           subwarp: 4 1 ...... 5 2 3 6
	//	  \ /
	//	   6
	sides := seq(when(tid(4), "C"), load, nop, to("J"), at("C", load), nop, at("J", exit))
	// The same in a region of its own on the right; the left path is not in it, and
	// does not run while paths of it wait: 0 3 7 4 ... 8 5 6 9 1 2 10.
	region := seq(
		when(tid(4), "C"), nop, to("J"),
		at("C", when(odd, "D")), load, nop, to("K"),
		at("D", load), nop,
		at("K", nop),
		at("J", exit))
	// Three sides in the same region. The first one to run waits for 40 cycles: 0 3 6 4 5 1 2 ... 7 8.
	three := seq(
		when(tid(4), "C"), nop, to("J"),
		at("C", when(tid(6), "D")), nop, to("J"),
		at("D", line{Load: 40}), nop,
		at("J", exit))
	for _, c := range []struct {
		name      string
		mechanism divergence.Options
		kernel    kernel
		want      [][2]uint64 // PC and mask
		switches  uint64
	}{
		{
			"barrier alone waits twice",
			divergence.Options{Mechanism: "barrier"},
			sides,
			[][2]uint64{{0, 0xff}, {4, 0xf0}, {5, 0xf0}, {1, 0x0f}, {2, 0x0f}, {3, 0x0f}, {6, 0xff}},
			0,
		},
		{
			"another path runs, until it waits itself and the data of the first one comes",
			divergence.Options{Mechanism: "subwarp"},
			sides,
			[][2]uint64{{0, 0xff}, {4, 0xf0}, {1, 0x0f}, {5, 0xf0}, {2, 0x0f}, {3, 0x0f}, {6, 0xff}},
			2,
		},
		{
			"paths of a region take turns with each other",
			divergence.Options{Mechanism: "subwarp"},
			region,
			[][2]uint64{
				{0, 0xff},
				{3, 0xf0},
				{7, 0xa0},
				{4, 0x50},
				{8, 0xa0},
				{5, 0x50},
				{6, 0x50},
				{9, 0xf0},
				{1, 0x0f},
				{2, 0x0f},
				{10, 0xff},
			},
			2,
		},
		{
			"the uppermost of the ready paths runs first",
			divergence.Options{Mechanism: "subwarp"},
			three,
			[][2]uint64{
				{0, 0xff},
				{3, 0xf0},
				{6, 0xc0},
				{4, 0x30},
				{5, 0x30},
				{1, 0x0f},
				{2, 0x0f},
				{7, 0xc0},
				{8, 0xff},
			},
			2,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, ok := divergence.Find(c.mechanism.Mechanism)
			require.True(t, ok)
			r, err := micro.Run(m, c.mechanism, 8, 1, c.kernel, 1000)
			require.NoError(t, err)
			require.True(t, r.Done)
			assert.Equal(t, c.want, microtest.IssuesOf(r))
			if r.Counts != nil {
				assert.Equal(t, c.switches, microtest.Counter(t, m, r, "subwarp.switches"))
			}
		})
	}
}

// TestSubwarpSlots: four paths of a switch with a load each. With two slots only one of them waits
// beside the running one. With four slots all loads are in flight together.
func TestSubwarpSlots(t *testing.T) {
	load := line{Load: 40}
	k := seq(
		when(tid(4), "C"),
		when(tid(2), "B"), load, nop, to("J"),
		at("B", load), nop, to("J"),
		at("C", when(tid(6), "D")), load, nop, to("J"),
		at("D", load), nop,
		at("J", exit))
	cycles := func(o divergence.Options) (n int) {
		m, _ := divergence.Find(o.Mechanism)
		b := micro.Bench{Lanes: 8, Warps: 1, Each: func(divergence.Policy, []micro.Issue) { n++ }}
		r, err := b.Run(m, o, k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		for i, pcs := range microtest.PerThread(r.Issues, 8, 8) {
			assert.Equal(t, microtest.Alone(k, i), pcs, "thread %d", i)
		}
		return n
	}
	one, two, four := cycles(divergence.Options{Mechanism: "barrier"}),
		cycles(microtest.With("subwarp", "subwarp.slots", "2")), cycles(divergence.Options{Mechanism: "subwarp"})
	assert.Greater(t, one, 4*40)
	assert.Greater(t, one, two+60, "two loads at a time: two fewer are waited for, and some switches")
	assert.Greater(t, two, four+30, "all at a time: one fewer")
}

// TestSubwarpRandom: loads at random places, with barriers and exits, change which path runs, but
// not what a thread executes.
func TestSubwarpRandom(t *testing.T) {
	const lanes, warps = 8, 3
	switches := uint64(0)
	for seed := range uint64(60) {
		exits, bars := seed%3 == 1, seed%3 == 2
		loading := func() kernel { // its conditions count, so that each run needs one of its own
			k := microtest.RandomKernel(seed, lanes*warps, exits, bars)
			for i := range k {
				if (uint64(i)*2654435761+seed)%3 == 0 && k[i].To == "" && !k[i].Exit && !k[i].Bar {
					k[i].Load = int(seed%7) * 5
				}
			}
			return k
		}
		k := loading()
		var want [][]uint32
		for tid := range lanes * warps {
			want = append(want, microtest.Alone(k, tid))
		}
		for _, slots := range []string{"2", "4"} {
			m, _ := divergence.Find("subwarp")
			k := loading()
			count := microtest.Census{Kernel: k, Lanes: 8}
			b := micro.Bench{
				Lanes: lanes, Warps: warps, Latency: int(seed % 4),
				Each: func(p divergence.Policy, issued []micro.Issue) { count.Take(t, p, issued) },
			}
			r, err := b.Run(m, microtest.With("subwarp", "subwarp.slots", slots), k, 400_000)
			require.NoError(t, err)
			require.True(t, r.Done, "seed %d", seed)
			require.Equal(t, want, microtest.PerThread(r.Issues, lanes, lanes*warps), "seed %d", seed)
			if bars {
				microtest.NoneAhead(t, k, r.Issues, lanes, lanes*warps)
			}
			switches += microtest.Counter(t, m, r, "subwarp.switches")
		}
	}
	assert.Greater(t, switches, uint64(100))
}

// TestSubwarpTooManySlots names the key.
func TestSubwarpTooManySlots(t *testing.T) {
	m, _ := divergence.Find("subwarp")
	_, err := m.Cost(microtest.With("subwarp", "subwarp.slots", "9"),
		divergence.Geometry{Lanes: 32, Warps: 64, CTAs: 2})
	assert.ErrorContains(t, err, "divergence.subwarp.slots = 9: want at most 8 with 64 warps")
}
