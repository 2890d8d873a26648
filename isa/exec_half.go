package isa

import "math/bits"

// Arithmetic, comparison and conversion of f16 and bf16, one or two in a register (PTX ISA,
// sections 9.7.4, 9.7.6 and 9.7.8.18).

func (d *datapath) addHalves() {
	for _, t := range []Type{F16, F16x2, BF16, BF16x2} {
		d.addHalf(t)
		d.addHalfCompares(t)
	}
	for _, to := range []Type{F16, BF16} {
		d.addHalfConversions(to)
	}
	for _, mode := range []Round{RoundAway, RoundNearest, RoundZero} {
		for _, flags := range []Flags{0, FlagSatFinite, FlagRelu, FlagSatFinite | FlagRelu} {
			if mode == RoundAway && flags&FlagRelu != 0 {
				continue
			}
			d.add(form{op: OpCvt, typ: TF32, src: F32, round: mode, flags: flags}, unary(func(a uint64) uint64 {
				u := tfloat32.modify(tfloat32.toward(mode, float64(float(a))), flags)
				if u == tfloat32.nan {
					return nan32
				}
				return u << tf32Shift
			}))
		}
	}
}

// choices lists all subsets of flags.
func choices(flags ...Flags) []Flags {
	sets := []Flags{0}
	for _, f := range flags {
		for _, s := range sets {
			sets = append(sets, s|f)
		}
	}
	return sets
}

// addHalf enters the arithmetic of t.
func (d *datapath) addHalf(t Type) {
	f := layoutOf(t.Element())
	add := func(op Op, mode Round, flags Flags, compute func(a, b, c uint64) uint64) {
		if flags&FlagSat != 0 && flags&FlagRelu != 0 {
			return
		}
		once := func(a, b, c uint64) uint64 {
			if flags&FlagFtz != 0 {
				a, b, c = f.flush(a), f.flush(b), f.flush(c)
			}
			d := compute(a, b, c)
			if flags&FlagFtz != 0 && (op == OpMul || op == OpFma) && f.vanishes(d, a, b, c) {
				d &= f.sign
			}
			return f.modify(d, flags)
		}
		if t != t.Element() {
			single := once
			once = func(a, b, c uint64) uint64 {
				return single(a&0xFFFF, b&0xFFFF, c&0xFFFF) | single(a>>16, b>>16, c>>16)<<16
			}
		}
		k := ternary(once)
		switch op {
		case OpAbs, OpNeg, OpEx2, OpTanh:
			k = unary(func(a uint64) uint64 { return once(a, 0, 0) })
		case OpAdd, OpSub, OpMul, OpMin, OpMax:
			k = binary(func(a, b uint64) uint64 { return once(a, b, 0) })
		}
		d.add(form{op: op, typ: t, round: mode, flags: flags}, k)
	}
	ftz := []Flags{0}
	if f == &binary16 {
		ftz = []Flags{0, FlagFtz}
	}
	for _, z := range ftz {
		sat := []Flags{0}
		if f == &binary16 {
			sat = []Flags{0, FlagSat}
		}
		for _, s := range sat {
			add(OpAdd, RoundNearest, z|s, func(a, b, _ uint64) uint64 { return f.nearest(f.value(a) + f.value(b)) })
			add(OpSub, RoundNearest, z|s, func(a, b, _ uint64) uint64 { return f.nearest(f.value(a) - f.value(b)) })
			add(OpMul, RoundNearest, z|s, func(a, b, _ uint64) uint64 { return f.nearest(f.value(a) * f.value(b)) })
		}
		for _, s := range append(sat, FlagRelu) {
			add(OpFma, RoundNearest, z|s, func(a, b,
				c uint64,
			) uint64 {
				return f.nearest(fused(f.value(a), f.value(b), f.value(c)))
			})
		}
		for _, m := range choices(FlagNaN, FlagXorSign) {
			for _, op := range []Op{OpMin, OpMax} {
				add(op, RoundNone, z|m, func(a, b, _ uint64) uint64 { return f.extreme(op, m, a, b) })
			}
		}
		add(OpAbs, RoundNone, z, func(a, _, _ uint64) uint64 { return f.canonical(a &^ f.sign) })
		add(OpNeg, RoundNone, z, func(a, _, _ uint64) uint64 { return f.canonical(a ^ f.sign) })
	}
	z := Flags(0)
	if f == &bfloat16 {
		z = FlagFtz
	}
	add(OpEx2, RoundNone, FlagApprox|z,
		func(a, _, _ uint64) uint64 { return f.cut(float64(Ex2Approx(float32(f.value(a))))) })
	add(OpTanh, RoundNone, FlagApprox,
		func(a, _, _ uint64) uint64 { return f.cut(float64(TanhApprox(float32(f.value(a))))) })
}

// halfComparators holds the relations of 16-bit floats. The indices are the type, the register half
// of both operands (0 lower, 1 upper), .ftz and the relation.
var halfComparators = func() (table [BF16x2 + 1][2][2][CmpNan + 1]comparator) {
	for _, t := range []Type{F16, F16x2, BF16, BF16x2} {
		for place := range 2 {
			for z := range 2 {
				f, shift := layoutOf(t.Element()), 16*place
				read := func(u uint64) float64 {
					if u = u >> shift & 0xFFFF; z != 0 {
						u = f.flush(u)
					}
					return f.value(u)
				}
				table[t][place][z] = floatComparators(
					comparing(func(a, b uint64) bool { return read(a) < read(b) }),
					comparing(func(a, b uint64) bool { return read(a) <= read(b) }),
					comparing(func(a, b uint64) bool { return read(a) == read(b) }),
					comparing(func(a, b uint64) bool { x, y := read(a), read(b); return x == x && y == y }))
			}
		}
	}
	return table
}()

// holdsHalf is Lanes.holds for 16-bit floats. place is 1 for the upper halves of the registers.
func (x *Lanes) holdsHalf(in *Inst, place int) uint32 {
	z := 0
	if in.Flags&FlagFtz != 0 {
		z = 1
	}
	return x.relation(&halfComparators[in.compared()][place][z][in.Cmp])
}

func (d *datapath) addHalfCompares(t Type) {
	ftz := []Flags{0}
	if t.Element() == F16 {
		ftz = []Flags{0, FlagFtz}
	}
	for _, flags := range ftz {
		if t == t.Element() {
			d.add(form{op: OpSetp, typ: Pred, src: t, flags: flags}, func(in *Inst, x *Lanes) {
				m := x.holdsHalf(in, 0)
				x.PDst[0] = x.combined(in, m) & x.Mask
				x.PDst[1] = x.combined(in, ^m) & x.Mask
			})
			for _, to := range []Type{U16, S16, U32, S32} {
				d.add(form{op: OpSet, typ: to, src: t, flags: flags}, setHalf(1<<to.Bits()-1))
			}
			continue
		}
		// The second predicate is for the upper halves.
		d.add(form{op: OpSetp, typ: Pred, src: t, flags: flags}, func(in *Inst, x *Lanes) {
			x.PDst[0] = x.combined(in, x.holdsHalf(in, 0)) & x.Mask
			x.PDst[1] = x.combined(in, x.holdsHalf(in, 1)) & x.Mask
		})
		for _, to := range []Type{U32, S32} {
			d.add(form{op: OpSet, typ: to, src: t, flags: flags}, setHalves(0xFFFF))
		}
		d.add(form{op: OpSet, typ: t, src: t, flags: flags}, setHalves(layoutOf(t.Element()).nearest(1)))
	}
	if t != t.Element() {
		return
	}
	// Comparisons of any type with a 16-bit float result.
	yes := layoutOf(t).nearest(1)
	for _, from := range []Type{U16, U32, U64, S16, S32, S64, B16, B32, B64, F32, F64} {
		d.add(form{op: OpSet, typ: t, src: from}, set(yes))
	}
	d.add(form{op: OpSet, typ: t, src: F32, flags: FlagFtz}, set(yes))
	for _, flags := range []Flags{0, FlagFtz} {
		d.add(form{op: OpSet, typ: t, src: F16, flags: flags}, setHalf(yes))
	}
}

// setHalf writes yes where the comparison of 16-bit floats holds.
func setHalf(yes uint64) kernel {
	return func(in *Inst, x *Lanes) { x.choose(x.combined(in, x.holdsHalf(in, 0)), yes) }
}

// setHalves is setHalf for each half of the registers.
func setHalves(yes uint64) kernel {
	return func(in *Inst, x *Lanes) {
		low, high := x.combined(in, x.holdsHalf(in, 0)), x.combined(in, x.holdsHalf(in, 1))
		d := x.Dst[0]
		for m := x.Mask; m != 0; m &= m - 1 {
			i := bits.TrailingZeros32(m) & 31
			d[i] = yes*uint64(low>>i&1) | yes*uint64(high>>i&1)<<16
		}
	}
}

// addHalfConversions enters cvt to and from a 16-bit float.
func (d *datapath) addHalfConversions(half Type) {
	f := layoutOf(half)
	directions := []Round{RoundNearest, RoundZero, RoundDown, RoundUp}
	for _, t := range []Type{U8, U16, U32, U64, S8, S16, S32, S64} {
		for _, mode := range directions {
			for _, flags := range choices(FlagSat) {
				d.add(form{op: OpCvt, typ: half, src: t, round: mode, flags: flags}, unary(func(a uint64) uint64 {
					return f.modify(intToFloat(half, t, mode, a), flags)
				}))
			}
		}
		for _, mode := range []Round{RoundNearestInt, RoundZeroInt, RoundDownInt, RoundUpInt} {
			k := extended(t, unary(func(a uint64) uint64 { return toInt(t, half, integral(f.value(a&0xFFFF), mode)) }))
			for _, flags := range choices(FlagSat) {
				d.add(form{op: OpCvt, typ: t, src: half, round: mode, flags: flags}, k)
			}
		}
	}
	for _, mode := range directions {
		for _, flags := range choices(FlagSat, FlagFtz, FlagRelu, FlagSatFinite) {
			if flags&(FlagRelu|FlagSatFinite) != 0 && (flags&FlagSat != 0 || mode > RoundZero) {
				continue
			}
			flush := flusher(flags)
			convert := func(a uint64) uint64 {
				return f.modify(f.toward(mode, float64(float(flush(a)))),
					flags&^FlagFtz)
			}
			d.add(form{op: OpCvt, typ: half, src: F32, round: mode, flags: flags}, unary(convert))
			if flags&(FlagSat|FlagFtz) == 0 && mode <= RoundZero {
				d.add(form{op: OpCvt, typ: pairOf[half], src: F32, round: mode, flags: flags},
					binary(func(a, b uint64) uint64 {
						return convert(a)<<16 | convert(b)
					}))
			}
		}
		for _, flags := range choices(FlagSat) {
			d.add(form{op: OpCvt, typ: half, src: F64, round: mode, flags: flags}, unary(func(a uint64) uint64 {
				return f.modify(f.toward(mode, double(a)), flags)
			}))
			other := F16 + BF16 - half
			d.add(form{op: OpCvt, typ: half, src: other, round: mode, flags: flags}, unary(func(a uint64) uint64 {
				return f.modify(f.toward(mode, layoutOf(other).value(a&0xFFFF)), flags)
			}))
		}
	}
	for _, mode := range []Round{RoundNone, RoundNearestInt, RoundZeroInt, RoundDownInt, RoundUpInt} {
		for _, flags := range choices(FlagSat) {
			d.add(form{op: OpCvt, typ: half, src: half, round: mode, flags: flags}, unary(func(a uint64) uint64 {
				return f.modify(f.nearest(integral(f.value(a&0xFFFF), mode)), flags)
			}))
		}
	}
	for _, flags := range choices(FlagSat, FlagFtz) {
		d.add(form{op: OpCvt, typ: F32, src: half, flags: flags}, unary(func(a uint64) uint64 {
			return binary32.modify(bits32(float32(f.value(a&0xFFFF))), flags)
		}))
	}
	for _, flags := range choices(FlagSat) {
		d.add(form{op: OpCvt, typ: F64, src: half, flags: flags}, unary(func(a uint64) uint64 {
			return binary64.modify(bits64(f.value(a&0xFFFF)), flags)
		}))
	}
}

// pairOf is the type of two values in one register.
var pairOf = map[Type]Type{F16: F16x2, BF16: BF16x2}
