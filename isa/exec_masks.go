package isa

import "math/bits"

// Masks and logic by table: fns, szext, bmsk and lop3 (PTX ISA, sections 9.7.1.17, 9.7.1.21,
// 9.7.1.22 and 9.7.7.6).

func (d *datapath) addMasks() {
	d.add(form{op: OpLop3, typ: B32}, lop3)
	d.add(form{op: OpFns, typ: B32}, ternary(fns))
	for _, wrap := range []Flags{0, FlagWrap} {
		within := func(n uint64) (low uint32, in bool) { return uint32(n) & 31, wrap != 0 || uint32(n) < 32 }
		d.add(form{op: OpBmsk, typ: B32, flags: wrap}, binary(func(a, b uint64) uint64 {
			at, starts := within(a)
			n, ends := within(b)
			switch {
			case !starts:
				return 0
			case !ends:
				n = 32
			}
			return uint64(uint32(1<<n-1) << at)
		}))
		d.add(form{op: OpSzext, typ: U32, flags: wrap}, binary(func(a, b uint64) uint64 {
			n, narrow := within(b)
			if !narrow {
				return uint64(uint32(a))
			}
			return a & (1<<n - 1)
		}))
		d.add(form{op: OpSzext, typ: S32, flags: wrap}, binary(func(a, b uint64) uint64 {
			n, narrow := within(b)
			if !narrow {
				return uint64(uint32(a))
			}
			return uint64(uint32(int32(uint32(a)<<(32-n)) >> (32 - n)))
		}))
	}
}

// lop3 looks up each bit in the table. The bits of a, b and c, with a highest, form the number of
// the table's bit. For each number whose table bit is 1, one step finds all matching bits.
func lop3(in *Inst, x *Lanes) {
	var nonzero uint32
	for m := x.Mask; m != 0; m &= m - 1 {
		i := bits.TrailingZeros32(m) & 31
		a, b, c := uint32(x.Src[0][i]), uint32(x.Src[1][i]), uint32(x.Src[2][i])
		table := uint32(x.Src[3][i])
		var d uint32
		for n := range uint32(8) {
			d |= -(table >> n & 1) & ^(a ^ -(n >> 2)) & ^(b ^ -(n >> 1 & 1)) & ^(c ^ -(n & 1))
		}
		nonzero |= bit(d != 0) << i
		x.Dst[0][i] = uint64(d)
	}
	switch in.Bool {
	case BoolAnd:
		x.PDst[1] = nonzero & x.pred(4)
	case BoolOr:
		x.PDst[1] = (nonzero | x.pred(4)) & x.Mask
	}
}

// fns finds the |c|-th set bit of a from bit b on: upwards for c > 0, downwards for c < 0. With c =
// 0 it finds bit b itself.
func fns(a, b, c uint64) uint64 {
	mask, base, count := uint32(a), uint32(b), uint32(c)
	down := int32(c) < 0
	switch {
	case base > 31:
		return notFound
	case down: // downwards
		mask, base, count = bits.Reverse32(mask), 31-base, -count
	case count == 0:
		mask, count = mask&(1<<base), 1
	}
	for mask &= ^uint32(0) << base; mask != 0; mask &= mask - 1 {
		if count--; count > 0 {
			continue
		}
		n := uint64(bits.TrailingZeros32(mask))
		if down {
			return 31 - n
		}
		return n
	}
	return notFound
}
