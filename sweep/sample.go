package sweep

import (
	"runtime"
	"slices"
	"strings"
	"time"
)

// Sample predicts a run from some of its points.
type Sample struct {
	Points        int           // that were run
	Mean, Longest time.Duration // of a point of the sample
	Jobs          int           // points at once
	Time          time.Duration // of the whole run
	Idle          []Effect      // axes that do not matter in the sample, each with the reason
}

const (
	sampleTime   = 3 * time.Second
	samplePoints = 64
)

// TakeSample runs points from all parts of a plan, for some seconds or until one has ended. Their
// results are in a store of their own.
func TakeSample(p *Plan, folder string, o Options) (*Sample, error) {
	store, err := OpenStore(folder)
	if err != nil {
		return nil, err
	}
	of := o.Points
	if of == nil {
		of = make([]int, p.Len())
		for i := range of {
			of[i] = i
		}
	}
	o.Points = spread(of, samplePoints)
	start, stop, progress, made := time.Now(), o.Stop, o.Progress, 0
	o.Progress = func(r Report) {
		if made = r.Made + len(r.Lost); progress != nil {
			progress(r)
		}
	}
	o.Stop = func() bool {
		return stop != nil && stop() || made > 0 && time.Since(start) > sampleTime
	}
	r, err := Run(p, store, o)
	if err != nil {
		return nil, err
	}
	s := &Sample{Points: r.Made, Longest: r.Longest, Jobs: o.Jobs}
	if s.Jobs == 0 {
		s.Jobs = runtime.GOMAXPROCS(0)
	}
	if r.Made > 0 {
		s.Mean = r.Busy / time.Duration(r.Made)
		s.Time = s.Mean * time.Duration(len(of)) / time.Duration(s.Jobs)
	}
	var limits []string
	for row, err := range Collect(p, store) {
		if err != nil {
			return nil, err
		}
		if row.Result != nil && !slices.Contains(limits, row.Result.LimitedBy) {
			limits = append(limits, row.Result.LimitedBy)
		}
	}
	for i := range p.factors {
		f := &p.factors[i]
		if why := p.limited(f, limits); why != "" && f.steps > 1 {
			e := Effect{Why: why}
			for _, a := range f.axes {
				e.Axes = append(e.Axes, p.axes[a].name)
			}
			s.Idle = append(s.Idle, e)
		}
	}
	return s, nil
}

// spread returns at most n points, evenly from the list, in an order whose first points are spread
// too.
func spread(list []int, n int) []int {
	if len(list) <= n {
		n = len(list)
	}
	const golden = 0.6180339887498949 // its multiples, modulo 1, are the most even
	var chosen []int
	taken := map[int]bool{}
	for k := 0; len(chosen) < n; k++ {
		x := float64(k) * golden
		i := int((x - float64(int(x))) * float64(len(list)))
		for taken[i] {
			i = (i + 1) % len(list)
		}
		taken[i] = true
		chosen = append(chosen, list[i])
	}
	return chosen
}

// limited says why the axes of a factor change nothing, if all of them only change how many CTAs an
// SM holds, and others limit that. limits are those of the results.
func (p *Plan) limited(f *factor, limits []string) string {
	if len(limits) == 0 {
		return ""
	}
	for _, a := range f.axes {
		r, ok := resources[p.axes[a].key]
		if !ok || slices.ContainsFunc(limits, func(l string) bool { return slices.Contains(strings.Split(l, ", "), r) }) {
			return ""
		}
	}
	return "the CTAs of an SM are limited by " + strings.Join(slices.Sorted(slices.Values(limits)), "; ")
}
