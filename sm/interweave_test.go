package sm_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
)

var interweaves = []sm.Interweave{sm.InterweaveNone, sm.InterweaveSBI, sm.InterweaveSWI, sm.InterweaveBoth}

// sides has an if and an else, each for half of 8 threads. One has 3 instructions; the other has 2
// and a branch.
const sides = `
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 4;
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra IF;
	add.u32 %r3, %r13, 1;
	add.u32 %r4, %r14, 1;
	bra JOIN;
IF:
	add.u32 %r5, %r15, 1;
	add.u32 %r6, %r16, 1;
	add.u32 %r7, %r17, 1;
JOIN:
	add.u32 %r8, %r18, 1;
	exit;`

// eight is a machine with warps of 8. Its I-buffers hold one side.
func eight(w sm.Interweave) sm.Config {
	cfg := config()
	cfg.WarpSize, cfg.SIMDWidth, cfg.SFUWidth, cfg.DPWidth = 8, 8, 8, 8
	cfg.Threads, cfg.FetchWidth, cfg.IBuffer = 256, 4, 8
	cfg.Interweave = w
	return cfg
}

// log lists the instructions issued from the first instruction of a side on, by cycle. It writes
// PCs, with + for an instruction beside another.
func log(b *bench, from uint32) (text string) {
	start := uint64(0)
	for i, x := range b.issues {
		if start == 0 && x.pc >= from {
			start = x.cycle
		}
		switch {
		case start == 0:
		case i > 0 && b.issues[i-1].cycle == x.cycle:
			text += fmt.Sprintf("+%d", x.pc)
		default:
			text += fmt.Sprintf(" %d:%d", x.cycle-start, x.pc)
		}
	}
	return text
}

// TestBranchInterweaving follows the example at interweaves. Both sides of a warp have slots under
// dpe. Fetch serves one slot a cycle, and continues after the slot served last, the one that was at
// the branch. The other slot, with the side that falls through, is therefore first. The taken side
// issues beside it from its second instruction on.
func TestBranchInterweaving(t *testing.T) {
	for _, c := range []struct {
		mode sm.Interweave
		want string // issues of the two sides
	}{
		{sm.InterweaveNone, " 0:4 1:5 2:6 3:7 4:8 5:9"},
		{sm.InterweaveSBI, " 0:4 1:5+7 2:6+8 3:9"},
		{sm.InterweaveSWI, " 0:4 1:5 2:6 3:7 4:8 5:9"},
		{sm.InterweaveBoth, " 0:4 1:5+7 2:6+8 3:9"},
	} {
		cfg := eight(c.mode)
		cfg.Scheduler = sm.GTO
		require.NoError(t, cfg.Check())
		b := newBenchOf(t, "dpe", &cfg, sides, 8, 1)
		b.run(t)
		assert.Equal(t, c.want, log(b, 4)[:len(c.want)], "%s", c.mode)
	}
}

// TestWarpInterweaving: two warps on the same side of a branch have disjoint lanes if every odd
// warp has its halves exchanged. The paper shuffles lanes for that purpose. The warps then issue
// side by side. With sequential lanes they issue in turn.
func TestWarpInterweaving(t *testing.T) {
	for _, lanes := range []string{"sequential", "xor-odd-half"} {
		for _, mode := range interweaves {
			cfg := eight(mode)
			require.NoError(t, cfg.Check())
			cfg.Lanes = "sequential"
			if lanes != "sequential" {
				cfg.Lanes = "xor-odd-half"
			}
			b := newBenchOf(t, "pdom", &cfg, sides, 16, 1)
			b.run(t)
			pairs := map[uint32]int{}
			for i := range b.issues[1:] {
				if x, y := b.issues[i], b.issues[i+1]; x.cycle == y.cycle {
					assert.NotEqual(t, x.slot, y.slot)
					pairs[min(x.pc, y.pc)]++
				}
			}
			fill := lanes != "sequential" && (mode == sm.InterweaveSWI || mode == sm.InterweaveBoth)
			assert.Equal(t, fill, len(pairs) > 0, "%s, %s lanes", mode, lanes)
			for pc := range pairs {
				assert.True(t, pc >= 4 && pc <= 9, "%d: all lanes of both warps are active", pc)
			}
		}
	}
}

// TestBesideReads: two instructions side by side occupy the register file for as long as the one
// with more reads. It has one bank, so that each source of an instruction takes a cycle.
func TestBesideReads(t *testing.T) {
	sources := []string{1: "%r30, 5, 5", 2: "%r30, %r31, 5", 3: "%r30, %r31, %r32"}
	for _, reads := range [][2]int{{1, 1}, {1, 3}, {3, 1}, {2, 3}, {3, 3}} { // of the else and of the if
		side := func(n, first int) (text string) {
			for i := range 8 {
				text += fmt.Sprintf("mad.lo.u32 %%r%d, %s;\n", first+i, sources[n])
			}
			return text
		}
		cfg := eight(sm.InterweaveSBI)
		cfg.RFBanks = 1
		b := newBenchOf(t, "dpe", &cfg, `
	mov.u32 %r1, %tid.x;
	setp.lt.u32 %p1, %r1, 4;
	@%p1 bra IF;
`+side(reads[0], 2)+"bra JOIN;\nIF:\n"+side(reads[1], 10)+"JOIN: exit;", 8, 1)
		b.run(t)
		var pairs []uint64 // cycles in which both sides issue
		for i := range b.issues[1:] {
			x, y := b.issues[i], b.issues[i+1]
			if x.cycle == y.cycle && min(x.pc, y.pc) < 11 { // at 11 is the bra
				pairs = append(pairs, x.cycle)
			}
		}
		require.Greater(t, len(pairs), 4, "reads %v", reads)
		gap := pairs[len(pairs)-1] - pairs[len(pairs)-2] // the queues are full
		assert.EqualValues(t, max(reads[0], reads[1]), gap, "reads %v, pairs in cycles %v", reads, pairs)
	}
}

// TestInterwovenLanes: a cycle has at most two instructions, with disjoint lanes. Every issued
// instruction completes.
func TestInterwovenLanes(t *testing.T) {
	for _, mechanism := range []string{"pdom", "dpe", "multipath", "subwarp"} {
		for _, mode := range interweaves[1:] {
			cfg := eight(mode)
			cfg.Lanes = "rev-wid"
			cfg.SFUWidth, cfg.DPWidth = 2, 1
			cfg.Latency.Logic, cfg.Latency.FPAdd = 9, 11 // some instructions wait for the way out
			b := newBenchOf(t, mechanism, &cfg, salted(skipKernel, 7), 64, 3)
			last, taken, n, beside := uint64(0), uint64(0), 0, uint64(0)
			see := func(e sm.Issued) {
				if e.Cycle != last {
					last, taken, n = e.Cycle, 0, 0
				}
				assert.Zero(t, taken&e.Mask)
				taken |= e.Mask
				if n++; n > 1 {
					beside++
				}
				assert.LessOrEqual(t, n, 2)
			}
			b.Issue.OnIssue.Add(see)
			b.Issue.OnInserted.Add(see)
			b.run(t)
			assert.Equal(t, beside, b.Issue.Beside.Q().Count, "%s %s", mechanism, mode)
			if mode != sm.InterweaveSBI || mechanism == "dpe" || mechanism == "multipath" {
				assert.Positive(t, beside, "%s %s", mechanism, mode)
			} else {
				assert.Zero(t, beside, "%s has one path of a warp in a slot", mechanism)
			}
			for i := range b.Issue.Scoreboard.Pending.Len() {
				assert.Zero(t, *b.Issue.Scoreboard.Pending.At(i))
			}
		}
	}
}

// TestNoBeside: the hardware of the second instruction exists only with interweaving, and with a
// mechanism that declares support for two instructions.
func TestNoBeside(t *testing.T) {
	for _, c := range []struct {
		mechanism string
		mode      sm.Interweave
		there     bool
	}{
		{"pdom", sm.InterweaveNone, false},
		{"pdom", sm.InterweaveSWI, true},
		{"dwf", sm.InterweaveSWI, false},
		{"tbc", sm.InterweaveBoth, false},
	} {
		cfg := eight(c.mode)
		b := newBenchOf(t, c.mechanism, &cfg, sides, 16, 1)
		b.run(t)
		assert.Equal(t, c.there, b.Issue.Beside != nil)
		wires := slices.ContainsFunc(b.sim.Signals(),
			func(s rtl.Signal) bool { return s.Path == "bench.Issue.Beside.Fire.Slot" })
		assert.Equal(t, c.there, wires)
	}
}

// TestInterweaveProperties: the hardware for two instructions in a cycle has the properties of all
// hardware.
func TestInterweaveProperties(t *testing.T) {
	for _, mechanism := range []string{"pdom", "dpe", "multipath", "token"} {
		cfg := eight(sm.InterweaveBoth)
		cfg.Lanes, cfg.SFUWidth = "rev-wid", 2
		cfg.Latency.Logic = 9
		rtltest.Properties(t, func() *rtl.Sim {
			return newBenchOf(t, mechanism, &cfg, salted(skipKernel, 3), 40,
				2).sim
		}, 800)
	}
}

// TestSharedPort: results with disjoint lanes share a port in a cycle; other results do not.
func TestSharedPort(t *testing.T) {
	cfg := eight(sm.InterweaveSBI)
	cfg.Scheduler = sm.GTO
	b := newBenchOf(t, "dpe", &cfg, sides, 8, 1)
	most := int8(0)
	b.sim.Observe(func(uint64, []uint64) {
		done := b.Writeback.Done.At()
		if most = max(most, done.N); done.N == 2 {
			assert.Zero(t, done.C[0].Mask&done.C[1].Mask)
			assert.Equal(t, 8, bits.OnesCount64(done.C[0].Mask|done.C[1].Mask))
		}
	})
	b.run(t)
	assert.EqualValues(t, 2, most)
	assert.Zero(t, b.Writeback.Q().Conflicts)
}
