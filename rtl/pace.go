package rtl

import "time"

// pace chooses how the next quanta run: by all members of a crew together, or by the caller by
// itself. It takes the choice with less time for each evaluation. A processor that another program
// also uses makes all members wait for it in each quantum. A few evaluations do not repay the
// synchronization. So pace tries the other choice at intervals. They double with each trial in
// vain, and a trial that goes badly ends early. Results do not depend on the choice.
type pace struct {
	alone   bool
	trying  bool       // this stretch is a trial
	length  int        // quanta of this stretch
	left    int        // quanta left of it
	until   int        // stretches until the next trial
	wait    int        // length of the next such wait after a trial in vain
	cost    [2]float64 // ns of an evaluation, together and by the caller; 0: not known
	limit   time.Duration
	start   time.Time     // of this stretch, or of the run, if that is later
	took    time.Duration // time of this stretch in earlier runs
	counted uint64        // evaluations before this stretch
}

const (
	stretch = 256 // quanta
	trial   = 32
	longest = 128 // stretches between trials
	atMost  = 2   // limit of a trial, in multiples of the time that the other choice takes
)

// resume starts the clock for a run; pause stops it.
func (p *pace) resume() { p.start = time.Now() }

func (p *pace) pause() { p.took += time.Since(p.start) }

// together starts a quantum, and reports whether the crew runs it. evals counts the evaluations so
// far.
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

// decide ends a stretch of the given time and evaluations, and begins the next one.
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
