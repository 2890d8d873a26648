package kernels

import "fmt"

var queens = Kernel{
	Name:    "queens",
	Doc:     "in how many ways n queens stand on a board without attacking one another",
	Source:  "backtracking by recursion, a row a call (Wirth, Program Development by Stepwise Refinement, CACM 1971)",
	Control: "recursion around a loop: the rounds and the depth differ from thread to thread (D), and returns part threads as branches do",
	Result:  "all placements of a queen in each row and column, each tested for diagonals, by the columns of the first two queens",
	Sizes: []Size{
		{"small", "n = 5, 1 CTA of 32, partly filled", func(uint64) Workload { return newQueens(5, 32) }},
		{
			"medium", "n = 7, 2 CTAs of 32, the last one partly filled",
			func(uint64) Workload { return newQueens(7, 32) },
		},
		{"large", "n = 8, 1 CTA of 64", func(uint64) Workload { return newQueens(8, 64) }},
	},
}

// queensWorkload counts placements by the columns of the queens in the first two rows.
type queensWorkload struct {
	outcome
	n, cta int
	want   []uint32
}

// newQueens makes a board of n by n, 2 to 10, for CTAs of cta threads.
func newQueens(n, cta int) *queensWorkload {
	w := &queensWorkload{n: n, cta: cta}
	if w.check() == nil {
		w.want = make([]uint32, n*n)
		w.permute(make([]int, 0, n))
	}
	return w
}

func (w *queensWorkload) check() error {
	if w.n < 2 || w.n > 10 {
		return fmt.Errorf("queens: a board of %d by %d; want 2 to 10", w.n, w.n)
	}
	return nil
}

// permute puts a queen into each free column. It counts the complete boards on which no two queens
// share a diagonal.
func (w *queensWorkload) permute(columns []int) {
	if len(columns) == w.n {
		if peaceful(columns) {
			w.want[columns[0]*w.n+columns[1]]++
		}
		return
	}
next:
	for c := range w.n {
		for _, taken := range columns {
			if c == taken {
				continue next
			}
		}
		w.permute(append(columns, c))
	}
}

// peaceful reports whether no two queens, in columns by row, share a diagonal.
func peaceful(columns []int) bool {
	for row, a := range columns {
		for i, b := range columns[row+1:] {
			if a-b == i+1 || b-a == i+1 {
				return false
			}
		}
	}
	return true
}

// Run implements Workload.
func (w *queensWorkload) Run(m Machine) error {
	w.reset()
	if err := w.check(); err != nil {
		return err
	}
	ways := m.Alloc(4 * len(w.want))
	err := m.Launch(Call{
		Module: "queens.ptx",
		Kernel: "queens",
		Grid:   [3]uint32{groups(len(w.want), w.cta), 1, 1},
		Block:  [3]uint32{uint32(w.cta), 1, 1},
		Params: bank(uint32(w.n), ways),
	})
	if err != nil {
		return err
	}
	expect(&w.outcome, "ways", download[uint32](m, ways, len(w.want)), w.want)
	return nil
}
