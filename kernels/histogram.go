package kernels

var histogram = Kernel{
	Name:    "histogram",
	Doc:     "how often each byte value occurs, counted in shared memory first",
	Source:  "privatised histogram by atomics; histogram in Sartori & Kumar (Branch and Data Herding, 2012), table I",
	Control: "a grid-stride loop (P) and a test for empty bins (D); atomics in shared memory that collide, then in global memory",
	Result:  "one counting loop on the host",
	Metric:  MeanDifference,
	Sizes: []Size{
		{"small", "1500 bytes, 2 CTAs of 256", func(seed uint64) Workload { return newHistogram(1500, 2, 256, seed) }},
		{
			"medium", "50001 bytes, 8 CTAs of 192, partly filled",
			func(seed uint64) Workload { return newHistogram(50001, 8, 192, seed) },
		},
		{"large", "2 MiB, 120 CTAs of 256", func(seed uint64) Workload { return newHistogram(2<<20, 120, 256, seed) }},
	},
}

// histogramWorkload counts byte values.
type histogramWorkload struct {
	outcome
	ctas, cta int
	data      []uint8
	want      []uint32
}

// newHistogram makes n bytes for a grid of ctas CTAs of cta threads. Small values are the most
// frequent; the largest do not occur.
func newHistogram(n, ctas, cta int, seed uint64) *histogramWorkload {
	r := random(seed)
	w := &histogramWorkload{ctas: ctas, cta: cta, data: make([]uint8, n), want: make([]uint32, 256)}
	for i := range w.data {
		x := r.below(1 + r.below(240))
		w.data[i] = uint8(x)
		w.want[x]++
	}
	return w
}

// Run implements Workload.
func (w *histogramWorkload) Run(m Machine) error {
	w.reset()
	data, count := upload(m, w.data), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "histogram.ptx",
		Kernel: "histogram",
		Grid:   [3]uint32{uint32(w.ctas), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(data, count, uint32(len(w.data))),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "count", download[uint32](m, count, len(w.want)), w.want)
	return nil
}
