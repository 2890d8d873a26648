package kernels

import "slices"

var bitonic = Kernel{
	Name:    "bitonic",
	Doc:     "sorts segments of 32-bit keys, one a CTA, in shared memory",
	Source:  "Batcher's bitonic network (AFIPS 1968); BITONIC in Rhu & Erez (ISCA 2013), table 1 and figure 4(c)",
	Control: "partner > tid and (tid & k) == 0: half the lanes, aligned (P); then the comparison of the keys (D); barriers in two nested loops",
	Result:  "slices.Sort of each segment on the host",
	Sizes: []Size{
		{"small", "256 keys, 1 CTA of 256", func(seed uint64) Workload { return NewBitonic(256, 256, seed) }},
		{
			"medium", "2000 keys, 8 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return NewBitonic(2000, 256, seed) },
		},
		{"large", "64 Ki keys, 128 CTAs of 512", func(seed uint64) Workload { return NewBitonic(64<<10, 512, seed) }},
	},
}

// Bitonic sorts segments of keys.
type Bitonic struct {
	outcome
	cta        int
	keys, want []uint32
}

// NewBitonic makes n keys in segments of cta keys. cta is also the number of threads of a CTA: a
// power of two of at most 512. Some keys repeat, so that equal keys meet.
func NewBitonic(n, cta int, seed uint64) *Bitonic {
	r := random(seed)
	w := &Bitonic{cta: cta, keys: r.words(n)}
	for i := 7; i < n; i += 8 {
		w.keys[i] = w.keys[r.below(i)]
	}
	w.want = slices.Clone(w.keys)
	for segment := range slices.Chunk(w.want, cta) {
		slices.Sort(segment)
	}
	return w
}

// Run implements Workload.
func (w *Bitonic) Run(m Machine) error {
	w.reset()
	if err := tree("bitonic", w.cta); err != nil {
		return err
	}
	n := len(w.keys)
	keys := upload(m, w.keys)
	err := m.Launch(Call{
		Module: "bitonic.ptx",
		Kernel: "bitonic",
		Grid:   [3]uint32{groups(n, w.cta), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(keys, uint32(n)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "keys", download[uint32](m, keys, n), w.want)
	return nil
}
