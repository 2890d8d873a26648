package kernels

import "image"

var sobel = Kernel{
	Name:    "sobel",
	Doc:     "edges of a grey picture by the Sobel operator",
	Source:  "Sobel's 3x3 gradient; SOBFLT in Rhu & Erez (ISCA 2013), table 1, and SobelFilter in Sartori & Kumar (Branch and Data Herding, 2012), table I",
	Control: "picture bounds and rim, four tests that share one target (P); clamping to a byte (D); byte loads and stores",
	Result:  "convolution with the two 3x3 matrices on the host",
	Sizes: []Size{
		{
			"small", "32x24 pixels, 2x2 CTAs of 16x16, the lower ones half filled",
			func(seed uint64) Workload { return newSobel(32, 24, seed) },
		},
		{
			"medium", "150x101 pixels, 10x7 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return newSobel(150, 101, seed) },
		},
		{
			"large", "640x480 pixels, 40x30 CTAs of 16x16",
			func(seed uint64) Workload { return newSobel(640, 480, seed) },
		},
	},
}

// sobelBlock is the width and height of a CTA.
const sobelBlock = 16

// sobelWorkload finds the edges of a picture.
type sobelWorkload struct {
	outcome
	width, height int
	in, out, want []uint8
}

// newSobel makes a picture.
func newSobel(width, height int, seed uint64) *sobelWorkload {
	w := &sobelWorkload{
		width: width, height: height,
		in: naturalPicture(width, height, seed), want: make([]uint8, width*height),
	}
	for y := 1; y < height-1; y++ {
		for x := 1; x < width-1; x++ {
			w.want[y*width+x] = w.gradient(x, y)
		}
	}
	return w
}

// gradient is the reference for one pixel inside the rim.
func (w *sobelWorkload) gradient(x, y int) uint8 {
	across := [3][3]int{{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}}
	var gx, gy int
	for i := range 3 {
		for j := range 3 {
			grey := int(w.in[(y+i-1)*w.width+x+j-1])
			gx += across[i][j] * grey
			gy += across[j][i] * grey
		}
	}
	return uint8(min(max(gx, -gx)+max(gy, -gy), 255))
}

// Run implements Workload.
func (w *sobelWorkload) Run(m Machine) error {
	w.reset()
	in, out := upload(m, w.in), m.Alloc(len(w.want))
	err := m.Launch(Call{
		Module: "sobel.ptx",
		Kernel: "sobel",
		Grid:   [3]uint32{groups(w.width, sobelBlock), groups(w.height, sobelBlock), 1},
		Block:  [3]uint32{sobelBlock, sobelBlock, 1},
		Params: bank(in, out, uint32(w.width), uint32(w.height)),
	})
	if err != nil {
		return err
	}
	w.out = download[uint8](m, out, len(w.want))
	expect(&w.outcome, "out", w.out, w.want)
	return nil
}

// Image implements Picture.
func (w *sobelWorkload) Image() image.Image {
	return &image.Gray{Pix: w.out, Stride: w.width, Rect: image.Rect(0, 0, w.width, w.height)}
}
