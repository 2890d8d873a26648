package verify

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/ptx"
	"divergo/testbench"
)

// loops are kernels in which a loop follows a branch directly. Each has the number of its warp
// instructions under a stack of post-dominators. They were counted by hand for a warp whose thread
// i makes i%4+1 trips.
var loops = []struct {
	name, body string
	issues     uint64
}{
	{
		// if (n) { do ..; while (..); __syncthreads(); }, with n the same for all
		"barrier behind the loop", `
	setp.eq.u32 %p2, %n, 0;
	@%p2 bra end;
more:
	add.u32 %out, %out, 3;
	sub.u32 %c, %c, 1;
	setp.ne.u32 %p1, %c, 0;
	@%p1 bra more;
	bar.sync 0;
	add.u32 %out, %out, 1;
end:`, 2 + 4*4 + 2,
	},
	{
		// the loop is the other side of a branch, and both meet behind it
		"header that a branch falls into", `
	setp.ge.u32 %p2, %i, 16;
	@%p2 bra else;
more:
	add.u32 %out, %out, 3;
	sub.u32 %c, %c, 1;
	setp.ne.u32 %p1, %c, 0;
	@%p1 bra more;
	bra end;
else:
	add.u32 %out, %out, 100;
	add.u32 %out, %out, 100;
end:`, 2 + 4*4 + 1 + 2,
	},
}

// TestLoopBehindABranch checks that all mechanisms compute the same result. Mechanisms with
// compiler instructions keep the warp together like post-dominators: they issue as many
// instructions of the kernel.
func TestLoopBehindABranch(t *testing.T) {
	for _, k := range loops {
		m, err := ptx.Parse("k.ptx", []byte(`.version 7.6
.target sm_80
.address_size 64
.visible .entry k(.param .u32 n)
{
	.reg .u32 %i, %n, %c, %out;
	.reg .pred %p<4>;
	mov.u32 %i, %tid.x;
	ld.param.u32 %n, [n];
	mov.u32 %out, 0;
	and.b32 %c, %i, 3;
	add.u32 %c, %c, 1;`+k.body+`
	exit;
}
`))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		for _, mech := range all() {
			c := under(mech)
			if mech == yielding {
				c = under("barrier")
				require.NoError(t, c.Set("divergence.barrier.yield=true"))
			}
			s := session(t, c)
			require.NoError(t, Run(s, testbench.Launch{
				Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{
					32, 1,
					1,
				}, Params: binary.LittleEndian.AppendUint32(nil, 1),
			}), "%s, %s", k.name, mech)
			switch mech {
			case "pdom", "pdom-lcp", "token", "barrier", yielding, "tbc", "capri":
				assert.Equal(t, 5+k.issues+1, s.Counters().Instructions, "%s, %s", k.name, mech)
			}
		}
	}
}
