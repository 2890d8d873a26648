package kernels

var reduction = Kernel{
	Name:    "reduction",
	Doc:     "sum of an array, each CTA by a tree in shared memory",
	Source:  "tree reduction with interleaved addressing, as REDUCT in Rhu & Erez (ISCA 2013), table 1",
	Control: "tid % 2s == 0 at each level: the active lanes lie ever farther apart, always in the same home lanes (P); barriers in a loop",
	Result:  "a plain sum on the host",
	Sizes: []Size{
		{"small", "256 elements, 1 CTA of 256", func(seed uint64) Workload { return NewReduction(256, 256, seed) }},
		{
			"medium", "10000 elements, 40 CTAs of 256, the last one partly filled, then 1",
			func(seed uint64) Workload { return NewReduction(10000, 256, seed) },
		},
		{
			"large", "256 Ki elements, 512 CTAs of 512, then 1",
			func(seed uint64) Workload { return NewReduction(256<<10, 512, seed) },
		},
	},
}

// Reduction sums an array.
type Reduction struct {
	outcome
	cta  int
	in   []uint32
	want uint32
}

// NewReduction makes n elements for CTAs of cta threads. cta is a power of two of at most 512.
func NewReduction(n, cta int, seed uint64) *Reduction {
	r := random(seed)
	w := &Reduction{cta: cta, in: r.words(n)}
	for _, x := range w.in {
		w.want += x
	}
	return w
}

// Run implements Workload. The sums of a launch's CTAs are the input of the next launch, until one
// sum is left.
func (w *Reduction) Run(m Machine) error {
	w.reset()
	if err := tree("reduction", w.cta); err != nil {
		return err
	}
	sums := upload(m, w.in)
	for n := len(w.in); ; {
		in := sums
		ctas := groups(n, w.cta)
		sums = m.Alloc(4 * int(ctas))
		err := m.Launch(Call{
			Module: "reduction.ptx",
			Kernel: "reduction",
			Grid:   [3]uint32{ctas, 1, 1},
			Block:  [3]uint32{uint32(w.cta), 1, 1},
			Params: bank(in, sums, uint32(n)),
		})
		if err != nil {
			return err
		}
		if ctas == 1 {
			break
		}
		n = int(ctas)
	}
	expect(&w.outcome, "sum", download[uint32](m, sums, 1), []uint32{w.want})
	return nil
}
