package testbench

import (
	"math"
	"math/bits"

	"divergo/gpu"
	"divergo/internal/sample"
	"divergo/internal/splitmix"
	"divergo/isa"
)

// Sampling simulates some launches of a session on the machine, and estimates the cycles of all. The
// functional model runs each launch first. Its results count for a launch that is not simulated.
//
// Launches of one kernel, grid, block and size of dynamic shared memory, whose thread instructions
// have the same three leading bits, form a stratum. The machine simulates a launch if
//
//   - its stratum has fewer than five warm launches,
//   - it is the one chosen of Every launches of its stratum, at a place that changes, or
//   - the launch before it was simulated, but the one before that was not.
//
// A simulated launch is warm if the launch before it was simulated, or no launch has been skipped so
// far. Otherwise it is cold: caches, rows of the DRAM and clocks have not the state that the skipped
// launches would have left. Warm launches are measured, cold ones warm the machine for the next. That
// is the detailed warming of SMARTS (Wunderlich et al., ISCA 2003, section 3). The places that
// change are ours, since programs often alternate between buffers.
//
// Of a large launch the machine simulates parts only: see Divided.
type Sampling struct {
	Every int // 2 or more

	units   []unit // by launch
	strata  map[stratumOf]*stratum
	order   []*stratum
	skips   bool // a launch has been skipped
	skipped bool // the last launch has been skipped
	cold    bool // the last launch was cold
}

// Confidence is the probability with which a bound holds as far as it is statistical: that of SMARTS.
const Confidence = 0.997

// warmLaunches of each stratum are simulated before any is skipped.
const warmLaunches = 5

// stratumOf identifies a stratum.
type stratumOf struct {
	prog         *isa.Program
	grid, block  [3]uint32
	shared       uint32
	bits, leader int // of the number of thread instructions: its length, and its three leading bits
}

// stratum has the launches of a stratum.
type stratum struct {
	number   int
	launches int
	warm     int
}

// unit is a launch of a sampled session.
type unit struct {
	*stratum
	work   float64 // thread instructions of the functional model
	cycles float64 // simulated, or estimated if the launch is divided
	bound  float64 // of the cycles of a divided launch

	divided bool
	state   unitState
}

// unitState tells how a launch was run.
type unitState uint8

const (
	skipped   unitState = iota // by the functional model
	cold                       // by the machine, behind a skipped launch
	warm                       // by the machine, behind a simulated launch
	undivided                  // warm, before any launch is skipped: as without sampling
)

// next enters the next launch, and reports whether the machine simulates it.
func (p *Sampling) next(l *Launch, work uint64) bool {
	n := bits.Len64(work)
	of := stratumOf{l.Prog, l.Grid, l.Block, l.Shared, n, int(work >> max(0, n-3))}
	t := p.strata[of]
	if t == nil {
		if p.strata == nil {
			p.strata = map[stratumOf]*stratum{}
		}
		t = &stratum{number: len(p.order)}
		p.strata[of], p.order = t, append(p.order, t)
	}
	random := splitmix.Source(t.number<<32 + t.launches/p.Every)
	place := int(random.Next() >> 33 % uint64(p.Every))
	u := unit{stratum: t, work: float64(work)}
	if t.warm < warmLaunches || t.launches%p.Every == place || p.cold {
		switch {
		case !p.skips:
			u.state = undivided
		case p.skipped:
			u.state = cold
		default:
			u.state = warm
		}
	}
	if u.state >= warm {
		t.warm++
	}
	t.launches++
	p.cold, p.skipped = u.state == cold, u.state == skipped
	p.skips = p.skips || p.skipped
	p.units = append(p.units, u)
	return !p.skipped
}

// sampled runs a launch of a sampled session.
func (s *Session) sampled(l Launch) (Run, error) {
	run, err := s.prepare(l, true)
	if err != nil {
		return run, err
	}
	m, result, err := s.functional(&run, 0, 0)
	if err != nil {
		return run, err
	}
	if result.End != gpu.Finished || !s.Sample.next(&l, result.Lanes) {
		m.Changes(s.Write)
		s.emulated(&run, result)
		return run, s.err
	}
	u := &s.Sample.units[len(s.Sample.units)-1]
	if run, err = s.prepare(l, false); err != nil {
		return run, err
	}
	u.cycles, u.bound, err = s.divide(&run, u.work, s.textures(l.Prog))
	u.divided = run.Divided != nil
	return run, err
}

// Estimate is the time of a sampled session.
type Estimate struct {
	Simulated int     // launches of which the machine has simulated all or some CTAs
	Divided   int     // of these, launches of which it has simulated some CTAs
	Cycles    float64 // core cycles of all launches
	Bound     float64 // largest deviation from the core cycles of a full simulation
}

// Estimate extrapolates the cycles of the session's launches.
//
// The warm launches of a stratum, without its first one, predict the others. Cycles may be the same
// for each launch, or proportional to its thread instructions: the estimate is the middle. The bound
// of a stratum has three parts:
//
//   - the prediction interval of Student's t for the sum of the others (Draper & Smith, Applied
//     Regression Analysis, 3rd edition 1998, section 3.1),
//   - half of the difference between both assumptions,
//   - the difference between cold and warm launches, for each of the others. It bounds what a history of
//     more than one launch changes, if that is less than what the last launch changes.
//
// The first parts of all strata add as squares, the others as they are. A stratum without cold launches
// takes the largest relative difference of another one. Without any the difference counts as 100 %.
func (p *Sampling) Estimate() (e Estimate) {
	groups := make([]group, len(p.order))
	for i := range p.units {
		u := &p.units[i]
		g := &groups[u.number]
		if u.state != skipped {
			e.Simulated++
		}
		if u.divided {
			e.Divided++
		}
		g.add(u)
	}
	largest, known := 0.0, false
	for i := range groups {
		if g := &groups[i]; g.predict() && len(g.cold) > 0 {
			largest, known = max(largest, g.difference()), true
		}
	}
	if !known {
		largest = 1
	}
	squares := 0.0
	for i := range groups {
		cycles, random, systematic := groups[i].estimate(largest)
		e.Cycles += cycles
		e.Bound += systematic
		squares += random * random
	}
	e.Bound += math.Sqrt(squares)
	return e
}

// group has the launches of a stratum by the way they were run.
type group struct {
	first   *unit // if it is warm
	warm    []*unit
	cold    []*unit
	skipped []*unit
	late    bool // a warm launch is not undivided

	work, cycles float64 // means of the warm launches
}

func (g *group) add(u *unit) {
	switch {
	case u.state == skipped:
		g.skipped = append(g.skipped, u)
	case u.state == cold:
		g.cold = append(g.cold, u)
	case g.first == nil && len(g.skipped)+len(g.cold) == 0:
		g.first = u
	default:
		g.warm = append(g.warm, u)
		g.late = g.late || u.state == warm
	}
}

// predict computes the means. It returns false if there are not enough warm launches to predict others.
func (g *group) predict() bool {
	if len(g.warm) < 2 {
		return false
	}
	g.work, g.cycles = 0, 0
	for _, u := range g.warm {
		g.work += u.work / float64(len(g.warm))
		g.cycles += u.cycles / float64(len(g.warm))
	}
	return true
}

// expected returns the cycles of a launch that the warm ones predict.
func (g *group) expected(u *unit) float64 { return g.cycles * (1 + u.work/g.work) / 2 }

// difference returns the mean difference between cold and warm launches, relative to warm ones.
func (g *group) difference() float64 {
	sum := 0.0
	for _, u := range g.cold {
		sum += u.cycles/g.expected(u) - 1
	}
	return math.Abs(sum) / float64(len(g.cold))
}

// estimate returns the cycles of the launches, and the parts of the bound. coldest is the largest
// relative difference between cold and warm launches of any stratum.
func (g *group) estimate(coldest float64) (cycles, random, systematic float64) {
	own := func(list []*unit) (sum float64) {
		for _, u := range list {
			sum += u.cycles
			systematic += u.bound
		}
		return sum
	}
	cycles = own(g.warm)
	if g.first != nil {
		cycles += own([]*unit{g.first})
	}
	if !g.predict() {
		alone := own(g.cold)
		return cycles + alone, 0, systematic + coldest*alone
	}
	others, apart := 0.0, 0.0
	for _, list := range [][]*unit{g.cold, g.skipped} {
		for _, u := range list {
			others += g.expected(u)
			apart += g.cycles * (u.work/g.work - 1) / 2
		}
	}
	n, m := float64(len(g.warm)), float64(len(g.cold)+len(g.skipped))
	if m == 0 {
		return cycles, 0, systematic
	}
	squares, bounds := 0.0, 0.0
	for _, u := range g.warm {
		d := u.cycles - g.expected(u)
		squares += d * d
		bounds += u.bound
	}
	random = sample.Student(len(g.warm)-1, Confidence) * math.Sqrt(squares/(n-1)*(m+m*m/n))
	systematic += math.Abs(apart) + m*bounds/n
	if len(g.cold) > 0 {
		systematic += g.difference() * others
	} else if g.late {
		systematic += coldest * others
	}
	return cycles + others, random, systematic
}
