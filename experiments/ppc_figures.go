package experiments

import (
	"fmt"
	"slices"

	"divergo/internal/chart"
	"divergo/kernels"
	"divergo/sm"
	"divergo/testbench"
)

// ppcFigures are the figures of paired-path comparison.
var ppcFigures = []Figure{
	{
		Name: "ppc-fig6", Doc: "activity factor of unstructured kernels: post-dominators, and paired paths",
		Place: "figure 6", Draw: drawUnstructured,
	},
	{
		Name: "ppc-exit", Doc: "activity factor of unstructured kernels by how often their tests leave a way early",
		Place: "figure 6", Draw: drawExits,
	},
	{
		Name: "ppc-fig7", Doc: "activity factor of structured kernels: reconvergence explicit and implicit",
		Place: "figure 7", Draw: drawStructured,
	},
	{
		Name: "ppc-fig8", Doc: "executed instructions of the implicit scheme against the explicit one", Place: "figure 8",
		Draw: drawExecuted,
	},
}

var (
	unstructuredKernels = []string{"shortcircuit", "exceptions", "gotos", "coroutine"}
	structuredKernels   = []string{
		"pathfinder", "bfs", "backprop", "hotspot", "bitonic", "reduction", "binomial",
		"mandelbrot", "histogram", "quasirandom",
	}
)

// paired returns a machine of the paper, with warps of 16.
func paired(mechanism string) setup {
	return setup{preset: "ppc", mechanism: mechanism, priority: sm.PriorityNone}
}

// activity returns the activity factor: the active share of the lanes in an instruction of the
// kernel, in per cent.
func activity(c *testbench.Counters) float64 {
	return 100 * float64(c.Lanes) / float64(c.Instructions) / 16
}

// factors draws a value of each kernel on each machine, and the means.
func factors(title, y string, list, names []string, paper theirs, value func(c []testbench.Counters, i int) float64,
	machines ...setup,
) (*Drawing, error) {
	d := &Drawing{Header: append([]string{"kernel"}, names...)}
	picture := &chart.Groups{Title: title, Y: y, Bars: names}
	add := func(name string, values []float64) {
		cells, bars := []any{name}, [][]float64(nil)
		for _, v := range values {
			cells, bars = append(cells, round(v)), append(bars, []float64{v})
		}
		d.Rows = append(d.Rows, cells)
		picture.Groups = append(picture.Groups, chart.Group{
			Name: name, Values: bars, Theirs: paper.of(name, names), Mean: slices.Contains(means, name),
		})
	}
	all, err := counted(list, size, machines)
	if err != nil {
		return nil, err
	}
	mean := make([]float64, len(names))
	for k, kernel := range list {
		var values []float64
		for i := range names {
			v := value(all[k], i)
			values, mean[i] = append(values, v), mean[i]+v/float64(len(list))
		}
		add(kernel, values)
	}
	add("mean", mean)
	d.Charts = chart.Column{picture}
	return d, nil
}

func drawUnstructured() (*Drawing, error) {
	factor := func(c []testbench.Counters, i int) float64 { return activity(&c[i]) }
	d, err := factors("Activity factor of unstructured kernels", "%", unstructuredKernels,
		[]string{"IPDOM", "PPC", "PTPC"}, nil, factor, paired("pdom"), paired("ppc"), paired("ptpc"))
	if err != nil {
		return nil, err
	}
	mean := d.Rows[len(d.Rows)-1]
	ipdom, ppc := mean[1].(float64), mean[2].(float64)
	d.Notes = []string{
		"Theirs: 13.36 % more with paired paths, in the mean of three micro-benchmarks, whose code is not printed.",
		fmt.Sprintf("%.1f %% more in the mean. PTPC, a comparator for each thread, has what any comparison could find: a pair looks at the innermost branch alone, and where the way that others leave for lies behind several branches, it waits as long as the post-dominator.", 100*(ppc/ipdom-1)),
	}
	return d, nil
}

// drawExits sweeps the probability with which a test of the unstructured kernels leaves its way early.
// The paper's code is not printed, so that its own probability is unknown.
func drawExits() (*Drawing, error) {
	d := &Drawing{Header: []string{"exits, 1 of"}}
	gain := &chart.Lines{
		Title: "Activity factor, paired paths against post-dominators", X: "tests for each early exit, log2", Y: "gain (%)",
	}
	d.Header = append(append(d.Header, unstructuredKernels...), "mean")
	series := make([]chart.Series, len(unstructuredKernels)+1)
	for i, name := range d.Header[1:] {
		series[i].Name = name
	}
	for x := 1; x <= 8; x++ {
		row, mean := []any{1 << x}, [2]float64{}
		for i, kernel := range unstructuredKernels {
			var factor [2]float64
			for m, mechanism := range []string{"pdom", "ppc"} {
				o, err := paired(mechanism).once(fmt.Sprint(kernel, " exit ", x), func() (kernels.Workload, error) {
					return kernels.NewEarlyExits(kernel, 2000, 256, 24, 1<<x, 1)
				})
				if err != nil {
					return nil, err
				}
				factor[m] = activity(&o.Counters)
				mean[m] += factor[m]
			}
			row = append(row, gained(&series[i], x, factor))
		}
		d.Rows = append(d.Rows, append(row, gained(&series[len(unstructuredKernels)], x, mean)))
	}
	gain.Series = append(series, chart.Series{
		Name: "the paper's mean, unknown exits", X: []float64{1, 8}, Y: []float64{13.36, 13.36},
	})
	d.Charts = chart.Column{gain}
	d.Notes = []string{
		"Theirs: 13.36 % in the mean of three micro-benchmarks, whose code and probabilities are not printed.",
		"Jumps and the coroutine gain most where a round of a warp of 16 has about one exit, 1 of 16 to 32. Exceptions gain nothing: their handler lies behind several branches, and a pair is compared with its sibling alone. Short circuits gain where half of all parts lead to the same code.",
	}
	return d, nil
}

// gained adds the gain of a pair of activity factors to a line, in per cent.
func gained(s *chart.Series, x int, factor [2]float64) float64 {
	gain := 100 * (factor[1]/factor[0] - 1)
	s.X, s.Y = append(s.X, float64(x)), append(s.Y, gain)
	return round(gain)
}

func drawStructured() (*Drawing, error) {
	factor := func(c []testbench.Counters, i int) float64 { return activity(&c[i]) }
	d, err := factors("Activity factor of structured kernels", "%", structuredKernels, []string{"explicit", "implicit"},
		nil, factor, paired("ppc-explicit"), paired("ppc"))
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: a slight gain, as the instructions for reconvergence are gone.",
		"Here the factor is that of the kernel's own instructions, without those for reconvergence.",
	}
	return d, nil
}

func drawExecuted() (*Drawing, error) {
	ratio := func(c []testbench.Counters, _ int) float64 {
		return float64(c[1].Instructions+c[1].Inserted) / float64(c[0].Instructions+c[0].Inserted)
	}
	d, err := factors("Executed instructions, implicit", "explicit = 1", structuredKernels, []string{"implicit"},
		theirs{"pathfinder": {"implicit": 0.93}}, ratio, paired("ppc-explicit"), paired("ppc"))
	if err != nil {
		return nil, err
	}
	d.Notes = []string{
		"Theirs: up to 7 % fewer, pathfinder.",
		"What is saved are the instructions for reconvergence that the explicit scheme executes: claim PPC-05.",
	}
	return d, nil
}
