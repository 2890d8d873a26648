package testbench_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
)

const (
	// down calls itself with a pointer to a variable of its frame, and stores far past it.
	down = `.func down(.param .b64 x)
{
	.local .b32 v; .reg .u64 %x;
	mov.u64 %x, v; cvta.local.u64 %x, %x;
	st.u32 [%x+100000], 1;
	call down, (%x);
	ret;
}`
	behind = ".local .b32 v[4]; mov.u64 %x, v; cvta.local.u64 %x, %x; st.u32 [%x+16], 1;"
)

// TestLocalFaults checks that a fault in local memory states the size of that memory. If it
// contains a stack, the message says how to enlarge it.
func TestLocalFaults(t *testing.T) {
	for _, c := range []struct{ name, functions, body, near string }{
		{"variables", "", behind, "a thread has 16 bytes of local memory, what the variables of the kernel and its functions take"},
		{
			"stack", down, "mov.u64 %x, 0; call down, (%x);",
			"for variables, then sm.stack = 4096 for the frames of recursive functions; --set sm.stack=8192 gives it more",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, l := local(t, c.functions, c.body, 4096)
			var outcome *testbench.Outcome
			require.ErrorAs(t, s.Launch(l), &outcome)
			require.Equal(t, gpu.Faulted, outcome.End)
			assert.Equal(t, "local", outcome.Fault.Space)
			assert.Contains(t, outcome.Error(), c.near)
		})
	}
}

// TestLocalLimit checks that the needs of the resident threads are compared with the limit before
// the memory is allocated. A small grid needs little.
func TestLocalLimit(t *testing.T) {
	s, l := local(t, down, "mov.u64 %x, 0; call down, (%x);", 512<<10)
	l.Grid[0] = 100
	err := s.Launch(l)
	require.Error(t, err)
	assert.NotErrorAs(t, err, new(*testbench.Outcome))
	assert.ErrorContains(t, err, "local memory: the threads that can be resident take 16106")
	assert.ErrorContains(t, err, "want at most 2147483648")
	assert.ErrorContains(t, err, "sm.stack = 524288")
	l.Grid[0] = 1
	assert.ErrorAs(t, s.Launch(l), new(*testbench.Outcome), "it runs")
}

func local(t *testing.T, functions, body string, stack int) (*testbench.Session, testbench.Launch) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n"+functions+
		"\n.entry k()\n{ .reg .u64 %x; "+body+" exit; }\n"))
	require.NoError(t, err)
	p, err := testbench.Program(m, "k")
	require.NoError(t, err)
	config := gpu.Default()
	config.L2.Size, config.SM.Stack = 64<<10, stack
	s, err := testbench.NewSession(config, testbench.Limits{MaxCycles: 1 << 20})
	require.NoError(t, err)
	return s, testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1}}
}

// TestRegisterLimit checks that the registers of the resident threads are compared with the limit,
// even if few of them are live at once.
func TestRegisterLimit(t *testing.T) {
	var body strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&body, "mov.b32 %%v%d, 1;\n", i)
	}
	m, err := ptx.Parse("k.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n.entry k() { .reg .b32 %v<60000>;\n"+body.String()+"exit; }\n"))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
	require.NoError(t, err)
	l := testbench.Launch{Prog: p, Grid: [3]uint32{100, 1, 1}, Block: [3]uint32{64, 1, 1}}
	assert.ErrorContains(t, s.Launch(l),
		"registers: k names 60000, those of 200 warps at once take 6144000000 bytes, want at most 2147483648; fewer SMs (gpu.sms)")
}
