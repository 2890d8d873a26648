package properties

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/properties/draw"
	"divergo/testbench/golden"
)

// TestTextures checks that the loads and the arithmetic in place of a tex give what the golden model makes
// of the tex itself. These two share no code. Votes of the threads that are together are left out: the two
// programs have other PCs.
func TestTextures(t *testing.T) {
	forms := map[isa.Tex]bool{}
	for seed := uint64(0); seed < 2000 && !(testing.Short() && len(forms) > 25); seed++ {
		c := draw.New(seed, draw.AllFeatures&^(draw.Counts|draw.Gathers|draw.Edges|draw.Messages))
		if c.Kernel.Image == 0 {
			continue
		}
		c.Again = 0
		k, err := c.Compile()
		require.NoError(t, err)
		if k.Prog.Textured == nil {
			continue
		}
		for _, in := range k.Prog.Textured.Insts {
			if in.Op == isa.OpTex {
				forms[in.Tex] = true
			}
		}
		loads, memory := run(t, k, golden.Options{})
		whole := *k
		whole.Prog = k.Prog.Textured
		tex, same := run(t, &whole, golden.Options{})
		require.Equal(t, loads.End, tex.End, "seed %d", seed)
		require.Equal(t, memory, same, "seed %d", seed)
	}
	assert.Greater(t, len(forms), 25)
}

// TestHostWrites checks that the launch file of a case has what the host writes between launches.
func TestHostWrites(t *testing.T) {
	writes := 0
	for seed := uint64(0); seed < 60; seed++ {
		c := draw.New(seed, draw.AllFeatures&^draw.Edges)
		if c.Host == 0 {
			continue
		}
		_, params := c.PTX()
		f := &Failure{Mechanism: "pdom", Case: c}
		list := f.launches().Launches
		assert.Empty(t, list[0].Writes)
		var drawn []string
		for _, w := range c.HostWrites(1, params) {
			drawn = append(drawn, w.String())
		}
		assert.Equal(t, drawn, list[1].Writes)
		writes += len(drawn)
	}
	assert.Greater(t, writes, 5)
}
