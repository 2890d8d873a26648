package gpu_test

import (
	"testing"

	"divergo/gpu"
	"divergo/isa"
)

// benchmark runs an endless kernel on one SM of 32 lanes with all warps resident. An iteration is
// one core cycle.
func benchmark(b *testing.B, p *isa.Program) { benchmarkOn(b, p, 1, 8, 128) }

// benchmarkOn does the same as benchmark on several SMs, with another grid.
func benchmarkOn(b *testing.B, p *isa.Program, sms int, grid, block uint32) {
	preset, err := gpu.FindPreset("slp")
	if err != nil {
		b.Fatal(err)
	}
	cfg := preset.Config()
	cfg.GPU.SMs, cfg.DRAM.Channels = sms, 1
	cfg.SM.ALULatency = 8
	m := load(b, cfg, p, grid, block)
	m.Run(nil, 5000)
	before := issued(m)
	b.ReportAllocs()
	b.ResetTimer()
	m.Run(nil, uint64(b.N))
	n := float64(issued(m) - before)
	b.ReportMetric(n/float64(b.N), "ipc")
	b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Minst/s")
}

// issued counts the instructions of all SMs.
func issued(m *gpu.Machine) (n uint64) {
	for _, s := range m.SMs {
		n += s.Issue.Count.Q().Issued
	}
	return n
}

// BenchmarkCompute issues one instruction a cycle, of integer and float arithmetic in a loop.
func BenchmarkCompute(b *testing.B) {
	benchmark(b, program(b, `
	cvt.rn.f32.u32 %f1, %r1;
	mov.f32 %f2, 0f3F000000;
LOOP:
	add.u32 %r4, %r4, %r1;
	xor.b32 %r5, %r4, %r1;
	fma.rn.f32 %f2, %f2, 0f3F000000, %f1;
	add.u32 %r6, %r5, %r4;
	mul.f32 %f3, %f2, %f1;
	add.u32 %r7, %r7, 1;
	setp.ge.u32 %p1, %r7, 0;
	@%p1 bra LOOP;
	exit;`))
}

// BenchmarkDivergent is BenchmarkCompute with half of the lanes on either side of a branch.
func BenchmarkDivergent(b *testing.B) {
	benchmark(b, program(b, `
	and.b32 %r8, %r1, 1;
	setp.eq.u32 %p2, %r8, 0;
LOOP:
	add.u32 %r7, %r7, 1;
	@%p2 bra EVEN;
	add.u32 %r4, %r4, %r1;
	xor.b32 %r5, %r4, %r1;
	bra.uni JOIN;
EVEN:
	add.u32 %r6, %r5, %r4;
	xor.b32 %r5, %r6, %r1;
JOIN:
	setp.ge.u32 %p1, %r7, 0;
	@%p1 bra LOOP;
	exit;`))
}

// BenchmarkMemory loads and stores data that stays in the L1. It stores other values each time: if
// a state recurred, the watchdog would end the run as an endless loop.
func BenchmarkMemory(b *testing.B) {
	benchmark(b, program(b, `
	and.b32 %r4, %r0, 255;
	mul.wide.u32 %rd1, %r4, 4;
	add.u64 %rd2, %rd0, %rd1;
LOOP:
	ld.global.u32 %r5, [%rd2];
	add.u32 %r6, %r6, 1;
	st.global.u32 [%rd2+1024], %r6;
	setp.ge.u32 %p1, %r5, 0;
	@%p1 bra LOOP;
	exit;`))
}

// chain has atomics of one address, one after the other.
const chain = `
LOOP:
	atom.global.add.u32 %r5, [%rd0], 1;
	setp.ge.u32 %p1, %r5, 0;
	@%p1 bra LOOP;
	exit;`

// BenchmarkWaiting has one warp that waits for a chain of misses. It measures the cost of an almost
// idle SM.
func BenchmarkWaiting(b *testing.B) {
	benchmark(b, program(b, `
	setp.ge.u32 %p2, %r0, 32;
	@%p2 exit;`+chain))
}

// BenchmarkWaitingSMs has a warp on each of 30 SMs that waits for one busy channel. The cost
// depends on the events, not on the number of SMs.
func BenchmarkWaitingSMs(b *testing.B) { benchmarkOn(b, program(b, chain), 30, 30, 32) }
