package experiments

import (
	"fmt"
	"strings"

	"divergo/isa"
	"divergo/isa/safety"
	"divergo/kernels"
	"divergo/kernels/quality"
	"divergo/testbench"
	"divergo/units"
)

// herdingSoftware are the claims about software herding, about safety, and about the benchmarks,
// whose value is yes or no.
var herdingSoftware = []Claim{
	{
		ID: "HERDING-01", Place: "section III-A, figure 9",
		Statement: "a warp that agrees at each of 5 branches: warp instructions that herding in software adds to each",
		Theirs:    "3", Ours: func() (string, error) {
			plain, err := herdedRun(ladder(5, 0), 32, 0, nil)
			if err != nil {
				return "", err
			}
			voted, err := votedRun(ladder(5, 0))
			return fmt.Sprint(float64(voted.Instructions-plain.Instructions) / 5), err
		},
	},
	{
		ID: "HERDING-04", Place: "section VI",
		Statement: "a warp that agrees at each of 5 branches: cycles of herding in software less those of the added instructions at the kernel's cycles per instruction, over those of herding in hardware",
		Why:       "the formula takes the mean of the kernel, with its start and its end, for the added instructions, which take less",
		Theirs:    "1", Ours: func() (string, error) {
			hard, err := herdedRun(ladder(5, 0), 32, 0, func(h *units.HerdConfig) { h.BranchFraction = 100 })
			if err != nil {
				return "", err
			}
			soft, err := votedRun(ladder(5, 0))
			added := float64(soft.Instructions - hard.Instructions)
			estimate := float64(soft.Cycles) * (1 - added/float64(soft.Instructions))
			return fmt.Sprintf("%.3g", estimate/float64(hard.Cycles)), err
		},
	},
	{
		ID: "HERDING-08", Place: "section VII-B, figure 16", Benchmarks: true,
		Statement: "of Mandelbrot, binomialOptions and dxtc, which load little, those that gain by herding of loads",
		Theirs:    "none", Ours: func() (string, error) {
			var list []string
			for _, name := range []string{"mandelbrot20", "binomial", "dxtc"} {
				h, err := herdMiddle.chosen(name, ofCached)
				if err != nil {
					return "", err
				}
				if h.fast.cycles < h.none.cycles {
					list = append(list, name)
				}
			}
			if list == nil {
				return "none", nil
			}
			return spaced(list), nil
		},
	},
	{
		ID: "HERDING-13", Place: "section VI, table II", Benchmarks: true,
		Statement: "of the benchmarks of table I, those of which more than 0.5 % of the dynamic branches diverge",
		Why:       "our binomialOptions and dxtc keep as branches what the compiler of the paper may have turned into predicates",
		Theirs:    "Mandelbrot Julia histogram volumeRender particles SobelFilter oceanFFT lbm sad", Ours: func() (string,
			error,
		) {
			var list []string
			for _, b := range herdBenchmarks {
				r, err := herdedOnce(b.kernel, herdNone)
				if err != nil {
					return "", err
				}
				if r.diverge > 0.005 {
					list = appendName(list, b.name)
				}
			}
			return spaced(list), nil
		},
	},
	{
		ID: "HERDING-17", Place: "sections II-B and VII-B", Benchmarks: true,
		Statement: "SobelFilter, all loads herded: fewer bytes mismatch if they go to the most popular block than to one address",
		Theirs:    "true", Ours: func() (string, error) {
			var wrong [2]float64
			for i, part := range []herdedPart{herdBlock, herdAddress} {
				r, err := herdedOnce("sobelfilter", part)
				if err != nil {
					return "", err
				}
				wrong[i] = 100 * r.degradation
			}
			return fmt.Sprintf("%t (%.3g %%, %.3g %%)", wrong[0] < wrong[1], wrong[0], wrong[1]), nil
		},
	},
	{
		ID: "HERDING-18", Place: "section V", Benchmarks: true,
		Statement: "each kernel of the suite with all branches and loads herded that are safe: ends without a fault or a deadlock",
		Theirs:    always, Ours: func() (string, error) {
			all := kernels.All()
			return forAll(len(all), func(i uint64) (string, error) {
				k := all[i]
				cfg, err := herdConfig()
				if err != nil {
					return "", err
				}
				_, err = herdOn(k, k.Sizes[0].New(herdMeasured), cfg,
					herdAll(func(p *isa.Program) isa.Herding { return safe(p, BranchesAndLoads) }))
				return unless(err == nil, "%s: %v", k.Name, err), nil
			})
		},
	},
	{
		ID: "HERDING-19", Place: "section VII-A, figure 14",
		Statement: "histogram of 64 bins: static branches that diverge within a warp; bins that herding of the safe branches makes larger",
		Why:       "ours counts runs of equal levels before it adds them: herding the end of a run credits it to another bin; the other two branches bound the loop, and diverge once each, at the end of the data",
		Theirs:    "1 0", Ours: func() (string, error) {
			k, err := kernels.Find("histogram64")
			if err != nil {
				return "", err
			}
			paths, err := MeasurePaths(herdSize(k).New(herdMeasured), 32)
			if err != nil {
				return "", err
			}
			diverge := 0
			for _, b := range paths.Branches {
				if b.Divergent > 0 {
					diverge++
				}
			}
			cfg, err := herdConfig()
			if err != nil {
				return "", err
			}
			w := herdSize(k).New(herdMeasured)
			_, err = herdOn(k, w, cfg, herdAll(func(p *isa.Program) isa.Herding { return safe(p, Branches) }))
			if err != nil {
				return "", err
			}
			larger, counted, all := 0, int64(0), int64(0)
			r := w.Results()[0]
			for i, by := range quality.Bins(r.Got.([]uint32), r.Want.([]uint32)) {
				if by > 0 {
					larger++
				}
				counted, all = counted+by, all+int64(r.Want.([]uint32)[i])
			}
			return fmt.Sprintf("%d %d (%.3g %% not counted)", diverge, larger, -100*float64(counted)/float64(all)), nil
		},
	},
	{
		ID: "HERDING-22", Place: "section VII-B, figure 17", Benchmarks: true,
		Statement: "histogram, nbody, SobelFilter and recursiveGaussian, all safe loads herded: fewer cycles in which an SM waits for memory, fewer bytes between SMs and L2",
		Why:       "histogram reads bytes side by side, which are one block already; nbody waits for latency, as there are fewer warps than the SMs can hold; the rows of SobelFilter are in the L1 already; without data caches all but histogram are as in the paper",
		Theirs:    "true true, true true, true true, true true", Ours: func() (string, error) {
			var list []string
			for _, name := range []string{"histogram", "nbody", "sobelfilter", "gaussian"} {
				plain, herded, err := herdedPair(name, herdLoads)
				if err != nil {
					return "", err
				}
				list = append(list, fmt.Sprint(herded.stalls < plain.stalls, " ", herded.bytes < plain.bytes))
			}
			return strings.Join(list, ", "), nil
		},
	},
}

// safe returns the herding of all safe instructions of a program, of one kind or both.
func safe(p *isa.Program, kind Kind) isa.Herding {
	h := isa.Herding{Kernel: p.Name}
	branches, loads := safety.Analyze(p).Safe()
	if kind != Loads {
		h.Branches = branches
	}
	if kind != Branches {
		h.Loads = loads
	}
	return h
}

// votedRun runs a warp of a kernel of this package, with all branches herded in software.
func votedRun(body string) (testbench.Counters, error) {
	p, err := assemble(body)
	if err != nil {
		return testbench.Counters{}, err
	}
	var all []int
	for pc := range p.Insts {
		if p.Insts[pc].Conditional() {
			all = append(all, pc)
		}
	}
	if p, err = parsed(vote(module(body), p, all)); err != nil {
		return testbench.Counters{}, err
	}
	return herdedProgram(p, 32, 0, nil)
}
