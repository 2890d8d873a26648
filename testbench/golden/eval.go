package golden

import "divergo/isa"

// values are the operands of one instruction of one thread, by their place in Inst.Src and
// Inst.Dst. Registers are zero-extended, predicates 0 or 1.
type values struct {
	src [isa.MaxSrcs]uint64
	dst [isa.MaxDsts]uint64
}

// eval computes an instruction that is neither a memory nor a control instruction.
//
// Sources are in the order of Inst.Src: general registers and immediates in the low bits,
// predicates as 0 or 1, already inverted for Operand.Not. Results are in the order of Inst.Dst. It
// returns false if the instruction has no meaning here.
func (v *values) eval(in *isa.Inst) bool {
	a, b, c := v.src[0], v.src[1], v.src[2]
	switch in.Op {
	case isa.OpMov:
		v.dst[0] = cut(in.Type, a)
	case isa.OpPack:
		return v.pack(in)
	case isa.OpUnpack:
		return v.unpack(in)
	case isa.OpMovVec:
		for i := range int(in.NDst) {
			v.dst[i] = cut(in.Type, v.src[i])
		}
		return in.NSrc == in.NDst
	case isa.OpCvta:
		v.dst[0] = convertAddress(in, a)
	case isa.OpIsspacep:
		v.dst[0] = truth(within(in.Space, a, b, c))
	case isa.OpCvt:
		v.convert(in)
	case isa.OpSetp, isa.OpSet:
		return v.compare(in)
	case isa.OpTestp:
		v.dst[0] = truth(test(in, a))
	case isa.OpSelp:
		if c == 0 {
			a = b
		}
		v.dst[0] = cut(in.Type, a)
	case isa.OpSlct:
		if !selects(in, c) {
			a = b
		}
		v.dst[0] = cut(in.Type, a)
	case isa.OpB2R:
		yes, asked := a&0xffff, a>>16
		switch in.Mode {
		case isa.ModePopc:
			v.dst[0] = yes
		case isa.ModeAnd:
			v.dst[0] = truth(yes == asked)
		default:
			v.dst[0] = truth(yes != 0)
		}
	case isa.OpNop, isa.OpCopyCommit, isa.OpCopyWait: // a copy completes at once
	default:
		switch {
		case in.Type.Half():
			return v.half(in)
		case in.Type.Float():
			return v.float(in)
		case in.Type == isa.Pred:
			return v.logic(in)
		}
		return v.integer(in) || v.carry(in) || v.bits(in) || v.masks(in) || v.packed(in) || v.video(in)
	}
	return true
}

// within computes isspacep (PTX ISA, isspacep): whether an address belongs to a space. The module
// has size bytes of constants from address first on. Parameters belong to the global space as well.
func within(space isa.Space, addr, first, size uint64) bool {
	belongs, _ := resolve(addr)
	if addr >= first && addr < first+size {
		belongs = isa.SpaceConst
	}
	return belongs == space || belongs == isa.SpaceParam && space == isa.SpaceGlobal
}

// cut keeps only the bits of x that belong to type t.
func cut(t isa.Type, x uint64) uint64 {
	if n := t.Bits(); n < 64 {
		return x & (1<<n - 1)
	}
	return x
}

// signed returns x as a number of type t.
func signed(t isa.Type, x uint64) int64 {
	s := 64 - t.Bits()
	return int64(x<<s) >> s
}

// extend returns the register value for a value of type t, at the given width. Width 0 means that of
// t (PTX ISA, tables 27 and 28). A signed integer keeps its value; other types are filled with
// zeros.
func extend(t isa.Type, x uint64, width uint8) uint64 {
	x = cut(t, x)
	if !t.Signed() || int(width) <= t.Bits() {
		return x
	}
	x = uint64(signed(t, x))
	if width < 64 {
		x &= 1<<width - 1
	}
	return x
}

// pack joins the sources, the first in the lowest bits (PTX ISA, mov).
func (v *values) pack(in *isa.Inst) bool {
	if in.NSrc == 0 {
		return false
	}
	n := in.Type.Bits() / int(in.NSrc)
	d := uint64(0)
	for i := range int(in.NSrc) {
		d |= v.src[i] & (1<<n - 1) << (i * n)
	}
	v.dst[0] = d
	return true
}

// unpack splits the source, the lowest bits first.
func (v *values) unpack(in *isa.Inst) bool {
	if in.NDst == 0 {
		return false
	}
	n := in.Type.Bits() / int(in.NDst)
	for i := range int(in.NDst) {
		v.dst[i] = v.src[0] >> (i * n) & (1<<n - 1)
	}
	return true
}

// convertAddress computes cvta, between an address of a space and the generic address.
func convertAddress(in *isa.Inst, a uint64) uint64 {
	for _, w := range windows {
		if w.space != in.Space {
			continue
		}
		if in.Mode == isa.ModeTo {
			return cut(in.Type, a-w.base)
		}
		return cut(in.Type, a+w.base)
	}
	return cut(in.Type, a)
}
