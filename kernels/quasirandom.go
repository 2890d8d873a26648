package kernels

import "math/bits"

var quasirandom = Kernel{
	Name:    "quasirandom",
	Doc:     "points of a quasirandom sequence of three dimensions, Sobol's with a random shift",
	Source:  "a sum of direction numbers, one for each bit of the point's number; QSRDM in Rhu & Erez (ISCA 2013), table 1, is a generator of this kind",
	Control: "a test of each bit of the thread's number: half of the lanes of every warp for the five lowest (P); grid-stride loop (P)",
	Result:  "the recurrence on the host by which a point follows from that with one bit less",
	Sizes: []Size{
		{
			"small", "200 points, 2 CTAs of 128x3, the second partly filled",
			func(seed uint64) Workload { return NewQuasirandom(200, 2, seed) },
		},
		{
			"medium", "1500 points, 4 CTAs of 128x3 in a grid-stride loop",
			func(seed uint64) Workload { return NewQuasirandom(1500, 4, seed) },
		},
		{
			"large", "128 Ki points, 128 CTAs of 128x3 in a grid-stride loop",
			func(seed uint64) Workload { return NewQuasirandom(128<<10, 128, seed) },
		},
	},
}

// quasirandomBlock is the number of points that a CTA makes at a time.
const quasirandomBlock = 128

// Quasirandom makes quasirandom points.
type Quasirandom struct {
	outcome
	n, ctas    int
	directions []uint32 // for each dimension, 31 numbers and the shift
	want       []float32
}

// NewQuasirandom makes the direction numbers for n points, which the given number of CTAs computes.
func NewQuasirandom(n, ctas int, seed uint64) *Quasirandom {
	r := random(seed)
	w := &Quasirandom{n: n, ctas: ctas}
	for dimension := range 3 {
		numbers := append(directions(dimension), r.word()>>1)
		w.directions = append(w.directions, numbers...)
		points := []uint32{numbers[31]}
		for i := 1; i < n; i++ {
			points = append(points, points[i&(i-1)]^numbers[bits.TrailingZeros(uint(i))])
		}
		for _, p := range points {
			w.want = append(w.want, float32(p)/(1<<31))
		}
	}
	return w
}

// directions returns the direction numbers, of 31 bits, of Sobol's sequence in one of its first
// three dimensions.
//
// The primitive polynomials are 1, x+1 and x^2+x+1, the first numbers 1 and 1, 3 (Joe & Kuo, ACM
// TOMS 29(1), 2003).
func directions(dimension int) []uint32 {
	var v []uint32
	for bit := range 31 {
		top := uint32(1) << (30 - bit)
		switch {
		case dimension == 0 || bit == 0:
			v = append(v, top)
		case dimension == 1:
			v = append(v, v[bit-1]^v[bit-1]>>1)
		case bit == 1:
			v = append(v, 3*top)
		default:
			v = append(v, v[bit-1]^v[bit-2]^v[bit-2]>>2)
		}
	}
	return v
}

// Run implements Workload.
func (w *Quasirandom) Run(m Machine) error {
	w.reset()
	numbers, out := upload(m, w.directions), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "quasirandom.ptx",
		Kernel: "quasirandom",
		Grid:   [3]uint32{uint32(w.ctas), 1, 1},
		Block:  [3]uint32{quasirandomBlock, 3, 1},
		Params: bank(numbers, out, uint32(w.n)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "out", download[float32](m, out, len(w.want)), w.want)
	return nil
}
