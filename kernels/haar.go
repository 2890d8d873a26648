package kernels

var haar = Kernel{
	Name:    "haar",
	Doc:     "Haar wavelets of pieces of a signal",
	Source:  "DWTHARR in Rhu & Erez (ISCA 2013), table 1: dwtHaar1D of the CUDA SDK. Kept: a piece in shared memory, half of the threads with each level. Not kept: the factors, so that numbers are integers; the launch for the rests",
	Control: "a range of threads that becomes half as large with each level (P); barriers in a loop",
	Result:  "sums over the halves of each range of the signal on the host",
	Sizes: []Size{
		{"small", "256 numbers, 2 CTAs of 64", func(seed uint64) Workload { return NewHaar(2, 64, seed) }},
		{"medium", "16 Ki numbers, 32 CTAs of 256", func(seed uint64) Workload { return NewHaar(32, 256, seed) }},
		{"large", "8 Mi numbers, 16384 CTAs of 256", func(seed uint64) Workload { return NewHaar(16384, 256, seed) }},
	},
}

// Haar transforms pieces.
type Haar struct {
	outcome
	cta                   int
	signal, details, rest []uint32 // piece p has its details from 2*p*cta+1 on, level n from n on
}

// NewHaar makes a signal for the given number of CTAs. cta, the threads of a CTA, is a power of two
// of at most 256.
func NewHaar(ctas, cta int, seed uint64) *Haar {
	r := random(seed)
	w := &Haar{cta: cta, signal: r.words(2 * ctas * cta), details: make([]uint32, 2*ctas*cta)}
	sum := func(from, n int) (sum uint32) {
		for _, x := range w.signal[from : from+n] {
			sum += x
		}
		return sum
	}
	for first := 0; first < len(w.signal); first += 2 * cta {
		w.rest = append(w.rest, sum(first, 2*cta))
		for pairs := 1; pairs <= cta; pairs *= 2 {
			half := cta / pairs
			for i := range pairs {
				w.details[first+pairs+i] = sum(first+2*half*i, half) - sum(first+2*half*i+half, half)
			}
		}
	}
	return w
}

// Run implements Workload.
func (w *Haar) Run(m Machine) error {
	w.reset()
	if err := tree("haar", 2*w.cta); err != nil {
		return err
	}
	signal, details, rest := upload(m, w.signal), m.Alloc(4*len(w.details)), m.Alloc(4*len(w.rest))
	err := m.Launch(Call{
		Module: "haar.ptx",
		Kernel: "haar",
		Grid:   [3]uint32{uint32(len(w.rest)), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(signal, details, rest),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "detail", download[uint32](m, details, len(w.details)), w.details)
	expect(&w.outcome, "rest", download[uint32](m, rest, len(w.rest)), w.rest)
	return nil
}
