package gpu_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
)

// many is a machine of 1,024 SMs with small caches.
func many(concentration int) gpu.Config {
	c := small()
	c.GPU.SMs, c.Icnt.Concentration = 1024, concentration
	c.L1.Size, c.L1.Assoc, c.DRAM.Channels = 512, 2, 8
	return c
}

// TestThousandSMs runs a grid of one CTA for each SM, then one of three for each, in which every
// thread adds to a word. Every SM takes part, each gets its own responses, and both runs end.
func TestThousandSMs(t *testing.T) {
	where := program(t, `
	mov.u32 %r4, %smid;
	mul.wide.u32 %rd1, %r2, 4;
	add.u64 %rd2, %rd0, %rd1;
	atom.global.add.u32 %r5, [%rd2], %r4;
	ld.global.u32 %r6, [%rd2];
	mad.lo.u32 %r6, %r6, 3, %r5;
	st.global.u32 [%rd2], %r6;
	exit;`)
	sum := program(t, `
	and.b32 %r4, %r2, 511;
	mul.wide.u32 %rd1, %r4, 4;
	add.u64 %rd2, %rd0, %rd1;
	red.global.add.u32 [%rd2+2048], %r0;
	exit;`)
	for _, concentration := range []int{1, 3} {
		m := load(t, many(concentration), where, 1024, 1)
		require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
		for cta, v := range words(t, m, 1024) {
			require.EqualValues(t, 3*cta, v, "CTA %d runs on SM %[1]d", cta)
		}
		require.NoError(t, m.Write(isa.GlobalBase, make([]byte, bufferBytes)))
		require.NoError(t, m.Load(sm.Kernel{
			Prog: sum, Grid: [3]uint32{3072, 1, 1}, Block: [3]uint32{4, 1, 1},
			Params: binary.LittleEndian.AppendUint64(nil, isa.GlobalBase),
			Valid:  []sm.Range{{Start: isa.GlobalBase, End: isa.GlobalBase + bufferBytes}},
		}))
		require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
		got := words(t, m, 1024)
		for w := range uint32(512) {
			want := uint32(0)
			for cta := w; cta < 3072; cta += 512 {
				want += 4*4*cta + 0 + 1 + 2 + 3
			}
			require.Zero(t, got[w])
			require.Equal(t, want, got[512+w], "word %d", w)
		}
		if testing.Short() {
			break
		}
	}
}
