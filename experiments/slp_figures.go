package experiments

import (
	"fmt"
	"slices"
	"strings"

	"divergo/internal/chart"
	"divergo/isa"
	"divergo/kernels"
	"divergo/testbench"
	"divergo/units"
)

// slpFigures are the figures of SIMD lane permutation.
var slpFigures = []Figure{
	{
		Name: "slp-fig3", Doc: "SIMD utilization without compaction, with TBC, and ideal", Place: "figure 3",
		Planned: drawPotential,
	},
	{
		Name: "slp-fig6", Doc: "branches: which diverge, which have paths to compact, and what TBC compacts",
		Place: "figure 6", Draw: drawBranches,
	},
	{
		Name: "slp-fig11", Doc: "compaction rate of P- and D-branches under each permutation", Place: "figure 11",
		Draw: drawRates,
	},
	{
		Name: "slp-fig12", Doc: "compaction rate of P-branches by the part of the CTA's threads that is active",
		Place: "figure 12", Draw: func() (*Drawing, error) { return drawParts(isa.ClassProgrammatic) },
	},
	{
		Name: "slp-fig13", Doc: "the same of D-branches", Place: "figure 13",
		Draw: func() (*Drawing, error) { return drawParts(isa.ClassData) },
	},
	{
		Name: "slp-fig14", Doc: "SIMD utilization under each permutation, without compaction, and ideal",
		Place: "figure 14", Planned: drawUtilization,
	},
	{
		Name: "slp-fig15", Doc: "speed on CAPRI under each permutation against no compaction", Place: "figure 15",
		Planned: drawPermutations,
	},
	{
		Name: "slp-capri", Doc: "speed of CAPRI against TBC: each kernel, each preset of a paper", Place: "section 5",
		Draw: drawCAPRI,
	},
}

// permuted are the permutations that the figures show.
var permuted = []units.Permutation{
	units.Sequential, units.OddEven, units.XOROddHalf, units.FlipOdd, units.RotateOdd,
	units.WID, units.RevWID, units.Balanced,
}

// benchmark is a benchmark of the paper (table 1), and our equivalent kernel.
type benchmark struct {
	name, kernel string

	// tiled makes the kernel with the original's tiles; nil: its medium size has them, or has none.
	//
	// Machines of tiled kernels have twice the registers. A CTA of 512 threads of FDTD3D needs
	// 18,432 registers, while an SM of table 2 has 16,384. The paper's functional emulator did not
	// check this.
	tiled func() kernels.Workload
}

// benchmarks are the paper's benchmarks with divergent branches. FDTD3D and 3DFD have the same
// kernel.
var benchmarks = []benchmark{
	{name: "BACKP", kernel: "backprop"},
	{name: "LPS", kernel: "laplace"},
	{name: "BFS", kernel: "bfs"},
	{name: "MUM", kernel: "mummer"},
	{name: "BITONIC", kernel: "bitonic"},
	{name: "REDUCT", kernel: "reduction"},
	{name: "MDBROT", kernel: "mandelbrot"},
	{name: "DXTC", kernel: "dxtc"},
	{name: "AOSSORT", kernel: "blocksort"},
	{"FDTD3D", "fdtd3d", func() kernels.Workload { return kernels.NewFDTD3D(100, 40, 8, 32, 16, 1) }},
	{"3DFD", "", func() kernels.Workload { return kernels.NewFDTD3D(100, 40, 8, 16, 16, 1) }},
	{name: "DWTHARR", kernel: "haar"},
	{name: "QSRDM", kernel: "quasirandom"},
	{name: "BINOM", kernel: "binomial"},
	{name: "CONVSEP", kernel: "convolution"},
	{name: "SOBFLT", kernel: "sobel"},
	{name: "SORTNW", kernel: "sortnet"},
	{name: "EIGENVL", kernel: "eigenvalues"},
}

// run runs a benchmark on a machine.
func (b benchmark) run(s setup) (outcome, error) {
	s.wide = b.tiled != nil
	return s.once(b.id(), b.workload)
}

// id names the workload. A kernel in its medium size has the same name as in other figures' runs.
func (b benchmark) id() string {
	if b.tiled != nil {
		return b.name
	}
	return b.kernel + " " + size
}

func (b benchmark) workload() (kernels.Workload, error) {
	if b.tiled != nil {
		return b.tiled(), nil
	}
	return workload(b.kernel, size)
}

// measure measures the paths of a benchmark under the figures' permutations.
func (b benchmark) measure() (*Paths, error) {
	s := slp("tbc", "")
	s.wide = b.tiled != nil
	return s.madeOf(b.id(), b.workload, permuted...)
}

// measureAll measures the paths of all benchmarks under the figures' permutations.
func measureAll() ([]*Paths, error) {
	list := make([]*Paths, len(benchmarks))
	return list, parallel(len(list), func(i int) (err error) {
		list[i], err = benchmarks[i].measure()
		return err
	})
}

// names returns the permutations as column names.
func names() (list []string) {
	for _, p := range permuted {
		list = append(list, string(p))
	}
	return append(list, "ideal")
}

// paperRates are the mean rates in the paper's text.
var paperRates = map[isa.Class]map[string]float64{
	isa.ClassProgrammatic: {"sequential": 3.2, "odd-even": 28.9, "rev-wid": 52.8, "balanced": 71.5, "ideal": 72.7},
	isa.ClassData:         {"sequential": 42.5, "ideal": 64.4},
}

func drawRates() (*Drawing, error) {
	measured, err := measureAll()
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: append([]string{"benchmark", "class", "paths"}, names()...)}
	for _, class := range []isa.Class{isa.ClassProgrammatic, isa.ClassData} {
		picture := &chart.Groups{Title: "Compaction rate of " + class.String() + "-branches", Y: "%", Bars: names()}
		mean, n := make([]float64, len(permuted)+1), 0.
		add := func(name string, paths any, rates []float64, paper map[string]float64) {
			cells, bars := []any{name, class.String(), paths}, [][]float64(nil)
			for _, rate := range rates {
				cells, bars = append(cells, round(rate)), append(bars, []float64{rate})
			}
			d.Rows = append(d.Rows, cells)
			picture.Groups = append(picture.Groups, chart.Group{
				Name: name, Values: bars, Theirs: theirs{name: paper}.of(name, names()),
				Mean: slices.Contains(means, name),
			})
		}
		for i, b := range benchmarks {
			all := measured[i].Total(class).All
			if all.Paths == 0 {
				continue
			}
			var rates []float64
			for i := range permuted {
				rates = append(rates, 100*all.Rate(all.Under(permuted[i])))
			}
			rates = append(rates, 100*all.Rate(all.Ideal))
			if add(b.name, all.Paths, rates, nil); class == isa.ClassProgrammatic &&
				!slices.Contains(compactable, b.name) {
				continue
			}
			for i := range mean {
				mean[i] += rates[i]
			}
			n++
		}
		for i := range mean {
			mean[i] /= n
		}
		add("mean", "", mean, paperRates[class])
		d.Charts = append(d.Charts, picture)
	}
	d.Notes = []string{
		"Theirs: P-branches 3.2 as they are, Odd_Even 28.9, Rev_WID 52.8, Balanced 71.5, ideal 72.7, of the ten benchmarks with some to compact; D-branches 42.5 as they are, ideal 64.4, of nine.",
		"The mean of P-branches is of the same ten: " + strings.Join(compactable, ", ") +
			". All are in their medium size.",
		"Same: the order of the permutations, and that P-branches do not compact as they are; BFS, MUM, BITONIC and AOSSORT have D-branches that do.",
	}
	d.Caption = "Compare P-branches under sequential lanes with Balanced, and Balanced with ideal."
	return d, nil
}

// drawParts draws the rate in each quarter of the active share, for Odd_Even, Rev_WID, Balanced and
// ideal compaction.
func drawParts(class isa.Class) (*Drawing, error) {
	shown := []units.Permutation{units.Sequential, units.OddEven, units.RevWID, units.Balanced}
	d := &Drawing{Header: []string{
		"benchmark", "active threads", "paths", "sequential", "odd-even", "rev-wid",
		"balanced", "ideal",
	}}
	measured, err := measureAll()
	if err != nil {
		return nil, err
	}
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
	for i, b := range benchmarks {
		t := measured[i].Total(class)
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
	d.Charts = chart.Column{&chart.Lines{
		Title: "all paths, by quarters of the CTA that are active", X: "quarter",
		Y: "compaction rate (%)", Series: series,
	}}
	d.Notes = []string{
		"Theirs: where half of the threads or more are active Rev_WID misses what Balanced compacts (BITONIC, REDUCT, MDBROT, AOSSORT, QSRDM); with D-branches no permutation costs more than 1 %. The bars are lost.",
		"The last rows are of all paths together, in which a benchmark with many counts for more.",
	}
	d.Caption = "Compare Balanced with Rev_WID to the right, where half of the threads or more are active."
	return d, nil
}

// utilized runs the benchmarks' kernels on the paper's machine, for each input of a plan: without
// compaction, with ideal compaction, and under each permutation.
func utilized(p Plan, mechanism string) (of [][][]testbench.Counters, err error) {
	machines := append([]setup{slp("pdom", units.Sequential), slp("tbc-ideal", units.Sequential)}, lanes(mechanism)...)
	for _, seed := range p.seeds() {
		all, err := counted(kernelsOf(timed), size, on(seed, machines))
		if err != nil {
			return nil, err
		}
		of = append(of, all)
	}
	return of, nil
}

// timed are the benchmarks with a built-in kernel.
var timed = slices.DeleteFunc(slices.Clone(benchmarks), func(b benchmark) bool { return b.kernel == "" })

// lanes returns a machine for each permutation.
func lanes(mechanism string) (list []setup) {
	for _, p := range permuted {
		list = append(list, slp(mechanism, p))
	}
	return list
}

// table makes and draws a row for each benchmark, and one of means, of some inputs. value returns that of
// input n, benchmark k and column i.
func table(title, y string, columns []string, paper map[string]float64, mean func([]float64) float64,
	inputs int, value func(n, k, i int) float64,
) *Drawing {
	d := &Drawing{Header: header(inputs, []string{"benchmark"}, columns)}
	picture := &chart.Groups{Title: title, Y: y, Bars: columns}
	means := make([][]float64, inputs)
	for k, b := range timed {
		of := make([][]float64, inputs)
		for n := range of {
			for i := range columns {
				of[n] = append(of[n], value(n, k, i))
			}
		}
		d.bars(picture, []any{b.name}, b.name, of, nil)
	}
	for n := range means {
		for i := range columns {
			var all []float64
			for k := range timed {
				all = append(all, value(n, k, i))
			}
			means[n] = append(means[n], mean(all))
		}
	}
	d.bars(picture, []any{"mean"}, "mean", means, theirs{"mean": paper})
	d.Charts = chart.Column{picture}
	return d
}

func arithmetic(list []float64) (mean float64) {
	for _, v := range list {
		mean += v / float64(len(list))
	}
	return mean
}

func harmonic(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += 1 / v
	}
	return float64(len(list)) / sum
}

// columns returns the column names: no compaction, ideal, and the permutations.
func columns() []string {
	list := []string{"none", "tbc-ideal"}
	for _, p := range permuted {
		list = append(list, string(p))
	}
	return list
}

// tableOne holds the instructions of the benchmarks in table 1, in thousands.
var tableOne = map[string]float64{
	"BACKP": 1000, "LPS": 985, "BFS": 256, "MUM": 2700, "BITONIC": 2, "REDUCT": 44, "MDBROT": 8300, "DXTC": 955,
	"AOSSORT": 39,
	"FDTD3D":  71000, "SORTNW": 2000, "EIGENVL": 6700, "3DFD": 29, "DWTHARR": 2, "QSRDM": 3100, "BINOM": 176,
	"CONVSEP": 204, "SOBFLT": 575,
}

func drawPotential(p Plan) (*Drawing, error) {
	of, err := utilized(p, "tbc")
	if err != nil {
		return nil, err
	}
	at := []int{0, 2, 1}
	d := table("SIMD utilization", "%", []string{"No-TBC", "TBC", "TBC ideal"}, nil, arithmetic,
		len(of), func(n, k, i int) float64 { return 100 * efficiency(&of[n][k][at[i]]) })
	d.Header = append(d.Header, "instructions in table 1 (K)", "ours (K)")
	for k, b := range timed {
		d.Rows[k] = append(d.Rows[k], tableOne[b.name], round(float64(of[0][k][0].Instructions)/1000))
	}
	last := len(timed)
	d.Rows[last] = append(d.Rows[last], "", "")
	noticeable, little := 0, 0
	for k := range timed {
		switch gain := efficiency(&of[0][k][1]) / efficiency(&of[0][k][0]); {
		case gain >= 1.02:
			noticeable++
		case gain > 1.001:
			little++
		}
	}
	d.Notes = []string{
		"Theirs: with ideal compaction 11 of 18 gain noticeably and 3 less than 2 %; FDTD3D 17 %, LPS 13 %; TBC comes near to ideal for none.",
		"Instructions are those of warps here, in the medium size without compaction; the paper does not say of what its are. Branches of each class are in slp-fig6.",
		fmt.Sprintf("With ideal compaction %d of %d gain 2 %% or more, and %d less.", noticeable, len(timed), little),
	}
	d.Caption = "Look at the distance from TBC to TBC ideal: it is what the fixed lanes of threads cost."
	return d, nil
}

func drawUtilization(p Plan) (*Drawing, error) {
	of, err := utilized(p, "tbc")
	if err != nil {
		return nil, err
	}
	d := table("SIMD utilization, TBC", "%", columns(), nil, arithmetic,
		len(of), func(n, k, i int) float64 { return 100 * efficiency(&of[n][k][i]) })
	d.Notes = []string{
		"Theirs: Balanced 11.3 % over no compaction and 7.1 % over TBC as it is, at most 34 %; Odd_Even 6 % and 2.1 %; Rev_WID 8.8 % and 4.8 %, up to 14.3 % behind the best; FDTD3D and LPS 17 % and 13 % with ideal compaction.",
	}
	d.Caption = "Compare Balanced, the last bar, with the highest of its group."
	return d, nil
}

func drawPermutations(p Plan) (*Drawing, error) {
	of, err := utilized(p, "capri")
	if err != nil {
		return nil, err
	}
	d := table("Speed on CAPRI", "speed, no compaction = 1", columns(), map[string]float64{"balanced": 1.116}, harmonic,
		len(of), func(n, k, i int) float64 { return speed(&of[n][k][0], &of[n][k][i]) })
	d.Notes = []string{
		"Theirs: Balanced 1.116 over no compaction and 1.07 over CAPRI as it is (harmonic means of eight), BITONIC 1.256 and BACKP 1.152 over CAPRI; MUM, BFS, DXTC and EIGENVL lose 0.3 %.",
		"tbc-ideal is no hardware, and not in the paper's figure. CTAs by sticky round robin in all.",
	}
	d.Caption = "Compare permutations with sequential lanes on BITONIC, REDUCT, BACKP and MDBROT, whose branches are aligned."
	return d, nil
}

// drawBranches draws the branches executed by CTAs, and the compaction rates of TBC and of threads
// that can take any lane.
func drawBranches() (*Drawing, error) {
	d := &Drawing{Header: []string{
		"benchmark", "branches", "divergent (%)", "P of them (%)", "P TBC (%)",
		"P ideal (%)", "D TBC (%)", "D ideal (%)",
	}}
	executed := &chart.Groups{
		Title: "(a, b) Executions of branches", Y: "%", Bars: []string{"branches"},
		Layers: []string{"not divergent", "P-branches", "D-branches"},
	}
	rates := &chart.Groups{
		Title: "(c) Compaction rate", Y: "% of paths",
		Bars: []string{"P TBC", "P ideal", "D TBC", "D ideal"},
	}
	measured := make([]*Paths, len(benchmarks))
	err := parallel(len(measured), func(i int) (err error) {
		measured[i], err = pathsOnce(benchmarks[i].id(), benchmarks[i].workload)
		return err
	})
	if err != nil {
		return nil, err
	}
	var p, none, more, data int
	for i, b := range benchmarks {
		paths := measured[i]
		of := [2]Tally{paths.Total(isa.ClassProgrammatic), paths.Total(isa.ClassData)}
		all := float64(max(of[0].Instances+of[1].Instances, 1))
		divergent := float64(of[0].Divergent + of[1].Divergent)
		share := []float64{
			100 * (all - divergent) / all, 100 * float64(of[0].Divergent) / all,
			100 * float64(of[1].Divergent) / all,
		}
		cells := []any{
			b.name, int(all), round(100 * divergent / all),
			round(100 * float64(of[0].Divergent) / max(divergent, 1)),
		}
		var bars [][]float64
		for i := range of {
			for _, need := range []func(w *Warps) Need{
				func(w *Warps) Need { return w.Under(units.Sequential) },
				func(w *Warps) Need { return w.Ideal },
			} {
				rate := 0.0
				if of[i].All.Paths > 0 {
					rate = 100 * of[i].All.Rate(need(&of[i].All))
				}
				cells, bars = append(cells, round(rate)), append(bars, []float64{rate})
			}
		}
		if of[0].Divergent > 0 {
			p++
			if bars[0][0] == 0 {
				none++
			}
			if bars[0][0] == 0 && bars[1][0] > 0 {
				more++
			}
		}
		if of[1].Divergent > 0 {
			data++
		}
		d.Rows = append(d.Rows, cells)
		executed.Groups = append(executed.Groups, chart.Group{Name: b.name, Values: [][]float64{share}})
		rates.Groups = append(rates.Groups, chart.Group{Name: b.name, Values: bars})
	}
	d.Charts = chart.Column{executed, rates}
	d.Notes = []string{
		"Theirs: of 18 benchmarks 15 have divergent P-branches and 9 D-branches; TBC compacts none of the P-branches in 13, of which 8 could be compacted.",
		fmt.Sprintf("Of %d: %d and %d; TBC compacts none of the P-branches in %d, of which %d could be compacted. An execution is one by a CTA.", len(benchmarks), p, data, none, more),
	}
	return d, nil
}
