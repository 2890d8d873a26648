// Package sample summarises measured numbers: means with confidence intervals, the share of the
// variance that each factor explains, and the Pareto front of cost and gain.
//
//	speed, err := sample.Geometric.Interval(bySeed)
//	effects := sample.Explain(logs, factors)
//	best := sample.Front(area, speed)
package sample

import (
	"fmt"
	"math"

	"divergo/internal/nearest"
)

// Mean is a kind of mean of positive numbers. Each is the arithmetic mean on a scale of its own.
type Mean string

// The means. A geometric mean of ratios does not depend on the baseline (Fleming & Wallace, How not
// to lie with statistics, CACM 29(3), 1986). A harmonic mean of speeds weighs equal work, an
// arithmetic mean weighs equal time (Smith, Characterizing computer performance with a single
// number, CACM 31(10), 1988).
const (
	Geometric  Mean = "geometric"
	Harmonic   Mean = "harmonic"
	Arithmetic Mean = "arithmetic"
)

// FindMean returns the mean of a name. Its error suggests the nearest name.
func FindMean(name string) (Mean, error) {
	switch m := Mean(name); m {
	case Geometric, Harmonic, Arithmetic:
		return m, nil
	}
	return "", nearest.Unknown("mean", name, []string{string(Geometric), string(Harmonic), string(Arithmetic)})
}

// Scale maps a number to the scale on which the mean is arithmetic: logarithms, reciprocals, or the
// numbers themselves.
func (m Mean) Scale(v float64) float64 {
	switch m {
	case Geometric:
		return math.Log(v)
	case Harmonic:
		return 1 / v
	}
	return v
}

// Back is the inverse of Scale. A reciprocal that is not positive has no speed; its limit is
// infinite.
func (m Mean) Back(v float64) float64 {
	switch m {
	case Geometric:
		return math.Exp(v)
	case Harmonic:
		if v <= 0 {
			return math.Inf(1)
		}
		return 1 / v
	}
	return v
}

// Of returns the mean of positive numbers. There is at least one.
func (m Mean) Of(values []float64) float64 { return m.Back(mean(m.scaled(values))) }

func (m Mean) scaled(values []float64) []float64 {
	list := make([]float64, len(values))
	for i, v := range values {
		list[i] = m.Scale(v)
	}
	return list
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// Interval is a mean with its confidence interval. Low and High equal Mid if there is one sample.
type Interval struct{ Mid, Low, High float64 }

// Wide reports whether the interval has a width.
func (i Interval) Wide() bool { return i.Low < i.High }

// Interval returns the mean of independent samples with the interval of Student's t at [Confidence].
// It is symmetric on the mean's own scale. High is infinite if a harmonic mean has no upper limit.
func (m Mean) Interval(values []float64) Interval {
	scaled := m.scaled(values)
	mid := mean(scaled)
	i := Interval{m.Back(mid), m.Back(mid), m.Back(mid)}
	if n := len(scaled); n > 1 {
		squares := 0.0
		for _, v := range scaled {
			squares += (v - mid) * (v - mid)
		}
		half := Student(n-1, Confidence) * math.Sqrt(squares/float64(n-1)/float64(n))
		if half <= 1e-9*(1+math.Abs(mid)) { // equal but for rounding
			return i
		}
		i.Low, i.High = m.Back(mid-half), m.Back(mid+half)
		if m == Harmonic {
			i.Low, i.High = i.High, i.Low
		}
	}
	return i
}

// String is the mean, with its interval if that has a width: "1.250 [1.200, 1.310]".
func (i Interval) String() string {
	if !i.Wide() {
		return fmt.Sprintf("%.3f", i.Mid)
	}
	return fmt.Sprintf("%.3f [%.3f, %.3f]", i.Mid, i.Low, i.High)
}
