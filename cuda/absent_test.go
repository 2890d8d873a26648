package cuda_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/gpu"
	"divergo/sm"
)

// TestAbsentLanes: a reduction in the manner of NVIDIA's sample adds values that shuffles read from
// inactive lanes. If these values are 0, its sum of 1 to 1,000 is right (Gauss). It doubles with
// each step that reads the reader's own value: with 16 threads, 1 warp, in all five steps.
func TestAbsentLanes(t *testing.T) {
	program := build(t, "testdata/absent.cu")
	for _, mechanism := range []string{"pdom", "barrier", "dpe", "multipath", "tbc", "ppc", "token"} {
		cfg := machine(t, "kepler", mechanism)
		r := runOn(t, cfg, 1, program)
		assert.Equal(t, strings.Repeat("500500\n", 6), r.out, mechanism)
		first := r.server.Session.Runs[0].Absent
		if assert.NotNil(t, first, mechanism) {
			assert.Equal(t, "testdata/absent.cu:8", first.Where)
			assert.Equal(t, 16, first.Lane)
		}
		cfg.SM.AbsentLane = sm.AbsentOwn
		r = runOn(t, cfg, 1, program)
		assert.True(t, strings.HasPrefix(r.out, "32032000\n"), "%s: 500500 * 2^6, found %s", mechanism, r.out)
	}
	assert.Equal(t, sm.AbsentZero, gpu.Default().SM.AbsentLane)
}
