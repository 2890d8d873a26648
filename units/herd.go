package units

import (
	"divergo/internal/key"
	"divergo/isa"
)

// HerdConfig describes the herding hardware (Sartori & Kumar, Branch and Data Herding, 2012). It
// also selects instructions to herd in addition to the marked ones.
type HerdConfig struct {
	Enable         bool     `toml:"enable" doc:"herd what is marked .hrd; false: a machine without the hardware, to which the mark means nothing" source:"herding: section III-B"`
	Tie            Tie      `toml:"tie" doc:"where a herded branch goes if as many lanes want to take it as not" source:"herding: figure 9"`
	BranchLatency  int      `toml:"branch_latency" range:"0..100" unit:"core cycles" doc:"that a herded branch stays in the majority unit behind the pipe" source:"herding: section III-B"`
	Load           HerdLoad `toml:"load" doc:"what the lanes of a herded load read" source:"herding: section IV"`
	LoadLatency    int      `toml:"load_latency" range:"0..100" unit:"core cycles" doc:"that a herded load stays in front of the coalescer" source:"herding: section VI"`
	HalfWarp       bool     `toml:"half_warp" doc:"each 16 lanes have a block of their own, as compute capability 1.x coalesces" source:"herding: section IV"`
	BranchFraction int      `toml:"branch_fraction" range:"0..100" unit:"percent" doc:"of a kernel's conditional branches that are herded besides those marked, drawn by herd.seed" source:"herding: figures 3 and 4"`
	LoadFraction   int      `toml:"load_fraction" range:"0..100" unit:"percent" doc:"of a kernel's loads that are herded besides those marked, drawn by herd.seed" source:"herding: figure 6"`
	Seed           int      `toml:"seed" range:"0..2147483647" doc:"of the draw of herd.branch_fraction and herd.load_fraction; with the same seed a larger fraction has all of a smaller one" source:"ours"`
}

// DefaultHerd returns the configuration of the paper.
func DefaultHerd() HerdConfig {
	return HerdConfig{Enable: true, Tie: TieNotTaken, Load: HerdPopular, Seed: 1}
}

// HerdPart is a part of the herding hardware of an SM, for the cost report.
type HerdPart struct {
	Name, Doc string
	Bits      func(c *HerdConfig, slots int) int // bits of storage for the given number of slots
	Logic     func(lanes int) []Logic
}

// HerdParts lists the parts of the herding hardware.
func HerdParts() []HerdPart {
	return []HerdPart{
		{
			"guard", "counts herded instructions up to a threshold, at issue",
			func(*HerdConfig, int) int { return 2 * 32 }, func(int) []Logic {
				return []Logic{
					{Adder, 32, 1},
					{LessThan, 32, 1},
				}
			},
		},
		{"majority", "sends a branch where most lanes want to go, behind the ALU", func(c *HerdConfig, slots int) int {
			if c.Tie == TiePrevious {
				return slots
			}
			return 0
		}, majorityLogic},
		{
			"popular", "finds the block that most lanes of a load read, in front of the coalescer",
			func(*HerdConfig, int) int { return 0 }, popularLogic,
		},
	}
}

// HerdLoad selects the data that the lanes of a herded load read.
type HerdLoad string

// The choices for a herded load.
const (
	HerdPopular HerdLoad = "popular"
	HerdFirst   HerdLoad = "first"
)

// redirect gives lanes of a load new addresses. A block has the given number of bytes.
type redirect func(addr *[isa.RowLanes]uint64, lanes uint32, block uint64)

var herdLoads = key.Choices[HerdLoad, redirect]{}.
	With(HerdPopular, "the block that most of them read, each at its own place in it (section IV)", popular).
	With(HerdFirst, "the address of the lowest lane (section II-B, figures 6 to 8)", first)

// Words lists the valid values.
func (HerdLoad) Words() key.Words { return herdLoads.Words() }
