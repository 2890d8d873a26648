package experiments

import (
	"fmt"

	"divergo/internal/chart"
	"divergo/internal/papers"
)

func init() { Register(papers.Ours, acrossFigures, nil) }

// acrossFigures compare what no single paper does. They come first on a page of all figures.
var acrossFigures = []Figure{
	{
		Name: "ours-headline", Doc: "the headline numbers of the papers: theirs, ours, spread", Place: "all papers",
		Planned: drawHeadline,
	},
}

// drawHeadline draws the headline numbers of all papers.
func drawHeadline(p Plan) (*Drawing, error) {
	d := &Drawing{Header: []string{"number", "paper", "theirs", "ours", "least", "most", "ratio", "verdict"}}
	speeds := &chart.Groups{Title: "Speeds", Y: "speed, without = 1", Bars: []string{"ours"}}
	gains := &chart.Groups{Title: "Gains", Y: "%", Bars: []string{"ours"}}
	list := Claims()
	for i := range list {
		c, n := &list[i], list[i].Number
		if n == nil || n.Headline == "" {
			continue
		}
		m, err := n.By(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.ID, err)
		}
		d.Rows = append(d.Rows, []any{
			n.Headline, c.Paper.Short(), n.Theirs, round(m.Mean), round(m.Least), round(m.Most),
			round(m.Mean / n.Theirs), string(n.Verdict(m.Mean)),
		})
		picture := speeds
		if n.Unit == "%" {
			picture = gains
		}
		g := chart.Group{
			Name: n.Headline, Values: [][]float64{{max(m.Mean, 0)}}, Theirs: []float64{n.Theirs},
		}
		if m.Inputs > 1 {
			g.Spread = [][2]float64{{max(m.Least, 0), max(m.Most, 0)}}
		}
		picture.Groups = append(picture.Groups, g)
	}
	d.Charts = chart.Column{speeds, gains}
	d.Notes = []string{
		"Theirs are the numbers of the papers' abstracts, results and conclusions; claims.md has all of them. A match is within a quarter of the paper's effect (0.02 of a speed and 2 points at least); order is an effect of the same sign.",
	}
	return d, nil
}
