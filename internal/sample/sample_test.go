package sample_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/leanovate/gopter"
	"github.com/leanovate/gopter/gen"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/internal/sample"
)

// TestStudent: the table of the NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2.
func TestStudent(t *testing.T) {
	for df, want := range map[int]float64{
		1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 9: 2.262, 10: 2.228, 30: 2.042, 99: 1.984, 100: 1.984,
	} {
		assert.InDelta(t, want, sample.Student(df, sample.Confidence), 5e-4, "%d degrees of freedom", df)
	}
}

// density is that of Student's t.
func density(x, df float64) float64 {
	a, _ := math.Lgamma((df + 1) / 2)
	b, _ := math.Lgamma(df / 2)
	return math.Exp(a-b) / math.Sqrt(df*math.Pi) * math.Pow(1+x*x/df, -(df+1)/2)
}

func TestStudentProperties(t *testing.T) {
	forall.CheckMany(t, 200, "the density of t between both quantiles integrates to the confidence", gen.IntRange(1, 200),
		func(t *forall.T, df int) {
			for _, confidence := range []float64{sample.Confidence, 0.8} {
				q := sample.Student(df, confidence)
				const steps = 2000 // Simpson's rule
				sum, h := density(-q, float64(df))+density(q, float64(df)), 2*q/steps
				for i := 1; i < steps; i++ {
					sum += float64(2+2*(i%2)) * density(-q+float64(i)*h, float64(df))
				}
				require.InDelta(t, confidence, sum*h/3, 1e-6)
			}
		})
}

// positive draws lists of positive numbers.
func positive(most int) gopter.Gen {
	return forall.List(most, gen.Float64Range(0.01, 100)).SuchThat(func(v []float64) bool { return len(v) > 0 })
}

func TestMeanProperties(t *testing.T) {
	forall.Check(t, "means are what their names say, and harmonic <= geometric <= arithmetic", positive(12),
		func(t *forall.T, values []float64) {
			product, sum, reciprocals, n := 1.0, 0.0, 0.0, float64(len(values))
			for _, v := range values {
				product *= v
				sum += v
				reciprocals += 1 / v
			}
			g, h, a := sample.Geometric.Of(values), sample.Harmonic.Of(values), sample.Arithmetic.Of(values)
			require.InEpsilon(t, math.Pow(product, 1/n), g, 1e-9)
			require.InEpsilon(t, n/reciprocals, h, 1e-9)
			require.InEpsilon(t, sum/n, a, 1e-9)
			require.LessOrEqual(t, h, g*(1+1e-9))
			require.LessOrEqual(t, g, a*(1+1e-9))
			for _, m := range []sample.Mean{sample.Geometric, sample.Harmonic, sample.Arithmetic} {
				i := m.Interval(values)
				require.InEpsilon(t, m.Of(values), i.Mid, 1e-9)
				require.LessOrEqual(t, i.Low, i.Mid*(1+1e-9))
				require.GreaterOrEqual(t, i.High, i.Mid*(1-1e-9))
			}
		})
}

// TestInterval: 1 to 5 has the mean 3 and the standard error √(2.5/5), and t is 2.776.
func TestInterval(t *testing.T) {
	i := sample.Arithmetic.Interval([]float64{1, 2, 3, 4, 5})
	assert.InDelta(t, 3, i.Mid, 1e-12)
	assert.InDelta(t, 3-2.776*math.Sqrt(.5), i.Low, 1e-3)
	assert.InDelta(t, 3+2.776*math.Sqrt(.5), i.High, 1e-3)
	assert.Equal(t, "2.000", sample.Geometric.Interval([]float64{2}).String())
	assert.True(t, math.IsInf(sample.Harmonic.Interval([]float64{.1, 10}).High, 1), "the interval of the reciprocals includes 0")
	_, err := sample.FindMean("harmonics")
	assert.ErrorContains(t, err, "harmonic")
}

// TestCoverage: of intervals around means of normal samples, 95 % hold the true mean.
func TestCoverage(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const many = 20_000
	hold := 0
	for range many {
		values := make([]float64, 4)
		for i := range values {
			values[i] = 7 + 2*random.NormFloat64()
		}
		if i := sample.Arithmetic.Interval(values); i.Low <= 7 && 7 <= i.High {
			hold++
		}
	}
	// the standard deviation of the share is 0.0015
	assert.InDelta(t, .95, float64(hold)/many, .006)
}

// point is a point with few different values, so that equal ones occur.
type point struct{ Cost, Gain int }

func TestFrontProperties(t *testing.T) {
	points := forall.List(40, forall.Struct[point](map[string]gopter.Gen{
		"Cost": gen.IntRange(0, 12), "Gain": gen.IntRange(0, 12),
	}))
	forall.Check(t, "the front is the points that no other point dominates", points, func(t *forall.T, list []point) {
		var cost, gain []float64
		var want []int
		for i, p := range list {
			cost, gain = append(cost, float64(p.Cost)), append(gain, float64(p.Gain))
			dominated := false
			for _, o := range list {
				dominated = dominated || o != p && o.Cost <= p.Cost && o.Gain >= p.Gain
			}
			if !dominated {
				want = append(want, i)
			}
		}
		front := sample.Front(cost, gain)
		require.ElementsMatch(t, want, front)
		for k := 1; k < len(front); k++ {
			require.LessOrEqual(t, cost[front[k-1]], cost[front[k]])
		}
	})
}
