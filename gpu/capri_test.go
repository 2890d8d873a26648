package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
)

// sequence is a loop that all threads go through five times. The bits of r5 say
// in which iterations the threads of 2 warps of 4 that branch are in other lanes
// of either warp, so that compaction is adequate: 1, 1, 0, 0, 1.
const sequence = `
	mov.u32 %r4, 0;
	mov.u32 %r5, 19;
	shr.u32 %r6, %r1, 1;
	and.b32 %r6, %r6, 1;
	shr.u32 %r7, %r1, 2;
LOOP:
	shr.u32 %r8, %r5, %r4;
	and.b32 %r8, %r8, 1;
	and.b32 %r8, %r8, %r7;
	setp.eq.u32 %p1, %r6, %r8;
	@%p1 bra C;
	add.u32 %r3, %r3, 1;
	bra JOIN;
C:
	add.u32 %r3, %r3, 2;
JOIN:
	add.u32 %r4, %r4, 1;
	setp.lt.u32 %p2, %r4, 5;
	@%p2 bra LOOP;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r3;
	exit;`

// TestAdequacyPrediction: the branch of the sequence has no entry in the table
// the first time and diverges; two of the four predictions that follow are right.
// A second launch begins with an empty table.
func TestAdequacyPrediction(t *testing.T) {
	cfg := small()
	cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads = 4, 4, 64
	cfg.SM.SFUWidth, cfg.SM.DPWidth = 4, 4
	cfg.Divergence.Mechanism = "capri"
	p := program(t, sequence)
	m := load(t, cfg, p, 1, 8)
	issued := map[string]int{}
	m.SMs[0].Issue.OnIssue = func(e sm.Issued) { issued[p.Insts[e.PC].Text]++ }
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	want := divergence.Prediction{Branches: 5, Correct: 2, Misses: 1, Bypasses: 3 * 2, Compacts: 2}
	assert.Equal(t, want, m.SMs[0].Div.Stats().Prediction)
	assert.Equal(t, 9, issued["add.u32 %r3, %r3, 1"], "%v", issued)
	assert.Equal(t, 9, issued["add.u32 %r3, %r3, 2"])

	require.NoError(t, m.Load(*m.SMs[0].Kernel()))
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.Equal(t, divergence.Prediction{Branches: 10, Correct: 4, Misses: 2, Bypasses: 12, Compacts: 4}, m.SMs[0].Div.Stats().Prediction)
}

// TestAdequacyPredictionResults: a kernel with divergent branches, loops of
// different length, shared memory and barriers, on every machine.
func TestAdequacyPredictionResults(t *testing.T) {
	p := program(t, mixed)
	for _, preset := range gpu.Presets() {
		cfg := preset.Config()
		cfg.GPU.SMs = min(cfg.GPU.SMs, 3)
		cfg.Divergence.Mechanism = "capri"
		m := load(t, cfg, p, 7, 96)
		require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
		got := words(t, m, bufferBytes/4)
		for i := range uint32(7 * 96) {
			require.Equal(t, result(i, 96), got[i], "%s: thread %d", preset.Name, i)
		}
	}
}

// TestAdequacyPredictionExits: threads that leave in a bypassed branch, of warps
// whose slots other CTAs use after them.
func TestAdequacyPredictionExits(t *testing.T) {
	p := program(t, `
	and.b32 %r4, %r1, 3;
	setp.lt.u32 %p1, %r4, 2;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	@%p1 bra LEFT;
	st.global.u32 [%rd2], 7;
	exit;
LEFT:
	setp.eq.u32 %p2, %r4, 0;
	mov.u32 %r5, 1;
	@%p2 bra JOIN;
	mov.u32 %r5, 2;
JOIN:
	st.global.u32 [%rd2], %r5;
	exit;`)
	cfg := small()
	cfg.SM.CTAs = 1
	cfg.Divergence.Mechanism = "capri"
	m := load(t, cfg, p, 9, 64)
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	for i, v := range words(t, m, 9*64) {
		require.Equal(t, []uint32{1, 2, 7, 7}[i%4], v, "thread %d", i)
	}
}

// TestAdequacyPredictionProperties: checked run, any order of processes,
// snapshots, reset, tracing, islands in parallel: all the same.
func TestAdequacyPredictionProperties(t *testing.T) {
	p := program(t, mixed)
	cfg := small()
	cfg.Divergence.Mechanism = "capri"
	rtltest.SystemProperties(t, func() *rtl.System { return load(t, cfg, p, 5, 64).System() }, 1200)
}
