package rtl

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// paced runs quanta of 100 evaluations, and counts those run together and those run by the caller.
// together and alone are the times of one evaluation.
func paced(p *pace, quanta int, together, alone time.Duration) (n [2]int) {
	for range quanta {
		if p.length == 0 {
			p.together(func() uint64 { return 0 })
			p.left++
		} else if p.left == 0 {
			cost := together
			if p.alone {
				cost = alone
			}
			p.decide(time.Duration(p.length)*100*cost, uint64(p.length)*100)
		}
		p.left--
		if p.alone {
			n[1]++
		} else {
			n[0]++
		}
	}
	return n
}

func TestPaceTakesTheFasterWay(t *testing.T) {
	var p pace
	n := paced(&p, 100_000, 60, 100)
	assert.Less(t, n[1], 1000, "together it is faster")
	n = paced(&p, 100_000, 300, 100) // another program uses the other processor
	assert.Less(t, n[0], 1500, "alone it is faster")
	n = paced(&p, 100_000, 60, 100)
	assert.Less(t, n[1], 40_000, "it is noticed after a while, as trials are seldom by now")
}

// TestPaceGivesUp: a trial that goes badly ends early.
func TestPaceGivesUp(t *testing.T) {
	evals := uint64(0)
	count := func() uint64 { return evals }
	var p pace
	p.resume()
	for range trial {
		assert.False(t, p.together(count))
		evals += 100
	}
	assert.True(t, p.together(count), "the first trial")
	evals += 100
	p.took += p.limit + 1
	assert.False(t, p.together(count))
	p.pause()
}
