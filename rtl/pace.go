package rtl

import "time"

// pace says who does the next quanta: all members of a crew together, or the caller alone, whatever takes less time for
// an evaluation. A processor that another program wants too makes all wait for it in each quantum, and few evaluations
// are not worth the meeting. So the other way is tried now and then, the seldomer the oftener that was in vain, and not for
// long if it goes badly. Results do not depend on it.
type pace struct {
	alone   bool
	trying  bool       // this stretch is a trial
	length  int        // quanta of this stretch
	left    int        // of them
	until   int        // stretches until the next trial
	wait    int        // the same after a trial in vain
	cost    [2]float64 // ns of an evaluation, together and alone; 0: not known
	limit   time.Duration
	start   time.Time     // of this stretch, or of the run, if that is later
	took    time.Duration // this stretch in earlier runs
	counted uint64        // evaluations before this stretch
}

const (
	stretch = 256 // quanta
	trial   = 32
	longest = 128 // stretches between trials
	atMost  = 2   // times what it takes the other way: how long a trial may take
)

// resume starts the clock for a run, pause stops it.
func (p *pace) resume() { p.start = time.Now() }

func (p *pace) pause() { p.took += time.Since(p.start) }

// together starts a quantum. evals counts the evaluations so far.
func (p *pace) together(evals func() uint64) bool {
	switch {
	case p.length == 0:
		p.alone, p.length, p.left, p.wait, p.counted = true, trial, trial, 1, evals()
	case p.left == 0 || p.trying && p.took+time.Since(p.start) > p.limit:
		now, n := time.Now(), evals()
		p.decide(p.took+now.Sub(p.start), n-p.counted)
		p.start, p.took, p.counted = now, 0, n
	}
	p.left--
	return !p.alone
}

// decide ends a stretch that took so long for so many evaluations, and begins the next one.
func (p *pace) decide(took time.Duration, evals uint64) {
	mine, others := &p.cost[0], &p.cost[1]
	if p.alone {
		mine, others = others, mine
	}
	*mine = float64(took) / float64(max(evals, 1))
	worse := *others != 0 && *mine > *others
	switch done := p.length - p.left; {
	case p.trying && worse:
		p.wait = min(2*p.wait, longest)
		p.alone, p.trying, p.until = !p.alone, false, p.wait
	case p.trying:
		p.trying, p.wait, p.until = false, 1, longest
	case p.until > 0 && !worse:
		p.until--
	default:
		p.alone, p.trying = !p.alone, true
		p.limit = atMost * trial * took / time.Duration(max(done, 1))
	}
	p.length = stretch
	if p.trying {
		p.length = trial
	}
	p.left = p.length
}
