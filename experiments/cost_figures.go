package experiments

import (
	"fmt"

	"divergo/internal/chart"
	"divergo/isa"
)

// costFigures are the figures of the divergence-cost paper.
var costFigures = []Figure{
	{
		Name: "cost-time", Doc: "cycles of the single and the double loop against M, beside the paper's prediction",
		Place: "figures 1, 2 and 7",
		Draw:  drawTime,
	},
	{
		Name: "cost-fig4", Doc: "length of the token stack against the executed instruction, single loop",
		Place: "figure 4",
		Draw:  func() (*Drawing, error) { return drawHistory(1, 4, 16, 31) },
	},
	{
		Name: "cost-fig5", Doc: "length of the token stack against the executed instruction, double loop",
		Place: "figure 5",
		Draw:  func() (*Drawing, error) { return drawHistory(2, 4, 16, 31) },
	},
	{
		Name: "cost-fig6", Doc: "spills, which the paper sees as extra branches, against M", Place: "figure 6",
		Draw: drawSpills,
	},
}

// loopNames and presetNames are the titles, by number of loops and by preset.
var (
	loopNames   = [...]string{1: "single loop", 2: "double loop"}
	presetNames = map[string]string{"kepler": "Kepler", "maxwell": "Maxwell"}
)

// drawTime draws the cycles of each pattern. The paper gives no number for M = 0, so its cycles
// come from the run.
func drawTime() (*Drawing, error) {
	d := &Drawing{Header: []string{"M"}, Rows: make([][]any, patterns)}
	for m := range patterns {
		d.Rows[m] = []any{m}
	}
	for loops := 1; loops <= 2; loops++ {
		c := chart.Lines{Title: "Time of the " + loopNames[loops], X: "M, threads that leave early", Y: "cycles"}
		for _, preset := range []string{"kepler", "maxwell"} {
			runs, err := sweep{preset, loops}.all()
			if err != nil {
				return nil, err
			}
			model := chart.Series{Name: presetNames[preset] + ", paper's model", Style: chart.Rings}
			ours := chart.Series{Name: presetNames[preset] + ", this machine"}
			for m, r := range runs {
				predicted := int(runs[0].cycles) + predict(preset, loops, m)
				d.Rows[m] = append(d.Rows[m], r.cycles, predicted)
				model.X, model.Y = append(model.X, float64(m)), append(model.Y, float64(predicted))
				ours.X, ours.Y = append(ours.X, float64(m)), append(ours.Y, float64(r.cycles))
			}
			d.Header = append(d.Header, preset+" "+[]string{1: "single", 2: "double"}[loops], "model")
			c.Series = append(c.Series, model, ours)
		}
		d.Charts = append(d.Charts, &c)
	}
	return d, nil
}

// drawHistory draws the stack of some patterns, and sums up all patterns.
func drawHistory(loops int, shown ...int) (*Drawing, error) {
	runs, err := sweep{"kepler", loops}.all()
	if err != nil {
		return nil, err
	}
	d := &Drawing{Header: []string{
		"M", "instructions", "sync", "pushes", "longest", "longer than 16 from",
		"with tokens in memory",
	}}
	for m, r := range runs {
		first, syncs, memory := "-", 0, 0
		for i, at := range r.trace {
			if at.depth > 16 && first == "-" {
				first = fmt.Sprint(i)
			}
			if at.op == isa.OpSync {
				syncs++
			}
			if at.spilled > 0 {
				memory++
			}
		}
		d.Rows = append(d.Rows, []any{m, r.issued, syncs, r.stats.Pushes, r.stats.MaxDepth, first, memory})
	}
	for _, m := range shown {
		d.Charts = append(d.Charts, &chart.Lines{
			Title: fmt.Sprintf("Token stack in the %s, M = %d", loopNames[loops],
				m), X: "executed instruction", Y: "tokens",
			Series: []chart.Series{
				history("stack", runs[m].trace, func(at instant) int { return at.depth }),
				history("of it in memory", runs[m].trace, func(at instant) int { return at.spilled }),
			},
		})
	}
	return d, nil
}

// history draws a number over the instructions of a run.
func history(name string, trace []instant, number func(instant) int) chart.Series {
	s := chart.Series{Name: name, Style: chart.Line}
	add := func(i, n int) { s.X, s.Y = append(s.X, float64(i)), append(s.Y, float64(n)) }
	for i, at := range trace {
		n := number(at)
		switch {
		case i == 0 || i == len(trace)-1:
			add(i, n)
		case number(trace[i-1]) != n:
			add(i, number(trace[i-1]))
			add(i, n)
		}
	}
	return s
}

// drawSpills counts the instructions at which the stack spilled. The paper's counters show one more
// branch issue for each.
func drawSpills() (*Drawing, error) {
	d := &Drawing{Header: []string{"M", "single", "model", "double", "model"}, Rows: make([][]any, patterns)}
	c := chart.Lines{Title: "Spills of the token stack", X: "M, threads that leave early", Y: "spills"}
	for m := range patterns {
		d.Rows[m] = []any{m}
	}
	for loops := 1; loops <= 2; loops++ {
		runs, err := sweep{"kepler", loops}.all()
		if err != nil {
			return nil, err
		}
		model, ours := chart.Series{
			Name:  loopNames[loops] + ", paper's model",
			Style: chart.Rings,
		}, chart.Series{Name: loopNames[loops] + ", this machine"}
		for m, r := range runs {
			e := emulate(loops, m)
			d.Rows[m] = append(d.Rows[m], r.extra, e.spills)
			model.X, model.Y = append(model.X, float64(m)), append(model.Y, float64(e.spills))
			ours.X, ours.Y = append(ours.X, float64(m)), append(ours.Y, float64(r.extra))
		}
		c.Series = append(c.Series, model, ours)
	}
	d.Charts = chart.Column{&c}
	return d, nil
}
