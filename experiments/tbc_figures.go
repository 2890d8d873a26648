package experiments

import (
	"cmp"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"divergo/gpu"
	"divergo/internal/chart"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/memsys"
	"divergo/sm"
	"divergo/testbench"
)

// tbcFigures are the figures of thread block compaction.
var tbcFigures = []Figure{
	{
		Name: "tbc-fig2", Doc: "speed of TBC, DWF and DWF with warp barriers, means of each set", Place: "figure 2",
		Planned: drawOverall,
	},
	{Name: "tbc-fig5", Doc: "SIMD efficiency without compaction, and branches", Place: "figure 5", Planned: drawCharacter},
	{
		Name: "tbc-fig6", Doc: "speed of DWF, with warp barriers and without, on the divergent set", Place: "figure 6",
		Planned: drawFormation,
	},
	{
		Name: "tbc-fig11", Doc: "speed of likely-convergence points, on PDOM and on TBC", Place: "figure 11",
		Planned: drawLikely,
	},
	{
		Name: "tbc-fig12", Doc: "speed of TBC, DWF and DWF with warp barriers against PDOM", Place: "figure 12",
		Planned: drawMechanisms,
	},
	{
		Name: "tbc-fig13", Doc: "what the cycles of the divergent set are spent on, and stalls of the memory pipeline",
		Place: "figure 13", Planned: func(p Plan) (*Drawing, error) { return drawBreakdown(p, "DIVG") },
	},
	{
		Name: "tbc-fig14", Doc: "the same of the coherent set", Place: "figure 14",
		Planned: func(p Plan) (*Drawing, error) { return drawBreakdown(p, "COHE") },
	},
	{
		Name: "tbc-fig15", Doc: "speed of TBC under each priority of CTAs against PDOM", Place: "figure 15",
		Planned: drawPriorities,
	},
	{
		Name: "tbc-fig16", Doc: "traffic between an SM and the memory system with TBC against PDOM", Place: "figure 16",
		Planned: drawTraffic,
	},
	{Name: "tbc-fig17", Doc: "speed with a small L2", Place: "figure 17", Planned: drawSmallL2},
	{
		Name: "tbc-table1", Doc: "CTAs of an SM, and the registers of a thread that they leave", Place: "table 1",
		Draw: drawResident,
	},
	{
		Name: "tbc-table3", Doc: "the deepest stack of TBC with likely-convergence points", Place: "table 3",
		Planned: drawStacks,
	},
}

// The sets of benchmarks (Fung & Aamodt, HPCA 2011, table 1). The last set holds kernels that the
// paper does not have.
const (
	divergent = "DIVG"
	coherent  = "COHE"
	others    = "others"
)

// suite lists the kernels of Fung & Aamodt's figures. First come our equivalents of the paper's, by
// the paper's names. Further kernels of ours follow whose branches diverge or are many.
//
// No kernel is left out because of its results. loop1, loop2 and queens are not here, since they
// are one warp or recursion. Neither are kernels with the small grids of the herding benchmarks.
var suite = []struct{ kernel, theirs, set string }{
	{"bfs", "BFS2", divergent},
	{"facedetect", "FCDT", divergent},
	{"hotspot", "HOTSP", divergent},
	{"laplace", "LPS", divergent},
	{"mummer", "MUM", divergent},
	{"mummerpp", "MUMpp", divergent},
	{"namd", "NAMD", divergent},
	{"persistent", "NVRT", divergent},
	{"aes", "AES", coherent},
	{"backprop", "BACKP", coherent},
	{"coulomb", "CP", coherent},
	{"galerkin", "DG", coherent},
	{"heartwall", "HRTWL", coherent},
	{"libor", "LIB", coherent},
	{"leukocyte", "LKYT", coherent},
	{"mergesort", "MGST", coherent},
	{"nearest", "NNC", coherent},
	{"spheres", "RAY", coherent},
	{"streamcluster", "STMCL", coherent},
	{"store", "STO", coherent},
	{"weather", "WP", coherent},
	{"bitonic", "", others},
	{"reduction", "", others},
	{"mandelbrot", "", others},
	{"quasirandom", "", others},
	{"convolution", "", others},
	{"sobel", "", others},
	{"blocksort", "", others},
	{"histogram", "", others},
	{"matmul", "", others},
	{"volumerender", "", others},
}

// size is the size that figures run: the second.
const size = "medium"

// label returns a kernel's name in a picture: the paper's name, if it has one.
func label(k int) string {
	if suite[k].theirs != "" {
		return suite[k].theirs
	}
	return suite[k].kernel
}

// compared returns the counters of each kernel of the suite on some machines, with an input of a plan.
func compared(seed uint64, machines ...setup) ([][]testbench.Counters, error) {
	var names []string
	for _, k := range suite {
		names = append(names, k.kernel)
	}
	return counted(names, size, on(seed, machines))
}

// counted returns the counters of each kernel on some machines.
func counted(kernels []string, size string, machines []setup) ([][]testbench.Counters, error) {
	all := make([][]testbench.Counters, len(kernels))
	for k := range all {
		all[k] = make([]testbench.Counters, len(machines))
	}
	return all, parallel(len(kernels)*len(machines), func(i int) (err error) {
		k, m := i/len(machines), i%len(machines)
		all[k][m], err = machines[m].run(kernels[k], size)
		return err
	})
}

// parallel calls do for 0 to n-1, as many at once as there are processors. It returns the error of the
// lowest number.
func parallel(n int, do func(int) error) error {
	errs := make([]error, n)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				if errs[i] = do(i); errs[i] != nil {
					next.Store(int64(n))
				}
			}
		})
	}
	workers.Wait()
	return cmp.Or(errs...)
}

// theirs holds values in the paper's text, by kernel or set, and by bar.
type theirs map[string]map[string]float64

// of returns the values of a group for bars in order; nil if there are none.
func (t theirs) of(group string, bars []string) []float64 {
	if t[group] == nil {
		return nil
	}
	var list []float64
	for _, bar := range bars {
		v, ok := t[group][bar]
		if !ok {
			v = math.NaN()
		}
		list = append(list, v)
	}
	return list
}

// comparison compares machines with a base.
type comparison struct {
	value func(base, other *testbench.Counters) float64
	y     string
	names []string
	base  setup
	other []setup
	paper theirs
	once  bool // with the first input of the plan
}

// measure returns the counters of each kernel on the base and the others, for each input.
func (c *comparison) measure(p Plan) (all [][][]testbench.Counters, err error) {
	seeds := p.seeds()
	if c.once {
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		of, err := compared(seed, append([]setup{c.base}, c.other...)...)
		if err != nil {
			return nil, err
		}
		all = append(all, of)
	}
	return all, nil
}

// means returns the harmonic means over each set, and over both of the paper's sets.
func (c *comparison) means(all [][]testbench.Counters) map[string][]float64 {
	inverse, count := map[string][]float64{}, map[string]float64{}
	for k, row := range all {
		groups := []string{suite[k].set}
		if suite[k].set != others {
			groups = append(groups, "all")
		}
		for _, group := range groups {
			if inverse[group] == nil {
				inverse[group] = make([]float64, len(c.names))
			}
			count[group]++
			for i := range c.names {
				inverse[group][i] += 1 / c.value(&row[0], &row[i+1])
			}
		}
	}
	for group, list := range inverse {
		for i := range list {
			list[i] = count[group] / list[i]
		}
	}
	return inverse
}

// draw draws a row for each kernel of some sets, and the means of sets.
func (c *comparison) draw(p Plan, sets ...string) (*Drawing, error) {
	all, err := c.measure(p)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: header(len(all), []string{"kernel", "in the paper", "set"}, c.names)}
	picture := &chart.Groups{Title: "Each kernel, and harmonic means of the sets", Y: c.y, Bars: c.names}
	for k := range suite {
		if len(sets) > 0 && !slices.Contains(sets, suite[k].set) {
			continue
		}
		inputs := make([][]float64, len(all))
		for n, of := range all {
			for i := range c.names {
				inputs[n] = append(inputs[n], c.value(&of[k][0], &of[k][i+1]))
			}
		}
		d.bars(picture, []any{suite[k].kernel, suite[k].theirs, suite[k].set}, label(k), inputs, c.paper)
	}
	if len(sets) == 0 {
		sets = []string{divergent, coherent, "all", others}
	}
	c.drawMeans(d, picture, all, func(set string) []any { return []any{"harmonic mean", "", set} }, sets...)
	d.Charts = chart.Column{picture}
	return d, nil
}

// drawMeans draws the means of sets, as rows that begin with some cells.
func (c *comparison) drawMeans(d *Drawing, picture *chart.Groups, all [][][]testbench.Counters,
	cells func(set string) []any, sets ...string,
) {
	means := make([]map[string][]float64, len(all))
	for n, of := range all {
		means[n] = c.means(of)
	}
	for _, set := range sets {
		var inputs [][]float64
		for _, m := range means {
			inputs = append(inputs, m[set])
		}
		d.bars(picture, cells(set), set, inputs, c.paper)
	}
}

// means are the groups that are set apart in pictures.
var means = []string{"mean", divergent, coherent, "all", others}

// header returns the columns of a table: the first ones, values, and of several inputs the least and
// the largest value of each.
func header(inputs int, first, names []string) []string {
	list := slices.Concat(first, names)
	for _, name := range names {
		if inputs > 1 {
			list = append(list, name+" least", name+" most")
		}
	}
	return list
}

// bars adds the values of each input as a row and as a group of bars: their means, and if there are
// several inputs, the least and the largest ones.
func (d *Drawing) bars(picture *chart.Groups, cells []any, group string, inputs [][]float64, paper theirs) {
	g := chart.Group{Name: group, Theirs: paper.of(group, picture.Bars), Mean: slices.Contains(means, group)}
	var ends []any
	for i := range picture.Bars {
		var of []float64
		for _, values := range inputs {
			of = append(of, values[i])
		}
		mean := arithmetic(of)
		cells, g.Values = append(cells, round(mean)), append(g.Values, []float64{mean})
		if len(inputs) > 1 {
			low, high := slices.Min(of), slices.Max(of)
			ends, g.Spread = append(ends, round(low), round(high)), append(g.Spread, [2]float64{low, high})
		}
	}
	d.Rows, picture.Groups = append(d.Rows, append(cells, ends...)), append(picture.Groups, g)
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

// speed returns the cycles of a base divided by those of another machine.
func speed(base, other *testbench.Counters) float64 {
	return float64(base.Cycles) / float64(other.Cycles)
}

// mechanisms is the comparison of figures 2, 6 and 12.
var mechanisms = comparison{
	value: speed, y: "speed, PDOM = 1", names: []string{"TBC", "DWF", "DWF-WB"},
	base: paperPDOM, other: []setup{paperTBC, paperDWF, paperWB},
	paper: theirs{
		divergent: {"TBC": 1.22, "DWF": 1.04, "DWF-WB": 1.15},
		coherent:  {"TBC": 1},
		"all":     {"TBC": 1.10, "DWF-WB": 1},
		"MUMpp":   {"DWF": 1.28},
		"NVRT":    {"DWF-WB": 1.60},
	},
}

const policies = "TBC has likely-convergence points and CTAs by age, DWF takes the majority, PDOM has neither, as in section 6. Means are harmonic; others are kernels that the paper has not."

func drawOverall(p Plan) (*Drawing, error) {
	all, err := mechanisms.measure(p)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: header(len(all), []string{"set"}, mechanisms.names), Notes: []string{
		"Theirs: DIVG TBC 1.22, DWF 1.04 (1.22 / 1.17), DWF-WB 1.15 (1.22 / 1.06); all TBC 1.10, DWF-WB 1.00; COHE TBC 1.00.", policies,
	}}
	picture := &chart.Groups{Title: "Harmonic means of the sets", Y: mechanisms.y, Bars: mechanisms.names}
	mechanisms.drawMeans(d, picture, all, func(set string) []any { return []any{set} }, divergent, coherent, "all")
	d.Charts = chart.Column{picture}
	d.Caption = "DIVG is where compaction can gain, COHE where it can only lose. Rings are the paper's means."
	return d, nil
}

func drawFormation(p Plan) (*Drawing, error) {
	formation := mechanisms
	formation.names, formation.other = []string{"DWF", "DWF-WB"}, []setup{paperDWF, paperWB}
	d, err := formation.draw(p, divergent)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: DWF gains on BFS2, FCDT and MUMpp, loses on the others, and NVRT fails; with warp barriers NVRT gains 60 %, HOTSP, LPS and NAMD gain, and MUMpp loses a little.",
		"Our NVRT has no queue that a warp's first thread empties for the others, so that DWF does not break it; claim TBC-08 has that queue.",
	}
	d.Caption = "Compare DWF with DWF-WB on HOTSP, LPS and NAMD, which warp barriers win back in the paper."
	return d, nil
}

func drawMechanisms(p Plan) (*Drawing, error) {
	d, err := mechanisms.draw(p)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs, harmonic means: DIVG TBC 1.22, DWF 1.04 (1.22 / 1.17), DWF-WB 1.15 (1.22 / 1.06); all TBC 1.10, DWF-WB 1.00; COHE TBC 1.00.", policies,
	}
	d.Notes = append(d.Notes, map[Plan][]string{
		Quick: {
			"CP gains by AGE and not by compaction: under PDOM with sm.cta_priority=age it takes 876,648 cycles and not 1,239,723 (addresses of 64 bits): what goes are the stalls of figure 14. NAMD, LPS and LIB lose by AGE, as in the paper (tbc-fig15): without it TBC is at 1.00.",
			"With addresses of 64 bits fewer CTAs are resident, and HOTSP is at 0.93 and not 1.01: TBC needs other CTAs to hide its waits.",
			"Of the others bitonic, reduction and blocksort diverge in alignment with their lanes, which TBC cannot compact (Rhu & Erez, ISCA 2013, section 3.3): with sm.lanes=balanced bitonic takes 76,774 cycles and not 96,826.",
			"histogram loses by AGE, under which it waits for memory: with sm.cta_priority=none TBC takes 36,545 cycles and PDOM 36,688.",
		},
		Full: {
			"CP gains by AGE and not by compaction: without a priority TBC is at 1.00 (tbc-fig15). LPS loses by AGE, as in the paper, and so does FCDT.",
			"Of the others bitonic, reduction and blocksort diverge in alignment with their lanes, which TBC cannot compact (Rhu & Erez, ISCA 2013, section 3.3).",
		},
	}[p]...)
	d.Caption = "Compare the means at the end with the rings: DIVG is where compaction can gain, COHE where it can only lose."
	return d, nil
}

// priorities are the CTA priorities of figure 15.
var priorities = []sm.CTAPriority{sm.PriorityAge, sm.PriorityRRB, sm.PrioritySRR, sm.PriorityNone}

// prioritized returns TBC with a CTA priority.
func prioritized(p sm.CTAPriority) setup {
	m := paperTBC
	m.priority = p
	return m
}

func drawPriorities(p Plan) (*Drawing, error) {
	c := comparison{value: speed, y: mechanisms.y, base: paperPDOM, once: true}
	for _, p := range priorities {
		c.names, c.other = append(c.names, strings.ToUpper(string(p))), append(c.other, prioritized(p))
	}
	c.paper = theirs{divergent: {"AGE": 1.22}, coherent: {"AGE": 1}, "all": {"AGE": 1.10}}
	d, err := c.draw(p)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: AGE is the best on the whole, and loses on LPS, NAMD and LIB at the end of a launch; RRB waits for memory more on STMCL; SRR is robust; the other numbers are in the lost figure.",
		map[Plan]string{
			Quick: "Same: AGE loses on LPS, NAMD and LIB, and on no other of DIVG as much; RRB is the slower one on STMCL. AGE is not the best on the whole, as LPS and NAMD are two of eight.",
			Full:  "Same: AGE is the best on the whole, by 0.006 before RRB, and loses on LPS; RRB is the slower one on STMCL. Different: AGE loses on FCDT as well, and neither on NAMD nor on LIB.",
		}[p],
		"PDOM is under loose round robin. AGE is faster than that under PDOM as well (vecadd: 1762 cycles, not 2068), so that a part of its gain is not compaction's.",
	}
	d.Caption = "Compare AGE with the others on LPS, NAMD and LIB, where the paper has a CTA left alone at the end of a launch."
	return d, nil
}

func drawTraffic(p Plan) (*Drawing, error) {
	bytes := func(c *testbench.Counters) float64 { return float64(c.Requests.Bytes + c.Responses.Bytes) }
	c := comparison{
		value: func(base, other *testbench.Counters) float64 { return bytes(other) / bytes(base) },
		y:     "bytes, PDOM = 1",
		names: []string{"TBC AGE", "TBC RRB"}, base: paperPDOM, other: []setup{paperTBC, prioritized(sm.PriorityRRB)}, once: true,
	}
	d, err := c.draw(p)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: within 7 % of PDOM, but for DG, 2.67 with AGE in its texture cache, which RRB mends.",
		"Same: DG, whose matrices are read by all CTAs, and go through the L1 here: AGE interleaves CTAs less, which is the reason that the paper gives.",
		map[Plan]string{
			Quick: "Of the others FCDT has more than 7 % more.",
			Full:  "Different: LKYT, NAMD and LPS have more by AGE as well, and LIB has a quarter; by RRB all are within 7 %.",
		}[p],
	}
	d.Caption = "Bars above 1 move more data than PDOM. The paper has one that is far above, DG by AGE."
	return d, nil
}

// small returns a machine with the L2 of section 6.4.
func small(s setup) setup {
	s.smallL2 = true
	return s
}

func drawSmallL2(p Plan) (*Drawing, error) {
	c := comparison{
		value: speed, y: mechanisms.y, names: []string{"TBC RRB", "TBC AGE", "DWF", "DWF-WB"}, base: small(paperPDOM),
		other: []setup{small(prioritized(sm.PriorityRRB)), small(paperTBC), small(paperDWF), small(paperWB)},
		once:  true,
		paper: theirs{divergent: {"TBC RRB": 1.15, "TBC AGE": 1.135}, "MUMpp": {"DWF": 0.96}},
	}
	d, err := c.draw(p)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: DIVG TBC 1.15 with RRB and 1.135 with AGE; COHE as with the large L2; MUMpp under DWF from 1.28 to 0.96.",
		map[Plan]string{
			Quick: "128 KB and 8 ways for a channel are 1 MB in all; our inputs are smaller than the paper's, so that most still fit.",
			Full:  "128 KB and 8 ways for the channel of three SMs. Different: MUMpp under DWF is at 0.65 with either L2.",
		}[p],
	}
	d.Caption = "Compare with figure 12: the rest of the machine is the same, so that what changes is due to the L2."
	return d, nil
}

// likely are the machines of figure 11. Each one with likely-convergence points follows the same
// one without.
var likely = []setup{
	{preset: "tbc", mechanism: "pdom", priority: sm.PriorityNone},
	{preset: "tbc", mechanism: "pdom-lcp", priority: sm.PriorityNone},
	{preset: "tbc", mechanism: "tbc", priority: sm.PriorityAge},
	{preset: "tbc", mechanism: "tbc-lcp", priority: sm.PriorityAge},
}

func drawLikely(p Plan) (*Drawing, error) {
	d := &Drawing{Header: []string{
		"kernel", "in the paper", "PDOM-LCP over PDOM", "TBC-LCP over TBC", "depth PDOM",
		"depth PDOM-LCP", "depth TBC", "depth TBC-LCP",
	}}
	all, err := compared(p.seeds()[0], likely...)
	if err != nil {
		return nil, err
	}
	bars := []string{"PDOM", "TBC"}
	paper := theirs{"MUM": {"PDOM": 1.05, "TBC": 1.02}, "NVRT": {"PDOM": 1.14, "TBC": 1.30}}
	picture := &chart.Groups{Title: "Likely-convergence points", Y: "speed, without = 1", Bars: bars}
	for k, row := range all {
		pdom, tbc := speed(&row[0], &row[1]), speed(&row[2], &row[3])
		cells := []any{suite[k].kernel, suite[k].theirs, round(pdom), round(tbc)}
		for i := range row {
			cells = append(cells, row[i].Divergence.MaxDepth)
		}
		d.Rows = append(d.Rows, cells)
		picture.Groups = append(picture.Groups,
			chart.Group{Name: label(k), Values: [][]float64{{pdom}, {tbc}}, Theirs: paper.of(label(k), bars)})
	}
	d.Charts = chart.Column{picture}
	d.Notes = []string{
		"Theirs: MUM 1.05 on PDOM and 1.02 on TBC, NVRT 1.14 and 1.30; no other benchmark has such points.",
		"Ours that have them are those with a break out of a loop. NVRT gains by its any-hit break; where the two exits of a loop meet at its end, the post-dominator, as in MUM, nothing waits there earlier.",
	}
	pdom, tbc, err := likelyGain()
	d.Notes = append(d.Notes, fmt.Sprintf("Where a loop goes on behind two ways of which one has a break that is rare, the points gain: %.1f on PDOM and %.1f on TBC, in a kernel of its own.", pdom, tbc))
	d.Caption = "Bars at 1 have no likely-convergence point apart from the post-dominator."
	return d, err
}

// rareBreak is a loop with two sides that continue at E; one has a break, which no thread takes. E
// post-dominates neither side, but is the likely reconvergence point (Fung & Aamodt, HPCA 2011,
// section 4 and figure 10).
const rareBreak = `
	mov.u32 %r2, %r0;
	mov.u32 %r3, 0;
L:
	mad.lo.u32 %r4, %r3, 40503, %r0;
	mul.lo.u32 %r4, %r4, -2048144789;
	shr.u32 %r5, %r4, 15;
	and.b32 %r5, %r5, 1;
	setp.eq.u32 %p0, %r5, 0;
	@%p0 bra E;
	add.u32 %r2, %r2, %r4;
	setp.eq.u32 %p1, %r3, 1000;
	@%p1 bra F;
E:
	shr.u32 %r6, %r2, 7;
	xor.b32 %r2, %r2, %r6;
	mul.lo.u32 %r2, %r2, 747796405;
	add.u32 %r3, %r3, 1;
	setp.lt.u32 %p2, %r3, 16;
	@%p2 bra L;
F:
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r2;
	exit;`

// likelyGain returns the speed of rareBreak with likely-convergence points relative to without, on
// PDOM and on TBC.
func likelyGain() (pdom, tbc float64, err error) {
	var of [4]testbench.Counters
	for i, mechanism := range []string{"pdom", "pdom-lcp", "tbc", "tbc-lcp"} {
		s, _, err := launch(mechanism, rareBreak, 1, 128, 4*128)
		if err != nil {
			return 0, 0, err
		}
		of[i] = s.Counters()
	}
	return speed(&of[0], &of[1]), speed(&of[2], &of[3]), nil
}

func drawCharacter(p Plan) (*Drawing, error) {
	d := &Drawing{Header: []string{
		"kernel", "in the paper", "their set", "SIMD efficiency (%)", "set by 76 %",
		"divergent branches (%)", "P-branches (%)",
	}}
	all, err := compared(p.seeds()[0], paperPDOM)
	if err != nil {
		return nil, err
	}
	picture := &chart.Groups{Title: "SIMD efficiency under PDOM", Y: "%", Bars: []string{"PDOM"}}
	for k, row := range all {
		e, set := 100*efficiency(&row[0]), coherent
		if e < 76 {
			set = divergent
		}
		p, err := programmatic(suite[k].kernel)
		if err != nil {
			return nil, err
		}
		c := &row[0].Divergence
		d.Rows = append(d.Rows, []any{
			suite[k].kernel, suite[k].theirs, suite[k].set, round(e), set,
			round(100 * float64(c.Divergent) / float64(max(c.Branches, 1))), round(p),
		})
		picture.Groups = append(picture.Groups, chart.Group{Name: label(k), Values: [][]float64{{e}}})
	}
	d.Charts = chart.Column{picture}
	d.Notes = []string{
		"Theirs is the set of figure 5, of which DIVG are those below 76 %; the bars of the figure are lost. P-branches are the part of the divergent executions of branches by a CTA.",
		"On the other side of 76 % than theirs: HOTSP and LPS, whose grids here are cut so that few of their threads are beyond the rim, and RAY, whose picture is so small that the rays of a warp meet several spheres; HRTWL, as the overlaps of a warp's places differ, and MGST, as its runs end apart. NNC has half warps.",
	}
	d.Caption = "DIVG, on the left, is below 76 %."
	return d, nil
}

// programmatic returns the share of P-branches among divergent branch executions, in per cent.
func programmatic(kernel string) (float64, error) {
	paths, err := pathsOnce(kernel, func() (kernels.Workload, error) { return workload(kernel, size) })
	if err != nil {
		return 0, err
	}
	var p, all int
	for i := range paths.Branches {
		b := &paths.Branches[i]
		if all += b.Divergent; b.Class.String() == "P" {
			p += b.Divergent
		}
	}
	return 100 * float64(p) / float64(max(all, 1)), nil
}

// drawBreakdown draws the cycles of SMs by cause, and the stalls of the memory pipeline. Both are
// relative to PDOM.
func drawBreakdown(p Plan, set string) (*Drawing, error) {
	machines := []setup{paperPDOM, paperTBC, paperDWF, paperWB}
	bars := []string{"PDOM", "TBC", "DWF", "DWF-WB"}
	layers := []string{"W29-32", "W17-28", "W1-16", "Stall", "W0_Mem", "W0_Idle"}
	all, err := compared(p.seeds()[0], machines...)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: append(append([]string{"kernel", "in the paper", "machine"}, layers...), "memory stalls")}
	cycles := &chart.Groups{Title: "(a) Cycles, PDOM = 1", Y: "cycles", Bars: bars, Layers: layers}
	stalls := &chart.Groups{
		Title: "(b) Stalls of the memory pipeline, PDOM = 1",
		Y:     "cycles in which an access is held up", Bars: bars,
	}
	inverse, count := make([]float64, len(machines)), 0.0
	for k, row := range all {
		if suite[k].set != set {
			continue
		}
		base, held := float64(row[0].SMCycles-row[0].Classes[sm.ClassEmpty]),
			float64(max(memoryStalls(&row[0].Stalls), 1))
		group, other := chart.Group{Name: label(k)}, chart.Group{Name: label(k)}
		for i := range row {
			c := &row[i].Classes
			bin := func(from, to int) (n uint64) {
				for lanes := from; lanes <= to; lanes++ {
					n += c[sm.ClassIssue+sm.Class(lanes)]
				}
				return n
			}
			cells := []any{suite[k].kernel, suite[k].theirs, bars[i]}
			var parts []float64
			for _, n := range []uint64{bin(7, 7), bin(4, 6), bin(0, 3), c[sm.ClassStall], c[sm.ClassMem], c.Idle()} {
				parts, cells = append(parts, float64(n)/base), append(cells, round(float64(n)/base))
			}
			s := float64(memoryStalls(&row[i].Stalls)) / held
			inverse[i] += s
			group.Values, other.Values = append(group.Values, parts), append(other.Values, []float64{s})
			d.Rows = append(d.Rows, append(cells, round(s)))
		}
		count++
		cycles.Groups, stalls.Groups = append(cycles.Groups, group), append(stalls.Groups, other)
	}
	mean := chart.Group{Name: "mean", Mean: true}
	for i := range inverse {
		mean.Values = append(mean.Values, []float64{inverse[i] / count})
		d.Rows = append(d.Rows, []any{"mean", "", bars[i], "", "", "", "", "", "", round(inverse[i] / count)})
	}
	stalls.Groups = append(stalls.Groups, mean)
	d.Charts = chart.Column{cycles, stalls}
	d.Notes = []string{
		"Theirs: DWF has 2.7 times the stalls of the memory pipeline, TBC far fewer more; DWF turns W29-32 into warps of fewer threads in HOTSP, NAMD, HRTWL, MGST, RAY and WP; TBC adds to W0_Idle and W0_Mem, most of all in BFS2, MUM and MGST.",
		"Cycles in which an SM has no threads are left out. Wn-m are cycles in which a warp of n to m active threads is issued.",
	}
	d.Caption = "(a) Compaction makes full warps (W29-32) of those with few threads (W1-16); Stall, W0_Mem and W0_Idle are what it waits for. (b) Compare DWF with TBC."
	return d, nil
}

// memoryStalls sums the cycles in which an access is held up, over all causes.
func memoryStalls(s *memsys.Stalls) (n uint64) {
	for _, causes := range s {
		for _, cycles := range causes {
			n += cycles
		}
	}
	return n
}

// perCore holds the CTAs of a core in table 1, for each kernel of a benchmark.
var perCore = map[string]string{
	"BFS2": "2", "FCDT": "5,4", "HOTSP": "2", "LPS": "6", "MUM": "4", "MUMpp": "3", "NAMD": "7", "NVRT": "3",
	"AES": "2", "BACKP": "4,4", "CP": "8", "LIB": "8,8", "STMCL": "2", "STO": "1",
	"NNC": "5,8,8,8", "LKYT": "5,5,1", "RAY": "3",
	"DG": "4,5,6", "HRTWL": "1", "MGST": "1,3,8,3,4,2,4", "WP": "4",
}

// drawResident lists the number of resident CTAs on the paper's machine, and the resource that
// limits it.
func drawResident() (*Drawing, error) {
	d := &Drawing{Header: []string{
		"kernel", "in the paper", "threads of a CTA", "theirs", "ours", "limit", "registers",
		"registers at most for theirs", "registers, addresses of 64 bits",
	}}
	for _, k := range suite {
		if k.set == others {
			continue
		}
		session, err := resident(k.kernel)
		if err != nil {
			return nil, err
		}
		wide := make(runner.Programs)
		seen := map[string]bool{}
		for _, run := range session.Runs {
			name := run.Launch.Prog.Name
			if seen[name] {
				continue
			}
			seen[name] = true
			b := run.Launch.Block
			threads := int(b[0] * b[1] * b[2])
			least, most := 64, 0
			for n := range strings.SplitSeq(perCore[k.theirs], ",") {
				ctas, err := strconv.Atoi(n)
				if err != nil {
					return nil, err
				}
				left := gpu.Default().SM.Registers / (ctas * threads)
				least, most = min(least, left), max(most, left)
			}
			limit := fmt.Sprint(least)
			if most > least {
				limit = fmt.Sprintf("%d to %d", least, most)
			}
			p, err := wide.Program(k.kernel+".ptx", name)
			if err != nil {
				return nil, err
			}
			d.Rows = append(d.Rows, []any{
				name, k.theirs, threads, perCore[k.theirs], run.Occupancy.CTAs,
				run.Occupancy.Limit, run.Launch.Prog.LiveRegs, limit, p.LiveRegs,
			})
		}
	}
	d.Notes = []string{
		"Theirs is what NVIDIA's compiler left room for: so many CTAs of so many threads, of 16,384 registers. Ours is by the largest number of registers live at once.",
	}
	return d, nil
}

// resident runs a kernel on the golden model, launched as on the paper's machine.
func resident(name string) (*testbench.Session, error) {
	k, err := kernels.Find(name)
	if err != nil {
		return nil, err
	}
	s, err := k.Size(size)
	if err != nil {
		return nil, err
	}
	cfg, err := paperPDOM.config()
	if err != nil {
		return nil, err
	}
	session, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		return nil, err
	}
	session.Emulates = func(int) bool { return true }
	return session, s.New(1).Run(runner.New32(session))
}

// depths are the stack depths of table 3.
var depths = map[string]uint64{
	"BFS2": 3, "FCDT": 5, "HOTSP": 2, "LPS": 5, "MUM": 13, "MUMpp": 14, "NAMD": 5, "NVRT": 5,
	"AES": 1, "BACKP": 2, "CP": 1, "DG": 2, "HRTWL": 5, "LIB": 1, "LKYT": 3, "MGST": 38, "NNC": 3, "RAY": 9, "STMCL": 3,
	"STO": 1, "WP": 8,
}

func drawStacks(p Plan) (*Drawing, error) {
	all, err := compared(p.seeds()[0], paperTBC)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: []string{"kernel", "in the paper", "set", "theirs", "ours"}}
	picture := &chart.Groups{
		Title: "Entries of the deepest stack, TBC with likely-convergence points", Y: "entries",
		Bars: []string{"ours"},
	}
	for k, row := range all {
		if suite[k].set == others {
			continue
		}
		n := row[0].Divergence.MaxDepth
		d.Rows = append(d.Rows, []any{suite[k].kernel, suite[k].theirs, suite[k].set, depths[suite[k].theirs], n})
		picture.Groups = append(picture.Groups,
			chart.Group{
				Name: label(k), Values: [][]float64{{float64(n)}},
				Theirs: []float64{float64(depths[suite[k].theirs])},
			})
	}
	d.Charts = chart.Column{picture}
	d.Notes = []string{
		"Ours of AES, CP, LIB and STO have an entry more than theirs for the test of the end of the data, as their last CTA is partly filled, and LIB one for the pay-off of a swaption. MUMpp is far off: ours is a binary search, one loop in another.",
	}
	d.Caption = "Rings are the paper's depth. A stack of one entry has branches that are the same for a CTA."
	return d, nil
}
