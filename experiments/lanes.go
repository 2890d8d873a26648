package experiments

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/testbench/golden"
	"divergo/units"
)

// spreading lists the permutations that bring each location to each lane once, in as many warps as
// there are lanes. It also lists those of them with complementary lanes in warps 2k and 2k+1.
func spreading() (string, error) {
	var once, both []units.Permutation
	for _, p := range units.Permutations() {
		spreads, complements := true, true
		for _, width := range []int{8, 16, 32} {
			lanes, err := units.NewLaneMap(p, width, 0)
			if err != nil {
				return "", err
			}
			for l := range width {
				seen := uint64(0)
				for w := range width {
					seen |= 1 << lanes.Lane(w, l)
					complements = complements && lanes.Lane(w, l)^lanes.Lane(w^1, l) == width-1
				}
				spreads = spreads && bits.OnesCount64(seen) == width
			}
		}
		if spreads {
			once = append(once, p)
		}
		if spreads && complements {
			both = append(both, p)
		}
	}
	return fmt.Sprintf("%s (and with complements: %s)", spaced(once), spaced(both)), nil
}

// figure9 compacts 4 warps of 8 under four permutations and counts the warps. For three of them it
// also draws each warp but the first, by lane.
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

// The kernels below diverge in alignment with their lanes.

// The machine with thread block compaction measures their paths.

func bitonic(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewBitonic(256, 256, 1), "one bitonic", perms)
}

func reduction(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewReduction(256, 256, 1), "one reduction", perms)
}

func backprop(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewBackprop(32, 16, 1), "one backprop", perms)
}

func laplace(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewLaplace(100, 12, 5, 1), "one laplace", perms)
}

func blocksort(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewBlockSort(256, 256, 1), "one blocksort", perms)
}

func quasirandom(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewQuasirandom(1024, 8, 1), "one quasirandom", perms)
}

func fdtd3d(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewFDTD3D(64, 32, 2, 32, 16, 1), "one fdtd3d", perms)
}

func fd3d(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewFDTD3D(64, 32, 2, 16, 16, 1), "one fd3d", perms)
}

// once measures a named workload that is no size of its kernel; see benchmark.tiled.
func once(w kernels.Workload, name string, perms []units.Permutation) (*Paths, error) {
	s := slp("tbc", "")
	s.wide = true
	return s.madeOf(name, func() (kernels.Workload, error) { return w, nil }, perms...)
}

// aligned returns the compaction rates of the kernels' P-branches under a permutation, and whether
// the ideal rates are above 0.
func aligned(p units.Permutation, list ...func(...units.Permutation) (*Paths, error)) (string, error) {
	var rates, ideal []float64
	for _, measure := range list {
		paths, err := measure(p)
		if err != nil {
			return "", err
		}
		all := paths.Total(isa.ClassProgrammatic).All
		rates, ideal = append(rates, all.Rate(all.Under(p))), append(ideal, all.Rate(all.Ideal))
	}
	return fmt.Sprintf("%s; %s 0 (%.2f)", spaced(rates), order(slices.Min(ideal), 0), ideal), nil
}

// The branches of the kernels below divide ranges of threads.

// convolution has two tiles in a row. With one tile, which the picture cuts on both sides, the
// loading threads would need one warp less.
func convolution(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewConvolution(256, 12, 1), "one convolution", perms)
}

func dwtharr(perms ...units.Permutation) (*Paths, error) {
	return once(kernels.NewHaar(1, 256, 1), "one haar", perms)
}

func binom(perms ...units.Permutation) (*Paths, error) {
	b := benchmark{kernel: "binomial"}
	return slp("tbc", "").madeOf(b.id(), b.workload, perms...)
}

// never returns the ideal compaction rates of kernels whose branches are all programmatic.
func never() (string, error) {
	var rates []float64
	for _, measure := range []func(...units.Permutation) (*Paths, error){dwtharr, binom, convolution} {
		p, err := measure(units.Sequential)
		if err != nil {
			return "", err
		}
		t := p.Total(isa.ClassProgrammatic)
		if t.Divergent == 0 {
			return "no branch diverges", nil
		}
		rates = append(rates, t.All.Rate(t.All.Ideal))
	}
	return spaced(rates), nil
}

// revWorse compares the rates of two permutations on two kernels.
func revWorse() (string, error) {
	reduct, err := reduction(units.RevWID, units.OddEven)
	if err != nil {
		return "", err
	}
	sort, err := blocksort(units.RevWID, units.OddEven)
	if err != nil {
		return "", err
	}
	var orders []string
	var rates []float64
	for _, t := range []Tally{reduct.At("reduction.cu:15"), sort.Total(isa.ClassProgrammatic)} {
		rev, odd := t.All.Rate(t.All.Under(units.RevWID)), t.All.Rate(t.All.Under(units.OddEven))
		orders = append(orders, fmt.Sprintf("Rev_WID %s Odd_Even", order(rev, odd)))
		rates = append(rates, rev, odd)
	}
	return fmt.Sprintf("%s (%.4f)", strings.Join(orders, "; "), rates), nil
}

// order compares two numbers in words.
func order(a, b float64) string {
	switch {
	case a < b:
		return "below"
	case a > b:
		return "above"
	}
	return "equal to"
}

// fullRate finds the permutations that compact every compactable path of bitonic sort, which should
// be several. Of these it returns the one with the fewest warps.
func fullRate() (string, error) {
	p, err := bitonic(units.Permutations()...)
	if err != nil {
		return "", err
	}
	all := p.Total(isa.ClassProgrammatic).All
	var best units.Permutation
	var full []string
	for _, p := range units.Permutations() {
		n := all.Under(p)
		if n.Fewer != all.Ideal.Fewer {
			continue
		}
		full = append(full, fmt.Sprintf("%s %d", p, n.Warps))
		if best == "" || n.Warps < all.Under(best).Warps {
			best = p
		}
	}
	if len(full) < 2 {
		return fmt.Sprintf("not several: %s", full), nil
	}
	return fmt.Sprintf("%s (%s, ideal %d)", best, strings.Join(full, ", "), all.Ideal.Warps), nil
}

// classes lists the classes of the conditional branches of a kernel.
func classes(body string) (string, error) {
	p, err := assemble(body)
	if err != nil {
		return "", err
	}
	return classesIn(p, ""), nil
}

// classesIn lists the classes of the conditional branches of a source line, or of all lines.
func classesIn(p *isa.Program, where string) string {
	var list []isa.Class
	for pc := range p.Insts {
		if in := &p.Insts[pc]; in.Conditional() && (where == "" || p.Where(uint32(pc)) == where) {
			list = append(list, in.Class)
		}
	}
	return spaced(list)
}

// figure4 lists the classes of the branches in the figure's code.
func figure4() (string, error) {
	comparator, err := classes(`
	and.b32 %r2, %r1, 16;
	setp.ne.u32 %p0, %r2, 0;
	ld.shared.u32 %r3, [tile];
	ld.shared.u32 %r4, [tile+4];
	setp.gt.xor.u32 %p1, %r3, %r4, %p0;
	@%p1 bra END;
	st.shared.u32 [tile], %r4;
END:
	exit;`)
	if err != nil {
		return "", err
	}
	programs := make(runner.Programs)
	var list []any
	for _, b := range []struct{ kernel, entry, where string }{
		{"bfs", "bfs_expand", "bfs.cu:14"},
		{"bitonic", "bitonic", "bitonic.cu:17"},
		{"bitonic", "bitonic", "bitonic.cu:20"},
		{"mandelbrot", "mandelbrot", "mandelbrot.cu:7"},
	} {
		p, err := programs.Program(b.kernel+".ptx", b.entry)
		if err != nil {
			return "", err
		}
		list = append(list, classesIn(p, b.where))
	}
	return fmt.Sprintf("%[2]s; %[1]s; %[3]s %[4]s; %[5]s", append([]any{comparator}, list...)...), nil
}

// figure8 lists the active sets of the figure.
func figure8() (string, error) {
	backprop, err := sides(kernels.NewBackprop(16, 8, 1), 16, "backprop.cu:30")
	if err != nil {
		return "", err
	}
	bitonic, err := sides(kernels.NewBitonic(64, 64, 1), 16, "bitonic.cu:17")
	if err != nil {
		return "", err
	}
	const taken, not = 0, 1
	return fmt.Sprintf("%s; %s; %s", picture(&backprop[1][not], 8), picture(&backprop[0][not], 8),
		picture(&bitonic[0][taken], 4)), nil
}

// sides returns the threads that take the branch of a source line and those that do not, for each
// execution by a CTA.
func sides(w kernels.Workload, warpSize int, where string) (list [][2]units.BlockMask, err error) {
	err = w.Run(newEmulator(warpSize, func(prog *isa.Program, threads []golden.Thread) {
		replay(prog, threads, func(pc uint32, taken, not []int) {
			if prog.Where(pc) == where {
				list = append(list, [2]units.BlockMask{locations(warpSize, taken), locations(warpSize, not)})
			}
		})
	}))
	return list, err
}

// picture draws the active lanes of the given number of warps of 16, in hexadecimal.
func picture(m *units.BlockMask, warps int) string {
	var list []string
	for w := range warps {
		list = append(list, fmt.Sprintf("%04x", m.Warp(w)))
	}
	return spaced(list)
}
