package experiments

import (
	"fmt"
	"strings"
	"sync"

	"divergo/isa"
	"divergo/kernels"
	"divergo/units"
)

// herdingTrends are the claims about speed and quality of the benchmarks with all safe instructions
// herded. The herding figures show the framework's choice instead.
var herdingTrends = []Claim{
	{
		ID: "HERDING-07", Place: "section VII-A, figure 12", Benchmarks: true,
		Statement: "all safe branches of the benchmarks of table II herded, harmonic mean of the speed: in hardware against none, in hardware against software",
		Theirs:    "above above", Ours: func() (string, error) {
			var gain, over []float64
			for _, b := range herdBenchmarks {
				if b.branch < 0 {
					continue
				}
				none, hard, err := herdedPair(b.kernel, herdBranches)
				if err != nil {
					return "", err
				}
				soft, err := herdedOnce(b.kernel, herdSoftware)
				if err != nil {
					return "", err
				}
				gain, over = append(gain, hard.over(none)), append(over, hard.over(soft))
			}
			return fmt.Sprintf("%s %s (%.3f; %.3f)", order(harmonic(gain), 1), order(harmonic(over), 1), gain,
				over), nil
		},
	},
	{
		ID: "HERDING-09", Place: "section II-A, figures 3 and 4", Benchmarks: true,
		Statement: "Mandelbrot: of its branches diverge, against 1 %; all safe branches herded: speed, and mismatching bytes against 2 %",
		Why:       "the pictures are small, so that the rim of the set is in more of the warps: 14 % of the branches diverge in the small size, 5.9 in the medium and 1.4 in the large one (480x320)",
		Theirs:    "below; above; below", Ours: func() (string, error) {
			none, hard, err := herdedPair("mandelbrot", herdBranches)
			return fmt.Sprintf("%s; %s; %s (%.3g %% of the branches, which are %.3g %% of the instructions; %.3f; %.3g %%; theirs 10 %% of the instructions, 1.31)", order(none.diverge, .01), order(hard.over(none), 1),
				order(hard.degradation, .02), 100*none.diverge, 100*none.branches, hard.over(none),
				100*hard.degradation), err
		},
	},
	{
		ID: "HERDING-10", Place: "section VII-A", Benchmarks: true,
		Statement: "Mandelbrot, all safe branches herded: speed in hardware against software",
		Theirs:    "above", Ours: func() (string, error) {
			_, hard, err := herdedPair("mandelbrot", herdBranches)
			if err != nil {
				return "", err
			}
			soft, err := herdedOnce("mandelbrot", herdSoftware)
			return fmt.Sprintf("%s (%.3f)", order(hard.over(soft), 1), hard.over(soft)), err
		},
	},
	{
		ID: "HERDING-11", Place: "section II-A, figure 3", Benchmarks: true,
		Statement: "Mandelbrot, all safe branches herded in software, speed",
		Theirs:    "below", Ours: func() (string, error) {
			none, soft, err := herdedPair("mandelbrot", herdSoftware)
			return fmt.Sprintf("%s (%.3f)", order(soft.over(none), 1), soft.over(none)), err
		},
	},
	{
		ID: "HERDING-12", Place: "section II-B, figure 6", Benchmarks: true,
		Statement: "SobelFilter, all loads from one address: speed, and mismatching bytes against 40 %",
		Why:       "the picture is generated, with sharp edges, so that neighbours are less alike than in a photograph, and a byte that is off by one mismatches",
		Theirs:    "above; not above", Ours: func() (string, error) {
			none, one, err := herdedPair("sobelfilter", herdAddress)
			word := "not above"
			if one.degradation > .4 {
				word = "above"
			}
			return fmt.Sprintf("%s; %s (%.3f, %.3g %%; theirs up to 1.15)", order(one.over(none), 1), word,
				one.over(none), 100*one.degradation), err
		},
	},
	{
		ID: "HERDING-14", Place: "table II", Statement: "benchmarks whose results all safe branches degrade, herded", Benchmarks: true,
		Why:    "all that is safe is herded here, where the framework of the paper herds what pays: of oceanFFT that is nothing (figure herding); particles tests all spheres against each other without a grid, and 6.7 % of its branches diverge, theirs less than 1 %",
		Theirs: "Mandelbrot histogram volumeRender SobelFilter lbm sad", Ours: func() (string, error) {
			return degraded(herdBranches, func(i int) bool { return herdBenchmarks[i].branch >= 0 })
		},
	},
	{
		ID: "HERDING-15", Place: "table III", Statement: "benchmarks whose results all safe loads degrade, herded", Benchmarks: true,
		Why:    "all safe loads are herded here, where the framework of the paper herds what pays, which is nothing of binomialOptions and dxtc; rows of 150 pixels lie in two blocks for a warp of recursiveGaussian (the large size, with rows of 512, loses nothing); Mandelbrot loads coordinates, from one block",
		Theirs: "Mandelbrot histogram nbody SobelFilter", Ours: func() (string, error) {
			return degraded(herdLoads, func(i int) bool { return herdBenchmarks[i].data >= 0 })
		},
	},
	{
		ID: "HERDING-16", Place: "tables II and III", Benchmarks: true,
		Statement: "what sad loses by its safe branches herded, against 0.5 %; nbody by its safe loads, against 1 %",
		Why:       "sad cuts differences off, for a branch by data, which the original has not; all safe loads of nbody are herded, where the framework has two, which lose 10.8 % (figure herding)",
		Theirs:    "below below", Ours: func() (string, error) {
			sad, err := herdedOnce("sad", herdBranches)
			if err != nil {
				return "", err
			}
			nbody, err := herdedOnce("nbody", herdLoads)
			return fmt.Sprintf("%s %s (%.3g %%, %.3g %%)", order(sad.degradation, .005), order(nbody.degradation, .01),
				100*sad.degradation, 100*nbody.degradation), err
		},
	},
}

// herdedPart is the herded part of a benchmark.
type herdedPart string

const (
	herdNone     herdedPart = "nothing"
	herdBranches herdedPart = "all safe branches"
	herdSoftware herdedPart = "all safe branches, in software"
	herdLoads    herdedPart = "all safe loads"
	herdAddress  herdedPart = "all loads, one address"
	herdBlock    herdedPart = "all loads, one block"
)

// herdRuns holds the runs that claims share.
var herdRuns sync.Map

// herdedOnce runs a benchmark, once for each part.
func herdedOnce(kernel string, part herdedPart) (herdRun, error) {
	once, _ := herdRuns.LoadOrStore([2]string{kernel, string(part)}, sync.OnceValues(func() (herdRun, error) {
		k, err := kernels.Find(kernel)
		if err != nil {
			return herdRun{}, err
		}
		cfg, err := herdConfig()
		if err != nil {
			return herdRun{}, err
		}
		of := func(kind Kind) func(*isa.Program) isa.Herding {
			return func(p *isa.Program) isa.Herding { return safe(p, kind) }
		}
		var replace programs
		switch part {
		case herdBranches:
			replace = herdAll(of(Branches))
		case herdSoftware:
			replace = voting(of(Branches), kernel+".ptx")
		case herdLoads:
			replace = herdAll(of(Loads))
		case herdAddress:
			cfg.Herd.LoadFraction, cfg.Herd.Load = 100, units.HerdFirst
		case herdBlock:
			cfg.Herd.LoadFraction, cfg.Herd.Load = 100, units.HerdPopular
		}
		return herdWith(k, cfg, replace)
	}))
	return once.(func() (herdRun, error))()
}

// herdedPair returns the runs of a benchmark without and with herding.
func herdedPair(kernel string, part herdedPart) (none, herded herdRun, err error) {
	if none, err = herdedOnce(kernel, herdNone); err == nil {
		herded, err = herdedOnce(kernel, part)
	}
	return none, herded, err
}

// over returns the speed of a run relative to another one.
func (r *herdRun) over(other herdRun) float64 { return float64(other.cycles) / float64(r.cycles) }

// degraded lists the benchmarks whose quality herding reduces, with the loss.
func degraded(part herdedPart, in func(i int) bool) (string, error) {
	var list []string
	var lost []string
	for i, b := range herdBenchmarks {
		if !in(i) {
			continue
		}
		none, herded, err := herdedPair(b.kernel, part)
		if err != nil {
			return "", err
		}
		if herded.degradation > none.degradation {
			list = appendName(list, b.name)
		}
		lost = append(lost, fmt.Sprintf("%s %.3g %%", b.name, 100*herded.degradation))
	}
	return fmt.Sprintf("%s (%s)", listed(list), strings.Join(lost, ", ")), nil
}

// appendName adds the name of a benchmark once, even if it has several kernels.
func appendName(list []string, name string) []string {
	name, _, _ = strings.Cut(name, " ")
	if len(list) > 0 && list[len(list)-1] == name {
		return list
	}
	return append(list, name)
}
