package experiments

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"divergo/units"
)

// The masks of figure 5: TBC cannot compact what is aligned (a), gains nothing
// from what is dense (b), and compacts what lies in different lanes (c).
var (
	figure5a = []string{"0---/4---/8---/C---", "01--/45--/89--/CD--", "0-2-/4-6-/8-A-/C-E-", "0123/456-/89--/C---"}
	figure5b = []string{"0123/4567/-/-", "012-/456-", "01--", "0123/4567/89AB/CD--"}
	figure5c = []string{"01--/--67/89--/--EF", "0123/45--/--AB/CDEF", "01--/45--/--AB/--EF", "0-2-/4-6-/-9-B/-D-F"}
)

// s0 has the claims of SIMD lane permutation.
var s0 = []Claim{
	{
		ID: "C0-01", Place: "figure 5", Statement: "warps that the active threads of the masks (a), (b) and (c) would fill",
		Theirs: "1 2 2 3; 2 2 1 4; 2 3 2 2",
		Ours: func() (string, error) {
			return fmt.Sprintf("%s; %s; %s", filled(figure5a), filled(figure5b), filled(figure5c)), nil
		},
	},
	{
		ID: "C0-02", Place: "figure 5", Statement: "warps for the masks (a) and (b), and the same after compaction",
		Theirs: "4 4 4 4; 2 2 1 4; compacted 4 4 4 4; 2 2 1 4",
		Ours: func() (string, error) {
			a, b := statics(figure5a), statics(figure5b)
			ca, cb := compactions(figure5a), compactions(figure5b)
			return fmt.Sprintf("%s; %s; compacted %s; %s", a, b, ca, cb), nil
		},
	},
	{
		ID: "C0-03", Place: "figure 5", Statement: "warps for the masks (c), and after compaction",
		Theirs: "4 4 4 4; compacted 2 3 2 2",
		Ours: func() (string, error) {
			return fmt.Sprintf("%s; compacted %s", statics(figure5c), compactions(figure5c)), nil
		},
	},
	{
		ID: "C0-04", Place: "figures 1 and 2", Statement: "warps for the paths B and C of figure 1 and for figure 2, and after compaction",
		Theirs: "2 3 3; compacted 1 3 3",
		Ours: func() (string, error) {
			paths := []string{"----/---7/--A-", "0123/456-/89-B", "0---/4---/8---"}
			return fmt.Sprintf("%s; compacted %s", statics(paths), compactions(paths)), nil
		},
	},
	{
		ID: "C0-05", Place: "equation 1", Statement: "threads that can take any lane need as many warps as their number divided by W, rounded up",
		Theirs: always,
		Ours: func() (string, error) {
			return forAll(200, func(sample uint64) (string, error) {
				width := 4 << (sample % 4)
				m := randomMask(sample, width)
				warps, room := 0, 0
				for range m.Threads() { // one after the other into the next free lane
					if room == 0 {
						warps, room = warps+1, width
					}
					room--
				}
				if n := m.Filled(width); n != warps {
					return fmt.Sprintf("%d threads, W = %d: %d warps", m.Threads(), width, n), nil
				}
				return "", nil
			})
		},
	},
	{
		ID: "C0-06", Place: "figure 9(a)", Statement: "masks of Balanced, W = 8",
		Theirs: "000 111 001 110 010 101 011 100",
		Ours: func() (string, error) {
			masks, _ := units.Balanced.Masks(8)
			var list []string
			for _, m := range masks {
				list = append(list, fmt.Sprintf("%03b", m))
			}
			return spaced(list), nil
		},
	},
	{
		ID: "C0-07", Place: "section 4.3", Statement: "masks of Balanced, W from 2 to 32: those of warps 2k and 2k+1 are complements, the odd one at least W/2 (the paper: larger)",
		Theirs: always,
		Ours: func() (string, error) {
			return forAll(5, func(sample uint64) (string, error) {
				width := 2 << sample
				masks, _ := units.Balanced.Masks(width)
				for k := 0; k < width; k += 2 {
					if even, odd := int(masks[k]), int(masks[k+1]); even^odd != width-1 || odd < width/2 {
						return fmt.Sprintf("W = %d: masks %b and %b", width, even, odd), nil
					}
				}
				return "", nil
			})
		},
	},
	{
		ID: "C0-08", Place: "section 4.3", Statement: "permutations under which W warps hold each thread location once in each lane, W = 8, 16 and 32",
		Theirs: "balanced", Ours: spreading,
		Why: "the paper calls this unique to Balanced; exclusive or with any W different masks has it, and so has rotation by the number of the warp",
	},
	{
		ID: "C0-09", Place: "figure 9(b)", Statement: "even threads of 4 warps, W = 8: warps under Sequential, Odd_Even, Rev_WID, Balanced; threads in the lanes of the warps behind the first",
		Theirs: "4 2 4 2; -8-A-C-E G-I-K-M- -O-Q-S-U; C-E-8-A- I-G-M-K- U-S-Q-O-; -E-C-A-8 -G-I-K-M U-S-Q-O-",
		Ours:   func() (string, error) { return figure9(func(tid int) bool { return tid%2 == 0 }) },
	},
	{
		ID: "C0-10", Place: "figure 9(c)", Statement: "threads 0 to 3 of each of 4 warps, otherwise as C0-09",
		Theirs: "4 4 2 2; 98BA---- GHIJ---- PORQ----; ----89AB IJGH---- ----QROP; ----BA98 HGJI---- ----QROP",
		Ours:   func() (string, error) { return figure9(func(tid int) bool { return tid%8 < 4 }) },
	},
	{
		ID: "C0-11", Place: "section 4.2", Statement: "warps under Odd_Even and with halves swapped in odd warps, W = 16: odd lanes of 4 warps; every second row of 8 threads of 8 warps",
		Theirs: "2 4; 8 4",
		Ours: func() (string, error) {
			odd := where(16, 4, func(tid int) bool { return tid%2 == 1 })
			rows := where(16, 8, func(tid int) bool { return tid/8%2 == 0 })
			alternating, err := underEach(16, &odd, units.OddEven, units.XOROddHalf)
			if err != nil {
				return "", err
			}
			clustered, err := underEach(16, &rows, units.OddEven, units.XOROddHalf)
			return alternating + "; " + clustered, err
		},
	},
	{
		ID: "C0-13", Place: "section 4.3", Statement: "storage of the masks of Balanced, W = 32, in bits for an SM",
		Theirs: "160",
		Ours: func() (string, error) {
			masks, _ := units.Balanced.Masks(32)
			width := bits.Len8(slices.Max(masks))
			return fmt.Sprint(len(masks) * width), nil
		},
	},
}

// each applies f to drawn masks of warps of 4.
func each(drawings []string, f func(m *units.BlockMask) int) string {
	var counts []int
	for _, text := range drawings {
		m := drawn(4, text)
		counts = append(counts, f(&m))
	}
	return spaced(counts)
}

func filled(drawings []string) string {
	return each(drawings, func(m *units.BlockMask) int { return m.Filled(4) })
}

func statics(drawings []string) string { return each(drawings, static) }

func compactions(drawings []string) string {
	return each(drawings, func(m *units.BlockMask) int {
		warps, _ := compact(m)
		return len(warps)
	})
}

// spreading lists the permutations that bring each location to each lane once
// in as many warps as there are lanes.
func spreading() (string, error) {
	var list []units.Permutation
	for _, p := range units.Permutations() {
		once := true
		for _, width := range []int{8, 16, 32} {
			lanes, err := units.NewLaneMap(p, width, 0)
			if err != nil {
				return "", err
			}
			for l := range width {
				seen := uint32(0)
				for w := range width {
					seen |= 1 << lanes.Lane(w, l)
				}
				once = once && bits.OnesCount32(seen) == width
			}
		}
		if once {
			list = append(list, p)
		}
	}
	return spaced(list), nil
}

// figure9 is the warps that 4 warps of 8 are compacted to under four
// permutations, and under three of them a picture of each warp but the first,
// by lane.
func figure9(active func(tid int) bool) (string, error) {
	m := where(8, 4, active)
	counts, err := underEach(8, &m, units.Sequential, units.OddEven, units.RevWID, units.Balanced)
	if err != nil {
		return "", err
	}
	for _, p := range []units.Permutation{units.OddEven, units.RevWID, units.Balanced} {
		lanes, err := units.NewLaneMap(p, 8, 0)
		if err != nil {
			return "", err
		}
		var pictures []string
		for w := 1; w < 4; w++ {
			picture := []byte("--------")
			for l := range 8 {
				if tid := 8*w + l; active(tid) {
					picture[lanes.Lane(w, l)] = strings.ToUpper(strconv.FormatInt(int64(tid), 36))[0]
				}
			}
			pictures = append(pictures, string(picture))
		}
		counts += "; " + spaced(pictures)
	}
	return counts, nil
}
