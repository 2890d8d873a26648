package units

import (
	"fmt"
	"math/bits"

	"divergo/internal/key"
	"divergo/internal/splitmix"
	"divergo/isa"
)

// Permutation places the threads of each warp in lanes, once, when the warp is launched. The source
// is Rhu & Erez, Maximizing SIMD Resource Utilization in GPGPUs with SIMD Lane Permutation, ISCA
// 2013. Thread location l of warp w of a CTA is the thread that sequential placement puts in lane
// l.
type Permutation string

// The permutations.
const (
	Sequential Permutation = "sequential"
	OddEven    Permutation = "odd-even"
	XOROddHalf Permutation = "xor-odd-half"
	FlipOdd    Permutation = "flip-odd"
	RotateOdd  Permutation = "rotate-odd"
	Random     Permutation = "random"
	WID        Permutation = "wid"
	RevWID     Permutation = "rev-wid"
	Balanced   Permutation = "balanced"
	Swizzle    Permutation = "swizzle"
)

// arrangement places the threads of warp w by one of its two functions.
type arrangement struct {
	mask func(w, width int) int                         // the lane is the location, exclusive-or this mask
	row  func(lanes []uint8, w, width int, seed uint64) // sets the lane of each location
}

func xor(mask func(w, width int) int) arrangement { return arrangement{mask: mask} }

func rotated(by func(w int) int) arrangement {
	return arrangement{row: func(lanes []uint8, w, width int, _ uint64) {
		for l := range lanes {
			lanes[l] = uint8((l + by(w)) % width)
		}
	}}
}

// permutations holds every permutation. The texts use location l, W lanes, and w counted modulo W.
var permutations = key.Choices[Permutation, arrangement]{}.
	With(Sequential, "l: as the threads come", xor(func(int, int) int { return 0 })).
	With(OddEven, "l xor 1 in odd warps: neighbours swap places", xor(func(w, _ int) int { return w & 1 })).
	With(XOROddHalf, "l xor W/2 in odd warps: the halves swap places",
		xor(func(w, width int) int { return w & 1 * width / 2 })).
	With(FlipOdd, "W-1-l in odd warps: mirrored", xor(func(w, width int) int { return w & 1 * (width - 1) })).
	With(RotateOdd, "l+1 modulo W in odd warps", rotated(func(w int) int { return w & 1 })).
	With(Random, "another random permutation for each warp",
		arrangement{row: func(lanes []uint8, w, _ int, seed uint64) {
			for l := range lanes {
				lanes[l] = uint8(l)
			}
			shuffle(lanes, seed<<8+uint64(w))
		}}).
	With(WID, "l xor w", xor(func(w, _ int) int { return w })).
	With(RevWID, "l xor w with its bits reversed", xor(func(w, width int) int {
		return int(bits.Reverse32(uint32(w)) >> 1 >> (31 - bits.Len(uint(width-1))))
	})).
	With(Balanced, "l xor w/2 in even warps, xor its complement in odd ones (Rhu & Erez, ISCA 2013, equation 2)",
		xor(func(w, width int) int {
			m := w / 2
			if w&1 != 0 {
				m = ^m & (width - 1)
			}
			return m
		})).
	With(Swizzle, "l+w modulo W (GPGPU-Sim)", rotated(func(w int) int { return w }))

// Permutations lists all permutations.
func Permutations() []Permutation { return permutations.List() }

// Words lists the valid values.
func (Permutation) Words() key.Words { return permutations.Words() }

// Doc describes in one line the lane of thread location l of warp w.
func (p Permutation) Doc() string { return permutations.Doc(p) }

// Masks returns the masks, by warp, of a permutation that exclusive-ors the location with a mask.
// Its hardware is a table: for 32 lanes, 32 masks of 5 bits, 160 bits in an SM. ok is false for
// permutations that need more.
func (p Permutation) Masks(width int) (masks []uint8, ok bool) {
	at, err := permutations.Of(p)
	if err != nil || at.mask == nil {
		return nil, false
	}
	for w := range width {
		masks = append(masks, uint8(at.mask(w, width)))
	}
	return masks, true
}

// Bits returns the bits of storage of a permutation in an SM. This is the table of masks, or a
// table with the lane of each location of each warp.
func (p Permutation) Bits(width int) int {
	lane := bits.Len(uint(width - 1))
	masks, xor := p.Masks(width)
	switch {
	case p == Sequential:
		return 0
	case xor:
		return len(masks) * lane
	}
	return width * width * lane
}

// LaneMap is a permutation of a given width, in the form of a table.
type LaneMap struct {
	width int
	lane  [isa.MaxLanes][isa.MaxLanes]uint8 // by warp, then location
}

// NewLaneMap makes the table for warps of width threads, a power of two up to
// isa.MaxLanes. The seed is for Random only. The error names the nearest
// permutation.
func NewLaneMap(p Permutation, width int, seed uint64) (*LaneMap, error) {
	at, err := permutations.Of(p)
	if err != nil {
		return nil, fmt.Errorf("lane permutation: %w", err)
	}
	m := &LaneMap{width: width}
	for w := range width {
		row := m.lane[w][:width]
		if at.row != nil {
			at.row(row, w, width, seed)
			continue
		}
		for l := range row {
			row[l] = uint8(l ^ at.mask(w, width))
		}
	}
	return m, nil
}

// shuffle permutes list (Fisher and Yates) by the generator SplitMix64.
func shuffle(list []uint8, seed uint64) {
	r := splitmix.Source(seed)
	for i := len(list) - 1; i > 0; i-- {
		k, _ := bits.Mul64(r.Next(), uint64(i+1))
		list[i], list[k] = list[k], list[i]
	}
}

// Lane returns the lane of a location of warp w of a CTA.
func (m *LaneMap) Lane(w, location int) int {
	return int(m.lane[w&(m.width-1)][location])
}

// Place converts a mask indexed by location into one indexed by lane.
func (m *LaneMap) Place(locations *BlockMask) (lanes BlockMask) {
	for l := range m.width {
		for group := locations[l]; group != 0; group &= group - 1 {
			lanes[m.Lane(bits.TrailingZeros64(group), l)] |= group & -group
		}
	}
	return lanes
}
