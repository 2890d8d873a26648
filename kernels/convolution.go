package kernels

import "fmt"

var convolution = Kernel{
	Name:    "convolution",
	Doc:     "a picture convolved with 17 taps in each direction",
	Source:  "separable convolution on tiles with an apron, rows and columns in a kernel each; CONVSEP in Rhu & Erez (ISCA 2013), table 1, is the same method",
	Control: "a range of the threads loads, a smaller one stores, bounds of the picture (P); uniform loops over the taps",
	Result:  "sums in two passes over the picture on the host",
	Sizes: []Size{
		{
			"small", "48x4 pixels, 1x4 CTAs of 152, then 3x1 of 16x8, partly filled",
			func(seed uint64) Workload { return NewConvolution(48, 4, seed) },
		},
		{
			"medium", "208x10 pixels, 2x10 CTAs of 152, then 13x1 of 16x8, partly filled",
			func(seed uint64) Workload { return NewConvolution(208, 10, seed) },
		},
		{
			"large", "768x480 pixels, 6x480 CTAs of 152, then 48x10 of 16x8",
			func(seed uint64) Workload { return NewConvolution(768, 480, seed) },
		},
	},
}

// Sizes of the filter and of the tiles of a CTA.
const (
	taps            = 17
	convolutionRow  = 128 // columns of a tile of the first kernel
	convolutionSide = 16  // columns of a tile of the second kernel
	convolutionRows = 48
)

// Convolution filters a picture by rows and by columns.
type Convolution struct {
	outcome
	width, height  int
	in, taps, want []float32
}

// NewConvolution makes a picture and the taps of the filter. The width is a multiple of 16.
func NewConvolution(width, height int, seed uint64) *Convolution {
	r := random(seed)
	w := &Convolution{width: width, height: height, in: r.units(width * height), taps: r.units(taps)}
	rows := w.filter(w.in, func(i, shift int) (int, bool) {
		x := i%width + shift
		return i + shift, 0 <= x && x < width
	})
	w.want = w.filter(rows, func(i, shift int) (int, bool) {
		y := i/width + shift
		return i + shift*width, 0 <= y && y < height
	})
	return w
}

// filter is the reference for one direction. at returns the index of the pixel at a distance, and
// whether it is in the picture.
func (w *Convolution) filter(in []float32, at func(i, shift int) (int, bool)) (out []float32) {
	for i := range in {
		var sum float32
		for k, tap := range w.taps {
			if from, there := at(i, k-taps/2); there {
				sum += float32(tap * in[from])
			}
		}
		out = append(out, sum)
	}
	return out
}

// Run implements Workload.
func (w *Convolution) Run(m Machine) error {
	w.reset()
	if w.width%convolutionSide != 0 {
		return fmt.Errorf("convolution: a picture of %d columns; want a multiple of %d", w.width, convolutionSide)
	}
	in, filter := upload(m, w.in), upload(m, w.taps)
	rows, out := m.Alloc(4*len(w.in)), m.Alloc(4*len(w.in))
	err := m.Launch(Call{
		Module: "convolution.ptx",
		Kernel: "convolution_rows",
		Grid:   [3]uint32{groups(w.width, convolutionRow), uint32(w.height), 1},
		Block:  [3]uint32{16 + convolutionRow + taps/2, 1, 1},
		Params: bank(in, rows, filter, int32(w.width)),
	})
	if err != nil {
		return err
	}
	err = m.Launch(Call{
		Module: "convolution.ptx",
		Kernel: "convolution_columns",
		Grid:   [3]uint32{groups(w.width, convolutionSide), groups(w.height, convolutionRows), 1},
		Block:  [3]uint32{convolutionSide, 8, 1},
		Params: bank(rows, out, filter, int32(w.width), int32(w.height)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "out", download[float32](m, out, len(w.want)), w.want)
	return nil
}
