package properties

import (
	"os"
	"path/filepath"
	"testing"

	"divergo/isa"
	"divergo/properties/draw"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCorpusFile checks that a steered campaign is a function of its first seed and its corpus file: the
// file has equal bytes for any number of goroutines, and if the campaign is continued.
func TestCorpusFile(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many kernels")
	}
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	o := Options{Mechanisms: []string{"pdom"}, Seed: 192, Runs: 64 + 2*generationSeeds, Corpus: at("whole")}
	whole, err := Run(o)
	require.NoError(t, err)
	require.Nil(t, whole.Failure, "%v", whole.Failure)
	require.EqualValues(t, o.Runs, whole.Cases)

	o.Corpus, o.Runs = at("parts"), 64+generationSeeds+100 // of which 100 are no whole generation
	part, err := Run(o)
	require.NoError(t, err)
	o.Runs, o.Jobs = 64+2*generationSeeds, 3
	rest, err := Run(o)
	require.NoError(t, err)
	assert.Equal(t, whole.Lanes, rest.Lanes)
	assert.Equal(t, whole.Situations, rest.Situations)
	assert.Less(t, len(part.Situations), len(rest.Situations))
	names := map[Situation]bool{}
	for _, s := range rest.Situations {
		s.Kernels = 0
		assert.False(t, names[s], "%v twice", s)
		names[s] = true
	}
	assert.True(t, names[Situation{Kind: "event", Mechanism: "pdom", Name: "warp starts"}])
	assert.True(t, names[Situation{Kind: "value", Mechanism: "pdom", Name: "add of u32, source 0 is 0, full"}])
	one, err := os.ReadFile(at("whole"))
	require.NoError(t, err)
	two, err := os.ReadFile(at("parts"))
	require.NoError(t, err)
	assert.Equal(t, string(one), string(two))

	c, all, err := openCorpus(at("whole"), o.Mechanisms, 1, draw.AllFeatures)
	require.NoError(t, err)
	defer c.file.Close()
	assert.Len(t, all, 3)
	bred := 0
	for _, m := range c.list {
		if len(m.Parents) > 0 {
			bred++
		}
		k, err := m.c.Compile()
		require.NoError(t, err)
		assert.Equal(t, m.Seed, k.Seed)
	}
	assert.Greater(t, bred, 20)
}

// TestBred checks that bred cases compile, fit their machine, differ from their parents, and that equal
// seeds and parents give equal cases.
func TestBred(t *testing.T) {
	a, b := draw.New(1, draw.AllFeatures), draw.New(200, draw.AllFeatures)
	same, n := 0, uint64(300)
	if testing.Short() {
		n = 40
	}
	for seed := range n {
		machine := draw.BreedMachine(draw.MachineSeeds*seed, b.Machine)
		require.NoError(t, machine.Check())
		c := draw.Breed(seed, draw.AllFeatures, &a, &b, machine)
		require.Equal(t, c, draw.Breed(seed, draw.AllFeatures, &a, &b, machine))
		k, err := c.Compile()
		require.NoError(t, err, "seed %d", seed)
		require.LessOrEqual(t, int(c.Block[0]*c.Block[1]*c.Block[2]), machine.SM.Threads/machine.SM.Schedulers)
		require.Equal(t, seed, c.Seed)
		if text, _ := a.PTX(); text == k.Text {
			same++
		}
		a, b = b, c
	}
	assert.Less(t, same, int(n)/4)
}

// TestSpecialOf checks the classes of values by type.
func TestSpecialOf(t *testing.T) {
	for _, c := range []struct {
		v    uint64
		typ  isa.Type
		want special
	}{
		{0, isa.U32, specialZero},
		{1 << 31, isa.S32, specialLeast},
		{1<<31 - 1, isa.S32, specialMost},
		{0xffff_ffff, isa.B32, specialOnes},
		{32, isa.U32, specialWidth},
		{64, isa.U64, specialWidth},
		{33, isa.U32, notSpecial},
		{1 << 31, isa.F32, specialLeast}, // -0
		{0x7f80_0000, isa.F32, specialInf},
		{0xff80_0000, isa.F32, specialInf},
		{0x7fc0_0001, isa.F32, specialNaN},
		{0x8000_0001, isa.F32, specialSubnormal},
		{0x3f80_0000, isa.F32, notSpecial},
		{0x7c01, isa.F16, specialNaN},
		{0x7ff0_0000_0000_0000, isa.F64, specialInf},
	} {
		assert.Equal(t, c.want, specialOf(c.v, c.typ), "%#x of %v", c.v, c.typ)
	}
}
