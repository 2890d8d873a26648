package experiments

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"divergo/units"
)

// drawn reads the active threads of a CTA in the notation of Rhu & Erez. A slash separates warps;
// each lane holds the number of its active thread, in base 36, or a dash.
func drawn(width int, text string) (m units.BlockMask) {
	for warp := range strings.SplitSeq(text, "/") {
		for _, c := range strings.ReplaceAll(warp, "-", "") {
			id, err := strconv.ParseUint(string(c), 36, 8)
			if err != nil {
				panic(err) // all drawings are constants of this package
			}
			m.Add(int(id)/width, 1<<(int(id)%width))
		}
	}
	return m
}

// where returns the threads of the given warps that satisfy a condition on their number.
func where(width, warps int, active func(tid int) bool) (m units.BlockMask) {
	for tid := range width * warps {
		if active(tid) {
			m.Add(tid/width, 1<<(tid%width))
		}
	}
	return m
}

// randomMask returns random active threads of a CTA of 1 to width warps, sparse or dense.
func randomMask(sample uint64, width int) (m units.BlockMask) {
	r := rand.New(rand.NewPCG(sample, uint64(width)))
	warps, limit := 1+r.IntN(width), 1+r.IntN(8)
	return where(width, warps, func(int) bool { return r.IntN(8) < limit })
}

// static returns the number of warps without compaction.
func static(m *units.BlockMask) int { return bits.OnesCount64(m.Warps()) }

// compact runs the thread compactor. It returns the masks of the new warps, and their threads.
func compact(m *units.BlockMask) (warps []uint64, homes []units.Homes) {
	for c := (units.Compactor{Pending: *m}); !c.Pending.Empty(); {
		mask, from := c.Next()
		warps, homes = append(warps, mask), append(homes, from)
	}
	return warps, homes
}

// compacted returns the number of warps that the compactor makes from threads placed by a
// permutation.
func compacted(p units.Permutation, width int, m *units.BlockMask) (int, error) {
	lanes, err := units.NewLaneMap(p, width, 0)
	if err != nil {
		return 0, err
	}
	placed := lanes.Place(m)
	warps, _ := compact(&placed)
	return len(warps), nil
}

// underEach returns the number of warps under each permutation.
func underEach(width int, m *units.BlockMask, list ...units.Permutation) (string, error) {
	var counts []int
	for _, p := range list {
		n, err := compacted(p, width, m)
		if err != nil {
			return "", err
		}
		counts = append(counts, n)
	}
	return spaced(counts), nil
}

// spaced joins values with spaces.
func spaced[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }
