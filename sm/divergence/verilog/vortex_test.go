package verilog_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/internal/need"
	"divergo/kernels"
	"divergo/properties"
	"divergo/sm/divergence"
	"divergo/sm/divergence/micro"
	"divergo/sm/divergence/verilog"
)

// vortexFiles are the files of Vortex that the unit in examples/vortex needs.
var vortexFiles = []string{
	"hw/rtl/core/VX_split_join.sv", "hw/rtl/core/VX_ipdom_stack.sv", "hw/rtl/libs/VX_dp_ram.sv",
	"hw/rtl/libs/VX_pipe_register.sv", "hw/rtl/libs/VX_shift_register.sv",
}

// vortex builds the unit in examples/vortex. DIVERGO_VORTEX is a folder with Vortex's files; without it
// the unit gets the module of ours with the same ports.
func vortex(t *testing.T) (folder string) {
	t.Helper()
	need.Tool(t, "verilator")
	if testing.Short() {
		t.Skip("takes seconds to build a unit")
	}
	folder = filepath.Join(t.TempDir(), "vortex")
	require.NoError(t, verilog.Init(folder))
	const ours = "../../../examples/vortex"
	list, err := filepath.Glob(ours + "/*.*")
	require.NoError(t, err)
	require.Len(t, list, 4)
	if theirs := os.Getenv("DIVERGO_VORTEX"); theirs != "" {
		for _, f := range vortexFiles {
			list = append(list, filepath.Join(theirs, f))
		}
	} else {
		list = append(list, ours+"/standin/VX_split_join.sv")
	}
	for _, f := range list {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, filepath.Base(f)), text, 0o644))
	}
	messages, err := verilog.Build(folder, false)
	require.NoError(t, err)
	assert.Empty(t, messages)
	_, err = divergence.Open(folder)
	require.NoError(t, err)
	return folder
}

// TestVortex: the unit around the stacks of Vortex runs every kernel with the right result, and random
// kernels find nothing in it.
func TestVortex(t *testing.T) {
	folder := vortex(t)
	t.Run("join", func(t *testing.T) { joinTwice(t, folder) })
	t.Run("kernels", func(t *testing.T) {
		sum, most, of := 0.0, 0.0, ""
		for _, k := range kernels.All() {
			pdom, err := run(t, k, "pdom")
			require.NoError(t, err)
			got, err := run(t, k, folder)
			require.NoError(t, err)
			ratio := float64(got) / float64(pdom)
			sum += math.Log(ratio)
			if ratio > most {
				most, of = ratio, k.Name
			}
		}
		t.Logf("cycles over those of pdom: %.4f in the geometric mean, at most %.4f (%s)",
			math.Exp(sum/float64(len(kernels.All()))), most, of)
	})
	t.Run("random", func(t *testing.T) {
		r, err := properties.Run(properties.Options{Mechanisms: []string{folder}, Runs: 100})
		require.NoError(t, err)
		assert.Nil(t, r.Failure)
	})
}

// joinTwice: a join takes 2 cycles. The other side of a branch starts with one, and the code behind the
// branch with a second one; under pdom both start at once. Vortex has the same 2 joins, with a register
// behind the stack.
func joinTwice(t *testing.T, folder string) {
	k := micro.Seq(
		micro.When(micro.Odd, "ODD"),
		micro.Nop, micro.To("JOIN"),
		micro.At("ODD", micro.Nop),
		micro.At("JOIN", micro.Nop), micro.Exit,
	)
	// starts returns the cycles of the issues, from that of the last instruction of the first side on.
	starts := func(mech string) (other, both uint64) {
		var at []uint64
		cycle := uint64(0)
		b := micro.Bench{Lanes: 8, Warps: 1, Each: func(_ divergence.Policy, issues []micro.Issue) {
			for cycle++; len(at) < len(issues); {
				at = append(at, cycle)
			}
		}}
		m, ok := divergence.Find(mech)
		require.True(t, ok)
		r, err := b.Run(m, divergence.Options{Mechanism: mech}, k, 1000)
		require.NoError(t, err)
		require.True(t, r.Done)
		pcs := []uint32{}
		for _, i := range r.Issues {
			pcs = append(pcs, i.PC)
		}
		require.Equal(t, []uint32{0, 3, 1, 2, 4, 5}, pcs) // the taken side, the other one, and both
		return at[2] - at[1], at[4] - at[3]
	}
	other, both := starts("pdom")
	lateOther, lateBoth := starts(folder)
	assert.Equal(t, other+2, lateOther)
	assert.Equal(t, both+2, lateBoth)
}
