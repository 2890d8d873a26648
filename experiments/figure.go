package experiments

import (
	"divergo/internal/chart"
	"divergo/internal/papers"
)

// Figure is a figure of a paper that can be made again from runs of the model.
type Figure struct {
	Name  string // cost-fig4: begins with the key of the paper
	Doc   string // one line
	Place string // in the paper: figures and sections
	Draw  func() (*Drawing, error)
	Paper Paper // set by Register
}

// Source is the paper and the place.
func (f *Figure) Source() string { return f.Paper.String() + ", " + f.Place }

// Drawing is what came of the runs: a table, and the pictures of it, one above
// the other.
type Drawing struct {
	Header []string
	Rows   [][]any
	Charts chart.Column
	Notes  []string // the paper's values, and why ours differ
}

// The parts of a picture, for figures from other modules.
type (
	Column = chart.Column
	Lines  = chart.Lines
	Series = chart.Series
)

// FindFigure returns the figure of that name. The error suggests the nearest
// one.
func FindFigure(name string) (Figure, error) {
	var names []string
	for _, f := range Figures() {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return Figure{}, papers.Unknown("figure", name, names)
}
