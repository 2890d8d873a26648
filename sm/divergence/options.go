package divergence

import (
	"cmp"
	"math/bits"

	"divergo/internal/key"
)

// Options are the configuration of the mechanisms. An empty path order means that of the default
// machine; the configuration's Check rejects it.
type Options struct {
	Mechanism string    `toml:"mechanism" doc:"reconvergence mechanism; \"divergo list mechanisms\" describes them" source:"tbc: table 2"`
	PathOrder PathOrder `toml:"path_order" doc:"which path of a divergent branch runs first" source:"tbc: figures 7 and 10"`

	// Own holds the parameters of single mechanisms, divergence.NAME.PARAM.
	Own key.Declared
}

// First returns the function of the path order.
func (o Options) First() First { return pathOrders.Must(cmp.Or(o.PathOrder, TakenFirst)) }

// PathOrder is the rule for which path of a divergent branch runs first.
type PathOrder string

// The path orders.
const (
	TakenFirst      PathOrder = "taken"
	NotTakenFirst   PathOrder = "not-taken"
	MajorityFirst   PathOrder = "majority"
	MinorityFirst   PathOrder = "minority"
	HighestLaneLast PathOrder = "highest-lane-last"
)

// First reports whether the taken path of a divergent branch runs first.
type First func(taken, not Crowd) bool

// Crowd is the threads of a path.
type Crowd struct {
	Threads int
	Lanes   uint64 // lanes of these threads
}

// Taken is First for two sets of lanes of one warp.
func (f First) Taken(taken, not uint64) bool {
	return f(Crowd{bits.OnesCount64(taken), taken}, Crowd{bits.OnesCount64(not), not})
}

// Smaller is the function of MinorityFirst.
func Smaller(taken, not Crowd) bool { return taken.Threads <= not.Threads }

// pathOrders are all path orders.
var pathOrders = key.Choices[PathOrder, First]{}.
	With(TakenFirst, "the taken path (Fung & Aamodt, HPCA 2011, figures 7 and 10)",
		func(_, _ Crowd) bool { return true }).
	With(NotTakenFirst, "the path behind the branch", func(_, _ Crowd) bool { return false }).
	With(MajorityFirst, "more threads; on a tie the taken path",
		func(taken, not Crowd) bool { return taken.Threads >= not.Threads }).
	With(MinorityFirst, "fewer threads, which bounds the depth by the logarithm of all; on a tie the taken path",
		Smaller).
	With(HighestLaneLast, "the path without the highest lane",
		func(taken, not Crowd) bool { return bits.Len64(taken.Lanes) < bits.Len64(not.Lanes) })

// Words lists the valid values.
func (PathOrder) Words() key.Words { return pathOrders.Words() }
