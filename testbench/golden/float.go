package golden

import (
	"math"

	"divergo/isa"
)

// This is the NaN that instructions return. The manual specifies the f32 NaN only for min and max,
// which return this one.
const (
	nan32 = 0x7FFF_FFFF
	nan64 = 0x7FF8_0000_0000_0000
)

func value32(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func value64(a uint64) float64 { return math.Float64frombits(a) }

func bits32(x float32) uint64 {
	if x != x {
		return nan32
	}
	return uint64(math.Float32bits(x))
}

func bits64(x float64) uint64 {
	if x != x {
		return nan64
	}
	return math.Float64bits(x)
}

// flush replaces a subnormal f32 by a zero of the same sign, if in has .ftz.
func flush(in *isa.Inst, a uint64) uint64 {
	if in.Flags&isa.FlagFtz != 0 && a&0x7F80_0000 == 0 {
		return a & 0x8000_0000
	}
	return a
}

// saturate clamps a result of type t to [0, 1], if in has .sat. NaN and everything not above 0
// becomes +0.
func saturate(in *isa.Inst, t isa.Type, a uint64) uint64 {
	if in.Flags&isa.FlagSat == 0 {
		return a
	}
	x, one := value64(a), bits64(1)
	if t == isa.F32 {
		x, one = float64(value32(a)), bits32(1)
	}
	switch {
	case x >= 1:
		return one
	case x > 0:
		return a
	}
	return 0
}

// float computes floating-point arithmetic (PTX ISA, section 9.7.3).
func (v *values) float(in *isa.Inst) bool {
	a, b, c := v.src[0], v.src[1], v.src[2]
	if in.Op == isa.OpCopysign { // a is the sign, b the value: only bits move
		sign := uint64(1) << (in.Type.Bits() - 1)
		v.dst[0] = cut(in.Type, b&^sign|a&sign)
		return true
	}
	switch in.Type {
	case isa.F64:
		return v.float64(in, a, b, c)
	case isa.F32x2:
		return v.floatPair(in)
	}
	a, b, c = flush(in, a), flush(in, b), flush(in, c)
	d, ok := simple32(in, a, b)
	if !ok {
		if d, ok = approximate32(in, value32(a), value32(b)); !ok {
			if d, ok = rounded(in, isa.F32, float64(value32(a)), float64(value32(b)), float64(value32(c))); !ok {
				return false
			}
		}
	}
	v.dst[0] = saturate(in, isa.F32, flush(in, d))
	return true
}

// floatPair computes an instruction on two f32 as two on one.
func (v *values) floatPair(in *isa.Inst) bool {
	single := isa.Inst{Op: in.Op, Type: isa.F32, Round: in.Round, Flags: in.Flags}
	v.dst[0] = 0
	for h := 0; h < 64; h += 32 {
		var one values
		for i := range in.NSrc {
			one.src[i] = v.src[i] >> h & 0xFFFF_FFFF
		}
		if !one.float(&single) {
			return false
		}
		v.dst[0] |= one.dst[0] << h
	}
	return true
}

func (v *values) float64(in *isa.Inst, a, b, c uint64) bool {
	d, ok := simple64(in, a, b)
	if !ok {
		if d, ok = approximate64(in, a); !ok {
			if d, ok = rounded(in, isa.F64, value64(a), value64(b), value64(c)); !ok {
				return false
			}
		}
	}
	v.dst[0] = saturate(in, isa.F64, d)
	return true
}

// simple32 computes the f32 operations that do not round.
func simple32(in *isa.Inst, a, b uint64) (uint64, bool) {
	switch in.Op {
	case isa.OpAbs:
		return bits32(value32(a &^ (1 << 31))), true
	case isa.OpNeg:
		return bits32(value32(a ^ 1<<31)), true
	case isa.OpMin, isa.OpMax:
		return bits32(float32(extremeBy(in, float64(value32(a)), float64(value32(b))))), true
	}
	return 0, false
}

// simple64 computes the f64 operations that do not round. By the manual, abs and neg pass NaN
// unchanged.
func simple64(in *isa.Inst, a, b uint64) (uint64, bool) {
	switch in.Op {
	case isa.OpAbs:
		if math.IsNaN(value64(a)) {
			return a, true
		}
		return a &^ (1 << 63), true
	case isa.OpNeg:
		if math.IsNaN(value64(a)) {
			return a, true
		}
		return a ^ 1<<63, true
	case isa.OpMin, isa.OpMax:
		d, _ := extreme(in.Op, value64(a), value64(b))
		return bits64(d), true
	}
	return 0, false
}

// extreme returns the smaller or larger of a and b, where -0 is smaller than +0. If only one of
// them is a number, it returns that one.
func extreme(op isa.Op, a, b float64) (d float64, nan bool) {
	smaller := a < b || a == b && math.Signbit(a)
	switch {
	case math.IsNaN(a):
		return b, math.IsNaN(b)
	case math.IsNaN(b):
		return a, false
	case smaller == (op == isa.OpMin):
		return a, false
	}
	return b, false
}

// extremeBy is extreme with the modifiers of in. With .NaN, a NaN operand gives NaN. With
// .xorsign.abs the magnitudes are compared, and a numeric result has the sign of the product.
func extremeBy(in *isa.Inst, a, b float64) float64 {
	negative := math.Signbit(a) != math.Signbit(b)
	if in.Flags&isa.FlagXorSign != 0 {
		a, b = math.Abs(a), math.Abs(b)
	}
	d, _ := extreme(in.Op, a, b)
	switch {
	case math.IsNaN(d), in.Flags&isa.FlagNaN != 0 && (math.IsNaN(a) || math.IsNaN(b)):
		return math.NaN()
	case in.Flags&isa.FlagXorSign != 0 && negative:
		return -d
	}
	return d
}

// approximate32 computes the .approx and .full forms of f32 with the functions of package isa.
func approximate32(in *isa.Inst, a, b float32) (uint64, bool) {
	approx := in.Flags&isa.FlagApprox != 0
	full := in.Flags&isa.FlagFull != 0
	plain := in.Round == isa.RoundNone && !full // an old form without modifiers
	switch {
	case in.Op == isa.OpSin:
		return bits32(isa.SinApprox(a)), true
	case in.Op == isa.OpCos:
		return bits32(isa.CosApprox(a)), true
	case in.Op == isa.OpLg2:
		return bits32(isa.Lg2Approx(a)), true
	case in.Op == isa.OpTanh:
		return bits32(isa.TanhApprox(a)), true
	case in.Op == isa.OpEx2:
		return bits32(isa.Ex2Approx(a)), true
	case in.Op == isa.OpRsqrt:
		return bits32(isa.RsqrtApprox(a)), true
	case in.Op == isa.OpRcp && (approx || plain):
		return bits32(isa.RcpApprox(a)), true
	case in.Op == isa.OpSqrt && (approx || plain):
		return bits32(isa.SqrtApprox(a)), true
	case in.Op == isa.OpDiv && full:
		return bits32(isa.DivFull(a, b)), true
	case in.Op == isa.OpDiv && (approx || plain):
		return bits32(isa.DivApprox(a, b)), true
	}
	return 0, false
}

// approximate64 computes the .approx forms of f64.
func approximate64(in *isa.Inst, a uint64) (uint64, bool) {
	ftz := in.Flags&isa.FlagFtz != 0
	switch {
	case in.Op == isa.OpRsqrt && ftz:
		return isa.RsqrtCoarse64(a), true
	case in.Op == isa.OpRsqrt:
		return bits64(isa.RsqrtApprox64(value64(a))), true
	case in.Op == isa.OpRcp && ftz:
		return isa.RcpCoarse64(a), true
	}
	return 0, false
}
