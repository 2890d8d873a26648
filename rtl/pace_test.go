package rtl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// paced runs quanta of 100 evaluations. The function takes gives the time of an evaluation in ns, by
// the number of members and of the quantum. It returns the quanta of each number of members, and the
// processor time of all as a multiple of that of one member, who takes 100 ns for an evaluation.
func paced(p *pace, quanta int, takes func(members, quantum int) float64) (n map[int]int, processor float64) {
	n = map[int]int{}
	now := sampling{time.Duration(0), 0}
	if p.crew > 0 && p.count > 0 {
		now = p.from
	}
	for q := range quanta {
		if p.left%pieceOf == 0 || p.count > 1 && now.at > p.limit {
			p.measure(now)
		}
		p.left--
		n[p.count]++
		took := 100 * takes(p.count, q)
		now.at += time.Duration(took)
		now.evals += 100
		processor += took * float64(p.count)
	}
	p.from = now
	return n, processor / float64(quanta) / 100 / 100
}

// TestPaceTakesTheFasterWay: two members run where they take at most 1.2 times the processor time of
// one, and one does elsewhere.
func TestPaceTakesTheFasterWay(t *testing.T) {
	alone := func(together float64) func(int, int) float64 {
		return func(members, _ int) float64 {
			if members == 1 {
				return 100
			}
			return together
		}
	}
	p := pace{crew: 2}
	n, processor := paced(&p, 100_000, alone(56))
	assert.Less(t, n[1], 1500, "together it is 1.8 times as fast")
	assert.Less(t, processor, 1.2)
	n, processor = paced(&p, 100_000, alone(300)) // another program uses the other processor
	assert.Less(t, n[2], 1500, "alone it is faster")
	assert.Less(t, processor, 1.1)
	n, _ = paced(&p, 100_000, alone(56))
	assert.Less(t, n[1], 40_000, "it is noticed after a while, as trials are seldom by now")

	p = pace{crew: 2}
	_, processor = paced(&p, 100_000, alone(70))
	assert.Less(t, processor, 1.02, "1.43 times as fast, for 1.4 times the processor time")
}

// TestPaceOfInterruptions: another program takes the processor for a while, now and then. The
// stretches with one member that it hits do not make two members look good.
func TestPaceOfInterruptions(t *testing.T) {
	p := pace{crew: 2}
	n, _ := paced(&p, 100_000, func(members, quantum int) float64 {
		took := 100.0
		if members == 2 {
			took = 90
		}
		if quantum%40 == 0 {
			took *= 100
		}
		return took
	})
	assert.Less(t, n[2], 1500)
}

// TestPaceOfManyMembers: the number doubles as long as it pays.
func TestPaceOfManyMembers(t *testing.T) {
	p := pace{crew: 16}
	n, processor := paced(&p, 200_000, func(members, _ int) float64 {
		return 5 + 95/float64(min(members, 8)) // the rest is one after the other
	})
	assert.Greater(t, n[4], 150_000, "8 take 1.35 times the processor time, 4 take 1.15 times")
	assert.Less(t, processor, 1.2)
}

// TestPaceGivesUp: a trial that goes badly ends early.
func TestPaceGivesUp(t *testing.T) {
	evals := uint64(0)
	count := func() uint64 { return evals }
	p := pace{crew: 2}
	p.resume()
	for range trial {
		assert.Equal(t, 1, p.members(count))
		evals += 100
	}
	assert.Equal(t, 2, p.members(count), "the first trial")
	evals += 100
	p.took += p.limit + 1
	assert.Equal(t, 1, p.members(count))
	p.pause()
}
