package verify

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// sums has a loop of another length for each thread, a branch in it, and a barrier of the CTA.
const sums = `.version 7.0
.target sm_70
.address_size 64
.entry sums(.param .u64 to)
{
	.reg .pred %p<3>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<3>;
	.shared .align 4 .b8 tile[4096];
	mov.u32 %r0, %tid.x;
	mov.u32 %r1, %ctaid.x;
	mov.u32 %r2, %ntid.x;
	mad.lo.u32 %r1, %r1, %r2, %r0;
	and.b32 %r3, %r0, 7;
	mov.u32 %r4, 0;
LOOP:
	and.b32 %r5, %r3, 1;
	setp.eq.u32 %p0, %r5, 0;
	@%p0 bra EVEN;
	add.u32 %r4, %r4, %r1;
	bra JOIN;
EVEN:
	add.u32 %r4, %r4, 1;
JOIN:
	sub.u32 %r3, %r3, 1;
	setp.ge.s32 %p1, %r3, 0;
	@%p1 bra LOOP;
	mov.u32 %r6, tile;
	shl.b32 %r7, %r0, 2;
	add.u32 %r8, %r6, %r7;
	st.shared.u32 [%r8], %r4;
	bar.sync 0;
	xor.b32 %r7, %r7, 4092;
	add.u32 %r8, %r6, %r7;
	ld.shared.u32 %r4, [%r8];
	ld.param.u64 %rd0, [to];
	mul.wide.u32 %rd1, %r1, 4;
	add.u64 %rd0, %rd0, %rd1;
	st.global.u32 [%rd0], %r4;
	exit;
}`

// TestFullSM runs three CTAs of 1,024 threads on an SM of 64 warps and 2,048 threads, with every
// mechanism. Two of the CTAs are resident at once.
func TestFullSM(t *testing.T) {
	for _, mech := range divergence.Mechanisms() {
		t.Run(mech.Name, func(t *testing.T) {
			c := small()
			c.Divergence.Mechanism = mech.Name
			c.SM.SIMDWidth = 32
			runSums(t, c, 3)
		})
	}
}

// runSums runs CTAs of 1,024 threads of sums on an SM of 2,048 threads. Two of them are resident at
// once. Every thread compares with the golden model, and the result with a formula.
func runSums(t *testing.T, c gpu.Config, ctas int) {
	const threads = 1024
	c.GPU.SMs, c.SM.Threads, c.SM.Registers = 1, 2048, 65536
	m, err := ptx.Parse("sums.ptx", []byte(sums))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	s := session(t, c)
	to := s.Alloc(4 * threads * ctas)
	require.NoError(t, Run(s, testbench.Launch{
		Prog: p, Grid: [3]uint32{uint32(ctas), 1, 1}, Block: [3]uint32{threads, 1, 1},
		Params: binary.LittleEndian.AppendUint64(nil, to),
	}))
	require.Equal(t, 2, s.Machine.SMs[0].CTAs(), "resident CTAs")
	data := make([]byte, 4*threads*ctas)
	s.Read(to, data)
	for i := range uint32(threads * ctas) {
		j := i ^ (threads - 1)
		want := j*((j&7+1)/2) + (j&7)/2 + 1
		require.Equal(t, want, binary.LittleEndian.Uint32(data[4*i:]), "thread %d", i)
	}
}
