package kernels

import "slices"

var mergesort = Kernel{
	Name:    "mergesort",
	Doc:     "sorts lists of keys by merging, a thread for two runs",
	Source:  "MGST (merge sort, the second half of the hybrid sort of Rodinia, Che et al., IISWC 2009) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 96; threads that sort four keys and then merge runs one key at a time, in ever fewer and longer ones; lists of about the same length. Not kept: the first half, which fills the lists, here on the host; keys as float4, four of which are sorted without branches",
	Control: "a merge: which key is less, which run ends first (D); runs and lists that end, passes with fewer threads (P, by lengths from memory also D)",
	Result:  "slices.Sort of all keys on the host, of which the lists are the ranges",
	Sizes: []Size{
		{
			"small", "300 keys in 6 lists, 7 launches or so, CTAs of 96, partly filled",
			func(seed uint64) Workload { return newMergeSort(300, 6, seed) },
		},
		{
			"medium", "12000 keys in 192 lists, 6 launches or so, CTAs of 96",
			func(seed uint64) Workload { return newMergeSort(12000, 192, seed) },
		},
		{
			"large", "1 Mi keys in 1024 lists, 10 launches or so, CTAs of 96",
			func(seed uint64) Workload { return newMergeSort(1<<20, 1024, seed) },
		},
	},
}

const mergesortThreads = 96

// mergeSortWorkload sorts lists.
type mergeSortWorkload struct {
	outcome
	keys, first, want []uint32
	longest           int
}

// newMergeSort makes n keys and distributes them among lists by their size.
func newMergeSort(n, lists int, seed uint64) *mergeSortWorkload {
	r := random(seed)
	all := make([][]uint32, lists)
	w := &mergeSortWorkload{}
	for _, key := range r.words(n) {
		to := int(uint64(key) * uint64(lists) >> 32)
		all[to] = append(all[to], key)
	}
	for _, list := range all {
		w.first = append(w.first, uint32(len(w.keys)))
		w.keys = append(w.keys, list...)
		w.longest = max(w.longest, len(list))
	}
	w.first = append(w.first, uint32(n))
	w.want = slices.Clone(w.keys)
	slices.Sort(w.want)
	return w
}

// Run implements Workload.
func (w *mergeSortWorkload) Run(m Machine) error {
	w.reset()
	n, lists := len(w.keys), len(w.first)-1
	keys, other, first := upload(m, w.keys), m.Alloc(4*n), upload(m, w.first)
	launch := func(kernel string, threads int, params []byte) error {
		return m.Launch(Call{
			Module: "mergesort.ptx", Kernel: kernel,
			Grid: [3]uint32{groups(threads, mergesortThreads), 1, 1}, Block: [3]uint32{mergesortThreads, 1, 1},
			Params: params,
		})
	}
	fours := (w.longest + 3) / 4
	if err := launch("mergesort_first", lists*fours, bank(keys, first, uint32(lists), uint32(fours))); err != nil {
		return err
	}
	for run := 4; run < w.longest; run *= 2 {
		pairs := (w.longest + 2*run - 1) / (2 * run)
		if err := launch("mergesort_pass", lists*pairs,
			bank(keys, other, first, uint32(lists), uint32(pairs), uint32(run))); err != nil {
			return err
		}
		keys, other = other, keys
	}
	expect(&w.outcome, "keys", download[uint32](m, keys, n), w.want)
	return nil
}
