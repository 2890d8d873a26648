package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"divergo/gpu"
	"divergo/sm/divergence"
)

// scattered is a loop in which each thread takes random paths. Its body has an if with an else, an
// if within the first side, and a loop of up to 4 rounds.
const scattered = `
	add.u32 %r4, %r0, 1;
LOOP:
	mad.lo.u32 %r4, %r4, 1664525, 1013904223;
	shr.u32 %r5, %r4, 24;
	and.b32 %r6, %r5, 1;
	setp.ne.u32 %p1, %r6, 0;
	@%p1 bra ELSE;
	add.u32 %r7, %r7, %r5;
	and.b32 %r6, %r5, 2;
	setp.ne.u32 %p2, %r6, 0;
	@%p2 bra JOIN;
	xor.b32 %r7, %r7, %r4;
	add.u32 %r7, %r7, 1;
	bra.uni JOIN;
ELSE:
	add.u32 %r8, %r8, %r5;
	xor.b32 %r8, %r8, %r4;
JOIN:
	shr.u32 %r9, %r5, 6;
ROUND:
	add.u32 %r10, %r10, %r9;
	setp.eq.u32 %p3, %r9, 0;
	sub.u32 %r9, %r9, 1;
	@!%p3 bra ROUND;
	setp.ne.u32 %p4, %r4, 0;
	@%p4 bra LOOP;
	exit;`

// scatter starts scattered under a mechanism: one SM with 32 warps of 32 lanes.
func scatter(tb testing.TB, mechanism string) *gpu.Machine {
	preset, err := gpu.FindPreset("slp")
	if err != nil {
		tb.Fatal(err)
	}
	cfg := preset.Config()
	cfg.GPU.SMs, cfg.DRAM.Channels = 1, 1
	cfg.SM.ALULatency = 8
	cfg.Divergence.Mechanism = mechanism
	m := load(tb, cfg, program(tb, scattered), 8, 128)
	m.Run(nil, 20_000)
	return m
}

// BenchmarkMechanisms runs the same kernel under each mechanism. An iteration is one core cycle.
// Mechanisms that issue more in a cycle simulate more work in it; ns/inst is comparable between
// them.
func BenchmarkMechanisms(b *testing.B) {
	for _, mechanism := range divergence.Mechanisms() {
		b.Run(mechanism.Name, func(b *testing.B) {
			m := scatter(b, mechanism.Name)
			issue := m.SMs[0].Issue
			before := issue.Count.Q().Issued
			b.ReportAllocs()
			b.ResetTimer()
			m.Run(nil, uint64(b.N))
			n := float64(issue.Count.Q().Issued - before)
			b.ReportMetric(n/float64(b.N), "ipc")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/n, "ns/inst")
		})
	}
}

// TestNoAllocations: under every mechanism a running machine allocates no more memory. A longer run
// allocates no more than a shorter one.
func TestNoAllocations(t *testing.T) {
	for _, mechanism := range divergence.Mechanisms() {
		m := scatter(t, mechanism.Name)
		run := func(cycles uint64) float64 {
			return testing.AllocsPerRun(3, func() { m.Run(nil, cycles) })
		}
		assert.Equal(t, run(100), run(3000), mechanism.Name)
	}
}
