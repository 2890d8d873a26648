package area

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/gpu"
	"divergo/units"
)

// TestSynthesized: a block is found as often as the logic has all of its pieces, and only then.
func TestSynthesized(t *testing.T) {
	equal := func(n int) units.Logic { return units.Logic{Kind: units.Equality, Bits: 32, Count: n} }
	less := func(n int) units.Logic { return units.Logic{Kind: units.LessThan, Bits: 32, Count: n} }
	encoder := units.Logic{Kind: units.Encoder, Bits: 32, Count: 32}
	other := units.Logic{Kind: units.Adder, Bits: 7, Count: 2}
	for _, x := range []struct {
		name        string
		lanes       int
		logic, left []units.Logic
		block       string
		times       int
	}{
		{"a pair for each of 48 warps", 32, []units.Logic{other, equal(48), less(48)}, []units.Logic{other}, "path-pair lanes=32", 48},
		{"PCs of the threads of 2 warps", 8, []units.Logic{equal(16), less(14)}, nil, "smallest-pc lanes=8", 2},
		{"4 lanes of a compactor, 8 times", 32, []units.Logic{encoder, equal(8)}, []units.Logic{equal(8)}, "compactor lanes=4 warps=32", 8},
		{"another number of comparators", 32, []units.Logic{equal(48), less(47)}, []units.Logic{equal(48), less(47)}, "", 0},
		{"no order", 32, []units.Logic{equal(48)}, []units.Logic{equal(48)}, "", 0},
		{"a size that was not synthesized", 2, []units.Logic{equal(2), less(2)}, []units.Logic{equal(2), less(2)}, "", 0},
	} {
		found, left := Synthesized(x.logic, x.lanes)
		assert.Equal(t, x.left, append([]units.Logic(nil), left...), x.name)
		if x.block == "" {
			assert.Empty(t, found, x.name)
			continue
		}
		require.Len(t, found, 1, x.name)
		for _, s := range Syntheses() {
			if s.String() == x.block {
				assert.Equal(t, exactly(float64(x.times)*s.Gates), found[0].Count, x.name)
			}
		}
		assert.Contains(t, found[0].Name, x.block)
	}
}

// TestSynthesesNearCells: a synthesis has no more than 2.2 times the gates that package area counts for
// the same logic by itself, and no less than a third. With few lanes the majority needs no adders.
func TestSynthesesNearCells(t *testing.T) {
	for _, s := range Syntheses() {
		ratio := s.Gates / GatesOf(s.Declares...)
		assert.True(t, ratio > 1./3 && ratio < 2.2, "%s: %.2f", s.String(), ratio)
	}
}

// TestSynthesizedMechanisms: the machine of the papers has the blocks of its mechanism.
func TestSynthesizedMechanisms(t *testing.T) {
	for mechanism, want := range map[string]string{
		"tbc": "8 x compactor lanes=4 warps=32, synthesized", "capri": "8 x compactor lanes=4 warps=32, synthesized",
		"ppc": "32 x path-pair lanes=32, synthesized", "ptpc": "32 x smallest-pc lanes=32, synthesized", "pdom": "",
	} {
		cfg := gpu.Default().Under(mechanism)
		cfg.Herd.Enable = true
		a, err := Of(&cfg, Nodes()[0])
		require.NoError(t, err)
		for _, p := range a.Parts {
			switch p.Name {
			case "divergence mechanism":
				names := ""
				for _, g := range p.Gates {
					names += g.Name
				}
				assert.Equal(t, want, names, mechanism)
			case "herding":
				require.Len(t, p.Gates, 1)
				assert.Equal(t, "1 x majority lanes=32, synthesized", p.Gates[0].Name)
			}
		}
	}
}
