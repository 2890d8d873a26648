package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/experiments"
)

// TestRegister: registered figures and claims have their paper. Incomplete ones, and those of
// another paper, are refused.
func TestRegister(t *testing.T) {
	for _, f := range experiments.Figures() {
		assert.Contains(t, f.Source(), f.Paper.Authors, f.Name)
	}
	assert.Contains(t, source(t, "tbc-fig12"), "Fung & Aamodt, Thread Block Compaction")
	claims, figures := len(experiments.Claims()), len(experiments.Figures())
	draw := func() (*experiments.Drawing, error) { return nil, nil }
	ours := func() (string, error) { return "", nil }
	figure := func(name, place string) []experiments.Figure {
		return []experiments.Figure{{Name: name, Doc: "d", Place: place, Draw: draw}}
	}
	claim := func(id, theirs string) []experiments.Claim {
		return []experiments.Claim{{ID: id, Place: "p", Statement: "s", Theirs: theirs, Ours: ours}}
	}
	mine := experiments.Paper{Key: "mine"}
	for wrong, register := range map[string]func(){
		"no key":              func() { experiments.Register(experiments.Paper{}, nil, nil) },
		"key twice":           func() { experiments.Register(experiments.Paper{Key: "tbc"}, nil, nil) },
		"figure of another":   func() { experiments.Register(mine, figure("tbc-fig1", "p"), nil) },
		"figure of a prefix":  func() { experiments.Register(mine, figure("miner", "p"), nil) },
		"figure of nothing":   func() { experiments.Register(mine, figure("mine-fig1", ""), nil) },
		"claim of another":    func() { experiments.Register(mine, nil, claim("TBC-99", "t")) },
		"claim in lower case": func() { experiments.Register(mine, nil, claim("mine-1", "t")) },
		"claim of nothing":    func() { experiments.Register(mine, figure("mine", "p"), claim("MINE-1", "")) },
	} {
		assert.Panics(t, register, wrong)
	}
	assert.Len(t, experiments.Claims(), claims)
	assert.Len(t, experiments.Figures(), figures)
}

// source returns the source of a figure.
func source(t *testing.T, name string) string {
	f, err := experiments.FindFigure(name)
	assert.NoError(t, err)
	return f.Source()
}
