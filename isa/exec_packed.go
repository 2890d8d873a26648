package isa

import "math/bits"

// Instructions on several numbers in one register: dp4a, dp2a and cvt.pack (PTX ISA, sections
// 9.7.1.23, 9.7.1.24 and 9.7.8.19).

func (d *datapath) addPacked() {
	for _, a := range []Type{U32, S32} {
		for _, b := range []Type{U32, S32} {
			d.add(form{op: OpDp4a, typ: a, src: b}, ternary(func(x, y, z uint64) uint64 {
				for i := range 4 {
					z += element(a, x, 8*i, 8) * element(b, y, 8*i, 8)
				}
				return uint64(uint32(z))
			}))
			for mode, half := range map[Mode]int{ModeLo: 0, ModeHi: 16} {
				d.add(form{op: OpDp2a, typ: a, src: b, mode: mode}, ternary(func(x, y, z uint64) uint64 {
					for i := range 2 {
						z += element(a, x, 16*i, 16) * element(b, y, half+8*i, 8)
					}
					return uint64(uint32(z))
				}))
			}
		}
	}
	for _, to := range []Type{U16, S16, U8, S8} {
		n := to.Bits()
		d.add(form{op: OpCvtPack, typ: to, src: S32, flags: FlagSat}, func(in *Inst, x *Lanes) {
			for m := x.Mask; m != 0; m &= m - 1 {
				i := bits.TrailingZeros32(m) & 31
				v := clampInt(to, S32, x.Src[0][i])<<n | clampInt(to, S32, x.Src[1][i])
				if in.NSrc > 2 {
					v |= x.Src[2][i] << (2 * n)
				}
				x.Dst[0][i] = uint64(uint32(v))
			}
		})
	}
}

// element is n bits of v from bit at on, extended to 64 bits by the sign of t.
func element(t Type, v uint64, at, n int) uint64 {
	v <<= 64 - n - at
	if t.Signed() {
		return uint64(int64(v) >> (64 - n))
	}
	return v >> (64 - n)
}
