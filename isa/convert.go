package isa

import (
	"math"
	"math/bits"
)

// Conversions (PTX ISA, section 9.7.9, cvt). A conversion reads a lane in the source type and
// rounds or clamps it to the destination type. Then it extends it to the width of the destination
// register.

// extend is the content of a register of the given width, in bits, for a value of type t. Signed
// integers are sign-extended, all others zero-extended. It serves ld and cvt, whose destination
// register may be wider than their type (Inst.DstBits). Bits of v above t are ignored.
func extend(t Type, v uint64, width int) uint64 {
	s := 64 - t.Bits()
	if !t.Signed() {
		return v << s >> s
	}
	w := 64 - max(width, t.Bits())
	return uint64(int64(v)<<s>>s) << w >> w
}

// ExtendAll is Extend for lanes of a row.
func ExtendAll(t Type, row *Row, lanes uint32, width int) {
	s, w := 64-t.Bits(), 64-max(width, t.Bits())
	signed := t.Signed()
	for m := lanes; m != 0; m &= m - 1 {
		v := &row[bits.TrailingZeros32(m)&(RowLanes-1)]
		if signed {
			*v = uint64(int64(*v<<s)>>s) << w >> w
		} else {
			*v = *v << s >> s
		}
	}
}

func (d *datapath) addConversions() {
	integers := []Type{U8, U16, U32, U64, S8, S16, S32, S64}
	floats := []Type{F32, F64}
	for _, to := range integers {
		for _, from := range integers {
			f := form{op: OpCvt, typ: to, src: from}
			d.add(f, intToInt(to, from))
			f.flags = FlagSat
			d.add(f, extended(to, unary(func(a uint64) uint64 { return clampInt(to, from, a) })))
		}
		for _, from := range floats {
			d.addFloatToInt(to, from)
		}
	}
	for _, to := range floats {
		for _, from := range integers {
			d.addIntToFloat(to, from)
		}
		for _, from := range floats {
			d.addFloatToFloat(to, from)
		}
	}
}

// extended completes the kernel k of a conversion to an integer type: a signed result is extended
// through a wider register.
func extended(to Type, k kernel) kernel {
	if !to.Signed() {
		return k
	}
	return func(in *Inst, x *Lanes) {
		k(in, x)
		if int(in.DstBits) > to.Bits() {
			y := *x
			y.Src[0] = x.Dst[0]
			signExtend(&y, to.Bits(), int(in.DstBits))
		}
	}
}

// intToInt keeps the low bits common to both types. The sign is that of the narrower type. It
// extends through the destination type and, if that is signed, through the register.
func intToInt(to, from Type) kernel {
	n := min(to.Bits(), from.Bits())
	if to.Bits() <= from.Bits() && !to.Signed() || to.Bits() > from.Bits() && !from.Signed() {
		return func(_ *Inst, x *Lanes) { zeroExtend(x, n) }
	}
	return func(in *Inst, x *Lanes) {
		width := to.Bits()
		if to.Signed() {
			width = max(width, int(in.DstBits))
		}
		signExtend(x, n, width)
	}
}

func zeroExtend(x *Lanes, n int) {
	mask := ^uint64(0) >> (64 - n)
	f := func(a uint64) uint64 { return a & mask }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}

// signExtend extends n bits to width bits.
func signExtend(x *Lanes, n, width int) {
	s, mask := (64-n)&63, ^uint64(0)>>(64-width)
	f := func(a uint64) uint64 { return uint64(int64(a)<<s>>s) & mask }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}

// clampInt is the value of type to nearest to a (.sat).
func clampInt(to, from Type, a uint64) uint64 {
	v := extend(from, a, 64)
	top := ^uint64(0) >> (64 - to.Bits())
	switch {
	case !from.Signed() || int64(v) >= 0:
		if to.Signed() {
			top >>= 1
		}
		return min(v, top)
	case to.Signed():
		return uint64(max(int64(v), -1<<(to.Bits()-1))) & top
	}
	return 0
}

// integral rounds v to an integer in the direction of an .rni, .rzi, .rmi or .rpi modifier. It
// keeps the sign of zero.
func integral(v float64, mode Round) float64 {
	switch mode {
	case RoundNearestInt:
		return math.RoundToEven(v)
	case RoundZeroInt:
		return math.Trunc(v)
	case RoundDownInt:
		return math.Floor(v)
	case RoundUpInt:
		return math.Ceil(v)
	}
	return v
}

// reader converts a lane of floating-point type from to a float64.
func reader(from Type, flags Flags) func(a uint64) float64 {
	if from == F64 {
		return double
	}
	flush := flusher(flags)
	return func(a uint64) float64 { return float64(float(flush(a))) }
}

func (d *datapath) addFloatToInt(to, from Type) {
	for _, mode := range []Round{RoundNearestInt, RoundZeroInt, RoundDownInt, RoundUpInt} {
		for _, flags := range []Flags{0, FlagSat, FlagFtz, FlagFtz | FlagSat} {
			read := reader(from, flags)
			f := form{op: OpCvt, typ: to, src: from, round: mode, flags: flags}
			k := unary(func(a uint64) uint64 { return toInt(to, from, integral(read(a), mode)) })
			if from == F32 && mode == RoundZeroInt && flags == 0 && to.Bits() == 32 {
				k = truncate(to)
			}
			d.add(f, extended(to, k))
		}
	}
}

// truncate is the conversion of C casts, from f32 to u32 or s32.
func truncate(to Type) kernel {
	low, limit := float32(0), float32(1<<32)
	if to == S32 {
		low, limit = -1<<31, 1<<31
	}
	return func(_ *Inst, x *Lanes) {
		f := func(a uint64) uint64 {
			if v := float(a); v >= low && v < limit {
				return uint64(uint32(int64(v)))
			}
			return toInt(to, F32, float64(float(a)))
		}
		if x.Mask == allLanes {
			x.dense1(f)
		} else {
			x.sparse1(f)
		}
	}
}

// toInt is the value of the integer type to for the integral v, read from type from. An
// out-of-range v gives the nearest value. NaN gives 0 only if neither type has 64 bits, and only
// the sign bit elsewhere (PTX ISA 9.0, cvt, integer notes).
func toInt(to, from Type, v float64) uint64 {
	top := ^uint64(0) >> (64 - to.Bits())
	low, limit := 0.0, math.Ldexp(1, to.Bits())
	if to.Signed() {
		limit /= 2
		low = -limit
	}
	switch {
	case v != v && from != F64 && to.Bits() < 64:
		return 0
	case v != v:
		return 1 << (to.Bits() - 1)
	case v < 0:
		return uint64(int64(max(v, low))) & top
	case v < limit:
		return uint64(v)
	case to.Signed():
		return top >> 1
	}
	return top
}

func (d *datapath) addIntToFloat(to, from Type) {
	for _, mode := range []Round{RoundNearest, RoundZero, RoundDown, RoundUp} {
		convert := func(a uint64) uint64 { return intToFloat(to, from, mode, a) }
		k := unary(convert)
		if mode == RoundNearest {
			k = nearestFloat[form{typ: to, src: from}]
		}
		for _, flags := range []Flags{0, FlagFtz} {
			f := form{op: OpCvt, typ: to, src: from, round: mode, flags: flags}
			d.add(f, k)
			f.flags |= FlagSat
			d.add(f, unary(func(a uint64) uint64 { return saturated(to, convert(a)) }))
		}
	}
}

// nearestFloat holds the conversions with rounding to nearest, which Go computes correctly.
var nearestFloat = map[form]kernel{
	{typ: F32, src: U8}: toFloat32[uint8], {typ: F64, src: U8}: toFloat64[uint8],
	{typ: F32, src: U16}: toFloat32[uint16], {typ: F64, src: U16}: toFloat64[uint16],
	{typ: F32, src: U32}: toFloat32[uint32], {typ: F64, src: U32}: toFloat64[uint32],
	{typ: F32, src: U64}: toFloat32[uint64], {typ: F64, src: U64}: toFloat64[uint64],
	{typ: F32, src: S8}: toFloat32[int8], {typ: F64, src: S8}: toFloat64[int8],
	{typ: F32, src: S16}: toFloat32[int16], {typ: F64, src: S16}: toFloat64[int16],
	{typ: F32, src: S32}: toFloat32[int32], {typ: F64, src: S32}: toFloat64[int32],
	{typ: F32, src: S64}: toFloat32[int64], {typ: F64, src: S64}: toFloat64[int64],
}

func intToFloat(to, from Type, mode Round, a uint64) uint64 {
	n := number{lo: extend(from, a, 64)}
	if from.Signed() && int64(n.lo) < 0 {
		n.neg, n.lo = true, -n.lo
	}
	return n.round(layoutOf(to), mode)
}

func layoutOf(t Type) *layout {
	switch t {
	case F32:
		return &binary32
	case F16:
		return &binary16
	case BF16:
		return &bfloat16
	}
	return &binary64
}

func saturated(t Type, a uint64) uint64 {
	if t == F32 {
		return saturate32f(a)
	}
	return saturate64f(a)
}

func (d *datapath) addFloatToFloat(to, from Type) {
	modes := []Round{RoundNone, RoundNearestInt, RoundZeroInt, RoundDownInt, RoundUpInt}
	if to == F32 && from == F64 {
		modes = []Round{RoundNearest, RoundZero, RoundDown, RoundUp}
	}
	if to == F64 && from == F32 {
		modes = modes[:1]
	}
	for _, mode := range modes {
		for _, flags := range []Flags{0, FlagSat, FlagFtz, FlagFtz | FlagSat} {
			read := reader(from, flags)
			convert := func(a uint64) uint64 { return narrow(to, mode, integral(read(a), mode)) }
			if flags&FlagFtz != 0 && to == F32 {
				exact := convert
				convert = func(a uint64) uint64 {
					if mode == RoundNearest && binary32.below(read(a)) {
						return a >> 32 & binary32.sign
					}
					return flush32(exact(a))
				}
			}
			k := unary(convert)
			if flags&FlagSat != 0 {
				k = unary(func(a uint64) uint64 { return saturated(to, convert(a)) })
			}
			d.add(form{op: OpCvt, typ: to, src: from, round: mode, flags: flags}, k)
		}
	}
}

// narrow is v in the format of to. The mode matters only if f32 cannot hold v.
func narrow(to Type, mode Round, v float64) uint64 {
	switch {
	case to == F64:
		return bits64(v)
	case v == 0 || !finite(v):
		return bits32(float32(v))
	}
	return exactly(v).round(&binary32, mode)
}

func toFloat32[T integer | int8 | uint8](_ *Inst, x *Lanes) {
	f := func(a uint64) uint64 { return uint64(math.Float32bits(float32(T(a)))) }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}

func toFloat64[T integer | int8 | uint8](_ *Inst, x *Lanes) {
	f := func(a uint64) uint64 { return math.Float64bits(float64(T(a))) }
	if x.Mask == allLanes {
		x.dense1(f)
	} else {
		x.sparse1(f)
	}
}
