package units_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/rtl"
	"divergo/units"
)

// predictor is a module with a table.
type predictor struct {
	units.CAPT
	rtl.State[struct{ Cycle uint32 }]
	do func(t *units.CAPT)
}

func (p *predictor) Tick() {
	p.do(&p.CAPT)
	p.D().Cycle++
}

// TestCAPT: a branch gets a line when it first diverges, and compaction is then expected to be
// adequate. The least recently used line is replaced.
func TestCAPT(t *testing.T) {
	p := &predictor{CAPT: units.NewCAPT(2, 2)}
	type state struct{ adequate, hit bool }
	yes, no, miss := state{true, true}, state{false, true}, state{}
	step := 0
	check := func(want state, pc uint32) func(*units.CAPT) {
		return func(c *units.CAPT) {
			last, hit := c.Predict(pc)
			assert.Equal(t, want, state{last.Here, hit}, "step %d, PC %d", step, pc)
		}
	}
	diverge := func(pc uint32) func(*units.CAPT) { return func(c *units.CAPT) { c.Diverge(pc, 20) } }
	update := func(pc uint32, adequate bool) func(*units.CAPT) {
		return func(c *units.CAPT) { c.Update(pc, adequate) }
	}
	p.do = func(*units.CAPT) {}
	sim := rtl.MustNew("bench", p)
	for i, do := range []func(*units.CAPT){
		update(7, true), check(miss, 7), // never diverged
		diverge(7), check(yes, 7),
		update(7, false), check(no, 7),
		diverge(7), check(no, 7), // its history is kept
		diverge(8), check(yes, 8), check(no, 7), // 8 is the older one after this
		diverge(9), check(miss, 8), check(no, 7), check(yes, 9),
	} {
		step, p.do = i, do
		sim.Run(1)
	}
}

// TestCAPTBlock: warps bypass a branch as a block until they have done so once and compaction was
// adequate nowhere since.
func TestCAPTBlock(t *testing.T) {
	p := &predictor{CAPT: units.NewCAPT(2, 2)}
	sim := rtl.MustNew("bench", p)
	for step, c := range []struct {
		do   func(*units.CAPT)
		want bool
	}{
		{func(c *units.CAPT) { c.Inside(20) }, false}, // no line
		{func(c *units.CAPT) { c.Diverge(7, 20) }, true},
		{func(c *units.CAPT) { c.Update(7, false) }, true},
		{func(c *units.CAPT) { c.Bypass(7) }, false},
		{func(c *units.CAPT) { c.Update(7, false) }, false},
		{func(c *units.CAPT) { c.Inside(19) }, false},
		{func(c *units.CAPT) { c.Inside(20) }, true},
		{func(c *units.CAPT) { c.Bypass(7) }, false},
		{func(c *units.CAPT) { c.Update(7, true) }, true},
		{func(c *units.CAPT) { c.Update(7, false) }, true},
	} {
		p.do = c.do
		sim.Run(1)
		last, _ := p.CAPT.Predict(7)
		assert.Equal(t, c.want, last.Block, "step %d", step)
	}
}
