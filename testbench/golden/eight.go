package golden

import (
	"math"

	"divergo/isa"
)

// Numbers of 8 bits are e4m3 and e5m2, two in a register (PTX ISA 8.1, cvt). A number is looked up
// among all numbers of the format.

func eightBits(t isa.Type) bool { return t == isa.E4M3x2 || t == isa.E5M2x2 }

// eights are the finite non-negative numbers of the formats, by their codes.
var eights = map[isa.Type][]float64{
	isa.E4M3x2: numbers(shape{fraction: 3, least: -6}, 0x7E),
	isa.E5M2x2: numbers(shape{fraction: 2, least: -14}, 0x7B),
}

func numbers(s shape, largest uint64) (list []float64) {
	for u := range largest + 1 {
		list = append(list, s.number(u))
	}
	return list
}

// convertEights computes cvt to or from numbers of 8 bits. The first of two sources becomes the
// upper half.
func (v *values) convertEights(in *isa.Inst) {
	if eightBits(in.Type) {
		var high, low float64
		if in.SrcType == isa.F32 {
			high, low = float64(value32(v.src[0])), float64(value32(v.src[1]))
		} else {
			t := in.SrcType.Element()
			high, low = decodeHalf(t, v.src[0]>>16&0xFFFF), decodeHalf(t, v.src[0]&0xFFFF)
		}
		v.dst[0] = encodeEight(in, high)<<8 | encodeEight(in, low)
		return
	}
	half := func(code uint64) uint64 {
		x := decodeEight(in.SrcType, code&0xFF)
		t := in.Type.Element()
		return finishHalf(in, t, encodeHalf(t, isa.RoundNearest, x))
	}
	v.dst[0] = half(v.src[0]>>8)<<16 | half(v.src[0])
}

// decodeEight returns the number of a code.
func decodeEight(t isa.Type, code uint64) float64 {
	list, sign := eights[t], 1.0
	if code >= 0x80 {
		sign = -1
	}
	switch u := int(code % 0x80); {
	case u < len(list):
		return math.Copysign(list[u], sign)
	case t == isa.E5M2x2 && u == len(list):
		return math.Inf(int(sign))
	}
	return math.NaN()
}

// encodeEight returns the code of the number nearest to x. Of two equally near ones it takes the
// even one; values beyond the range give the largest.
func encodeEight(in *isa.Inst, x float64) uint64 {
	list, sign := eights[in.Type], uint64(0)
	switch {
	case math.IsNaN(x):
		return 0x7F
	case math.Signbit(x):
		if in.Flags&isa.FlagRelu != 0 {
			return 0
		}
		sign, x = 0x80, -x
	}
	low, high := 0, len(list)-1
	for high-low > 1 {
		if middle := (low + high) / 2; list[middle] <= x {
			low = middle
		} else {
			high = middle
		}
	}
	// The middle of two neighbours is exact in float64, and so is x.
	middle := (list[low] + list[high]) / 2
	if x > middle || x == middle && high%2 == 0 {
		low = high
	}
	return sign | uint64(low)
}
