package isa

import "math"

// Numbers of 8 bits, two in a register of 16 (PTX ISA 8.1, section 5.2.3 and cvt). e5m2 is the
// upper half of an f16. e4m3 has no infinity, and one NaN of either sign in the place of IEEE 754's
// infinities; its numbers reach 448.
//
// Conversions to these formats require .satfinite: values beyond the largest number, infinity
// included, become that number. NVIDIA leaves the resulting NaN open; here it is 0x7F.

// eight is a format of 8 bits. It holds the layout without infinities and NaN, the code of the
// largest number and, if the format has one, that of infinity.
type eight struct {
	layout
	largest, infinity uint64
}

var (
	e4m3 = eight{layout{fraction: 3, emin: -6, inf: 0x80, nan: nan8, sign: 0x80}, 0x7E, 0x7F}
	e5m2 = eight{layout{fraction: 2, emin: -14, inf: 0x80, nan: nan8, sign: 0x80}, 0x7B, 0x7C}
)

const nan8 = 0x7F

// decode is the number that a code stands for.
func (f *eight) decode(u uint64) float64 {
	magnitude := u & 0x7F
	switch {
	case magnitude <= f.largest:
		return f.value(u)
	case magnitude == f.infinity && f.infinity != nan8:
		return math.Copysign(math.Inf(1), f.value(u))
	}
	return math.NaN()
}

// encode rounds v to nearest even, within the largest numbers.
func (f *eight) encode(v float64, flags Flags) uint64 {
	switch negative := math.Signbit(v); {
	case v != v:
		return nan8
	case negative && flags&FlagRelu != 0:
		return 0
	case negative:
		return f.sign | min(f.nearest(-v), f.largest)
	}
	return min(f.nearest(v), f.largest)
}

// addEights enters cvt to and from numbers of 8 bits.
func (d *datapath) addEights() {
	for typ, f := range map[Type]*eight{E4M3x2: &e4m3, E5M2x2: &e5m2} {
		for _, relu := range []Flags{0, FlagRelu} {
			to := form{op: OpCvt, typ: typ, src: F32, round: RoundNearest, flags: FlagSatFinite | relu}
			d.add(to, binary(func(a, b uint64) uint64 {
				return f.encode(float64(float(a)), relu)<<8 | f.encode(float64(float(b)), relu)
			}))
			for _, pair := range []Type{F16x2, BF16x2} {
				half := layoutOf(pair.Element())
				to.src = pair
				d.add(to, unary(func(a uint64) uint64 {
					return f.encode(half.value(a>>16&0xFFFF), relu)<<8 | f.encode(half.value(a&0xFFFF), relu)
				}))
				saturations := []Flags{0}
				if pair == BF16x2 {
					saturations = []Flags{0, FlagSatFinite}
				}
				for _, sat := range saturations {
					from := form{op: OpCvt, typ: pair, src: typ, round: RoundNearest, flags: relu | sat}
					d.add(from, unary(func(a uint64) uint64 {
						high, low := half.nearest(f.decode(a>>8&0xFF)), half.nearest(f.decode(a&0xFF))
						return half.modify(high, relu|sat)<<16 | half.modify(low, relu|sat)
					}))
				}
			}
		}
	}
}
