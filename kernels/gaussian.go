package kernels

import (
	"image"
	"math"
)

var gaussian = Kernel{
	Name:    "gaussian",
	Doc:     "a grey picture blurred along its columns by a recursive filter",
	Source:  "recursiveGaussian in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: the filter of second order, down and up a column. Not kept: colours, and the transposition for the other direction",
	Control: "bounds (P), uniform loops, the two tests of the range (D)",
	Result:  "the two passes on the host, each over the whole column, bit for bit",
	Sizes: []Size{
		{
			"small", "40x12 pixels, 2 CTAs of 32, the second partly filled",
			func(seed uint64) Workload { return NewGaussian(40, 12, 2, seed) },
		},
		{
			"medium", "150x60 pixels, 5 CTAs of 32, the last one partly filled",
			func(seed uint64) Workload { return NewGaussian(150, 60, 4, seed) },
		},
		{
			"large", "512x384 pixels, 16 CTAs of 32",
			func(seed uint64) Workload { return NewGaussian(512, 384, 6, seed) },
		},
	},
}

// Gaussian blurs a picture.
type Gaussian struct {
	outcome
	width, height int
	factors       [6]float32 // a0 to a3, b1 and b2
	in, out, want []uint8
}

// NewGaussian makes a picture to be blurred with standard deviation sigma, in pixels (R. Deriche,
// Recursively Implementing the Gaussian and its Derivatives, 1993).
func NewGaussian(width, height int, sigma float64, seed uint64) *Gaussian {
	w := &Gaussian{
		width: width, height: height, in: naturalPicture(width, height, seed),
		want: make([]uint8, width*height),
	}
	alpha := 1.695 / sigma
	e := math.Exp(-alpha)
	k := (1 - e) * (1 - e) / (1 + 2*alpha*e - e*e)
	for i, f := range [...]float64{k, k * (alpha - 1) * e, k * (alpha + 1) * e, -k * e * e, -2 * e, e * e} {
		w.factors[i] = float32(f)
	}
	for x := range width {
		w.column(x)
	}
	return w
}

// column is the reference for a column.
func (w *Gaussian) column(x int) {
	a0, a1, a2, a3, b1, b2 := w.factors[0], w.factors[1], w.factors[2], w.factors[3], w.factors[4], w.factors[5]
	at := func(y int) float32 { return float32(w.in[min(max(y, 0), w.height-1)*w.width+x]) }
	down, up := make([]float32, w.height), make([]float32, w.height)
	last, older := at(0)/2, at(0)/2
	for y := range down {
		down[y] = float32(a0*at(y)) + float32(a1*at(y-1)) - float32(b1*last) - float32(b2*older)
		last, older = down[y], last
	}
	last, older = at(w.height-1)/2, at(w.height-1)/2
	for y := w.height - 1; y >= 0; y-- {
		up[y] = float32(a2*at(y+1)) + float32(a3*at(y+2)) - float32(b1*last) - float32(b2*older)
		last, older = up[y], last
	}
	for y := range down {
		w.want[y*w.width+x] = uint8(min(max(down[y]+up[y], 0), 255))
	}
}

// Run implements Workload.
func (w *Gaussian) Run(m Machine) error {
	w.reset()
	in, half, out := upload(m, w.in), m.Alloc(4*len(w.want)), m.Alloc(len(w.want))
	f := &w.factors
	err := m.Launch(Call{
		Module: "gaussian.ptx",
		Kernel: "gaussian",
		Grid:   [3]uint32{groups(w.width, 32), 1, 1},
		Block:  [3]uint32{32, 1, 1},
		Params: bank(in, half, out, uint32(w.width), uint32(w.height), f[0], f[1], f[2], f[3], f[4], f[5]),
	})
	if err != nil {
		return err
	}
	w.out = download[uint8](m, out, len(w.want))
	expect(&w.outcome, "out", w.out, w.want)
	return nil
}

// Image implements Picture.
func (w *Gaussian) Image() image.Image {
	return &image.Gray{Pix: w.out, Stride: w.width, Rect: image.Rect(0, 0, w.width, w.height)}
}
