package gpu_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/tokens"
)

// inserted lists the mechanisms that insert instructions into the program.
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
			require.NoError(t, cfg.Set("divergence.token.spill=7"))
			require.NoError(t, cfg.Set("divergence.token.window=1"))
			rtltest.SystemProperties(t, func() *rtl.System { return loadStacks(t, cfg, p, 2, 64).System() }, 800)
		})
	}
}

// stackBase is the address of the memory for the stacks. There is no other local memory.
const stackBase = 1 << 32

// loadStacks does the same as load, with memory for the stacks.
func loadStacks(t *testing.T, cfg gpu.Config, p *isa.Program, grid, block uint32) *gpu.Machine {
	m := load(t, cfg, p, grid, block)
	k := *m.SMs[0].Kernel()
	k.LocalBase = stackBase
	require.NoError(t, m.Store.Map(stackBase, m.LocalBytes(&k)))
	require.NoError(t, m.Load(k))
	return m
}

// ragged is a loop that the threads leave one by one, the last thread first. Each then stores its
// number of iterations.
const ragged = `
	mov.u32 %r4, 0;
LOOP:
	add.u32 %r4, %r4, 1;
	add.u32 %r5, %r4, %r1;
	setp.lt.u32 %p1, %r5, 32;
	@%p1 bra LOOP;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r4;
	exit;
`

// TestTokenTraffic: spills and fills appear in the counters of the L1, the L2 and the DRAM, beside
// the one store of the kernel. Each warp gets its own tokens back. If memory is slower than the
// shortest fill, the warp waits for memory.
func TestTokenTraffic(t *testing.T) {
	const ctas, pushed = 3, 32 // pushed by a warp: ssy, and 31 threads before the last one
	run := func(window, latency int) (m *gpu.Machine, loads, stores, l2 uint64) {
		cfg := small()
		cfg.Divergence.Mechanism = "token"
		require.NoError(t, cfg.Set(fmt.Sprintf("divergence.token.window=%d", window)))
		cfg.L1.HitLatency = latency
		m = loadStacks(t, cfg, program(t, ragged), ctas, 32)
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		for i, n := range words(t, m, 32*ctas) {
			assert.EqualValues(t, 32-i%32, n)
		}
		for _, u := range m.Units {
			loads += u.L1.Count.Q().LoadHits
			stores += u.L1.Count.Q().Stores
			assert.Zero(t, u.L1.Count.Q().LoadMisses)
		}
		for _, s := range m.Slices {
			l2 += s.Count.Q().Stores
		}
		return m, loads, stores, l2
	}
	fast, loads, stores, l2 := run(divergence.SpillWords, 1)
	assert.Equal(t, [3]uint64{0, 2 * ctas, 2 * ctas}, [3]uint64{loads, stores, l2},
		"a warp stores two lines of 64 bytes")

	const moves = (pushed - 16) / 4
	m, loads, stores, l2 := run(16, 1)
	assert.Equal(t, [2]uint64{ctas * moves, ctas * (moves + 2)}, [2]uint64{loads, stores})
	assert.EqualValues(t, ctas*(2+moves/2), l2, "two moves a line of 64 bytes, written back at the end")
	keys := tokens.Keys.Of(m.Config.Divergence)
	wait := uint64(moves * (keys.Spill + keys.Fill))
	assert.Equal(t, fast.Cycles()+wait, m.Cycles())

	// Device memory holds the threads of ssy, then those that left first.
	for i := range m.SMs {
		const warps = 32
		b := make([]byte, 8*moves*4)
		require.NoError(t, m.Store.Read(stackBase+uint64(i*warps*8*divergence.SpillWords), b))
		want := ^uint32(0)
		for word := range moves * 4 {
			assert.Equal(t, want, binary.LittleEndian.Uint32(b[8*word:]), "SM %d, word %d", i, word)
			want = 1 << (31 - word)
		}
	}

	slow, _, _, _ := run(16, 100)
	slower, _, _, _ := run(16, 150)
	assert.EqualValues(t, moves*50, slower.Cycles()-slow.Cycles())
}

// TestTokenOverflow: a program that pushes endlessly is stopped.
func TestTokenOverflow(t *testing.T) {
	p := program(t, "LOOP:\n\tadd.u32 %r4, %r4, 1;\n\tbra LOOP;")
	pc := uint32(len(p.Insts) - 2)
	p.Insts[pc] = isa.Inst{Op: isa.OpSSY, Target: pc, Reconv: isa.NoPC, Likely: isa.NoPC, Text: "ssy"}
	require.NoError(t, isa.Bind(p))
	cfg := small()
	cfg.Divergence.Mechanism = "token"
	m := loadStacks(t, cfg, p, 1, 32)
	require.Equal(t, gpu.Faulted, m.Run(nil, 100_000))
	f, _, _ := m.Fault()
	assert.Equal(t, "divergence stack overflow", f.Kind.String())
	assert.Equal(t, pc, f.PC)
	assert.EqualValues(t, 16+divergence.SpillWords+1, m.SMs[0].Div.Stats().Pushes)
}

// TestInsertedKeepsPCs: observers, faults and the status of a run use the kernel's PCs. The counts
// are those of the kernel.
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
			m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) { *pcs = append(*pcs, e.PC) })
			return m, pcs, uint32(len(p.Insts) - 1)
		}
		stack, want, _ := start("pdom", "add.u32 %r6, %r5, 1;")
		require.Equal(t, gpu.Finished, stack.Run(nil, 100_000))
		m, got, _ := start(mech, "add.u32 %r6, %r5, 1;")
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		assert.Equal(t, *want, *got, mech)
		assert.Equal(t, stack.SMs[0].Issue.Count.Q().Issued, m.SMs[0].Issue.Count.Q().Issued, mech)
		assert.Equal(t, stack.SMs[0].Issue.Count.Q().Lanes, m.SMs[0].Issue.Count.Q().Lanes, mech)
		assert.EqualValues(t, 3, m.SMs[0].Issue.Count.Q().Added,
			"%s: one at the start, and one at the end for each path", mech)

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
		assert.Equal(t, uint64(0xeeeeeeee), status[0].Mask)
		assert.Equal(t, last-1, status[1].PC, "%s: where the branch meets", mech)
		assert.Equal(t, "reconvergence", status[1].Why)
		assert.Equal(t, uint64(0x11111111), status[1].Mask)
	}
}
