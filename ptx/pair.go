package ptx

import (
	"slices"

	"divergo/isa"
)

// pair lowers ld or st of 32 bytes as two of 16, the largest access of a lane. PTX leaves the order
// of a vector's elements open (section 8.2.2).
func (o *operands) pair(f *family) {
	vec := 0
	if o.out.Op == isa.OpSt {
		vec = 1
	}
	if len(o.in.operands) != 2 {
		o.bind(f) // which reports it
		return
	}
	elems := o.elements(&o.in.operands[vec])
	if elems == nil {
		return
	}
	n := len(elems) / 2
	var halves [2]isa.Inst
	for i := range halves {
		in, out := *o.in, *o.out
		in.operands = slices.Clone(in.operands)
		in.operands[vec] = operand{kind: vectorOperand, pos: o.in.operands[vec].pos, elems: elems[n*i : n*i+n]}
		out.Vec = uint8(n)
		part := operands{lowering: o.lowering, in: &in, out: &out, relaxed: o.relaxed}
		part.bind(f)
		out.Off += int64(16 * i)
		halves[i] = out
	}
	first, second := &halves[0], &halves[1]
	if base := first.Src[0]; first.Op == isa.OpLd && slices.Contains(first.Dst[:first.NDst], base) {
		t := o.prog.Regs[base.Index].Type
		copied := o.temporary("%pair."+typeName(t), t)
		mov := isa.Inst{
			Op: isa.OpMov, Type: unsignedOf[t.Bits()], NSrc: 1, NDst: 1, DstBits: uint8(t.Bits()), Inserted: true,
			Pos: o.out.Pos, Loc: o.out.Loc,
			Text: "mov %pair." + typeName(t) + ", " + clip(o.prog.Regs[base.Index].Name),
		}
		mov.Src[0], mov.Dst[0] = base, copied
		o.emit(mov)
		second.Src[0] = copied
	}
	second.Inserted, second.Flags = true, second.Flags&^isa.FlagPair
	o.prog.Insts = append(o.prog.Insts, *first, *second)
}

// temporary is a register that the PTX does not contain, for instructions inserted around a PTX
// instruction.
func (l *lowering) temporary(name string, t isa.Type) isa.Operand {
	r, ok := l.temporaries[name]
	if !ok {
		r = isa.Operand{Kind: isa.OperandReg, Index: l.hidden(name, t)}
		l.temporaries[name] = r
	}
	return r
}
