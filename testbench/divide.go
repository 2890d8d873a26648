package testbench

import (
	"math"

	"divergo/internal/sample"
	"divergo/internal/splitmix"
)

// Divided is a launch of which the machine has simulated some CTAs. The functional model runs the
// others, all in the order of the grid, so that results are those of the launch.
//
// Let a wave be as many CTAs as the machine holds at once. A launch of 200 waves or more is divided. The
// machine simulates the first 64 waves, the last five, and parts of five waves between them: one wave
// in Every, and three parts at least. These lie in equal intervals, at a place that changes. A part
// begins with empty caches: two waves warm them, two are measured, and one keeps the machine full
// meanwhile.
//
// The measured waves give the cycles of a thread instruction, by the ratio estimator (Cochran, Sampling
// Techniques, 3rd edition 1977, chapter 6). The CTAs of a large launch spread over time and the caches
// fill, for longer than two waves. The first part tells by how much: late measures its last 16 waves
// before the one that keeps the machine full, relative to the waves that a short part measures. The
// CTAs between the first part and the last one take a time between both rates: the estimate is the
// middle. The bound is the interval of Student's t and the difference between both rates.
type Divided struct {
	CTAs   uint64  `json:"ctas"` // simulated
	Cycles float64 `json:"cycles"`
	Bound  float64 `json:"bound"`
}

// Waves of a part.
const (
	warmWaves     = 2
	measuredWaves = 2
	partWaves     = 5
	firstWaves    = 64 // of the first part
	lateWaves     = 16 // of these, measured late
	leastWaves    = 200
	leastParts    = 5
)

// span is a part of a grid: CTAs from first up to end, not included.
type span struct{ first, end uint64 }

// parts returns the parts of a launch of so many CTAs, nil if it is not divided. Their places depend on
// the seed.
func (p *Sampling) parts(ctas, wave, seed uint64) []span {
	if ctas < leastWaves*wave {
		return nil
	}
	size := partWaves * wave
	n := max(leastParts, ctas/(uint64(p.Every)*size))
	list := []span{{0, firstWaves * wave}}
	random := splitmix.Source(seed)
	interval := (ctas - firstWaves*wave - size) / (n - 2)
	for i := range n - 2 {
		first := firstWaves*wave + i*interval + (random.Next()>>32)*(interval-size+1)>>32
		list = append(list, span{first, first + size})
	}
	return append(list, span{ctas - size, ctas})
}

// timing has the moments of a part of a launch: its start, the ends of waves, and its end.
type timing struct {
	cycles, lanes []float64 // since the start of the part; thread instructions since the reset
}

// The moments of a part. A short part has no late waves.
const (
	atStart = iota
	atWarm
	atMeasured
	atLate
	atSettled
)

// moments are the waves that have ended at each moment.
var moments = [...]uint64{
	0, warmWaves, warmWaves + measuredWaves, firstWaves - 1 - lateWaves, firstWaves - 1,
}

// between returns the cycles and the thread instructions between two moments.
func (p *timing) between(from, to int) (cycles, lanes float64) {
	return p.cycles[to] - p.cycles[from], p.lanes[to] - p.lanes[from]
}

// divide simulates a launch, or parts of it. It returns the cycles of the launch and their bound. The
// functional model has counted its thread instructions.
func (s *Session) divide(run *Run, work float64, textures bool) (cycles, bound float64, err error) {
	k, wave := run.Launch.kernel(), uint64(s.room(run))
	parts := s.Sample.parts(k.CTAs(), wave, uint64(len(s.Runs)))
	if parts == nil || textures { // the functional model has no instructions of the texture unit
		err = s.simulate(run)
		return float64(run.Outcome.Cycle), 0, err
	}
	var list []timing
	var ctas, simulated, done uint64
	for _, p := range parts {
		if p.first > done {
			m, result, err := s.functional(run, done, p.first)
			if err != nil {
				return 0, 0, err
			}
			m.Changes(s.Write)
			run.Outside += result.Outside
			if run.Outcome = s.emulatedOutcome(&run.Launch, int(wave), result); !run.Outcome.OK() {
				return 0, 0, nil
			}
		}
		done = p.end
		t, err := s.measurePart(run, p, wave)
		if err != nil || !run.Outcome.OK() {
			return 0, 0, err
		}
		list, ctas, simulated = append(list, t), ctas+p.end-p.first, simulated+run.Outcome.Cycle
	}
	run.Outcome.Cycle = simulated
	cycles, bound = extrapolate(list, work)
	run.Divided = &Divided{ctas, cycles, bound}
	return cycles, bound, s.err
}

// measurePart simulates a part of a launch. The last moment of its timing is its end.
func (s *Session) measurePart(run *Run, part span, wave uint64) (t timing, err error) {
	m := s.Machine
	note := func(cycles uint64) {
		lanes := uint64(0)
		for _, sm := range m.SMs {
			for _, sub := range sm.Sub {
				lanes += sub.Issue.Count.Q().Lanes
			}
		}
		t.cycles, t.lanes = append(t.cycles, float64(cycles)), append(t.lanes, float64(lanes))
	}
	note(0)
	err = s.simulatePart(run, part.first, part.end, func() bool {
		ended, of := m.Progress()
		for n := len(t.cycles); ended < of && n < len(moments) && ended-part.first >= moments[n]*wave; n++ {
			note(m.Cycles())
		}
		return s.Limits.Stop != nil && s.Limits.Stop()
	})
	note(run.Outcome.Cycle)
	return t, err
}

// extrapolate returns the cycles of a launch with so many thread instructions, and their bound.
func extrapolate(list []timing, work float64) (cycles, bound float64) {
	c, l := make([]float64, len(list)), make([]float64, len(list))
	allCycles, allLanes := 0.0, 0.0
	for i := range list {
		c[i], l[i] = list[i].between(atWarm, atMeasured)
		allCycles, allLanes = allCycles+c[i], allLanes+l[i]
	}
	rate, n, squares := allCycles/allLanes, float64(len(list)), 0.0
	for i := range list {
		d := c[i] - rate*l[i]
		squares += d * d
	}
	deviation := math.Sqrt(squares/(n-1)/n) / (allLanes / n)
	lateCycles, lateLanes := list[0].between(atLate, atSettled)
	late := lateCycles / lateLanes / (c[0] / l[0])
	head, headWork := list[0].between(atStart, atSettled)
	last := &list[len(list)-1]
	tail, tailWork := last.between(atWarm, len(last.cycles)-1)
	middle := work - headWork - tailWork
	bound = middle * (sample.Student(len(list)-1, Confidence)*deviation + rate*math.Abs(late-1))
	return head + tail + middle*rate*(1+late)/2, bound
}
