package divergence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/rtl"
	"divergo/sm/divergence"
)

// barrierBench does things to a barrier, those of a cycle after each other.
type barrierBench struct {
	Barrier divergence.Barrier
	cycles  [][]func(b *divergence.Barrier)
	sim     *rtl.Sim
}

func (b *barrierBench) Tick() {
	for _, do := range b.cycles[b.sim.Now()] {
		do(&b.Barrier)
	}
	b.sim.WakeAt(b.sim.Now() + 1)
}

// TestBarrierWithinCycle: threads of several static warps can leave in one cycle, as a dynamic
// warp. One row then arrives with its last thread, and another row ends. The barrier opens as it
// does when the two events are in two cycles.
func TestBarrierWithinCycle(t *testing.T) {
	for name, together := range map[string]bool{"in one cycle": true, "in two": false} {
		var released uint64
		launch := func(row uint8) func(b *divergence.Barrier) {
			return func(b *divergence.Barrier) { b.Launch(&divergence.WarpStart{Row: row, Warps: 2, Mask: 1}) }
		}
		arrive := func(b *divergence.Barrier) { released |= b.Arrive(0, 0, 0, 0, true) }
		exit := func(b *divergence.Barrier) { released |= b.Exit(0, 1) }
		cycles := [][]func(*divergence.Barrier){{launch(0), launch(1)}, {arrive, exit}, nil}
		if !together {
			cycles = [][]func(*divergence.Barrier){{launch(0), launch(1)}, {arrive}, {exit}}
		}
		b := &barrierBench{
			Barrier: divergence.NewBarrier(divergence.Geometry{Lanes: 4, Warps: 2, CTAs: 1}),
			cycles:  cycles,
		}
		rtl.MustNew("bench", b).Run(3)
		assert.EqualValues(t, 1, released, name)
	}
}

// TestBarrierWaitsForStart: a barrier does not open before all warps of the CTA have reached it,
// those included that have not started. A mechanism can keep a warp from starting while another is
// already at the barrier (as in Ventus, THU-DSP-LAB/ventus-gpgpu#47).
func TestBarrierWaitsForStart(t *testing.T) {
	var released [2]uint64
	launch := func(row uint8) func(b *divergence.Barrier) {
		return func(b *divergence.Barrier) { b.Launch(&divergence.WarpStart{Row: row, First: 1, Warps: 2, Mask: 1}) }
	}
	arrive := func(row uint8) func(b *divergence.Barrier) {
		return func(b *divergence.Barrier) { released[row-1] = b.Arrive(0, row, 0, 0, true) }
	}
	b := &barrierBench{
		Barrier: divergence.NewBarrier(divergence.Geometry{Lanes: 4, Warps: 4, CTAs: 1}),
		cycles:  [][]func(*divergence.Barrier){{launch(1)}, {arrive(1)}, {launch(2)}, {arrive(2)}},
	}
	rtl.MustNew("bench", b).Run(4)
	assert.Equal(t, [2]uint64{0, 0b110}, released)
}
