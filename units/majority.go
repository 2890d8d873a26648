package units

import (
	"math/bits"

	"divergo/internal/key"
)

// Tie is where a herded branch goes if as many lanes want to take it as not.
type Tie string

// The ways.
const (
	TieNotTaken Tie = "not-taken"
	TieTaken    Tie = "taken"
	TiePrevious Tie = "previous"
)

var ties = key.Choices[Tie, func(previous bool) bool]{}.
	With(TieNotTaken, "to the next instruction, as where a count has to exceed a half (figure 9)", func(bool) bool { return false }).
	With(TieTaken, "to its target", func(bool) bool { return true }).
	With(TiePrevious, "as the last herded branch of the slot went, which the unit remembers", func(previous bool) bool { return previous })

// Words lists the valid values.
func (Tie) Words() key.Words { return ties.Words() }

// Majority is the logic that herds a branch: all active lanes go where most of them
// want to. It is there once in an SM, and works in the time that the normal branch
// takes to find out whether the mask is all zeros or all ones (Sartori & Kumar,
// section III-B).
//
//	taken & active --> count --> x2 --> compare --> direction
//	active ----------> count ---------> |
type Majority struct {
	tie func(previous bool) bool
}

// NewMajority makes the logic. The error is about an unknown tie.
func NewMajority(t Tie) (Majority, error) {
	tie, err := ties.Of(t)
	return Majority{tie}, err
}

// Taken reports whether the branch is taken, of which the active lanes among taken
// want to. The previous direction counts where a tie goes by it.
func (m *Majority) Taken(taken, active uint32, previous bool) bool {
	yes, all := bits.OnesCount32(taken&active), bits.OnesCount32(active)
	if 2*yes == all {
		return m.tie(previous)
	}
	return 2*yes > all
}

// majorityLogic is the counters and the comparators behind them, for so many lanes.
func majorityLogic(lanes int) []Logic {
	full, half := counter(lanes)
	return []Logic{
		{FullAdder, 1, 2 * full},
		{HalfAdder, 1, 2 * half},
		{LessThan, bits.Len(uint(lanes)) + 1, 1},
		{Equality, bits.Len(uint(lanes)) + 1, 1},
	}
}

// counter is how many adders count n bits: of three bits of a weight a full adder
// makes one of that weight and one of twice as much, of the last two a half adder.
func counter(n int) (full, half int) {
	for n > 1 {
		f, h := (n-1)/2, (n+1)%2
		full, half = full+f, half+h
		n = f + h
	}
	return full, half
}
