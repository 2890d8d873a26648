package kernels

import (
	"fmt"
	"image"
	"image/color"
	"slices"
)

var dxtc = Kernel{
	Name:    "dxtc",
	Doc:     "a coloured picture compressed to two colours and 16 levels for each block of 4x4 pixels",
	Source:  "dxtc in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: blocks of 4x4 pixels with two end points and two bits a pixel. Not kept: the search for the best end points along the principal axis (the darkest and the brightest colour), 565 colours",
	Control: "bounds (P), tests for the darkest and the brightest (D), up to three tests a pixel for the level (D)",
	Result:  "integer division for the level on the host",
	Sizes: []Size{
		{
			"small", "40x20 pixels, 1 CTA of 64, partly filled",
			func(seed uint64) Workload { return newDXTC(40, 20, seed) },
		},
		{
			"medium", "160x100 pixels, 16 CTAs of 64, the last one partly filled",
			func(seed uint64) Workload { return newDXTC(160, 100, seed) },
		},
		{
			"large", "4096x3072 pixels, 12288 CTAs of 64",
			func(seed uint64) Workload { return newDXTC(4096, 3072, seed) },
		},
	},
}

// dxtcWorkload compresses a picture.
type dxtcWorkload struct {
	outcome
	width, height      int
	in                 []uint32 // 0xRRGGBB
	ends, codes        []uint32
	wantEnds, wantCode []uint32
}

// newDXTC makes a picture of colour gradients with noise. Its sides are multiples of 4.
func newDXTC(width, height int, seed uint64) *dxtcWorkload {
	r := random(seed)
	w := &dxtcWorkload{width: width, height: height, in: make([]uint32, width*height)}
	for i := range w.in {
		x, y := i%width, i/width
		red, green, blue := 16+200*x/width, 16+200*y/height, 16+100*(x+y)/(width+height)
		w.in[i] = uint32(red+r.below(24))<<16 | uint32(green+r.below(24))<<8 | uint32(blue+r.below(24))
	}
	for i := range w.in {
		if x, y := i%width, i/width; x%4 == 0 && y%4 == 0 && x+3 < width && y+3 < height {
			w.block(x, y)
		}
	}
	return w
}

// light returns the brightness of a colour.
func light(c uint32) int { return int(2*(c>>16&255) + 5*(c>>8&255) + c&255) }

// block is the reference for one block.
func (w *dxtcWorkload) block(x, y int) {
	var pixels []uint32
	for k := range 16 {
		pixels = append(pixels, w.in[(y+k/4)*w.width+x+k%4])
	}
	dark := slices.MinFunc(pixels, func(a, b uint32) int { return light(a) - light(b) })
	slices.Reverse(pixels)
	bright := slices.MaxFunc(pixels, func(a, b uint32) int { return light(a) - light(b) })
	slices.Reverse(pixels)
	code := uint32(0)
	for _, c := range pixels {
		level := 0
		if way, span := 6*(light(c)-light(dark)), light(bright)-light(dark); way > 0 && span > 0 {
			level = min(((way-1)/span+1)/2, 3)
		}
		code = code<<2 | uint32(level)
	}
	w.wantEnds, w.wantCode = append(w.wantEnds, dark, bright), append(w.wantCode, code)
}

// Run implements Workload.
func (w *dxtcWorkload) Run(m Machine) error {
	w.reset()
	if w.width%4 != 0 || w.height%4 != 0 || len(w.in) == 0 {
		return fmt.Errorf("dxtc: a picture of %dx%d; want multiples of 4", w.width, w.height)
	}
	blocks := len(w.wantCode)
	in, ends, codes := upload(m, w.in), m.Alloc(8*blocks), m.Alloc(4*blocks)
	err := m.Launch(Call{
		Module: "dxtc.ptx",
		Kernel: "dxtc",
		Grid:   [3]uint32{groups(blocks, 64), 1, 1},
		Block:  [3]uint32{64, 1, 1},
		Params: bank(in, ends, codes, uint32(w.width), uint32(blocks)),
	})
	if err != nil {
		return err
	}
	w.ends, w.codes = download[uint32](m, ends, 2*blocks), download[uint32](m, codes, blocks)
	expect(&w.outcome, "ends", w.ends, w.wantEnds)
	expect(&w.outcome, "codes", w.codes, w.wantCode)
	return nil
}

// Image implements Picture: it unpacks the blocks.
func (w *dxtcWorkload) Image() image.Image {
	picture := image.NewRGBA(image.Rect(0, 0, w.width, w.height))
	for i := range w.in {
		x, y := i%w.width, i/w.width
		block := y/4*(w.width/4) + x/4
		level := w.codes[block] >> (30 - 2*uint32(y%4*4+x%4)) & 3
		mix := func(shift uint) uint8 {
			return uint8(((3-level)*(w.ends[2*block]>>shift&255) + level*(w.ends[2*block+1]>>shift&255)) / 3)
		}
		picture.SetRGBA(x, y, color.RGBA{mix(16), mix(8), mix(0), 255})
	}
	return picture
}
