package kernels

import (
	"image"
)

var sobelfilter = Kernel{
	Name:    "sobelfilter",
	Doc:     "edges of a grey picture by the Sobel operator, scaled and clamped",
	Source:  "SobelFilter in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: a row a CTA, the scale, the test on both sides of the range, and the texture. Not kept: that it clamps at the rim (the picture has a rim)",
	Control: "a loop over a row (P), then the two tests of the range (D); byte loads and stores",
	Result:  "convolution with the two 3x3 matrices on the host",
	Sizes: []Size{
		{"small", "40x6 pixels, 6 CTAs of 32", func(seed uint64) Workload { return NewSobelFilter(40, 6, 32, seed) }},
		{
			"medium", "150x60 pixels, 60 CTAs of 64",
			func(seed uint64) Workload { return NewSobelFilter(150, 60, 64, seed) },
		},
		{
			"large", "512x384 pixels, 384 CTAs of 128",
			func(seed uint64) Workload { return NewSobelFilter(512, 384, 128, seed) },
		},
	},
}

// SobelFilter finds the edges of a picture.
type SobelFilter struct {
	outcome
	width, height, cta int
	scale              float32
	in, out, want      []uint8 // in has a rim of a pixel
}

// NewSobelFilter makes a picture with a rim, for CTAs of cta threads.
func NewSobelFilter(width, height, cta int, seed uint64) *SobelFilter {
	w := &SobelFilter{
		width: width, height: height, cta: cta, scale: 1.5, in: naturalPicture(width+2, height+2, seed),
		want: make([]uint8, width*height),
	}
	across := [3][3]int{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}
	for at := range w.want {
		var gx, gy int
		for i := range 3 {
			for j := range 3 {
				grey := int(w.in[(at/width+i)*(width+2)+at%width+j])
				gx += across[i][j] * grey
				gy += across[j][i] * grey
			}
		}
		w.want[at] = uint8(min(int(w.scale*float32(max(gx, -gx)+max(gy, -gy))), 255))
	}
	return w
}

// Run implements Workload.
func (w *SobelFilter) Run(m Machine) error {
	w.reset()
	in, out := upload(m, w.in), m.Alloc(len(w.want))
	err := m.Launch(Call{
		Module: "sobelfilter.ptx",
		Kernel: "sobelfilter",
		Grid:   [3]uint32{uint32(w.height), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(in, out, uint32(w.width), w.scale),
	})
	if err != nil {
		return err
	}
	w.out = download[uint8](m, out, len(w.want))
	expect(&w.outcome, "out", w.out, w.want)
	return nil
}

// Image implements Picture.
func (w *SobelFilter) Image() image.Image {
	return &image.Gray{Pix: w.out, Stride: w.width, Rect: image.Rect(0, 0, w.width, w.height)}
}
