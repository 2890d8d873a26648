package gpu_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/isa"
	"divergo/sm"
	"divergo/units"
)

// places writes %laneid, %warpid and the lane masks of each thread, packed into one word. The last
// warp of its CTA is not full.
const places = `
	mov.u32 %r4, %laneid;
	mov.u32 %r5, %warpid;
	mov.u32 %r6, %lanemask_lt;
	mov.u32 %r7, %lanemask_eq;
	popc.b32 %r6, %r6;
	clz.b32 %r7, %r7;
	mad.lo.u32 %r8, %r5, 256, %r4;
	mad.lo.u32 %r8, %r6, 65536, %r8;
	mad.lo.u32 %r8, %r7, 0x1000000, %r8;
	mul.wide.u32 %rd1, %r0, 4;
	add.u64 %rd2, %rd0, %rd1;
	st.global.u32 [%rd2], %r8;
	exit;`

// TestLanes: under every permutation a program sees its threads at their locations, and computes
// the same results.
func TestLanes(t *testing.T) {
	see, compute := program(t, places), program(t, mixed)
	for _, p := range units.Permutations() {
		for _, mech := range []string{"pdom", "tbc"} {
			cfg := small()
			cfg.SM.Lanes, cfg.Divergence.Mechanism = p, mech
			m := load(t, cfg, see, 3, 72)
			require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
			for i, v := range words(t, m, 3*72) {
				lane, warp := uint32(i%72%32), uint32(i%72/32)
				require.Equal(t, (31-lane)<<24|lane<<16|warp<<8|lane, v, "%s, %s: thread %d", p, mech, i)
			}
			m = load(t, cfg, compute, 7, 96)
			require.Equal(t, gpu.Finished, m.Run(nil, 1_000_000))
			got := words(t, m, bufferBytes/4)
			for i := range uint32(7 * 96) {
				require.Equal(t, result(i, 96), got[i], "%s, %s: thread %d", p, mech, i)
			}
		}
	}
}

// TestLanesCompact: every second thread of 4 warps takes a branch (Rhu & Erez, ISCA 2013, figure 9b
// for warps of 32). In sequential lanes the warps cannot be compacted. Balanced over the lanes the
// 4 warps become 2, unless the kernel disables permutation.
func TestLanesCompact(t *testing.T) {
	kernel, counts := micro(t, "bra tid%2,C bra D C: nop D: exit")
	inLine, apart := *kernel, *kernel
	inLine.NoLanePermutation, apart.NoCompaction = true, true
	for _, c := range []struct {
		p     *isa.Program
		lanes units.Permutation
		warps int
	}{
		{kernel, units.Sequential, 4},
		{kernel, units.XOROddHalf, 4},
		{kernel, units.RevWID, 4},
		{kernel, units.OddEven, 2},
		{kernel, units.Balanced, 2},
		{&inLine, units.Balanced, 4},
		{&apart, units.Balanced, 4},
	} {
		p := c.p
		cfg := small()
		cfg.SM.Lanes, cfg.Divergence.Mechanism = c.lanes, "tbc"
		m := load(t, cfg, p, 1, 128)
		issues := map[uint32]int{}
		var order []uint32
		m.SMs[0].Issue.OnIssue.Add(func(e sm.Issued) {
			if counts(&p.Insts[e.PC]) {
				if issues[e.PC] == 0 {
					order = append(order, e.PC)
				}
				issues[e.PC]++
			}
		})
		require.Equal(t, gpu.Finished, m.Run(nil, 100_000))
		require.Len(t, order, 4)
		assert.Equal(t, []int{4, c.warps, c.warps, 4},
			[]int{issues[order[0]], issues[order[1]], issues[order[2]], issues[order[3]]}, "%s: A, C, B, D", c.lanes)
	}
}
