package sample

import (
	"cmp"
	"slices"
)

// Front returns the indices of the points that no other point dominates, by ascending cost. A point
// dominates another one if it costs no more, gains no less, and is better in one of both. So equal
// points are all in the front, or none is.
func Front(cost, gain []float64) []int {
	order := make([]int, len(cost))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(cost[a], cost[b]), cmp.Compare(gain[b], gain[a]))
	})
	var front []int
	for _, i := range order {
		if n := len(front); n > 0 {
			last := front[n-1]
			if gain[i] < gain[last] || gain[i] == gain[last] && cost[i] > cost[last] {
				continue
			}
		}
		front = append(front, i)
	}
	return front
}
