package experiments

import (
	"slices"

	"divergo/internal/chart"
	"divergo/internal/nearest"
)

// Figure is a figure of a paper that can be made again from runs of the model.
type Figure struct {
	Name   string // s3-fig4
	Doc    string // one line
	Source string // figures and sections of the paper
	Draw   func() (*Drawing, error)
}

// Drawing is what came of the runs: a table, and the pictures of it, one above
// the other.
type Drawing struct {
	Header []string
	Rows   [][]any
	Charts chart.Column
	Notes  []string // the paper's values, and why ours differ
}

// Figures lists all figures.
func Figures() []Figure { return slices.Concat(s0Figures, s1Figures, s2Figures, s3Figures, s4Figures) }

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
	return Figure{}, nearest.Unknown("figure", name, names)
}
