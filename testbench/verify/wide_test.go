package verify

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"divergo/internal/forall"
	"divergo/ptx"
	"divergo/sm"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// TestWideWarps runs two CTAs of 1,024 threads in warps of 64 lanes, with every mechanism that has
// them.
func TestWideWarps(t *testing.T) {
	for _, mech := range divergence.Mechanisms() {
		if mech.Name == "token" {
			continue
		}
		for i, width := range []int{8, 64} {
			if forall.LeftOut(i, 2) {
				continue
			}
			t.Run(fmt.Sprintf("%s on %d lanes", mech.Name, width), func(t *testing.T) {
				c := small()
				c.Divergence.Mechanism = mech.Name
				c.SM.WarpSize, c.SM.SIMDWidth, c.SM.Scoreboard = 64, width, sm.PerRegister
				runSums(t, c, 2)
			})
		}
	}
}

// TestWideRefused: an instruction whose mask has 32 bits does not run in warps of 64 lanes, and is named.
// A bar.warp.sync of all threads runs.
func TestWideRefused(t *testing.T) {
	for _, c := range []struct{ text, why string }{
		{"vote.sync.ballot.b32 %r1, %p0, 0xffffffff;", "its masks have 32 bits"},
		{"shfl.sync.idx.b32 %r1, %r0, 0, 31, 0xffffffff;", "its masks have 32 bits"},
		{"mov.u32 %r1, %lanemask_lt;", "a mask of lanes has 32 bits"},
		{"bar.warp.sync 0x0000ffff;", "it can only name all"},
	} {
		text := ".version 7.0\n.target sm_70\n.address_size 64\n.entry k()\n{\n.reg .pred %p<1>;\n.reg .b32 %r<2>;\n" +
			"mov.u32 %r0, %laneid;\nsetp.eq.u32 %p0, %r0, 0;\nbar.warp.sync 0xffffffff;\n" + c.text + "\nexit;\n}\n"
		m, err := ptx.Parse("k.ptx", []byte(text))
		require.NoError(t, err)
		p, err := testbench.Program(m, "")
		require.NoError(t, err)
		cfg := small()
		cfg.SM.WarpSize, cfg.SM.Threads = 64, 1024
		launch := testbench.Launch{Prog: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}}
		err = session(t, cfg).Launch(launch)
		require.ErrorContains(t, err, "k.ptx:11:1: ")
		require.ErrorContains(t, err, c.why)
		require.ErrorContains(t, err, "sm.warp_size is 64, want at most 32")
		cfg.SM.WarpSize = 32
		require.NotContains(t, fmt.Sprint(session(t, cfg).Launch(launch)), "sm.warp_size")
	}
}
