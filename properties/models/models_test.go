package models

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/properties/draw"
	"divergo/sm/divergence"
	"divergo/testbench"
)

// features are those of kernels that all models follow: no calls, no tables of targets, and no
// barriers or votes of threads that are apart.
const features = draw.AllFeatures &^ (draw.Calls | draw.Pointers | draw.Recursions | draw.Tables | draw.Parameters |
	draw.Aparts | draw.Gathers | draw.Counts | draw.Meetings | draw.Votes | draw.Repeats | draw.Edges | draw.Larges |
	draw.Messages | draw.Anywhere | draw.Rushes | draw.Herds)

// perCTA are the mechanisms with a stack for each CTA. The sources do not say which lane is the highest
// of the threads of several warps, so the order of paths by lane is left out. They spill the bottom
// of a deep stack, where the hardware takes another order of paths, so ladders are left out. They do not
// say which branches share a set of the table of capri either: it has one set.
var perCTA = map[string]bool{"tbc": true, "tbc-lcp": true, "capri": true}

// pairs are the mechanisms that compare pairs of paths. The paper has no barriers. Where the smaller PC
// is not that of the path to run first, a path waits at a barrier for its sibling.
var pairs = map[string]bool{"ppc": true, "ppc-explicit": true}

// pooled are the mechanisms whose threads wait at barriers one by one, off the pool. The order in which
// they are back in it does not follow from the papers.
var pooled = map[string]bool{"dwf": true, "dwf-wb": true}

// compare runs kernels of consecutive seeds under a mechanism beside a model. It returns the first
// mismatch, and the number of instructions compared.
func compare(t *testing.T, mechanism string, from, to uint64, build func(c *Code) Model) (issued int, found error) {
	t.Helper()
	for seed := from; seed < to; seed++ {
		drawn := features
		if perCTA[mechanism] {
			drawn &^= draw.Ladders
		}
		if pairs[mechanism] {
			drawn &^= draw.Outlines | draw.Gotos | draw.Backwards | draw.Barriers | draw.Exchange | draw.Numbers
		}
		if pooled[mechanism] {
			drawn &^= draw.Barriers | draw.Exchange | draw.Numbers | draw.Tallies | draw.Shared | draw.Copies
		}
		c := draw.New(seed, drawn)
		if order := &c.Machine.Divergence.PathOrder; *order == divergence.HighestLaneLast && perCTA[mechanism] {
			*order = divergence.TakenFirst
		}
		if mechanism == "capri" {
			require.NoError(t, c.Machine.Set("divergence.capri.ways=0"))
		}
		k, err := c.Compile()
		require.NoError(t, err)
		k, err = k.For(mechanism)
		require.NoError(t, err)
		s, err := testbench.NewSession(k.Machine.Under(mechanism), testbench.Limits{MaxCycles: 10_000_000})
		require.NoError(t, err)
		var end func() (int, *Mismatch)
		s.OnLaunch.Add(func(*testbench.Loaded) { end = Watch(s, build) })
		require.NoError(t, k.Launch(s, s.Launch))
		n, mismatch := end()
		issued += n
		if mismatch != nil {
			t.Logf("%s, seed %d", mechanism, seed)
			return issued, mismatch
		}
	}
	return issued, nil
}

// TestModels compares each mechanism with its model on random kernels and machines.
func TestModels(t *testing.T) {
	kernels := uint64(214)
	if testing.Short() {
		kernels = 11
	}
	for mechanism, build := range Models {
		t.Run(mechanism, func(t *testing.T) {
			issued, step := 0, uint64(1)
			if pooled[mechanism] {
				step = 5 // such a model follows several orders
			}
			for seed := uint64(0); seed < kernels; seed += step {
				n, found := compare(t, mechanism, seed, seed+1, build)
				issued += n
				if !assert.NoError(t, found) {
					return
				}
			}
			t.Logf("%d instructions", issued)
		})
	}
}

// TestHerding compares herded branches and loads with their model, under each mechanism in turn. One kernel
// of four has a load of its own, so every fourth computation is a herded load instead.
func TestHerding(t *testing.T) {
	runs := uint64(160)
	if testing.Short() {
		runs = 24
	}
	mechanisms := []string{"pdom", "tbc", "dwf", "barrier", "multipath"}
	branches, loads := 0, 0
	for seed := range runs {
		c := draw.New(seed, features|draw.Herds)
		r := rand.New(rand.NewPCG(seed, 1))
		c.Kernel.Each(func(s *draw.Stmt, _ int) {
			if s.Kind == draw.Compute && r.IntN(4) == 0 {
				*s = draw.Stmt{Kind: draw.Load, D: s.D, A: s.A, N: r.IntN(8), Herd: true}
			}
		})
		k, err := c.Compile()
		require.NoError(t, err)
		mechanism := mechanisms[seed%uint64(len(mechanisms))]
		k, err = k.For(mechanism)
		require.NoError(t, err)
		s, err := testbench.NewSession(k.Machine.Under(mechanism), testbench.Limits{MaxCycles: 10_000_000})
		require.NoError(t, err)
		var end func() (int, int, error)
		s.OnLaunch.Add(func(*testbench.Loaded) { end = WatchHerding(s) })
		require.NoError(t, k.Launch(s, s.Launch))
		b, l, found := end()
		branches, loads = branches+b, loads+l
		require.NoError(t, found, "%s, seed %d", mechanism, seed)
	}
	assert.NotZero(t, branches)
	assert.NotZero(t, loads)
	t.Logf("%d branches, %d loads", branches, loads)
}

// TestHerdingModel: the vectors of the design notes, section 9.3, and the rules for ties.
func TestHerdingModel(t *testing.T) {
	h := &herding{tie: "previous", went: map[uint16]bool{}}
	assert.True(t, h.branch(1, 0xf, 0b0111))
	assert.True(t, h.branch(1, 0xf, 0b0011), "a tie, as the branch before")
	assert.False(t, h.branch(2, 0xf, 0b0011), "a tie of a slot without one before")
	assert.False(t, h.branch(1, 0xf, 0b0001))
	assert.False(t, h.branch(1, 0xf, 0b0011))
	var from [32]uint64
	for lane := range from {
		if from[lane] = 0x1000 + 4*uint64(lane); lane >= 20 {
			from[lane] = 0x2000 + 4*uint64(lane)
		}
	}
	to := h.addresses(from, ^uint32(0), 4)
	assert.Equal(t, uint64(0x1000+4*20), to[20], "most lanes read the block at 0x1000")
	to = h.addresses(from, 0xf<<18, 4)
	assert.Equal(t, uint64(0x1000+4*20), to[20], "as many read either block: that of the lowest lane")
	h.halves = true
	assert.Equal(t, from[31], h.addresses(from, 0xf000_0000, 4)[31])
}
