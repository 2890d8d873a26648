package kernels

import (
	"cmp"
	"slices"
)

var sortnet = Kernel{
	Name:    "sortnet",
	Doc:     "sorts arrays of keys with values, one a CTA, in shared memory",
	Source:  "SORTNW (sorting networks of NVIDIA's samples) in Rhu & Erez (ISCA 2013), table 1 and figure 4(b). Kept: the bitonic network, a thread for two places, one comparator for both directions, keys with values. Not kept: arrays longer than shared memory, which are merged in global memory",
	Control: "the comparator, whose direction is by the thread and whose keys are data (D); barriers in two nested loops; the end of the data (P)",
	Result:  "slices.SortFunc of each array on the host",
	Sizes: []Size{
		{
			"small", "400 keys in arrays of 256, 2 CTAs of 128, the last one partly filled",
			func(seed uint64) Workload { return newSortNet(400, 256, seed) },
		},
		{
			"medium", "4000 keys in arrays of 512, 8 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return newSortNet(4000, 512, seed) },
		},
		{
			"large", "1 Mi keys in arrays of 1024, 1024 CTAs of 512",
			func(seed uint64) Workload { return newSortNet(1<<20, 1024, seed) },
		},
	},
}

// sortNetWorkload sorts arrays of keys with values.
type sortNetWorkload struct {
	outcome
	cta                  int
	keys, values         []uint32
	wantKeys, wantValues []uint32
}

// newSortNet makes n keys in arrays of length keys. length is twice the number of threads of a CTA:
// a power of two of at most 1024. The keys of an array are distinct, since a network does not keep
// the order of equal keys.
func newSortNet(n, length int, seed uint64) *sortNetWorkload {
	r := random(seed)
	w := &sortNetWorkload{cta: length / 2, keys: r.words(n), values: r.words(n)}
	for i := range w.keys {
		w.keys[i] = w.keys[i]>>11<<10 | uint32(i%1024)
	}
	list := make([]record, n)
	for i := range list {
		list[i] = record{w.keys[i], w.values[i]}
	}
	for array := range slices.Chunk(list, length) {
		slices.SortFunc(array, func(a, b record) int { return cmp.Compare(a[0], b[0]) })
	}
	for _, rec := range list {
		w.wantKeys, w.wantValues = append(w.wantKeys, rec[0]), append(w.wantValues, rec[1])
	}
	return w
}

// Run implements Workload.
func (w *sortNetWorkload) Run(m Machine) error {
	w.reset()
	if err := tree("sortnet", w.cta); err != nil {
		return err
	}
	n := len(w.keys)
	keys, values := upload(m, w.keys), upload(m, w.values)
	err := m.Launch(Call{
		Module: "sortnet.ptx",
		Kernel: "sortnet",
		Grid:   [3]uint32{groups(n, 2*w.cta), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(keys, values, uint32(n)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "keys", download[uint32](m, keys, n), w.wantKeys)
	expect(&w.outcome, "values", download[uint32](m, values, n), w.wantValues)
	return nil
}
