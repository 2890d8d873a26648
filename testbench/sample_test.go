package testbench

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/isa"
)

// TestStudent checks quantiles of Student's distribution against Abramowitz & Stegun, Handbook of
// Mathematical Functions, table 26.10.
func TestStudent(t *testing.T) {
	for _, c := range []struct {
		free int
		t, p float64
	}{
		{1, 12.706, 0.95},
		{1, 63.657, 0.99},
		{2, 4.303, 0.95},
		{3, 3.182, 0.95},
		{5, 2.571, 0.95},
		{10, 3.169, 0.99},
		{30, 2.042, 0.95},
	} {
		assert.InDelta(t, c.p, within(c.t, c.free), 5e-5, "%d degrees of freedom, t = %g", c.free, c.t)
	}
	assert.InDelta(t, Confidence, within(studentT(7), 7), 1e-9)
}

// TestSampler checks the rule: the first five launches of a shape, then each fourth.
func TestSampler(t *testing.T) {
	s := Sampler{Every: 4}
	p := &isa.Program{}
	text := ""
	for range 14 {
		text += fmt.Sprint(map[bool]int{true: 1}[s.simulates(&Launch{Prog: p})])
	}
	assert.Equal(t, "11111000100010", text[:14])
	assert.True(t, s.simulates(&Launch{Prog: p, Shared: 4}), "another shape")
	assert.True(t, s.simulates(&Launch{Prog: &isa.Program{}}), "another kernel")
}

// TestExtrapolate checks the estimate of a shape against figures computed by hand.
func TestExtrapolate(t *testing.T) {
	// A line: y = 100 + 2x.
	line := stratum{[]float64{1, 2, 3, 4, 5}, []float64{102, 104, 106, 108, 110}, []float64{10, 20}}
	cycles, bound := line.extrapolate()
	assert.InDelta(t, 120+140, cycles, 1e-6)
	assert.InDelta(t, 0, bound, 1e-6)

	// Equal work: the mean is 12; s2 = 8/2 = 4; of two launches the variance is 4 (2 + 4/3).
	flat := stratum{[]float64{7, 7, 7}, []float64{10, 12, 14}, []float64{7, 7}}
	cycles, bound = flat.extrapolate()
	assert.InDelta(t, 24, cycles, 1e-9)
	assert.InDelta(t, 13.3333, bound*bound/(studentT(2)*studentT(2)), 1e-3)

	// Residuals 1, -1, -1, 1 about the line 10 + x; s2 = 4/2; x has mean 2.5 and squares 5. One launch
	// at 2.5 has the variance 2 (1 + 1/4).
	noisy := stratum{[]float64{1, 2, 3, 4}, []float64{12, 11, 12, 15}, []float64{2.5}}
	cycles, bound = noisy.extrapolate()
	assert.InDelta(t, 12.5, cycles, 1e-9)
	assert.InDelta(t, 2.5, bound*bound/(studentT(2)*studentT(2)), 1e-9)

	none := stratum{[]float64{1}, []float64{5}, nil}
	cycles, bound = none.extrapolate()
	assert.Zero(t, cycles)
	assert.Zero(t, bound)
}
