package kernels

import (
	"fmt"
	"math"
)

var nearestKernel = Kernel{
	Name:    "nearest",
	Doc:     "how far the places of records are from one place",
	Source:  "NNC (nearest neighbours of Rodinia, Che et al., IISWC 2009) in Fung & Aamodt (HPCA 2011), table 1. Kept: CTAs of 16, half a warp; a thread a record, whose text it reads letter by letter. Not kept: the search for the nearest ones, on the host; the three further kernels that the table has",
	Control: "uniform loops over letters, in them tests of the letter (D); the end of the records (P)",
	Result:  "distances by the numbers of which the records were written, bit for bit",
	Sizes: []Size{
		{
			"small", "100 records, 7 CTAs of 16, the last one partly filled",
			func(seed uint64) Workload { return newNearest(100, seed) },
		},
		{"medium", "4000 records, 250 CTAs of 16", func(seed uint64) Workload { return newNearest(4000, seed) }},
		{
			"large", "2000000 records, 125000 CTAs of 16",
			func(seed uint64) Workload { return newNearest(2000000, seed) },
		},
	},
}

// Starting point of the search.
const (
	nearestLatitude  = 30
	nearestLongitude = -90
)

// nearestWorkload measures distances.
type nearestWorkload struct {
	outcome
	records []uint8
	want    []float32
}

// newNearest makes records.
func newNearest(count int, seed uint64) *nearestWorkload {
	r := random(seed)
	w := &nearestWorkload{}
	tenths := func(limit int) (float32, string) {
		n := r.below(2*limit+1) - limit
		sign := ""
		if n < 0 {
			sign = "-"
		}
		size := max(n, -n)
		return float32(n) / 10, fmt.Sprintf("%6s", fmt.Sprintf("%s%d.%d", sign, size/10, size%10))
	}
	for i := range count {
		x, latitude := tenths(900)
		y, longitude := tenths(1800)
		w.records = fmt.Appendf(w.records, "%-10.10s%s%s\n\n", fmt.Sprintf("storm %d", i), latitude, longitude)
		dx, dy := x-nearestLatitude, y-nearestLongitude
		w.want = append(w.want, float32(math.Sqrt(float64(float32(dx*dx)+float32(dy*dy)))))
	}
	return w
}

// Run implements Workload.
func (w *nearestWorkload) Run(m Machine) error {
	w.reset()
	records, far := upload(m, w.records), m.Alloc(4*len(w.want))
	err := m.Launch(Call{
		Module: "nearest.ptx",
		Kernel: "nearest",
		Grid:   [3]uint32{groups(len(w.want), 16), 1, 1},
		Block:  [3]uint32{16, 1, 1},
		Params: bank(records, far, uint32(len(w.want)), float32(nearestLatitude), float32(nearestLongitude)),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "distance", download[float32](m, far, len(w.want)), w.want)
	return nil
}
