package sweep

import (
	"hash/maphash"
	"slices"
)

// Status is what a store has of a plan.
type Status struct {
	Points   int
	Outcomes []Outcome // those that occur, the most frequent first
	Warnings []Told    // in the order of the points
	Effects  []Effect  // in plan order
}

// Outcome counts the points of one outcome, Missing included.
type Outcome struct {
	Name   string
	Points int
	First  int    // the first point
	Reason string // its message
}

// Told is a warning, and the number of points that give it.
type Told struct {
	Warning     // of the first point
	Points  int // points with the same key
	First   int // the first point
}

// ReadStatus reads all results of a plan.
func ReadStatus(p *Plan, s *Store) (*Status, error) {
	st := &Status{Points: p.Len()}
	seed := maphash.MakeSeed()
	all := make([]seen, p.Len())
	outcomes, warnings := map[string]int{}, map[string]int{}
	for row, err := range Collect(p, s) {
		if err != nil {
			return nil, err
		}
		name, reason := Missing, ""
		if r := row.Result; r != nil {
			name, reason = r.Outcome, r.Message
			text := appendStats([]byte(r.Outcome+"\x00"), r.Stats)
			all[row.Index] = seen{true, maphash.Bytes(seed, text), r.LimitedBy}
			for _, w := range r.Warnings {
				at, ok := warnings[w.Key]
				if !ok {
					at = len(st.Warnings)
					warnings[w.Key] = at
					st.Warnings = append(st.Warnings, Told{Warning: w, First: row.Index})
				}
				st.Warnings[at].Points++
			}
		}
		at, ok := outcomes[name]
		if !ok {
			at = len(st.Outcomes)
			outcomes[name] = at
			st.Outcomes = append(st.Outcomes, Outcome{Name: name, First: row.Index, Reason: reason})
		}
		st.Outcomes[at].Points++
	}
	slices.SortStableFunc(st.Outcomes, func(a, b Outcome) int { return b.Points - a.Points })
	st.Effects = p.effects(all)
	return st, nil
}
