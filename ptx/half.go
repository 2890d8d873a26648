package ptx

import "divergo/isa"

// Half precision: f16 and bf16, one or two in a register, and tf32 (sections 9.7.4, 9.7.6 and
// 9.7.8.18).

var (
	f16     = typesOf(isa.F16)
	f16x2   = typesOf(isa.F16x2)
	bf16    = typesOf(isa.BF16)
	bf16x2  = typesOf(isa.BF16x2)
	tf32    = typesOf(isa.TF32)
	f16s    = f16 | f16x2
	bf16s   = bf16 | bf16x2
	half16s = f16 | bf16
	eights  = typesOf(isa.E4M3x2, isa.E5M2x2)
)

var (
	toNearest  = defaultsTo("rn", only("rn", rounding))
	nearOrZero = required(only("rn rz", rounding))
	away       = one("rna", round(isa.RoundAway))
	noftz      = one("noftz", ignore)
	relu       = one("relu", flag(isa.FlagRelu))
	satFinite  = one("satfinite", flag(isa.FlagSatFinite))
	clamping   = group{what: "range of results", words: append(sat.words[:1:1], relu.words...)}
)

// halves are the rows of half precision.
var halves = []*family{
	// 9.7.4 half-precision floating point
	row("add", "9.7.4.1", isa.OpAdd, "d a b", types(f16s), toNearest, ftz, sat),
	row("add", "9.7.4.1", isa.OpAdd, "d a b", types(bf16s), toNearest),
	row("sub", "9.7.4.2", isa.OpSub, "d a b", types(f16s), toNearest, ftz, sat),
	row("sub", "9.7.4.2", isa.OpSub, "d a b", types(bf16s), toNearest),
	row("mul", "9.7.4.3", isa.OpMul, "d a b", types(f16s), toNearest, ftz, sat),
	row("mul", "9.7.4.3", isa.OpMul, "d a b", types(bf16s), toNearest),
	row("fma", "9.7.4.4", isa.OpFma, "d a b c", types(f16s), required(toNearest), ftz, clamping),
	row("fma", "9.7.4.4", isa.OpFma, "d a b c", types(bf16s), required(toNearest), relu),
	row("neg", "9.7.4.5", isa.OpNeg, "d a", types(f16s), ftz),
	row("neg", "9.7.4.5", isa.OpNeg, "d a", types(bf16s)),
	row("abs", "9.7.4.6", isa.OpAbs, "d a", types(f16s), ftz),
	row("abs", "9.7.4.6", isa.OpAbs, "d a", types(bf16s)),
	row("min", "9.7.4.7", isa.OpMin, "d a b", types(f16s), ftz, nan, xorsign),
	row("min", "9.7.4.7", isa.OpMin, "d a b", types(bf16s), nan, xorsign),
	row("max", "9.7.4.8", isa.OpMax, "d a b", types(f16s), ftz, nan, xorsign),
	row("max", "9.7.4.8", isa.OpMax, "d a b", types(bf16s), nan, xorsign),
	row("tanh", "9.7.4.9", isa.OpTanh, "d a", types(f16s|bf16s), required(approx)),
	row("ex2", "9.7.4.10", isa.OpEx2, "d a", types(f16s), required(approx)),
	row("ex2", "9.7.4.10", isa.OpEx2, "d a", types(bf16s), required(approx), required(ftz)),

	// 9.7.6 half-precision comparison
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(half16s, b16to64), compareBits, boolean),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(half16s, u16to64), compareUnsigned, boolean),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(half16s, s16to64), compareSigned, boolean),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(f16, f16|f32), compareFloat, boolean, ftz),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(f16, f64), compareFloat, boolean),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(bf16, f16|floats), compareFloat, boolean),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int16s|int32s, f16), compareFloat, boolean, ftz),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(int16s|int32s, bf16), compareFloat, boolean),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(f16x2|int32s, f16x2), compareFloat, boolean, ftz),
	row("set", "9.7.6.1", isa.OpSet, "d a:2 b:2 c:pred?", types(bf16x2|int32s, bf16x2), compareFloat, boolean),
	row("setp", "9.7.6.2", isa.OpSetp, "p|q a b c:pred?", types(f16s), compareFloat, boolean, ftz),
	row("setp", "9.7.6.2", isa.OpSetp, "p|q a b c:pred?", types(bf16s), compareFloat, boolean),

	// 9.7.12 synchronization; no row is without .noftz
	row("atom", "9.7.12.4", isa.OpAtom, "d [a] b", types(f16s|bf16s),
		append(atomic("add"), required(noftz))...).where(checkAtomic),
	row("red", "9.7.12.5", isa.OpRed, "[a] b", types(f16s|bf16s),
		append(atomic("add"), required(noftz))...).where(checkAtomic),

	// 9.7.8 data movement
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(ints8, half16s), required(integerRounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(half16s, ints8), required(rounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(half16s, f32), required(rounding), ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(half16s, f32), nearOrZero, ftz, relu, satFinite).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2 b:2", types(f16x2|bf16x2, f32), nearOrZero, relu, satFinite),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(half16s, f64), required(rounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f16, bf16), required(rounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(bf16, f16), required(rounding), sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f16, f16), integerRounding, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(bf16, bf16), integerRounding, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f32, half16s), ftz, sat).widening(),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(f64, half16s), sat).widening(),
	row("cvt", "9.7.9.21 of 8.5", isa.OpCvt, "d a:2 b:2", types(eights, f32), required(toNearest),
		required(satFinite), relu),
	row("cvt", "9.7.9.21 of 8.5", isa.OpCvt, "d a:2", types(eights, f16x2|bf16x2), required(toNearest),
		required(satFinite), relu),
	row("cvt", "9.7.9.21 of 8.5", isa.OpCvt, "d a:2", types(f16x2, eights), required(toNearest), relu),
	row("cvt", "9.7.9.21 of 8.5", isa.OpCvt, "d a:2", types(bf16x2, eights), required(toNearest), relu, satFinite),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(tf32, f32), required(away), satFinite),
	row("cvt", "9.7.8.18", isa.OpCvt, "d a:2", types(tf32, f32), nearOrZero, relu, satFinite),
}
