package sweep

import "iter"

// Row is a point of a plan with its result.
type Row struct {
	Point
	Result *Result // nil: the store has none
}

// Collect returns the points of a plan with their results, in plan order.
func Collect(p *Plan, s *Store) iter.Seq2[Row, error] {
	const chunk = 512 // results in memory
	return func(yield func(Row, error) bool) {
		results, errs := make([]*Result, chunk), make([]error, chunk)
		for from := 0; from < p.Len(); from += chunk {
			n := min(chunk, p.Len()-from)
			parallel(n, func(i int) { results[i], errs[i] = s.Get(p.Key(from + i)) })
			for i := range n {
				if !yield(Row{p.Point(from + i), results[i]}, errs[i]) {
					return
				}
			}
		}
	}
}
