package testbench_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/testbench"
	"divergo/testbench/verify"
)

// stencil makes each thread add the words around its own. The first and the last thread read
// outside of the buffer.
const stencil = `.version 4.2
.target sm_35
.address_size 64
.entry stencil(.param .u64 from, .param .u64 to) {
	.reg .b32 %r<6>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [from];
	ld.param.u64 %rd2, [to];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.u64 %rd1, %rd1, %rd3;
	add.u64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd1+-4];
	ld.global.u32 %r3, [%rd1+4];
	add.u32 %r4, %r2, %r3;
	st.global.u32 [%rd2+OFFSET], %r4;
	exit;
}`

// stencilOn places two buffers of 64 words, all 1, between other allocations.
func stencilOn(t *testing.T, mechanism string, pad uint64, offset string) (*testbench.Session, testbench.Launch,
	uint64,
) {
	m, err := ptx.Parse("stencil.ptx", bytes.ReplaceAll([]byte(stencil), []byte("OFFSET"), []byte(offset)))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	cfg := gpu.Default()
	cfg.GPU.SMs, cfg.Divergence.Mechanism = 2, mechanism
	s, err := testbench.NewSession(cfg, testbench.Limits{})
	require.NoError(t, err)
	s.Pad = pad
	ones := bytes.Repeat([]byte{1, 0, 0, 0}, 64)
	var addrs [4]uint64
	for i := range addrs {
		addrs[i] = s.Alloc(256)
		s.Write(addrs[i], ones)
	}
	return s, testbench.Launch{
		Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1},
		Params: append(testbench.Address(addrs[1]), testbench.Address(addrs[2])...),
	}, addrs[2]
}

// TestPad checks a read slightly outside of a buffer. It is a fault; with a pad it gives zero and
// is counted. The machine, the golden model and an emulated launch agree. A write is a fault in any
// case.
func TestPad(t *testing.T) {
	want := append([]byte{1, 0, 0, 0}, bytes.Repeat([]byte{2, 0, 0, 0}, 62)...)
	want = append(want, 1, 0, 0, 0)
	for _, mechanism := range []string{"pdom", "tbc", "dwf"} {
		s, l, _ := stencilOn(t, mechanism, 0, "0")
		assert.ErrorContains(t, s.Launch(l), "fault: out of bounds", mechanism)
		for _, pad := range []uint64{4, 300} {
			for _, emulated := range []bool{false, true} {
				s, l, to := stencilOn(t, mechanism, pad, "0")
				s.Emulates = func(int) bool { return emulated }
				require.NoError(t, verify.Run(s, l), mechanism)
				got := make([]byte, 256)
				s.Read(to, got)
				assert.Equal(t, want, got, "%s, %d bytes, emulated %t", mechanism, pad, emulated)
				assert.EqualValues(t, 2, s.Runs[0].Outside, "%s, %d bytes, emulated %t", mechanism, pad, emulated)
			}
		}
		s, l, _ = stencilOn(t, mechanism, 3, "0")
		assert.ErrorContains(t, s.Launch(l), "fault: out of bounds", "%s: one byte too little", mechanism)
		s, l, _ = stencilOn(t, mechanism, 64, "4")
		assert.ErrorContains(t, s.Launch(l), "fault: out of bounds, 4 bytes of global memory", "%s: a store", mechanism)
	}
}

// TestPadAllocations checks that padded allocations are at multiples of 256 and far enough apart,
// also when addresses are reused.
func TestPadAllocations(t *testing.T) {
	for _, pad := range []uint64{0, 1, 256, 1000} {
		s, err := testbench.NewSession(gpu.Default(), testbench.Limits{})
		require.NoError(t, err)
		s.Pad = pad
		end := uint64(0)
		for i := range 50 {
			addr, err := s.TryAlloc(uint64(i * 37 % 512))
			require.NoError(t, err)
			assert.Zero(t, addr%256)
			if i*37%512 == 0 {
				continue
			}
			if end > 0 {
				assert.Greater(t, addr, end+2*pad, "room behind one and before the next")
			}
			end = addr + uint64(i*37%512)
		}
	}
}
