package kernels

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"divergo/isa"
	"divergo/ptx"
	"divergo/testbench"
)

// program lowers a kernel of a module of this package.
func program(t *testing.T, module, kernel string) *isa.Program {
	t.Helper()
	text, err := PTX(module)
	require.NoError(t, err)
	m, err := ptx.Parse(module, []byte(text))
	require.NoError(t, err)
	p, err := testbench.Program(m, kernel)
	require.NoError(t, err)
	return p
}

func TestEveryKernelIsLowered(t *testing.T) {
	for _, name := range sources(t) {
		text, err := PTX(name + ".ptx")
		require.NoError(t, err)
		m, err := ptx.Parse(name+".ptx", []byte(text))
		require.NoError(t, err)
		require.NotEmpty(t, m.Kernels(), name)
		for _, kernel := range m.Kernels() {
			p := program(t, name+".ptx", kernel)
			assert.NoError(t, p.Check(), kernel)
			assert.Equal(t, []string{name + ".cu"}, p.Files[len(p.Files)-1:], kernel)
			assert.LessOrEqual(t, p.SharedBytes, uint32(16<<10), kernel)
		}
	}
}

// TestBranchClasses: the kernels have the documented branch classes at the documented source lines.
// The classes of bitonic are those of Rhu & Erez, ISCA 2013, figure 4(c) and section 2.
func TestBranchClasses(t *testing.T) {
	const p, d = isa.ClassProgrammatic, isa.ClassData
	for _, c := range []struct {
		module, kernel, line string
		class                isa.Class
	}{
		{"vecadd", "vecadd", "if (i < n)", p},
		{"matmul", "matmul", "if (row < rows && base", p},
		{"histogram", "histogram", "; i < n; i += stride", p},
		{"histogram", "histogram", "if (local[bin] != 0)", d},
		{"reduction", "reduction", "if (tid % (2 * s) == 0)", p},
		{"bitonic", "bitonic", "if (partner > tid)", p},
		{"bitonic", "bitonic", "if (mine > other)", d},
		{"bitonic", "bitonic", "if (mine < other)", d},
		{"sortnet", "sortnet", "if ((keyA > keyB) == up)", d},
		{"backprop", "backprop_forward", "if (ty % power_two == 0)", p},
		{"backprop", "backprop_forward", "if (tx == 0 && ty < hidden)", p},
		{"bfs", "bfs_expand", "if (frontier[v])", d},
		{"bfs", "bfs_expand", "e < end; e++", d},
		{"bfs", "bfs_expand", "if (!visited[to])", d},
		{"bfs", "bfs_advance", "if (reached[v])", d},
		{"aes", "aes", "if (i < columns)", p},
		{"libor", "libor", "if (bond + 0.045f * swap", d},
		{"streamcluster", "streamcluster", "if (far < now)", d},
		{"nearest", "nearest", "if (c == '-')", d},
		{"leukocyte", "leukocyte_score", "if (square > most * variance)", d},
		{"leukocyte", "leukocyte_dilate", "if (row >= 0 &&", p},
		{"spheres", "spheres", "if (aside < s[3])", d},
		{"spheres", "spheres", "if (px < width && py < height)", p},
		{"galerkin", "galerkin_surface", "if (theirs == border)", d},
		{"galerkin", "galerkin_step", "if (i < count)", p},
		{"weather", "weather", "if (c > 0.0005f)", d},
		{"weather", "weather", "if (x < width &&", p},
		{"mergesort", "mergesort_pass", "if (keyB < keyA)", d},
		{"mergesort", "mergesort_first", "if (list < lists)", p},
		{"heartwall", "heartwall", "wx < x1; wx++", p},
		{"heartwall", "heartwall_small", "wx < x1; wx++", p},
		{"heartwall", "heartwall", "if (score[i] > score[at])", d},
		{"haar", "haar", "if (t < active)", p},
		{"fdtd3d", "fdtd3d", "if (ty < RADIUS)", p},
		{"eigenvalues", "eigenvalues", "if (tid < active)", d},
		{"eigenvalues", "eigenvalues", "if (delta < 0.0f)", d},
		{"eigenvalues", "eigenvalues", "if (tid < half)", p},
		{"facedetect", "facedetect", "while (stage < count)", p},
		{"facedetect", "facedetect", "if (one - other > feature[6])", d},
		{"facedetect", "facedetect", "if (votes < stages", d},
		{"hotspot", "hotspot", "if (tx > i &&", p},
		{"mummer", "mummer", "if (child == 0)", d},
		{"mummer", "mummer", "while (k < n &&", d},
		{"mummerpp", "mummerpp", "if (fetch(reference + suffix + k) < fetch", d},
		{"namd", "namd", "if (far < cut)", d},
		{"persistent", "persistent", "while (node < LEAF)", d},
		{"persistent", "persistent", "if (ray >= count)", p},
		{"pathfinder", "pathfinder", "if (left < cost)", d},
		{"unstructured", "shortcircuit", "if ((letter >= low", d},
		{"unstructured", "exceptions", "if ((sum & 255) >= high)", d},
		{"unstructured", "gotos", "if (word & 0x200)", d},
		{"unstructured", "coroutine", "if (letter < high)", d},
		{"sobel", "sobel", "if (x == 0 ||", p},
		{"sobel", "sobel", "if (sum > 255)", d},
		{"mandelbrot", "mandelbrot", "if (ix < width", p},
		{"blocksort", "blocksort", "if (i % 2 == odd && i + 1 < runEnd)", p},
		{"blocksort", "blocksort", "if (next < key)", d},
		{"blocksort", "blocksort", "if (keys[half] < key)", d},
		{"quasirandom", "quasirandom", "if (set)", p},
		{"laplace", "laplace", "if (halo)", p},
		{"laplace", "laplace", "if (rim || z == 0", p},
		{"convolution", "convolution_rows", "if (load >= start - 8)", p},
		{"convolution", "convolution_rows", "if (store < end)", p},
		{"loop1", "loop1", "i < n; i++", d},
		{"loop2", "loop2", "i < n; i++", d},
		{"loop2", "loop2", "j < m; j++", d},
		{"queens", "queens", "if (i < n * n)", p},
		{"histogram64", "histogram64", "if (bin != last)", d},
		{"volumerender", "volumerender", "if (clear < 0.05f)", d},
		{"volumerender", "volumerender", "if (z >= 16.0f)", p},
		{"sobelfilter", "sobelfilter", "if ((int)sum < 0)", d},
		{"oceanfft", "ocean_slope", "if (x == 0 ||", p},
		{"binomial", "binomial", "if (now > next)", d},
		{"dxtc", "dxtc", "if (way > span)", d},
		{"gaussian", "gaussian", "if (sum < 0.0f)", d},
		{"lbm", "lbm", "if (solid[at])", d},
		{"sad", "sad", "if (difference > 64)", d},
		{"queens", "queens", "if ((second & (first", p},
		{"queens", "queens", "if (down == board)", d},
		{"queens", "queens", "while (open != 0)", d},
	} {
		source, err := os.ReadFile(filepath.Join("cuda", c.module+".cu"))
		require.NoError(t, err)
		before, _, found := strings.Cut(string(source), c.line)
		require.True(t, found, "%s.cu has no %q", c.module, c.line)
		line := int32(1 + strings.Count(before, "\n"))

		branches := 0
		prog := program(t, c.module+".ptx", c.kernel)
		for pc := range prog.Insts {
			if in := &prog.Insts[pc]; in.Conditional() && in.Loc.Line == line {
				assert.Equal(t, c.class, in.Class, "%s: %s", prog.Where(uint32(pc)), in.Text)
				branches++
			}
		}
		assert.Positive(t, branches, "%s.cu:%d", c.module, line)
	}
}

// TestReconvergencePointsLieBehindTheirBranches: blocks lie in source order. No branch goes back
// except to a loop's head. The paths of every divergent branch meet behind it.
func TestReconvergencePointsLieBehindTheirBranches(t *testing.T) {
	for _, name := range sources(t) {
		text, err := PTX(name + ".ptx")
		require.NoError(t, err)
		m, err := ptx.Parse(name+".ptx", []byte(text))
		require.NoError(t, err)
		for _, kernel := range m.Kernels() {
			prog := program(t, name+".ptx", kernel)
			for pc := range prog.Insts {
				in := &prog.Insts[pc]
				if in.Op != isa.OpBra || in.Reconv == isa.NoPC {
					continue
				}
				assert.Greater(t, in.Reconv, uint32(pc), "%s: %s", prog.Where(uint32(pc)), in.Text)
			}
		}
	}
}
