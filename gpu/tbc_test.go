package gpu_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/compaction"
)

// TestCompactionFigure7 runs the example of Fung & Aamodt, HPCA 2011, figure 7, through a whole
// machine with thread block compaction. It has 7 issue slots with the threads of the figure,
// counted from 1, and 24 of 28 lanes active.
func TestCompactionFigure7(t *testing.T) {
	cfg := small()
	cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads = 4, 4, 64
	cfg.SM.SFUWidth, cfg.SM.DPWidth = 4, 4
	cfg.Divergence.Mechanism = "tbc"
	p, counts := micro(t, "bra 1|6|7,C bra D C: nop D: exit")
	m := load(t, cfg, p, 1, 8)
	var warps []string
	m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
		if !counts(&p.Insts[e.PC]) {
			return
		}
		var w []string
		for lane := range 4 {
			if e.Mask>>lane&1 != 0 {
				w = append(w, fmt.Sprint(4*int(e.Home(lane).Row)+int(e.Home(lane).Lane)+1))
			} else {
				w = append(w, "-")
			}
		}
		warps = append(warps, strings.Join(w, " "))
	})
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	require.Len(t, warps, 7)
	assert.ElementsMatch(t, []string{"1 2 3 4", "5 6 7 8"}, warps[:2], "A")
	assert.Equal(t, "1 6 7 -", warps[2], "C")
	assert.ElementsMatch(t, []string{"5 2 3 4", "- - - 8"}, warps[3:5], "B")
	assert.ElementsMatch(t, []string{"1 2 3 4", "5 6 7 8"}, warps[5:], "D")
}

// TestCompactionResults runs a kernel with divergent branches, loops of different length, shared
// memory and barriers on every machine.
func TestCompactionResults(t *testing.T) {
	p := program(t, mixed)
	for _, preset := range gpu.Presets() {
		for _, mech := range []string{"tbc", "tbc-lcp", "tbc-ideal"} {
			for _, static := range []bool{false, true} {
				cfg := preset.Config()
				cfg.GPU.SMs = min(cfg.GPU.SMs, 3)
				cfg.Divergence = compaction.Keys.With(divergence.Options{
					Mechanism: mech,
					PathOrder: divergence.TakenFirst,
				}, compaction.Params{Static: static})
				m := load(t, cfg, p, 7, 96)
				require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
				got := words(t, m, bufferBytes/4)
				for i := range uint32(7 * 96) {
					require.Equal(t, result(i, 96), got[i], "%s, %s, static %t: thread %d", preset.Name, mech,
						static, i)
				}
			}
		}
	}
}

// TestCompactionProperties compares runs of this machine. The checked run, any order of processes,
// snapshots, reset, tracing, and islands in parallel give the same result.
func TestCompactionProperties(t *testing.T) {
	p := program(t, mixed)
	cfg := small()
	cfg.Divergence.Mechanism = "tbc"
	rtltest.SystemProperties(t, func() *rtl.System { return load(t, cfg, p, 5, 64).System() }, 1200)
}

// TestCompactionDeadlocks: a program that cannot continue ends as a deadlock. The report has the
// groups of threads that wait for each other.
func TestCompactionDeadlocks(t *testing.T) {
	for _, c := range []struct {
		name, body string
		reasons    []string
	}{
		{"lock between the threads of a CTA", `
LOOP:
	atom.global.cas.b32 %r4, [%rd0], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra LOOP;
	atom.global.exch.b32 %r5, [%rd0], 0;
	exit;`, []string{"reconvergence"}},
		{"some warps at a barrier, others at a branch", `
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bar.sync 0;
	setp.lt.u32 %p2, %r1, 48;
	@%p2 bra OUT;
	add.u32 %r4, %r4, 1;
OUT:
	exit;`, []string{"a barrier", "its turn"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := small()
			cfg.Divergence.Mechanism = "tbc"
			m := load(t, cfg, program(t, c.body), 1, 64)
			require.Equal(t, gpu.Deadlock, m.Run(nil, 10_000_000), "cycle %d", m.Cycles())
			var reasons []string
			for _, s := range m.Status() {
				reasons = append(reasons, s.Why)
			}
			for _, want := range c.reasons {
				assert.Contains(t, reasons, want)
			}
		})
	}
}

// TestFewerWarps: the threads of two warps that take a branch fit into one, whose load takes long. The
// other slot then waits for nothing.
func TestFewerWarps(t *testing.T) {
	p := program(t, `
	and.b32 %r4, %r1, 48;
	setp.eq.u32 %p1, %r4, 0;
	setp.eq.u32 %p2, %r4, 48;
	or.pred %p1, %p1, %p2;
	@!%p1 bra OUT;
	ld.global.u32 %r5, [%rd0];
	add.u32 %r5, %r5, 1;
	st.global.u32 [%rd0], %r5;
OUT:
	exit;`)
	cfg := small()
	cfg.Divergence.Mechanism = "tbc"
	m := load(t, cfg, p, 1, 64)
	added := 0
	m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
		if in := &p.Insts[e.PC]; in.Op != isa.OpAdd {
			return
		}
		added++
		slots := m.SMs[0].Div.Slots()
		for i := range slots.Len() {
			assert.NotEqual(t, divergence.WaitsJoin, slots.At(i).Wait, "slot %d", i)
		}
	})
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.Equal(t, 1, added, "warps that add")
}

// TestExitCompletesAWarp: a barrier counts two warps. Threads 0 to 15 and 48 to 63 wait at it as one
// compacted warp, after 16 to 31 have exited. It opens when the others of the second warp exit, in
// each place of a CTA.
func TestExitCompletesAWarp(t *testing.T) {
	p := program(t, `
	and.b32 %r4, %r1, 48;
	setp.eq.u32 %p1, %r4, 16;
	setp.eq.u32 %p2, %r4, 32;
	@%p1 bra OUT;
	@!%p2 bar.sync 0, 64;
	@%p2 exit;
	st.global.u32 [%rd0], %r1;
OUT:
	exit;`)
	cfg := small()
	cfg.GPU.SMs = 1
	cfg.Divergence.Mechanism, cfg.Divergence.PathOrder = "tbc", divergence.TakenFirst
	m := load(t, cfg, p, 3, 64)
	assert.Equal(t, gpu.Finished, m.Run(nil, 10_000_000))
}

// TestCompactionBottom: at the bottom of the stack the warps are the static ones, even after some
// of their threads have exited. A branch with one outcome for the whole CTA needs no stack.
func TestCompactionBottom(t *testing.T) {
	p := program(t, `
	and.b32 %r4, %r1, 31;
	setp.eq.u32 %p1, %r4, %r2;
	setp.eq.u32 %p2, %r1, 5;
	or.pred %p1, %p1, %p2;
	@%p1 exit;
	mov.u32 %r5, 0;
LOOP:
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p3, %r5, %r3;
	@%p3 bra LOOP;
	and.b32 %r6, %r1, 1;
	setp.eq.u32 %p4, %r6, 1;
	mov.u32 %r7, %r5;
	@%p4 bra JOIN;
	add.u32 %r7, %r7, 1;
JOIN:
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r7;
	exit;`)
	cfg := small()
	cfg.Divergence.Mechanism = "tbc"
	m := load(t, cfg, p, 1, 64)
	m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
		if p.Insts[e.PC].Op == isa.OpSt {
			assert.False(t, e.Mixed, "PC %d", e.PC)
		}
	})
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.EqualValues(t, 3, m.SMs[0].Div.Stats().Compaction.Entries, "start, one way of the branch, join")
	for i, v := range words(t, m, 64) {
		want := uint32(65 - i%2)
		if i%32 == 0 || i == 5 {
			want = 0
		}
		require.Equal(t, want, v, "thread %d", i)
	}
}

// TestCompactionBarrierAfterExit: a warp waiting at a barrier continues when the other warp exits
// instead, after a load.
func TestCompactionBarrierAfterExit(t *testing.T) {
	p := program(t, `
	setp.ge.u32 %p1, %r1, 32;
	mov.u32 %r4, 1;
	@%p1 ld.global.u32 %r4, [%rd0];
	setp.eq.u32 %p2, %r4, 0;
	@%p2 exit;
	bar.sync 0;
	exit;`)
	cfg := small()
	cfg.Divergence.Mechanism = "tbc"
	m := load(t, cfg, p, 1, 64)
	require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
	assert.EqualValues(t, 1, m.SMs[0].Div.Stats().BarReleases)
}
