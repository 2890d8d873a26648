package experiments_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/experiments"
	"divergo/internal/forall"
	"divergo/isa"
	"divergo/kernels"
	"divergo/units"
)

func paths(t *testing.T, w kernels.Workload, warpSize int) *experiments.Paths {
	t.Helper()
	p, err := experiments.MeasurePaths(w, warpSize)
	require.NoError(t, err)
	require.NoError(t, w.Check(), "the emulator computes what the kernel should")
	return p
}

type (
	rates map[units.Permutation]float64
	sums  map[units.Permutation]int
)

// TestPaths compares the active sets of two kernels of Rhu & Erez, ISCA 2013, with values worked
// out by hand, for warps of 32.
//
// The kernels are the programmatic branches of bitonic sort, and the branch in the loop of the
// first reduction kernel. In bitonic sort, partner > tid divides warps if the distance is below 32.
// If k is below 32, too, tid & k divides the remaining threads.
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name          string
		tally         experiments.Tally
		divergent     int
		static, ideal int
		rates         rates
		sums          sums
	}{
		{
			"bitonic, 256 threads", paths(t, kernels.NewBitonic(256, 256, 1),
				32).Total(isa.ClassProgrammatic), 40, 640, 280,
			rates{
				units.Sequential: 0, units.OddEven: .3, units.XOROddHalf: .2, units.FlipOdd: 1, units.RotateOdd: .3,
				units.WID: .75, units.RevWID: .6, units.Balanced: 1,
			},
			sums{units.Sequential: 640, units.FlipOdd: 320, units.Balanced: 292},
		},
		{
			"bitonic, 512 threads", paths(t, kernels.NewBitonic(512, 512, 1),
				32).Total(isa.ClassProgrammatic), 45, 1440, 640,
			rates{units.OddEven: .289, units.RevWID: .8, units.Balanced: 1},
			sums{units.FlipOdd: 720, units.Balanced: 648},
		},
		{
			"reduction, 256 threads", paths(t, kernels.NewReduction(256, 256, 1), 32).At("reduction.cu:15"), 8, 111, 69,
			rates{
				units.Sequential: 0, units.OddEven: .375, units.XOROddHalf: .0625, units.FlipOdd: .375,
				units.WID: .625, units.RevWID: .3125, units.Balanced: .625,
			},
			sums{units.Balanced: 69},
		},
	} {
		all := &c.tally.All
		assert.Equal(t, c.divergent, c.tally.Divergent, c.name)
		assert.Equal(t, 2*c.divergent, all.Paths, c.name)
		assert.Equal(t, c.static, all.Static, c.name)
		assert.Equal(t, c.ideal, all.Ideal.Warps, c.name)
		for p, want := range c.rates {
			assert.InDelta(t, want, all.Rate(all.Under(p)), .0005, "%s, %s", c.name, p)
		}
		for p, want := range c.sums {
			assert.Equal(t, want, all.Under(p).Warps, "%s, %s", c.name, p)
		}
	}
}

// TestPathsOfTransposition: odd-even transposition of 256 threads has 16 rounds of two branches on
// the thread's parity. Each side has half of the lanes of 8 warps.
//
// Odd_Even puts odd lanes next to even ones. Rev_WID moves lanes by multiples of 4, since the
// reversed number of a warp below 8 is one.
func TestPathsOfTransposition(t *testing.T) {
	p := paths(t, kernels.NewBlockSort(256, 256, 1), 32)
	parity := p.At("blocksort.cu:21")
	all := &parity.All
	assert.Equal(t, 32, parity.Divergent)
	assert.Equal(t, 32*2*8, all.Static)
	assert.Equal(t, 32*2*4, all.Ideal.Warps)
	for p, want := range (sums{units.Sequential: 512, units.OddEven: 256, units.RevWID: 512, units.Balanced: 256}) {
		assert.Equal(t, want, all.Under(p).Warps, p)
	}
}

// TestPathsOfBits: 1024 points of three dimensions, 128 in a CTA. Bits 0 to 4 of the number are set
// in half of the lanes of 12 warps, and clear in the others.
func TestPathsOfBits(t *testing.T) {
	p := paths(t, kernels.NewQuasirandom(1024, 8, 1), 32)
	bit := p.At("quasirandom.cu:11")
	assert.Equal(t, 8*31, bit.Instances)
	assert.Equal(t, 8*5, bit.Divergent)
	assert.Equal(t, 8*5*2*12, bit.All.Static)
	assert.Equal(t, 8*5*2*6, bit.All.Ideal.Warps)
	assert.Zero(t, bit.All.Under(units.Sequential).Fewer)
	assert.Equal(t, bit.All.Ideal, bit.All.Under(units.Balanced))
}

// TestPathsOfNestedBranches: an instance of an inner branch has the threads of all warps that reach
// it in one round of the outer loops. The comparisons of bitonic sort have half of the threads, or
// a quarter.
func TestPathsOfNestedBranches(t *testing.T) {
	p := paths(t, kernels.NewBitonic(256, 256, 1), 32)
	outer, inner := p.At("bitonic.cu:17"), p.At("bitonic.cu:20")
	assert.Equal(t, 36, outer.Instances, "1+2+...+8 rounds")
	assert.Equal(t, 36, inner.Instances)
	assert.Equal(t, 30, outer.Divergent)
	assert.Equal(t, 10, inner.Divergent, "k below 32")
	assert.Equal(t, outer.All.Paths/2, outer.Work.Paths, "an if without else")
	assert.Equal(t, inner.All.Paths, inner.Work.Paths, "an if with else")
	assert.Equal(t, [4]int{0, 0, 60, 0}, quartiles(&outer), "half of the threads on each side")
	assert.Equal(t, [4]int{0, 20, 0, 0}, quartiles(&inner), "a quarter")
	compares := p.At("bitonic.cu:21")
	assert.Equal(t, 36, compares.Instances)
	assert.Zero(t, compares.All.Static-compares.Quartiles[0].Static-compares.Quartiles[1].Static, "at most a half")
}

func quartiles(t *experiments.Tally) (n [4]int) {
	for i := range n {
		n[i] = t.Quartiles[i].Paths
	}
	return n
}

// TestPathsBounds: on every kernel and permutation, no path is compacted to fewer warps than its
// threads fill, or to more than it has.
func TestPathsBounds(t *testing.T) {
	for n, k := range kernels.All() {
		if forall.LeftOut(n, 4) {
			continue
		}
		p := paths(t, k.Sizes[0].New(1), 32)
		for i := range p.Branches {
			b := &p.Branches[i]
			assert.LessOrEqual(t, b.All.Paths, 2*b.Instances)
			for _, n := range b.All.Compacted {
				assert.LessOrEqual(t, b.All.Ideal.Warps, n.Warps, k.Name)
				assert.LessOrEqual(t, n.Warps, b.All.Static, k.Name)
				assert.LessOrEqual(t, n.Fewer, b.All.Ideal.Fewer, k.Name)
			}
			total := experiments.Warps{}
			for q := range b.Quartiles {
				total.Add(&b.Quartiles[q])
			}
			if b.Divergent > 0 {
				assert.Equal(t, b.All, total, "each path is in one quartile")
			}
		}
	}
}

// TestPathsErrors: CTAs that fit on no SM are an error.
func TestPathsErrors(t *testing.T) {
	_, err := experiments.MeasurePaths(kernels.NewBitonic(512, 512, 1), 4)
	assert.ErrorContains(t, err, "128 warps of 4, want at most 64")
}

func ExampleMeasurePaths() {
	p, err := experiments.MeasurePaths(kernels.NewBitonic(256, 256, 1), 32)
	if err != nil {
		fmt.Println(err)
		return
	}
	t := p.Total(isa.ClassProgrammatic)
	fmt.Println(t.All.Paths, "paths,", t.All.Static, "warps, at best", t.All.Ideal.Warps)
	// Output: 80 paths, 640 warps, at best 280
}
