package experiments

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"

	"divergo/units"
)

// drawn reads the active threads of a CTA as Rhu & Erez draw them: warps
// separated by /, in each the numbers of the threads that are active, in base
// 36, or a dash.
func drawn(width int, text string) (m units.BlockMask) {
	for warp := range strings.SplitSeq(text, "/") {
		for _, c := range strings.ReplaceAll(warp, "-", "") {
			id, err := strconv.ParseUint(string(c), 36, 8)
			if err != nil {
				panic(err) // the drawings are those of this package
			}
			m.Add(int(id)/width, 1<<(int(id)%width))
		}
	}
	return m
}

// where is the active threads of so many warps, by a condition on the number
// of the thread.
func where(width, warps int, active func(tid int) bool) (m units.BlockMask) {
	for tid := range width * warps {
		if active(tid) {
			m.Add(tid/width, 1<<(tid%width))
		}
	}
	return m
}

// randomMask is the active threads of a CTA of 1 to width warps, sparse or dense.
func randomMask(sample uint64, width int) (m units.BlockMask) {
	r := rand.New(rand.NewPCG(sample, uint64(width)))
	warps, limit := 1+r.IntN(width), 1+r.IntN(8)
	return where(width, warps, func(int) bool { return r.IntN(8) < limit })
}

// static is the number of warps without compaction.
func static(m *units.BlockMask) int { return bits.OnesCount64(m.Warps()) }

// compact runs the thread compactor: the warps that it makes, and their
// threads.
func compact(m *units.BlockMask) (warps []uint32, homes []units.Homes) {
	for c := (units.Compactor{Pending: *m}); !c.Pending.Empty(); {
		mask, from := c.Next()
		warps, homes = append(warps, mask), append(homes, from)
	}
	return warps, homes
}

// compacted is the number of warps that the compactor makes with threads
// placed by a permutation.
func compacted(p units.Permutation, width int, m *units.BlockMask) (int, error) {
	lanes, err := units.NewLaneMap(p, width, 0)
	if err != nil {
		return 0, err
	}
	placed := lanes.Place(m)
	warps, _ := compact(&placed)
	return len(warps), nil
}

// underEach is the number of warps under each permutation.
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

// spaced writes numbers with spaces between them.
func spaced[T any](list []T) string { return strings.Trim(fmt.Sprint(list), "[]") }
