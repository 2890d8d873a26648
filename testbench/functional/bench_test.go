package functional_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/functional"
)

// endless returns a kernel with an endless loop. It has warps of 32 threads in CTAs of 128.
func endless(t testing.TB, body string) *isa.Program {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(`.version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 buffer)
{
	.reg .pred %p<8>;
	.reg .b32 %r<32>;
	.reg .b64 %rd<16>;
	.reg .f32 %f<8>;
	ld.param.u64 %rd0, [buffer];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r0, %r2, %r3, %r1;
`+body+"\n}\n"))
	require.NoError(t, err)
	p, err := testbench.Program(m, "k")
	require.NoError(t, err)
	return p
}

// loops are the loops of the benchmarks of package gpu.
var loops = []struct{ name, body string }{
	{"compute", `
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
	exit;`},
	{"divergent", `
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
	exit;`},
	{"memory", `
	and.b32 %r4, %r0, 255;
	mul.wide.u32 %rd1, %r4, 4;
	add.u64 %rd2, %rd0, %rd1;
LOOP:
	ld.global.u32 %r5, [%rd2];
	add.u32 %r6, %r6, 1;
	st.global.u32 [%rd2+1024], %r6;
	setp.ge.u32 %p1, %r5, 0;
	@%p1 bra LOOP;
	exit;`},
	{"scattered", `
	mul.lo.u32 %r4, %r0, 1664525;
LOOP:
	and.b32 %r5, %r4, 1020;
	cvt.u64.u32 %rd1, %r5;
	add.u64 %rd2, %rd0, %rd1;
	ld.global.u32 %r6, [%rd2];
	mad.lo.u32 %r4, %r4, 1664525, 1013904223;
	setp.ge.u32 %p1, %r6, 0;
	@%p1 bra LOOP;
	exit;`},
}

// BenchmarkFunctional runs loops on the functional model. An iteration is a warp instruction.
func BenchmarkFunctional(b *testing.B) {
	for _, l := range loops {
		b.Run(l.name, func(b *testing.B) {
			launch, s := start(b, l.body)
			setup := launch.Functional(&s.Machine.Config, 8)
			setup.MaxLanes = uint64(b.N) * 32
			m := functional.NewMemory(s.Memory().Ranges(), 0, s.Machine.Store.Read)
			b.ResetTimer()
			r, err := functional.Run(setup, m)
			require.NoError(b, err)
			require.Equal(b, gpu.OutOfTime, r.End)
			b.ReportMetric(float64(r.Instructions)/b.Elapsed().Seconds()/1e6, "Minst/s")
			b.ReportMetric(float64(r.Instructions), "warp_instructions")
		})
	}
}

// BenchmarkMachine runs the same loops on one SM of the machine. An iteration is a cycle.
func BenchmarkMachine(b *testing.B) {
	for _, l := range loops {
		b.Run(l.name, func(b *testing.B) {
			launch, s := start(b, l.body)
			s.Limits.MaxCycles = uint64(b.N)
			b.ResetTimer()
			_ = s.Launch(launch)
			n := float64(s.Counters().Instructions)
			b.ReportMetric(n/b.Elapsed().Seconds()/1e6, "Minst/s")
			b.ReportMetric(n, "warp_instructions")
		})
	}
}

// start makes a session with a launch of a loop.
func start(b *testing.B, body string) (testbench.Launch, *testbench.Session) {
	b.Helper()
	preset, err := gpu.FindPreset("slp")
	require.NoError(b, err)
	cfg := preset.Config()
	cfg.GPU.SMs, cfg.DRAM.Channels, cfg.SM.ALULatency = 1, 1, 8
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	require.NoError(b, err)
	p := endless(b, body)
	arg, err := testbench.ParseArg("buf:iota:u32:1024", 1)
	require.NoError(b, err)
	params, _, err := s.Place(p, []testbench.Arg{arg})
	require.NoError(b, err)
	return testbench.Launch{Prog: p, Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{128, 1, 1}, Params: params}, s
}
