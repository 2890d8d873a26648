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
		{
			"small", "32x24 pixels, limit 32, 2x2 CTAs of 16x16, the lower ones half filled",
			func(seed uint64) Workload { return NewMandelbrot(32, 24, 32, seed) },
		},
		{
			"medium", "150x100 pixels, limit 64, 10x7 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return NewMandelbrot(150, 100, 64, seed) },
		},
		{
			"large", "480x320 pixels, limit 256, 30x20 CTAs of 16x16",
			func(seed uint64) Workload { return NewMandelbrot(480, 320, 256, seed) },
		},
	},
}

var mandelbrot20 = Kernel{
	Name:    "mandelbrot20",
	Doc:     "escape times of the Mandelbrot set, by a loop that is unrolled 20 times",
	Source:  "Mandelbrot in Sartori & Kumar (Branch and Data Herding, 2012), table I, figure 1 and section II-A: the loop is unrolled 20 times, and each copy has both tests. Not kept: the palette",
	Control: "image bounds (P), then a loop with 40 exits, which pixels take after different numbers of rounds (D)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "32x24 pixels, limit 32, 2x2 CTAs of 16x16, the lower ones half filled",
			func(seed uint64) Workload { return NewMandelbrot20(32, 24, 32, seed) },
		},
		{
			"medium", "192x144 pixels, limit 128, 12x9 CTAs of 16x16",
			func(seed uint64) Workload { return NewMandelbrot20(192, 144, 128, seed) },
		},
		{
			"large", "480x320 pixels, limit 256, 30x20 CTAs of 16x16",
			func(seed uint64) Workload { return NewMandelbrot20(480, 320, 256, seed) },
		},
	},
}

// escapeBlock is the width and height of a CTA.
const escapeBlock = 16

// EscapeTime draws the number of rounds of z = z*z + c after which each point leaves the circle of
// radius 2.
type EscapeTime struct {
	outcome
	set           string // module and kernel
	width, height int
	limit         uint32
	constant      []any     // parameters of the set
	re, im        []float32 // coordinates of the columns and the rows
	left, want    []uint32  // remaining rounds, by pixel
}

// NewMandelbrot makes a picture of the whole Mandelbrot set, whose pixels are the c. limit bounds
// the rounds of a pixel; 0 counts as 1. The seed shifts the picture by less than a pixel.
func NewMandelbrot(width, height int, limit uint32, seed uint64) *EscapeTime {
	w := newEscapeTime("mandelbrot", width, height, limit)
	w.place(-2.25, 3, seed)
	w.expect(func(re, im float32) uint32 { return roundsLeft(0, 0, re, im, w.limit) })
	return w
}

// NewMandelbrot20 is NewMandelbrot with the loop unrolled 20 times.
func NewMandelbrot20(width, height int, limit uint32, seed uint64) *EscapeTime {
	w := NewMandelbrot(width, height, limit, seed)
	w.set = "mandelbrot20"
	return w
}

func newEscapeTime(set string, width, height int, limit uint32) *EscapeTime {
	return &EscapeTime{
		set: set, width: width, height: height, limit: max(limit, 1),
		re: make([]float32, width), im: make([]float32, height), want: make([]uint32, width*height),
	}
}

// place sets the left edge and the width of the picture, which is centred on the real axis.
func (w *EscapeTime) place(left, width float32, seed uint64) {
	r := random(seed)
	pixel := width / float32(w.width)
	left, top := left+r.unit()*pixel/2, -pixel*float32(w.height)/2+r.unit()*pixel/2
	for x := range w.re {
		w.re[x] = float32(float32(x)*pixel) + left
	}
	for y := range w.im {
		w.im[y] = float32(float32(y)*pixel) + top
	}
}

// expect computes the remaining rounds at each pixel.
func (w *EscapeTime) expect(left func(re, im float32) uint32) {
	for y, im := range w.im {
		for x, re := range w.re {
			w.want[y*w.width+x] = left(re, im)
		}
	}
}

// roundsLeft iterates z = z*z + c from z = x + iy and returns the remaining rounds. The conversions
// keep the compiler from fusing a multiplication with an addition.
func roundsLeft(x, y, re, im float32, limit uint32) uint32 {
	for left := limit - 1; left > 0; left-- {
		xx, yy := float32(x*x), float32(y*y)
		if xx+yy >= 4 {
			return left
		}
		x, y = xx-yy+re, float32(float32(x*y)*2)+im
	}
	return 0
}

// Run implements Workload.
func (w *EscapeTime) Run(m Machine) error {
	w.reset()
	re, im, left := upload(m, w.re), upload(m, w.im), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: w.set + ".ptx",
		Kernel: w.set,
		Grid:   [3]uint32{groups(w.width, escapeBlock), groups(w.height, escapeBlock), 1},
		Block:  [3]uint32{escapeBlock, escapeBlock, 1},
		Params: bank(append([]any{re, im, left, uint32(w.width), uint32(w.height), w.limit}, w.constant...)...),
	})
	if err != nil {
		return err
	}
	w.left = download[uint32](m, left, len(w.want))
	expect(&w.outcome, "left", w.left, w.want)
	return nil
}

// Image implements Picture. Points of the set are black; others are the brighter, the sooner they
// escape.
func (w *EscapeTime) Image() image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, w.width, w.height))
	for i, left := range w.left {
		if left > 0 {
			used := w.limit - 1 - left
			shade := uint8(255 - 255*uint64(min(used, w.limit))/uint64(w.limit))
			picture.SetRGBA(i%w.width, i/w.width, color.RGBA{uint8(8 * used), uint8(16 * used), shade, 255})
		} else {
			picture.SetRGBA(i%w.width, i/w.width, color.RGBA{A: 255})
		}
	}
	return picture
}
