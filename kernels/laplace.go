package kernels

var laplace = Kernel{
	Name:    "laplace",
	Doc:     "one Jacobi step for Laplace's equation on a grid of points in three dimensions",
	Source:  "stencil of seven points on a tile in shared memory; LPS (M. Giles) in Fung & Aamodt (HPCA 2011), table 1, and Rhu & Erez (ISCA 2013), table 1",
	Control: "bounds of the grid, who loads the halo, and the rim, all by the thread's index (P); barriers in a loop",
	Result:  "the same sums on the host",
	Sizes: []Size{
		{
			"small", "40x6x4 points, 2x2 CTAs of 32x4, partly filled",
			func(seed uint64) Workload { return NewLaplace(40, 6, 4, seed) },
		},
		{
			"medium", "100x12x5 points, 4x3 CTAs of 32x4, partly filled",
			func(seed uint64) Workload { return NewLaplace(100, 12, 5, seed) },
		},
		{
			"large", "200x200x200 points, 7x50 CTAs of 32x4, partly filled",
			func(seed uint64) Workload { return NewLaplace(200, 200, 200, seed) },
		},
	},
}

// Width and height of a CTA.
const (
	laplaceWidth  = 32
	laplaceHeight = 4
)

// Laplace computes one step of a Laplace solver on a grid.
type Laplace struct {
	outcome
	width, height, depth int
	in, want             []float32
}

// NewLaplace makes a grid of random values.
func NewLaplace(width, height, depth int, seed uint64) *Laplace {
	r := random(seed)
	w := &Laplace{width: width, height: height, depth: depth, in: r.units(width * height * depth)}
	inside := func(i, n int) bool { return 0 < i && i < n-1 }
	for i, centre := range w.in {
		x, y, z := i%width, i/width%height, i/(width*height)
		if inside(x, width) && inside(y, height) && inside(z, depth) {
			sum := w.in[i-1] + w.in[i+1] + w.in[i-width] + w.in[i+width] + w.in[i-width*height] + w.in[i+width*height]
			centre = sum * (1.0 / 6)
		}
		w.want = append(w.want, centre)
	}
	return w
}

// Run implements Workload.
func (w *Laplace) Run(m Machine) error {
	w.reset()
	in, out := upload(m, w.in), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "laplace.ptx",
		Kernel: "laplace",
		Grid:   [3]uint32{groups(w.width, laplaceWidth), groups(w.height, laplaceHeight), 1},
		Block:  [3]uint32{laplaceWidth, laplaceHeight, 1},
		Params: bank(in, out, uint32(w.width), uint32(w.height), uint32(w.depth)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "out", download[float32](m, out, len(w.want)), w.want)
	return nil
}
