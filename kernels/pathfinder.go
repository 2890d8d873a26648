package kernels

import "fmt"

var pathfinder = Kernel{
	Name:    "pathfinder",
	Doc:     "the cheapest way down a grid of weights, some rows a launch",
	Source:  "pathfinder (Rodinia), of which Huang et al. (Paired-Path Comparison) have figure 8. Kept: CTAs of 256, several rows a launch on a piece of a row that becomes shorter at both sides, the sides of the grid. Not kept: the size",
	Control: "sides of the grid, a range of threads that becomes smaller (P); two comparisons (D); barriers in a loop",
	Result:  "a row after the other on the host",
	Sizes: []Size{
		{
			"small", "300 columns, 4 rows in 2 launches of 2 CTAs of 256, partly filled",
			func(seed uint64) Workload { return newPathfinder(300, 4, 2, seed) },
		},
		{
			"medium", "2000 columns, 40 rows in 2 launches of 10 CTAs of 256, partly filled",
			func(seed uint64) Workload { return newPathfinder(2000, 40, 20, seed) },
		},
		{
			"large", "100000 columns, 100 rows in 5 launches of 463 CTAs of 256, partly filled",
			func(seed uint64) Workload { return newPathfinder(100000, 100, 20, seed) },
		},
	},
}

// pathfinderWorkload sums costs along paths.
type pathfinderWorkload struct {
	outcome
	columns, rows, each int
	wall, want          []uint32
}

// newPathfinder makes a grid of weights from 0 to 9. Each launch processes each rows.
func newPathfinder(columns, rows, each int, seed uint64) *pathfinderWorkload {
	r := random(seed)
	w := &pathfinderWorkload{columns: columns, rows: rows, each: each}
	for range columns * (rows + 1) {
		w.wall = append(w.wall, uint32(r.below(10)))
	}
	w.want = w.wall[:columns]
	for y := 1; y <= rows; y++ {
		row := make([]uint32, columns)
		for x := range row {
			around := w.want[max(x-1, 0):min(x+2, columns)]
			row[x] = around[0]
			for _, cost := range around {
				row[x] = min(row[x], cost)
			}
			row[x] += w.wall[y*columns+x]
		}
		w.want = row
	}
	return w
}

// Run implements Workload.
func (w *pathfinderWorkload) Run(m Machine) error {
	w.reset()
	if w.each < 1 || w.each > 127 || w.rows%w.each != 0 {
		return fmt.Errorf("pathfinder: %d rows in launches of %d; want launches of 1 to 127 rows, all of them full",
			w.rows, w.each)
	}
	wall, from, to := upload(m, w.wall), upload(m, w.wall[:w.columns]), m.Alloc(4*w.columns)
	for row := 1; row <= w.rows; row += w.each {
		err := m.Launch(Call{
			Module: "pathfinder.ptx",
			Kernel: "pathfinder",
			Grid:   [3]uint32{groups(w.columns, 256-2*w.each), 1, 1},
			Block:  [3]uint32{256, 1, 1},
			Params: bank(wall, from, to, int32(w.columns), int32(row), int32(w.each)),
		})
		if err != nil {
			return err
		}
		from, to = to, from
	}
	expect(&w.outcome, "cost", download[uint32](m, from, w.columns), w.want)
	return nil
}
