package kernels

import (
	"image"
)

var volumerender = Kernel{
	Name:    "volumerender",
	Doc:     "a cube of voxels seen from the front, a ray a pixel",
	Source:  "volumeRender in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: steps through the volume, and the two tests that end a ray. Not kept: textures (a table in shared memory that repeats), interpolation, the transfer function",
	Control: "a loop of at most 128 steps with two exits, opaque or out of the cube (D); image bounds (P); barrier before",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "24x20 pixels, 2x2 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return NewVolumeRender(24, 20, seed) },
		},
		{
			"medium", "100x75 pixels, 7x5 CTAs of 16x16, partly filled",
			func(seed uint64) Workload { return NewVolumeRender(100, 75, seed) },
		},
		{
			"large", "320x240 pixels, 20x15 CTAs of 16x16",
			func(seed uint64) Workload { return NewVolumeRender(320, 240, seed) },
		},
	},
}

// VolumeRender draws a cube of 16x16x16 voxels.
type VolumeRender struct {
	outcome
	width, height      int
	scale, slope, step float32
	voxels             []uint8
	out, want          []uint8
}

// NewVolumeRender makes a ball with a hole, in a thin fog. The seed determines the fog's density.
func NewVolumeRender(width, height int, seed uint64) *VolumeRender {
	r := random(seed)
	w := &VolumeRender{
		width: width, height: height, scale: 16 / float32(max(width, height)), slope: 0.0625, step: 0.25,
		voxels: make([]uint8, 16*16*16), want: make([]uint8, width*height),
	}
	for i := range w.voxels {
		x, y, z := i%16-8, i/16%16-8, i/256-8
		d := x*x + y*y + z*z
		switch {
		case d < 6:
		case d < 40:
			w.voxels[i] = uint8(100 + r.below(60))
		default:
			w.voxels[i] = uint8(r.below(8))
		}
	}
	for i := range w.want {
		w.want[i] = w.ray(i%width, i/width)
	}
	return w
}

// ray is the reference for a pixel.
func (w *VolumeRender) ray(px, py int) uint8 {
	x, y, z := float32(float32(px)*w.scale), float32(float32(py)*w.scale), float32(0)
	light, clear := float32(0), float32(1)
	for range 128 {
		voxel := w.voxels[int(z)%16*256+int(y)%16*16+int(x)%16]
		here := float32(float32(float32(voxel)*clear) * 0.00390625)
		light += here
		clear -= float32(here * 0.5)
		x += w.slope
		z += w.step
		if clear < 0.05 || z >= 16 {
			break
		}
	}
	return uint8(float32(light * 100))
}

// Run implements Workload.
func (w *VolumeRender) Run(m Machine) error {
	w.reset()
	voxels, out := upload(m, w.voxels), m.Alloc(len(w.want))
	err := m.Launch(Call{
		Module: "volumerender.ptx",
		Kernel: "volumerender",
		Grid:   [3]uint32{groups(w.width, 16), groups(w.height, 16), 1},
		Block:  [3]uint32{16, 16, 1},
		Params: bank(voxels, out, uint32(w.width), uint32(w.height), w.scale, w.slope, w.step),
	})
	if err != nil {
		return err
	}
	w.out = download[uint8](m, out, len(w.want))
	expect(&w.outcome, "out", w.out, w.want)
	return nil
}

// Image implements Picture.
func (w *VolumeRender) Image() image.Image {
	return &image.Gray{Pix: w.out, Stride: w.width, Rect: image.Rect(0, 0, w.width, w.height)}
}
