package kernels

import "fmt"

var fdtd3d = Kernel{
	Name:    "fdtd3d",
	Doc:     "one step of finite differences of radius 4 on a field of three dimensions",
	Source:  "FDTD3D and 3DFD in Rhu & Erez (ISCA 2013), table 1, of the CUDA SDK and of Micikevicius (GPGPU 2009). Kept: tiles of 32x8 (FDTD3D, whose 32x16 threads would need more registers than an SM of that time has when addresses have 64 bits; 16x16 is 3DFD), the first threads of each row and column load the rim, points before and behind in an array that moves on. Not kept: the array is in local memory, as loops are not unrolled; one step",
	Control: "who loads the rim, bounds (P); barriers in a loop; uniform loops",
	Result:  "the same sums on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "40x12x2 points, 2x2 CTAs of 32x8, partly filled",
			func(seed uint64) Workload { return NewFDTD3D(40, 12, 2, 32, 8, seed) },
		},
		{
			"medium", "100x40x8 points, 4x5 CTAs of 32x8, partly filled",
			func(seed uint64) Workload { return NewFDTD3D(100, 40, 8, 32, 8, seed) },
		},
		{
			"large", "256x256x64 points, 8x32 CTAs of 32x8",
			func(seed uint64) Workload { return NewFDTD3D(256, 256, 64, 32, 8, seed) },
		},
	},
}

const fdRadius = 4

// FDTD3D computes one time step of a field by finite differences.
type FDTD3D struct {
	outcome
	width, height, depth int
	block                [2]int
	weights, in, want    []float32 // in and want include the rim
}

// NewFDTD3D makes a random field for tiles of a width and a height.
func NewFDTD3D(width, height, depth, tileWidth, tileHeight int, seed uint64) *FDTD3D {
	r := random(seed)
	pitch, rows := width+2*fdRadius, height+2*fdRadius
	plane := pitch * rows
	w := &FDTD3D{
		width: width, height: height, depth: depth, block: [2]int{tileWidth, tileHeight},
		weights: r.units(fdRadius + 1), in: r.units(plane * (depth + 2*fdRadius)), want: make([]float32,
			plane*(depth+2*fdRadius)),
	}
	for i := range width * height * depth {
		at := (i/(width*height)+fdRadius)*plane + (i/width%height+fdRadius)*pitch + i%width + fdRadius
		sum := float32(w.weights[0] * w.in[at])
		for k := 1; k <= fdRadius; k++ {
			along, across := w.in[at-k]+w.in[at+k], w.in[at-k*pitch]+w.in[at+k*pitch]
			sum += float32(w.weights[k] * (along + across + (w.in[at-k*plane] + w.in[at+k*plane])))
		}
		w.want[at] = sum
	}
	return w
}

// Run implements Workload.
func (w *FDTD3D) Run(m Machine) error {
	w.reset()
	if w.block[0] < fdRadius || w.block[0] > 32 || w.block[1] < fdRadius || w.block[1] > 16 ||
		(w.width-1)%w.block[0] < fdRadius-1 || (w.height-1)%w.block[1] < fdRadius-1 {
		return fmt.Errorf("fdtd3d: %dx%d points in tiles of %dx%d; want tiles of 4x4 to 32x16, the last of which have 4 points or more", w.width, w.height, w.block[0], w.block[1])
	}
	in, out, weights := upload(m, w.in), m.Alloc(4*len(w.want)), upload(m, w.weights)
	err := m.Launch(Call{
		Module: "fdtd3d.ptx",
		Kernel: "fdtd3d",
		Grid:   [3]uint32{groups(w.width, w.block[0]), groups(w.height, w.block[1]), 1},
		Block:  [3]uint32{uint32(w.block[0]), uint32(w.block[1]), 1},
		Params: bank(in, out, weights, uint32(w.width), uint32(w.height), uint32(w.depth)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "out", download[float32](m, out, len(w.want)), w.want)
	return nil
}
