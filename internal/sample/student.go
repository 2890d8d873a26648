package sample

import "math"

// Confidence is the probability of each confidence interval.
const Confidence = 0.95

// Student returns the number of standard errors on each side of a mean that an interval of the given
// confidence has, with the given degrees of freedom (1 or more).
//
// For whole degrees of freedom the distribution of Student's t is a finite sum (Abramowitz & Stegun,
// Handbook of Mathematical Functions, 26.7.3 and 26.7.4). The search halves the angle atan(t/√df).
func Student(df int, confidence float64) float64 {
	low, high := 0.0, math.Pi/2
	for range 60 {
		if mid := (low + high) / 2; within(mid, df) < confidence {
			low = mid
		} else {
			high = mid
		}
	}
	return math.Tan(low) * math.Sqrt(float64(df))
}

// within is the probability that |t| is at most √df tan(angle).
func within(angle float64, df int) float64 {
	sin, cos := math.Sincos(angle)
	sum, term := 0.0, 1.0
	first := 0 // the exponent of the first term
	if df%2 == 1 {
		first, term = 1, cos
	}
	for k := first; k <= df-2; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	if df%2 == 0 {
		return sin * sum
	}
	return 2 / math.Pi * (angle + sin*sum)
}
