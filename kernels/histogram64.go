package kernels

var histogram64 = Kernel{
	Name:    "histogram64",
	Doc:     "how often each of 64 grey levels occurs, equal neighbours counted at once",
	Source:  "histogram in Sartori & Kumar (Branch and Data Herding, 2012), table I, the one of 64 bins. Not kept: counters of a byte for each thread; instead a thread adds a run of equal values at once, which is where it branches",
	Control: "loops over a thread's part of the data (P) and a test whether the level changes (D); atomics in shared memory that collide",
	Result:  "one counting loop on the host",
	Metric:  MeanDifference,
	Sizes: []Size{
		{
			"small", "1500 bytes, 2 CTAs of 128, the second partly filled",
			func(seed uint64) Workload { return newHistogram64(1500, 128, 8, seed) },
		},
		{
			"medium", "50001 bytes, 17 CTAs of 192, partly filled",
			func(seed uint64) Workload { return newHistogram64(50001, 192, 16, seed) },
		},
		{
			"large", "1 Mi bytes, 128 CTAs of 256",
			func(seed uint64) Workload { return newHistogram64(1<<20, 256, 32, seed) },
		},
	},
}

// histogram64Workload counts grey levels.
type histogram64Workload struct {
	outcome
	cta, each int
	data      []uint8
	got, want []uint32
}

// newHistogram64 makes n bytes for CTAs of cta threads, each of which counts each bytes. Equal
// bytes come in runs, as in a picture.
func newHistogram64(n, cta, each int, seed uint64) *histogram64Workload {
	r := random(seed)
	w := &histogram64Workload{cta: cta, each: each, data: make([]uint8, n), want: make([]uint32, 64)}
	level := 0
	for i := range w.data {
		if r.below(4) == 0 {
			level = r.below(1 + r.below(256))
		}
		w.data[i] = uint8(level)
		w.want[level/4]++
	}
	return w
}

// Run implements Workload.
func (w *histogram64Workload) Run(m Machine) error {
	w.reset()
	data, count := upload(m, w.data), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "histogram64.ptx",
		Kernel: "histogram64",
		Grid:   [3]uint32{groups(len(w.data), w.cta*w.each), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(data, count, uint32(len(w.data)), uint32(w.each)),
	})
	if err != nil {
		return err
	}
	w.got = download[uint32](m, count, len(w.want))
	expect(&w.outcome, "count", w.got, w.want)
	return nil
}
