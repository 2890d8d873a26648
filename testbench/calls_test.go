package testbench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
)

// TestFaultsOfCalls checks that a fault in a function is reported with the place, the thread and
// the reason.
func TestFaultsOfCalls(t *testing.T) {
	for _, c := range []struct {
		name, functions, body string
		kind, where, why      string
	}{
		{
			"recursion without end",
			".func (.param .b32 r) down(.param .b32 x)\n{ .reg .u32 %x; ld.param.u32 %x, [x]; call (%x), down, (%x); st.param.b32 [r], %x; ret; }",
			"call (%r), down, (7);",
			"stack overflow", "k.ptx:5", "take more than sm.stack = 256 bytes; --set sm.stack=1024 gives it more",
		},
		{
			"no function",
			".func f() { ret; }",
			"mov.u64 %f, f; add.u64 %f, %f, 4; p: .callprototype _; call %f, p;",
			"call of what is no function", "k.ptx:6", "there is no function at 0x10004",
		},
		{
			"trap",
			".func f()\n{ trap; }",
			"call f;",
			"trap", "k.ptx:5", "and 4 more threads of the warp instruction, in lanes 1-4",
		},
		{
			"assertion",
			`.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.global .b8 text[8] = {120, 32, 62, 32, 48, 0, 107, 0};`,
			"mov.u64 %f, text; add.u64 %g, %f, 6; call __assertfail, (%f, %g, 12, %g, 1);",
			"assertion failed", "k.ptx:7", "k:12: k: x > 0",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ptx.Parse("k.ptx", []byte(".version 7.0\n.target sm_70\n.address_size 64\n"+c.functions+
				"\n.entry k()\n{ .reg .u32 %r; .reg .u64 %f, %g; "+c.body+" exit; }\n"))
			require.NoError(t, err)
			p, err := testbench.Program(m, "k")
			require.NoError(t, err)
			config := gpu.Default()
			config.GPU.SMs, config.L2.Size = 1, 64<<10
			config.SM.Stack = 256
			s, err := testbench.NewSession(config, testbench.Limits{MaxCycles: 1 << 20})
			require.NoError(t, err)
			var outcome *testbench.Outcome
			require.ErrorAs(t, s.Launch(testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{5, 1, 1}}),
				&outcome)
			require.Equal(t, gpu.Faulted, outcome.End)
			assert.Equal(t, c.kind, outcome.Fault.Kind)
			assert.Contains(t, outcome.Fault.Why, c.why)
			assert.Equal(t, [3]uint32{}, outcome.Fault.Thread)
			assert.Contains(t, outcome.Error(), c.why)
			assert.Equal(t, c.where, outcome.Fault.Where)
		})
	}
}
