package rtl

import (
	"slices"
	"time"
)

// pace chooses how many members of a crew run the next quanta. More than one must pay: the
// processor time of all, counted as busy while the quantum lasts, is at most 1.2 times that of one
// (most). So a computer that runs other programs too does not lose its time to members that wait
// for each other. Results do not depend on the choice.
//
// Quanta are counted in stretches. After stretches with one member comes a trial with two, and
// after a trial that pays one with twice as many. A stretch that does not pay ends the choice. The
// next trial comes after a wait, which doubles each time and halves with each stretch that pays.
type pace struct {
	crew   int // members that there are
	count  int // members of this stretch
	held   int // members of the last stretch that was no trial
	left   int // quanta left of this stretch
	until  int // stretches until the next trial
	wait   int // stretches between a choice that did not pay and the next trial
	limit  time.Duration
	alone  float64 // ns of an evaluation, with one member
	perQ   float64 // evaluations of a quantum, in the last stretch
	length int     // quanta of this stretch

	took  time.Duration // time of earlier runs
	start time.Time     // of this run

	from, piece sampling // starts of the stretch and of the piece
	pieces      []float64
}

// sampling is a point in time: the time spent in runs, and the evaluations so far.
type sampling struct {
	at    time.Duration
	evals uint64
}

const (
	stretch = 256 // quanta
	trial   = 64
	pieceOf = 16  // quanta of a piece; with one member each piece is measured
	longest = 128 // stretches between trials
	mostOf  = 1.2 // processor time of several members, in multiples of that of one
	tooLong = 1.25
)

// resume starts the clock for a run; pause stops it.
func (p *pace) resume() { p.start = time.Now() }

func (p *pace) pause() { p.took += time.Since(p.start) }

// members starts a quantum, and returns the number of members that run it. The function evals
// counts the evaluations so far.
func (p *pace) members(evals func() uint64) int {
	if p.left%pieceOf == 0 || p.count > 1 {
		now := p.took + time.Since(p.start)
		if p.left%pieceOf == 0 || now > p.limit {
			p.measure(sampling{now, evals()})
		}
	}
	p.left--
	return p.count
}

// measure ends a piece of a stretch, and the stretch if nothing is left of it or it took too long.
func (p *pace) measure(now sampling) {
	if p.count == 0 {
		p.held, p.wait = 1, 1
		p.begin(1, trial, now)
		return
	}
	if p.count == 1 {
		p.pieces = append(p.pieces, now.cost(p.piece))
		p.piece = now
	}
	if p.left == 0 || p.count > 1 && now.at > p.limit {
		p.decide(now)
	}
}

// cost is the time of an evaluation since another point, in ns.
func (s sampling) cost(since sampling) float64 {
	return float64(s.at-since.at) / float64(max(s.evals-since.evals, 1))
}

// begin starts a stretch.
func (p *pace) begin(count, length int, now sampling) {
	p.count, p.length, p.left = count, length, length
	p.from, p.piece, p.pieces = now, now, p.pieces[:0]
	p.limit = now.at + time.Duration(tooLong*mostOf*p.alone*p.perQ*float64(length)/float64(count))
}

// decide ends a stretch and begins the next one.
func (p *pace) decide(now sampling) {
	p.perQ = float64(now.evals-p.from.evals) / float64(p.length-p.left)
	if p.count == 1 {
		// The quarter of the pieces that took least were not interrupted by other programs.
		slices.Sort(p.pieces)
		p.alone = p.pieces[len(p.pieces)/4]
		more := min(2*p.held, p.crew)
		switch {
		case p.until > 0 && p.held == 1:
			p.until--
			p.begin(1, stretch, now)
		case more > p.held:
			p.begin(more, trial, now)
		default:
			p.until = longest
			p.begin(p.held, stretch, now)
		}
		return
	}
	pays := float64(p.count)*now.cost(p.from) <= mostOf*p.alone
	switch {
	case p.count > p.held && pays:
		p.held, p.until = p.count, 1
	case p.count > p.held:
		p.wait = min(2*p.wait, longest)
		p.until = p.wait
	case !pays:
		p.wait = min(2*p.wait, longest)
		p.held, p.until = 1, p.wait
	default:
		p.wait = max(p.wait/2, 1)
		p.until--
	}
	if p.until <= 0 { // the cost with one member may have changed
		p.begin(1, trial, now)
		return
	}
	p.begin(p.held, stretch, now)
}
