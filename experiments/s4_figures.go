package experiments

import (
	"strings"

	"divergo/internal/chart"
	"divergo/sm"
	"divergo/testbench"
)

// fung is what the figures of S4 are of.
const fung = "Fung & Aamodt, Thread Block Compaction for Efficient SIMT Control Flow, HPCA 2011, "

// s4Figures are those of thread block compaction.
var s4Figures = []Figure{
	{"s4-fig5", "SIMD efficiency without compaction, branches and stack of each kernel", fung + "figure 5 and table 3", drawCharacter},
	{"s4-fig11", "speed of likely-convergence points, on PDOM and on TBC", fung + "figure 11", drawLikely},
	{"s4-fig12", "speed of TBC, DWF and DWF with warp barriers against PDOM", fung + "figure 12", drawMechanisms},
	{"s4-fig15", "speed of TBC under each priority of CTAs against PDOM", fung + "figure 15", drawPriorities},
	{"s4-fig16", "traffic between an SM and the memory system with TBC against PDOM", fung + "figure 16", drawTraffic},
}

// suite is the kernels that the figures of Fung & Aamodt and Rhu & Erez are made
// with: those of the papers that we have an equivalent of, by the papers' names,
// then others of ours whose branches diverge or are many. None is left out for what
// comes of it; loop1, loop2 and queens are one warp or recursion, and those with the
// herding benchmarks' small grids are not here.
var suite = []struct{ kernel, theirs string }{
	{"bfs", "BFS2"},
	{"laplace", "LPS"},
	{"backprop", "BACKP"},
	{"bitonic", "BITONIC"},
	{"reduction", "REDUCT"},
	{"mandelbrot", "MDBROT"},
	{"quasirandom", "QSRDM"},
	{"convolution", "CONVSEP"},
	{"sobel", "SOBFLT"},
	{"blocksort", "AOSSORT"},
	{"histogram", ""},
	{"matmul", ""},
	{"volumerender", ""},
}

// size is the one that figures run: the second.
const size = "medium"

// compared are the counters of each kernel of the suite on some machines.
func compared(machines ...setup) (all [][]testbench.Counters, err error) {
	for _, k := range suite {
		row := make([]testbench.Counters, len(machines))
		for i, m := range machines {
			if row[i], err = m.run(k.kernel, size); err != nil {
				return nil, err
			}
		}
		all = append(all, row)
	}
	return all, nil
}

// ratios draws values of the kernels against the first machine's: a row for each, and
// means of those that diverge, whose SIMD efficiency on the first machine is below
// 76 % (section 2.2.2), of the others, and of all.
func ratios(value func(base, other *testbench.Counters) float64, names []string, machines ...setup) (*Drawing, error) {
	all, err := compared(machines...)
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: append([]string{"kernel", "in the papers", "set"}, names...)}
	series := make([]chart.Series, len(names))
	inverse, count := map[string][]float64{}, map[string]int{}
	for k, row := range all {
		set := "COHE"
		if efficiency(&row[0]) < .76 {
			set = "DIVG"
		}
		cells := []any{suite[k].kernel, suite[k].theirs, set}
		for _, group := range []string{set, "all"} {
			if count[group]++; inverse[group] == nil {
				inverse[group] = make([]float64, len(names))
			}
		}
		for i := range names {
			v := value(&row[0], &row[i+1])
			cells = append(cells, round(v))
			series[i].Name, series[i].X, series[i].Y = names[i], append(series[i].X, float64(k+1)), append(series[i].Y, v)
			inverse[set][i] += 1 / v
			inverse["all"][i] += 1 / v
		}
		d.Rows = append(d.Rows, cells)
	}
	for _, group := range []string{"DIVG", "COHE", "all"} {
		if count[group] == 0 {
			continue
		}
		cells := []any{"harmonic mean", "", group}
		for i := range names {
			cells = append(cells, round(float64(count[group])/inverse[group][i]))
		}
		d.Rows = append(d.Rows, cells)
	}
	d.Charts = chart.Column{&chart.Lines{Title: "kernels in the order of the table", X: "kernel", Y: "against the first machine", Series: series}}
	return d, nil
}

func round(v float64) float64 { return float64(int(v*1000+.5)) / 1000 }

// speed is the cycles of a base over those of another machine.
func speed(base, other *testbench.Counters) float64 {
	return float64(base.Cycles) / float64(other.Cycles)
}

func drawMechanisms() (*Drawing, error) {
	d, err := ratios(speed, []string{"TBC", "DWF", "DWF-WB"}, paperPDOM, paperTBC, paperDWF, paperWB)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs, harmonic means: DIVG TBC 1.22, DWF 1.04 (1.22 / 1.17), DWF-WB 1.15 (1.22 / 1.06); all TBC 1.10, DWF-WB 1.00; COHE TBC 1.00.",
		"TBC has likely-convergence points and CTAs by age, DWF takes the majority, PDOM has neither, as in section 6.",
		"Same: TBC gains on BFS2, and DWF gains there and loses on LPS and on coherent kernels, which warp barriers repair.",
		"Different: TBC gains less in the mean of DIVG. Of these kernels the paper has BFS2 alone; bitonic, reduction and blocksort diverge in alignment with their lanes, which it cannot compact (Rhu & Erez, ISCA 2013, section 3.3): with sm.lanes=balanced bitonic takes 76,774 cycles and not 96,826. LPS is coherent here, with 85 % of its lanes active.",
		"histogram loses by AGE, under which it waits for memory: with sm.cta_priority=none TBC takes 36,545 cycles and PDOM 36,688.",
	}
	return d, nil
}

func drawPriorities() (*Drawing, error) {
	machines, names := []setup{paperPDOM}, []string(nil)
	for _, p := range []sm.CTAPriority{sm.PriorityAge, sm.PriorityRRB, sm.PrioritySRR, sm.PriorityNone} {
		m := paperTBC
		m.priority = p
		machines, names = append(machines, m), append(names, strings.ToUpper(string(p)))
	}
	d, err := ratios(speed, names, machines...)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: AGE is the best on the whole, and loses on LPS, NAMD and LIB at the end of a launch; SRR is robust; the numbers are in the lost figure.",
		"PDOM is under loose round robin. AGE is faster than that under PDOM as well (vecadd: 1762 cycles, not 2068), so that a part of its gain is not compaction's.",
	}
	return d, nil
}

func drawTraffic() (*Drawing, error) {
	bytes := func(c *testbench.Counters) float64 { return float64(c.Requests.Bytes + c.Responses.Bytes) }
	rrb := paperTBC
	rrb.priority = sm.PriorityRRB
	d, err := ratios(func(base, other *testbench.Counters) float64 { return bytes(other) / bytes(base) }, []string{"TBC AGE", "TBC RRB"}, paperPDOM, paperTBC, rrb)
	if err != nil {
		return nil, err
	}
	d.Notes = []string{"Theirs: within 7 % of PDOM, but for DG, 2.67 with AGE in the texture cache, which we have not."}
	return d, nil
}

func drawLikely() (*Drawing, error) {
	lcp := func(mechanism string, priority sm.CTAPriority) setup {
		return setup{preset: "tbc2011", mechanism: mechanism, priority: priority}
	}
	d := &Drawing{Header: []string{"kernel", "PDOM-LCP over PDOM", "TBC-LCP over TBC", "depth PDOM", "depth PDOM-LCP", "depth TBC", "depth TBC-LCP"}}
	machines := []setup{lcp("pdom", sm.PriorityNone), lcp("pdom-lcp", sm.PriorityNone), lcp("tbc", sm.PriorityAge), lcp("tbc-lcp", sm.PriorityAge)}
	all, err := compared(machines...)
	if err != nil {
		return nil, err
	}
	var pdom, tbc chart.Series
	for k, row := range all {
		cells := []any{suite[k].kernel, round(speed(&row[0], &row[1])), round(speed(&row[2], &row[3]))}
		for i := range row {
			cells = append(cells, row[i].Divergence.MaxDepth)
		}
		d.Rows = append(d.Rows, cells)
		pdom.X, pdom.Y = append(pdom.X, float64(k+1)), append(pdom.Y, speed(&row[0], &row[1]))
		tbc.X, tbc.Y = append(tbc.X, float64(k+1)), append(tbc.Y, speed(&row[2], &row[3]))
	}
	pdom.Name, tbc.Name = "PDOM", "TBC"
	d.Charts = chart.Column{&chart.Lines{Title: "kernels in the order of the table", X: "kernel", Y: "with over without", Series: []chart.Series{pdom, tbc}}}
	d.Notes = []string{
		"Theirs: MUM 1.05 on PDOM and 1.02 on TBC, NVRT 1.14 and 1.30; no other benchmark has such points.",
		"Ours that have them are those with a break out of a loop, which our compiler turns into two exits to one place, the post-dominator; the suffix trees and the ray tracer of the paper are not in the suite.",
	}
	return d, nil
}

func drawCharacter() (*Drawing, error) {
	d := &Drawing{Header: []string{"kernel", "in the papers", "SIMD efficiency (%)", "set", "divergent branches (%)", "depth PDOM", "depth TBC-LCP", "theirs"}}
	depth := map[string]string{"BFS2": "DIVG, 3", "LPS": "DIVG, 5", "BACKP": "COHE, 2"}
	all, err := compared(paperPDOM, paperTBC)
	if err != nil {
		return nil, err
	}
	var s chart.Series
	for k, row := range all {
		e, set := 100*efficiency(&row[0]), "COHE"
		if e < 76 {
			set = "DIVG"
		}
		c := &row[0].Divergence
		d.Rows = append(d.Rows, []any{
			suite[k].kernel, suite[k].theirs, round(e), set, round(100 * float64(c.Divergent) / float64(max(c.Branches, 1))),
			c.MaxDepth, row[1].Divergence.MaxDepth, depth[suite[k].theirs],
		})
		s.X, s.Y = append(s.X, float64(k+1)), append(s.Y, e)
	}
	s.Name = "PDOM"
	d.Charts = chart.Column{&chart.Lines{Title: "SIMD efficiency, kernels in the order of the table", X: "kernel", Y: "%", Series: []chart.Series{s}}}
	d.Notes = []string{"Theirs is the set of figure 5 and the entries of table 3 where the paper has the kernel; the bars of the figure are lost."}
	return d, nil
}
