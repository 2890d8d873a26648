package blocks

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTBC: two warps of a CTA wait for each other at a branch. Lane 0 of warp 2 and lane 1 of warp 3 take
// it: they are one warp, in the third cycle after the last outcome, and the other lanes are one when the
// takers have come to the reconvergence point (Fung & Aamodt, HPCA 2011, figure 6 and section 3.2).
func TestTBC(t *testing.T) {
	sizes := Sizes{"lanes": 2, "warps": 4, "entries": 16}
	text, err := tbc.Print(sizes)
	require.NoError(t, err)
	m, err := tbc.Model(sizes)
	require.NoError(t, err)
	out := map[string][]uint64{}
	step := func(events map[string]uint64) {
		var in []uint64
		for _, p := range text.Inputs {
			for range p.Index {
				in = append(in, events[p.Name])
			}
		}
		values := m.Step(text, in, nil)
		for _, p := range text.Outputs {
			out[p.Name], values = values[:len(p.Index)], values[len(p.Index):]
		}
	}
	for w := range uint64(2) {
		step(map[string]uint64{"launch_valid": 1, "launch_mask": 3, "launch_warp": 2 + w, "launch_first": 2, "launch_warps": 2})
	}
	for range 4 {
		step(nil)
	}
	require.Equal(t, []uint64{0, 0, 1, 1}, out["slot_valid"])
	issue := func(slot, control uint64) {
		step(map[string]uint64{"fire_valid": 1, "fire_warp": slot, "fire_control": control})
	}
	for w := range uint64(2) {
		issue(2+w, 1)
		step(map[string]uint64{
			"outcome_valid": 1, "outcome_warp": 2 + w, "outcome_cta": 1, "outcome_taken": 1 << w,
			"outcome_target_pc": 9, "outcome_fall_pc": 1, "outcome_meet_pc": 10,
		})
	}
	for range 2 {
		step(nil)
		assert.Zero(t, out["compact_valid"][0])
	}
	warp := func(pc uint64, homes ...uint64) {
		t.Helper()
		step(nil)
		assert.Equal(t, []uint64{0, 0, 1, 0}, out["slot_valid"])
		assert.Equal(t, []uint64{pc, 3}, []uint64{out["slot_pc"][2], out["slot_mask"][2]})
		assert.Equal(t, []uint64{1, 2}, []uint64{out["compact_valid"][0], out["compact_slot"][0]})
		assert.Equal(t, homes, out["compact_home"])
	}
	warp(9, 2, 3)
	issue(2, 0) // and is at the reconvergence point
	for range 2 {
		step(nil)
		assert.Equal(t, []uint64{0, 0, 0, 0}, out["slot_valid"])
	}
	warp(1, 3, 2)
}
