package gpu_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
)

// sequence is a loop of five iterations for all threads of 2 warps of 4. The bits of r5 are 1, 1,
// 0, 0, 1. In an iteration with bit 1 the branching threads of the two warps are in different
// lanes, so that compaction is adequate.
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

// TestAdequacyPrediction: the branch of the sequence has no line in the table the first time, and
// diverges. Two of the next four predictions are right. A second launch of the kernel starts with
// the contents of the table: its third and last predictions are wrong. Another kernel has separate
// PCs.
func TestAdequacyPrediction(t *testing.T) {
	cfg := small()
	cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads = 4, 4, 64
	cfg.SM.SFUWidth, cfg.SM.DPWidth = 4, 4
	cfg.Divergence.Mechanism = "capri"
	p := program(t, sequence)
	m := load(t, cfg, p, 1, 8)
	issued := map[string]int{}
	m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) { issued[p.Insts[e.PC].Text]++ })
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	want := divergence.Prediction{Branches: 5, Correct: 2, Misses: 1, Bypasses: 3 * 2, Compacts: 2}
	assert.Equal(t, want, m.SMs[0].Div.Stats().Prediction)
	assert.Equal(t, 9, issued["add.u32 %r3, %r3, 1"], "%v", issued)
	assert.Equal(t, 9, issued["add.u32 %r3, %r3, 2"])

	require.NoError(t, m.Load(*m.SMs[0].Kernel()))
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.Equal(t, divergence.Prediction{Branches: 10, Correct: 5, Misses: 1, Bypasses: 10, Compacts: 5},
		m.SMs[0].Div.Stats().Prediction)

	other := *m.SMs[0].Kernel()
	other.Prog = program(t, sequence)
	require.NoError(t, m.Load(other))
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.Equal(t, divergence.Prediction{Branches: 15, Correct: 7, Misses: 2, Bypasses: 16, Compacts: 7},
		m.SMs[0].Div.Stats().Prediction)
}

// TestAdequacyPredictionResults runs a kernel with divergent branches, loops of different length,
// shared memory and barriers on every machine.
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

// TestAdequacyPredictionExits: threads exit in a bypassed branch, and other CTAs later use the
// slots of their warps.
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

// TestAdequacyPredictionCalls: warps that call different functions take different paths, though
// none of them diverges.
func TestAdequacyPredictionCalls(t *testing.T) {
	const function = `
.func (.reg .u32 %r) NAME(.reg .u32 %x)
{
	.reg .pred %p;
	.reg .u32 %y;
	and.b32 %y, %x, 32;
	shr.u32 %y, %y, 5;
	xor.b32 %y, %y, %x;
	and.b32 %y, %y, 1;
	setp.eq.u32 %p, %y, 0;
	add.u32 %r, %x, ADD;
	@%p bra OUT;
	add.u32 %r, %r, 1000;
OUT:
	ret;
}`
	src := ".version 6.0\n.target sm_35\n.address_size 64\n" +
		strings.NewReplacer("NAME", "f", "ADD", "10").Replace(function) +
		strings.NewReplacer("NAME", "g", "ADD", "20").Replace(function) + `
.visible .entry k(.param .u64 buffer)
{
	.reg .pred %p;
	.reg .u32 %i, %x, %v, %sum;
	.reg .u64 %f, %at, %to;
	ld.param.u64 %to, [buffer];
	mov.u32 %x, %tid.x;
	setp.lt.u32 %p, %x, 64;
	mov.u64 %f, f;
	mov.u64 %at, g;
	selp.u64 %f, %f, %at, %p;
	mov.u32 %sum, 0;
	mov.u32 %i, 0;
LOOP:
	any: .callprototype (.reg .u32 _) _ (.reg .u32 _);
	call (%v), %f, (%x), any;
	add.u32 %sum, %sum, %v;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 4;
	@%p bra LOOP;
	mul.wide.u32 %at, %x, 4;
	add.u64 %to, %to, %at;
	st.global.u32 [%to], %sum;
	exit;
}`
	module, err := ptx.Parse("k.ptx", []byte(src))
	require.NoError(t, err)
	p, err := module.Program("k")
	require.NoError(t, err)
	require.NoError(t, isa.Bind(p))
	cfg := small()
	cfg.Divergence.Mechanism = "capri"
	m := load(t, cfg, p, 1, 128)
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	for i, v := range words(t, m, 128) {
		x := uint32(i)
		want := x + 10 + x/64*10
		if (x>>5^x)&1 != 0 {
			want += 1000
		}
		require.Equal(t, 4*want, v, "thread %d", i)
	}
}

// TestAdequacyPredictionProperties compares runs of this machine. The checked run, any order of
// processes, snapshots, reset, tracing, and islands in parallel give the same result.
func TestAdequacyPredictionProperties(t *testing.T) {
	p := program(t, mixed)
	cfg := small()
	cfg.Divergence.Mechanism = "capri"
	rtltest.SystemProperties(t, func() *rtl.System { return load(t, cfg, p, 5, 64).System() }, 1200)
}

// TestExitIsNoAdequacy: a branch with a call inside is bypassed as a block. Lanes 0 to 2 of both
// warps call the function, so that compaction is not adequate: neither outcome fits into fewer
// warps than came with it (Rhu & Erez, ISCA 2012). Warp 0 waits for three loads before the branch. By
// then the threads of warp 1 have exited in the function, which must not make it adequate. They are
// not in the entry that is compacted anew where the inner branch reconverges.
func TestExitIsNoAdequacy(t *testing.T) {
	module, err := ptx.Parse("k.ptx", []byte(`.version 6.0
.target sm_35
.address_size 64
.func f(.reg .u32 %x)
{
	.reg .pred %p;
	setp.ge.u32 %p, %x, 4;
	@%p exit;
	ret;
}
.visible .entry k(.param .u64 buffer)
{
	.reg .pred %p;
	.reg .u32 %x, %lane, %v;
	.reg .u64 %to, %at;
	ld.param.u64 %to, [buffer];
	mov.u32 %x, %tid.x;
	mov.u32 %v, 1;
	setp.lt.u32 %p, %x, 4;
	@%p ld.global.u32 %v, [%to];
	@%p cvt.u64.u32 %at, %v;
	@%p add.u64 %at, %to, %at;
	@%p ld.global.u32 %v, [%at+1024];
	@%p cvt.u64.u32 %at, %v;
	@%p add.u64 %at, %to, %at;
	@%p ld.global.u32 %v, [%at+2048];
	and.b32 %v, %v, 1;
	and.b32 %lane, %x, 3;
	mul.wide.u32 %at, %x, 4;
	add.u64 %to, %to, %at;
	st.global.u32 [%to], %v;
	setp.eq.u32 %p, %lane, 3;
	@%p bra JOIN;
	call f, (%x);
	setp.eq.u32 %p, %lane, 1;
	@%p bra INNER;
	call f, (%x);
INNER:
	st.global.u32 [%to], 7;
JOIN:
	add.u32 %v, %v, 10;
	st.global.u32 [%to+64], %v;
	exit;
}`))
	require.NoError(t, err)
	p, err := module.Program("k")
	require.NoError(t, err)
	require.NoError(t, isa.Bind(p))
	cfg := small()
	cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads = 4, 4, 64
	cfg.SM.SFUWidth, cfg.SM.DPWidth = 4, 4
	cfg.Divergence.Mechanism = "capri"
	m := load(t, cfg, p, 1, 8)
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.Equal(t, divergence.Prediction{Branches: 2, Correct: 2, Misses: 2, Bypasses: 2 + 1},
		m.SMs[0].Div.Stats().Prediction)
	got := words(t, m, 24)
	assert.Equal(t, []uint32{7, 7, 7, 0, 1, 1, 1, 1}, got[:8])
	assert.Equal(t, []uint32{10, 10, 10, 10, 0, 0, 0, 11}, got[16:])
}
