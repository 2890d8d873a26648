package divergence_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/rtl"
	"divergo/sm/divergence"
	"divergo/sm/divergence/microtest"
	"divergo/units"
)

func cost(t *testing.T, mechanism string, g divergence.Geometry) divergence.Cost {
	t.Helper()
	m, ok := divergence.Find(mechanism)
	require.True(t, ok, mechanism)
	c, err := m.Cost(divergence.Options{}, g)
	require.NoError(t, err)
	return c
}

// width of a field of a word.
func width(t *testing.T, s rtl.Storage, field string) int {
	t.Helper()
	for _, f := range s.Fields {
		if f.Name == field {
			return f.Bits
		}
	}
	require.Fail(t, "no such field", "%s in %v", field, s)
	return 0
}

// howMany counts a kind of logic.
func howMany(c divergence.Cost, kind units.LogicKind) (n int) {
	for _, l := range c.Logic {
		if l.Kind == kind {
			n += l.Count
		}
	}
	return n
}

// TestCostOfComparing: paired-path comparison has a pair of comparators for each warp. A PC for
// each thread takes one comparator for each thread (Huang et al., figures 2(a) and 4).
func TestCostOfComparing(t *testing.T) {
	g := divergence.Geometry{Lanes: 8, Warps: 4, CTAs: 2}
	ppc, ptpc := cost(t, "ppc", g), cost(t, "ptpc", g)
	assert.Equal(t, 4*1, howMany(ppc, units.Equality))
	assert.Equal(t, 4*1, howMany(ppc, units.LessThan))
	assert.Equal(t, 4*8, howMany(ptpc, units.Equality))
}

// TestCostOfBarriers: when a warp reaches a barrier, hardware checks every path that the top of its
// stack covers. For each entry but the top one, a dual-path stack checks whether either path has
// reached its reconvergence point. Paired paths check only the path that is not current.
func TestCostOfBarriers(t *testing.T) {
	g := divergence.Geometry{Lanes: 8, Warps: 4, CTAs: 2}
	dpe, ppc := cost(t, "dpe", g), cost(t, "ppc", g)
	assert.Equal(t, 2*4+2*7, howMany(dpe, units.Equality))
	assert.Contains(t, dpe.Logic, units.Logic{Kind: units.Encoder, Bits: 2 * 7, Count: 1})
	assert.Contains(t, ppc.Logic, units.Logic{Kind: units.Encoder, Bits: 7, Count: 1})
}

// TestCostOfTokens: a token is 64 bits. A spill or fill moves 32 bytes, and 16 tokens of a warp are
// on the chip (Bialas & Strzelecki, 2015, section IV).
func TestCostOfTokens(t *testing.T) {
	stack := microtest.Structure(t, cost(t, "token", divergence.Geometry{Lanes: 32, Warps: 4, CTAs: 2}),
		"Stack.Entries")
	assert.Equal(t, 64, stack.Width())
	assert.Equal(t, 32, width(t, stack, "Mask"))
	assert.Equal(t, 32*8, divergence.TransferWords*stack.Width())
	assert.Equal(t, 4*16, stack.Words)
}

// TestCostOfCompaction: the entries of the stacks of all CTAs have a bit for each thread. That is
// no more than one entry of each warp's stack together (Fung & Aamodt, HPCA 2011, section 7). The
// compactor has an encoder for each lane (figure 9).
func TestCostOfCompaction(t *testing.T) {
	for _, g := range []divergence.Geometry{
		{Lanes: 32, Warps: 32, CTAs: 8},
		{Lanes: 16, Warps: 64, CTAs: 4},
		{Lanes: 8, Warps: 5, CTAs: 1},
	} {
		tbc, pdom := cost(t, "tbc", g), cost(t, "pdom", g)
		mask := g.CTAs * width(t, microtest.Structure(t, tbc, "Stack.Entries"), "Mask")
		assert.Equal(t, g.Lanes*g.Warps, mask)
		assert.Equal(t, g.Warps*width(t, microtest.Structure(t, pdom, "Stack.Entries"), "Mask"), mask)
		assert.Equal(t, g.Lanes, howMany(tbc, units.Encoder))
	}
}

// TestCostIsHardware: the storage of a per-warp stack, counted on paper. It excludes statistics,
// and includes likely-convergence points only where they are used.
func TestCostIsHardware(t *testing.T) {
	const lanes, warps, ctas = 16, 6, 2
	slot := 1 + 2 + 1 + 5 + 6 + 32 + lanes
	meeting, depth, entry := 1+1+4+7, 8, 32+32+lanes
	tally := 12 + 12
	barriers := ctas*(warps+16*(2*warps+7+tally)) + warps*tally
	g := divergence.Geometry{Lanes: lanes, Warps: warps, CTAs: ctas}
	pdom, lcp := cost(t, "pdom", g), cost(t, "pdom-lcp", g)
	assert.Equal(t, warps*(slot+meeting+depth+2*lanes*entry)+barriers, pdom.Bits())
	assert.Equal(t, warps*(slot+meeting+depth+3*lanes*(entry+32+7))+barriers, lcp.Bits())
}

// TestCostOfAll: every mechanism can be measured, and its storage grows with
// the lanes.
func TestCostOfAll(t *testing.T) {
	for _, m := range divergence.Mechanisms() {
		narrow, wide := cost(t, m.Name, divergence.Geometry{Lanes: 8, Warps: 8, CTAs: 2}), cost(t, m.Name,
			divergence.Geometry{Lanes: 32, Warps: 8, CTAs: 2})
		assert.Less(t, narrow.Bits(), wide.Bits(), m.Name)
		for _, s := range wide.Storage {
			for _, f := range s.Fields {
				assert.NotContains(t, f.Name, "Stats", "%s %s", m.Name, s.Path)
			}
		}
	}
}
