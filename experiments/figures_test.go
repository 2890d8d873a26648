package experiments_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/internal/chart"
	"divergo/isa"
	"divergo/kernels"
	"divergo/units"
)

func draw(t *testing.T, name string) *experiments.Drawing {
	t.Helper()
	f, err := experiments.FindFigure(name)
	require.NoError(t, err)
	d, err := f.Make(experiments.Quick)
	require.NoError(t, err)
	for _, row := range d.Rows {
		require.Len(t, row, len(d.Header))
	}
	return d
}

// TestCostModel: time and spills of the loops follow the paper's model for every pattern.
func TestCostModel(t *testing.T) {
	for _, name := range []string{"cost-time", "cost-fig6"} {
		d := draw(t, name)
		require.Len(t, d.Rows, 32)
		for _, row := range d.Rows {
			for i := 1; i < len(row); i += 2 {
				assert.EqualValues(t, row[i+1], row[i], "%s, M = %v, %s", name, row[0], d.Header[i])
			}
		}
	}
}

// TestCostHistory: the stack of the single loop grows by a token every 4 instructions, one round,
// once the first thread has left. It then shrinks by one with each instruction (figure 4). The
// double loop does so in each of 32 rounds (figure 5).
func TestCostHistory(t *testing.T) {
	patterns := []int{4, 16, 31}
	for name, peaks := range map[string]int{"cost-fig4": 1, "cost-fig5": 32} {
		d := draw(t, name)
		require.Len(t, d.Charts, len(patterns))
		for i, m := range patterns {
			s := d.Charts[i].(*chart.Lines).Series[0]
			var up, down []float64 // instructions between the steps of the first rise and fall
			tops, last := 0, 0.0
			for k := 1; k < len(s.X); k++ {
				step := s.Y[k] - s.Y[k-1]
				assert.True(t, step == 0 || (step == 1 || step == -1) && s.X[k] == s.X[k-1], "one token at a time")
				switch {
				case step == 1:
					up = append(up, s.X[k]-last)
					down, last = nil, s.X[k]
				case step == -1:
					if down == nil {
						tops++
					}
					down, last = append(down, s.X[k]-last), s.X[k]
				}
			}
			assert.EqualValues(t, m+peaks/32+1, slices.Max(s.Y), "%s, M = %d", name, m)
			assert.Equal(t, peaks, tops, "%s, M = %d", name, m)
			if name == "cost-fig4" {
				for _, n := range down[1:] {
					assert.EqualValues(t, 1, n)
				}
				for _, n := range up[2:] {
					assert.EqualValues(t, 4, n)
				}
			}
		}
	}
}

// TestSLPRates: the rates of bitonic sort's P-branches, for a CTA of 256 threads, equal a count by
// hand. The count finds the paths, of 80, that each permutation compacts.
func TestSLPRates(t *testing.T) {
	paths, err := experiments.MeasurePaths(kernels.NewBitonic(256, 256, 1), 32)
	require.NoError(t, err)
	all := paths.Total(isa.ClassProgrammatic).All
	assert.Equal(t, 80, all.Paths)
	for p, want := range map[units.Permutation]float64{
		units.Sequential: 0, units.OddEven: .3, units.XOROddHalf: .2, units.FlipOdd: 1, units.RotateOdd: .3,
		units.WID: .75, units.RevWID: .6, units.Balanced: 1,
	} {
		assert.InDelta(t, want, all.Rate(all.Under(p)), 1e-9, p)
	}
}

// TestSLPTheirRates: the figure of rates shows the paper's numbers beside ours.
func TestSLPTheirRates(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks")
	}
	d := draw(t, "slp-fig11")
	assert.NotEmpty(t, d.Notes)
	mean := slices.IndexFunc(d.Rows, func(row []any) bool { return row[0] == "mean" })
	list := d.Charts[0].(*chart.Groups)
	assert.Equal(t, []float64{3.2, 28.9, 52.8, 71.5, 72.7}, known(list.Groups[mean].Theirs), "as the text has them")
}

// known returns the numbers of a list that are not NaN.
func known(list []float64) (of []float64) {
	for _, v := range list {
		if !math.IsNaN(v) {
			of = append(of, v)
		}
	}
	return of
}

// TestPPCFigures: no kernel has a lower activity factor with paired paths than with
// post-dominators. Without reconvergence instructions, none executes more instructions (Huang et
// al., section IV).
func TestPPCFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks")
	}
	for _, row := range draw(t, "ppc-fig6").Rows {
		assert.GreaterOrEqual(t, row[2], row[1], row[0])
		assert.GreaterOrEqual(t, row[3], row[2], row[0])
	}
	for _, row := range draw(t, "ppc-fig8").Rows {
		assert.Less(t, row[1], 1., row[0])
	}
}

// TestResident: no kernel has more CTAs on an SM than the registers and threads of table 2 hold.
// Kernels with another limit have as many CTAs as in table 1.
func TestResident(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks")
	}
	same := 0
	for _, row := range draw(t, "tbc-table1").Rows {
		threads, ours, registers := row[2].(int), row[4].(int), row[6].(int)
		assert.LessOrEqual(t, ours*threads*registers, 16384, row[0])
		assert.LessOrEqual(t, ours*threads, 1024, row[0])
		if row[1] == "CP" || row[1] == "STMCL" || row[1] == "BACKP" {
			assert.Contains(t, row[3], fmt.Sprint(ours), row[0])
			same++
		}
	}
	assert.Equal(t, 4, same)
}

// TestSLPParts: where half to three quarters of the threads are active, Balanced compacts the paths
// that Rev_WID misses. In bitonic sort it compacts all of them (Rhu & Erez, ISCA 2013, section
// 6.1).
func TestSLPParts(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks")
	}
	for _, row := range draw(t, "slp-fig12").Rows {
		if row[1] == "1/2 to 3/4" && row[7].(float64) > 0 {
			assert.GreaterOrEqual(t, row[6], row[5], row[0])
			if row[0] == "BITONIC" {
				assert.Less(t, row[5], 100.)
				assert.Equal(t, 100., row[6])
			}
		}
	}
}

func ExampleFindFigure() {
	_, err := experiments.FindFigure("cost-fig")
	fmt.Println(err)
	// Output: unknown figure "cost-fig"; did you mean "cost-fig4"?
}
