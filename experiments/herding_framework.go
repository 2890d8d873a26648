package experiments

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"divergo/gpu"
	"divergo/internal/chart"
	"divergo/isa"
	"divergo/kernels"
	"divergo/kernels/runner"
)

// herdBenchmarks are the benchmarks of table I. branch and data are the degradations of tables II
// and III, in percent beyond the original's; -1 means not in the table.
var herdBenchmarks = []struct {
	name, kernel string
	branch, data float64
}{
	{"Mandelbrot", "mandelbrot20", 1.84, 0.97},
	{"Julia", "julia", -1, -1},
	{"histogram 64", "histogram64", 5.82, 0.6},
	{"histogram 256", "histogram", 5.82, 0.6},
	{"volumeRender", "volumerender", 0.89, -1},
	{"particles", "particles", 0, -1},
	{"SobelFilter", "sobelfilter", 6, 1.81},
	{"oceanFFT", "oceanfft", 0, -1},
	{"binomialOptions", "binomial", -1, 0},
	{"nbody", "nbody", -1, 0.95},
	{"dxtc", "dxtc", -1, 0},
	{"recursiveGaussian", "gaussian", -1, 0},
	{"lbm", "lbm", 5.5e-5, -1},
	{"sad", "sad", 0.42, -1},
}

// herdLimit is the largest degradation that the framework accepts. The paper leaves the bound to
// its user (section V).
const herdLimit = 0.1

// choice is the herding of each entry of a kernel, for one kind of instruction. within stays within
// the limit. any holds everything that makes the kernel faster, at any degradation.
type choice struct{ within, any map[string]isa.Herding }

func chosen(k kernels.Kernel, size kernels.Size, cfg gpu.Config, kind Kind) (choice, error) {
	c := choice{map[string]isa.Herding{}, map[string]isa.Herding{}}
	names, err := runner.Entries(k)
	if err != nil {
		return c, err
	}
	for _, name := range names {
		p, err := Profiling{
			Kernel: k, Size: size, Entry: name, Config: cfg, Inputs: herdProfiled, Limit: herdLimit,
			Kind: kind,
		}.Find()
		if err != nil {
			return c, err
		}
		c.within[name] = p.Herding()
		p.Chosen = len(p.Candidates)
		c.any[name] = p.Herding()
	}
	return c, nil
}

// of returns the herding of a program, by its name.
func of(by map[string]isa.Herding) func(*isa.Program) isa.Herding {
	return func(p *isa.Program) isa.Herding { return by[p.Name] }
}

// marked counts the herded branches and loads.
func marked(by map[string]isa.Herding) int {
	n := 0
	for _, h := range by {
		n += len(h.Branches) + len(h.Loads)
	}
	return n
}

// herdedWhat is what a row of the table herds, and where.
type herdedWhat string

const (
	ofBranches herdedWhat = "branches"
	ofLoads    herdedWhat = "loads" // without data caches
	ofCached   herdedWhat = "loads, with caches"
)

// kind returns the kind of the herded instructions.
func (w herdedWhat) kind() Kind {
	if w == ofBranches {
		return Branches
	}
	return Loads
}

// herded is a row of the table: a benchmark with herded branches or loads.
type herded struct {
	none         herdRun // nothing herded
	fast, slow   herdRun // within the limit, with a herding latency of 0 and of 1 cycle
	soft         herdRun // within the limit, in software
	any          herdRun // at any degradation
	count, every int     // static herded instructions: within the limit, and at any degradation
}

// gain returns the speed-up in percent.
func (h *herded) gain(r herdRun) float64 {
	return 100 * (float64(h.none.cycles)/float64(r.cycles) - 1)
}

// herd profiles a benchmark and measures the chosen herdings. Where nothing is herded, the run is that
// without herding.
func herd(k kernels.Kernel, size kernels.Size, cfg gpu.Config, kind Kind) (*herded, error) {
	c, err := chosen(k, size, cfg, kind)
	if err != nil {
		return nil, err
	}
	h := &herded{count: marked(c.within), every: marked(c.any)}
	if h.none, err = herdOn(k, size.New(herdMeasured), cfg, nil); err != nil {
		return nil, err
	}
	slow := cfg
	slow.Herd.BranchLatency, slow.Herd.LoadLatency = 1, 1
	for _, run := range []struct {
		to      *herdRun
		cfg     gpu.Config
		count   int
		replace programs
	}{
		{&h.fast, cfg, h.count, herdAll(of(c.within))},
		{&h.slow, slow, h.count, herdAll(of(c.within))},
		{&h.any, cfg, h.every, herdAll(of(c.any))},
		{&h.soft, cfg, h.count, voting(of(c.within), k.Name+".ptx")},
	} {
		if *run.to = h.none; run.count == 0 {
			continue
		}
		if *run.to, err = herdOn(k, size.New(herdMeasured), run.cfg, run.replace); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// herdings holds what the framework chooses: claims and figures share it.
var herdings sync.Map

// chosen profiles a benchmark and measures the chosen herdings, once.
func (s *herdSetup) chosen(kernel string, what herdedWhat) (*herded, error) {
	type key struct {
		*herdSetup
		kernel string
		what   herdedWhat
	}
	once, _ := herdings.LoadOrStore(key{s, kernel, what}, sync.OnceValues(func() (*herded, error) {
		k, err := kernels.Find(kernel)
		if err != nil {
			return nil, err
		}
		cfg, err := s.config()
		if err != nil {
			return nil, err
		}
		if what == ofLoads {
			cfg = uncached(cfg)
		}
		return herd(k, s.size(k), cfg, what.kind())
	}))
	return once.(func() (*herded, error))()
}

// drawHerding profiles all benchmarks and measures the chosen herdings.
func drawHerding(on *herdSetup) (*Drawing, error) {
	d := &Drawing{Header: []string{
		"benchmark", "herded", "of which %", "count", "speed-up %", "1 cycle", "software", "lost %", "theirs",
		"waits", "bytes", "any loss: count", "speed-up %", "lost %",
	}}
	runs := []herdedWhat{ofBranches, ofLoads, ofCached}
	found := make([]*herded, len(herdBenchmarks)*len(runs))
	err := parallel(len(found), func(i int) (err error) {
		found[i], err = on.chosen(herdBenchmarks[i/len(runs)].kernel, runs[i%len(runs)])
		return err
	})
	if err != nil {
		return nil, err
	}
	all := map[string]map[herdedWhat]*herded{}
	for n, b := range herdBenchmarks {
		all[b.name] = map[herdedWhat]*herded{}
		for m, what := range runs {
			h := found[n*len(runs)+m]
			all[b.name][what] = h
			share, software, theirs := h.none.diverge, any(percent(h.gain(h.soft))), b.branch
			if what.kind() == Loads {
				share, software, theirs = h.none.memory, "", b.data
			}
			row := []any{
				b.name, string(what), percent(100 * share), h.count, percent(h.gain(h.fast)),
				percent(h.gain(h.slow)), software, percent(100 * h.fast.degradation), "",
				less(h.none.stalls, h.fast.stalls), less(h.none.bytes, h.fast.bytes), h.every, percent(h.gain(h.any)),
				percent(100 * h.any.degradation),
			}
			if theirs >= 0 {
				row[8] = percent(theirs)
			}
			d.Rows = append(d.Rows, row)
		}
	}
	d.Charts = herdingCharts(all)
	d.Notes = slices.Concat(herdingGains(all), []string{
		"Different: fewer benchmarks gain by branches. lbm's has instructions on one of its sides only; SobelFilter's and sad's jump over one; volumeRender's loses more than the limit, where it gains.",
		"Different: with the caches of the preset, which a Quadro FX 5800 has not, loads gain less in the mean: the L1 has many of the blocks that herding saves.",
		"Different: more bytes mismatch. The inputs are generated and smaller than theirs, and a byte that is off by one mismatches.",
	})
	for _, add := range []func() (*Drawing, error){on.forcedBranches, on.forcedLoads} {
		forced, err := add()
		if err != nil {
			return nil, err
		}
		d.Notes, d.Charts = append(d.Notes, forced.Notes...), append(d.Charts, forced.Charts...)
	}
	return d, nil
}

// herdingCharts draws figures 10, 12, 16 and 17. Their bars are lost; the text has the means of the
// benchmarks that gain.
func herdingCharts(all map[string]map[herdedWhat]*herded) chart.Column {
	branches := &chart.Groups{Title: "Branches (figure 10)", Y: "%", Bars: []string{"of instructions", "of branches diverge"}}
	speed := &chart.Groups{
		Title: "Speed with branches herded (figure 12)", Y: "speed, none = 1",
		Bars: []string{"hardware", "hardware, 1 cycle", "software"},
	}
	loads := &chart.Groups{
		Title: "Speed with loads herded (figure 16)", Y: "speed, none = 1", Bars: []string{"without caches", "with caches"},
	}
	memory := &chart.Groups{
		Title: "Waits for memory and traffic with loads herded (figure 17)", Y: "none = 1", Bars: []string{"waits", "bytes"},
	}
	add := func(g *chart.Groups, name string, values, paper []float64) {
		var bars [][]float64
		for _, v := range values {
			bars = append(bars, []float64{v})
		}
		g.Groups = append(g.Groups, chart.Group{Name: name, Values: bars, Theirs: paper})
	}
	for _, b := range herdBenchmarks {
		h, l, c := all[b.name][ofBranches], all[b.name][ofLoads], all[b.name][ofCached]
		add(branches, b.name, []float64{100 * h.none.branches, 100 * h.none.diverge}, nil)
		of := func(h *herded, r herdRun) float64 { return 1 + h.gain(r)/100 }
		add(speed, b.name, []float64{of(h, h.fast), of(h, h.slow), of(h, h.soft)}, nil)
		add(loads, b.name, []float64{of(l, l.fast), of(c, c.fast)}, nil)
		ratio := func(before, after uint64) float64 { return float64(after) / float64(max(before, 1)) }
		add(memory, b.name, []float64{ratio(l.none.stalls, l.fast.stalls), ratio(l.none.bytes, l.fast.bytes)}, nil)
	}
	for g, paper := range map[*chart.Groups][]float64{speed: {1.30, math.NaN(), 1.13}, loads: {1.25, math.NaN()}} {
		values := make([]float64, len(g.Bars))
		for i := range values {
			n, sum := 0, 0.0
			for _, group := range g.Groups {
				if v := group.Values[i][0]; v > 1 {
					n, sum = n+1, sum+v
				}
			}
			values[i] = 1
			if n > 0 {
				values[i] = sum / float64(n)
			}
		}
		add(g, "mean of those that gain", values, paper)
		g.Groups[len(g.Groups)-1].Mean = true
	}
	return chart.Column{branches, speed, loads, memory}
}

// percent rounds a value of a table or a note to three digits.
func percent(v float64) string { return fmt.Sprintf("%.3g", v) }

// herdingGains compares the speed-ups with those in the paper's text. The bars of figures 12, 16
// and 17 are not available.
func herdingGains(all map[string]map[herdedWhat]*herded) []string {
	mean := func(what herdedWhat, run func(*herded) herdRun) string {
		n, sum, most := 0, 0.0, 0.0
		for _, b := range herdBenchmarks {
			h := all[b.name][what]
			if g := h.gain(run(h)); g > 0 {
				n, sum, most = n+1, sum+g, max(most, g)
			}
		}
		return fmt.Sprintf("%+.3g %% in the mean of the %d that gain, up to %+.3g %%", sum/float64(max(n, 1)), n, most)
	}
	fast := func(h *herded) herdRun { return h.fast }
	anyLoss := func(h *herded) herdRun { return h.any }
	m, sad, nbody := all["Mandelbrot"][ofBranches], all["sad"][ofBranches], all["nbody"][ofLoads]
	faster := 0
	for _, b := range herdBenchmarks {
		if h := all[b.name][ofBranches]; h.slow.cycles < h.fast.cycles {
			faster++
		}
	}
	var few []string
	for _, name := range []string{"Mandelbrot", "binomialOptions", "dxtc"} {
		h := all[name][ofLoads]
		few = append(few, fmt.Sprintf("%s %+.3g %% (%.2g %% of the instructions access memory)", name, h.gain(h.fast),
			100*h.none.memory))
	}
	ratio := "herding in software does not gain"
	if h := all["Mandelbrot"][ofBranches]; h.gain(h.soft) > 0 {
		ratio = fmt.Sprintf("%.3g", h.gain(h.fast)/h.gain(h.soft))
	}
	return []string{
		fmt.Sprintf("HERDING-07, branches herded in hardware (figure 12). Theirs: +30 %% in the mean of 8, up to +55 %%. Ours: %s; whatever is lost: %s.", mean(ofBranches, fast), mean(ofBranches, anyLoss)),
		fmt.Sprintf("HERDING-07, in software. Theirs: +13 %% in the mean, up to +34 %%. Ours: %s.",
			mean(ofBranches, func(h *herded) herdRun { return h.soft })),
		fmt.Sprintf("HERDING-05, with a cycle of overhead. Theirs: less, in the figure. Ours: %s; %d gain more than without.", mean(ofBranches, func(h *herded) herdRun { return h.slow }), faster),
		fmt.Sprintf("HERDING-08, loads herded (figure 16). Theirs: +25 %% in the mean of the 4 that gain, up to +32 %%. Ours: %s; whatever is lost: %s; with the caches of the preset: %s.", mean(ofLoads, fast), mean(ofLoads, anyLoss), mean(ofCached, fast)),
		fmt.Sprintf("HERDING-08, benchmarks without loads. Theirs: no gain, less than 0.2 %% of the instructions are loads. Ours: %s, %s, %s.", few[0], few[1], few[2]),
		fmt.Sprintf("HERDING-09, Mandelbrot. Theirs: 10 %% of the instructions are branches, of which less than 1 %% diverge. Ours: %s %% and %s %%.", percent(100*m.none.branches), percent(100*m.none.diverge)),
		fmt.Sprintf("HERDING-10, Mandelbrot, the gain in hardware over that in software. Theirs: 3.5. Ours: %s.",
			ratio),
		fmt.Sprintf("HERDING-16. Theirs: sad loses less than 0.5 %% by its branches, nbody less than 1 %% by its loads. Ours, all that gain: %s %% and %s %%.", percent(100*sad.any.degradation), percent(100*nbody.any.degradation)),
	}
}

// less returns the change of a number in per cent, negative if it became less; "-" if it was 0.
func less(before, after uint64) string {
	if before == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.1f %%", 100*(float64(after)/float64(before)-1))
}
