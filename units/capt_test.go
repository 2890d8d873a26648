package units_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// TestCAPT: a branch gets an entry when it diverges, which then expects compaction
// to be adequate; the entry that was used longest ago makes room.
func TestCAPT(t *testing.T) {
	p := &predictor{CAPT: units.NewCAPT(2, 2)}
	type state struct{ adequate, hit bool }
	yes, no, miss := state{true, true}, state{false, true}, state{}
	step := 0
	check := func(want state, pc uint32) func(*units.CAPT) {
		return func(c *units.CAPT) {
			adequate, hit := c.Predict(pc)
			assert.Equal(t, want, state{adequate, hit}, "step %d, PC %d", step, pc)
		}
	}
	diverge := func(pc uint32) func(*units.CAPT) { return func(c *units.CAPT) { c.Diverge(pc) } }
	update := func(pc uint32, adequate bool) func(*units.CAPT) {
		return func(c *units.CAPT) { c.Update(pc, adequate) }
	}
	p.do = func(*units.CAPT) {}
	sim := rtl.MustNew("bench", p)
	for i, do := range []func(*units.CAPT){
		update(7, true), check(miss, 7), // never diverged
		diverge(7), check(yes, 7),
		update(7, false), check(no, 7),
		diverge(7), check(no, 7), // what it did is kept
		diverge(8), check(yes, 8), check(no, 7), // now 8 is the older one
		diverge(9), check(miss, 8), check(no, 7), check(yes, 9),
	} {
		step, p.do = i, do
		sim.Run(1)
	}
}

// TestTally compares with the activemask of the CTA: the compactor makes as many
// warps as the fullest lane has threads.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	both := [2]int{}
	for range 2000 {
		var c units.Tally
		var m units.BlockMask
		warps := 0
		for w := range 1 + r.IntN(8) {
			lanes := r.Uint32() & r.Uint32() & r.Uint32() & 0xff
			c.Add(lanes)
			m.Add(w, lanes)
			if lanes != 0 {
				warps++
			}
		}
		want := m.Compacted() < warps
		require.Equal(t, want, c.Adequate(), "%v", m)
		if want {
			both[1]++
		} else {
			both[0]++
		}
	}
	assert.Positive(t, min(both[0], both[1]))
}
