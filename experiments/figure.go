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

	// Planned draws a figure whose runs follow a plan, in place of Draw.
	Planned func(Plan) (*Drawing, error)
}

// Make draws the figure. Pictures and notes of a figure that follows a plan say which.
func (f *Figure) Make(p Plan) (*Drawing, error) {
	if f.Planned == nil {
		return f.Draw()
	}
	d, err := f.Planned(p)
	if err != nil {
		return nil, err
	}
	d.Notes = append(d.Notes, "Runs "+p.where()+".")
	if p == Quick {
		for i, c := range d.Charts { // which figures share
			switch c := c.(type) {
			case *chart.Groups:
				of := *c
				of.Title += " (quick)"
				d.Charts[i] = &of
			case *chart.Lines:
				of := *c
				of.Title += " (quick)"
				d.Charts[i] = &of
			}
		}
	}
	return d, nil
}

// Source returns the paper and the place.
func (f *Figure) Source() string { return f.Paper.String() + ", " + f.Place }

// Drawing is the result of the runs: a table, and its pictures from top to bottom.
type Drawing struct {
	Header []string
	Rows   [][]any
	Charts chart.Column
	Notes  []string // the paper's values, and reasons for differences

	Caption string // what to see in the pictures
	Table   bool   // the numbers come first on a page, above the pictures
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
