package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
)

// TestAboutToLeave checks that a barrier does not wait for a thread that only has to exit. It still
// waits for a thread with more to do, wherever the instructions of the mechanism lead that thread.
//
// The odd threads below wait for the others at a sync. The compiler puts it at the end of the
// kernel, because the block above J is outside of the region. A function that only exits follows
// the sync, or nothing.
func TestAboutToLeave(t *testing.T) {
	run := func(c gpu.Config, functions, uniform, join string) error {
		m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_70
.address_size 64
`+functions+`
.visible .entry k(.param .u32 n)
{
	.shared .u32 cell;
	.reg .u32 %i, %n, %r;
	.reg .pred %even, %fourth, %u;
	mov.u32 %i, %tid.x;
	ld.param.u32 %n, [n];
	setp.eq.u32 %u, %n, 99;
	and.b32 %r, %i, 1;
	setp.eq.u32 %even, %r, 0;
	and.b32 %r, %i, 3;
	setp.eq.u32 %fourth, %r, 0;
	@%u bra U;
	@%even bra WORK;
	bra J;
WORK:
	@%fourth bra MEET;
	mov.u32 %n, 5;
MEET:
	bar.sync 0;
	ld.shared.u32 %r, [cell];
	bra J;
U:
	`+uniform+`
J:
	`+join+`
END:
	exit;
}
`))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		c.GPU.SMs = 1
		return Run(session(t, c), testbench.Launch{
			Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
			Params: []byte{0, 0, 0, 0},
		})
	}
	const leave = ".func leave()\n{\n\texit;\n}"
	const more = "@%even bra END;\n\tst.shared.u32 [cell], 7;\n\tbar.sync 0;"
	oneToken := under("token")
	require.NoError(t, oneToken.Set("divergence.token.window=1"))
	for _, tt := range []struct {
		name                     string
		machine                  gpu.Config
		functions, uniform, join string
		fault                    bool
	}{
		{"only the exit", under("token"), "", "mov.u32 %r, 1;", "", false},
		{"a store and a barrier", under("token"), "", "mov.u32 %r, 1;", more, true},
		{"in front of a function that exits", under("token"), leave, "call leave;", more, true},
		{"in a token that is in memory", oneToken, "", "mov.u32 %r, 1;", more, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := run(tt.machine, tt.functions, tt.uniform, tt.join)
			if !tt.fault {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, "fault: part of a warp at a barrier")
			assert.ErrorContains(t, err, ": bar.sync 0\n")
			assert.ErrorContains(t, err, "the threads with %laneid 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31 have not come")
		})
	}
}
