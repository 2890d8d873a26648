package testbench

import (
	"math"

	"divergo/internal/sample"
	"divergo/internal/splitmix"
)

// Divided is a launch of which the machine has simulated some CTAs. The functional model runs the
// others, all in the order of the grid, so that results are those of the launch.
//
// Let a wave be as many CTAs as the machine holds at once. A launch of 50 waves or more is divided. The
// machine simulates parts of five waves: one part in Every, and five at least. The first part is the
// start of the grid, the last its end; the others lie in equal intervals, at a place that changes. Each
// begins with empty caches. Two waves warm them, two are measured, and the last one keeps the
// machine full meanwhile.
//
// The second measured waves give the cycles of a thread instruction, by the ratio estimator (Cochran,
// Sampling Techniques, 3rd edition 1977, chapter 6). It stands for the CTAs between the first part and
// the last one. The bound is the interval of Student's t, and the difference to the first measured waves:
// a machine that still warms up is not measured.
type Divided struct {
	CTAs   uint64  `json:"ctas"` // simulated
	Cycles float64 `json:"cycles"`
	Bound  float64 `json:"bound"`
}

// Waves of a part.
const (
	warmWaves    = 2
	partWaves    = 5
	leastWaves   = 50 // of a divided launch
	leastOfParts = 5
)

// parts returns the first CTA of each part of a launch of so many CTAs, nil if it is not divided. The
// places of two launches differ if their seeds do.
func (p *Sampling) parts(ctas, wave, seed uint64) []uint64 {
	if ctas < leastWaves*wave {
		return nil
	}
	size := partWaves * wave
	n := max(leastOfParts, ctas/(uint64(p.Every)*size))
	list := make([]uint64, n)
	random := splitmix.Source(seed)
	interval := (ctas - 2*size) / (n - 2)
	for i := range n - 2 {
		list[i+1] = size + i*interval + (random.Next()>>32)*(interval-size+1)>>32
	}
	list[n-1] = ctas - size
	return list
}

// timing has the moments of a part of a launch: its start, the ends of waves, and its end.
type timing struct {
	cycles, lanes []float64 // since the start of the part; thread instructions since the reset
}

// The moments of a part.
const (
	atStart = iota
	atWarm  // the waves that warm the caches have ended
	atFirst // the first measured wave has ended
	atSecond
	atEnd
)

// between returns the cycles and the thread instructions between two moments.
func (p *timing) between(from, to int) (cycles, lanes float64) {
	return p.cycles[to] - p.cycles[from], p.lanes[to] - p.lanes[from]
}

// divide simulates a launch, or parts of it. It returns the cycles of the launch and their bound. The
// functional model has counted its thread instructions.
func (s *Session) divide(run *Run, work float64, textures bool) (cycles, bound float64, err error) {
	k, wave := run.Launch.kernel(), uint64(s.room(run))
	starts := s.Sample.parts(k.CTAs(), wave, uint64(len(s.Runs)))
	if starts == nil || textures { // the functional model has no instructions of the texture unit
		err = s.simulate(run)
		return float64(run.Outcome.Cycle), 0, err
	}
	var list []timing
	var simulated uint64
	done := uint64(0)
	for _, first := range starts {
		if first > done {
			m, result, err := s.functional(run, done, first)
			if err != nil {
				return 0, 0, err
			}
			m.Changes(s.Write)
			run.Outside += result.Outside
			if run.Outcome = s.emulatedOutcome(&run.Launch, int(wave), result); !run.Outcome.OK() {
				return 0, 0, nil
			}
		}
		done = first + partWaves*wave
		p, err := s.measurePart(run, first, wave)
		if err != nil || !run.Outcome.OK() {
			return 0, 0, err
		}
		list, simulated = append(list, p), simulated+run.Outcome.Cycle
	}
	run.Outcome.Cycle = simulated
	cycles, bound = extrapolate(list, work)
	run.Divided = &Divided{uint64(len(list)) * partWaves * wave, cycles, bound}
	return cycles, bound, s.err
}

// measurePart simulates a part of a launch.
func (s *Session) measurePart(run *Run, first, wave uint64) (p timing, err error) {
	m := s.Machine
	note := func(cycles uint64) {
		lanes := uint64(0)
		for _, sm := range m.SMs {
			for _, sub := range sm.Sub {
				lanes += sub.Issue.Count.Q().Lanes
			}
		}
		p.cycles, p.lanes = append(p.cycles, float64(cycles)), append(p.lanes, float64(lanes))
	}
	note(0)
	err = s.simulatePart(run, first, first+partWaves*wave, func() bool {
		ended, _ := m.Progress()
		for at := len(p.cycles); at < atEnd && ended-first >= uint64(warmWaves+at-atWarm)*wave; at++ {
			note(m.Cycles())
		}
		return s.Limits.Stop != nil && s.Limits.Stop()
	})
	for len(p.cycles) < atEnd { // the last waves have ended at once
		note(run.Outcome.Cycle)
	}
	note(run.Outcome.Cycle)
	return p, err
}

// extrapolate returns the cycles of a launch with so many thread instructions, and their bound.
func extrapolate(list []timing, work float64) (cycles, bound float64) {
	var c, l [atEnd]float64 // sums by the moment at which a wave ends
	for i := range list {
		for at := atFirst; at <= atSecond; at++ {
			cycles, lanes := list[i].between(at-1, at)
			c[at], l[at] = c[at]+cycles, l[at]+lanes
		}
	}
	rate := c[atSecond] / l[atSecond]
	n, squares := float64(len(list)), 0.0
	for i := range list {
		cycles, lanes := list[i].between(atFirst, atSecond)
		squares += (cycles - rate*lanes) * (cycles - rate*lanes)
	}
	deviation := math.Sqrt(squares/(n-1)/n) / (l[atSecond] / n)
	head, headWork := list[0].between(atStart, atSecond)
	tail, tailWork := list[len(list)-1].between(atWarm, atEnd)
	middle := work - headWork - tailWork
	bound = middle * (sample.Student(len(list)-1, Confidence)*deviation + math.Abs(rate-c[atFirst]/l[atFirst]))
	return head + tail + middle*rate, bound
}
