package properties

import (
	"slices"
	"testing"

	"divergo/properties/books"
	"divergo/properties/draw"
	"divergo/sm/divergence"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// asserted declares an assertion that does not hold where a warp diverges. covered declares two cover
// points, one of which cannot be reached.
const asserted, covered = "asserted", "covered"

func init() {
	m, _ := divergence.Find("pdom")
	diverged := func(p divergence.Policy) bool { return p.Stats().Divergent > 0 }
	m.Name, m.Covers = asserted, nil
	m.Asserts = []divergence.Property{{
		Name: "together", Doc: "no branch diverges", Holds: func(p divergence.Policy) bool { return !diverged(p) },
	}}
	divergence.Register(m)
	m.Name, m.Asserts = covered, nil
	m.Covers = []divergence.Property{
		{Name: "apart", Doc: "a branch has diverged", Holds: diverged},
		{Name: "never", Doc: "nothing is so", Holds: func(divergence.Policy) bool { return false }},
	}
	divergence.Register(m)
}

// TestAssertions checks that a broken assertion fails its checker, with its name as the place, and that
// the checker lists the assertions.
func TestAssertions(t *testing.T) {
	branch := func(c draw.Cond) *draw.Compiled {
		k, err := (&draw.Case{
			Machine: draw.Plain(8), Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{8, 1, 1},
			Kernel: draw.Kernel{Words: 64, Body: []draw.Stmt{
				{Kind: draw.If, Cond: c, Body: [][]draw.Stmt{{{Kind: draw.Compute}}}}, {Kind: draw.Put},
			}},
		}).Compile()
		require.NoError(t, err)
		return k
	}
	apart := branch(draw.Cond{Value: draw.Thread, Reg: -1, Mask: 1, Cmp: "eq"})
	together := branch(draw.Cond{Value: draw.CTA, Reg: -1, Mask: 1, Cmp: "eq"})
	f, err := (&runner{}).Check(together, asserted)
	require.NoError(t, err)
	assert.Nil(t, f)
	f, err = (&runner{}).Check(apart, asserted)
	require.NoError(t, err)
	require.NotNil(t, f)
	assert.Equal(t, "assertion", f.Checker)
	assert.Equal(t, "together", f.at.Rule.Name)
	assert.Contains(t, f.What, "no branch diverges")
	i := slices.IndexFunc(Checkers(), func(c books.Checker) bool { return c.Name == "assertion" })
	assert.Contains(t, Checkers()[i].More, "asserted: together: no branch diverges.")

	var c Coverage
	reached := newSituations()
	r := runner{Coverage: &c, Situations: reached}
	for _, k := range []*draw.Compiled{together, apart} {
		f, err := r.Check(k, covered)
		require.NoError(t, err)
		require.Nil(t, f)
	}
	names, counts := c.Hardware()
	bins := map[string]uint64{}
	for i, name := range names {
		bins[name] = counts[i]
	}
	assert.EqualValues(t, 1, bins["cover: covered: apart"])
	n, listed := bins["cover: covered: never"]
	assert.True(t, listed && n == 0)
	assert.NotContains(t, bins, "cover: pdom: half of the stack", "it has not run")
	assert.Contains(t, reached.list(), newSituation(situationCover, 0, 0, 0, 0))
	assert.NotContains(t, reached.list(), newSituation(situationCover, 0, 1, 0, 0))
}
