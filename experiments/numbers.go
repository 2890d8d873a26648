package experiments

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"divergo/sm"
	"divergo/testbench"
	"divergo/units"
)

// Number is a number of a paper that depends on workloads and timing. Its claim is a match if ours is
// within the tolerance, and an order if it has at least a twentieth of the paper's effect, in the same
// direction. Where the paper has no number, an order is one part in a hundred of a speed.
type Number struct {
	Theirs    float64 // NaN: the paper says no more than that the effect is positive
	None      float64 // stands for no effect: 1 of a speed, 0 of a gain
	Tolerance float64 // of a match, in the unit of the number
	Unit      string  // "%", or nothing
	Headline  string  // short name in the table of headline numbers; "": not in it

	// Measure measures ours for one input of a plan. detail names the kernels that it ran, with
	// their values.
	Measure func(seed uint64) (value float64, detail string, err error)

	// Without measures ours once the cause of a difference is gone, which Gone names.
	Gone    string
	Without func() (float64, error)
}

// Measured is ours of a number over the inputs of a plan.
type Measured struct {
	Mean, Least, Most float64
	Inputs            int
	Detail            string // of the first input
}

// By measures the number by a plan.
func (n *Number) By(p Plan) (m Measured, err error) {
	m.Least, m.Most = math.Inf(1), math.Inf(-1)
	for i, seed := range p.seeds() {
		v, detail, err := n.Measure(seed)
		if err != nil {
			return m, err
		}
		if i == 0 {
			m.Detail = detail
		}
		m.Inputs++
		m.Mean, m.Least, m.Most = m.Mean+v, min(m.Least, v), max(m.Most, v)
	}
	m.Mean /= float64(m.Inputs)
	return m, nil
}

// Verdict compares ours with the paper's number.
func (n *Number) Verdict(ours float64) Verdict {
	if math.IsNaN(n.Theirs) {
		if ours >= n.None+.01 {
			return Order
		}
		return Differs
	}
	effect := n.Theirs - n.None
	same := (ours-n.None)*effect > 0 && math.Abs(ours-n.None) >= math.Abs(effect)/20
	switch {
	case math.Abs(ours-n.Theirs) <= n.Tolerance && (same || math.Abs(effect) < n.Tolerance):
		return Match
	case same:
		return Order
	}
	return Differs
}

// text formats a value of the number.
func (n *Number) text(v float64) string {
	if n.Unit == "%" {
		return fmt.Sprintf("%.1f %%", v)
	}
	return fmt.Sprintf("%.3f", v)
}

// theirs formats the paper's number as the paper has it.
func (n *Number) theirs() string {
	if math.IsNaN(n.Theirs) {
		return "above " + strconv.FormatFloat(n.None, 'f', -1, 64)
	}
	text := strconv.FormatFloat(n.Theirs, 'f', -1, 64)
	if n.Unit == "%" {
		text += " %"
	}
	return text
}

// ours formats what was measured.
func (n *Number) ours(m Measured) (string, error) {
	text := n.text(m.Mean)
	if m.Inputs > 1 {
		text += fmt.Sprintf(", %s to %s", n.text(m.Least), n.text(m.Most))
	}
	var beside []string
	if !math.IsNaN(n.Theirs) {
		beside = append(beside, fmt.Sprintf("ratio %.2f", m.Mean/n.Theirs))
	}
	if m.Detail != "" {
		beside = append(beside, m.Detail)
	}
	if text += " (" + strings.Join(beside, ": ") + ")"; n.Without != nil {
		v, err := n.Without()
		if err != nil {
			return "", err
		}
		text += fmt.Sprintf("; %s: %s", n.Gone, n.text(v))
	}
	return text, nil
}

// A quarter of the paper's effect is the tolerance of a match, but at least 0.02 of a speed and 2
// points of a gain, and at most 5 points of a rate. An effect that exceeds its tolerance must have the
// same sign.

// speedOf is a number that is 1 without an effect.
func speedOf(theirs float64, measure func(seed uint64) (float64, string, error)) *Number {
	return &Number{Theirs: theirs, None: 1, Tolerance: max(.02, math.Abs(theirs-1)/4), Measure: measure}
}

// gainOf is a number in per cent that is 0 without an effect.
func gainOf(theirs float64, measure func(seed uint64) (float64, string, error)) *Number {
	return &Number{Theirs: theirs, Unit: "%", Tolerance: max(2, math.Abs(theirs)/4), Measure: measure}
}

// rateOf is a share in per cent.
func rateOf(theirs float64, measure func(seed uint64) (float64, string, error)) *Number {
	return &Number{Theirs: theirs, Unit: "%", Tolerance: min(5, theirs/4), Measure: measure}
}

// headline puts a number into the table of headline numbers.
func (n *Number) headline(name string) *Number {
	n.Headline = name
	return n
}

// without adds a run in which the cause of a difference is gone.
func (n *Number) without(gone string, measure func() (float64, error)) *Number {
	n.Gone, n.Without = gone, measure
	return n
}

// kernelsIn returns the kernels of sets of the suite; all: of both sets of the paper.
func kernelsIn(sets ...string) (list []int) {
	for k := range suite {
		if slices.Contains(sets, suite[k].set) || slices.Contains(sets, "all") && suite[k].set != others {
			list = append(list, k)
		}
	}
	return list
}

// ratioOf compares kernels on a machine with a base. It returns the harmonic mean.
func ratioOf(value func(base, other *testbench.Counters) float64, base, other setup, kernels, names []string,
) func(uint64) (float64, string, error) {
	return func(seed uint64) (float64, string, error) {
		machines := on(seed, []setup{base, other})
		of := make([][2]testbench.Counters, len(kernels))
		err := parallel(2*len(kernels), func(i int) (err error) {
			of[i/2][i%2], err = machines[i%2].run(kernels[i/2], size)
			return err
		})
		if err != nil {
			return 0, "", err
		}
		var list []float64
		var detail []string
		for k := range of {
			v := value(&of[k][0], &of[k][1])
			list, detail = append(list, v), append(detail, fmt.Sprintf("%s %.2f", names[k], v))
		}
		return harmonic(list), strings.Join(detail, ", "), nil
	}
}

// over returns the speed on a machine relative to a base: the harmonic mean over sets of the suite.
func over(base, other setup, sets ...string) func(uint64) (float64, string, error) {
	var kernels, names []string
	for _, k := range kernelsIn(sets...) {
		kernels, names = append(kernels, suite[k].kernel), append(names, label(k))
	}
	return ratioOf(speed, base, other, kernels, names)
}

// overOn returns the speed of a kernel on a machine relative to a base.
func overOn(kernel string, base, other setup) func(uint64) (float64, string, error) {
	return ratioOf(speed, base, other, []string{kernel}, []string{kernel})
}

// overAll returns the speed on a machine relative to a base, the harmonic mean over kernels.
func overAll(base, other setup, kernels ...string) func(uint64) (float64, string, error) {
	return ratioOf(speed, base, other, kernels, kernels)
}

// quickly measures a number in quick runs.
func quickly(measure func(uint64) (float64, string, error)) func() (float64, error) {
	return func() (float64, error) {
		v, _, err := measure(0)
		return v, err
	}
}

// tbcNumbers are the numbers of Fung & Aamodt's text.
var tbcNumbers = []Claim{
	{
		ID: "TBC-33", Place: "abstract, section 6", Statement: "speed of TBC against PDOM, harmonic mean over DIVG",
		Number: speedOf(1.22, over(paperPDOM, paperTBC, divergent)).headline("TBC over PDOM, DIVG"),
	},
	{
		ID: "TBC-34", Place: "section 6, section 8", Statement: "speed of TBC against PDOM, harmonic mean over COHE: no penalty",
		Number: speedOf(1, over(paperPDOM, paperTBC, coherent)).headline("TBC over PDOM, COHE").without("sm.cta_priority=none",
			quickly(over(paperPDOM, prioritized(sm.PriorityNone), coherent))),
		Why: "CP gains by the priority of CTAs, as PDOM does with it",
	},
	{
		ID: "TBC-35", Place: "section 6", Statement: "speed of TBC against PDOM, harmonic mean over DIVG and COHE",
		Number: speedOf(1.10, over(paperPDOM, paperTBC, "all")).headline("TBC over PDOM, all"),
	},
	{
		ID: "TBC-36", Place: "abstract, section 6", Statement: "speed of TBC against DWF by majority, harmonic mean over DIVG",
		Number: speedOf(1.17, over(paperDWF, paperTBC, divergent)).headline("TBC over DWF, DIVG"),
		Why:    "DWF is ahead on FCDT, MUM, MUMpp and NVRT, which leave SMs partly empty at this size; no run shows the cause yet",
	},
	{
		ID: "TBC-37", Place: "section 6", Statement: "speed of TBC against DWF with warp barriers, harmonic mean over DIVG",
		Number: speedOf(1.06, over(paperWB, paperTBC, divergent)).headline("TBC over DWF-WB, DIVG").without(
			"BFS2, FCDT, HOTSP, LPS, NAMD, NVRT", quickly(overAll(paperWB, paperTBC, "bfs", "facedetect", "hotspot", "laplace", "namd", "persistent"))),
		Why: "DWF with warp barriers gains more here on MUM and MUMpp, where the paper has a little below 1 for the latter",
	},
	{
		ID: "TBC-38", Place: "section 6", Statement: "speed of DWF by majority against PDOM, harmonic mean over DIVG",
		Number: speedOf(1.04, over(paperPDOM, paperDWF, divergent)),
	},
	{
		ID: "TBC-39", Place: "section 6", Statement: "speed of DWF with warp barriers against PDOM, harmonic mean over DIVG and COHE",
		Number: speedOf(1, over(paperPDOM, paperWB, "all")).without("COHE", quickly(over(paperPDOM, paperWB, coherent))),
		Why:    "MUM, MUMpp and BFS2 gain more than there, and COHE does not lose as much",
	},
	{
		ID: "TBC-40", Place: "section 2.4", Statement: "speed of DWF with warp barriers against PDOM: NVRT",
		Number: speedOf(1.60, overOn("persistent", paperPDOM, paperWB)),
	},
	{
		ID: "TBC-41", Place: "section 6", Statement: "speed of DWF by majority against PDOM: MUMpp, with the large L2",
		Number: speedOf(1.28, overOn("mummerpp", paperPDOM, paperDWF)),
	},
	{
		ID: "TBC-42", Place: "section 6.4", Statement: "the same with the small L2",
		Number: speedOf(.96, overOn("mummerpp", small(paperPDOM), small(paperDWF))),
		Why:    "what our MUMpp reads fits the small L2 as well",
	},
	{
		ID: "TBC-43", Place: "section 6.4", Statement: "speed of TBC by RRB against PDOM, both with the small L2, harmonic mean over DIVG",
		Number: speedOf(1.15, over(small(paperPDOM), small(prioritized(sm.PriorityRRB)), divergent)),
	},
	{
		ID: "TBC-44", Place: "section 6.4", Statement: "the same by AGE",
		Number: speedOf(1.135, over(small(paperPDOM), small(paperTBC), divergent)),
	},
	{
		ID: "TBC-45", Place: "section 4", Statement: "speed with likely-convergence points against without, on PDOM: MUM",
		Number: speedOf(1.05, overOn("mummer", likely[0], likely[1])).headline("LCP on PDOM, MUM").without(
			"a loop that goes on behind a rare break", func() (float64, error) { v, _, err := likelyGain(); return v, err }),
		Why: noPoints,
	},
	{
		ID: "TBC-46", Place: "section 4", Statement: "the same on TBC: MUM",
		Number: speedOf(1.02, overOn("mummer", likely[2], likely[3])).headline("LCP on TBC, MUM"),
		Why:    noPoints,
	},
	{
		ID: "TBC-47", Place: "section 4", Statement: "the same on PDOM: NVRT",
		Number: speedOf(1.14, overOn("persistent", likely[0], likely[1])).headline("LCP on PDOM, NVRT"),
	},
	{
		ID: "TBC-48", Place: "section 4", Statement: "the same on TBC: NVRT",
		Number: speedOf(1.30, overOn("persistent", likely[2], likely[3])).headline("LCP on TBC, NVRT"),
	},
	{
		ID: "TBC-49", Place: "section 6.1, figure 13", Statement: "cycles in which the memory pipeline holds up an access, DWF against PDOM, mean over DIVG (the paper: over all)",
		Number: &Number{Theirs: 2.7, None: 1, Tolerance: .43, Measure: func(seed uint64) (float64, string, error) {
			v, err := stalled(seed, paperDWF)
			return v, "", err
		}},
	},
	{
		ID: "TBC-50", Place: "section 6.3, figure 16", Statement: "traffic between SM and memory, TBC by AGE against PDOM: DG",
		Number: &Number{Theirs: 2.67, None: 1, Tolerance: .42, Measure: ratioOf(trafficRatio, paperPDOM, paperTBC,
			[]string{"galerkin"}, []string{"DG"})},
	},
	{
		ID: "TBC-51", Place: "section 6.2, figure 15", Statement: "speed of TBC by AGE against RRB, harmonic mean over DIVG and COHE",
		Number: speedOf(math.NaN(), over(prioritized(sm.PriorityRRB), paperTBC, "all")).headline("TBC by AGE over RRB, all"),
		Why:    "our reading, without a run that shows it: inputs of this size leave SMs partly empty",
	},
	{
		ID: "TBC-52", Place: "section 6.2, figure 15", Statement: "the same against SRR",
		Number: speedOf(math.NaN(), over(prioritized(sm.PrioritySRR), paperTBC, "all")).headline("TBC by AGE over SRR, all"),
		Why:    "as for TBC-51",
	},
}

const noPoints = "a break out of a loop has its two exits meet at the loop's end here, which is the post-dominator: nothing waits at the point earlier"

// trafficRatio returns the bytes between SMs and the memory system relative to a base.
func trafficRatio(base, other *testbench.Counters) float64 {
	bytes := func(c *testbench.Counters) float64 { return float64(c.Requests.Bytes + c.Responses.Bytes) }
	return bytes(other) / bytes(base)
}

// eight are the benchmarks of Rhu & Erez's figure 15. The text names six; our reading: REDUCT and
// MDBROT are the other two, as they run in GPGPU-Sim 2.1 and compact.
var eight = []string{"BITONIC", "BACKP", "REDUCT", "MDBROT", "MUM", "BFS", "DXTC", "EIGENVL"}

// harmed are those of them that lose by permutation (section 6.3).
var harmed = []string{"MUM", "BFS", "DXTC", "EIGENVL"}

// named returns benchmarks by their names.
func named(names ...string) (list []benchmark) {
	for _, name := range names {
		list = append(list, benchmarks[slices.IndexFunc(benchmarks, func(b benchmark) bool { return b.name == name })])
	}
	return list
}

// permutedSpeed returns the speed with a permutation on CAPRI relative to a base, the harmonic mean
// over benchmarks.
func permutedSpeed(p units.Permutation, base setup, names ...string) func(uint64) (float64, string, error) {
	return ratioOf(speed, base, slp("capri", p), kernelsOf(named(names...)), names)
}

// shallow returns a number's speed with an ALU latency of 4 cycles, for the depth of a pipeline of 32
// lanes.
func shallow(p units.Permutation, mechanism string, names ...string) func() (float64, error) {
	return func() (float64, error) {
		base, other := slp(mechanism, units.Sequential), slp("capri", p)
		base.alu, other.alu = 4, 4
		v, _, err := ratioOf(speed, base, other, kernelsOf(named(names...)), names)(0)
		return v, err
	}
}

// utilization returns what a mechanism and permutation add to the SIMD utilization of a base, in per
// cent: of the mean over the benchmarks, or the most of one.
func utilization(base, other setup, most bool) func(uint64) (float64, string, error) {
	return func(seed uint64) (float64, string, error) {
		machines := on(seed, []setup{base, other})
		of := make([][2]float64, len(timed))
		err := parallel(2*len(timed), func(i int) error {
			c, err := machines[i%2].run(timed[i/2].kernel, size)
			of[i/2][i%2] = efficiency(&c)
			return err
		})
		var sum [2]float64
		largest, name := 0.0, ""
		for k := range of {
			sum[0], sum[1] = sum[0]+of[k][0], sum[1]+of[k][1]
			if g := 100 * (of[k][1]/of[k][0] - 1); g > largest {
				largest, name = g, timed[k].name
			}
		}
		if most {
			return largest, name, err
		}
		return 100 * (sum[1]/sum[0] - 1), fmt.Sprintf("%d benchmarks; most %s %.1f", len(timed), name, largest), err
	}
}

// pathRate returns the mean compaction rate under a permutation, or the ideal one, of the ten
// benchmarks with P-branches to compact, or of benchmarks' D-branches.
func pathRate(p units.Permutation, d bool, list []string) func(uint64) (float64, string, error) {
	return func(uint64) (float64, string, error) {
		var perms []units.Permutation
		if p != "" {
			perms = append(perms, p)
		}
		if d {
			mean, _, err := dataRates(list, perms...)
			return mean[0], "", err
		}
		of, ideal, err := rates(perms...)
		if err != nil || p == "" {
			return ideal, strings.Join(compactable, ", "), err
		}
		return of[0], strings.Join(compactable, ", "), nil
	}
}

// five are the benchmarks whose D-branches TBC compacts badly (Rhu & Erez, section 6.1).
var five = []string{"BITONIC", "MDBROT", "AOSSORT", "SORTNW", "SOBFLT"}

// slpNumbers are the numbers of Rhu & Erez's text.
var slpNumbers = []Claim{
	{
		ID: "SLP-41", Place: "section 6.2", Statement: "SIMD utilization that TBC with Balanced adds to no compaction, mean of the benchmarks",
		Number: gainOf(11.3, utilization(slp("pdom", units.Sequential), slp("tbc", units.Balanced), false)).headline("Balanced, SIMD utilization over none, %"),
	},
	{
		ID: "SLP-42", Place: "section 6.2", Statement: "the same added to TBC as it is",
		Number: gainOf(7.1, utilization(slp("tbc", units.Sequential), slp("tbc", units.Balanced), false)).headline("Balanced, SIMD utilization over TBC, %"),
	},
	{
		ID: "SLP-43", Place: "abstract, section 6.2", Statement: "the same, the benchmark that gains most",
		Number: gainOf(34, utilization(slp("tbc", units.Sequential), slp("tbc", units.Balanced), true)).headline("Balanced, most over TBC, %"),
	},
	{
		ID: "SLP-44", Place: "section 6.2", Statement: "SIMD utilization that TBC with Odd_Even adds to no compaction, mean of the benchmarks",
		Number: gainOf(6, utilization(slp("pdom", units.Sequential), slp("tbc", units.OddEven), false)),
	},
	{
		ID: "SLP-45", Place: "section 6.2", Statement: "the same added to TBC as it is",
		Number: gainOf(2.1, utilization(slp("tbc", units.Sequential), slp("tbc", units.OddEven), false)),
	},
	{
		ID: "SLP-46", Place: "section 6.2", Statement: "the same, the benchmark that gains most",
		Number: gainOf(18, utilization(slp("tbc", units.Sequential), slp("tbc", units.OddEven), true)),
	},
	{
		ID: "SLP-47", Place: "section 6.2", Statement: "SIMD utilization that TBC with Rev_WID adds to no compaction, mean of the benchmarks",
		Number: gainOf(8.8, utilization(slp("pdom", units.Sequential), slp("tbc", units.RevWID), false)),
	},
	{
		ID: "SLP-48", Place: "section 6.2", Statement: "the same added to TBC as it is",
		Number: gainOf(4.8, utilization(slp("tbc", units.Sequential), slp("tbc", units.RevWID), false)),
	},
	{
		ID: "SLP-49", Place: "section 6.3", Statement: "speed with Balanced on CAPRI against no compaction, harmonic mean of eight benchmarks",
		Number: speedOf(1.116, permutedSpeed(units.Balanced, slp("pdom", units.Sequential), eight...)).headline("Balanced-CAPRI over none").
			without("sm.alu_latency=4", shallow(units.Balanced, "pdom", eight...)),
	},
	{
		ID: "SLP-50", Place: "section 6.3", Statement: "speed with Balanced on CAPRI against CAPRI as it is, harmonic mean of eight benchmarks",
		Number: speedOf(1.07, permutedSpeed(units.Balanced, slp("capri", units.Sequential), eight...)).headline("Balanced-CAPRI over CAPRI").
			without("sm.alu_latency=4", shallow(units.Balanced, "capri", eight...)),
	},
	{
		ID: "SLP-51", Place: "abstract, section 6.3", Statement: "speed with Balanced on CAPRI against CAPRI as it is: BITONIC, the most",
		Number: speedOf(1.256, permutedSpeed(units.Balanced, slp("capri", units.Sequential), "BITONIC")).headline("Balanced-CAPRI, BITONIC").
			without("sm.alu_latency=4", shallow(units.Balanced, "capri", "BITONIC")),
	},
	{
		ID: "SLP-52", Place: "section 6.3", Statement: "the same: BACKP",
		Number: speedOf(1.152, permutedSpeed(units.Balanced, slp("capri", units.Sequential), "BACKP")),
	},
	{
		ID: "SLP-53", Place: "section 6.3", Statement: "speed with FLIP_odd on CAPRI against CAPRI as it is, harmonic mean of eight benchmarks",
		Number: speedOf(1.05, permutedSpeed(units.FlipOdd, slp("capri", units.Sequential), eight...)),
	},
	{
		ID: "SLP-54", Place: "section 6.3", Statement: "speed with Rotate_odd_1 on CAPRI against CAPRI as it is, harmonic mean of eight benchmarks",
		Number: speedOf(1.021, permutedSpeed(units.RotateOdd, slp("capri", units.Sequential), eight...)),
	},
	{
		ID: "SLP-55", Place: "section 6.3", Statement: "speed with Balanced on CAPRI against CAPRI as it is: MUM, BFS, DXTC and EIGENVL, which lose 0.3 %",
		Number: speedOf(.997, permutedSpeed(units.Balanced, slp("capri", units.Sequential), harmed...)),
	},
	{
		ID: "SLP-56", Place: "section 6.3", Statement: "the same with FLIP_odd, by which they lose 0.4 %",
		Number: speedOf(.996, permutedSpeed(units.FlipOdd, slp("capri", units.Sequential), harmed...)),
	},
	{
		ID: "SLP-57", Place: "section 6.3", Statement: "the same with Rotate_odd_1, by which they lose 1.1 %",
		Number: speedOf(.989, permutedSpeed(units.RotateOdd, slp("capri", units.Sequential), harmed...)),
	},
	{
		ID: "SLP-58", Place: "section 6.1", Statement: "compaction rate of P-branches as they are, mean of ten benchmarks",
		Number: rateOf(3.2, pathRate(units.Sequential, false, nil)),
		Why:    "all P-branches of our kernels are aligned; the paper does not say in which benchmark some are not",
	},
	{
		ID: "SLP-59", Place: "section 6.1", Statement: "the same under Odd_Even",
		Number: rateOf(28.9, pathRate(units.OddEven, false, nil)),
	},
	{
		ID: "SLP-60", Place: "section 6.1", Statement: "the same under Rev_WID",
		Number: rateOf(52.8, pathRate(units.RevWID, false, nil)),
	},
	{
		ID: "SLP-61", Place: "section 6.1", Statement: "the same under Balanced",
		Number: rateOf(71.5, pathRate(units.Balanced, false, nil)),
	},
	{
		ID: "SLP-62", Place: "section 6.1", Statement: "the same, ideal",
		Number: rateOf(72.7, pathRate("", false, nil)),
	},
	{
		ID: "SLP-63", Place: "section 6.1", Statement: "compaction rate of D-branches as they are, mean of the benchmarks that have some to compact",
		Number: rateOf(42.5, pathRate(units.Sequential, true, nil)),
	},
	{
		ID: "SLP-64", Place: "section 6.1", Statement: "the same, ideal",
		Number: rateOf(64.4, pathRate("", true, nil)),
	},
	{
		ID: "SLP-65", Place: "section 6.1", Statement: "compaction rate of D-branches as they are, mean of BITONIC, MDBROT, AOSSORT, SORTNW and SOBFLT",
		Number: rateOf(35.3, pathRate(units.Sequential, true, five)),
	},
	{
		ID: "SLP-66", Place: "section 6.1", Statement: "the same under Balanced",
		Number: rateOf(59.3, pathRate(units.Balanced, true, five)),
	},
	{
		ID: "SLP-67", Place: "section 6.1", Statement: "the same, ideal",
		Number: rateOf(68.5, pathRate("", true, five)),
	},
	{
		ID: "SLP-68", Place: "section 3.1", Statement: "what ideal compaction adds to the SIMD utilization: FDTD3D",
		Number: gainOf(17, idealGain("FDTD3D")),
	},
	{
		ID: "SLP-69", Place: "section 3.1", Statement: "the same: LPS",
		Number: gainOf(13, idealGain("LPS")),
	},
}

// idealGain returns what ideal compaction adds to a benchmark's SIMD utilization, in per cent.
func idealGain(name string) func(uint64) (float64, string, error) {
	b := named(name)[0]
	return func(uint64) (float64, string, error) {
		var of [2]float64
		for i, mechanism := range []string{"pdom", "tbc-ideal"} {
			o, err := b.run(slp(mechanism, units.Sequential))
			if err != nil {
				return 0, "", err
			}
			of[i] = efficiency(&o.Counters)
		}
		return 100 * (of[1]/of[0] - 1), "", nil
	}
}

// ppcNumbers are the numbers of Huang et al.'s text.
var ppcNumbers = []Claim{
	{
		ID: "PPC-20", Place: "abstract, section IV, figure 6", Statement: "activity factor that paired paths add to post-dominators, mean of the kernels with unstructured control flow",
		Number: gainOf(13.36, func(uint64) (float64, string, error) {
			var mean [2]float64
			var detail []string
			for _, kernel := range unstructuredKernels {
				var factor [2]float64
				for i, mechanism := range []string{"pdom", "ppc"} {
					c, err := paired(mechanism).run(kernel, size)
					if err != nil {
						return 0, "", err
					}
					factor[i] = activity(&c)
					mean[i] += factor[i]
				}
				detail = append(detail, fmt.Sprintf("%s %.1f", kernel, 100*(factor[1]/factor[0]-1)))
			}
			return 100 * (mean[1]/mean[0] - 1), strings.Join(detail, ", "), nil
		}).headline("PPC, activity factor, %"),
	},
	{
		ID: "PPC-21", Place: "section IV, figure 8", Statement: "executed instructions that the implicit scheme saves against the explicit one: pathfinder, the most",
		Number: gainOf(7, func(uint64) (float64, string, error) {
			var of [2]float64
			for i, mechanism := range []string{"ppc-explicit", "ppc"} {
				c, err := paired(mechanism).run("pathfinder", size)
				if err != nil {
					return 0, "", err
				}
				of[i] = float64(c.Instructions + c.Inserted)
			}
			return 100 * (1 - of[1]/of[0]), "pathfinder", nil
		}).headline("PPC, instructions saved, pathfinder, %"),
	},
}

// herdedGains returns the speed of herding by what the framework chooses, in per cent: the mean of the
// benchmarks of table II or III, or the most.
func herdedGains(what herdedWhat, run func(*herded) herdRun, most bool) func(uint64) (float64, string, error) {
	return func(uint64) (float64, string, error) {
		var gains []float64
		var detail []string
		for _, b := range herdBenchmarks {
			if what == ofBranches && b.branch < 0 || what == ofLoads && b.data < 0 {
				continue
			}
			h, err := herdMiddle.chosen(b.kernel, what)
			if err != nil {
				return 0, "", err
			}
			g := max(h.gain(run(h)), 0) // what does not pay is not herded
			detail = append(detail, fmt.Sprintf("%s %.1f", b.name, g))
			gains = append(gains, g)
		}
		if most {
			return slices.Max(gains), strings.Join(detail, ", "), nil
		}
		return arithmetic(gains), strings.Join(detail, ", "), nil
	}
}

var (
	inHardware = func(h *herded) herdRun { return h.fast }
	inSoftware = func(h *herded) herdRun { return h.soft }
	atAnyLoss  = func(h *herded) herdRun { return h.any }
)

// herdingNumbers are the numbers of Sartori & Kumar's text. The machine is that of the figure
// herding.
var herdingNumbers = []Claim{
	{
		ID: "HERDING-40", Place: "abstract, section VII-A, figure 12", Statement: "speed that branch herding in hardware adds, mean of the benchmarks of table II, with what the framework chooses",
		Number: gainOf(30, herdedGains(ofBranches, inHardware, false)).headline("branch herding in hardware, %"),
	},
	{
		ID: "HERDING-41", Place: "abstract, section VII-A, figure 12", Statement: "the same, the benchmark that gains most",
		Number: gainOf(55, herdedGains(ofBranches, inHardware, true)).headline("branch herding in hardware, most, %"),
	},
	{
		ID: "HERDING-42", Place: "abstract, section VII-A, figure 12", Statement: "speed that branch herding in software adds, mean of the benchmarks of table II",
		Number: gainOf(13, herdedGains(ofBranches, inSoftware, false)).headline("branch herding in software, %").without(
			"in hardware", quickly(herdedGains(ofBranches, inHardware, false))),
		Why: "a vote, a count and a comparison take a fifth of a round of Mandelbrot's loop, and as much in the others",
	},
	{
		ID: "HERDING-43", Place: "abstract, section VII-A, figure 12", Statement: "the same, the benchmark that gains most",
		Number: gainOf(34, herdedGains(ofBranches, inSoftware, true)).headline("branch herding in software, most, %").without(
			"in hardware", quickly(herdedGains(ofBranches, inHardware, true))),
		Why: "a vote, a count and a comparison take a fifth of a round of Mandelbrot's loop, and as much in the others",
	},
	{
		ID: "HERDING-44", Place: "abstract, section VII-B, figure 16", Statement: "speed that data herding adds, mean of the benchmarks of table III",
		Number: gainOf(25, herdedGains(ofLoads, inHardware, false)).headline("data herding, %").without(
			"at any degradation", quickly(herdedGains(ofLoads, atAnyLoss, false))),
		Why: "the loads of a warp lie side by side in most of these kernels; histogram merges with atomics, not loads",
	},
	{
		ID: "HERDING-45", Place: "abstract, section VII-B, figure 16", Statement: "the same, the benchmark that gains most",
		Number: gainOf(32, herdedGains(ofLoads, inHardware, true)).headline("data herding, most, %").without(
			"at any degradation", quickly(herdedGains(ofLoads, atAnyLoss, true))),
		Why: "as HERDING-44",
	},
	{
		ID: "HERDING-46", Place: "section II-A, figure 3", Statement: "Mandelbrot, all safe branches herded in hardware: speed",
		Number: speedOf(1.31, func(uint64) (float64, string, error) {
			none, hard, err := herdedPair("mandelbrot20", herdBranches)
			return hard.over(none), "", err
		}),
	},
	{
		ID: "HERDING-47", Place: "section II-A", Statement: "Mandelbrot: branches among the dynamic instructions",
		Number: rateOf(10, func(uint64) (float64, string, error) {
			none, _, err := herdedPair("mandelbrot20", herdBranches)
			return 100 * none.branches, "", err
		}),
	},
}
