package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
)

// moved sends every fourth of 96 threads down a separate path. They fill one warp there if they can
// change lanes. On that path each thread reads its identity and its state.
const moved = `
	.local .align 4 .b8 mine[8];
	mov.u64 %rd3, mine;
	st.local.u32 [%rd3], %r1;
	setp.ge.u32 %p3, %r1, 50;
	and.b32 %r4, %r1, 3;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra JOIN;
	mov.u32 %r5, %laneid;
	mov.u32 %r6, %warpid;
	mov.u32 %r7, %tid.x;
	mov.u32 %r8, %lanemask_lt;
	popc.b32 %r8, %r8;
	ld.local.u32 %r9, [%rd3];
	selp.u32 %r10, 1, 0, %p3;
	setp.lt.u32 %p4, %r7, 10;
	st.local.u32 [%rd3+4], %r7;
	mov.u32 %r11, tile;
	mad.lo.u32 %r11, %r7, 4, %r11;
	st.shared.u32 [%r11], %r9;
	atom.global.add.u32 %r12, [%rd0], %r7;
JOIN:
	@%p1 exit;
	ld.shared.u32 %r13, [%r11];
	ld.local.u32 %r14, [%rd3+4];
	selp.u32 %r15, 1, 0, %p4;
	mul.wide.u32 %rd1, %r0, 32;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2+32], %r5;
	st.global.u32 [%rd2+36], %r6;
	st.global.u32 [%rd2+40], %r8;
	st.global.u32 [%rd2+44], %r9;
	st.global.u32 [%rd2+48], %r10;
	st.global.u32 [%rd2+52], %r13;
	st.global.u32 [%rd2+56], %r14;
	st.global.u32 [%rd2+60], %r15;
	exit;`

func ideal() gpu.Config {
	cfg := small()
	cfg.Divergence.Mechanism = "tbc-ideal"
	return cfg
}

// TestThreadsChangeLanes: a thread keeps its identity and state in whatever lane it runs. These are
// registers, predicates, special registers, local and shared memory.
func TestThreadsChangeLanes(t *testing.T) {
	for _, lanes := range []string{"sequential", "balanced"} {
		cfg := ideal()
		require.NoError(t, cfg.Set("sm.lanes="+lanes))
		p := program(t, moved)
		m := load(t, cfg, p, 1, 96)
		warps := 0
		m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
			if p.Insts[e.PC].Op != isa.OpAtom {
				return
			}
			warps++
			assert.EqualValues(t, 1<<24-1, e.Mask)
			assert.NotEqual(t, uint8(23), e.Home(23).Lane)
		})
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		assert.Equal(t, 1, warps)
		got := words(t, m, 8*97)
		assert.EqualValues(t, 4*24*23/2, got[0])
		one := map[bool]uint32{true: 1}
		for i := uint32(0); i < 96; i += 4 {
			require.Equal(t, []uint32{i % 32, i / 32, i % 32, i, one[i >= 50], i, i, one[i < 10]}, got[8*i+8:8*i+16],
				"%s: thread %d", lanes, i)
		}
	}
}

// TestChangedLaneFaults: a fault names the thread, not the lane in which it ran.
func TestChangedLaneFaults(t *testing.T) {
	for kind, does := range map[sm.FaultKind]string{
		sm.OutOfBounds: "@%p4 st.global.u32 [8], %r1;",
		sm.Trapped:     "@%p4 trap;",
	} {
		p := program(t, `
	and.b32 %r4, %r1, 3;
	setp.ne.u32 %p1, %r4, 0;
	setp.eq.u32 %p4, %r1, 44;
	@%p1 bra JOIN;
	`+does+`
JOIN:
	exit;`)
		m := load(t, ideal(), p, 1, 96)
		require.Equal(t, gpu.Faulted, m.Run(nil, 100_000))
		f, i, _ := m.Fault()
		assert.Equal(t, kind, f.Kind)
		assert.EqualValues(t, 44, m.SMs[i].Thread(int(f.Row), int(f.Lane)).TID[0], "%s", kind)
	}
}

// TestWaitsForItsOwn: a thread in another lane waits for the registers that it loaded there, and
// for no others.
func TestWaitsForItsOwn(t *testing.T) {
	p := program(t, `
	and.b32 %r6, %r1, 31;
	setp.eq.u32 %p2, %r6, 0;
	@%p2 exit;
	mov.u32 %r5, 100;
	and.b32 %r4, %r1, 3;
	setp.eq.u32 %p1, %r4, 0;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	@%p1 ld.global.u32 %r5, [%rd2+2048];
	@%p1 bra LOADED;
	add.u32 %r5, %r5, 7;
	bra JOIN;
LOADED:
	add.u32 %r5, %r5, 1;
JOIN:
	st.global.u32 [%rd2], %r5;
	exit;`)
	cfg := ideal()
	cfg.SM.Scoreboard = sm.PerRegister
	m := load(t, cfg, p, 1, 128)
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	for i, v := range words(t, m, 128) {
		want := []uint32{1, 107, 107, 107}[i%4]
		if i%32 == 0 {
			want = 0 // it has exited before, so that lane 0 of the row has no pending register
		}
		require.Equal(t, want, v, "thread %d", i)
	}
	for i := range m.SMs[0].Issue.Scoreboard.Pending.Len() {
		require.Zero(t, *m.SMs[0].Issue.Scoreboard.Pending.At(i), "a register pends for ever")
	}
}

// TestIdealProperties compares runs of this machine. The checked run, any order of processes,
// snapshots, reset, tracing, and islands in parallel give the same result.
func TestIdealProperties(t *testing.T) {
	p := program(t, mixed)
	rtltest.SystemProperties(t, func() *rtl.System { return load(t, ideal(), p, 5, 64).System() }, 1200)
}
