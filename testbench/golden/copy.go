package golden

import "divergo/isa"

// copy executes cp.async (PTX ISA, section 9.7.8.22.1), all of it at once. This is exact for a
// program without races. Such a program reads the copy only after its wait, and does not write the
// source between the copy and the wait.
func (b *block) copy(t *thread, in *isa.Inst, v *values) *Fault {
	to, from := v.src[0]+uint64(in.Off), v.src[1]+uint64(in.From)
	if b.p.AddressBits == 32 {
		to, from = to&0xFFFF_FFFF, from&0xFFFF_FFFF
	}
	size := uint64(in.Type.Bytes()) * uint64(in.Vec)
	n := size // bytes to read
	if in.NSrc > 2 {
		if n = min(v.src[2], size); in.Src[2].Kind == isa.OperandPred {
			n = size * (1 - v.src[2])
		}
	}
	fault := func(k FaultKind, space isa.Space, addr uint64) *Fault {
		return &Fault{ID: b.name(t), Kind: k, PC: t.pc, Addr: addr, Space: space, Size: int(size)}
	}
	switch dst := window(b.shared, to, size); {
	case to%size != 0:
		return fault(misaligned, isa.SpaceShared, to)
	case dst == nil:
		return fault(outOfBounds, isa.SpaceShared, to)
	case n > 0 && from%size != 0:
		return fault(misaligned, isa.SpaceGlobal, from)
	case n > 0 && b.m.at(from, n) == nil:
		return fault(outOfBounds, isa.SpaceGlobal, from)
	default:
		clear(dst)
		if n > 0 {
			copy(dst, b.m.at(from, n))
		}
	}
	return nil
}
