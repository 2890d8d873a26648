package kernels

import (
	"fmt"
)

var lbm = Kernel{
	Name:    "lbm",
	Doc:     "steps of a flow around obstacles on a lattice",
	Source:  "lbm in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: the test for an obstacle in a cell, with a long path behind it. Not kept: three dimensions and 19 directions (two and nine), the driven lid (the field repeats)",
	Control: "bounds (P), a test for an obstacle (D) with the exchange of directions on one side, the collision on the other",
	Result:  "the same float32 operations on the host, which push where the kernel pulls",
	Sizes: []Size{
		{
			"small", "16x8 cells, 1 step, 8 CTAs of 32, half filled",
			func(seed uint64) Workload { return newLBM(16, 8, 1, seed) },
		},
		{
			"medium", "64x32 cells, 3 steps, 2x32 CTAs of 32",
			func(seed uint64) Workload { return newLBM(64, 32, 3, seed) },
		},
		{
			"large", "256x128 cells, 4 steps, 8x128 CTAs of 32",
			func(seed uint64) Workload { return newLBM(256, 128, 4, seed) },
		},
	},
}

// lbmWorkload simulates a flowing fluid.
type lbmWorkload struct {
	outcome
	width, height, steps int
	rate                 float32
	solid                []uint8
	field, want, got     []float32 // nine directions, one after the other
}

// lbmWays are the nine directions.
var lbmWays = [9][2]int{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}

// newLBM makes a field that flows for a number of steps. Its sides are powers of two, and it has
// single obstacles.
func newLBM(width, height, steps int, seed uint64) *lbmWorkload {
	r := random(seed)
	n := width * height
	w := &lbmWorkload{
		width: width, height: height, steps: steps, rate: 0.75, solid: make([]uint8, n),
		field: make([]float32, 9*n),
	}
	for i := range n {
		if r.below(8) == 0 {
			w.solid[i] = 1
		}
		for k := range 9 {
			share := float32(1) / 36
			if k == 0 {
				share = float32(4) / 9
			} else if k < 5 {
				share = float32(1) / 9
			}
			w.field[k*n+i] = float32(share * (1 + r.unit()/8))
		}
	}
	w.want = w.field
	for range steps {
		w.want = w.step(w.want)
	}
	return w
}

// step is the reference for one step: all values move, then all collide.
func (w *lbmWorkload) step(in []float32) []float32 {
	n := w.width * w.height
	out := make([]float32, len(in))
	for k, way := range lbmWays {
		for i := range n {
			x, y := (i%w.width+way[0]+w.width)%w.width, (i/w.width+way[1]+w.height)%w.height
			out[k*n+y*w.width+x] = in[k*n+i]
		}
	}
	for i := range n {
		var f [9]float32
		for k := range f {
			f[k] = out[k*n+i]
		}
		if w.solid[i] != 0 {
			f[1], f[3], f[2], f[4], f[5], f[7], f[6], f[8] = f[3], f[1], f[4], f[2], f[7], f[5], f[8], f[6]
		} else {
			w.collide(&f)
		}
		for k := range f {
			out[k*n+i] = f[k]
		}
	}
	return out
}

func (w *lbmWorkload) collide(f *[9]float32) {
	var rho float32
	for _, v := range f {
		rho += v
	}
	vx := (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho
	vy := (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho
	square := 1 - float32(1.5*(float32(vx*vx)+float32(vy*vy)))
	side, corner := float32(rho*0.11111111), float32(rho*0.027777778)
	toward := func(k int, share, v float32) {
		want := float32(share * (square + float32(3*v) + float32(float32(4.5*v)*v)))
		f[k] += float32(w.rate * (want - f[k]))
	}
	f[0] += float32(w.rate * (float32(float32(rho*0.44444445)*square) - f[0]))
	for k, v := range [...]float32{vx, vy, -vx, -vy} {
		toward(1+k, side, v)
	}
	for k, v := range [...]float32{vx + vy, vy - vx, -(vx + vy), vx - vy} {
		toward(5+k, corner, v)
	}
}

// Run implements Workload.
func (w *lbmWorkload) Run(m Machine) error {
	w.reset()
	if w.width&(w.width-1) != 0 || w.height&(w.height-1) != 0 || len(w.solid) == 0 {
		return fmt.Errorf("lbm: a field of %dx%d; want powers of two", w.width, w.height)
	}
	in, out, solid := upload(m, w.field), m.Alloc(4*len(w.field)), upload(m, w.solid)
	for range w.steps {
		err := m.Launch(Call{
			Module: "lbm.ptx",
			Kernel: "lbm",
			Grid:   [3]uint32{groups(w.width, 32), uint32(w.height), 1},
			Block:  [3]uint32{32, 1, 1},
			Params: bank(in, out, solid, uint32(w.width), uint32(w.height), w.rate),
		})
		if err != nil {
			return err
		}
		in, out = out, in
	}
	w.got = download[float32](m, in, len(w.field))
	expect(&w.outcome, "field", w.got, w.want)
	return nil
}
