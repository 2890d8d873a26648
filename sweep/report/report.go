package report

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"divergo/gpu/area"
	"divergo/internal/nearest"
	"divergo/internal/sample"
)

// Options choose what a report compares.
type Options struct {
	Budget   float64     // in mm²; 0: no limit
	Mean     sample.Mean // over kernels and seeds; "": geometric
	Baseline []string    // "axis=value"; other axes have the first value that the plan has a result for
}

// Report is a study with its answers.
type Report struct {
	*Study
	Budget   float64
	Mean     sample.Mean
	Kernels  []string
	Seeds    int
	Machines []Config // those with a result for each kernel and seed, in the order of the plan
	Baseline int      // index in Machines
	Front    []int    // indices in Machines, by ascending area
	Best     []int    // indices in Machines within the budget, the fastest first
	LeftOut  []LeftOut
	Finished int // points
	Factors  []Factor
	Explained
}

// Explained are the effects of factors on speed: see [sample.Explain].
type Explained = sample.Explained

// Config is a machine of the sweep.
type Config struct {
	At       []int // index of the value, by axis of the study; only axes of machines count
	Area     area.Range
	Speed    sample.Interval   // mean over kernels, times the baseline
	ByKernel []sample.Interval // times the baseline
	Commands []string          // one for each kernel, with the first seed
}

// LeftOut counts machines that are not compared, because a point has no result.
type LeftOut struct {
	Outcome  string // "no result" for a point that was not run
	Kernel   string
	Machines int
	First    string // the first machine
}

// Factor is an axis whose effect is measured, or several axes that always change together.
type Factor struct {
	Name   string
	Levels []Level
}

// Level is a value of a factor.
type Level struct {
	Name  string
	Speed float64 // mean over the points with this value, times the baseline
	N     int     // points
}

// group is the points of a machine, by kernel and seed. A nil point is not in the plan.
type group struct {
	first  *Point
	points [][]*Point
}

// New compares the machines of a study. The error says which baseline has no result, or that there
// is nothing to compare.
func New(s *Study, o Options) (*Report, error) {
	r := &Report{Study: s, Budget: o.Budget, Mean: cmp.Or(o.Mean, sample.Geometric)}
	works, seeds, machines := numbering{}, numbering{}, numbering{}
	var groups []group
	for i := range s.Points {
		p := &s.Points[i]
		w, m := works.of(s.tuple(p, Work)), machines.of(s.tuple(p, Machine))
		if w == len(r.Kernels) {
			r.Kernels = append(r.Kernels, s.work(p))
		}
		seeds.of(s.tuple(p, Seed))
		if m == len(groups) {
			groups = append(groups, group{first: p})
		}
	}
	r.Seeds = len(seeds)
	for i := range groups {
		groups[i].points = make([][]*Point, len(works))
		for w := range works {
			groups[i].points[works[w]] = make([]*Point, len(seeds))
		}
	}
	for i := range s.Points {
		p := &s.Points[i]
		if p.Outcome == finished {
			r.Finished++
		}
		groups[machines.of(s.tuple(p, Machine))].points[works.of(s.tuple(p, Work))][seeds.of(s.tuple(p, Seed))] = p
	}
	whole := slices.DeleteFunc(slices.Clone(groups), func(g group) bool { w, _ := g.gap(); return w >= 0 })
	base, err := r.baseline(groups, whole, o.Baseline)
	if err != nil {
		return nil, err
	}
	for i := range whole {
		r.Machines = append(r.Machines, r.config(&whole[i], &whole[base]))
	}
	r.Baseline = base
	r.leaveOut(groups)
	r.rank()
	r.explain(groups, &whole[base])
	return r, nil
}

const finished = "finished"

// numbering gives each new name the next number.
type numbering map[string]int

func (n numbering) of(name string) int {
	i, ok := n[name]
	if !ok {
		i = len(n)
		n[name] = i
	}
	return i
}

// gap returns the first kernel and seed without a result, -1 if there is none.
func (g *group) gap() (kernel, seed int) {
	for w := range g.points {
		for s, p := range g.points[w] {
			if p == nil || p.Outcome != finished {
				return w, s
			}
		}
	}
	return -1, -1
}

// baseline returns the index in whole of the first machine with the given values.
func (r *Report) baseline(groups, whole []group, given []string) (int, error) {
	want := map[int]int{} // value by axis
	for _, text := range given {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return 0, fmt.Errorf("--baseline %q: want AXIS=VALUE, for example %s", text, r.settings(r.Points[0].At))
		}
		var names []string
		for a := range r.Axes {
			if r.Axes[a].Kind == Machine {
				names = append(names, r.Axes[a].Name)
			}
		}
		if !slices.Contains(names, name) {
			return 0, fmt.Errorf("--baseline: %w", nearest.Unknown("axis", name, names))
		}
		a := slices.IndexFunc(r.Axes, func(x Axis) bool { return x.Name == name })
		v := slices.Index(r.Axes[a].Values, value)
		if v < 0 {
			return 0, fmt.Errorf("--baseline: %w", nearest.Unknown("value of "+name, value, r.Axes[a].Values))
		}
		want[a] = v
	}
	fits := func(g group) bool {
		for a, v := range want {
			if g.first.At[a] != v {
				return false
			}
		}
		return true
	}
	if i := slices.IndexFunc(whole, fits); i >= 0 {
		return i, nil
	}
	if i := slices.IndexFunc(groups, fits); i >= 0 {
		w, s := groups[i].gap()
		why := "no result of this build of divergo; run the sweep first"
		if p := groups[i].points[w][s]; p != nil && p.Outcome != "" {
			why = p.Outcome
		}
		return 0, fmt.Errorf("no machine can be the baseline: %s on %s: %s", r.settings(groups[i].first.At),
			r.Kernels[w], why)
	}
	return 0, errors.New("the plan has no machine with all values of --baseline")
}

// config compares a machine with the baseline.
func (r *Report) config(g, base *group) Config {
	c := Config{At: g.first.At, Area: g.first.Area}
	bySeed := make([][]float64, r.Seeds) // by kernel
	for w := range g.points {
		speeds := make([]float64, r.Seeds)
		for s, p := range g.points[w] {
			speeds[s] = base.points[w][s].Time / p.Time
			bySeed[s] = append(bySeed[s], speeds[s])
		}
		c.ByKernel = append(c.ByKernel, r.Mean.Interval(speeds))
		c.Commands = append(c.Commands, g.points[w][0].Command)
	}
	means := make([]float64, r.Seeds)
	for s := range means {
		means[s] = r.Mean.Of(bySeed[s])
	}
	c.Speed = r.Mean.Interval(means)
	return c
}

// leaveOut counts the machines that lack a result, by the first point without one.
func (r *Report) leaveOut(groups []group) {
	for i := range groups {
		w, s := groups[i].gap()
		if w < 0 {
			continue
		}
		outcome := "no result"
		if p := groups[i].points[w][s]; p == nil {
			outcome = "not in the plan"
		} else if p.Outcome != "" {
			outcome = p.Outcome
		}
		same := func(l LeftOut) bool { return l.Outcome == outcome && l.Kernel == r.Kernels[w] }
		k := slices.IndexFunc(r.LeftOut, same)
		if k < 0 {
			k = len(r.LeftOut)
			r.LeftOut = append(r.LeftOut, LeftOut{outcome, r.Kernels[w], 0, r.settings(groups[i].first.At)})
		}
		r.LeftOut[k].Machines++
	}
}

// rank finds the front, and the order within the budget.
func (r *Report) rank() {
	var size, speed []float64
	for i := range r.Machines {
		c := &r.Machines[i]
		size, speed = append(size, c.Area.Mid), append(speed, c.Speed.Mid)
		if r.Budget == 0 || c.Area.Mid <= r.Budget {
			r.Best = append(r.Best, i)
		}
	}
	r.Front = sample.Front(size, speed)
	slices.SortStableFunc(r.Best, func(a, b int) int {
		return cmp.Or(cmp.Compare(speed[b], speed[a]), cmp.Compare(size[a], size[b]))
	})
}

// Common counts the machines of the front that are also on the front of the low estimates of area,
// or of the high ones.
func (r *Report) Common(high bool) (n int) {
	var size, speed []float64
	for i := range r.Machines {
		c := &r.Machines[i]
		v := c.Area.Low
		if high {
			v = c.Area.High
		}
		size, speed = append(size, v), append(speed, c.Speed.Mid)
	}
	for _, i := range sample.Front(size, speed) {
		if slices.Contains(r.Front, i) {
			n++
		}
	}
	return n
}

// explain finds the effects of the axes on speed, on the scale of the mean.
func (r *Report) explain(groups []group, base *group) {
	var y []float64
	var points []*Point
	for i := range groups {
		for w := range groups[i].points {
			for s, p := range groups[i].points[w] {
				if p == nil || p.Outcome != finished {
					continue
				}
				points, y = append(points, p), append(y, r.Mean.Scale(base.points[w][s].Time/p.Time))
			}
		}
	}
	var levels [][]int
	for _, axes := range r.together(points) {
		f := Factor{}
		var names []string
		for _, a := range axes {
			names = append(names, r.Axes[a].Name)
		}
		f.Name = strings.Join(names, " & ")
		number := numbering{}
		of := make([]int, len(points))
		var sums []float64
		for i, p := range points {
			var values []string
			for _, a := range axes {
				values = append(values, r.Axes[a].Values[p.At[a]])
			}
			of[i] = number.of(strings.Join(values, " / "))
			if of[i] == len(f.Levels) {
				f.Levels, sums = append(f.Levels, Level{Name: strings.Join(values, " / ")}), append(sums, 0)
			}
			f.Levels[of[i]].N++
			sums[of[i]] += y[i]
		}
		for k := range f.Levels {
			f.Levels[k].Speed = r.Mean.Back(sums[k] / float64(f.Levels[k].N))
		}
		r.Factors, levels = append(r.Factors, f), append(levels, of)
	}
	r.Explained = sample.Explain(y, levels)
}

// together lists the axes that vary, without seeds. Axes that always change together are one entry.
func (r *Report) together(points []*Point) (list [][]int) {
	for a := range r.Axes {
		varies := slices.ContainsFunc(points, func(p *Point) bool { return p.At[a] != points[0].At[a] })
		if r.Axes[a].Kind == Seed || !varies {
			continue
		}
		k := slices.IndexFunc(list, func(axes []int) bool { return oneToOne(points, axes[0], a) })
		if k < 0 {
			list = append(list, []int{a})
		} else {
			list[k] = append(list[k], a)
		}
	}
	return list
}

// oneToOne reports whether the value of each of two axes gives that of the other one.
func oneToOne(points []*Point, a, b int) bool {
	there, back := map[int]int{}, map[int]int{}
	for _, p := range points {
		v, ok := there[p.At[a]]
		w, also := back[p.At[b]]
		if ok && v != p.At[b] || also && w != p.At[a] {
			return false
		}
		there[p.At[a]], back[p.At[b]] = p.At[b], p.At[a]
	}
	return true
}

// Settings names a machine: its values on the axes of machines that vary.
func (r *Report) Settings(machine int) string { return r.settings(r.Machines[machine].At) }

// MainEffect returns the share of a factor by itself.
func (r *Report) MainEffect(factor int) float64 { return r.Pair(factor, factor) }

// Pair returns the share of two factors together, or the main effect of one.
func (r *Report) Pair(a, b int) float64 {
	if a == b {
		b = -1
	}
	for _, e := range r.Effects {
		if e.A == a && e.B == b || e.B >= 0 && e.A == b && e.B == a {
			return e.Share
		}
	}
	return math.NaN()
}
