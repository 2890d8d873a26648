package kernels

import (
	"fmt"
	"math"
	"math/bits"
)

var oceanfft = Kernel{
	Name:    "oceanfft",
	Doc:     "the surface of a sea and its slopes from its spectrum at a time",
	Source:  "oceanFFT in Sartori & Kumar (Branch and Data Herding, 2012), table I. Kept: spectrum, inverse transform, slopes with the test of the boundary. Not kept: the Phillips spectrum (any spectrum), the library of transforms (radix 2, in shared memory)",
	Control: "grid bounds (P), loops with barriers (P), the boundary of the field (P)",
	Result:  "a recursive transform on the host with the same additions, bit for bit",
	Sizes: []Size{
		{
			"small", "16x16 points, 3 kernels, CTAs of 8 to 32, partly filled",
			func(seed uint64) Workload { return newOceanFFT(16, seed) },
		},
		{"medium", "64x64 points, 3 kernels, CTAs of 32", func(seed uint64) Workload { return newOceanFFT(64, seed) }},
		{
			"large", "256x256 points, 3 kernels, CTAs of 32 and 128",
			func(seed uint64) Workload { return newOceanFFT(256, seed) },
		},
	},
}

// oceanFFTWorkload makes the surface of a sea.
type oceanFFTWorkload struct {
	outcome
	side           int
	re, im         []float32 // spectrum
	cosine, sine   []float32 // cosine and sine of frequency times time
	rootRe, rootIm []float32 // powers of the side-th root of 1
	height         []float32
	want           []float32
	wantX, wantY   []float32
}

// newOceanFFT makes a field of side x side points. side is a power of two from 4 to 256.
func newOceanFFT(side int, seed uint64) *oceanFFTWorkload {
	r := random(seed)
	n := side * side
	w := &oceanFFTWorkload{
		side: side, re: r.units(n), im: r.units(n), cosine: make([]float32, n),
		sine: make([]float32, n),
	}
	for i := range n {
		x, y := min(i%side, side-i%side), min(i/side, side-i/side)
		for _, a := range [...][]float32{w.re, w.im} {
			a[i] = float32(a[i] / float32(1+x*x+y*y))
		}
		turn := math.Sqrt(math.Hypot(float64(x), float64(y))) * 0.75
		w.cosine[i], w.sine[i] = float32(math.Cos(turn)), float32(math.Sin(turn))
	}
	for k := range max(side/2, 1) {
		turn := 2 * math.Pi * float64(k) / float64(side)
		w.rootRe, w.rootIm = append(w.rootRe, float32(math.Cos(turn))), append(w.rootIm, float32(math.Sin(turn)))
	}
	w.reference()
	return w
}

// complex32 is a complex number. Each operation on its parts rounds once.
type complex32 struct{ re, im float32 }

func (a complex32) times(b complex32) complex32 {
	return complex32{float32(a.re*b.re) - float32(a.im*b.im), float32(a.re*b.im) + float32(a.im*b.re)}
}

// transform returns the inverse transform of a line.
func (w *oceanFFTWorkload) transform(line []complex32) []complex32 {
	n := len(line)
	if n == 1 {
		return line
	}
	var even, odd []complex32
	for i, c := range line {
		if i%2 == 0 {
			even = append(even, c)
		} else {
			odd = append(odd, c)
		}
	}
	even, odd = w.transform(even), w.transform(odd)
	out := make([]complex32, n)
	for k := range n / 2 {
		at := k * (w.side / n)
		t := odd[k].times(complex32{w.rootRe[at], w.rootIm[at]})
		out[k] = complex32{even[k].re + t.re, even[k].im + t.im}
		out[k+n/2] = complex32{even[k].re - t.re, even[k].im - t.im}
	}
	return out
}

func (w *oceanFFTWorkload) reference() {
	side, n := w.side, w.side*w.side
	field := make([]complex32, n)
	for i := range field {
		other := (side-i/side)%side*side + (side-i%side)%side
		turn := complex32{w.cosine[i], w.sine[i]}
		a := complex32{w.re[i], w.im[i]}.times(turn)
		b := complex32{w.re[other], w.im[other]}.times(turn)
		field[i] = complex32{a.re + b.re, a.im - b.im}
	}
	for y := range side {
		copy(field[y*side:], w.transform(field[y*side:(y+1)*side]))
	}
	w.want, w.wantX, w.wantY = make([]float32, n), make([]float32, n), make([]float32, n)
	for x := range side {
		column := make([]complex32, side)
		for y := range column {
			column[y] = field[y*side+x]
		}
		for y, c := range w.transform(column) {
			w.want[y*side+x] = c.re
		}
	}
	for y := 1; y < side-1; y++ {
		for x := 1; x < side-1; x++ {
			w.wantX[y*side+x] = w.want[y*side+x+1] - w.want[y*side+x-1]
			w.wantY[y*side+x] = w.want[(y+1)*side+x] - w.want[(y-1)*side+x]
		}
	}
}

// Run implements Workload.
func (w *oceanFFTWorkload) Run(m Machine) error {
	w.reset()
	if w.side < 4 || w.side > 256 || w.side&(w.side-1) != 0 {
		return fmt.Errorf("oceanfft: a field of side %d; want a power of two, 4 to 256", w.side)
	}
	side, n := uint32(w.side), len(w.want)
	re, im, across, down := m.Alloc(4*n), m.Alloc(4*n), m.Alloc(4*n), m.Alloc(4*n)
	wide := [3]uint32{groups(w.side, 32), side, 1}
	launch := func(kernel string, grid [3]uint32, cta uint32, params []byte) error {
		return m.Launch(Call{
			Module: "oceanfft.ptx", Kernel: kernel, Grid: grid, Block: [3]uint32{cta, 1, 1},
			Params: params,
		})
	}
	spectrum := bank(upload(m, w.re), upload(m, w.im), upload(m, w.cosine), upload(m, w.sine), re, im, side)
	rootRe, rootIm, log := upload(m, w.rootRe), upload(m, w.rootIm), uint32(bits.Len32(side)-1)
	for _, err := range []func() error{
		func() error { return launch("ocean_spectrum", wide, 32, spectrum) },
		func() error {
			return launch("ocean_fft", [3]uint32{side, 1, 1}, side/2,
				bank(re, im, rootRe, rootIm, log, uint32(1), side))
		},
		func() error {
			return launch("ocean_fft", [3]uint32{side, 1, 1}, side/2,
				bank(re, im, rootRe, rootIm, log, side, uint32(1)))
		},
		func() error { return launch("ocean_slope", wide, 32, bank(re, across, down, side)) },
	} {
		if err := err(); err != nil {
			return err
		}
	}
	w.height = download[float32](m, re, n)
	expect(&w.outcome, "height", w.height, w.want)
	expect(&w.outcome, "across", download[float32](m, across, n), w.wantX)
	expect(&w.outcome, "down", download[float32](m, down, n), w.wantY)
	return nil
}
