package sm

import (
	"math/bits"

	"divergo/isa"
	"divergo/units"
)

// placement maps the threads of a CTA to lanes. Each warp has its own permutation and keeps it (Rhu
// & Erez, ISCA 2013, section 4). Registers, masks and divergence hardware use lanes only. A thread
// sees its location before the permutation, in %laneid and the lane masks, as programs expect.
// Slices are indexed by warp of a CTA.
type placement struct {
	permutation *units.LaneMap
	tids        [][isa.MaxLanes]uint64 // x | y<<16 | z<<32 of each lane's thread
	locations   [][isa.MaxLanes]uint8  // of each lane's thread
	places      [][isa.MaxLanes]uint8  // lane of each location
	straight    []bool                 // every thread is in the lane of its location
	masks       []uint64               // lanes that have a thread
}

// place assigns the threads of a kernel's CTA to lanes.
func (c *Config) place(k *Kernel) (placement, error) {
	lanes := c.Lanes
	if k.Prog.NoLanePermutation {
		lanes = units.Sequential
	}
	m, err := units.NewLaneMap(lanes, c.WarpSize, 0)
	if err != nil {
		return placement{}, err
	}
	warps := (k.Threads() + c.WarpSize - 1) / c.WarpSize
	p := placement{
		permutation: m, tids: make([][isa.MaxLanes]uint64, warps),
		locations: make([][isa.MaxLanes]uint8, warps), places: make([][isa.MaxLanes]uint8, warps),
		straight: make([]bool, warps), masks: make([]uint64, warps),
	}
	for w := range warps {
		p.straight[w] = true
		for location := range c.WarpSize {
			lane := m.Lane(w, location)
			p.places[w][location] = uint8(lane)
			p.straight[w] = p.straight[w] && lane == location
		}
	}
	for t := range k.Threads() {
		x := uint32(t) % k.Block[0]
		y := uint32(t) / k.Block[0] % k.Block[1]
		z := uint32(t) / k.Block[0] / k.Block[1]
		w, location := t/c.WarpSize, t%c.WarpSize
		lane := m.Lane(w, location)
		p.tids[w][lane] = uint64(x) | uint64(y)<<16 | uint64(z)<<32
		p.locations[w][lane] = uint8(location)
		p.masks[w] |= 1 << lane
	}
	return p, nil
}

// toLanes returns the lanes of a set of locations of a warp.
func (p *placement) toLanes(warp int, locations uint64) (lanes uint64) {
	if p.straight[warp] {
		return locations
	}
	for m := p.masks[warp]; m != 0; m &= m - 1 {
		lane := bits.TrailingZeros64(m) & (isa.MaxLanes - 1)
		lanes |= locations >> p.locations[warp][lane] & 1 << lane
	}
	return lanes
}

// toLocations returns the locations of those of the given lanes that have threads.
func (p *placement) toLocations(warp int, lanes uint64) (locations uint64) {
	if p.straight[warp] {
		return lanes
	}
	for m := lanes & p.masks[warp]; m != 0; m &= m - 1 {
		locations |= 1 << p.locations[warp][bits.TrailingZeros64(m)&(isa.MaxLanes-1)]
	}
	return locations
}

// Lane returns the lane of a thread, given its warp in the CTA and its location. The linear number
// of the thread is warp*WarpSize+location.
func (s *SM) Lane(warp, location int) int { return s.l.permutation.Lane(warp, location) }
