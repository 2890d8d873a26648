package gpu_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/sm/divergence/paths"
)

// micro turns a micro-kernel into PTX. Its lines are those of the design notes: "nop", "i++"
// (counts as an instruction), "bra L" and "exit", labels with a colon, and "bra COND L" with a
// condition below. Instructions that compute a condition do not count.
func micro(t *testing.T, text string) (*isa.Program, func(in *isa.Inst) bool) {
	conditions := map[string]string{
		"tid>=2": "setp.ge.u32 %p1, %r1, 2;", "tid>=4": "setp.ge.u32 %p1, %r1, 4;",
		"tid>=6": "setp.ge.u32 %p1, %r1, 6;",
		"tid<2":  "setp.lt.u32 %p1, %r1, 2;", "tid<4": "setp.lt.u32 %p1, %r1, 4;", "tid<6": "setp.lt.u32 %p1, %r1, 6;",
		"tid==7": "setp.eq.u32 %p1, %r1, 7;", "i<=tid": "setp.le.u32 %p1, %r5, %r1;",
		"i<4": "setp.lt.u32 %p1, %r5, 4;", "i<8": "setp.lt.u32 %p1, %r5, 8;",
		"(tid+i)%2": "add.u32 %r6, %r1, %r5; and.b32 %r6, %r6, 1; setp.ne.u32 %p1, %r6, 0;",
		"tid%2":     "and.b32 %r6, %r1, 1; setp.ne.u32 %p1, %r6, 0;",
		"tid==i%8":  "and.b32 %r6, %r5, 7; setp.eq.u32 %p1, %r6, %r1;",
		"1|6|7":     "setp.eq.u32 %p1, %r1, 0; setp.eq.or.u32 %p1, %r1, 5, %p1; setp.eq.or.u32 %p1, %r1, 6, %p1;",
		"never":     "setp.eq.u32 %p1, %r1, 99;",
		"7&i>=1":    "setp.eq.u32 %p2, %r1, 7; setp.ge.and.u32 %p1, %r5, 1, %p2;",
		"7&i==1":    "setp.eq.u32 %p2, %r1, 7; setp.eq.and.u32 %p1, %r5, 1, %p2;",
	}
	var b strings.Builder
	b.WriteString("mov.u32 %r5, 0; mov.u32 %r20, 0;\n")
	for _, line := range strings.Fields(strings.ReplaceAll(text, "bra ", "bra\x00")) {
		word, arg, _ := strings.Cut(line, "\x00")
		switch {
		case strings.HasSuffix(word, ":"):
			b.WriteString(word)
		case word == "nop":
			b.WriteString("add.u32 %r20, %r20, 1;")
		case word == "i++":
			b.WriteString("add.u32 %r5, %r5, 1;")
		case word == "exit":
			b.WriteString("exit;")
		default:
			cond, to, two := strings.Cut(arg, ",")
			if !two {
				fmt.Fprintf(&b, "bra %s;", arg)
				break
			}
			require.Contains(t, conditions, cond)
			fmt.Fprintf(&b, "%s @%%p1 bra %s;", conditions[cond], to)
		}
		b.WriteString("\n")
	}
	p := program(t, b.String())
	counts := func(in *isa.Inst) bool {
		if in.Op == isa.OpAdd {
			name := p.Regs[in.Dst[0].Index].Name
			return name == "%r20" || name == "%r5"
		}
		return in.Op == isa.OpBra || in.Op == isa.OpExit
	}
	return p, counts
}

// TestFigure7 runs the example of Fung & Aamodt, HPCA 2011, figure 7 (lower half) through a whole
// machine. It has two warps of 4, one counted instruction a block, and 8 issue slots with 24 of 32
// lanes active.
func TestFigure7(t *testing.T) {
	cfg := small()
	cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads = 4, 4, 64
	cfg.SM.SFUWidth, cfg.SM.DPWidth = 4, 4
	p, counts := micro(t, "bra 1|6|7,C bra D C: nop D: exit")
	m := load(t, cfg, p, 1, 8)
	var masks []uint64
	m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
		if counts(&p.Insts[e.PC]) {
			masks = append(masks, e.Mask)
		}
	})
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.ElementsMatch(t, []uint64{
		0b1111, 0b1111, // A
		0b0001, 0b0110, // C
		0b1110, 0b1001, // B
		0b1111, 0b1111, // D
	}, masks)
}

// column is the result of a mechanism for a micro-kernel: issued warp instructions, activity
// factor, and stack depth if given.
type column struct {
	issues   int
	activity float64
	depth    uint64
}

// TestMicroKernels runs the micro-kernels (design notes, section 3.6) through a whole machine with
// warps of 8. Issued warp instructions, activity factor and stack depth must equal those of the
// divergence unit in isolation. The columns are the stack with post-dominators, the smallest PC,
// and paired-path comparison with one and with cascading pops.
func TestMicroKernels(t *testing.T) {
	for _, c := range []struct {
		name, text                      string
		pdom, ptpc, verbatim, cascading column
	}{
		{
			"K1", "nop bra tid>=4,C nop nop bra D C: nop nop D: nop exit",
			column{9, .7222, 3},
			column{9, .7222, 0},
			column{9, .7222, 1},
			column{9, .7222, 1},
		},
		{
			"K2", "bra tid>=4,E1 bra tid>=2,E2 nop bra J E2: nop bra J E1: nop J: nop nop exit",
			column{10, .6000, 3},
			column{10, .6000, 0},
			column{11, .5455, 2},
			column{10, .6000, 2},
		},
		{
			"K2b", "bra tid>=6,J nop bra tid>=4,J nop bra tid>=2,J nop J: nop nop exit",
			column{9, .7500, 2},
			column{9, .7500, 0},
			column{12, .5625, 3},
			column{9, .7500, 3},
		},
		{
			"K3", "L: i++ nop bra i<=tid,L nop nop exit",
			column{27, .6111, 2},
			column{27, .6111, 0},
			column{36, .4583, 7},
			column{27, .6111, 7},
		},
		{
			"K4", "bra tid<2,X nop bra tid<4,X nop nop bra J X: nop nop nop nop J: nop exit",
			column{16, .5000, 3},
			column{12, .6667, 0},
			column{17, .4706, 2},
			column{16, .5000, 2},
		},
		{
			"K4b", "bra tid<2,X nop bra tid<4,X nop bra tid<6,X nop bra J X: nop nop nop nop J: nop exit",
			column{21, .4286, 3},
			column{13, .6923, 0},
			column{24, .3750, 3},
			column{21, .4286, 3},
		},
		{
			"K5", "A: nop bra (tid+i)%2,C nop nop bra E C: nop bra 7&i>=1,D E: i++ bra i<4,A bra F D: nop F: nop exit",
			column{55, .5068, 4},
			column{40, .6969, 0},
			column{48, .5807, 2},
			column{47, .5931, 2},
		},
		{
			"K6", "bra tid==7,COLD nop R: nop nop nop nop nop nop exit COLD: nop nop bra R",
			column{12, .7708, 3},
			column{19, .4868, 0},
			column{19, .4868, 1},
			column{19, .4868, 1},
		},
		{
			"K6b", "L: nop bra tid==i%8,COLD R: nop nop i++ bra i<8,L nop exit COLD: nop bra R",
			column{66, .7879, 2},
			column{94, .5532, 0},
			column{156, .3333, 7},
			column{94, .5532, 7},
		},
		{
			"K7", "bra tid>=4,C nop bra tid>=2,E nop nop bra J C: nop nop E: nop nop nop nop nop J: nop exit",
			column{20, .4750, 3},
			column{15, .6333, 0},
			column{21, .4524, 2},
			column{20, .4750, 2},
		},
		{
			"U1", "A: nop bra (tid+i)%2,C nop nop bra E C: nop bra 7&i==1,D E: i++ bra i<8,A bra F D: nop F: nop exit",
			column{106, .5189, 0},
			column{75, .7333, 0},
			column{75, .7333, 0},
			column{75, .7333, 0},
		},
		{
			"U2", "A: nop bra (tid+i)%2,C nop nop bra E C: nop bra never,D E: i++ bra i<8,A bra F D: nop F: nop exit",
			column{106, .5189, 0},
			column{75, .7333, 0},
			column{75, .7333, 0},
			column{75, .7333, 0},
		},
		{
			"U3", "nop bra tid%2,E1 nop nop bra J E1: nop bra never,OUT nop J: nop nop nop nop nop nop nop nop OUT: nop exit",
			column{26, .5769, 0},
			column{18, .8333, 0},
			column{18, .8333, 0},
			column{18, .8333, 0},
		},
		{
			"U4", "nop bra tid%2,E1 nop nop bra J E1: nop bra tid==7,OUT nop J: nop nop nop nop nop nop nop nop OUT: nop exit",
			column{26, .5337, 0},
			column{18, .7708, 0},
			column{27, .5139, 0},
			column{26, .5337, 0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, m := range []struct {
				options divergence.Options
				want    column
			}{
				{divergence.Options{Mechanism: "pdom", PathOrder: divergence.TakenFirst}, c.pdom},
				{divergence.Options{Mechanism: "ptpc", PathOrder: divergence.TakenFirst}, c.ptpc},
				{paths.PPCKeys.With(divergence.Options{Mechanism: "ppc", PathOrder: divergence.TakenFirst},
					paths.PPCParams{Verbatim: true}), c.verbatim},
				{divergence.Options{Mechanism: "ppc", PathOrder: divergence.TakenFirst}, c.cascading},
			} {
				cfg := small()
				cfg.Divergence = m.options
				cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads = 8, 8, 64
				p, counts := micro(t, c.text)
				k := load(t, cfg, p, 1, 8)
				issues, lanes := 0, 0
				k.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
					if counts(&p.Insts[e.PC]) {
						issues++
						lanes += bits.OnesCount64(e.Mask)
					}
				})
				require.Equal(t, gpu.Finished, k.Run(nil, 100_000))
				assert.Equal(t, m.want.issues, issues, "%+v", m.options)
				assert.InDelta(t, m.want.activity, float64(lanes)/float64(8*issues), .00005, "%+v", m.options)
				if m.want.depth > 0 {
					assert.Equal(t, m.want.depth, k.SMs[0].Div.Stats().MaxDepth, "%+v", m.options)
				}
			}
		})
	}
}

// TestLockBetweenThreadsOfAWarp: every mechanism that cannot finish reports it.
func TestLockBetweenThreadsOfAWarp(t *testing.T) {
	p := program(t, `
LOOP:
	atom.global.cas.b32 %r4, [%rd0], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra LOOP;
	atom.global.exch.b32 %r5, [%rd0], 0;
	exit;`)
	for _, c := range []struct{ mechanism, why string }{
		{"pdom", "reconvergence"},
		{"ptpc", "its turn"}, // the owner is behind the loop, which has the smaller PC
		{"ppc", "its turn"},
		{"dpe", "reconvergence"},
	} {
		cfg := small()
		cfg.Divergence.Mechanism = c.mechanism
		m := load(t, cfg, p, 1, 32)
		require.Equal(t, gpu.Deadlock, m.Run(nil, 10_000_000), c.mechanism)
		var reasons []string
		for _, s := range m.Status() {
			reasons = append(reasons, s.Why)
		}
		assert.Contains(t, reasons, c.why, c.mechanism)
	}
}

// TestCoveredPathOfBottomEntry: both paths of a branch exit, so that they take the place of the only
// path of the bottom entry. One of them branches again, and both its parts wait at the barrier. The
// other path is covered before it comes there, so the warp never arrives.
func TestCoveredPathOfBottomEntry(t *testing.T) {
	p := program(t, `
	and.b32 %r4, %r1, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra SLOW;
	and.b32 %r4, %r1, 2;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra PART;
	bar.sync 0;
	bra.uni END;
PART:
	bar.sync 0;
END:
	exit;
SLOW:
	ld.volatile.global.u32 %r5, [%rd0];
	add.u32 %r5, %r5, 1;
	bar.sync 0;
	exit;`)
	cfg := small()
	cfg.Divergence.Mechanism = "dpe"
	m := load(t, cfg, p, 1, 32)
	require.Equal(t, gpu.Deadlock, m.Run(nil, 10_000_000))
}

// TestPathAtABarrier: a path waits at a barrier for its sibling, which loops and never arrives. The
// status reports this path as waiting at a barrier.
func TestPathAtABarrier(t *testing.T) {
	p := program(t, `
	and.b32 %r4, %r1, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra WAIT;
	bar.sync 0;
	exit;
WAIT:
	ld.volatile.global.u32 %r5, [%rd0];
	setp.eq.u32 %p2, %r5, 0;
	@%p2 bra WAIT;
	bar.sync 0;
	exit;`)
	for _, mechanism := range []string{"ptpc", "ppc", "dpe"} {
		cfg := small()
		cfg.Divergence.Mechanism = mechanism
		m := load(t, cfg, p, 1, 32)
		require.Equal(t, gpu.EndlessLoop, m.Run(nil, 10_000_000), mechanism)
		var reasons []string
		for _, s := range m.Status() {
			reasons = append(reasons, s.Why)
		}
		assert.Contains(t, reasons, "a barrier", mechanism)
	}
}

// TestDualPathHidesLatency: the two paths of the only warp each wait for a load. With a dual-path
// stack they wait at the same time.
func TestDualPathHidesLatency(t *testing.T) {
	p := program(t, `
	mul.wide.u32 %rd1, %r1, 128;
	add.u64 %rd2, %rd0, %rd1;
	and.b32 %r4, %r1, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra ODD;
	ld.global.u32 %r5, [%rd2];
	add.u32 %r5, %r5, 1;
	st.global.u32 [%rd2], %r5;
	bra.uni JOIN;
ODD:
	ld.global.u32 %r6, [%rd2];
	add.u32 %r6, %r6, 2;
	st.global.u32 [%rd2], %r6;
JOIN:
	exit;`)
	cycles := map[string]uint64{}
	for _, mechanism := range []string{"pdom", "dpe"} {
		cfg := small()
		cfg.Divergence.Mechanism = mechanism
		m := load(t, cfg, p, 1, 32)
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		cycles[mechanism] = m.Cycles()
		got := words(t, m, bufferBytes/4)
		for i := range uint32(32) {
			assert.Equal(t, 1+i&1, got[i*32], "%s: thread %d", mechanism, i)
		}
	}
	assert.Less(t, cycles["dpe"]*5, cycles["pdom"]*4, "%v", cycles)
}

// TestPathChangesWithoutABranch: the paths of the inner branch reconverge by falling through to J,
// and the outer branch's other path at E1 runs first. The fetch unit has buffered all of J and must
// be redirected.
func TestPathChangesWithoutABranch(t *testing.T) {
	p, counts := micro(t, "bra tid>=4,E1 bra tid>=2,E2 nop bra J E1: nop bra J E2: nop nop nop nop J: exit")
	cfg := small()
	cfg.Divergence.Mechanism = "ppc"
	cfg.SM.WarpSize, cfg.SM.SIMDWidth, cfg.SM.Threads, cfg.SM.IBuffer = 8, 8, 64, 4
	m := load(t, cfg, p, 1, 8)
	var masks []uint64
	m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
		if counts(&p.Insts[e.PC]) {
			masks = append(masks, e.Mask)
		}
	})
	require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
	assert.Equal(t, []uint64{0xff, 0x0f, 3, 3, 0x0c, 0x0c, 0x0c, 0x0c, 0xf0, 0xf0, 0xff}, masks)
}
