package verify

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence/formation"
	"divergo/testbench"
)

// TestItsTurnComes checks threads of a pool for which others wait. They get no slot while there are
// spinning threads with a smaller PC. With aging their turn comes, if late, and no report may come
// before. Without aging it never comes.
func TestItsTurnComes(t *testing.T) {
	spin := func(label string) string {
		return label + ":\n\tld.volatile.shared.u32 %v, [flag];\n\tsetp.eq.u32 %p, %v, 0;\n\t@%p bra " + label +
			";\n\texit;\n"
	}
	m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k()
{
	.shared .u32 flag;
	.reg .u32 %i, %v, %c;
	.reg .pred %p;
	mov.u32 %i, %tid.x;
	setp.eq.u32 %p, %i, 0;
	@%p st.volatile.shared.u32 [flag], 0;
	bar.sync 0;
	and.b32 %c, %i, 3;
	setp.eq.u32 %p, %c, 0;
	@%p bra set;
	setp.eq.u32 %p, %c, 1;
	@%p bra one;
	setp.eq.u32 %p, %c, 2;
	@%p bra two;
`+spin("three")+spin("one")+spin("two")+"set:\n"+strings.Repeat("\tadd.u32 %i, %i, 1;\n", 20)+`
	st.volatile.shared.u32 [flag], 1;
	exit;
}
`))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, aging := range []int{0, 10_000} {
		c := under("dwf")
		c.GPU.SMs, c.SM.Threads = 1, 128 // four slots, for warps at four places
		c.Divergence = formation.Keys.With(c.Divergence,
			formation.Params{Issue: formation.IssuePC, Count: formation.CountWaiting, Ways: 4, Aging: aging})
		s := session(t, c)
		err := s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{128, 1, 1}})
		if aging > 0 {
			assert.NoError(t, err)
			continue
		}
		var o *testbench.Outcome
		require.ErrorAs(t, err, &o)
		assert.Equal(t, gpu.Deadlock, o.End)
		assert.Contains(t, o.Error(), "add.u32 %i, %i, 1")
	}
}
