package experiments

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"

	"divergo/gpu"
	"divergo/internal/chart"
	"divergo/internal/papers"
	"divergo/isa"
	"divergo/isa/safety"
	"divergo/kernels"
	"divergo/kernels/quality"
	"divergo/kernels/runner"
	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
	"divergo/units"
)

func init() {
	Register(papers.Herding, herdingFigures,
		slices.Concat(herdingHardware, herdingSoftware, herdingTrends, herdingNumbers))
}

// herdingFigures are the figures of the herding paper. The paper ran branch herding on a GTX 480,
// and data herding on a simulated Quadro FX 5800. Our reading: both run on the preset that is close
// to the latter, data herding without the caches that the preset adds to it.
var herdingFigures = []Figure{
	{
		Name: "herding-fig3", Doc: "time and quality of Mandelbrot against the branches that are forced uniform",
		Place: "figures 3 and 4",
		Draw:  herdMiddle.forcedBranches,
	},
	{
		Name: "herding-fig6", Doc: "time and quality of SobelFilter against the loads that are forced uniform",
		Place: "figure 6",
		Draw:  herdMiddle.forcedLoads,
	},
	{
		Name: "herding-fig5", Doc: "pictures of Mandelbrot and Julia with branches that are forced uniform",
		Place: "figures 2 and 5",
		Draw:  drawForcedPictures,
	},
	{
		Name: "herding-fig8", Doc: "pictures of SobelFilter with loads that are forced uniform",
		Place: "figures 7 and 8",
		Draw:  drawForcedEdges,
	},
	{
		Name: "herding-fig15", Doc: "pictures of volume rendering with branch herding, and of a Gaussian blur with data herding", Place: "figures 15 and 18",
		Draw: drawHerdedPictures,
	},
	{
		Name: "herding", Doc: "branch and data herding of the benchmarks of table I, with what the framework of figure 11 chooses", Place: "figures 3, 6, 10, 12, 16 and 17, tables II and III",
		Draw: func() (*Drawing, error) { return drawHerding(herdMiddle) },
	},
	{
		Name: "herding-large", Doc: "the same on all SMs with the largest inputs, which takes long",
		Place: "figures 3, 6, 10, 12, 16 and 17, tables II and III",
		Planned: func(p Plan) (*Drawing, error) {
			if p == Quick {
				return drawHerding(herdQuick)
			}
			return drawHerding(herdLarge)
		},
	},
}

// The inputs of these runs. As in the paper where possible (section V), the framework profiles one
// input and is measured on another. The size is the middle one.
const (
	herdProfiled = 1
	herdMeasured = 2
)

func herdSize(k kernels.Kernel) kernels.Size { return k.Sizes[len(k.Sizes)/2] }

// herdSetup is the size and the machine of a figure.
//
// The paper's pictures are some 20 to 60 times as large as the middle sizes, and its GPUs have 15 and
// 30 SMs. On 2 SMs Mandelbrot has 54 CTAs an SM, theirs 127. Two SMs share a channel, theirs 3.75.
type herdSetup struct {
	size          func(kernels.Kernel) kernels.Size
	sms, channels int

	// Figures 3 to 6, drawn once: figure herding has them as well.
	forcedBranches, forcedLoads func() (*Drawing, error)
}

func newHerdSetup(size func(kernels.Kernel) kernels.Size, sms, channels int) *herdSetup {
	s := &herdSetup{size: size, sms: sms, channels: channels}
	s.forcedBranches = sync.OnceValues(func() (*Drawing, error) { return drawForcedBranches(s) })
	s.forcedLoads = sync.OnceValues(func() (*Drawing, error) { return drawForcedLoads(s) })
	return s
}

var (
	herdMiddle = newHerdSetup(herdSize, 2, 1)
	herdLarge  = newHerdSetup(func(k kernels.Kernel) kernels.Size { return k.Sizes[len(k.Sizes)-1] }, 30, 8)
	herdQuick  = newHerdSetup(func(k kernels.Kernel) kernels.Size { return k.Sizes[0] }, 30, 8)
)

// config returns the machine.
func (s *herdSetup) config() (gpu.Config, error) {
	p, err := gpu.FindPreset("tbc")
	if err != nil {
		return gpu.Config{}, err
	}
	cfg := p.Config()
	cfg.GPU.SMs, cfg.DRAM.Channels = s.sms, s.channels
	return cfg, nil
}

// uncached takes the data caches away, but for a line each.
//
// The paper runs data herding on a simulated Quadro FX 5800 (section VI), a GPU without data caches.
// Our reading: so was the simulated one. The preset has those that Fung & Aamodt added to it.
func uncached(cfg gpu.Config) gpu.Config {
	cfg.L1.Size, cfg.L1.Assoc = cfg.L1.Line, 1
	cfg.L2.Size, cfg.L2.Assoc = cfg.L2.Line, 1
	return cfg
}

// herdRun holds the measurements of a benchmark's run.
type herdRun struct {
	cycles      uint64
	degradation float64
	branches    float64 // branches per instruction
	diverge     float64 // share of executed branches that diverge
	memory      float64 // share of instructions that access memory
	stalls      uint64  // cycles in which no warp of an SM could issue because of missing data
	bytes       uint64  // bytes between SMs and L2
}

// programs replaces each entry of a module; nil replaces none.
type programs func(p *isa.Program) (*isa.Program, error)

// herdConfig returns the machine of the claims.
func herdConfig() (gpu.Config, error) { return herdMiddle.config() }

// herdWith runs replaced programs of a kernel, with the measured size and input.
func herdWith(k kernels.Kernel, cfg gpu.Config, replace programs) (herdRun, error) {
	return herdOn(k, herdSize(k).New(herdMeasured), cfg, replace)
}

// herdOn runs replaced programs on a workload of the kernel.
func herdOn(k kernels.Kernel, w kernels.Workload, cfg gpu.Config, replace programs) (herdRun, error) {
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	if err != nil {
		return herdRun{}, err
	}
	s.Herd = replace
	if err := w.Run(runner.New(s)); err != nil {
		return herdRun{}, fmt.Errorf("%s: %w", k.Name, err)
	}
	c := s.Counters()
	r := herdRun{
		cycles: c.Cycles, degradation: quality.Degradation(k, w), stalls: c.Classes[sm.ClassMem],
		bytes: c.Requests.Bytes + c.Responses.Bytes, memory: float64(c.Coalescer.Accesses) / float64(c.Instructions),
		branches: float64(c.Divergence.Branches) / float64(c.Instructions),
	}
	if n := c.Divergence.Branches; n > 0 {
		r.diverge = float64(c.Divergence.Divergent) / float64(n)
	}
	return r, nil
}

// herdAll replaces programs by herded ones.
func herdAll(of func(*isa.Program) isa.Herding) programs {
	return func(p *isa.Program) (*isa.Program, error) {
		h := of(p)
		return h.Apply(p)
	}
}

// voting replaces programs by ones that herd branches in software (figure 9). Three more
// instructions put each condition to the vote, and the branch uses the result.
func voting(of func(*isa.Program) isa.Herding, module string) programs {
	return func(p *isa.Program) (*isa.Program, error) {
		text, err := kernels.PTX(module)
		if err != nil {
			return nil, err
		}
		m, err := ptx.Parse(module, []byte(vote(text, p, of(p).Branches)))
		if err != nil {
			return nil, err
		}
		return testbench.Program(m, p.Name)
	}
}

var branch = regexp.MustCompile(`^\s*@(!?)(%\w+)\s+bra(\.uni)?\s+([\w$]+);`)

// vote adds these instructions to the module's text, for some branches of a program.
func vote(text string, p *isa.Program, branches []int) string {
	lines := strings.Split(text, "\n")
	for _, pc := range branches {
		line := &lines[p.Insts[pc].Pos.Line-1]
		f := branch.FindStringSubmatch(*line)
		*line = fmt.Sprintf("{ .reg .b32 %%votes; .reg .pred %%won; vote.ballot.b32 %%votes, %s%s; popc.b32 %%votes, %%votes; setp.gt.u32 %%won, %%votes, 16; @%%won bra %s; }", f[1], f[2], f[4])
	}
	return strings.Join(lines, "\n")
}

// fractions are the herded fractions of figures 3 to 8, in percent.
var fractions = []int{0, 20, 40, 60, 80, 100}

// safely draws a random part, in percent, of the safe branches or loads of a program. A larger part
// includes each smaller one.
//
// All branches of the paper's Mandelbrot are safe. Ours has one that tests whether its pixel is in
// the picture.
func safely(p *isa.Program, percent int, kind Kind) isa.Herding {
	h := isa.Herding{Kernel: p.Name}
	branches, loads := safety.Analyze(p).Safe()
	from, to := branches, &h.Branches
	if kind == Loads {
		from, to = loads, &h.Loads
	}
	r := rand.New(rand.NewPCG(herdProfiled, uint64(kind)))
	r.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	*to = slices.Clone(from[:(len(from)*percent+50)/100])
	slices.Sort(*to)
	return h
}

// drawForcedBranches forces a random part of the branches of Mandelbrot and Julia.
func drawForcedBranches(on *herdSetup) (*Drawing, error) {
	cfg, err := on.config()
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: []string{"branches herded %"}}
	for _, p := range fractions {
		d.Rows = append(d.Rows, []any{p})
	}
	time := chart.Lines{
		Title: "Time with branches forced uniform", X: "static branches (%)",
		Y: "time, of that without herding",
	}
	lost := chart.Lines{
		Title: "Degradation with branches forced uniform", X: "static branches (%)",
		Y: "mismatching bytes (%)",
	}
	for _, name := range []string{"mandelbrot20", "julia"} {
		k, err := kernels.Find(name)
		if err != nil {
			return nil, err
		}
		runs := make([]herdRun, 2*len(fractions)) // in hardware, then in software
		err = parallel(len(runs), func(i int) (err error) {
			part := func(p *isa.Program) isa.Herding { return safely(p, fractions[i%len(fractions)], Branches) }
			replace := herdAll(part)
			if i >= len(fractions) {
				replace = voting(part, name+".ptx")
			}
			runs[i], err = herdOn(k, on.size(k).New(herdMeasured), cfg, replace)
			return err
		})
		if err != nil {
			return nil, err
		}
		none := runs[0].cycles
		hard, soft, wrong := chart.Series{Name: name + ", hardware"}, chart.Series{Name: name + ", software"},
			chart.Series{Name: name}
		for i, percent := range fractions {
			r, v, x := runs[i], runs[len(fractions)+i], float64(percent)
			hard.X, hard.Y = append(hard.X, x), append(hard.Y, float64(r.cycles)/float64(none))
			soft.X, soft.Y = append(soft.X, x), append(soft.Y, float64(v.cycles)/float64(none))
			wrong.X, wrong.Y = append(wrong.X, x), append(wrong.Y, 100*r.degradation)
			d.Rows[i] = append(d.Rows[i], hard.Y[i], soft.Y[i], wrong.Y[i])
		}
		d.Header = append(d.Header, name+" time", "software", "mismatch %")
		time.Series, lost.Series = append(time.Series, hard, soft), append(lost.Series, wrong)
	}
	d.Charts = chart.Column{&time, &lost}
	last := len(fractions) - 1
	d.Notes = []string{
		"Figures 3 and 4: Mandelbrot with " + forcedAt(time.Series[0], lost.Series[0]),
		fmt.Sprintf("HERDING-09, all branches forced, without overhead. Theirs: +31 %%, less than 2 %% mismatch. Ours: %+.3g %%, %s %% mismatch.", 100*(1/time.Series[0].Y[last]-1), percent(lost.Series[0].Y[last])),
		fmt.Sprintf("HERDING-11, all branches forced in software. Theirs: slower than with none. Ours: Mandelbrot %s and Julia %s of the time.", percent(time.Series[1].Y[last]), percent(time.Series[3].Y[last])),
	}
	return d, nil
}

// forcedAt lists points of figures 3 to 6.
func forcedAt(time, lost chart.Series) string {
	var points []string
	for i, x := range time.X {
		points = append(points, fmt.Sprintf("%g %%: %s of the time, %s %% mismatch", x, percent(time.Y[i]),
			percent(lost.Y[i])))
	}
	return strings.Join(points, "; ") + "."
}

// drawForcedLoads forces a random part of SobelFilter's loads to one address, or to one block.
func drawForcedLoads(on *herdSetup) (*Drawing, error) {
	cfg, err := on.config()
	if err != nil {
		return nil, err
	}
	k, err := kernels.Find("sobelfilter")
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: []string{"loads forced %"}}
	for _, p := range fractions {
		d.Rows = append(d.Rows, []any{p})
	}
	time := chart.Lines{
		Title: "Time of SobelFilter with loads forced uniform", X: "static loads (%)",
		Y: "time, of that without herding",
	}
	lost := chart.Lines{Title: "Degradation of SobelFilter", X: "static loads (%)", Y: "mismatching bytes (%)"}
	for _, what := range []struct {
		load units.HerdLoad
		name string
	}{{units.HerdFirst, "one address"}, {units.HerdPopular, "one block"}} {
		drawn := cfg
		drawn.Herd.Load = what.load
		runs := make([]herdRun, len(fractions))
		err := parallel(len(runs), func(i int) (err error) {
			runs[i], err = herdOn(k, on.size(k).New(herdMeasured), drawn,
				herdAll(func(p *isa.Program) isa.Herding { return safely(p, fractions[i], Loads) }))
			return err
		})
		if err != nil {
			return nil, err
		}
		none := runs[0].cycles
		fast, wrong := chart.Series{Name: what.name}, chart.Series{Name: what.name}
		for i, percent := range fractions {
			r := runs[i]
			fast.X, fast.Y = append(fast.X, float64(percent)), append(fast.Y, float64(r.cycles)/float64(none))
			wrong.X, wrong.Y = append(wrong.X, float64(percent)), append(wrong.Y, 100*r.degradation)
			d.Rows[i] = append(d.Rows[i], fast.Y[i], wrong.Y[i])
		}
		d.Header = append(d.Header, what.name+": time", "mismatch %")
		time.Series, lost.Series = append(time.Series, fast), append(lost.Series, wrong)
	}
	d.Charts = chart.Column{&time, &lost}
	d.Notes = []string{
		"Figure 6: SobelFilter with loads of one address, " + forcedAt(time.Series[0], lost.Series[0]),
		fmt.Sprintf("HERDING-12, one address. Theirs: up to 15 %% faster, up to 40 %% mismatch. Ours: up to %+.3g %% faster, up to %s %% mismatch.", 100*(1/slices.Min(time.Series[0].Y)-1), percent(slices.Max(lost.Series[0].Y))),
		fmt.Sprintf("HERDING-17, one block. Theirs: as fast, 1.81 %% mismatch. Ours: up to %+.3g %% faster, up to %s %% mismatch.", 100*(1/slices.Min(time.Series[1].Y)-1), percent(slices.Max(lost.Series[1].Y))),
	}
	return d, nil
}
