package golden

import "divergo/isa"

// packed computes the instructions on several numbers in one register (PTX ISA, dp4a, dp2a,
// cvt.pack).
func (v *values) packed(in *isa.Inst) bool {
	a, b, c := v.src[0], v.src[1], v.src[2]
	switch in.Op {
	case isa.OpDp4a:
		d := int64(c)
		for i := range 4 {
			d += piece(in.Type, a, 8, i) * piece(in.SrcType, b, 8, i)
		}
		v.dst[0] = cut(isa.U32, uint64(d))
	case isa.OpDp2a:
		d := int64(c)
		for i := range 2 {
			at := i
			if in.Mode == isa.ModeHi {
				at += 2
			}
			d += piece(in.Type, a, 16, i) * piece(in.SrcType, b, 8, at)
		}
		v.dst[0] = cut(isa.U32, uint64(d))
	case isa.OpCvtPack:
		n := in.Type.Bits()
		d := clamp(in.Type, number(isa.S32, b)) + clamp(in.Type, number(isa.S32, a))<<n
		if in.NSrc > 2 {
			d += c << (2 * n)
		}
		v.dst[0] = cut(isa.U32, d)
	default:
		return false
	}
	return true
}

// piece returns the i-th number of n bits in x, signed if t is.
func piece(t isa.Type, x uint64, n, i int) int64 {
	p := int64(x >> (n * i) & (1<<n - 1))
	if t.Signed() && p >= 1<<(n-1) {
		p -= 1 << n
	}
	return p
}
