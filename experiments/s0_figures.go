package experiments

import (
	"divergo/internal/chart"
	"divergo/isa"
	"divergo/units"
)

// rhu is what the figures of S0 are of.
const rhu = "Rhu & Erez, Maximizing SIMD Resource Utilization in GPGPUs with SIMD Lane Permutation, ISCA 2013, "

// s0Figures are those of SIMD lane permutation.
var s0Figures = []Figure{
	{"s0-fig11", "compaction rate of P- and D-branches under each permutation", rhu + "figure 11", drawRates},
	{"s0-fig12", "compaction rate of P-branches by the part of the CTA's threads that is active", rhu + "figure 12", func() (*Drawing, error) { return drawParts(isa.ClassProgrammatic) }},
	{"s0-fig13", "the same of D-branches", rhu + "figure 13", func() (*Drawing, error) { return drawParts(isa.ClassData) }},
	{"s0-fig14", "SIMD utilization under each permutation, without compaction, and ideal", rhu + "figure 14", drawUtilization},
	{"s0-fig15", "speed on CAPRI under each permutation against no compaction", rhu + "figure 15", drawPermutations},
}

// permuted are the permutations that the figures show.
var permuted = []units.Permutation{units.Sequential, units.OddEven, units.XOROddHalf, units.FlipOdd, units.RotateOdd, units.WID, units.RevWID, units.Balanced}

// benchmarks are those of the paper that we have an equivalent of, in the size that
// the claims have.
var benchmarks = []struct {
	name    string
	measure func() (*Paths, error)
}{
	{"BACKP", backprop},
	{"LPS", laplace},
	{"BFS", func() (*Paths, error) { return pathsIn("bfs") }},
	{"BITONIC", bitonic},
	{"REDUCT", reduction},
	{"MDBROT", mandelbrot},
	{"DXTC", func() (*Paths, error) { return pathsIn("dxtc") }},
	{"AOSSORT", blocksort},
	{"FDTD3D", fdtd3d},
	{"3DFD", fd3d},
	{"DWTHARR", dwtharr},
	{"QSRDM", quasirandom},
	{"BINOM", binom},
	{"CONVSEP", convolution},
	{"SOBFLT", sobel},
}

// names of the permutations, as columns.
func names() (list []string) {
	for _, p := range permuted {
		list = append(list, string(p))
	}
	return append(list, "ideal")
}

func drawRates() (*Drawing, error) {
	d := &Drawing{Header: append([]string{"benchmark", "class", "paths"}, names()...)}
	var series []chart.Series
	for _, class := range []isa.Class{isa.ClassProgrammatic, isa.ClassData} {
		mean, n := make([]float64, len(permuted)+1), 0.
		for _, b := range benchmarks {
			paths, err := b.measure()
			if err != nil {
				return nil, err
			}
			all := paths.Total(class).All
			if all.Paths == 0 {
				continue
			}
			cells := []any{b.name, class.String(), all.Paths}
			for i := range permuted {
				rate := 100 * all.Rate(all.Under(permuted[i]))
				cells, mean[i] = append(cells, round(rate)), mean[i]+rate
			}
			ideal := 100 * all.Rate(all.Ideal)
			mean[len(permuted)] += ideal
			n++
			d.Rows = append(d.Rows, append(cells, round(ideal)))
		}
		cells, s := []any{"mean", class.String(), ""}, chart.Series{Name: class.String() + "-branches"}
		for i := range mean {
			cells = append(cells, round(mean[i]/n))
			s.X, s.Y = append(s.X, float64(i+1)), append(s.Y, mean[i]/n)
		}
		d.Rows, series = append(d.Rows, cells), append(series, s)
	}
	d.Charts = chart.Column{&chart.Lines{Title: "mean compaction rate, permutations in the order of the table", X: "permutation", Y: "%", Series: series}}
	d.Notes = []string{
		"Theirs: P-branches 3.2 as they are, Odd_Even 28.9, Rev_WID 52.8, Balanced 71.5, ideal 72.7, of the ten benchmarks with some to compact; D-branches 42.5 as they are, ideal 64.4, of nine.",
		"The means here are of all benchmarks in the table, DWTHARR, BINOM and CONVSEP included, which have nothing to compact.",
		"Same: the order of the permutations, and that P-branches do not compact as they are; BFS, BITONIC and AOSSORT have D-branches that do.",
	}
	return d, nil
}

// drawParts is the rate in each quarter of the active part, of Odd_Even, Rev_WID,
// Balanced and ideal.
func drawParts(class isa.Class) (*Drawing, error) {
	shown := []units.Permutation{units.Sequential, units.OddEven, units.RevWID, units.Balanced}
	d := &Drawing{Header: []string{"benchmark", "active threads", "paths", "sequential", "odd-even", "rev-wid", "balanced", "ideal"}}
	var sum [4]Warps
	rows := func(name string, quartiles *[4]Warps) {
		for q, part := range [...]string{"below 1/4", "1/4 to 1/2", "1/2 to 3/4", "3/4 and more"} {
			w := &quartiles[q]
			if w.Paths == 0 {
				continue
			}
			cells := []any{name, part, w.Paths}
			for _, p := range shown {
				cells = append(cells, round(100*w.Rate(w.Under(p))))
			}
			d.Rows = append(d.Rows, append(cells, round(100*w.Rate(w.Ideal))))
		}
	}
	for _, b := range benchmarks {
		paths, err := b.measure()
		if err != nil {
			return nil, err
		}
		t := paths.Total(class)
		rows(b.name, &t.Quartiles)
		for q := range sum {
			sum[q].Add(&t.Quartiles[q])
		}
	}
	rows("all paths", &sum)
	var series []chart.Series
	for _, p := range shown {
		s := chart.Series{Name: string(p)}
		for q := range sum {
			if sum[q].Paths > 0 {
				s.X, s.Y = append(s.X, float64(q+1)), append(s.Y, 100*sum[q].Rate(sum[q].Under(p)))
			}
		}
		series = append(series, s)
	}
	d.Charts = chart.Column{&chart.Lines{Title: "all paths, by quarters of the CTA that are active", X: "quarter", Y: "compaction rate (%)", Series: series}}
	d.Notes = []string{
		"Theirs: where half of the threads or more are active Rev_WID misses what Balanced compacts (BITONIC, REDUCT, MDBROT, AOSSORT, QSRDM); with D-branches no permutation costs more than 1 %. The bars are lost.",
		"The last rows are of all paths together, in which a benchmark with many counts for more.",
	}
	return d, nil
}

// utilized runs the kernels of the suite that the paper has on its machine.
func utilized(mechanism string) (of [][]float64, cycles [][]uint64, err error) {
	for _, k := range suite {
		var e []float64
		var n []uint64
		for _, s := range append([]setup{slp("pdom", units.Sequential), slp("tbc-ideal", units.Sequential)}, lanes(mechanism)...) {
			c, err := s.run(k.kernel, "small")
			if err != nil {
				return nil, nil, err
			}
			e, n = append(e, efficiency(&c)), append(n, c.Cycles)
		}
		of, cycles = append(of, e), append(cycles, n)
	}
	return of, cycles, nil
}

// lanes is a machine for each permutation.
func lanes(mechanism string) (list []setup) {
	for _, p := range permuted {
		list = append(list, slp(mechanism, p))
	}
	return list
}

// table makes a row for each kernel of the suite, and one of means, of no compaction,
// ideal, and each permutation.
func table(value func(k, i int) float64) *Drawing {
	d := &Drawing{Header: []string{"kernel", "in the papers", "none", "tbc-ideal"}}
	for _, p := range permuted {
		d.Header = append(d.Header, string(p))
	}
	n := len(permuted) + 2
	mean := chart.Series{Name: "mean", X: make([]float64, n), Y: make([]float64, n)}
	for k := range suite {
		cells := []any{suite[k].kernel, suite[k].theirs}
		for i := range n {
			v := value(k, i)
			cells = append(cells, round(v))
			mean.X[i] = float64(i + 1)
			mean.Y[i] += v / float64(len(suite))
		}
		d.Rows = append(d.Rows, cells)
	}
	cells := []any{"mean", ""}
	for _, v := range mean.Y {
		cells = append(cells, round(v))
	}
	d.Rows = append(d.Rows, cells)
	d.Charts = chart.Column{&chart.Lines{Title: "mean, columns in the order of the table", X: "column", Y: "", Series: []chart.Series{mean}}}
	return d
}

func drawUtilization() (*Drawing, error) {
	of, _, err := utilized("tbc")
	if err != nil {
		return nil, err
	}
	d := table(func(k, i int) float64 { return 100 * of[k][i] })
	d.Notes = []string{
		"Theirs: Balanced 11.3 % over no compaction and 7.1 % over TBC as it is, at most 34 %; Odd_Even 6 % and 2.1 %; Rev_WID 8.8 % and 4.8 %, up to 14.3 % behind the best; FDTD3D and LPS 17 % and 13 % with ideal compaction.",
		"The mean here is over coherent kernels, too, which the paper's 18 are not.",
	}
	return d, nil
}

func drawPermutations() (*Drawing, error) {
	_, cycles, err := utilized("capri")
	if err != nil {
		return nil, err
	}
	d := table(func(k, i int) float64 { return float64(cycles[k][0]) / float64(cycles[k][i]) })
	d.Notes = []string{
		"Theirs: Balanced 1.116 over no compaction and 1.07 over CAPRI as it is (harmonic means of eight), BITONIC 1.256 and BACKP 1.152 over CAPRI; MUM, BFS, DXTC and EIGENVL lose 0.3 %.",
		"tbc-ideal is no hardware, and not in the paper's figure. CTAs by sticky round robin in all.",
	}
	return d, nil
}
