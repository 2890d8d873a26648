package kernels

import (
	"cmp"
	"slices"
)

var blocksort = Kernel{
	Name:    "blocksort",
	Doc:     "records sorted by key, each CTA its own: runs of 32 by odd-even transposition, then merged by counting",
	Source:  "the block sort of a merge sort of arrays of structures, as in Thrust; AOSSORT (AOS sorting) in Rhu & Erez (ISCA 2013), table 1, is taken to be one",
	Control: "tid % 2 == odd, each side in the same home lanes (P); comparison of keys, binary search (D); barriers in loops",
	Result:  "a stable sort of each block on the host",
	Sizes: []Size{
		{
			"small", "200 records, 2 CTAs of 128, the second partly filled",
			func(seed uint64) Workload { return NewBlockSort(200, 128, seed) },
		},
		{
			"medium", "1000 records, 4 CTAs of 256, the last one partly filled",
			func(seed uint64) Workload { return NewBlockSort(1000, 256, seed) },
		},
		{
			"large", "64 Ki records, 128 CTAs of 512",
			func(seed uint64) Workload { return NewBlockSort(64<<10, 512, seed) },
		},
	},
}

// record is a key and a value.
type record [2]uint32

// BlockSort sorts blocks of records.
type BlockSort struct {
	outcome
	cta      int
	in, want []uint32
}

// NewBlockSort makes n records for CTAs of cta threads. cta is a power of two of at most 512. Many
// keys are equal.
func NewBlockSort(n, cta int, seed uint64) *BlockSort {
	r := random(seed)
	list := make([]record, n)
	w := &BlockSort{cta: cta}
	for i := range list {
		list[i] = record{uint32(r.below(1 + n/2)), r.word()}
		w.in = append(w.in, list[i][:]...)
	}
	for block := range slices.Chunk(list, cta) {
		slices.SortStableFunc(block, func(a, b record) int { return cmp.Compare(a[0], b[0]) })
		for _, rec := range block {
			w.want = append(w.want, rec[:]...)
		}
	}
	return w
}

// Run implements Workload.
func (w *BlockSort) Run(m Machine) error {
	w.reset()
	if err := tree("blocksort", w.cta); err != nil {
		return err
	}
	records, n := upload(m, w.in), len(w.in)/2
	err := m.Launch(Call{
		Module: "blocksort.ptx",
		Kernel: "blocksort",
		Grid:   [3]uint32{groups(n, w.cta), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(records, uint32(n)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "records", download[uint32](m, records, len(w.want)), w.want)
	return nil
}
