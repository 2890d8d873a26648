package kernels

import (
	"image"
)

var julia = Kernel{
	Name:    "julia",
	Doc:     "escape times of a Julia set",
	Source:  "the loop of Sartori & Kumar (Branch and Data Herding, 2012), figure 1, for z*z + c with one c; Julia of Mandelbrot in its table I. Not kept: the unrolling by 20 and the palette",
	Control: "image bounds (P), then a loop with two exits whose number of rounds differs from pixel to pixel (D)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{"small", "32x24 pixels, limit 32, 2x2 CTAs of 16x16, the lower ones half filled", func(seed uint64) Workload { return NewJulia(32, 24, 32, seed) }},
		{"medium", "150x100 pixels, limit 64, 10x7 CTAs of 16x16, partly filled", func(seed uint64) Workload { return NewJulia(150, 100, 64, seed) }},
		{"large", "480x320 pixels, limit 256, 30x20 CTAs of 16x16", func(seed uint64) Workload { return NewJulia(480, 320, 256, seed) }},
	},
}

// The constant of the set.
const juliaRe, juliaIm = float32(-0.5), float32(0.5625)

// Julia draws a Julia set.
type Julia struct {
	outcome
	width, height int
	limit         uint32
	re, im        []float32 // of the columns and the rows
	left, want    []uint32  // rounds left, by pixel
}

// NewJulia makes a picture of the whole set; limit bounds the rounds of a pixel,
// 0 counts as 1. The seed shifts the picture by less than a pixel.
func NewJulia(width, height int, limit uint32, seed uint64) *Julia {
	r := random(seed)
	limit = max(limit, 1)
	w := &Julia{
		width: width, height: height, limit: limit,
		re: make([]float32, width), im: make([]float32, height), want: make([]uint32, width*height),
	}
	pixel := 3.2 / float32(width)
	left, top := -1.6+r.unit()*pixel/2, -pixel*float32(height)/2+r.unit()*pixel/2
	for x := range w.re {
		w.re[x] = float32(float32(x)*pixel) + left
	}
	for y := range w.im {
		w.im[y] = float32(float32(y)*pixel) + top
	}
	for y, im := range w.im {
		for x, re := range w.re {
			w.want[y*width+x] = juliaLeft(re, im, limit)
		}
	}
	return w
}

// juliaLeft iterates from a point. The conversions keep the compiler from
// fusing a multiplication with an addition.
func juliaLeft(x, y float32, limit uint32) uint32 {
	for left := limit - 1; left > 0; left-- {
		xx, yy := float32(x*x), float32(y*y)
		if xx+yy >= 4 {
			return left
		}
		x, y = xx-yy+juliaRe, float32(float32(x*y)*2)+juliaIm
	}
	return 0
}

// Run implements Workload.
func (w *Julia) Run(m Machine) error {
	w.reset()
	re, im, left := upload(m, w.re), upload(m, w.im), m.Alloc(4*len(w.want))
	err := m.Launch(Launch{
		Module: "julia.ptx",
		Kernel: "julia",
		Grid:   [3]uint32{groups(w.width, mandelbrotBlock), groups(w.height, mandelbrotBlock), 1},
		Block:  [3]uint32{mandelbrotBlock, mandelbrotBlock, 1},
		Params: bank(re, im, left, uint32(w.width), uint32(w.height), w.limit, juliaRe, juliaIm),
	})
	if err != nil {
		return err
	}
	w.left = download[uint32](m, left, len(w.want))
	expect(&w.outcome, "left", w.left, w.want)
	return nil
}

// Image implements Picture, in the colours of Mandelbrot.
func (w *Julia) Image() image.Image { return escapes(w.left, w.width, w.height, w.limit) }
