package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
)

// inserted are the mechanisms that put instructions of their own into the
// program.
var inserted = []string{"token", "barrier"}

// TestInsertedProperties: a machine under such a mechanism has the properties of
// TestMachineProperties.
func TestInsertedProperties(t *testing.T) {
	for _, mech := range inserted {
		t.Run(mech, func(t *testing.T) {
			p := program(t, mixed)
			cfg := small()
			cfg.GPU.SMs = 1
			cfg.Divergence.Mechanism = mech
			cfg.Divergence.TokenSpill = 7
			rtltest.SystemProperties(t, func() *rtl.System { return load(t, cfg, p, 2, 64).System() }, 800)
		})
	}
}

// TestInsertedKeepsPCs: observers, faults and the status of a run speak of the
// kernel's PCs, and the counts are those of the kernel.
func TestInsertedKeepsPCs(t *testing.T) {
	const arm = `
	and.b32 %r5, %r1, 3;
	setp.eq.u32 %p1, %r5, 0;
	@%p1 bra JOIN;
	`
	for _, mech := range inserted {
		start := func(mech, body string) (m *gpu.Machine, pcs *[]uint32, last uint32) {
			p := program(t, arm+body+"\nJOIN:\n\tadd.u32 %r6, %r6, 1;\n\texit;")
			cfg := small()
			cfg.GPU.SMs = 1
			cfg.Divergence.Mechanism = mech
			m, pcs = load(t, cfg, p, 1, 32), new([]uint32)
			m.SMs[0].Issue.OnIssue = func(e sm.Issued) { *pcs = append(*pcs, e.PC) }
			return m, pcs, uint32(len(p.Insts) - 1)
		}
		stack, want, _ := start("pdom", "add.u32 %r6, %r5, 1;")
		require.Equal(t, gpu.Finished, stack.Run(nil, 100_000))
		m, got, _ := start(mech, "add.u32 %r6, %r5, 1;")
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		assert.Equal(t, *want, *got, mech)
		assert.Equal(t, stack.SMs[0].Issue.Q().Count, m.SMs[0].Issue.Q().Count, mech)
		assert.Equal(t, stack.SMs[0].Issue.Q().Lanes, m.SMs[0].Issue.Q().Lanes, mech)
		assert.EqualValues(t, 3, m.SMs[0].Issue.Q().Added, "%s: one at the start, and one at the end for each path", mech)

		m, _, last := start(mech, "add.u64 %rd2, %rd0, 8192; st.global.u32 [%rd2], %r0;")
		require.Equal(t, gpu.Faulted, m.Run(nil, 100_000))
		f, _, _ := m.Fault()
		assert.Equal(t, last-2, f.PC, "%s: the store", mech)

		m, _, last = start(mech, "bar.sync 1, 96;")
		require.Equal(t, gpu.Deadlock, m.Run(nil, 1_000_000))
		status := m.Status()
		require.Len(t, status, 2, mech)
		assert.Equal(t, last-2, status[0].PC, "%s: the barrier", mech)
		assert.Equal(t, "a barrier", status[0].Why)
		assert.Equal(t, uint32(0xeeeeeeee), status[0].Mask)
		assert.Equal(t, last-1, status[1].PC, "%s: where the branch meets", mech)
		assert.Equal(t, "reconvergence", status[1].Why)
		assert.Equal(t, uint32(0x11111111), status[1].Mask)
	}
}
