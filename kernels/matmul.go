package kernels

var matmul = Kernel{
	Name:    "matmul",
	Doc:     "product of two float32 matrices by tiles in shared memory",
	Source:  "blocked matrix product, as in the CUDA programming guide; coherent, no paper's benchmark",
	Control: "uniform loops with barriers; bounds tests of the tiles, divergent at the matrices' edges alone (P)",
	Result:  "a triple loop on the host in the same order of additions, bit for bit",
	Sizes: []Size{
		{
			"small", "16x20 by 20x16, 1 CTA of 16x16, the last tile partly filled",
			func(seed uint64) Workload { return newMatmul(16, 20, 16, seed) },
		},
		{
			"medium", "50x37 by 37x45, 3x4 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return newMatmul(50, 37, 45, seed) },
		},
		{
			"large", "192x192 by 192x192, 12x12 CTAs of 16x16",
			func(seed uint64) Workload { return newMatmul(192, 192, 192, seed) },
		},
	},
}

// matmulTile is TILE in the source.
const matmulTile = 16

// matmulWorkload multiplies two matrices.
type matmulWorkload struct {
	outcome
	rows, inner, cols int
	a, b, want        []float32
}

// newMatmul makes matrices of rows x inner and inner x cols elements.
func newMatmul(rows, inner, cols int, seed uint64) *matmulWorkload {
	r := random(seed)
	w := &matmulWorkload{
		rows: rows, inner: inner, cols: cols,
		a: r.units(rows * inner), b: r.units(inner * cols), want: make([]float32, rows*cols),
	}
	for row := range rows {
		for col := range cols {
			var sum float32
			for k := range inner {
				sum += float32(w.a[row*inner+k] * w.b[k*cols+col])
			}
			w.want[row*cols+col] = sum
		}
	}
	return w
}

// Run implements Workload.
func (w *matmulWorkload) Run(m Machine) error {
	w.reset()
	a, b, c := upload(m, w.a), upload(m, w.b), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "matmul.ptx",
		Kernel: "matmul",
		Grid:   [3]uint32{groups(w.cols, matmulTile), groups(w.rows, matmulTile), 1},
		Block:  [3]uint32{matmulTile, matmulTile, 1},
		Params: bank(a, b, c, uint32(w.rows), uint32(w.inner), uint32(w.cols)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "c", download[float32](m, c, len(w.want)), w.want)
	return nil
}
