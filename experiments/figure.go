package experiments

import (
	"divergo/internal/chart"
	"divergo/internal/papers"
)

// Figure is a figure of a paper that runs of the model reproduce.
type Figure struct {
	Name  string // cost-fig4: begins with the key of the paper
	Doc   string // one line
	Place string // figures and sections of the paper
	Draw  func() (*Drawing, error)
	Paper Paper // set by Register
}

// Source returns the paper and the place.
func (f *Figure) Source() string { return f.Paper.String() + ", " + f.Place }

// Drawing is the result of the runs: a table, and its pictures from top to bottom.
type Drawing struct {
	Header []string
	Rows   [][]any
	Charts chart.Column
	Notes  []string // the paper's values, and reasons for differences
}

// The parts of a picture, exported for figures of other modules.
type (
	Column = chart.Column
	Lines  = chart.Lines
	Series = chart.Series
)

// FindFigure returns the figure of a name. Its error suggests the nearest name.
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
