package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"divergo/gpu/area"
	"divergo/sweep"
)

// Read takes the results of a plan from a store. Areas are those at a process technology. The error
// concerns the store, or a machine whose area depends on the kernel.
func Read(p *sweep.Plan, from *sweep.Store, node area.Node) (*Study, error) {
	s := &Study{Name: p.File, Node: node.NM}
	add := func(a *sweep.Axis) {
		to := Axis{Name: a.Name}
		switch a.Name {
		case "kernel":
			to.Kind = Work
		case "seed":
			to.Kind = Seed
		}
		for _, v := range a.Values {
			to.Values = append(to.Values, fmt.Sprint(v))
		}
		s.Axes = append(s.Axes, to)
	}
	for i := range p.Axes {
		add(&p.Axes[i])
	}
	for i := range p.Fixed {
		if a := &p.Fixed[i]; a.Name == "kernel" {
			add(a)
		} else {
			s.Fixed = append(s.Fixed, fmt.Sprintf("%s=%v", a.Name, a.Values[0]))
		}
	}
	first := map[string]int{} // point by machine
	for row, err := range sweep.Collect(p, from) {
		if err != nil {
			return nil, err
		}
		to := Point{Command: p.Command(row.Index), At: make([]int, len(s.Axes))} // 0 on a fixed axis
		for a, v := range row.Values {
			to.At[a] = slices.Index(s.Axes[a].Values, fmt.Sprint(v))
		}
		cfg := p.Config(row.Index)
		if r := row.Result; r != nil {
			to.Outcome, to.Time = r.Outcome, r.Value("cycles")/float64(cfg.Clocks.CoreMHz)
			if to.Outcome == finished && to.Time == 0 { // a CUDA program can end without a launch
				to.Outcome = "no kernel ran"
			}
		}
		of, err := area.Of(&cfg, node)
		if err != nil {
			return nil, fmt.Errorf("area of %s: %w", s.settings(to.At), err)
		}
		to.Area = of.Range
		machine := s.tuple(&to, Machine)
		if i, ok := first[machine]; !ok {
			first[machine] = row.Index
		} else if o := &s.Points[i]; o.Area != to.Area {
			return nil, fmt.Errorf("%s is %s mm² for %s and %s mm² for %s: files of kernels name different machines; "+
				"set preset, or the keys that differ, in the plan", s.settings(to.At), mm2(o.Area.Mid), s.work(o), mm2(to.Area.Mid),
				s.work(&to))
		}
		s.Points = append(s.Points, to)
	}
	effects, err := sweep.Effects(p, from)
	if err != nil {
		return nil, err
	}
	for _, e := range effects {
		if e.Groups > 0 && e.Changed == 0 {
			why := cmp.Or(e.Why, "no statistic changed in "+count(e.Groups, "comparison"))
			s.Idle = append(s.Idle, Idle{strings.Join(e.Axes, " & "), why})
		}
	}
	return s, nil
}
