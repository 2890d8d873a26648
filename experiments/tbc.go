package experiments

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"divergo/internal/papers"
	"divergo/isa"
	"divergo/kernels"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/units"
)

func init() { Register(papers.TBC, tbcFigures, slices.Concat(tbcClaims, tbcNumbers)) }

// tbcClaims are the claims of thread block compaction.
var tbcClaims = []Claim{
	{
		ID: "TBC-01", Place: "figure 7",
		Statement: "issue slots with compaction and with a stack for each warp, one instruction a block; time saved",
		Theirs:    "7 8; 12.5 %",
		Ours: func() (string, error) {
			b := micro.Bench{Lanes: 4, Warps: 2}
			compact, err := bench(b, tbc, micro.Figure7)
			if err != nil {
				return "", err
			}
			stack, err := bench(b, divergence.Options{Mechanism: "pdom"}, micro.Figure7)
			n, of := len(compact.Issues), len(stack.Issues)
			return fmt.Sprintf("%d %d; %.1f %%", n, of, 100-100*float64(n)/float64(of)), err
		},
	},
	{
		ID: "TBC-02", Place: "figure 7", Statement: "warps of blocks C, B and D, threads by lane",
		Theirs: "C (1 6 7 -); B (5 2 3 4) (- - - 8); D (1 2 3 4) (5 6 7 8)",
		Ours: func() (string, error) {
			r, err := bench(micro.Bench{Lanes: 4, Warps: 2}, tbc, micro.Figure7)
			return blocks(micro.Figure7, r.Issues, "C", "B", "D"), err
		},
	},
	{
		ID: "TBC-03", Place: "figure 9",
		Statement: "target masks as warps 2, 3 and 1 arrive, by lane, a digit for each warp; warps of C and B (of the outcomes the text gives those of threads 5, to C, and 6, to B)",
		Theirs:    "C 010|000|010|010 B 000|010|000|000; C 010|000|011|011 B 001|011|000|000; C 110|100|011|011 B 001|011|100|100; C (1 2 7 8) (5 - 11 12); B (9 6 3 4) (- 10 - -)",
		Ours:      figure9Targets,
	},
	{
		ID: "TBC-04", Place: "section 3.3",
		Statement: "the warps that the compactor makes are as many as the largest number of set bits of a lane, each with its lane's lowest static warps first, and no thread is lost",
		Theirs:    always,
		Ours: func() (string, error) {
			return forAll(300, func(sample uint64) (string, error) {
				m := randomMask(sample, 4<<(sample%4))
				most := 0
				for _, lane := range m {
					most = max(most, bits.OnesCount64(lane))
				}
				warps, homes := compact(&m)
				var seen units.BlockMask
				for i, mask := range warps {
					for lane := range isa.MaxLanes {
						switch bit := uint64(1) << homes[i].Row[lane]; {
						case mask>>lane&1 == 0:
						case seen[lane] >= bit || m[lane]&bit == 0:
							return fmt.Sprintf("warp %d has static warp %d in lane %d", i, homes[i].Row[lane],
								lane), nil
						default:
							seen[lane] |= bit
						}
					}
				}
				if len(warps) != most || seen != m {
					return fmt.Sprintf("%d warps, want %d", len(warps), most), nil
				}
				return "", nil
			})
		},
	},
	{
		ID: "TBC-05", Place: "section 3.3",
		Statement: "a mask gives at most as many compacted warps as it has static ones: random masks; all entries of the stack in random kernels",
		Theirs:    "always; always", Ours: atMostStatic,
	},
	{
		ID: "TBC-06", Place: "section 3.3",
		Statement: "cycles that the entry of the other way, without threads, is at the top when all threads take a branch",
		Theirs:    "1", Ours: emptyTarget,
	},
	{
		ID: "TBC-07", Place: "figure 10",
		Statement: "stack with likely-convergence points after each block, entries as PC/RPC/LPC/LPos{threads}",
		Theirs:    "A/-{1234}; F/-{1234} E/F{} B/F/E/1{1} C/F/E/1{234}; F/-{1234} E/F{2} B/F/E/1{1} D/F/E/1{34}; F/-{1234} E/F{2} B/F/E/1{1}; F/-{1234} E/F{12}; F/-{1234} A/F{12}; F/-{1234} B/F{12}; F/-{1234} E/F{12}; F/-{1234}",
		Ours:      figure10,
	},
	{
		ID: "TBC-08", Place: "section 2.3",
		Statement: "a thread that takes work for its warp without a barrier (NVRT): results by mechanism",
		Theirs:    "pdom right, dwf wrong, dwf-wb right, tbc right",
		Ours: func() (string, error) {
			var list []string
			for _, mechanism := range []string{"pdom", "dwf", "dwf-wb", "tbc"} {
				right, err := eachTaskOnce(mechanism)
				if err != nil {
					return "", err
				}
				list = append(list, mechanism+map[bool]string{true: " right", false: " wrong"}[right])
			}
			return strings.Join(list, ", "), nil
		},
	},
	{
		ID: "TBC-09", Place: "section 6", Benchmarks: true,
		Statement: "speed of TBC, with likely-convergence points and by age, against PDOM on the kernels of low SIMD efficiency, which gain most: BFS2, FCDT, MUM, MUMpp, NVRT; SIMD efficiency of TBC against that of PDOM in its place: BFS2",
		Theirs:    "above above above above above; above",
		Why:       "with this input FCDT is at 0.97 and MUM at 1.00; FCDT is at 1.17 and 1.13 with the seeds 2 and 3",
		Ours: func() (string, error) {
			speed, err := signs(paperPDOM, paperTBC, "bfs", "facedetect", "mummer", "mummerpp", "persistent")
			if err != nil {
				return "", err
			}
			words, detail, _ := strings.Cut(speed, " (")
			pdom, err := paperPDOM.run("bfs", "medium")
			if err != nil {
				return "", err
			}
			tbc, err := paperTBC.run("bfs", "medium")
			return fmt.Sprintf("%s; %s (%s, %.2f %.2f)", words, order(efficiency(&tbc), efficiency(&pdom)),
				strings.Trim(detail, "()"), efficiency(&pdom), efficiency(&tbc)), err
		},
	},
	{
		ID: "TBC-10", Place: "section 6", Benchmarks: true,
		Statement: "speed of TBC against DWF by majority, and against DWF with warp barriers, harmonic means over the kernels of DIVG",
		Theirs:    "above above",
		Why:       "DWF gains more here on NVRT, 2.6 without warp barriers and 2.3 with, since it needs no likely-convergence points for the any-hit break, and on MUM and MUMpp, where the paper has a little below 1 for the latter",
		Ours: func() (string, error) {
			return overSet("1.17 1.06", [2]setup{paperDWF, paperTBC}, [2]setup{paperWB, paperTBC})
		},
	},
	{
		ID: "TBC-11", Place: "section 6", Benchmarks: true,
		Statement: "speed of TBC and of DWF by majority against PDOM, harmonic means over DIVG",
		Theirs:    "above above",
		Ours: func() (string, error) {
			return overSet("1.22 1.04", [2]setup{paperPDOM, paperTBC}, [2]setup{paperPDOM, paperDWF})
		},
	},
	{
		ID: "TBC-12", Place: "section 6", Benchmarks: true,
		Statement: "speed of DWF by majority against PDOM: BFS2, FCDT, MUMpp; HOTSP, LPS, NAMD",
		Theirs:    "above above above below below below",
		Ours: func() (string, error) {
			return signs(paperPDOM, paperDWF, "bfs", "facedetect", "mummerpp", "hotspot", "laplace", "namd")
		},
	},
	{
		ID: "TBC-13", Place: "section 2.4", Benchmarks: true,
		Statement: "speed of DWF with warp barriers against PDOM: NVRT, HOTSP, LPS, NAMD; MUMpp",
		Theirs:    "above above above above below",
		Why:       "HOTSP and LPS have 87 % of their lanes active, so that little is left to gain: warp barriers bring them back from 0.87 and 0.78; NAMD has more warps of few threads than under PDOM and 3.8 times the stalls of the memory pipeline (tbc-fig13)",
		Ours: func() (string, error) {
			return signs(paperPDOM, paperWB, "persistent", "hotspot", "laplace", "namd", "mummerpp")
		},
	},
	{
		ID: "TBC-14", Place: "section 6", Statement: "speed of DWF by majority against PDOM: HRTWL, LKYT, RAY, STO, WP", Benchmarks: true,
		Theirs: "below below below below below",
		Ours: func() (string, error) {
			return signs(paperPDOM, paperDWF, "heartwall", "leukocyte", "spheres", "store", "weather")
		},
		Why: "nothing diverges in our STO but the end of the pieces, so that DWF has nothing to take apart",
	},
	{
		ID: "TBC-15", Place: "section 6.1, figure 13", Benchmarks: true,
		Statement: "cycles in which the memory pipeline holds up an access, mean over DIVG (the paper: over all), PDOM = 1: DWF above 2; TBC below DWF",
		Theirs:    "above; below",
		Ours: func() (string, error) {
			dwf, err := stalled(0, paperDWF)
			if err != nil {
				return "", err
			}
			tbc, err := stalled(0, paperTBC)
			return fmt.Sprintf("%s; %s (%.2f %.2f; theirs 2.7)", order(dwf, 2), order(tbc, dwf), dwf, tbc), err
		},
	},
	{
		ID: "TBC-16", Place: "section 6.1", Benchmarks: true,
		Statement: "starvation eddies: SIMD efficiency of a coherent kernel under DWF by majority, against PDOM (bitonic sort, of which the paper has none); with warp barriers",
		Theirs:    "below; not below",
		Ours: func() (string, error) {
			var of []float64
			for _, s := range []setup{paperPDOM, paperDWF, paperWB} {
				c, err := s.run("bitonic", "small")
				if err != nil {
					return "", err
				}
				of = append(of, efficiency(&c))
			}
			word := map[bool]string{true: "below", false: "not below"}
			return fmt.Sprintf("%s; %s (%.2f)", word[of[1] < of[0]], word[of[2] < of[0]], of), nil
		},
	},
	{
		ID: "TBC-17", Place: "section 6.1", Benchmarks: true,
		Statement: "kernels of DIVG on which the SIMD efficiency of DWF with warp barriers is above TBC's by more than a point",
		Theirs:    "NAMD NVRT",
		Why:       "DWF by majority has fewer warps of 29 to 32 threads on NAMD and NVRT here (tbc-fig13), which warp barriers mend in part",
		Ours: func() (string, error) {
			var list []string
			for k, kernel := range suite {
				if kernel.set != divergent {
					continue
				}
				tbc, err := paperTBC.run(kernel.kernel, size)
				if err != nil {
					return "", err
				}
				wb, err := paperWB.run(kernel.kernel, size)
				if err != nil {
					return "", err
				}
				if efficiency(&wb) > efficiency(&tbc)+.01 {
					list = append(list, label(k))
				}
			}
			return spaced(list), nil
		},
	},
	{
		ID: "TBC-18", Place: "section 6.1", Benchmarks: true,
		Statement: "speed of DWF with warp barriers against TBC: HOTSP, LPS, NAMD, NVRT",
		Theirs:    "above above above above",
		Why:       "HOTSP is even, as little diverges; NAMD has more warps of few threads than under TBC, and 3.8 times the stalls of the memory pipeline (tbc-fig13)",
		Ours: func() (string, error) {
			return signs(paperTBC, paperWB, "hotspot", "laplace", "namd", "persistent")
		},
	},
	{
		ID: "TBC-19", Place: "section 6.1", Benchmarks: true,
		Statement: "cycles of BFS2, MUM and MGST in which warps wait for memory alone, under TBC against PDOM",
		Theirs:    "above above above",
		Ours: func() (string, error) {
			var words []string
			var cycles []uint64
			for _, kernel := range []string{"bfs", "mummer", "mergesort"} {
				pdom, err := paperPDOM.run(kernel, size)
				if err != nil {
					return "", err
				}
				tbc, err := paperTBC.run(kernel, size)
				if err != nil {
					return "", err
				}
				a, b := tbc.Classes[sm.ClassMem], pdom.Classes[sm.ClassMem]
				words, cycles = append(words, order(float64(a), float64(b))), append(cycles, b, a)
			}
			return fmt.Sprintf("%s (%d)", spaced(words), cycles), nil
		},
	},
	{
		ID: "TBC-20", Place: "section 4, figure 11", Benchmarks: true,
		Statement: "speed with likely-convergence points against without: MUM and NVRT on PDOM, then on TBC",
		Theirs:    "above above; above above",
		Why:       "on MUM the two exits of each loop meet at the loop's end, which is the post-dominator; on NVRT a ray that ends with any hit breaks out of the loop over triangles, and all who miss wait at its end without the points",
		Ours: func() (string, error) {
			pdom, err := signs(likely[0], likely[1], "mummer", "persistent")
			if err != nil {
				return "", err
			}
			tbc, err := signs(likely[2], likely[3], "mummer", "persistent")
			if err != nil {
				return "", err
			}
			a, one, _ := strings.Cut(pdom, " (")
			b, other, _ := strings.Cut(tbc, " (")
			onPDOM, onTBC, err := likelyGain()
			return fmt.Sprintf("%s; %s (%s %s; such a loop %.2f %.2f)", a, b, strings.Trim(one, ")"),
				strings.Trim(other, ")"), onPDOM, onTBC), err
		},
	},
	{
		ID: "TBC-21", Place: "section 4", Benchmarks: true,
		Statement: "deepest stack with likely-convergence points against without: MUM and NVRT on PDOM, then on TBC",
		Theirs:    "below below; above below",
		Ours:      deeper,
		Why:       "a divergent branch that has a likely-convergence point pushes an entry for it, into which on MUM nothing merges (TBC-20); on NVRT under TBC two loops have points, which are in the stack together",
	},
	{
		ID: "TBC-22", Place: "section 6.2, figure 15", Benchmarks: true,
		Statement: "TBC by RRB against AGE, which loses at the end of a launch: LPS, NAMD, LIB",
		Theirs:    "above above above",
		Ours: func() (string, error) {
			return signs(paperTBC, prioritized(sm.PriorityRRB), "laplace", "namd", "libor")
		},
	},
	{
		ID: "TBC-23", Place: "section 6.3, figure 16", Benchmarks: true,
		Statement: "kernels of DIVG and COHE whose traffic between SMs and memory under TBC by AGE is more than 7 % above PDOM's (in the paper by its texture cache); those of them by RRB",
		Why:       "windows of FCDT that are left lie apart, so that compacted warps read more lines of the integral image",
		Theirs:    "DG; none", Ours: traffic,
	},
	{
		ID: "TBC-24", Place: "section 6.4, figure 17", Benchmarks: true,
		Statement: "L2 of 128 KB and 8 ways for a channel: TBC by RRB and by AGE against PDOM, harmonic means over DIVG; DWF against PDOM on MUMpp, against that with the large L2",
		Why:       "what our MUMpp reads in this size fits the small L2 as well; in the large size, under PDOM, it takes 118.7 million cycles with the small L2 and 85.3 with the large one",
		Theirs:    "above above; below",
		Ours: func() (string, error) {
			means, err := overSet("1.15 1.135", [2]setup{small(paperPDOM), small(prioritized(sm.PriorityRRB))},
				[2]setup{small(paperPDOM), small(paperTBC)})
			if err != nil {
				return "", err
			}
			large, err := faster("mummerpp", paperPDOM, paperDWF)
			if err != nil {
				return "", err
			}
			little, err := faster("mummerpp", small(paperPDOM), small(paperDWF))
			words, detail, _ := strings.Cut(means, " (")
			return fmt.Sprintf("%s; %s (%s, %.3f %.3f, theirs 1.28 0.96)", words, order(little, large),
				strings.Trim(detail, ")"), large, little), err
		},
	},
	{
		ID: "TBC-25", Place: "table 3", Benchmarks: true,
		Statement: "entries of the deepest stack of AES, CP, LIB and STO, whose branches are the same for a CTA; of a kernel without a test for the end of its data",
		Theirs:    "1 1 1 1; 1",
		Why:       "the last CTA of our kernels is partly filled, so that their test for the end of the data diverges; LIB has one entry more for the pay-off of a swaption",
		Ours: func() (string, error) {
			var list []string
			for _, kernel := range []string{"aes", "coulomb", "libor", "store"} {
				c, err := paperTBC.run(kernel, size)
				if err != nil {
					return "", err
				}
				list = append(list, fmt.Sprint(c.Divergence.MaxDepth))
			}
			s, _, err := launch("tbc-lcp", uniform, 1, 256, 0)
			if err != nil {
				return "", err
			}
			c := s.Counters()
			return fmt.Sprintf("%s; %d", spaced(list), c.Divergence.MaxDepth), nil
		},
	},
	{
		ID: "TBC-26", Place: "figure 5", Benchmarks: true,
		Statement: "kernels with a SIMD efficiency below 76 % under pdom (DIVG), and others (COHE): BFS2, LPS, BACKP",
		Theirs:    "DIVG DIVG COHE",
		Why:       "our LPS is cut to the size of its tiles, so that its rim is all that diverges",
		Ours: func() (string, error) {
			var sets []string
			var efficiencies []float64
			for _, name := range []string{"bfs", "laplace", "backprop"} {
				k, err := kernels.Find(name)
				if err != nil {
					return "", err
				}
				c, err := run("pdom", k)
				if err != nil {
					return "", err
				}
				e := efficiency(&c)
				efficiencies = append(efficiencies, 100*e)
				sets = append(sets, map[bool]string{true: "DIVG", false: "COHE"}[e < .76])
			}
			return fmt.Sprintf("%s (%.0f %%)", spaced(sets), efficiencies), nil
		},
	},
	{
		ID: "TBC-27", Place: "table 2",
		Statement: "DRAM cycles that a load takes longer with each thread that wants another row of the same bank: tRC, which is tRAS + tRP",
		Theirs:    "35", Ours: rowCycle,
	},
	{
		ID: "TBC-28", Place: "section 7",
		Statement: "SM of 1024 threads and 8 CTAs: bits of activemask in the stacks of CTAs, which share a memory, against those in the stacks of warps; bits that a CTA of so many warps uses of an entry: 1, 4, 32",
		Theirs:    "not more; 32 128 1024", Ours: activemasks,
	},
	{
		ID: "TBC-29", Place: "section 7",
		Statement: "area of 32 priority encoders of 32 bits at 65 nm: those of the thread compactor, synthesized from its Verilog, before placement (the paper: far below 1 mm2)",
		Theirs:    "below 0.1 mm2", Ours: encoders,
	},
	{
		ID: "TBC-30", Place: "figures 13 and 14", Benchmarks: true,
		Statement: "the categories of cycles add up to all cycles, and the bins of active lanes to all instructions",
		Theirs:    always, Ours: categories,
	},
	{
		ID: "TBC-31", Place: "section 2.3, figure 1",
		Statement: "DWF by majority: eight warps of 4, of which a thread each takes one way of a branch (B) and the others take the other (C): the warps of both ways in the order in which they are issued",
		Theirs:    "C C C C C C C C B B B B B B B B",
		Ours:      majority,
	},
	{
		ID: "TBC-32", Place: "section 2.3",
		Statement: "DWF: two warps of 4, of which threads 1, 2, 7 and 8 take one way of a branch (B) and 3 to 6 the other (C), which waits while B is issued: warps of C, by lane",
		Theirs:    "C (5 6 3 4)",
		Ours: func() (string, error) {
			k := micro.Seq(
				micro.At("A", micro.When(func(t *micro.Thread) bool { return t.TID >= 2 && t.TID < 6 }, "C")),
				micro.At("B", micro.To("D")),
				micro.At("C", micro.Nop),
				micro.At("D", micro.Exit))
			r, err := bench(micro.Bench{Lanes: 4, Warps: 2},
				divergence.Options{Mechanism: "dwf", PathOrder: divergence.TakenFirst}, k)
			return blocks(k, r.Issues, "C"), err
		},
	},
}

// overSet returns the speed of the second machine of each pair relative to the first, next to the
// paper's value. It is the harmonic mean over the kernels of DIVG.
func overSet(paper string, pairs ...[2]setup) (string, error) {
	var words []string
	var ratios []float64
	for _, pair := range pairs {
		inverse, n := 0.0, 0.0
		for _, k := range suite {
			if k.set != divergent {
				continue
			}
			r, err := faster(k.kernel, pair[0], pair[1])
			if err != nil {
				return "", err
			}
			inverse, n = inverse+1/r, n+1
		}
		words, ratios = append(words, order(n/inverse, 1)), append(ratios, n/inverse)
	}
	return fmt.Sprintf("%s (%.3f; theirs %s)", spaced(words), ratios, paper), nil
}

// stalled returns the cycles in which an access is held up, relative to PDOM, as the mean over
// DIVG.
func stalled(seed uint64, s setup) (mean float64, err error) {
	machines := on(seed, []setup{paperPDOM, s})
	n := 0.0
	for _, k := range suite {
		if k.set != divergent {
			continue
		}
		base, err := machines[0].run(k.kernel, size)
		if err != nil {
			return 0, err
		}
		c, err := machines[1].run(k.kernel, size)
		if err != nil {
			return 0, err
		}
		mean += float64(memoryStalls(&c.Stalls)) / float64(max(memoryStalls(&base.Stalls), 1))
		n++
	}
	return mean / n, nil
}

// majority measures the issue order of the two sides of a branch.
func majority() (string, error) {
	k := micro.Seq(
		micro.At("A", micro.When(func(t *micro.Thread) bool { return t.TID%4 != 0 }, "C")),
		micro.At("B", micro.To("D")),
		micro.At("C", micro.Nop),
		micro.At("D", micro.Exit))
	r, err := bench(micro.Bench{Lanes: 4, Warps: 8},
		divergence.Options{Mechanism: "dwf", PathOrder: divergence.TakenFirst}, k)
	var order, warps []string
	for _, i := range r.Issues {
		if l := k[i.PC].Label; l == "B" || l == "C" {
			order, warps = append(order, l), append(warps, fmt.Sprintf("%s %x", l, i.Mask))
		}
	}
	return fmt.Sprintf("%s (%s)", strings.Join(order, " "), strings.Join(warps, ", ")), err
}

// tbc runs thread block compaction, and compacting is its entry in the list of mechanisms.
var (
	tbc           = divergence.Options{Mechanism: "tbc", PathOrder: divergence.TakenFirst}
	compacting, _ = divergence.Find(tbc.Mechanism)
)

// blocks lists the warps issued for the blocks of a kernel. Threads are numbered from 1; each warp
// shows 4 lanes.
func blocks(k micro.Kernel, issues []micro.Issue, labels ...string) string {
	var list []string
	for _, label := range labels {
		list = append(list, label)
		for _, i := range issues {
			if k[i.PC].Label != label {
				continue
			}
			var warp []string
			for l := range 4 {
				if i.Mask>>l&1 != 0 {
					warp = append(warp, fmt.Sprint(i.Thread(l, 4)+1))
				} else {
					warp = append(warp, "-")
				}
			}
			list[len(list)-1] += fmt.Sprintf(" (%s)", strings.Join(warp, " "))
		}
	}
	return strings.Join(list, "; ")
}

// figure9Targets lists the target entries of figure 9 as they fill.
func figure9Targets() (string, error) {
	toC := func(t *micro.Thread) bool { return slices.Contains([]int{1, 2, 5, 7, 8, 11, 12}, t.TID+1) }
	k := micro.Seq(
		micro.Line{Bar: true}, // wait until all warps have started
		micro.At("A", micro.When(toC, "C")),
		micro.At("B", micro.To("D")),
		micro.At("C", micro.Nop),
		micro.At("D", micro.Exit))
	digits := func(m *units.BlockMask) string {
		var lanes []string
		for l := range 4 {
			s := ""
			for w := range 3 {
				s += fmt.Sprint(m[l] >> w & 1)
			}
			lanes = append(lanes, s)
		}
		return strings.Join(lanes, "|")
	}
	var list []string
	r, err := bench(micro.Bench{Lanes: 4, Warps: 3, Prefer: []int{1, 2, 0}, Watch: func(p divergence.Policy) {
		compacting.Branches(p).Add(func(b divergence.Branched) {
			if !b.Last {
				list = append(list, fmt.Sprintf("C %s B %s", digits(b.Taken), digits(b.Not)))
			}
		})
	}}, tbc, k)
	return strings.Join(append(list, blocks(k, r.Issues, "C", "B")), "; "), err
}

// atMostStatic checks that compacted warps are at most as many as static ones.
func atMostStatic() (string, error) {
	masks, err := forAll(300, func(sample uint64) (string, error) {
		m := randomMask(sample, 4<<(sample%4))
		if warps, _ := compact(&m); len(warps) > static(&m) {
			return fmt.Sprintf("%d of %d warps", len(warps), static(&m)), nil
		}
		return "", nil
	})
	if err != nil {
		return "", err
	}
	fewer := 0
	entries, err := forAll(40, func(sample uint64) (string, error) {
		var count divergence.Compaction
		k := micro.Random(sample, 32, micro.Shape{})
		_, err := bench(micro.Bench{Lanes: 8, Warps: 4, Each: func(p divergence.Policy, _ []micro.Issue) {
			count = p.Stats().Compaction
		}}, tbc, k)
		if count.Warps > count.Static {
			return fmt.Sprintf("%d of %d warps", count.Warps, count.Static), err
		}
		if count.Warps < count.Static {
			fewer++
		}
		return "", err
	})
	return fmt.Sprintf("%s; %s (fewer in %d of 40 kernels)", masks, entries, fewer), err
}

// activemasks compares the bits of masks in the stacks of an SM. It also counts the bits of an
// entry that a machine's only CTA uses.
func activemasks() (string, error) {
	var all [2]int
	for i, mechanism := range []string{"tbc", "pdom"} {
		c, err := cost(mechanism, sm2011)
		if err != nil {
			return "", err
		}
		for _, s := range c.Storage {
			for _, f := range s.Fields {
				if s.Path == "Stack.Entries" && f.Name == "Mask" {
					all[i] = s.Words * f.Bits
				}
			}
		}
	}
	var uses []int
	for _, warps := range []int{1, 4, 32} {
		var columns units.BlockMask
		_, err := bench(micro.Bench{Lanes: 32, Warps: warps, Watch: func(p divergence.Policy) {
			compacting.Compacts(p).Add(func(c divergence.Compacted) { columns.Union(c.Entry) })
		}}, tbc, micro.Random(0, 32*warps, micro.Shape{}))
		if err != nil {
			return "", err
		}
		uses = append(uses, columns.Threads())
	}
	more := map[bool]string{true: "more", false: "not more"}[all[0] > all[1]]
	return fmt.Sprintf("%s; %s (%d)", more, spaced(uses), all), nil
}

// emptyTarget counts the cycles in which an entry without threads is popped from the top of the
// stack.
func emptyTarget() (string, error) {
	k := micro.Seq(
		micro.At("A", micro.When(micro.FromThread(0), "C")),
		micro.At("B", micro.To("D")),
		micro.At("C", micro.Nop),
		micro.At("D", micro.Exit))
	cycles := 0
	_, err := bench(micro.Bench{Lanes: 4, Warps: 2, Watch: func(p divergence.Policy) {
		compacting.Compacts(p).Add(func(c divergence.Compacted) { cycles += c.Popped })
	}}, tbc, k)
	return fmt.Sprint(cycles), err
}

// figure10 lists the stack of a warp of 4 after each block.
func figure10() (string, error) {
	name := func(pc uint32) string {
		if pc == isa.NoPC {
			return "-"
		}
		return micro.Figure10[pc].Label
	}
	var states []string
	likely, _ := divergence.Find("pdom-lcp")
	_, err := bench(micro.Bench{Lanes: 4, Warps: 1, Each: func(p divergence.Policy, _ []micro.Issue) {
		if s := p.Slots().At(0); !s.Valid || s.Wait != divergence.Runs {
			return
		}
		var entries []string
		for _, e := range likely.Stack(p, 0, nil) {
			text := name(e.At.PC) + "/" + name(e.RPC.PC)
			if e.LPC.PC != isa.NoPC {
				text += fmt.Sprintf("/%s/%d", name(e.LPC.PC), e.LPos)
			}
			threads := ""
			for m := e.Mask; m != 0; m &= m - 1 {
				threads += fmt.Sprint(bits.TrailingZeros64(m) + 1)
			}
			entries = append(entries, text+"{"+threads+"}")
		}
		if s := strings.Join(entries, " "); len(states) == 0 || states[len(states)-1] != s {
			states = append(states, s)
		}
	}}, divergence.Options{Mechanism: "pdom-lcp", PathOrder: divergence.TakenFirst}, micro.Figure10)
	return strings.Join(states, "; "), err
}

// deeper compares the deepest stacks of the kernels of figure 11.
func deeper() (string, error) {
	var words []string
	var depths []uint64
	for i := 0; i < len(likely); i += 2 {
		for _, kernel := range []string{"mummer", "persistent"} {
			without, err := likely[i].run(kernel, size)
			if err != nil {
				return "", err
			}
			with, err := likely[i+1].run(kernel, size)
			if err != nil {
				return "", err
			}
			a, b := without.Divergence.MaxDepth, with.Divergence.MaxDepth
			words, depths = append(words, order(float64(b), float64(a))), append(depths, a, b)
		}
	}
	return fmt.Sprintf("%s; %s (%d)", spaced(words[:2]), spaced(words[2:]), depths), nil
}

// traffic lists the kernels of the paper's sets whose traffic grows by more than 7 % under TBC with
// priority by age. It also lists those of them whose traffic does so with RRB.
func traffic() (string, error) {
	var by [2][]string
	var ratios []float64
	for k, kernel := range suite {
		if kernel.set == others {
			continue
		}
		var bytes [3]float64
		for i, s := range []setup{paperPDOM, paperTBC, prioritized(sm.PriorityRRB)} {
			c, err := s.run(kernel.kernel, size)
			if err != nil {
				return "", err
			}
			bytes[i] = float64(c.Requests.Bytes + c.Responses.Bytes)
			if i > 0 && bytes[i] > 1.07*bytes[0] {
				by[i-1] = append(by[i-1], label(k))
				ratios = append(ratios, bytes[i]/bytes[0])
			} else if i == 1 {
				break
			}
		}
	}
	return fmt.Sprintf("%s; %s (%.2f; theirs 2.67)", listed(by[0]), listed(by[1]), ratios), nil
}
