package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm/divergence"
	"divergo/units"
)

// ends runs a program under a mechanism, with the given numbers of CTAs and of threads in a block.
func ends(t *testing.T, mechanism, body string, ctas, threads int) (gpu.End, *gpu.Machine) {
	t.Helper()
	cfg := small()
	cfg.Divergence.Mechanism = mechanism
	m := load(t, cfg, program(t, body), uint32(ctas), uint32(threads))
	return m.Run(nil, 3_000_000), m
}

// TestSpinLocks: the thread that holds a lock waits for those of its warp that want it. The verdict
// does not depend on the mechanism's treatment of the waiting threads' paths.
func TestSpinLocks(t *testing.T) {
	for name, body := range map[string]string{
		"a branch in the loop": `
LOOP:
	atom.global.cas.b32 %r4, [%rd0], 0, 1;
	and.b32 %r6, %r1, 1;
	setp.eq.u32 %p2, %r6, 0;
	@%p2 bra EVEN;
	add.u32 %r7, %r1, 1;
EVEN:
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra LOOP;
	atom.global.exch.b32 %r5, [%rd0], 0;
	exit;`,
		"two loops in the loop, with another count for each thread": `
LOOP:
	and.b32 %r6, %r1, 3;
WAIT:
	sub.s32 %r6, %r6, 1;
	setp.ge.s32 %p2, %r6, 0;
	@%p2 bra WAIT;
	mov.u32 %r7, 3;
AGAIN:
	sub.s32 %r7, %r7, 1;
	setp.gt.s32 %p3, %r7, 0;
	@%p3 bra AGAIN;
	atom.global.cas.b32 %r4, [%rd0], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra LOOP;
	atom.global.exch.b32 %r5, [%rd0], 0;
	exit;`,
		"locals in memory, and a store of the same value": `
	.local .align 4 .b8 mine[16];
	cvta.local.u64 %rd1, mine;
LOOP:
	mov.u32 %r6, 3;
COUNT:
	st.u32 [%rd1], %r6;
	ld.u32 %r6, [%rd1];
	sub.s32 %r6, %r6, 1;
	setp.gt.s32 %p2, %r6, 0;
	@%p2 bra COUNT;
	st.global.u32 [%rd0+128], 5;
	atom.global.exch.b32 %r4, [%rd0], 1;
	st.u32 [%rd1+4], %r4;
	ld.u32 %r7, [%rd1+4];
	setp.ne.u32 %p1, %r7, 0;
	@%p1 bra LOOP;
	st.global.u32 [%rd0], 0;
	exit;`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, mech := range divergence.Mechanisms() {
				end, m := ends(t, mech.Name, body, 1, 32)
				if mech.Name == "dwf" { // the owner gets a slot by itself
					assert.Equal(t, gpu.Finished, end, mech.Name)
					continue
				}
				require.Equal(t, gpu.Deadlock, end, mech.Name)
				running, held := 0, 0
				for _, p := range m.Status() {
					if p.Running {
						running++
					} else {
						held++
					}
				}
				assert.Positive(t, running, mech.Name)
				assert.Positive(t, held, mech.Name)
			}
		})
	}
}

// TestEndlessLoops: if no thread waits for others, or only at a barrier of the program, the fault
// is the loop's and not the mechanism's.
func TestEndlessLoops(t *testing.T) {
	for _, mech := range divergence.Mechanisms() {
		for name, body := range map[string]string{
			"nobody does anything": "HERE: bra HERE;",
			"a flag that nobody sets, with a branch": `
HERE:
	ld.volatile.global.u32 %r4, [%rd0];
	and.b32 %r6, %r1, 1;
	setp.eq.u32 %p2, %r6, 0;
	@%p2 bra EVEN;
	add.u32 %r7, %r1, 1;
EVEN:
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra HERE;
	exit;`,
			"a barrier in the loop": `
HERE:
	bar.sync 0;
	ld.volatile.global.u32 %r4, [%rd0];
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra HERE;
	exit;`,
		} {
			end, _ := ends(t, mech.Name, body, 2, 64)
			assert.Equal(t, gpu.EndlessLoop, end, "%s: %s", mech.Name, name)
		}
	}
	for _, mechanism := range []string{"pdom", "ptpc", "barrier"} {
		end, _ := ends(t, mechanism, `
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra BAR;
HERE:
	bra HERE;
BAR:
	bar.sync 0;
	exit;`, 1, 64)
		assert.Equal(t, gpu.EndlessLoop, end, "%s: a barrier that a warp does not come to", mechanism)
	}
}

// TestAtWork runs loops that end although no register of a thread changes from one iteration to the
// next.
func TestAtWork(t *testing.T) {
	count := func(ld, st string) string {
		return `
	.local .align 4 .b8 mine[16];
LOOP:
	` + ld + `
	add.u32 %r4, %r4, 1;
	` + st + `
	setp.lt.u32 %p1, %r4, 1000;
	mov.u32 %r4, 0;
	@%p1 bra LOOP;
	exit;`
	}
	for name, c := range map[string]struct {
		body          string
		ctas, threads int
	}{
		"counts in shared memory": {count("ld.shared.u32 %r4, [tile];", "st.shared.u32 [tile], %r4;"), 1, 32},
		"counts in local memory":  {count("ld.local.u32 %r4, [mine];", "st.local.u32 [mine], %r4;"), 1, 32},
		"counts by atomics":       {count("atom.global.add.u32 %r4, [%rd0], 1;", ""), 1, 1},
		"counts by reductions": {
			count("red.global.add.u32 [%rd0], 1; ld.volatile.global.u32 %r4, [%rd0];", ""), 1,
			1,
		},
		"waits for a time": {`
	mov.u32 %r5, %clock;
LOOP:
	mov.u32 %r4, %clock;
	sub.u32 %r4, %r4, %r5;
	setp.lt.u32 %p1, %r4, 100000;
	mov.u32 %r4, 0;
	@%p1 bra LOOP;
	exit;`, 1, 32},
		"waits for a CTA on another SM": {`
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra WAIT;
	.local .align 4 .b8 mine[16];
LOOP:
	ld.local.u32 %r4, [mine];
	add.u32 %r4, %r4, 1;
	st.local.u32 [mine], %r4;
	setp.lt.u32 %p1, %r4, 1000;
	mov.u32 %r4, 0;
	@%p1 bra LOOP;
	st.volatile.global.u32 [%rd0], 1;
	exit;
WAIT:
	ld.volatile.global.u32 %r4, [%rd0];
	setp.eq.u32 %p1, %r4, 0;
	@%p1 bra WAIT;
	exit;`, 2, 1},
		"alternates a flag with a CTA on another SM": {`
	mov.u32 %r8, 0;
	and.b32 %r5, %r2, 1;
TURN:
	ld.volatile.global.u32 %r4, [%rd0];
	and.b32 %r6, %r4, 1;
	setp.ne.u32 %p1, %r6, %r5;
	mov.u32 %r6, 0;
	@%p1 bra TURN;
	add.u32 %r4, %r4, 1;
	st.volatile.global.u32 [%rd0], %r4;
	setp.lt.u32 %p1, %r4, 500;
	mov.u32 %r4, 0;
	@%p1 bra TURN;
	exit;`, 2, 1},
	} {
		t.Run(name, func(t *testing.T) {
			mechanisms := divergence.Mechanisms()
			if testing.Short() {
				mechanisms = mechanisms[:3]
			}
			for _, mech := range mechanisms {
				end, m := ends(t, mech.Name, c.body, c.ctas, c.threads)
				assert.Equal(t, gpu.Finished, end, mech.Name)
				assert.Greater(t, m.Cycles(), uint64(60_000), "%s: it is watched", mech.Name)
			}
		})
	}
}

// TestGridBarrier: a grid passes a barrier of the whole grid if all its CTAs are resident; a small
// machine holds 24. With one more, the CTAs wait for one without room, under every mechanism. A
// loop that reads no memory waits for no other CTA, however large the grid is.
func TestGridBarrier(t *testing.T) {
	const arrive = `
	mov.u32 %r5, %nctaid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra BAR;
	red.global.add.u32 [%rd0], 1;
`
	bodies := map[string]string{
		"one thread of each CTA": arrive + `
LOOP:
	ld.volatile.global.u32 %r4, [%rd0];
	setp.lt.u32 %p2, %r4, %r5;
	@%p2 bra LOOP;
BAR:
	exit;`,
		"an atomic that changes nothing": arrive + `
LOOP:
	atom.global.add.u32 %r4, [%rd0], 0;
	setp.lt.u32 %p2, %r4, %r5;
	@%p2 bra LOOP;
BAR:
	exit;`,
	}
	for _, mech := range divergence.Mechanisms() {
		for name, body := range bodies {
			end, _ := ends(t, mech.Name, body, 24, 1)
			require.Equal(t, gpu.Finished, end, "%s: %s", mech.Name, name)
			end, m := ends(t, mech.Name, body, 25, 1)
			assert.Equal(t, gpu.GridDeadlock, end, "%s: %s", mech.Name, name)
			room, unbegun := m.Room()
			assert.Equal(t, [2]uint64{24, 1}, [2]uint64{room, unbegun})
		}
	}
	for _, mechanism := range []string{"pdom", "ptpc"} {
		end, _ := ends(t, mechanism, "HERE: bra HERE;", 40, 1)
		assert.Equal(t, gpu.EndlessLoop, end, mechanism)
		end, _ = ends(t, mechanism, "ld.volatile.global.u32 %r4, [%rd0];\nHERE: bra HERE;", 40, 1)
		assert.Equal(t, gpu.EndlessLoop, end, "%s: what is read before the loop", mechanism)
	}
	// The other threads wait at a barrier of their CTA.
	end, _ := ends(t, "pdom", `
	setp.ge.u32 %p1, %r1, 32;
	@%p1 bra BAR;
	mov.u32 %r5, %nctaid.x;
	setp.eq.u32 %p3, %r1, 0;
	@%p3 red.global.add.u32 [%rd0], 1;
LOOP:
	ld.volatile.global.u32 %r4, [%rd0];
	setp.lt.u32 %p2, %r4, %r5;
	@%p2 bra LOOP;
BAR:
	bar.sync 0;
	exit;`, 40, 64)
	assert.Equal(t, gpu.GridDeadlock, end)
	// A lock held by a thread of the warp is the mechanism's fault, though CTAs wait.
	end, m := ends(t, "pdom", `
LOOP:
	atom.global.cas.b32 %r4, [%rd0], 0, 1;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra LOOP;
	atom.global.exch.b32 %r5, [%rd0], 0;
	exit;`, 40, 32)
	assert.Equal(t, gpu.Deadlock, end)
	_, unbegun := m.Room()
	assert.Equal(t, uint64(16), unbegun)
}

// TestHashOfResultsOnTheirWay: a register that waits for its result is another state than one that has
// the same value for good. Otherwise a loop whose counter is late at every other branch looks endless.
func TestHashOfResultsOnTheirWay(t *testing.T) {
	s := load(t, small(), program(t, "exit;"), 1, 32).SMs[0]
	var settled, waits [isa.MaxLanes]uint64
	s.HashThreads(0, &settled)
	s.Sub[0].Issue.Scoreboard.Pending.Alter(1, func(p *[units.MaxRows]uint64) { p[0] = 1 << 3 })
	s.HashThreads(0, &waits)
	for lane := range settled {
		assert.Equal(t, lane != 3, settled[lane] == waits[lane], lane)
	}
}
