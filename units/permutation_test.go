package units_test

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/units"
)

func lanes(t *testing.T, p units.Permutation, width int) *units.LaneMap {
	t.Helper()
	m, err := units.NewLaneMap(p, width, 1)
	require.NoError(t, err)
	return m
}

// TestLaneTables uses the maps of Rhu & Erez, ISCA 2013, figure 7, for 8 lanes: the location in
// each lane.
func TestLaneTables(t *testing.T) {
	order := []units.Permutation{
		units.OddEven, units.XOROddHalf, units.FlipOdd, units.RotateOdd, units.WID,
		units.RevWID, units.Balanced,
	}
	for w, row := range []string{
		"01234567  01234567  01234567  01234567  01234567  01234567  01234567",
		"10325476  45670123  76543210  70123456  10325476  45670123  76543210",
		"01234567  01234567  01234567  01234567  23016745  23016745  10325476",
		"10325476  45670123  76543210  70123456  32107654  67452301  67452301",
		"01234567  01234567  01234567  01234567  45670123  10325476  23016745",
		"10325476  45670123  76543210  70123456  54761032  54761032  54761032",
		"01234567  01234567  01234567  01234567  67452301  32107654  32107654",
		"10325476  45670123  76543210  70123456  76543210  76543210  45670123",
	} {
		for i, want := range strings.Fields(row) {
			m := lanes(t, order[i], 8)
			got := make([]byte, 8)
			for l := range 8 {
				got[m.Lane(w, l)] = '0' + byte(l)
			}
			assert.Equal(t, want, string(got), "%s, warp %d", order[i], w)
		}
	}
}

// TestBalancedMasks uses the masks of figure 9 for 8 lanes. For 32 lanes there are 32 different
// masks of 5 bits.
func TestBalancedMasks(t *testing.T) {
	masks, ok := units.Balanced.Masks(8)
	require.True(t, ok)
	assert.Equal(t, []uint8{0b000, 0b111, 0b001, 0b110, 0b010, 0b101, 0b011, 0b100}, masks)
	masks, ok = units.Balanced.Masks(32)
	require.True(t, ok)
	size := 0
	for _, m := range masks {
		size += max(5, bits.Len8(m))
	}
	assert.Equal(t, 160, size)
	for k := range 16 {
		assert.EqualValues(t, k, masks[2*k])
		assert.EqualValues(t, 31-k, masks[2*k+1])
	}
}

// TestPermutationProperties: each warp's map is a permutation. Permutations by masks are their own
// inverse and keep the halves of a warp together. Of the papers' permutations three properties are
// known:
//   - they bring each location to each lane once over W warps;
//   - they are made of masks;
//   - the masks of an even warp and of the odd warp after it are complements.
func TestPermutationProperties(t *testing.T) {
	type properties struct{ once, masks, complements bool }
	known := map[units.Permutation]properties{
		units.Sequential: {masks: true},
		units.OddEven:    {masks: true},
		units.XOROddHalf: {masks: true},
		units.FlipOdd:    {masks: true, complements: true},
		units.RotateOdd:  {},
		units.Random:     {},
		units.WID:        {once: true, masks: true},
		units.RevWID:     {once: true, masks: true},
		units.Balanced:   {once: true, masks: true, complements: true},
		units.Swizzle:    {once: true},
	}
	for p := range known {
		assert.Contains(t, units.Permutations(), p)
	}
	for _, width := range []int{1, 2, 4, 8, 16, 32} {
		for _, p := range units.Permutations() {
			m := lanes(t, p, width)
			var met [32][32]int
			for w := range width {
				seen := map[int]bool{}
				for l := range width {
					lane := m.Lane(w, l)
					seen[lane] = true
					met[lane][l]++
					assert.Equal(t, lane, m.Lane(w+width, l), "warps are counted modulo the width")
				}
				require.Len(t, seen, width, "%s, %d lanes, warp %d", p, width, w)
			}
			once := true
			for lane := range width {
				for l := range width {
					once = once && met[lane][l] == 1
				}
			}
			masks, xor := p.Masks(width)
			complements := xor
			for w := range masks {
				assert.Less(t, int(masks[w]), width)
				complements = complements && int(masks[w]^masks[w^1&(width-1)]) == width-1
				for l := range width {
					lane := m.Lane(w, l)
					assert.Equal(t, l, m.Lane(w, lane), "its own inverse")
					assert.Equal(t, m.Lane(w, l&^15)/16, lane/16, "the halves of a warp stay together")
				}
			}
			if want, of := known[p]; of && width > 4 {
				assert.Equal(t, want, properties{once, xor, complements}, "%s, %d lanes", p, width)
			} else if want.once {
				assert.True(t, once, "%s, %d lanes", p, width)
			}
		}
	}
}

// locations reads a mask as the paper draws it: warps separated by /, each with its active threads
// in base 36, or a dash.
func locations(t *testing.T, text string, width int) (m units.BlockMask) {
	t.Helper()
	for _, warp := range strings.Split(text, "/") {
		for _, c := range strings.ReplaceAll(warp, "-", "") {
			id, err := strconv.ParseInt(string(c), 36, 32)
			require.NoError(t, err)
			m.Add(int(id)/width, 1<<(int(id)%width))
		}
	}
	return m
}

func each(width, warps int, active func(tid int) bool) (m units.BlockMask) {
	for tid := range width * warps {
		if active(tid) {
			m.Add(tid/width, 1<<(tid%width))
		}
	}
	return m
}

// TestWarpCounts counts the warps needed for the active sets of Rhu & Erez, ISCA 2013, figures 1,
// 2, 5, 8 and 9. It does so without compaction, with threads that could change lanes, and with
// compaction under each permutation.
func TestWarpCounts(t *testing.T) {
	order := []units.Permutation{
		units.Sequential, units.OddEven, units.XOROddHalf, units.FlipOdd, units.RotateOdd, units.WID, units.RevWID,
		units.Balanced,
	}
	even := func(tid int) bool { return tid%2 == 0 }
	for _, c := range []struct {
		name   string
		width  int
		mask   units.BlockMask
		active int
		static int
		ideal  int
		warps  [8]int
	}{
		{"5a1", 4, locations(t, "0---/4---/8---/C---", 4), 4, 4, 1, [8]int{4, 2, 2, 2, 2, 1, 1, 1}},
		{"5a2", 4, locations(t, "01--/45--/89--/CD--", 4), 8, 4, 2, [8]int{4, 4, 2, 2, 4, 2, 2, 2}},
		{"5a3", 4, locations(t, "0-2-/4-6-/8-A-/C-E-", 4), 8, 4, 2, [8]int{4, 2, 4, 2, 2, 2, 2, 2}},
		{"5a4", 4, locations(t, "0123/456-/89--/C---", 4), 10, 4, 3, [8]int{4, 4, 3, 3, 4, 4, 3, 3}},
		{"5b1", 4, locations(t, "0123/4567/-/-", 4), 8, 2, 2, [8]int{2, 2, 2, 2, 2, 2, 2, 2}},
		{"5b2", 4, locations(t, "012-/456-", 4), 6, 2, 2, [8]int{2, 2, 2, 2, 2, 2, 2, 2}},
		{"5b3", 4, locations(t, "01--", 4), 2, 1, 1, [8]int{1, 1, 1, 1, 1, 1, 1, 1}},
		{"5b4", 4, locations(t, "0123/4567/89AB/CD--", 4), 14, 4, 4, [8]int{4, 4, 4, 4, 4, 4, 4, 4}},
		{"5c1", 4, locations(t, "01--/--67/89--/--EF", 4), 8, 4, 2, [8]int{2, 2, 4, 4, 4, 2, 4, 4}},
		{"5c2", 4, locations(t, "0123/45--/--AB/CDEF", 4), 12, 4, 3, [8]int{3, 3, 4, 4, 4, 4, 4, 4}},
		{"5c3", 4, locations(t, "01--/45--/--AB/--EF", 4), 8, 4, 2, [8]int{2, 2, 2, 2, 2, 4, 2, 2}},
		{"5c4", 4, locations(t, "0-2-/4-6-/-9-B/-D-F", 4), 8, 4, 2, [8]int{2, 2, 2, 2, 2, 2, 4, 2}},
		{"1, path B", 4, locations(t, "----/---7/--A-", 4), 2, 2, 1, [8]int{1, 2, 1, 1, 1, 1, 1, 1}},
		{"2", 4, locations(t, "0---/4---/8---", 4), 3, 3, 1, [8]int{3, 2, 2, 2, 2, 1, 1, 1}},
		{"2, block C of 1", 4, locations(t, "0123/456-/89-B", 4), 10, 3, 3, [8]int{3, 3, 3, 3, 3, 3, 3, 3}},
		{"9b, even lanes", 8, each(8, 4, even), 16, 4, 2, [8]int{4, 2, 4, 2, 2, 2, 4, 2}},
		{
			"9c, lanes 0 to 3", 8, each(8, 4, func(tid int) bool { return tid%8 < 4 }), 16, 4, 2,
			[8]int{4, 4, 2, 2, 4, 4, 2, 2},
		},
		{
			"8c, odd lanes", 16, each(16, 4, func(tid int) bool { return !even(tid) }), 32, 4, 2,
			[8]int{4, 2, 4, 2, 2, 2, 4, 2},
		},
		{
			"8b, every second row of 8", 16, each(16, 8, func(tid int) bool { return tid/8%2 == 0 }), 64, 8, 4,
			[8]int{8, 8, 4, 4, 8, 8, 4, 4},
		},
		{
			"8b, every fourth row of 8", 16, each(16, 8, func(tid int) bool { return tid/8%4 == 0 }), 32, 4, 2,
			[8]int{4, 4, 4, 4, 4, 4, 4, 4},
		},
	} {
		assert.Equal(t, c.active, c.mask.Threads(), c.name)
		assert.Equal(t, c.static, bits.OnesCount64(c.mask.Warps()), c.name)
		assert.Equal(t, c.ideal, c.mask.Filled(c.width), c.name)
		for i, p := range order {
			placed := lanes(t, p, c.width).Place(&c.mask)
			assert.Equal(t, c.warps[i], placed.Compacted(), "figure %s, %s", c.name, p)
			assert.Equal(t, c.static, bits.OnesCount64(placed.Warps()), "threads stay in their warps")
		}
	}
}

// TestLanePictures uses the threads in the lanes of figure 9, in base 36.
func TestLanePictures(t *testing.T) {
	for _, c := range []struct {
		p      units.Permutation
		active func(tid int) bool
		warps  map[int]string
	}{
		{units.OddEven, func(tid int) bool { return tid%2 == 0 }, map[int]string{1: "-8-A-C-E"}},
		{
			units.RevWID, func(tid int) bool { return tid%2 == 0 },
			map[int]string{1: "C-E-8-A-", 2: "I-G-M-K-", 3: "U-S-Q-O-"},
		},
		{
			units.Balanced, func(tid int) bool { return tid%2 == 0 },
			map[int]string{1: "-E-C-A-8", 2: "-G-I-K-M", 3: "U-S-Q-O-"},
		},
		{units.OddEven, func(tid int) bool { return tid%8 < 4 }, map[int]string{1: "98BA----", 3: "PORQ----"}},
		{
			units.RevWID, func(tid int) bool { return tid%8 < 4 },
			map[int]string{1: "----89AB", 2: "IJGH----", 3: "----QROP"},
		},
		{
			units.Balanced, func(tid int) bool { return tid%8 < 4 },
			map[int]string{1: "----BA98", 2: "HGJI----", 3: "----QROP"},
		},
	} {
		m := lanes(t, c.p, 8)
		for w, want := range c.warps {
			got := []byte("--------")
			for l := range 8 {
				if tid := w*8 + l; c.active(tid) {
					got[m.Lane(w, l)] = strings.ToUpper(strconv.FormatInt(int64(tid), 36))[0]
				}
			}
			assert.Equal(t, want, string(got), "%s, warp %d", c.p, w)
		}
	}
}

// TestCompactionRates covers all paths of the divergent branches in bitonic sort and in the first
// reduction kernel of the CUDA SDK, with warps of 32. It checks the share of paths that need fewer
// warps when compacted, and the sum of warps.
func TestCompactionRates(t *testing.T) {
	bitonic := func(threads int) (paths []units.BlockMask) {
		warps := threads / 32
		for k := 2; k <= threads; k *= 2 {
			for j := k / 2; j > 0; j /= 2 {
				if j >= 32 {
					continue // no warp diverges
				}
				up := func(tid int) bool { return tid^j > tid }
				paths = append(paths, each(32, warps, up), each(32, warps, func(tid int) bool { return !up(tid) }))
				if k < 32 {
					paths = append(paths,
						each(32, warps, func(tid int) bool { return up(tid) && tid&k == 0 }),
						each(32, warps, func(tid int) bool { return up(tid) && tid&k != 0 }))
				}
			}
		}
		return paths
	}
	reduction := func(threads int) (paths []units.BlockMask) {
		for s := 1; s < threads; s *= 2 {
			in := func(tid int) bool { return tid%(2*s) == 0 }
			paths = append(paths, each(32, threads/32, in),
				each(32, threads/32, func(tid int) bool { return !in(tid) }))
		}
		return paths
	}
	type rates map[units.Permutation]float64
	type sums map[units.Permutation]int
	for _, c := range []struct {
		name          string
		paths         []units.BlockMask
		static, ideal int
		rates         rates
		sums          sums
	}{
		{
			"bitonic, 256 threads", bitonic(256), 640, 280,
			rates{
				units.Sequential: 0, units.OddEven: .3, units.XOROddHalf: .2, units.FlipOdd: 1, units.RotateOdd: .3,
				units.WID: .75, units.RevWID: .6, units.Balanced: 1,
			},
			sums{units.FlipOdd: 320, units.Balanced: 292},
		},
		{
			"bitonic, 512 threads", bitonic(512), 1440, 640,
			rates{units.OddEven: .289, units.RevWID: .8, units.Balanced: 1},
			sums{units.FlipOdd: 720, units.Balanced: 648},
		},
		{
			"reduction, 256 threads", reduction(256), 111, 69,
			rates{
				units.Sequential: 0, units.OddEven: .375, units.XOROddHalf: .0625, units.FlipOdd: .375,
				units.WID: .625, units.RevWID: .3125, units.Balanced: .625,
			},
			sums{units.Balanced: 69},
		},
	} {
		static, ideal := 0, 0
		for _, m := range c.paths {
			static += bits.OnesCount64(m.Warps())
			ideal += m.Filled(32)
		}
		assert.Equal(t, c.static, static, c.name)
		assert.Equal(t, c.ideal, ideal, c.name)
		for _, p := range units.Permutations() {
			m := lanes(t, p, 32)
			sum, fewer := 0, 0
			for i := range c.paths {
				n := m.Place(&c.paths[i])
				sum += n.Compacted()
				if n.Compacted() < bits.OnesCount64(n.Warps()) {
					fewer++
				}
			}
			if want, given := c.rates[p]; given {
				assert.InDelta(t, want, float64(fewer)/float64(len(c.paths)), .0005, "%s, %s", c.name, p)
			}
			if want, given := c.sums[p]; given {
				assert.Equal(t, want, sum, "%s, %s", c.name, p)
			}
		}
	}
}

// TestRandomPermutation: the same seed gives the same maps, another seed gives others.
func TestRandomPermutation(t *testing.T) {
	a, err := units.NewLaneMap(units.Random, 32, 1)
	require.NoError(t, err)
	b, err := units.NewLaneMap(units.Random, 32, 2)
	require.NoError(t, err)
	assert.Equal(t, a, lanes(t, units.Random, 32))
	assert.NotEqual(t, a, b)
	rows := map[string]bool{}
	for w := range 32 {
		rows[fmt.Sprint(a.Lane(w, 0), a.Lane(w, 1), a.Lane(w, 2), a.Lane(w, 3))] = true
	}
	assert.Greater(t, len(rows), 28, "a permutation of its own for each warp")
}

func TestUnknownPermutation(t *testing.T) {
	_, err := units.NewLaneMap("balansed", 32, 0)
	assert.ErrorContains(t, err, `"balanced"`)
}

// Four warps with every second lane idle fill two warps, if their threads are not all in the same
// lanes.
func ExampleLaneMap() {
	var even units.BlockMask
	for w := range 4 {
		even.Add(w, 0x5555_5555)
	}
	balanced, err := units.NewLaneMap(units.Balanced, 32, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	placed := balanced.Place(&even)
	fmt.Println(even.Compacted(), placed.Compacted())
	// Output: 4 2
}

// TestBits: Balanced is a table of 32 masks of 5 bits (Rhu & Erez, ISCA 2013, section 4). A
// permutation other than an exclusive-or needs a lane for each location of each warp.
func TestBits(t *testing.T) {
	for _, c := range []struct {
		p           units.Permutation
		width, bits int
	}{
		{units.Balanced, 32, 160},
		{units.Balanced, 16, 64},
		{units.Sequential, 32, 0},
		{units.Random, 32, 32 * 32 * 5},
	} {
		assert.Equal(t, c.bits, c.p.Bits(c.width), "%s of %d", c.p, c.width)
	}
}
