package testbench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/isa"
	"divergo/testbench"
	"divergo/testbench/golden"
)

// TestEmulatedOutOfSteps checks that an endless emulated launch names the remaining threads.
func TestEmulatedOutOfSteps(t *testing.T) {
	l := testbench.Launch{Prog: &isa.Program{Name: "k"}, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 8, 1}}
	r := &golden.Result{End: golden.OutOfSteps, Waiting: []golden.Waiting{{ID: golden.ID{Thread: [3]uint32{1, 4, 0}}}}}
	text := testbench.Emulated(&l, 32, r).Error()
	assert.Contains(t, text, "watchdog: not finished after as many instructions as are emulated\n")
	assert.Contains(t, text, "emulated, CTA (0,0,0) warp 1 lanes 00000002: can run at ")
}
