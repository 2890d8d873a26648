package ptx

import (
	"fmt"

	"divergo/isa"
)

// offsetRegisters replaces each operand of the form register+constant by a register. An inserted
// addition before the instruction fills it in. The manual has the form only in addresses, where it
// needs no addition. NVIDIA's assembler accepts it for every integer source.
func (l *lowering) offsetRegisters(in *instruction, args []arg) {
	for i := range in.operands {
		x := &in.operands[i]
		written := i < len(args) && args[i].role <= dstPred
		if written || x.kind != nameOperand || x.off == 0 || x.not || x.neg || x.pair != nil {
			continue
		}
		sym := l.scope.lookup(x.name)
		if sym == nil || sym.reg == nil || sym.reg.vector > 0 {
			continue
		}
		add, ok := unsignedOf[sym.reg.typ.Bits()]
		if !ok || sym.reg.typ.Float() {
			continue
		}
		name := fmt.Sprintf("%s%+d", x.name, x.off)
		sum := l.scope.names[name]
		if sum == nil || sum.reg != sym.reg {
			sum = &symbol{pos: x.pos, reg: sym.reg}
			l.scope.names[name] = sum
		}
		o := operands{lowering: l, in: in, out: &isa.Inst{}}
		out := isa.Inst{
			Op: isa.OpAdd, Type: add, NSrc: 2, NDst: 1, DstBits: uint8(add.Bits()), Inserted: true, Pos: in.name.pos,
			Loc:  l.loc,
			Text: fmt.Sprintf("add.%s %s, %s, %d", typeName(add), clip(name), clip(x.name), x.off),
		}
		out.Src[0] = o.materialise(x, sym)
		out.Src[1] = isa.Operand{Kind: isa.OperandImm, Imm: uint64(x.off) << (64 - add.Bits()) >> (64 - add.Bits())}
		*x = operand{name: name, pos: x.pos}
		out.Dst[0] = o.materialise(x, sum)
		l.emit(out)
	}
}

// unsignedOf are the unsigned types of add, by their bits.
var unsignedOf = map[int]isa.Type{16: isa.U16, 32: isa.U32, 64: isa.U64}
