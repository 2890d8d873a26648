package sample_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/sample"
)

// TestTextbook: the life of batteries by material and temperature. Montgomery, Design and Analysis of
// Experiments, tables 5.1 and 5.5: sums of squares 10,683.72, 39,118.72, interaction 9,613.78, error
// 18,230.75, total 77,646.97.
func TestTextbook(t *testing.T) {
	var life []float64
	var material, temperature []int
	for m, row := range [3][3][4]float64{
		{{130, 155, 74, 180}, {34, 40, 80, 75}, {20, 70, 82, 58}},
		{{150, 188, 159, 126}, {136, 122, 106, 115}, {25, 70, 58, 45}},
		{{138, 110, 168, 160}, {174, 120, 150, 139}, {96, 104, 82, 60}},
	} {
		for k, cell := range row {
			for _, v := range cell {
				life, material, temperature = append(life, v), append(material, m), append(temperature, k)
			}
		}
	}
	e := sample.Explain(life, [][]int{material, temperature})
	const total = 77_646.97
	assert.True(t, e.Balanced)
	require.Len(t, e.Effects, 3)
	for i, want := range []sample.Effect{{0, -1, 10_683.72}, {1, -1, 39_118.72}, {0, 1, 9_613.78}} {
		assert.Equal(t, want.A, e.Effects[i].A)
		assert.Equal(t, want.B, e.Effects[i].B)
		assert.InDelta(t, want.Share, e.Effects[i].Share*total, .01)
	}
	assert.InDelta(t, 18_230.75, e.Within*total, .01)
	assert.InDelta(t, 0, e.Higher, 1e-9)
}

// TestNothingVaries: equal observations have no effects.
func TestNothingVaries(t *testing.T) {
	e := sample.Explain([]float64{.1, .1, .1, .1}, [][]int{{0, 0, 1, 1}, {0, 1, 0, 1}})
	assert.True(t, e.Balanced)
	for _, of := range e.Effects {
		assert.Zero(t, of.Share)
	}
}

// observation is a value under levels of three factors.
type observation struct {
	A, B, C int
	Y       float64
}

type observations []observation

func (o observations) split() (y []float64, levels [][]int) {
	levels = make([][]int, 3)
	for _, v := range o {
		y = append(y, v.Y)
		levels[0], levels[1], levels[2] = append(levels[0], v.A), append(levels[1], v.B), append(levels[2], v.C)
	}
	return y, levels
}

func draw() gopter.Gen {
	return forall.List(30, forall.Struct[observation](map[string]gopter.Gen{
		"A": gen.IntRange(0, 1), "B": gen.IntRange(0, 2), "C": gen.IntRange(0, 1), "Y": gen.Float64Range(-10, 10),
	}))
}

// left is the sum of squares that a least-squares fit on indicator variables leaves. It makes an
// orthonormal basis of the columns by Gram and Schmidt.
func left(y []float64, groups ...[]string) float64 {
	rest := append([]float64{}, y...)
	var basis [][]float64
	without := func(v []float64) {
		for _, b := range basis {
			dot := 0.0
			for i := range v {
				dot += v[i] * b[i]
			}
			for i := range v {
				v[i] -= dot * b[i]
			}
		}
	}
	square := func(v []float64) (sum float64) {
		for _, x := range v {
			sum += x * x
		}
		return sum
	}
	for _, g := range groups {
		seen := map[string]bool{}
		for _, name := range g {
			if seen[name] {
				continue
			}
			seen[name] = true
			column := make([]float64, len(y))
			for i := range g {
				if g[i] == name {
					column[i] = 1
				}
			}
			without(column)
			without(column) // once more, against rounding
			if n := square(column); n > 1e-9 {
				for i := range column {
					column[i] /= math.Sqrt(n)
				}
				basis = append(basis, column)
			}
		}
	}
	without(rest)
	return square(rest)
}

func TestExplainProperties(t *testing.T) {
	forall.CheckMany(t, 400, "shares are what a least-squares fit on indicator variables gives", draw(),
		func(t *forall.T, list []observation) {
			if len(list) == 0 {
				return
			}
			y, levels := observations(list).split()
			names := func(factors ...int) []string {
				group := make([]string, len(y))
				for i := range group {
					for _, f := range factors {
						group[i] += fmt.Sprint(levels[f][i], " ")
					}
				}
				return group
			}
			a, b, c, ab, ac, bc := names(0), names(1), names(2), names(0, 1), names(0, 2), names(1, 2)
			one := names()
			total := left(y, one)
			if total < 1e-9 {
				return
			}
			all := left(y, one, a, b, c, ab, ac, bc)
			e := sample.Explain(y, levels)
			cells, values := map[observation]int{}, 1
			for _, o := range list {
				cells[observation{A: o.A, B: o.B, C: o.C}]++
			}
			for _, g := range [][]string{a, b, c} {
				values *= len(slices.Compact(slices.Sorted(slices.Values(g))))
			}
			counts := slices.Collect(maps.Values(cells))
			require.Equal(t, len(cells) == values && slices.Min(counts) == slices.Max(counts), e.Balanced)
			for i, want := range []float64{
				left(y, one, b, c, bc) - left(y, one, a, b, c, bc),
				left(y, one, a, c, ac) - left(y, one, a, b, c, ac),
				left(y, one, a, b, ab) - left(y, one, a, b, c, ab),
				left(y, one, a, b, c, ac, bc) - all,
				left(y, one, a, b, c, ab, bc) - all,
				left(y, one, a, b, c, ab, ac) - all,
			} {
				require.InDelta(t, want/total, e.Effects[i].Share, 1e-5, "effect %d", i)
			}
			within := left(y, names(0, 1, 2))
			require.InDelta(t, within/total, e.Within, 1e-9)
			require.InDelta(t, (all-within)/total, e.Higher, 1e-5)
		})

	full := forall.List(24, gen.Float64Range(-10, 10)).Map(func(y []float64) observations {
		var list observations
		for i := range 24 {
			o := observation{A: i % 2, B: i / 2 % 3, C: i / 6 % 2}
			if i < len(y) {
				o.Y = y[i]
			}
			list = append(list, o)
		}
		return list
	})
	forall.CheckMany(t, 400, "the shares of a full factorial add up to 1", full, func(t *forall.T, list observations) {
		y, levels := list.split()
		e := sample.Explain(y, levels)
		require.True(t, e.Balanced)
		sum := e.Within + e.Higher
		for _, of := range e.Effects {
			sum += of.Share
		}
		if sum != 0 {
			require.InDelta(t, 1, sum, 1e-9)
		}
	})
}
