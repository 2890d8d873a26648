package sm_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/rtl"
	"divergo/rtl/rtltest"
	"divergo/sm"
)

// TestOpcodeTimes: a dependent instruction issues latency+3 cycles after its producer. Independent
// instructions of a class start one initiation interval apart. The latencies and intervals of
// integers are those of GPGPU-Sim's GTX 1080 Ti: 4,13,4,5,145 and 1,2,2,1,8 for add, max, mul, mad
// and div.
func TestOpcodeTimes(t *testing.T) {
	pascal := func(c *sm.Config) {
		l, i := &c.Latency, &c.Initiation
		l.IntAdd, l.IntMax, l.IntMul, l.IntMad, l.IntDiv = 4, 13, 4, 5, 145
		i.IntAdd, i.IntMax, i.IntMul, i.IntMad, i.IntDiv = 1, 2, 2, 1, 8
		l.FPAdd, l.FPMax, l.FPMul, l.FPMad, l.FPDiv = 6, 14, 7, 8, 39
		l.DPAdd, l.DPMax, l.DPMul, l.DPMad, l.DPDiv = 11, 19, 10, 12, 330
		l.Logic, l.Set, l.Cvt, l.SFU = 3, 2, 9, 40
		i.SFU = 6
	}
	// chain is an instruction repeated 12 times, each needing the one before; free is one without
	// dependences.
	for _, c := range []struct {
		name       string
		chain      string // uses r1 or d1
		free       string // reads %r11
		dependent  uint64
		initiation uint64
	}{
		{"add", "sub.u32 %r1, %r1, 1;", "sub.u32 %r2, %r11, 1;", 4 + 3, 1},
		{"max", "max.u32 %r1, %r1, 1;", "max.u32 %r2, %r11, 1;", 13 + 3, 2},
		{"mul", "mul.lo.u32 %r1, %r1, 3;", "mul.lo.u32 %r2, %r11, 3;", 4 + 3, 2},
		{"mad", "mad.lo.u32 %r1, %r1, 3, 1;", "mad.lo.u32 %r2, %r11, 3, 1;", 5 + 3, 1},
		{"div", "div.u32 %r1, %r1, 3;", "div.u32 %r2, %r11, 3;", 145 + 3, 8},
		{"fp add", "add.f32 %r1, %r1, %r1;", "", 6 + 3, 0},
		{"fp max", "max.f32 %r1, %r1, %r1;", "", 14 + 3, 0},
		{"fp mul", "mul.f32 %r1, %r1, %r1;", "", 7 + 3, 0},
		{"fp mad", "fma.rn.f32 %r1, %r1, %r1, %r1;", "", 8 + 3, 0},
		{"fp div", "div.rn.f32 %r1, %r1, %r1;", "", 39 + 3, 0},
		{"dp add", "add.f64 %d1, %d1, %d1;", "", 11 + 3, 0},
		{"dp max", "max.f64 %d1, %d1, %d1;", "", 19 + 3, 0},
		{"dp mul", "mul.f64 %d1, %d1, %d1;", "", 10 + 3, 0},
		{"dp mad", "fma.rn.f64 %d1, %d1, %d1, %d1;", "", 12 + 3, 0},
		{"dp div", "div.rn.f64 %d1, %d1, %d1;", "", 330 + 3, 0},
		{"logic", "xor.b32 %r1, %r1, 5;", "", 3 + 3, 0},
		{"shift", "shl.b32 %r1, %r1, 1;", "", 3 + 3, 0},
		{"set", "set.eq.u32.u32 %r1, %r1, 5;", "", 2 + 3, 0},
		{"cvt", "cvt.rn.f32.u32 %r1, %r1;", "", 9 + 3, 0},
		{"special function", "sin.approx.f32 %r1, %r1;", "ex2.approx.f32 %r2, %r11;", 40 + 3, 6},
		{"none of them", "mov.u32 %r1, %r1;", "mov.u32 %r2, %r11;", 5 + 3, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := func(line string) uint64 {
				cfg := config()
				cfg.RFBanks = 64
				pascal(&cfg)
				require.NoError(t, cfg.Check())
				text := ""
				for range 12 {
					text += line + "\n"
				}
				b := newBench(t, &cfg, text+"exit;", 32, 1)
				b.run(t)
				return b.issues[11].cycle - b.issues[10].cycle
			}
			assert.Equal(t, c.dependent, last(c.chain))
			if c.free != "" {
				// An instruction that overwrites the same register waits, so 12 registers keep the
				// pipe busy.
				cfg := config()
				pascal(&cfg)
				b := newBench(t, &cfg, freely(c.free), 32, 1)
				starts := b.starts(t)
				assert.Equal(t, c.initiation, starts[11]-starts[10], "starts %v", starts)
			}
		})
	}
}

// freely repeats an instruction that writes %r2 twelve times, with a different register each time.
func freely(line string) (text string) {
	for i := range 12 {
		text += strings.ReplaceAll(line, "%r2", "%r"+strconv.Itoa(20+i)) + "\n"
	}
	return text + "exit;"
}

// starts returns the cycles in which a pipe takes an instruction.
func (b *bench) starts(t *testing.T) (cycles []uint64) {
	taken := func() uint64 { return b.ALU.Q().Count + b.DPU.Q().Count + b.SFU.Q().Count }
	for b.Host.Q().Ended < b.Host.ctas {
		require.Less(t, b.sim.Now(), uint64(10_000))
		now, was := b.sim.Now(), taken()
		b.sim.Run(1)
		if taken() > was {
			cycles = append(cycles, now)
		}
	}
	return cycles
}

// TestResultBus: adds of 5 cycles follow a mul of 10 cycles and do not depend on it. The sixth
// instruction would leave the pipe together with the mul. It starts a cycle later, so that results
// leave one at a time:
//
//	cycle  0 1 2 3 4 5 6 7 8 9 10 11 12 13
//	mul    s . . . . . . . . . x
//	add 1    s . . . . x
//	add 2      s . . . . x
//	add 3        s . . . . x
//	add 4          s . . . . x
//	add 5            - s . . . .  x            would be in cycle 10
//	add 6              - s . . .  .  x
func TestResultBus(t *testing.T) {
	cfg := config()
	cfg.Latency.IntMul, cfg.RFBanks = 10, 64
	b := newBench(t, &cfg, `
	mul.lo.u32 %r1, %r11, %r11;
	add.u32 %r2, %r12, 1;
	add.u32 %r3, %r13, 1;
	add.u32 %r4, %r14, 1;
	add.u32 %r5, %r15, 1;
	add.u32 %r6, %r16, 1;
	add.u32 %r7, %r17, 1;
	exit;`, 32, 1)
	pcs, cycles := b.results(t)
	assert.Equal(t, []uint32{1, 2, 3, 4, 0, 5, 6}, pcs)
	assert.Equal(t, []uint64{0, 1, 2, 3, 4, 5, 6}, cycles)
	assert.EqualValues(t, 1, b.ALU.Q().Waits, "add 5 has waited for a cycle")
}

// results returns the instructions written back, one a cycle, and their cycles counted from the
// first one.
func (b *bench) results(t *testing.T) (pcs []uint32, cycles []uint64) {
	for b.Host.Q().Ended < b.Host.ctas {
		require.Less(t, b.sim.Now(), uint64(1000))
		now := b.sim.Now()
		b.sim.Run(1)
		if done := b.Writeback.Done.Get(); done.N > 0 {
			require.EqualValues(t, 1, done.N)
			cycles = append(cycles, now)
			pcs = append(pcs, done.C[0].PC)
		}
	}
	first := cycles[0]
	for i := range cycles {
		cycles[i] -= first
	}
	return pcs, cycles
}

// TestOutcomeLatency: a longer outcome delays the instructions after a branch by the same number of
// cycles. It does not delay other instructions.
func TestOutcomeLatency(t *testing.T) {
	issues := func(outcome int) (cycles []uint64) {
		cfg := config()
		cfg.OutcomeLat = outcome
		b := newBench(t, &cfg, `
	add.u32 %r2, %r12, 1;
	add.u32 %r3, %r13, 1;
	setp.eq.u32 %p1, %r2, 5;
	@%p1 bra END;
	add.u32 %r4, %r14, 1;
END:
	exit;`, 32, 1)
		b.Issue.OnIssue.Add(func(e sm.Issued) { cycles = append(cycles, e.Cycle) })
		b.run(t)
		return cycles
	}
	cfg := config()
	usual, slow := issues(0), issues(cfg.ALULatency+7)
	assert.Equal(t, usual, issues(cfg.ALULatency))
	assert.Equal(t, usual[:4], slow[:4])
	for i, cycle := range usual[4:] {
		assert.Equal(t, cycle+7, slow[4+i])
	}
	quick := issues(1)
	assert.EqualValues(t, cfg.ALULatency-1, usual[4]-quick[4])
}

// TestHeldResults: while 18 double-precision results take the only port, more muls finish than Out
// can hold, and Line stands still. Afterwards they follow without a gap, in order.
func TestHeldResults(t *testing.T) {
	cfg := config()
	cfg.Latency.IntMul, cfg.DPLatency, cfg.RFBanks = 9, 20, 64
	text, want, cycles := "", []uint32(nil), []uint64(nil)
	for i := range 30 {
		if i < 18 {
			text += fmt.Sprintf("cvt.rn.f32.f64 %%r%d, %%d1;", 20+i)
		} else {
			text += fmt.Sprintf("mul.lo.u32 %%r%d, %%r19, 3;", i-17)
		}
		want, cycles = append(want, uint32(i)), append(cycles, uint64(i))
	}
	b := newBench(t, &cfg, text+"exit;", 32, 1)
	pcs, at := b.results(t)
	assert.Equal(t, want, pcs)
	assert.Equal(t, cycles, at)
	assert.NotZero(t, b.ALU.Q().Held)
}

// TestClassesOfPipes: every class of instructions that a pipe takes is listed for the pipe, for all
// opcodes and types. Its latency is therefore known when the pipe is built.
func TestClassesOfPipes(t *testing.T) {
	for op := isa.OpNone; op <= isa.OpWarpSync; op++ {
		for typ := isa.NoType; typ <= isa.Pred; typ++ {
			for src := isa.NoType; src <= isa.Pred; src++ {
				in := isa.Inst{Op: op, Type: typ, SrcType: src}
				if c := in.OpClass(); c != isa.ClassOther && in.Unit() != isa.UnitMem {
					assert.True(t, sm.Takes(in.Unit(), c), "%v of %v from %v", op, typ, src)
				}
			}
		}
	}
}

// TestOpcodeProperties: pipes of several latencies have the properties of all hardware.
func TestOpcodeProperties(t *testing.T) {
	cfg := config()
	cfg.Latency.IntAdd, cfg.Latency.Logic, cfg.Latency.DPAdd, cfg.Latency.SFU, cfg.WBPorts = 2, 20, 3, 30, 1
	cfg.SIMDWidth, cfg.Initiation.IntAdd = 8, 1
	rtltest.Properties(t, func() *rtl.Sim { return newBench(t, &cfg, salted(skipKernel, 99), 80, 3).sim }, 1500)
}
