package verify

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/ptx"
	"divergo/sm"
	"divergo/testbench"
)

// TestRecall launches kernels on several machines. The golden model runs again only where its result
// may differ: for another content of memory, and where the machine groups the threads. A machine
// that executes another instruction is found by a remembered result too.
func TestRecall(t *testing.T) {
	program := func(op string) testbench.Launch {
		m, err := ptx.Parse("recall.ptx", []byte(`
.version 7.6
.target sm_70
.address_size 64
.visible .entry recall(.param .u64 p)
{
	.reg .u64 %p;
	.reg .u32 %x, %y;
	ld.param.u64 %p, [p];
	ld.global.u32 %x, [%p];
	mov.u32 %y, 9;
	`+op+`
	st.global.u32 [%p], %y;
	ret;
}
`))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		return testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
	}
	models := &Recall{}
	run := func(l testbench.Launch, mechanism string, value byte, instead uint32) error {
		s := session(t, small().Under(mechanism))
		at := s.Alloc(4)
		s.Write(at, []byte{value})
		l.Params = testbench.Address(at)
		s.OnLaunch.Add(func(*testbench.Loaded) {
			s.Machine.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
				if e.PC == 3 {
					e.Flight.PC = instead
				}
			})
		})
		return models.RunStrict(s, l)
	}
	add := program("add.u32 %y, %x, %x;")
	require.NoError(t, run(add, "pdom", 1, 3))
	require.Len(t, models.runs, 1)
	require.NoError(t, run(add, "ptpc", 1, 3))
	require.Len(t, models.runs, 1)
	d := mismatch(t, run(add, "pdom", 1, 2))
	assert.NotZero(t, d.Written)
	require.Len(t, models.runs, 1)
	require.NoError(t, run(add, "pdom", 2, 3))
	require.Len(t, models.runs, 2)
	require.NoError(t, run(program("add.u32 %y, %x, 1;"), "pdom", 1, 3))
	require.Len(t, models.runs, 3)
	require.NoError(t, run(program("activemask.b32 %y;"), "pdom", 1, 3))
	require.Len(t, models.runs, 3)
	models.Forget()
	assert.Empty(t, models.runs)
}
