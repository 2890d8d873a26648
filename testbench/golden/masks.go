package golden

import "divergo/isa"

// masks computes fns, szext, bmsk and lop3, bit by bit.
func (v *values) masks(in *isa.Inst) bool {
	a, b, c := v.src[0], v.src[1], v.src[2]
	wrap := in.Flags&isa.FlagWrap != 0
	switch in.Op {
	case isa.OpFns:
		v.dst[0] = findNth(uint32(a), int(int32(b)), int(int32(c)))
	case isa.OpSzext:
		v.dst[0] = resize(in, a, cut(isa.U32, b))
	case isa.OpBmsk:
		start, n := cut(isa.U32, a), cut(isa.U32, b)
		if wrap {
			start, n = start%32, n%32
		}
		v.dst[0] = 0
		for i := start; i < 32 && i-start < n; i++ {
			v.dst[0] |= 1 << i
		}
	case isa.OpLop3:
		v.dst[0] = 0
		for i := range 32 {
			n := a>>i&1<<2 | b>>i&1<<1 | c>>i&1
			v.dst[0] |= v.src[3] >> n & 1 << i
		}
		if in.Bool != isa.BoolNone {
			v.dst[1] = truth(combine(in.Bool, v.dst[0] != 0, v.src[4] != 0))
		}
	default:
		return false
	}
	return true
}

// findNth is fns, step by step from bit base on.
func findNth(mask uint32, base, offset int) uint64 {
	const none = 0xFFFF_FFFF
	if base < 0 || base > 31 {
		return none
	}
	step, count := 1, offset
	switch {
	case offset == 0 && mask>>base&1 == 1:
		return uint64(base)
	case offset == 0:
		return none
	case offset < 0:
		step, count = -1, -offset
	}
	for pos := base; pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 0 {
			continue
		}
		if count--; count == 0 {
			return uint64(pos)
		}
	}
	return none
}

// resize is szext: the low n bits of a as a number of the type.
func resize(in *isa.Inst, a, n uint64) (d uint64) {
	if in.Flags&isa.FlagWrap != 0 {
		n %= 32
	}
	for i := range uint64(32) {
		from := i
		if i >= n {
			if !in.Type.Signed() || n == 0 {
				break
			}
			from = n - 1
		}
		d |= a >> from & 1 << i
	}
	return d
}
