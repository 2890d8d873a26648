package verify

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/ptx"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// TestCopiesTakeTime checks that copies are asynchronous. A thread reads old data before it waits.
// A wait for the first of two groups, with near data, does not wait for the second, with far data.
// The program has a race, so only the machine runs it.
func TestCopiesTakeTime(t *testing.T) {
	const kernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
	.reg .b32 %r<9>;
	.reg .b64 %rd<3>;
	.shared .align 16 .b8 tile[8];
	ld.param.u64 %rd1, [in];
	ld.param.u64 %rd2, [out];
	mov.u32 %r0, tile;
	st.shared.v2.b32 [%r0], {7, 7};
	ld.global.b32 %r1, [%rd1];
	add.u32 %r2, %r1, 0;
	cp.async.ca.shared.global [%r0], [%rd1], 4;
	cp.async.commit_group;
	cp.async.ca.shared.global [%r0+4], [%rd1+4096], 4;
	cp.async.commit_group;
	ld.shared.b32 %r3, [%r0+4];
	cp.async.wait_group 1;
	ld.shared.v2.b32 {%r4, %r5}, [%r0];
	cp.async.wait_group 0;
	ld.shared.b32 %r6, [%r0+4];
	st.global.v4.b32 [%rd2], {%r3, %r4, %r5, %r6};
	ret;
}
`
	m, err := ptx.Parse("k.ptx", []byte(kernel))
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	for _, preset := range []string{"tbc", "kepler"} { // by warp and by register
		found, err := gpu.FindPreset(preset)
		require.NoError(t, err)
		s := session(t, found.Config())
		in, out := s.Alloc(8192), s.Alloc(16)
		s.Write(in, []byte{1})
		s.Write(in+4096, []byte{2})
		bank := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, in), out)
		require.NoError(t, s.Launch(testbench.Launch{
			Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{1, 1, 1},
			Params: bank,
		}))
		var got [16]byte
		s.Read(out, got[:])
		require.NoError(t, s.Err())
		assert.Equal(t, [16]byte{0: 7, 4: 1, 8: 7, 12: 2}, got, preset)
	}
}

// TestHalfMatmul multiplies matrices by cp.async, ldmatrix and mma under every mechanism. The
// elements are multiples of 1/8, so that all sums are exact.
func TestHalfMatmul(t *testing.T) {
	const rows, columns, depth = 64, 48, 40 // 2.5 tiles
	text, err := os.ReadFile("testdata/half/matmul.ptx")
	require.NoError(t, err)
	m, err := ptx.Parse("matmul.ptx", text)
	require.NoError(t, err)
	p, err := testbench.Program(m, "")
	require.NoError(t, err)
	rng := rand.New(rand.NewPCG(11, 12))
	matrix := func(n int) (values []float32, halves []byte) {
		for range n {
			v := rng.IntN(64) - 32
			values = append(values, float32(v)/8)
			u := uint16(bitsOf("f16", v))
			if v != 0 {
				u -= 3 << 10
			}
			halves = binary.LittleEndian.AppendUint16(halves, u)
		}
		return values, halves
	}
	a, bytesA := matrix(rows * depth)
	b, bytesB := matrix(depth * columns)
	for _, d := range divergence.Mechanisms() {
		t.Run(d.Name, func(t *testing.T) {
			c := small()
			c.GPU.SMs = 2
			c.Divergence.Mechanism = d.Name
			s := session(t, c)
			atA, atB, atC := s.Alloc(len(bytesA)), s.Alloc(len(bytesB)), s.Alloc(4*rows*columns)
			s.Write(atA, bytesA)
			s.Write(atB, bytesB)
			var bank []byte
			for _, at := range []uint64{atA, atB, atC} {
				bank = binary.LittleEndian.AppendUint64(bank, at)
			}
			bank = binary.LittleEndian.AppendUint32(bank, depth)
			require.NoError(t, Run(s, testbench.Launch{
				Prog: p, Grid: [3]uint32{columns / 16, rows / 32, 1},
				Block: [3]uint32{128, 1, 1}, Params: bank,
			}))
			got := make([]byte, 4*rows*columns)
			s.Read(atC, got)
			require.NoError(t, s.Err())
			for i := range rows {
				for j := range columns {
					var want float32
					for k := range depth {
						want += a[i*depth+k] * b[k*columns+j]
					}
					require.Equal(t, want, math.Float32frombits(binary.LittleEndian.Uint32(got[4*(i*columns+j):])),
						"row %d column %d", i, j)
				}
			}
		})
	}
}
