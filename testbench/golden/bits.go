package golden

import (
	"math/bits"

	"divergo/isa"
)

// logic computes the logic instructions of predicates.
func (v *values) logic(in *isa.Inst) bool {
	a, b := v.src[0]&1, v.src[1]&1
	switch in.Op {
	case isa.OpAnd:
		v.dst[0] = a & b
	case isa.OpOr:
		v.dst[0] = a | b
	case isa.OpXor:
		v.dst[0] = a ^ b
	case isa.OpNot:
		v.dst[0] = a ^ 1
	default:
		return false
	}
	return true
}

// bits computes logic, shifts and the manipulation of bits and bytes (PTX ISA,
// sections 9.7.1.14 to 9.7.1.20, 9.7.7 and prmt).
func (v *values) bits(in *isa.Inst) bool {
	t := in.Type
	a, b, c := v.src[0], v.src[1], v.src[2]
	switch in.Op {
	case isa.OpAnd:
		v.dst[0] = cut(t, a&b)
	case isa.OpOr:
		v.dst[0] = cut(t, a|b)
	case isa.OpXor:
		v.dst[0] = cut(t, a^b)
	case isa.OpNot:
		v.dst[0] = cut(t, ^a)
	case isa.OpCnot:
		v.dst[0] = truth(cut(t, a) == 0)
	case isa.OpShl:
		v.dst[0] = cut(t, a<<uint32(b))
	case isa.OpShr:
		v.dst[0] = cut(t, cut(t, a)>>uint32(b))
		if t.Signed() {
			v.dst[0] = cut(t, uint64(signed(t, a)>>uint32(b)))
		}
	case isa.OpShf:
		v.dst[0] = funnel(in, uint32(a), uint32(b), uint32(c))
	case isa.OpPopc:
		v.dst[0] = uint64(bits.OnesCount64(cut(t, a)))
	case isa.OpClz:
		v.dst[0] = uint64(bits.LeadingZeros64(cut(t, a)) - (64 - t.Bits()))
	case isa.OpBrev:
		v.dst[0] = reverse(t, a)
	case isa.OpBfind:
		v.dst[0] = findBit(in, a)
	case isa.OpBfe:
		v.dst[0] = extract(t, a, b, c)
	case isa.OpBfi:
		v.dst[0] = insert(t, a, b, c, v.src[3])
	case isa.OpPrmt:
		v.dst[0] = permute(in.Mode, uint32(a), uint32(b), uint32(c))
	default:
		return false
	}
	return true
}

// funnel shifts the 64 bits b:a and returns the half that stays in place.
func funnel(in *isa.Inst, a, b, c uint32) uint64 {
	n := min(c, 32)
	if in.Flags&isa.FlagWrap != 0 {
		n = c & 31
	}
	if in.Mode == isa.ModeLeft {
		return uint64(b<<n | a>>(32-n))
	}
	return uint64(b<<(32-n) | a>>n)
}

// reverse is brev.
func reverse(t isa.Type, a uint64) (d uint64) {
	for i := range t.Bits() {
		d = d<<1 | a>>i&1
	}
	return d
}

// findBit is bfind: the highest bit that is not a copy of the sign.
func findBit(in *isa.Inst, a uint64) uint64 {
	x, msb := cut(in.Type, a), in.Type.Bits()-1
	if in.Type.Signed() && x>>msb&1 == 1 {
		x = cut(in.Type, ^x)
	}
	for d := msb; d >= 0; d-- {
		if x>>d&1 == 0 {
			continue
		}
		if in.Flags&isa.FlagShiftAmt != 0 {
			return uint64(msb - d)
		}
		return uint64(d)
	}
	return 0xFFFF_FFFF
}

// extract is bfe, bit by bit as in the manual's program.
func extract(t isa.Type, a, b, c uint64) (d uint64) {
	msb := t.Bits() - 1
	pos, n := int(b&0xFF), int(c&0xFF)
	sign := uint64(0)
	if t.Signed() && n > 0 {
		sign = a >> min(pos+n-1, msb) & 1
	}
	for i := 0; i <= msb; i++ {
		if i < n && pos+i <= msb {
			d |= a >> (pos + i) & 1 << i
		} else {
			d |= sign << i
		}
	}
	return d
}

// insert is bfi: n bits of a replace those of b from pos on.
func insert(t isa.Type, a, b, c, d uint64) uint64 {
	pos, n := int(c&0xFF), int(d&0xFF)
	f := cut(t, b)
	for i := 0; i < n && pos+i < t.Bits(); i++ {
		f = f&^(1<<(pos+i)) | a>>i&1<<(pos+i)
	}
	return f
}

// permute is prmt. Bytes 0 to 3 are those of a, 4 to 7 those of b. The modes choose by the low two
// bits of c.
func permute(m isa.Mode, a, b, c uint32) uint64 {
	k := int(c & 3)
	var from [4]int // source byte of byte i
	copySign := [4]bool{}
	for i := range from {
		switch m {
		case isa.ModeF4E:
			from[i] = (k + i) % 8
		case isa.ModeB4E:
			from[i] = (k - i + 8) % 8
		case isa.ModeRc8:
			from[i] = k
		case isa.ModeEcl:
			from[i] = max(k, i)
		case isa.ModeEcr:
			from[i] = min(k, i)
		case isa.ModeRc16:
			from[i] = k%2*2 + i%2
		default:
			selector := c >> (4 * i) & 15
			from[i], copySign[i] = int(selector&7), selector&8 != 0
		}
	}
	both := uint64(b)<<32 | uint64(a)
	var d uint64
	for i, n := range from {
		x := both >> (8 * n) & 0xFF
		if copySign[i] {
			x = x >> 7 * 0xFF
		}
		d |= x << (8 * i)
	}
	return d
}
