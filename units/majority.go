package units

import (
	"math/bits"

	"divergo/internal/key"
)

// Tie selects the direction of a herded branch if as many lanes want to take it as not.
type Tie string

// The rules for ties.
const (
	TieNotTaken Tie = "not-taken"
	TieTaken    Tie = "taken"
	TiePrevious Tie = "previous"
)

var ties = key.Choices[Tie, func(previous bool) bool]{}.
	With(TieNotTaken, "to the next instruction, as where a count has to exceed a half (figure 9)",
		func(bool) bool { return false }).
	With(TieTaken, "to its target", func(bool) bool { return true }).
	With(TiePrevious, "as the last herded branch of the slot went, which the unit remembers",
		func(previous bool) bool { return previous })

// Words lists the valid values.
func (Tie) Words() key.Words { return ties.Words() }

// Majority is the logic that herds a branch: all active lanes take the direction that most of them
// want. The source is Sartori & Kumar, Branch and Data Herding, section III-B. An SM has one. It
// works in the time in which a normal branch tests the mask for all zeros or all ones.
//
//	taken & active --> count --> x2 --> compare --> direction
//	active ----------> count ---------> |
type Majority struct {
	tie func(previous bool) bool
}

// NewMajority makes the logic. It returns an error for an unknown rule.
func NewMajority(t Tie) (Majority, error) {
	tie, err := ties.Of(t)
	return Majority{tie}, err
}

// Taken reports whether a herded branch is taken. The first argument has the lanes that want to
// take it. Only TiePrevious uses the previous direction, and only for a tie.
func (m *Majority) Taken(taken, active uint64, previous bool) bool {
	yes, all := bits.OnesCount64(taken&active), bits.OnesCount64(active)
	if 2*yes == all {
		return m.tie(previous)
	}
	return 2*yes > all
}

// majorityLogic lists the counters and the comparators behind them, for the given number of lanes.
func majorityLogic(lanes int) []Logic {
	full, half := counter(lanes)
	return []Logic{
		{FullAdder, 1, 2 * full},
		{HalfAdder, 1, 2 * half},
		{LessThan, bits.Len(uint(lanes)) + 1, 1},
		{Equality, bits.Len(uint(lanes)) + 1, 1},
	}
}

// counter returns the number of adders that count n bits. A full adder turns three bits of one
// weight into one of that weight and one of twice the weight. A half adder does the same for the
// last two bits.
func counter(n int) (full, half int) {
	for n > 1 {
		f, h := (n-1)/2, (n+1)%2
		full, half = full+f, half+h
		n = f + h
	}
	return full, half
}
