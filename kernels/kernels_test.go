package kernels

import (
	"errors"
	"go/build"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// memory is a machine whose kernels have no effect.
type memory struct {
	bytes    []byte
	launches []Call
	fail     error
}

func (m *memory) Alloc(n int) uint64 {
	addr := uint64(len(m.bytes))
	m.bytes = append(m.bytes, make([]byte, (n+255)/256*256)...)
	return addr
}

func (m *memory) Write(addr uint64, data []byte) { copy(m.bytes[addr:], data) }
func (m *memory) Read(addr uint64, data []byte)  { copy(data, m.bytes[addr:]) }

func (m *memory) Launch(l Call) error {
	m.launches = append(m.launches, l)
	return m.fail
}

func TestKernelsAreDocumentedAndHaveSizes(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range All() {
		assert.False(t, seen[k.Name], k.Name)
		seen[k.Name] = true
		for _, text := range []string{k.Name, k.Doc, k.Source, k.Control, k.Result} {
			assert.NotEmpty(t, text, k.Name)
		}
		var sizes []string
		for _, s := range k.Sizes {
			sizes = append(sizes, s.Name)
			assert.NotEmpty(t, s.Doc, k.Name)
		}
		assert.Equal(t, []string{"small", "medium", "large"}, sizes, k.Name)
	}
}

// TestVotes: kernels whose warps vote are those for sm_70, which have no modules with 32-bit
// addresses.
func TestVotes(t *testing.T) {
	for _, k := range All() {
		var m memory
		require.NoError(t, k.Sizes[0].New(1).Run(&m), k.Name)
		for _, l := range m.launches {
			text, err := PTX(l.Module)
			require.NoError(t, err, k.Name)
			assert.Equal(t, k.Votes, strings.Contains(text, ".target sm_70"), k.Name)
			_, err = PTX32(l.Module)
			assert.Equal(t, k.Votes, err != nil, k.Name)
		}
	}
}

// TestCheckFailsWithoutResults: Check reports a machine that computes nothing, and a workload that
// did not run.
func TestCheckFailsWithoutResults(t *testing.T) {
	for _, k := range All() {
		w := k.Sizes[0].New(1)
		require.ErrorContains(t, w.Check(), "did not run", k.Name)

		require.NoError(t, w.Run(&memory{}), k.Name)
		require.ErrorContains(t, w.Check(), "the reference says", k.Name)
		wrong, total := w.Mismatch()
		assert.Positive(t, wrong, k.Name)
		assert.LessOrEqual(t, wrong, total, k.Name)

		require.NoError(t, w.Run(&memory{}), k.Name)
		again, _ := w.Mismatch()
		assert.Equal(t, wrong, again, "%s: a run leaves nothing behind for the next", k.Name)
	}
}

func TestRunReturnsTheErrorOfALaunch(t *testing.T) {
	broken := errors.New("broken")
	for _, k := range All() {
		w := k.Sizes[0].New(1)
		assert.ErrorIs(t, w.Run(&memory{fail: broken}), broken, k.Name)
		assert.Error(t, w.Check(), k.Name)
	}
}

func TestRunRefusesImpossibleShapes(t *testing.T) {
	for _, c := range []struct {
		work Workload
		want string
	}{
		{NewBitonic(100, 96, 1), "bitonic: a CTA of 96 threads; want a power of two"},
		{NewReduction(100, 1024, 1), "reduction: a CTA of 1024 threads; want a power of two, at most 512"},
		{NewBackprop(16, 17, 1), "backprop: 17 hidden units; want 1 to 16"},
		{NewBlockSort(100, 96, 1), "blocksort: a CTA of 96 threads; want a power of two"},
		{NewConvolution(40, 8, 1), "convolution: a picture of 40 columns; want a multiple of 16"},
		{NewLoop1(32), "loop1: pattern M = 32; want 0 to 31"},
		{NewLoop2(-1), "loop2: pattern M = -1; want 0 to 31"},
		{newOceanFFT(24, 1), "oceanfft: a field of side 24; want a power of two, 4 to 256"},
		{newBinomial(1, 64, 64, 1), "binomial: 64 steps on CTAs of 64 threads; want 1 or more, fewer than threads"},
		{newNbody(65, 1, 1), "nbody: 65 bodies; want a multiple of 64"},
		{newDXTC(10, 8, 1), "dxtc: a picture of 10x8; want multiples of 4"},
		{newLBM(12, 8, 1, 1), "lbm: a field of 12x8; want powers of two"},
		{newSAD(12, 8, 1), "sad: a frame of 12x8; want multiples of 8"},
		{NewHaar(1, 96, 1), "haar: a CTA of 192 threads; want a power of two"},
		{NewFDTD3D(34, 8, 1, 32, 8, 1), "fdtd3d: 34x8 points in tiles of 32x8; want tiles of 4x4 to 32x16"},
		{newHotspot(8, 8, 8, 1, 1), "hotspot: 8 steps a launch; want 1 to 7"},
		{newPathfinder(8, 5, 2, 1), "pathfinder: 5 rows in launches of 2; want launches of 1 to 127 rows"},
		{newHeartWall(1, 1, 96, 20, 1), "heartwall: windows of 20x20 pixels; want 16x16 or 28x28"},
		{newQueens(11, 32), "queens: a board of 11 by 11; want 2 to 10"},
	} {
		m := &memory{}
		assert.ErrorContains(t, c.work.Run(m), c.want)
		assert.Empty(t, m.launches)
	}
}

// TestLaunchesFitTheirPTX: the drivers' parameter banks have the layout that the PTX declares, and
// the launches fit any GPU.
func TestLaunchesFitTheirPTX(t *testing.T) {
	param := regexp.MustCompile(`\.param \.[a-z](\d+) `)
	for _, k := range All() {
		for _, s := range k.Sizes[:2] {
			m := &memory{}
			require.NoError(t, s.New(1).Run(m))
			require.NotEmpty(t, m.launches)
			for _, l := range m.launches {
				text, err := PTX(l.Module)
				require.NoError(t, err)
				_, entry, found := strings.Cut(text, ".visible .entry "+l.Kernel+"(")
				require.True(t, found, l.Kernel)
				declared, _, _ := strings.Cut(entry, "{")
				size := 0
				for _, p := range param.FindAllStringSubmatch(declared, -1) {
					bits, err := strconv.Atoi(p[1])
					require.NoError(t, err)
					bytes := bits / 8
					size = (size+bytes-1)/bytes*bytes + bytes
				}
				assert.Len(t, l.Params, size, l.Kernel)
				assert.LessOrEqual(t, l.Block[0]*l.Block[1]*l.Block[2], uint32(512), l.Kernel)
				assert.Positive(t, l.Grid[0]*l.Grid[1]*l.Grid[2], l.Kernel)
			}
		}
	}
}

func TestSeedDeterminesTheInput(t *testing.T) {
	trace := func(k Kernel, seed uint64) []byte {
		m := &memory{}
		require.NoError(t, k.Sizes[0].New(seed).Run(m))
		return m.bytes
	}
	for _, k := range All() {
		assert.Equal(t, trace(k, 1), trace(k, 1), k.Name)
		if !strings.HasPrefix(k.Name, "loop") && k.Name != "queens" {
			assert.NotEqual(t, trace(k, 1), trace(k, 2), k.Name)
		}
	}
}

func TestFind(t *testing.T) {
	k, err := Find("bitonic")
	require.NoError(t, err)
	assert.Equal(t, "bitonic", k.Name)

	_, err = Find("mandelbort")
	assert.ErrorContains(t, err, `unknown kernel "mandelbort"; did you mean "mandelbrot"?`)
	_, err = Find("")
	assert.Error(t, err)

	s, err := k.Size("medium")
	require.NoError(t, err)
	assert.Equal(t, "medium", s.Name)
	_, err = k.Size("smal")
	assert.ErrorContains(t, err, `unknown size of bitonic "smal"; did you mean "small"?`)
}

func TestBank(t *testing.T) {
	assert.Equal(t, []byte{
		0x04, 0x03, 0x02, 0x01, 0, 0, 0, 0,
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
		0x00, 0x00, 0x80, 0x3f,
	}, bank(uint32(0x01020304), uint64(0x1122334455667788), float32(1)))
}

func TestExpectComparesBits(t *testing.T) {
	zero := float32(0)
	var o outcome
	expect(&o, "c", []float32{1, -zero, 2}, []float32{1, 0, 2})
	require.EqualError(t, o.Check(), "1 of 3 elements differ: c[1] is -0, the reference says 0")

	o.reset()
	expect(&o, "c", []float32{1, 2, 4}, []float32{1, 3, 5})
	assert.EqualError(t, o.Check(), "2 of 3 elements differ: c[1] is 2, the reference says 3")
	wrong, total := o.Mismatch()
	assert.Equal(t, []int{2, 3}, []int{wrong, total})
}

func TestRandom(t *testing.T) {
	r := random(1234567)
	var sum float64
	for _, x := range r.units(10000) {
		assert.True(t, -1 <= x && x < 1)
		sum += float64(x)
	}
	assert.InDelta(t, 0, sum/10000, 0.02)
}

// TestLoopBounds checks rows of table I of Bialas & Strzelecki.
func TestLoopBounds(t *testing.T) {
	row := func(full, last int32) []int32 {
		var bounds []int32
		for range full {
			bounds = append(bounds, 32)
		}
		for n := int32(31); n >= last; n-- {
			bounds = append(bounds, n)
		}
		return bounds
	}
	for m, want := range map[int][]int32{
		0: row(32, 32), 1: row(31, 31), 2: row(30, 30),
		28: row(4, 4), 29: row(3, 3), 30: row(2, 2), 31: row(1, 1),
	} {
		require.Len(t, want, 32)
		assert.Equal(t, want, loopBounds(m), "M = %d", m)
	}
}

// TestRoundsLeft checks points with known orbits. 0 and -1 stay, and 2 leaves in the second round.
// -2 lies on the rim, where its orbit has |z|² = 4 at once.
func TestRoundsLeft(t *testing.T) {
	assert.Equal(t, uint32(0), roundsLeft(0, 0, 0, 0, 100))
	assert.Equal(t, uint32(0), roundsLeft(0, 0, -1, 0, 100))
	assert.Equal(t, uint32(98), roundsLeft(0, 0, 2, 0, 100))
	assert.Equal(t, uint32(98), roundsLeft(0, 0, -2, 0, 100))
	assert.Equal(t, uint32(97), roundsLeft(0, 0, 1, 0, 100))
	assert.Equal(t, uint32(0), roundsLeft(0, 0, 2, 0, 1))
}

func TestBFSReference(t *testing.T) {
	// 0 -> 1 -> 2 and 0 -> 2; 3 -> 0 is not reached.
	w := &bfsWorkload{first: []uint32{0, 2, 3, 3, 4}, target: []uint32{1, 2, 2, 0}}
	assert.Equal(t, []uint32{0, 1, 1, unreached}, w.levels())

	levels := map[uint32]bool{}
	for _, level := range newBFS(3000, 256, 1).want {
		levels[level] = true
	}
	assert.True(t, levels[unreached], "some nodes are out of reach")
	assert.Greater(t, len(levels), 4, "the search has several levels")
}

// TestSuffixTree: the last letter of banana also occurs before. Its suffixes are 6, and its tree
// has the inner nodes a, ana and na.
func TestSuffixTree(t *testing.T) {
	const b, a, n = 0, 1, 2
	nodes := suffixTree([]uint8{b, a, n, a, n, a, 4})
	root := nodes[0]
	require.NotZero(t, root.child[a])
	require.NotZero(t, root.child[n])
	inA, inNA := nodes[root.child[a]], nodes[root.child[n]]
	inANA := nodes[inA.child[n]]
	assert.Equal(t, []uint32{1, 2, 3}, []uint32{inA.depth, inNA.depth, inANA.depth})
	assert.Equal(t, root.child[n], inANA.link)
	assert.Equal(t, root.child[a], inNA.link)
	assert.Zero(t, inA.link)
	assert.Zero(t, root.child[3])
	assert.Equal(t, uint32(7), nodes[root.child[b]].length, "a leaf's label goes to the end")
}

// TestFaceCascade: each stage rejects about half of its windows.
func TestFaceCascade(t *testing.T) {
	w := newFaceDetect(100, 60, 1)
	left := make([]int, faceStages+1)
	for _, at := range w.windows() {
		for stage := range w.want[at] + 1 {
			left[stage]++
		}
	}
	for stage := range faceStages {
		assert.Greater(t, left[stage+1]*5, left[stage]*2, "stage %d", stage)
	}
	assert.Less(t, left[faceStages]*4, left[0])
}

// TestMeet: a ray straight at a triangle in the plane z = 0 meets it at its own distance. Rays
// beside it, behind it or away from it do not.
func TestMeet(t *testing.T) {
	flat := woop(&[9]float32{0, 0, 0, 1, 0, 0, 0, 1, 0})
	triangle := &flat
	for _, c := range []struct {
		ray  [6]float32
		want float32
	}{
		{[6]float32{0.25, 0.25, -2, 0, 0, 1}, 2},
		{[6]float32{0.25, 0.25, -2, 0, 0, 0.5}, 4},
		{[6]float32{0.75, 0.75, -2, 0, 0, 1}, missed},
		{[6]float32{-0.25, 0.25, -2, 0, 0, 1}, missed},
		{[6]float32{0.25, 0.25, -2, 0, 0, -1}, missed},
	} {
		assert.Equal(t, c.want, meet(&c.ray, triangle))
	}
}

func TestSobelReference(t *testing.T) {
	edge := &sobelWorkload{width: 3, height: 3, in: []uint8{
		0, 0, 10,
		0, 0, 10,
		0, 0, 10,
	}}
	assert.Equal(t, uint8(40), edge.gradient(1, 1))
	corner := &sobelWorkload{width: 3, height: 3, in: []uint8{
		200, 200, 200,
		200, 0, 0,
		200, 0, 0,
	}}
	assert.Equal(t, uint8(255), corner.gradient(1, 1))

	dark, bright := 0, 0
	for _, g := range newSobel(150, 101, 1).want {
		if g < 64 {
			dark++
		}
		if g == 255 {
			bright++
		}
	}
	assert.Positive(t, bright, "some gradients are clamped")
	assert.Greater(t, dark, 150*101/2, "most of the picture is smooth")
}

// TestQueensReference checks the number of solutions by the size of the board (OEIS A000170).
func TestQueensReference(t *testing.T) {
	for i, want := range []uint32{0, 0, 2, 10, 4, 40, 92} {
		all := uint32(0)
		for _, n := range newQueens(2+i, 32).want {
			all += n
		}
		assert.Equal(t, want, all, "n = %d", 2+i)
	}
}

func TestImports(t *testing.T) {
	pkg, err := build.ImportDir(".", 0)
	require.NoError(t, err)
	for _, path := range pkg.Imports {
		assert.NotContains(t, path, ".", "only the standard library")
		if strings.HasPrefix(path, "divergo/") {
			assert.Contains(t, []string{"divergo/internal/nearest", "divergo/internal/splitmix"}, path,
				"a driver knows a Machine, not the machine")
		}
	}
}
