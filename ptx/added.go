package ptx

import "divergo/isa"

// Rows of the instruction table for seldom used additions of newer versions of the manual.

var (
	pack     = one("pack", ignore)
	int8s    = typesOf(isa.U8, isa.S8)
	cacheTop = group{what: "eviction priority", words: []modifier{{"L2::evict_normal", ignore}}}
	level2   = one("L2", ignore)
)

var added = []*family{
	row("fns", "9.7.1.17", isa.OpFns, "d mask:u32 base:u32 offset:u32", types(b32)),
	row("szext", "9.7.1.21", isa.OpSzext, "d a b:u32", types(int32s), required(overshift)),
	row("bmsk", "9.7.1.22", isa.OpBmsk, "d a b:u32", types(b32), required(overshift)),
	row("dp4a", "9.7.1.23", isa.OpDp4a, "d a b:2 c", types(int32s, int32s)),
	row("dp2a", "9.7.1.24", isa.OpDp2a, "d a b:2 c", types(int32s, int32s), required(only("lo hi", half))),
	row("tanh", "9.7.3.22", isa.OpTanh, "d a", types(f32), required(approx)),
	row("lop3", "9.7.7.6", isa.OpLop3, "d a b c table:u32", types(b32)),
	row("lop3", "9.7.7.6", isa.OpLop3, "d|p a b c table:u32 q:pred", types(b32), required(only("and or", boolean))),
	row("applypriority", "9.7.8.13", isa.OpNop, "[a] size:u32", none, only("global", stateSpace), required(cacheTop)),
	row("discard", "9.7.8.14", isa.OpNop, "[a] size:u32", none, only("global", stateSpace), required(level2)),
	row("cvt", "9.7.8.19", isa.OpCvtPack, "d:u32 a:2 b:2", types(int16s, s32), required(pack), required(sat)),
	row("cvt", "9.7.8.19", isa.OpCvtPack, "d:u32 a:2 b:2 c:u32", types(int8s, s32, b32), required(pack), required(sat)),
}

// lookupTable checks the operands of lop3. The table is a constant of 8 bits, and a predicate
// source requires a second destination.
func (o *operands) lookupTable() {
	ops := o.in.operands
	switch t := o.out.Src[3]; {
	case t.Kind != isa.OperandImm:
		o.errorf(ops[4].pos, CodeOperand, "the table of lop3 is a constant, found %s", kindName(&ops[4]))
	case t.Imm > 255:
		o.errorf(ops[4].pos, CodeRange, "the table of lop3 has 8 bits: expected 0 to 255, found %d", t.Imm)
	case o.out.Bool != isa.BoolNone && o.out.NDst < 2:
		o.errorf(ops[0].pos, CodeOperand, "%s wants two destinations d|p", o.in.opcode())
	}
}

// constants adds the place of the module's .const variables to isspacep, since they are not part of
// the global space.
func (o *operands) constants() {
	if o.out.Space == isa.SpaceGlobal || o.out.Space == isa.SpaceConst {
		o.src(isa.Operand{Kind: isa.OperandImm, Imm: o.m.base})
		o.src(isa.Operand{Kind: isa.OperandImm, Imm: o.m.constBytes})
	}
}
