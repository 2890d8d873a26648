package sweep

import "iter"

// Row is a point of a plan with its result.
type Row struct {
	Point
	Result *Result // nil: the store has none
}

// Collect returns the points of a plan with their results, in plan order.
func Collect(p *Plan, s *Store) iter.Seq2[Row, error] { panic("skeleton") }
