package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// TestStatisticsOfALaunch checks that a launch has the same mechanism statistics by itself and
// after another launch that nests deeper.
func TestStatisticsOfALaunch(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry deep()
{
	.reg .u32 %i, %n;
	.reg .pred %p;
	mov.u32 %i, %laneid;
	setp.lt.u32 %p, %i, 16;
	@%p bra one;
	setp.lt.u32 %p, %i, 24;
	@%p bra two;
	setp.lt.u32 %p, %i, 28;
	@%p bra three;
	mov.u32 %n, 1;
three:
	mov.u32 %n, 2;
two:
	mov.u32 %n, 3;
one:
	exit;
}
.visible .entry flat()
{
	exit;
}
`))
	require.NoError(t, err)
	launch := func(s *testbench.Session, kernel string) divergence.Stats {
		p, err := testbench.Program(m, kernel)
		require.NoError(t, err)
		require.NoError(t, s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}}))
		return s.Runs[len(s.Runs)-1].Counters.Divergence
	}
	for _, mech := range divergence.Mechanisms() {
		alone := launch(session(t, under(mech.Name)), "flat")
		s := session(t, under(mech.Name))
		deep := launch(s, "deep")
		if deep.Pushes > 0 {
			assert.Greater(t, deep.MaxDepth, alone.MaxDepth, mech.Name)
		}
		assert.Equal(t, alone, launch(s, "flat"), mech.Name)
		assert.Equal(t, deep.MaxDepth, s.Counters().Divergence.MaxDepth, "%s: of all launches", mech.Name)
	}
}
