package litmus

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/properties/draw"
)

// TestFinding checks that a forbidden outcome is found with the first seed that has it, by any
// number of jobs. That seed by itself shows it again. Here the weak outcome is declared forbidden.
func TestFinding(t *testing.T) {
	tests, err := Parse("mp.litmus", `
test MP
T0 @ cta 0                 | T1 @ cta 1
st.weak.global.u32 [x], 1  | ld.weak.global.u32 r0, [y]
st.weak.global.u32 [y], 1  | ld.weak.global.u32 r1, [x]
allow T1:r0 == 1 && T1:r1 == 0
`)
	require.NoError(t, err)
	run := func(o Options) *Report {
		o.Tests, o.Machine = tests, draw.Machine
		c, r, err := newCampaign(o)
		require.NoError(t, err)
		for out := range c.subjects[0].allowed {
			if tests[0].claims[0].holds(out) {
				delete(c.subjects[0].allowed, out)
			}
		}
		require.NoError(t, c.run(r))
		return r
	}
	first := run(Options{Runs: 2000})
	require.NotNil(t, first.Finding)
	f := first.Finding
	assert.True(t, tests[0].claims[0].holds(f.Outcome))
	assert.ErrorContains(t, f, "T1:r0=1 T1:r1=0")
	other := run(Options{Runs: 2000, Jobs: 2})
	assert.Equal(t, f, other.Finding)
	assert.Equal(t, first.Results, other.Results)
	again := run(Options{Runs: 1, Seed: f.Seed})
	assert.Equal(t, f, again.Finding)
}
