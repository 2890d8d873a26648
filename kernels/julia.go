package kernels

var julia = Kernel{
	Name:    "julia",
	Doc:     "escape times of a Julia set",
	Source:  "the loop of Sartori & Kumar (Branch and Data Herding, 2012), figure 1, for z*z + c with one c; Julia of Mandelbrot in its table I. Kept: the loop is unrolled 20 times, and each copy has both tests. Not kept: the palette",
	Control: "image bounds (P), then a loop with 40 exits, which pixels take after different numbers of rounds (D)",
	Result:  "the same float32 operations on the host, bit for bit",
	Sizes: []Size{
		{
			"small", "32x24 pixels, limit 32, 2x2 CTAs of 16x16, the lower ones half filled",
			func(seed uint64) Workload { return NewJulia(32, 24, 32, seed) },
		},
		{
			"medium", "192x144 pixels, limit 128, 12x9 CTAs of 16x16",
			func(seed uint64) Workload { return NewJulia(192, 144, 128, seed) },
		},
		{
			"large", "480x320 pixels, limit 256, 30x20 CTAs of 16x16",
			func(seed uint64) Workload { return NewJulia(480, 320, 256, seed) },
		},
	},
}

// The constant of the set.
const juliaRe, juliaIm = float32(-0.5), float32(0.5625)

// NewJulia makes a picture of a whole Julia set. Its pixels are the first z. limit bounds the
// rounds of a pixel; 0 counts as 1. The seed shifts the picture by less than a pixel.
func NewJulia(width, height int, limit uint32, seed uint64) *EscapeTime {
	w := newEscapeTime("julia", width, height, limit)
	w.constant = []any{juliaRe, juliaIm}
	w.place(-1.6, 3.2, seed)
	w.expect(func(re, im float32) uint32 { return roundsLeft(re, im, juliaRe, juliaIm, w.limit) })
	return w
}
