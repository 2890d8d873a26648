package experiments

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/isa/safety"
	"divergo/kernels"
	"divergo/kernels/runner"
	"divergo/ptx"
	"divergo/testbench"
)

// TestVote: a branch herded in software takes three more instructions (Sartori & Kumar, section
// III-A). Other branches stay unchanged.
func TestVote(t *testing.T) {
	text, err := kernels.PTX("julia.ptx")
	require.NoError(t, err)
	before, err := make(runner.Programs).Program("julia.ptx", "julia")
	require.NoError(t, err)
	branches, _ := safety.Analyze(before).Safe()
	require.NotEmpty(t, branches)
	m, err := ptx.Parse("julia.ptx", []byte(vote(text, before, branches)))
	require.NoError(t, err)
	after, err := testbench.Program(m, "julia")
	require.NoError(t, err)
	require.Len(t, after.Insts, len(before.Insts)+3*len(branches))
	added := 0
	for pc, in := range before.Insts {
		herded := slices.Contains(branches, pc)
		if herded {
			added += 3
		}
		got := after.Insts[pc+added]
		require.Equal(t, in.Op, got.Op, pc)
		if herded {
			require.Equal(t, isa.OpPopc, after.Insts[pc+added-2].Op)
			require.Equal(t, after.Insts[pc+added-1].Dst[0].Index, got.Guard.Index)
		} else {
			require.Equal(t, in.Text, got.Text, pc)
		}
	}
}

// TestForcedLoads: without forced loads nothing changes. Reading one address loses more quality
// than reading one block (HERDING-17).
func TestForcedLoads(t *testing.T) {
	if testing.Short() {
		t.Skip("runs benchmarks")
	}
	f, err := FindFigure("herding-fig6")
	require.NoError(t, err)
	d, err := f.Draw()
	require.NoError(t, err)
	require.Equal(t, []any{0, 1.0, 0.0, 1.0, 0.0}, d.Rows[0])
	for _, row := range d.Rows[1:] {
		assert.Greater(t, row[2], row[4], "%v %% of the loads", row[0])
	}
}
