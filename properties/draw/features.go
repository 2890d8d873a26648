package draw

import (
	"fmt"
	"math/bits"
	"strings"

	"divergo/internal/nearest"
)

// Features are optional parts of kernels, besides arithmetic, If and private words. Each kernel has
// a random subset of the requested features, because the absence of a feature can reveal bugs too
// (Groce et al., Swarm Testing, ISSTA 2012).
type Features uint64

// The features.
const (
	Loops Features = 1 << iota
	Breaks
	Continues
	Switches
	Gotos
	Exits
	Barriers
	Shared
	Exchange
	Loads
	Locals
	Atomics
	Guards
	Floats
	Doubles
	Divisions
	Tallies
	Outlines     // arms after the end of the kernel
	Ladders      // nested Ifs, as deep as a warp can diverge
	Solids       // blocks and grids in more than one dimension
	Calls        // of device functions
	Pointers     // calls by address, with a different function for each thread
	Recursions   // functions that call themselves or their callers
	Votes        // votes and the other exchanges among threads of a warp
	Numbers      // barriers of several numbers, with counts, and reducing ones
	Vectors      // vector loads and stores
	Generics     // generic addresses
	Backwards    // backward gotos
	Lanes        // branches on the number of the lane
	Widths       // loads and stores of bytes, half words and double words, signed and unsigned
	Orders       // volatile accesses, those with a memory order or a cache operator, fences
	Swaps        // atomics whose result is used
	Repeats      // launches on the memory of the one before
	Larges       // blocks as large as the machine holds, and grids of hundreds
	Opcodes      // rare opcodes
	Meetings     // barriers of some warps of a CTA, at which some only arrive
	Aparts       // barriers that the threads of a warp reach apart
	Gathers      // votes that threads of a warp reach apart, while others exit
	Counts       // votes of the threads that happen to be together
	Copies       // from global to shared memory, asynchronously
	Tables       // branches with a table of targets
	Parameters   // parameters and results of functions
	Shorts       // addresses of 32 bits
	Dynamics     // shared memory whose size the launch gives
	Edges        // an access across the end of an allocation
	Races        // two branches of a warp with outcomes in flight at the same time
	Messages     // messages between CTAs within a launch
	Specials     // operands at the edges of their types
	Herds        // herded branches and loads
	Anywhere     // barriers, votes and exits where the golden model allows them
	Rushes       // short CTAs that begin and end while others branch and wait
	Depths       // deep calls, many groups of copies, odd frames
	Textures     // reads of an image
	everyFeature = 1<<iota - 1
)

// AllFeatures are drawn unless others are asked for. Kernels of Anywhere and Rushes are left out: some
// of them are not legal under every mechanism.
const AllFeatures = everyFeature &^ (Anywhere | Rushes)

var featureNames = [...]string{
	"loops", "breaks", "continues", "switches", "gotos", "exits", "barriers", "shared", "exchange", "loads",
	"locals", "atomics", "guards", "floats", "doubles", "divisions", "tallies", "outlines", "ladders", "solids",
	"calls", "pointers", "recursions", "votes", "numbers", "vectors", "generics", "backwards",
	"lanes", "widths", "orders", "swaps", "repeats", "larges",
	"opcodes", "meetings", "aparts", "gathers", "counts", "copies", "tables", "parameters", "shorts", "dynamics",
	"edges", "races", "messages", "specials", "herds", "anywhere", "rushes", "depths", "textures",
}

// FeatureNames lists the features in order.
func FeatureNames() []string { return featureNames[:] }

// String lists the features of f.
func (f Features) String() string {
	var names []string
	for i, n := range featureNames {
		if f>>i&1 != 0 {
			names = append(names, n)
		}
	}
	return strings.Join(names, ",")
}

// Flag returns a text that ParseFeatures reads as f: its features, or the missing ones if they are
// fewer.
func (f Features) Flag() string {
	count := func(f Features) int { return bits.OnesCount64(uint64(f)) }
	if missing := AllFeatures &^ f; f&^AllFeatures == 0 && count(missing) < count(f) {
		return "-" + strings.ReplaceAll(missing.String(), ",", ",-")
	}
	return f.String()
}

// ParseFeatures reads a list of names. With a - before each name it returns all features except
// those.
func ParseFeatures(list string) (Features, error) {
	var named, without Features
	for name := range strings.SplitSeq(list, ",") {
		set := &named
		name, minus := strings.CutPrefix(strings.TrimSpace(name), "-")
		if minus {
			set = &without
		}
		at := -1
		for i, n := range featureNames {
			if n == name {
				at = i
			}
		}
		if at < 0 {
			return 0, nearest.Unknown("feature", name, featureNames[:])
		}
		*set |= 1 << at
	}
	if named == 0 {
		named = AllFeatures
	}
	if f := named &^ without; f != 0 {
		return f, nil
	}
	return 0, fmt.Errorf("%q leaves no feature", list)
}
