package experiments

import (
	"fmt"
	"math"
	"slices"

	"divergo/internal/chart"
	"divergo/internal/papers"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
	"divergo/units"
)

func init() { Register(papers.Ours, acrossFigures, nil) }

// acrossFigures compare what no single paper does. They come first on a page of all figures.
var acrossFigures = []Figure{
	{
		Name: "ours-headline", Doc: "the headline numbers of the papers: theirs, ours, spread", Place: "all papers",
		Planned: drawHeadline,
	},
	{
		Name: "ours-mechanisms", Doc: "speed of all mechanisms on all kernels, by SIMD efficiency", Place: "preset tbc",
		Planned: drawAllMechanisms,
	},
	{
		Name: "ours-lanes", Doc: "speed of each permutation of lanes under each compacting mechanism", Place: "preset slp",
		Planned: drawLanesByMechanism,
	},
	{
		Name: "ours-warp-size", Doc: "speed by warp size under each mechanism, divergent set", Place: "preset tbc",
		Planned: drawWarpSizes,
	},
	{
		Name: "ours-sms", Doc: "speed by number of SMs under each mechanism, divergent set", Place: "preset tbc",
		Planned: drawSMs,
	},
}

// acrossSize is the size of kernels in quick runs of these figures, which have many.
const acrossSize = "small"

const acrossNote = "No paper has this. With --quick kernels are in their small size, in which most have one or two CTAs: that shows that the figure works, and no more."

// grid runs kernels on machines with the first input of a plan.
func grid(p Plan, kernels []string, machines []setup) ([][]testbench.Counters, error) {
	return counted(kernels, acrossSize, on(p.seeds()[0], machines))
}

// drawAllMechanisms draws the speed of each mechanism on each kernel.
func drawAllMechanisms(p Plan) (*Drawing, error) {
	d := &Drawing{Header: []string{"kernel", "SIMD efficiency (%)"}}
	lines := &chart.Lines{
		Title: "Each mechanism on each kernel", X: "SIMD efficiency under pdom (%)", Y: "speed, pdom = 1",
	}
	var machines []setup
	for _, m := range divergence.Mechanisms() {
		d.Header = append(d.Header, m.Name)
		lines.Series = append(lines.Series, chart.Series{Name: m.Name, Style: chart.Points})
		machines = append(machines, setup{preset: "tbc", mechanism: m.Name, priority: sm.PriorityNone})
	}
	var names []string
	for _, k := range suite {
		names = append(names, k.kernel)
	}
	all, err := grid(p, names, machines)
	if err != nil {
		return nil, err
	}
	base := slices.IndexFunc(machines, func(m setup) bool { return m.mechanism == "pdom" })
	inverse := make([]float64, len(machines))
	for k, row := range all {
		x := 100 * efficiency(&row[base])
		cells := []any{label(k), round(x)}
		for m := range row {
			v := speed(&row[base], &row[m])
			cells, inverse[m] = append(cells, round(v)), inverse[m]+1/v
			s := &lines.Series[m]
			s.X, s.Y = append(s.X, x), append(s.Y, v)
		}
		d.Rows = append(d.Rows, cells)
	}
	cells := []any{"harmonic mean", ""}
	for _, v := range inverse {
		cells = append(cells, round(float64(len(all))/v))
	}
	d.Rows, d.Charts = append(d.Rows, cells), chart.Column{lines}
	d.Caption = "To the left few lanes are active, so that compaction can gain; to the right it can only lose."
	d.Notes = []string{acrossNote, "CTAs by loose round robin for all."}
	return d, nil
}

// drawLanesByMechanism draws the speed of permutations under mechanisms, on the eight benchmarks of
// Rhu & Erez's figure 15.
func drawLanesByMechanism(p Plan) (*Drawing, error) {
	perms := []units.Permutation{units.Sequential, units.OddEven, units.RevWID, units.Balanced}
	list := []string{"tbc", "capri", "dwf", "dwf-wb"}
	machines := []setup{slp("pdom", units.Sequential)}
	for _, m := range list {
		for _, lane := range perms {
			machines = append(machines, slp(m, lane))
		}
	}
	all, err := grid(p, kernelsOf(named(eight...)), machines)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: []string{"mechanism"}}
	picture := &chart.Groups{Title: "Permutations under mechanisms, harmonic mean of eight benchmarks", Y: "speed, pdom = 1"}
	for _, lane := range perms {
		picture.Bars = append(picture.Bars, string(lane))
	}
	d.Header = append(d.Header, picture.Bars...)
	for i, m := range list {
		var values []float64
		for j := range perms {
			values = append(values, meanSpeed(all, 0, 1+i*len(perms)+j))
		}
		d.bars(picture, []any{m}, m, [][]float64{values}, nil)
	}
	d.Charts = chart.Column{picture}
	d.Caption = "Compare the last bar of a group with the first: what permuted lanes gain under that mechanism."
	d.Notes = []string{acrossNote}
	return d, nil
}

// meanSpeed returns the harmonic mean over kernels of the speed on a machine relative to a base.
func meanSpeed(all [][]testbench.Counters, base, other int) float64 {
	var list []float64
	for k := range all {
		list = append(list, speed(&all[k][base], &all[k][other]))
	}
	return harmonic(list)
}

// swept draws the mean speed of mechanisms on the divergent set against a parameter. base returns the
// index of the machine that counts as 1.
func swept(p Plan, title, x string, values []int, base func(value int) int, machine func(s setup, value int) setup,
) (*Drawing, error) {
	bars := []string{"PDOM", "TBC", "DWF", "DWF-WB"}
	var machines []setup
	for _, v := range values {
		for _, s := range []setup{paperPDOM, paperTBC, paperDWF, paperWB} {
			machines = append(machines, machine(s, v))
		}
	}
	var kernels []string
	for _, k := range kernelsIn(divergent) {
		kernels = append(kernels, suite[k].kernel)
	}
	all, err := grid(p, kernels, machines)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: append([]string{x}, bars...)}
	lines := &chart.Lines{Title: title, X: x, Y: "speed"}
	for _, b := range bars {
		lines.Series = append(lines.Series, chart.Series{Name: b})
	}
	for i, v := range values {
		cells := []any{v}
		for m := range bars {
			ratio := meanSpeed(all, len(bars)*base(i), len(bars)*i+m)
			s := &lines.Series[m]
			s.X, s.Y = append(s.X, float64(v)), append(s.Y, ratio)
			cells = append(cells, round(ratio))
		}
		d.Rows = append(d.Rows, cells)
	}
	d.Charts = chart.Column{lines}
	return d, nil
}

// drawWarpSizes draws the speed by warp size on 8 lanes. An SM has 512 threads, as 64 warps
// of 8 have.
func drawWarpSizes(p Plan) (*Drawing, error) {
	sizes := []int{8, 16, 32, 64}
	d, err := swept(p, "Warp size", "threads of a warp", sizes, func(int) int { return slices.Index(sizes, 32) },
		func(s setup, v int) setup { s.warp = v; return s })
	if err != nil {
		return nil, err
	}
	d.Caption = "To the right a warp has more lanes than branches keep together. Compare PDOM with small warps and TBC with warps of 64: both leave fewer lanes idle."
	d.Notes = []string{acrossNote, "PDOM with warps of 32 is 1; harmonic means of DIVG. An SM has 512 threads."}
	return d, nil
}

// drawSMs draws the speed against PDOM by the number of SMs, with the same work.
func drawSMs(p Plan) (*Drawing, error) {
	d, err := swept(p, "SMs", "SMs", []int{1, 2, 4, 8, 15, 30}, func(i int) int { return i },
		func(s setup, v int) setup { s.sms = v; return s })
	if err != nil {
		return nil, err
	}
	d.Caption = "The work is the same everywhere: the more SMs, the fewer CTAs each has to hide waits."
	d.Notes = []string{acrossNote, "PDOM with the same SMs is 1; harmonic means of DIVG; channels of memory in the proportion of the preset, at least one. The work is that of the plan for three SMs."}
	return d, nil
}

// drawHeadline draws the headline numbers of all papers.
func drawHeadline(p Plan) (*Drawing, error) {
	d := &Drawing{Table: true, Header: []string{"number", "paper", "theirs", "ours", "least", "most", "ratio", "verdict"}}
	speeds := &chart.Groups{Title: "Speeds", Y: "speed, without = 1", Bars: []string{"ours"}}
	gains := &chart.Groups{Title: "Gains", Y: "%", Bars: []string{"ours"}}
	list := Claims()
	for i := range list {
		c, n := &list[i], list[i].Number
		if n == nil || n.Headline == "" {
			continue
		}
		m, err := n.By(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		var theirs, ratio any = n.Theirs, round(m.Mean / n.Theirs)
		if math.IsNaN(n.Theirs) {
			theirs, ratio = n.theirs(), ""
		}
		d.Rows = append(d.Rows, []any{
			n.Headline, c.Paper.Short(), theirs, round(m.Mean), round(m.Least), round(m.Most), ratio,
			string(n.Verdict(m.Mean)),
		})
		picture := speeds
		if n.Unit == "%" {
			picture = gains
		}
		g := chart.Group{
			Name: n.Headline, Values: [][]float64{{max(m.Mean, 0)}}, Theirs: []float64{n.Theirs},
		}
		if m.Inputs > 1 {
			g.Spread = [][2]float64{{max(m.Least, 0), max(m.Most, 0)}}
		}
		picture.Groups = append(picture.Groups, g)
	}
	d.Charts = chart.Column{speeds, gains}
	d.Caption = "Bars are ours, rings the papers'. Where the ring is far above the bar, claims.md has the reason."
	d.Notes = []string{
		"Theirs are the numbers of the papers' abstracts, results and conclusions; claims.md has all of them. A match is within a quarter of the paper's effect (0.02 of a speed and 2 points at least); order is an effect of the same sign.",
	}
	return d, nil
}
