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

// formation is a small machine with a warp pool.
func formation(mechanism string) gpu.Config {
	c := small()
	c.Divergence.Mechanism = mechanism
	return c
}

// manager follows NVRT (Fung & Aamodt, HPCA 2011, section 2.3). The first thread of each static
// warp takes 32 task numbers from a queue for the whole warp. The warp relies on the others waiting
// at the join without a barrier.
//
//	if (lane == 0)
//		task[warp] = atomicAdd(queue, 32);
//	buffer[1 + thread] = task[warp] + lane;
const manager = `
	and.b32 %r4, %r1, 31;
	shr.u32 %r5, %r1, 5;
	shl.b32 %r5, %r5, 2;
	mov.u32 %r6, tile;
	add.u32 %r6, %r6, %r5;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra WORK;
	atom.global.add.u32 %r7, [%rd0], 32;
	st.volatile.shared.u32 [%r6], %r7;
WORK:
	ld.volatile.shared.u32 %r8, [%r6];
	add.u32 %r8, %r8, %r4;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2+4], %r8;
	exit;`

// TestManagerThread: warps that stay together, or wait at a warp barrier, get each task once. With
// dynamic warp formation the workers continue before the task number is there.
func TestManagerThread(t *testing.T) {
	const threads = 4 * 96
	for _, c := range []struct {
		mechanism string
		correct   bool
	}{{"pdom", true}, {"dwf-wb", true}, {"dwf", false}} {
		for _, scoreboard := range []sm.Dependence{sm.OneInFlight, sm.PerRegister} {
			cfg := formation(c.mechanism)
			cfg.SM.Scoreboard = scoreboard
			m := load(t, cfg, program(t, manager), 4, 96)
			require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
			got := words(t, m, 1+threads)
			assert.EqualValues(t, threads, got[0], "the managers' atomics")
			times := make([]int, threads)
			for _, task := range got[1:] {
				if int(task) < threads {
					times[task]++
				}
			}
			correct := true
			for _, n := range times {
				correct = correct && n == 1
			}
			assert.Equal(t, c.correct, correct, "%s, scoreboard %s", c.mechanism, scoreboard)
		}
	}
}

// TestFormationOnPresets: the mixed kernel gives its result on every preset. It has a divergent
// branch, loops of different lengths, a barrier and atomics.
func TestFormationOnPresets(t *testing.T) {
	for _, preset := range gpu.Presets() {
		for _, mechanism := range []string{"dwf", "dwf-wb"} {
			t.Run(preset.Name+"/"+mechanism, func(t *testing.T) {
				cfg := preset.Config().Under(mechanism)
				cfg.GPU.SMs = min(cfg.GPU.SMs, 3)
				m := load(t, cfg, program(t, mixed), 7, 96)
				require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
				got := words(t, m, bufferBytes/4)
				for i := range uint32(7 * 96) {
					require.Equal(t, result(i, 96), got[i], "thread %d", i)
				}
				assert.EqualValues(t, 7*96, got[bufferBytes/4-1], "atomic counter")
			})
		}
	}
}

// TestFormationProperties: the machine with a warp pool has the properties of all hardware.
func TestFormationProperties(t *testing.T) {
	p := program(t, mixed)
	for _, mechanism := range []string{"dwf", "dwf-wb"} {
		t.Run(mechanism, func(t *testing.T) {
			cfg := formation(mechanism)
			cfg.GPU.SMs, cfg.DRAM.Channels = 1, 1
			rtltest.SystemProperties(t, func() *rtl.System { return load(t, cfg, p, 2, 64).System() }, 500)
		})
	}
}

// TestFormationBarrierOfSomeWarps: the first two of three warps exchange values at a named barrier
// that expects 64 threads. Before it, half of the threads of each have taken a detour. The third
// warp never reaches it.
func TestFormationBarrierOfSomeWarps(t *testing.T) {
	for _, mechanism := range []string{"pdom", "dwf", "dwf-wb"} {
		m := load(t, formation(mechanism), program(t, `
	setp.ge.u32 %p1, %r1, 64;
	@%p1 bra OUT;
	mov.u32 %r4, %r1;
	and.b32 %r5, %r1, 1;
	setp.eq.u32 %p2, %r5, 0;
	@%p2 bra EVEN;
	add.u32 %r4, %r4, 100;
EVEN:
	mov.u32 %r7, tile;
	shl.b32 %r8, %r1, 2;
	add.u32 %r9, %r7, %r8;
	st.shared.u32 [%r9], %r4;
	bar.sync 1, 64;
	xor.b32 %r10, %r8, 132;
	add.u32 %r10, %r7, %r10;
	ld.shared.u32 %r11, [%r10];
	mul.wide.u32 %rd1, %r1, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r11;
OUT:
	exit;`), 1, 96)
		require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000), mechanism)
		for i, v := range words(t, m, 64) {
			partner := i ^ 33
			assert.EqualValues(t, partner+partner%2*100, v, "%s: thread %d", mechanism, i)
		}
	}
}

// TestFormationDeadlock: the report names threads that wait at a barrier which others have left.
func TestFormationDeadlock(t *testing.T) {
	for _, mechanism := range []string{"dwf", "dwf-wb"} {
		m := load(t, formation(mechanism), program(t, `
	and.b32 %r4, %r1, 1;
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra EVEN;
	bar.sync 0, 96;
EVEN:
	bar.sync 1, 96;
	exit;`), 1, 64)
		require.Equal(t, gpu.Deadlock, m.Run(nil, 10_000_000), mechanism)
		waiting := 0
		for _, s := range m.Status() {
			if s.Why == "a barrier" {
				waiting++
			}
		}
		assert.Positive(t, waiting, mechanism)
	}
}

// TestFormationOfShorterKernel: the majority PC left by a kernel does not exist in the next one.
func TestFormationOfShorterKernel(t *testing.T) {
	m := load(t, formation("dwf"), program(t, manager), 2, 64)
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	next := *m.SMs[0].Kernel()
	next.Prog = program(t, "exit;")
	require.NoError(t, m.Load(next))
	assert.Equal(t, gpu.Finished, m.Run(nil, 100_000))
}
