package kernels

import (
	"image"
	"image/color"
)

var mandelbrot = Kernel{
	Name:    "mandelbrot",
	Doc:     "escape times of the Mandelbrot set",
	Source:  "the loop of Sartori & Kumar (Branch and Data Herding, 2012), figure 1; MDBROT in Rhu & Erez (ISCA 2013), table 1 and figure 4(d)",
	Control: "image bounds (P), then a loop with two exits whose number of rounds differs from pixel to pixel (D)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{"small", "32x24 pixels, limit 32, 2x2 CTAs of 16x16, the lower ones half filled", func(seed uint64) Workload { return NewMandelbrot(32, 24, 32, seed) }},
		{"medium", "150x100 pixels, limit 64, 10x7 CTAs of 16x16, partly filled", func(seed uint64) Workload { return NewMandelbrot(150, 100, 64, seed) }},
		{"large", "480x320 pixels, limit 256, 30x20 CTAs of 16x16", func(seed uint64) Workload { return NewMandelbrot(480, 320, 256, seed) }},
	},
}

// mandelbrotBlock is the width and height of a CTA.
const mandelbrotBlock = 16

// Mandelbrot draws the Mandelbrot set.
type Mandelbrot struct {
	outcome
	width, height int
	limit         uint32
	re, im        []float32 // of the columns and the rows
	left, want    []uint32  // rounds left, by pixel
}

// NewMandelbrot makes a picture of the whole set; limit bounds the rounds of a
// pixel, 0 counts as 1. The seed shifts the picture by less than a pixel.
func NewMandelbrot(width, height int, limit uint32, seed uint64) *Mandelbrot {
	r := random(seed)
	limit = max(limit, 1)
	w := &Mandelbrot{
		width: width, height: height, limit: limit,
		re: make([]float32, width), im: make([]float32, height), want: make([]uint32, width*height),
	}
	pixel := 3 / float32(width)
	left, top := -2.25+r.unit()*pixel/2, -pixel*float32(height)/2+r.unit()*pixel/2
	for x := range w.re {
		w.re[x] = float32(float32(x)*pixel) + left
	}
	for y := range w.im {
		w.im[y] = float32(float32(y)*pixel) + top
	}
	for y, im := range w.im {
		for x, re := range w.re {
			w.want[y*width+x] = roundsLeft(re, im, limit)
		}
	}
	return w
}

// roundsLeft iterates z = z*z + c from z = 0. The conversions keep the
// compiler from fusing a multiplication with an addition.
func roundsLeft(re, im float32, limit uint32) uint32 {
	var x, y float32
	for left := limit - 1; left > 0; left-- {
		xx, yy := float32(x*x), float32(y*y)
		if xx+yy >= 4 {
			return left
		}
		y = float32(float32(x*y)*2) + im
		x = xx - yy + re
	}
	return 0
}

// Run implements Workload.
func (w *Mandelbrot) Run(m Machine) error {
	w.reset()
	re, im, left := upload(m, w.re), upload(m, w.im), m.Alloc(4*len(w.want))
	err := m.Launch(Launch{
		Module: "mandelbrot.ptx",
		Kernel: "mandelbrot",
		Grid:   [3]uint32{groups(w.width, mandelbrotBlock), groups(w.height, mandelbrotBlock), 1},
		Block:  [3]uint32{mandelbrotBlock, mandelbrotBlock, 1},
		Params: bank(re, im, left, uint32(w.width), uint32(w.height), w.limit),
	})
	if err != nil {
		return err
	}
	w.left = download[uint32](m, left, len(w.want))
	expect(&w.outcome, "left", w.left, w.want)
	return nil
}

// Image implements Picture: points of the set are black, the others the
// brighter the sooner they escape.
func (w *Mandelbrot) Image() image.Image { return escapes(w.left, w.width, w.height, w.limit) }

// escapes draws the rounds that are left of limit, by pixel.
func escapes(rounds []uint32, width, height int, limit uint32) image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for i, left := range rounds {
		if left > 0 {
			used := limit - 1 - left
			shade := uint8(255 - 255*uint64(min(used, limit))/uint64(limit))
			picture.SetRGBA(i%width, i/width, color.RGBA{uint8(8 * used), uint8(16 * used), shade, 255})
		} else {
			picture.SetRGBA(i%width, i/width, color.RGBA{A: 255})
		}
	}
	return picture
}
