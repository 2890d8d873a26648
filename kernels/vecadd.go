package kernels

var vecadd = Kernel{
	Name:    "vecadd",
	Doc:     "element-wise sum of two vectors of 32-bit integers",
	Source:  "the first kernel of every course; no paper's benchmark",
	Control: "one bounds test, divergent in the last warp alone (P)",
	Result:  "sums on the host",
	Sizes: []Size{
		{
			"small", "1000 elements, 8 CTAs of 128, the last one partly filled",
			func(seed uint64) Workload { return NewVecadd(1000, 128, seed) },
		},
		{
			"medium", "20000 elements, 79 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return NewVecadd(20000, 256, seed) },
		},
		{"large", "1 Mi elements, 4096 CTAs of 256", func(seed uint64) Workload { return NewVecadd(1<<20, 256, seed) }},
	},
}

// Vecadd adds two vectors.
type Vecadd struct {
	outcome
	cta        int
	a, b, want []uint32
}

// NewVecadd makes vectors of n elements for CTAs of cta threads.
func NewVecadd(n, cta int, seed uint64) *Vecadd {
	r := random(seed)
	v := &Vecadd{cta: cta, a: r.words(n), b: r.words(n), want: make([]uint32, n)}
	for i := range v.want {
		v.want[i] = v.a[i] + v.b[i]
	}
	return v
}

// Run implements Workload.
func (v *Vecadd) Run(m Machine) error {
	v.reset()
	n := len(v.want)
	a, b, c := upload(m, v.a), upload(m, v.b), m.Alloc(4*n)
	err := m.Launch(Call{
		Module: "vecadd.ptx",
		Kernel: "vecadd",
		Grid:   [3]uint32{groups(n, v.cta), 1, 1},
		Block:  [3]uint32{uint32(v.cta), 1, 1},
		Params: bank(a, b, c, uint32(n)),
	})
	if err != nil {
		return err
	}
	expect(&v.outcome, "c", download[uint32](m, c, n), v.want)
	return nil
}
