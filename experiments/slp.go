package experiments

import (
	"cmp"
	"fmt"
	"slices"

	"divergo/internal/papers"
	"divergo/units"
)

// The masks of figure 5. TBC cannot compact aligned threads (a), gains nothing from dense ones (b),
// and compacts threads in different lanes (c).
var (
	figure5a = []string{"0---/4---/8---/C---", "01--/45--/89--/CD--", "0-2-/4-6-/8-A-/C-E-", "0123/456-/89--/C---"}
	figure5b = []string{"0123/4567/-/-", "012-/456-", "01--", "0123/4567/89AB/CD--"}
	figure5c = []string{"01--/--67/89--/--EF", "0123/45--/--AB/CDEF", "01--/45--/--AB/--EF", "0-2-/4-6-/-9-B/-D-F"}
)

func init() { Register(papers.SLP, slpFigures, slices.Concat(slpClaims, slpNumbers)) }

// slpClaims are the claims of SIMD lane permutation.
var slpClaims = []Claim{
	{
		ID: "SLP-01", Place: "figure 5",
		Statement: "warps that the active threads of the masks (a), (b) and (c) would fill",
		Theirs:    "1 2 2 3; 2 2 1 4; 2 3 2 2",
		Ours: func() (string, error) {
			return fmt.Sprintf("%s; %s; %s", filled(figure5a), filled(figure5b), filled(figure5c)), nil
		},
	},
	{
		ID: "SLP-02", Place: "figure 5", Statement: "warps for the masks (a) and (b), and the same after compaction",
		Theirs: "4 4 4 4; 2 2 1 4; compacted 4 4 4 4; 2 2 1 4",
		Ours: func() (string, error) {
			a, b := statics(figure5a), statics(figure5b)
			ca, cb := compactions(figure5a), compactions(figure5b)
			return fmt.Sprintf("%s; %s; compacted %s; %s", a, b, ca, cb), nil
		},
	},
	{
		ID: "SLP-03", Place: "figure 5", Statement: "warps for the masks (c), and after compaction",
		Theirs: "4 4 4 4; compacted 2 3 2 2",
		Ours: func() (string, error) {
			return fmt.Sprintf("%s; compacted %s", statics(figure5c), compactions(figure5c)), nil
		},
	},
	{
		ID: "SLP-04", Place: "figures 1 and 2",
		Statement: "warps for the paths B and C of figure 1 and for figure 2, and after compaction",
		Theirs:    "2 3 3; compacted 1 3 3",
		Ours: func() (string, error) {
			paths := []string{"----/---7/--A-", "0123/456-/89-B", "0---/4---/8---"}
			return fmt.Sprintf("%s; compacted %s", statics(paths), compactions(paths)), nil
		},
	},
	{
		ID: "SLP-05", Place: "equation 1",
		Statement: "threads that can take any lane need as many warps as their number divided by W, rounded up: warps issued for a way of a branch, random masks",
		Theirs:    always, Ours: anyLane,
	},
	{
		ID: "SLP-06", Place: "figure 9(a)", Statement: "masks of Balanced, W = 8",
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
		ID: "SLP-07", Place: "section 4.3",
		Statement: "masks of Balanced, W from 2 to 32: those of warps 2k and 2k+1 are complements, the odd one at least W/2 (the paper: larger)",
		Theirs:    always,
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
		ID: "SLP-08", Place: "section 4.3",
		Statement: "permutations under which W warps hold each thread location once in each lane, W = 8, 16 and 32",
		Theirs:    "balanced", Ours: spreading,
		Why: "it holds for any XOR with W different masks; that warps 2k and 2k+1 are complements as well is what Balanced has alone",
	},
	{
		ID: "SLP-09", Place: "figure 9(b)",
		Statement: "even threads of 4 warps, W = 8: warps under Sequential, Odd_Even, Rev_WID, Balanced; threads in the lanes of the warps behind the first",
		Theirs:    "4 2 4 2; -8-A-C-E G-I-K-M- -O-Q-S-U; C-E-8-A- I-G-M-K- U-S-Q-O-; -E-C-A-8 -G-I-K-M U-S-Q-O-",
		Ours:      func() (string, error) { return figure9(func(tid int) bool { return tid%2 == 0 }) },
	},
	{
		ID: "SLP-10", Place: "figure 9(c)", Statement: "threads 0 to 3 of each of 4 warps, otherwise as SLP-09",
		Theirs: "4 4 2 2; 98BA---- GHIJ---- PORQ----; ----89AB IJGH---- ----QROP; ----BA98 HGJI---- ----QROP",
		Ours:   func() (string, error) { return figure9(func(tid int) bool { return tid%8 < 4 }) },
	},
	{
		ID: "SLP-11", Place: "section 4.2",
		Statement: "warps under Odd_Even and with halves swapped in odd warps, W = 16: odd lanes of 4 warps; every second row of 8 threads of 8 warps",
		Theirs:    "2 4; 8 4",
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
		ID: "SLP-12", Place: "figure 8",
		Statement: "active lanes of each warp, W = 16: back-propagation, 8x16 threads, power_two = 4 and 2; bitonic sort, 64 threads, not (ixj > tid), j = 1",
		Theirs:    "00ff 0000 00ff 0000 00ff 0000 00ff 0000; 00ff 00ff 00ff 00ff 00ff 00ff 00ff 00ff; aaaa aaaa aaaa aaaa",
		Ours:      figure8,
	},
	{
		ID: "SLP-13", Place: "section 4.3", Statement: "storage of the masks of Balanced, W = 32, in bits for an SM",
		Theirs: "160", Mark: Reconstruction,
		Ours: func() (string, error) { return fmt.Sprint(units.Balanced.Bits(32)), nil },
	},
	{
		ID: "SLP-14", Place: "figure 10",
		Statement: "class of a branch on each value of the snippet: %tid, a predicate of it, an address made of it, what is loaded there, a predicate of that, a constant (clean, which makes no D-branch)",
		Theirs:    "P P P D D P",
		Ours: func() (string, error) {
			return classes(`
	setp.eq.u32 %p0, %r0, 0;
	@%p0 bra TID;
TID:
	setp.ne.or.u32 %p1, %r0, 0, %p0;
	@%p1 bra PREDICATE;
PREDICATE:
	mov.u32 %r2, tile;
	add.u32 %r2, %r2, %r0;
	setp.eq.u32 %p2, %r2, 0;
	@%p2 bra ADDRESS;
ADDRESS:
	ld.shared.u32 %r3, [%r2];
	setp.eq.u32 %p3, %r3, 0;
	@%p3 bra LOADED;
LOADED:
	setp.ne.and.u32 %p4, %r0, 0, %p3;
	@%p4 bra OF_LOADED;
OF_LOADED:
	mov.u32 %r3, 100;
	setp.eq.u32 %p5, %r3, 0;
	@%p5 bra CONSTANT;
CONSTANT:
	exit;`)
		},
	},
	{
		ID: "SLP-15", Place: "figure 4",
		Statement: "class of the branches of (a) breadth-first search, (b) the comparator of a sorting network, (c) bitonic sort, lines 7 and 8, (d) Mandelbrot, one for each side of &&",
		Theirs:    "D; D; P P; P P", Ours: figure4,
	},
	{
		ID: "SLP-16", Place: "section 5", Benchmarks: true,
		Statement: "benchmarks of table 1 with a SIMD utilization above 99 % without compaction (the paper leaves out 22 of 40 that have)",
		Theirs:    "none", Ours: coherentOnes,
	},
	{
		ID: "SLP-17", Place: "section 3.3", Benchmarks: true,
		Statement: "benchmarks with divergent P-branches, against those with D-branches",
		Theirs:    "above", Ours: classed,
	},
	{
		ID: "SLP-18", Place: "section 3.3", Benchmarks: true,
		Statement: "compaction rate of the P-branches of BITONIC, REDUCT, LPS, BACKP, AOSSORT (taken to be the block sort of Thrust), FDTD3D (tile of 32x16), 3DFD (16x16) and QSRDM: Sequential, and ideal",
		Theirs:    "0 0 0 0 0 0 0 0; above 0",
		Ours: func() (string, error) {
			return aligned(units.Sequential, bitonic, reduction, laplace, backprop, blocksort, fdtd3d, fd3d,
				quasirandom)
		},
	},
	{
		ID: "SLP-19", Place: "figure 6(c)", Benchmarks: true,
		Statement: "compaction rate of DWTHARR and BINOM (a range of threads that becomes smaller) and CONVSEP (a picture wider than a tile), ideal",
		Theirs:    "0 0 0", Ours: never,
	},
	{
		ID: "SLP-20", Place: "sections 3.3 and 6.1", Benchmarks: true,
		Statement: "compaction rate of P-branches in per cent, in the mean of ten benchmarks with some to compact: Sequential, Balanced, and ideal",
		Theirs:    "within 5 points",
		Ours: func() (string, error) {
			of, ideal, err := rates(units.Sequential, units.Balanced)
			return near(append(of, ideal), []float64{3.2, 71.5, 72.7}), err
		},
		Why: "by benchmark, Balanced and ideal: BITONIC 99 99, REDUCT 55 55, LPS 33 36, BACKP 29 57, AOSSORT 85 87, QSRDM 99 99, FDTD3D 50 100, 3DFD 50 100, MDBROT 100 100, SOBFLT 46 46; the paper has FDTD3D within 1.1 points of ideal, and here the 28 lanes beside its rim take as many warps as before; without these two the means are 0, 68 and 72; the bars of the others are lost",
	},
	{
		ID: "SLP-21", Place: "section 6.1", Statement: "the same rates, order of Odd_Even, Rev_WID and Balanced", Benchmarks: true,
		Theirs: "odd-even rev-wid balanced",
		Ours: func() (string, error) {
			perms := []units.Permutation{units.OddEven, units.RevWID, units.Balanced}
			of, _, err := rates(perms...)
			list := []int{0, 1, 2}
			slices.SortFunc(list, func(a, b int) int { return cmp.Compare(of[a], of[b]) })
			return fmt.Sprintf("%s %s %s (%.1f; theirs 28.9 52.8 71.5)", perms[list[0]], perms[list[1]], perms[list[2]],
				of), err
		},
	},
	{
		ID: "SLP-22", Place: "section 6.1", Benchmarks: true,
		Statement: "benchmarks in which Balanced leaves P-paths that ideal compaction does not",
		Theirs:    "FDTD3D MDBROT SOBFLT", Ours: unmatched,
		Why: "FDTD3D and 3DFD: the 28 lanes beside a rim of 4 take as many warps as before; BACKP, CTAs of 16x16: power_two = 4 leaves threads in the first half of the even warps alone, which Balanced keeps there (CTAs of 8x16, as in figure 8: 36 of 50 %); LPS and AOSSORT miss by 3 points, EIGENVL has 0.8 of 1.3 %; the rim of MDBROT and all of SOBFLT compact wholly here",
	},
	{
		ID: "SLP-23", Place: "section 6.1", Benchmarks: true,
		Statement: "compaction rate of the P-branches of FDTD3D and 3DFD: Odd_Even, and ideal",
		Theirs:    "0 0; above 0",
		Ours:      func() (string, error) { return aligned(units.OddEven, fdtd3d, fd3d) },
	},
	{
		ID: "SLP-24", Place: "section 6.1", Benchmarks: true,
		Statement: "compaction rate of the P-branches of REDUCT (its loop) and AOSSORT (as in SLP-18), CTAs of 256 threads",
		Theirs:    "Rev_WID below Odd_Even; Rev_WID below Odd_Even", Ours: revWorse,
	},
	{
		ID: "SLP-25", Place: "section 6.2", Benchmarks: true,
		Statement: "BITONIC, P-branches, a CTA of 256 threads: several permutations compact all that can be compacted; that with the fewest warps",
		Theirs:    "balanced", Ours: fullRate,
	},
	{
		ID: "SLP-26", Place: "section 6.1, figure 12", Benchmarks: true,
		Statement: "P-paths of half of a CTA's threads or more, compaction rate of Rev_WID against Balanced: BITONIC, REDUCT, MDBROT, AOSSORT, QSRDM",
		Theirs:    "below below below below below",
		Ours:      func() (string, error) { return crowded("BITONIC", "REDUCT", "MDBROT", "AOSSORT", "QSRDM") },
		Why:       "of MDBROT 7 executions at the picture's rim are all, which Rev_WID compacts as well; its D-paths of half of the threads or more have the order, 25 and 37 %",
	},
	{
		ID: "SLP-27", Place: "section 6.1", Benchmarks: true,
		Statement: "compaction rate of D-branches as they are, mean of the benchmarks that have some to compact, against the ideal one; benchmarks without any that are compacted",
		Theirs:    "below; none",
		Ours: func() (string, error) {
			mean, none, err := dataRates(nil, units.Sequential)
			return fmt.Sprintf("%s; %s (%.1f; theirs 42.5 64.4)", order(mean[0], mean[1]), listed(none), mean), err
		},
	},
	{
		ID: "SLP-28", Place: "section 6.1", Benchmarks: true,
		Statement: "compaction rate of D-branches, mean of BITONIC, MDBROT, AOSSORT, SORTNW and SOBFLT: as they are against Balanced, Balanced against ideal",
		Theirs:    "below below",
		Ours: func() (string, error) {
			mean, _, err := dataRates([]string{"BITONIC", "MDBROT", "AOSSORT", "SOBFLT", "SORTNW"}, units.Sequential,
				units.Balanced)
			return fmt.Sprintf("%s %s (%.1f; theirs 35.3 59.3 68.5)", order(mean[0], mean[1]), order(mean[1], mean[2]),
				mean), err
		},
	},
	{
		ID: "SLP-29", Place: "section 6.1", Benchmarks: true,
		Statement: "benchmarks in which Balanced compacts fewer than 97.9 % of the D-paths of the best permutation; in which it compacts over a point fewer than as they are",
		Theirs:    "DXTC; none", Ours: behind,
		Why: "on DXTC no permutation matters here: 16.4 to 17.8 %, 17.4 without one; on SORTNW others compact more, WID 77 % and Rev_WID 70 %, Balanced 58 %, as it is 53 %; EIGENVL is best as it is, 26.6 %, Balanced 25.6 % (the paper has it among those that permutations harm); of SOBFLT's few D-paths, clamped pixels, another permutation compacts more",
	},
	{
		ID: "SLP-30", Place: "section 3.1, figure 3", Benchmarks: true,
		Statement: "benchmarks of which ideal compaction raises the SIMD utilization by 2 % or more, against half of all",
		Theirs:    "above half", Ours: gains,
	},
	{
		ID: "SLP-31", Place: "section 3.1", Benchmarks: true,
		Statement: "what ideal compaction adds to the SIMD utilization (the paper's 17 and 13 % are read as that): LPS against nothing, FDTD3D against LPS",
		Theirs:    "above; above", Ours: idealGains,
	},
	{
		ID: "SLP-32", Place: "section 6.2", Benchmarks: true,
		Statement: "SIMD utilization with Balanced against TBC as it is: BITONIC, REDUCT, BACKP",
		Theirs:    "above above above",
		Ours: func() (string, error) {
			var words []string
			var of []float64
			for _, name := range []string{"bitonic", "reduction", "backprop"} {
				plain, err := slp("tbc", units.Sequential).run(name, "small")
				if err != nil {
					return "", err
				}
				balanced, err := slp("tbc", units.Balanced).run(name, "small")
				if err != nil {
					return "", err
				}
				words = append(words, order(efficiency(&balanced), efficiency(&plain)))
				of = append(of, efficiency(&plain), efficiency(&balanced))
			}
			return fmt.Sprintf("%s (%.2f)", spaced(words), of), nil
		},
	},
	{
		ID: "SLP-33", Place: "section 6.2", Benchmarks: true,
		Statement: "permutations by the mean SIMD utilization; Rev_WID against Balanced in BITONIC, REDUCT, AOSSORT, QSRDM",
		Theirs:    "sequential odd-even rev-wid balanced; below below below below",
		Ours:      func() (string, error) { return usedMost("BITONIC", "REDUCT", "AOSSORT", "QSRDM") },
	},
	{
		ID: "SLP-34", Place: "section 6.2", Benchmarks: true,
		Statement: "benchmarks in which Balanced uses less than 99.4 % of the lanes that the best permutation uses; in which it uses fewer than none by more than 0.1 points",
		Theirs:    "none; none", Ours: notBest,
		Why: "LPS, FDTD3D and 3DFD by the lanes beside a rim (SLP-22); on BFS and MUM, whose data is random, the permutations are within 4 % of each other, and with other seeds another one is the best: BFS from seed 1 to 4 XOR_odd_half, Rev_WID, TBC as it is, Rev_WID; on SORTNW WID uses 91.8 %, Balanced 90.5 %",
	},
	{
		ID: "SLP-35", Place: "section 6.3", Benchmarks: true,
		Statement: "speed with Balanced against CAPRI as it is, of the benchmarks that permutations do not harm: BITONIC, BACKP, REDUCT, MDBROT",
		Theirs:    "above above above above",
		Ours: func() (string, error) {
			return signs(slp("capri", units.Sequential), slp("capri", units.Balanced), "bitonic", "backprop", "reduction",
				"mandelbrot")
		},
	},
	{
		ID: "SLP-36", Place: "section 6.3", Benchmarks: true,
		Statement: "speed with Balanced on CAPRI against no compaction, harmonic mean of eight benchmarks",
		Theirs:    "above",
		Ours: func() (string, error) {
			v, detail, err := permutedSpeed(units.Balanced, slp("pdom", units.Sequential), eight...)(0)
			return fmt.Sprintf("%s (%.3f: %s)", order(v, 1), v, detail), err
		},
	},
	{
		ID: "SLP-37", Place: "section 6.3", Benchmarks: true,
		Why:       "MUM has other warps under Balanced, which wait less for memory: 3 % faster with this input",
		Statement: "speed with Balanced against CAPRI as it is: MUM, BFS, DXTC, EIGENVL, which lose 0.3 % in the mean: within 1 %",
		Theirs:    "even even even even",
		Ours: func() (string, error) {
			return signs(slp("capri", units.Sequential), slp("capri", units.Balanced), "mummer", "bfs", "dxtc",
				"eigenvalues")
		},
	},
	{
		ID: "SLP-38", Place: "section 6.4", Benchmarks: true,
		Statement: "misses of the L1 that Balanced on CAPRI adds to those without compaction, mean of the benchmarks that compact (BITONIC, REDUCT, BACKP, MDBROT, BFS, MUM); the one with the most; those of the L2",
		Theirs:    "above 0; BFS; below 5 %",
		Ours: func() (string, error) {
			return missed("BITONIC", "REDUCT", "BACKP", "MDBROT", "BFS", "MUM")
		},
	},
	{
		ID: "SLP-39", Place: "section 4.4",
		Statement: "area of the hardware of compaction in 30 SMs at 65 nm, of TBC and of CAPRI: the encoders of the thread compactor as synthesized, cells of a library for its flip-flops, the comparators of where blocks end and the count of warps, and of CAPRI the table in flip-flops, before placement; stacks and warp buffer are not in it",
		Theirs:    "below 1 mm2; below 1 mm2", Ours: chip,
		Why: "0.26 of TBC is the count of the set bits of all lanes that gives WCnt (HPCA 2011, section 3.3), which the paper's encoders leave out; CAPRI counts so for both ways of a branch, 0.53, and has a table of 32 branches, fully associative, of which the paper gives no size",
	},
	{
		ID: "SLP-40", Place: "section 5", Benchmarks: true,
		Statement: "CAPRI against TBC, speed, both with Balanced: kernels on which it is below by more than 1 %, of the benchmarks and vecadd, histogram and SobelFilter; of the four kernels with unstructured control flow, on tbc as it is",
		Why:       "compaction is adequate at the exit of mandelbrot's loop in some rounds and not in others, so that one bit of history is right in 70 % of them, and 5 % more warp instructions issue than under TBC; all kernels are in slp-capri",
		Theirs:    "none; none", Ours: consistently,
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
