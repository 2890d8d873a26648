package testbench

import (
	"math"

	"divergo/isa"
)

// Launches of one kernel at one shape do similar work. Sampling simulates some of them on the machine
// and the others on the functional model, and extrapolates the cycles. The rule is systematic sampling
// as in Wunderlich et al. (SMARTS, ISCA 2003, section 3), applied to launches. Caches need no
// warm-up: each launch begins with empty ones, see l2.keep.
//
// Cycles of a shape are a line over thread instructions, which both models count. The line is the
// least-squares fit of the simulated launches. Its prediction error gives the bound (Draper & Smith,
// Applied Regression Analysis, 3rd edition 1998, section 3.1).

// Confidence is the probability with which the bound of an Estimate holds, that of SMARTS.
const Confidence = 0.997

// firstLaunches of each shape are simulated, so that there are enough for a line and its error.
const firstLaunches = 5

// Sampler chooses the launches that the machine simulates: the first five of each shape, and then
// every Every-th. A shape is a kernel, its grid, its block and its dynamic shared memory.
type Sampler struct {
	Every int

	launched map[shapeOf]int
}

// shapeOf names a shape.
type shapeOf struct {
	prog        *isa.Program
	grid, block [3]uint32
	shared      uint32
}

func (l *Launch) shape() shapeOf { return shapeOf{l.Prog, l.Grid, l.Block, l.Shared} }

// simulates reports whether the machine simulates the next launch.
func (s *Sampler) simulates(l *Launch) bool {
	if s.launched == nil {
		s.launched = map[shapeOf]int{}
	}
	n := s.launched[l.shape()]
	s.launched[l.shape()]++
	return n < firstLaunches || n%s.Every == 0
}

// Estimate is the time of a sampled session.
type Estimate struct {
	Simulated int     // launches
	Cycles    float64 // of all launches
	Bound     float64 // largest deviation from the cycles of a full simulation, with Confidence
}

// stratum has the launches of a shape.
type stratum struct {
	x, y   []float64 // thread instructions and cycles of the simulated ones
	others []float64 // thread instructions of the others
}

// Estimate extrapolates the cycles of the session's launches.
func (s *Session) Estimate() (e Estimate) {
	strata, order := map[shapeOf]*stratum{}, []*stratum{}
	for i := range s.Runs {
		r := &s.Runs[i]
		of := strata[r.sampled]
		if of == nil {
			of = &stratum{}
			strata[r.sampled], order = of, append(order, of)
		}
		if r.Emulated {
			of.others = append(of.others, float64(r.Functional.Lanes))
			continue
		}
		e.Simulated++
		e.Cycles += float64(r.Outcome.Cycle)
		of.x, of.y = append(of.x, float64(r.Counters.Lanes)), append(of.y, float64(r.Outcome.Cycle))
	}
	squares := 0.0
	for _, of := range order {
		cycles, bound := of.extrapolate()
		e.Cycles += cycles
		squares += bound * bound
	}
	e.Bound = math.Sqrt(squares)
	return e
}

// extrapolate returns the cycles of the launches that were not simulated, and their bound.
func (of *stratum) extrapolate() (cycles, bound float64) {
	n, m := float64(len(of.x)), float64(len(of.others))
	if m == 0 {
		return 0, 0
	}
	meanX, meanY, meanOthers := mean(of.x), mean(of.y), mean(of.others)
	var xx, xy float64
	for i, x := range of.x {
		xx += (x - meanX) * (x - meanX)
		xy += (x - meanX) * (of.y[i] - meanY)
	}
	slope, free := 0.0, n-1
	away := 0.0 // distance of the others from the simulated ones, in deviations of these
	if xx > 0 {
		slope, free = xy/xx, n-2
		away = (meanOthers - meanX) * (meanOthers - meanX) / xx
	}
	var rest float64
	for i, x := range of.x {
		r := of.y[i] - meanY - slope*(x-meanX)
		rest += r * r
	}
	variance := rest / free * (m + m*m*(1/n+away))
	cycles = m * (meanY + slope*(meanOthers-meanX))
	bound = studentT(int(free)) * math.Sqrt(variance)
	if xx == 0 && meanX > 0 { // nothing is known of the slope: it lies between 0 and proportional
		half := meanY / meanX * m * (meanOthers - meanX) / 2
		cycles, bound = cycles+half, bound+math.Abs(half)
	}
	return cycles, bound
}

func mean(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum / float64(len(list))
}

// studentT returns the t that a variable of Student's distribution with so many degrees of freedom
// exceeds, in magnitude, with probability 1 - Confidence.
func studentT(free int) float64 {
	low, high := 0.0, 1e4
	for range 100 {
		if t := (low + high) / 2; within(t, free) < Confidence {
			low = t
		} else {
			high = t
		}
	}
	return high
}

// within returns the probability of a magnitude of at most t (Abramowitz & Stegun, Handbook of
// Mathematical Functions, 26.7.3 and 26.7.4).
func within(t float64, free int) float64 {
	angle := math.Atan(t / math.Sqrt(float64(free)))
	sin, cos := math.Sincos(angle)
	first := free & 1 // power of the cosine in the first term
	term, sum := math.Pow(cos, float64(first)), 0.0
	for k := first; k <= free-2; k += 2 {
		sum += term
		term *= cos * cos * float64(k+1) / float64(k+2)
	}
	if free&1 == 0 {
		return sin * sum
	}
	return 2 / math.Pi * (angle + sin*sum)
}
