package units

import (
	"fmt"
	"math/bits"

	"divergo/internal/key"
	"divergo/internal/nearest"
	"divergo/isa"
)

// Permutation is a way to place the threads of each warp in the lanes, applied
// once when the warp is launched (Rhu & Erez, Maximizing SIMD Resource
// Utilization in GPGPUs with SIMD Lane Permutation, ISCA 2013). Thread location l
// of warp w of its CTA is the one that sequential placement has in lane l.
type Permutation string

// The permutations, W lanes wide, w counted modulo W.
const (
	Sequential Permutation = "sequential"   // l, the common one
	OddEven    Permutation = "odd-even"     // in odd warps neighbours swap places
	XOROddHalf Permutation = "xor-odd-half" // in odd warps the halves do
	FlipOdd    Permutation = "flip-odd"     // odd warps are mirrored
	RotateOdd  Permutation = "rotate-odd"   // odd warps are rotated by a lane
	Random     Permutation = "random"       // another permutation for each warp
	WID        Permutation = "wid"          // l xor w
	RevWID     Permutation = "rev-wid"      // l xor w with its bits reversed
	Balanced   Permutation = "balanced"     // equation 2 of the paper
	Swizzle    Permutation = "swizzle"      // rotated by w lanes (GPGPU-Sim)
)

// Permutations lists all.
func Permutations() []Permutation {
	return []Permutation{Sequential, OddEven, XOROddHalf, FlipOdd, RotateOdd, Random, WID, RevWID, Balanced, Swizzle}
}

// Words lists the valid values.
func (Permutation) Words() []string { return key.Words(Permutations()...) }

// Doc is a line on where thread location l of warp w goes.
func (p Permutation) Doc() string {
	switch p {
	case Sequential:
		return "l: as the threads come"
	case OddEven:
		return "l xor 1 in odd warps: neighbours swap places"
	case XOROddHalf:
		return "l xor W/2 in odd warps: the halves swap places"
	case FlipOdd:
		return "W-1-l in odd warps: mirrored"
	case RotateOdd:
		return "l+1 modulo W in odd warps"
	case Random:
		return "another random permutation for each warp"
	case WID:
		return "l xor w"
	case RevWID:
		return "l xor w with its bits reversed"
	case Balanced:
		return "l xor w/2 in even warps, xor its complement in odd ones (Rhu & Erez, ISCA 2013, equation 2)"
	case Swizzle:
		return "l+w modulo W (GPGPU-Sim)"
	}
	return ""
}

// Masks is the hardware of a permutation that exclusive-ors the location with a
// mask, by warp: for 32 lanes a table of 32 masks of 5 bits, 160 bits for an SM.
// ok is false for those that need more than that.
func (p Permutation) Masks(width int) (masks []uint8, ok bool) {
	for w := range width {
		m, odd := 0, w&1
		switch p {
		case Sequential:
		case OddEven:
			m = odd
		case XOROddHalf:
			m = odd * width / 2
		case FlipOdd:
			m = odd * (width - 1)
		case WID:
			m = w
		case RevWID:
			m = int(bits.Reverse32(uint32(w)) >> 1 >> (31 - bits.Len(uint(width-1))))
		case Balanced:
			if m = w / 2; odd != 0 {
				m = ^m & (width - 1)
			}
		default:
			return nil, false
		}
		masks = append(masks, uint8(m))
	}
	return masks, true
}

// Bits is the storage of an SM for a permutation: the table of masks, or one of
// the lane of each location of each warp.
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

// LaneMap is a permutation of a given width, as a table.
type LaneMap struct {
	width int
	lane  [isa.MaxLanes][isa.MaxLanes]uint8 // by warp, then location
}

// NewLaneMap makes the table for warps of width threads, a power of two up to
// isa.MaxLanes. The seed is for Random only. The error names the nearest
// permutation.
func NewLaneMap(p Permutation, width int, seed uint64) (*LaneMap, error) {
	m := &LaneMap{width: width}
	masks, xor := p.Masks(width)
	for w := range width {
		for l := range width {
			switch {
			case xor:
				m.lane[w][l] = uint8(l) ^ masks[w]
			case p == RotateOdd:
				m.lane[w][l] = uint8((l + w&1) % width)
			case p == Swizzle:
				m.lane[w][l] = uint8((l + w) % width)
			case p == Random:
				m.lane[w][l] = uint8(l)
			default:
				var names []string
				for _, known := range Permutations() {
					names = append(names, string(known))
				}
				return nil, fmt.Errorf("lane permutation: %w", nearest.Unknown("value", string(p), names))
			}
		}
		if p == Random {
			shuffle(m.lane[w][:width], seed<<8+uint64(w))
		}
	}
	return m, nil
}

// shuffle permutes list (Fisher and Yates) by the generator SplitMix64 (Steele
// et al., OOPSLA 2014).
func shuffle(list []uint8, state uint64) {
	for i := len(list) - 1; i > 0; i-- {
		state += 0x9e37_79b9_7f4a_7c15
		z := state
		z = (z ^ z>>30) * 0xbf58_476d_1ce4_e5b9
		z = (z ^ z>>27) * 0x94d0_49bb_1331_11eb
		k, _ := bits.Mul64(z^z>>31, uint64(i+1))
		list[i], list[k] = list[k], list[i]
	}
}

// Lane is the lane of a location of warp w of a CTA.
func (m *LaneMap) Lane(w, location int) int {
	return int(m.lane[w&(m.width-1)][location])
}

// Place moves the threads of a mask that is given by location to their lanes.
func (m *LaneMap) Place(locations *BlockMask) (lanes BlockMask) {
	for l := range m.width {
		for group := locations[l]; group != 0; group &= group - 1 {
			lanes[m.Lane(bits.TrailingZeros64(group), l)] |= group & -group
		}
	}
	return lanes
}
