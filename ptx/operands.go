package ptx

import (
	"slices"
	"strings"

	"divergo/isa"
)

// operands lowers the operands of one instruction.
type operands struct {
	*lowering
	in      *instruction
	out     *isa.Inst
	relaxed bool // registers may be wider than the type
}

func (o *operands) dst(op isa.Operand) {
	o.out.Dst[o.out.NDst] = op
	o.out.NDst++
}

func (o *operands) src(op isa.Operand) {
	o.out.Src[o.out.NSrc] = op
	o.out.NSrc++
}

// bind lowers the operands by the row f.
func (o *operands) bind(f *family) {
	list := make([]arg, 0, 6)
	optional := -1 // place of the operand that may be left out
	for _, a := range f.args {
		if a.opt && a.role == srcPred {
			if o.out.Bool == isa.BoolNone {
				continue
			}
			a.opt = false
		}
		if a.opt {
			optional = len(list)
		}
		list = append(list, a)
	}
	n := len(o.in.operands)
	leaveOut := optional >= 0 && n == len(list)-1
	if n != len(list) && !leaveOut {
		o.errorf(o.in.name.pos, CodeOperand, "%s takes %s, found %d", o.in.opcode(), operandList(list), n)
		return
	}
	at := 0
	for i, a := range list {
		if leaveOut && i == optional {
			if i < len(list)-1 { // sources keep their places
				o.src(isa.Operand{Kind: isa.OperandImm})
			}
			continue
		}
		o.operand(a, &o.in.operands[at])
		at++
	}
	switch o.out.Op {
	case isa.OpNop:
		*o.out = isa.Inst{
			Op: isa.OpNop, Guard: o.out.Guard, Target: isa.NoPC, Reconv: isa.NoPC, Likely: isa.NoPC,
			Pos: o.out.Pos, Loc: o.out.Loc, Text: o.out.Text,
		}
	case isa.OpBar:
		o.barrier()
	case isa.OpAddC, isa.OpSubC, isa.OpMadC:
		o.carry()
	case isa.OpLop3:
		o.lookupTable()
	case isa.OpIsspacep:
		o.constants()
	case isa.OpElect:
		if o.out.NDst < 2 {
			o.errorf(o.in.operands[0].pos, CodeOperand, "%s wants two destinations d|p", o.in.opcode())
		}
	}
}

// operandList prints the operands of a row: "3 operands d, a, b".
func operandList(list []arg) string {
	if len(list) == 0 {
		return "no operands"
	}
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.name
		if a.opt {
			names[i] = "{" + a.name + "}"
		}
	}
	return counted(len(list), "operand") + " " + strings.Join(names, ", ")
}

// typeOf is the type of an operand of the row in this instruction.
func (o *operands) typeOf(a arg) isa.Type {
	switch a.of {
	case second:
		return o.out.SrcType
	case doubled:
		if o.out.Mode == isa.ModeWide {
			return twice[o.out.Type]
		}
	case word32:
		return isa.U32
	case onePred:
		return isa.Pred
	}
	return o.out.Type
}

var twice = map[isa.Type]isa.Type{isa.U16: isa.U32, isa.S16: isa.S32, isa.U32: isa.U64, isa.S32: isa.S64}

// operand lowers one operand by its entry in the row.
func (o *operands) operand(a arg, x *operand) {
	t := o.typeOf(a)
	if x.pair != nil && a.role != dstPair && a.role != dstPred {
		o.errorf(x.pair.pos, CodeOperand, "%s has one destination, found a second one behind '|'", o.in.name.text)
		return
	}
	if x.neg {
		o.errorf(x.pos, CodeOperand, "only vmad can negate an operand")
		return
	}
	switch a.role {
	case dst:
		o.dst(o.destination(x, t))
	case dstVec:
		for _, e := range o.elements(x) {
			o.dst(o.destination(&e, t))
		}
	case dstPair, dstPred:
		o.dst(o.destination(x, t))
		if x.pair != nil {
			o.dst(o.destination(&operand{name: x.pair.text, pos: x.pair.pos}, isa.Pred))
		}
	case src, srcPred:
		o.src(o.source(x, t))
	case srcVec:
		for _, e := range o.elements(x) {
			o.src(o.source(&e, t))
		}
	case symbolic:
		o.symbolic(x, t)
	case memory:
		o.memory(x)
	case target:
		if x.kind != nameOperand || x.off != 0 || x.not {
			o.errorf(x.pos, CodeOperand, "%s wants a label", o.in.name.text)
			return
		}
		o.branches = append(o.branches, branch{len(o.prog.Insts), word{x.name, x.pos}, o.scope})
	}
}

// elements are the parts of an operand, which is a vector if the instruction has .v2 or .v4.
func (o *operands) elements(x *operand) []operand {
	n := int(o.out.Vec)
	if whole := o.whole(x); whole != nil {
		x = whole
	}
	switch {
	case n == 1 && x.kind == vectorOperand:
		o.errorf(x.pos, CodeOperand, "%s without .v2, .v4 or .v8 takes no vector", o.in.opcode())
		return nil
	case n == 1:
		return []operand{*x}
	case x.kind != vectorOperand:
		o.errorf(x.pos, CodeOperand, "%s wants a vector {...} of %d elements", o.in.opcode(), n)
		return nil
	case len(x.elems) != n:
		o.errorf(x.pos, CodeOperand, "%s wants a vector of %d elements, found %d", o.in.opcode(), n, len(x.elems))
		return nil
	}
	return x.elems
}

// whole is the vector of its elements if x names a vector register (section 5.4.2), or else nil.
func (o *operands) whole(x *operand) *operand {
	if x.kind != nameOperand || x.not || x.off != 0 {
		return nil
	}
	sym := o.scope.lookup(x.name)
	if sym == nil || sym.reg == nil || sym.reg.vector == 0 {
		return nil
	}
	v := &operand{kind: vectorOperand, pos: x.pos}
	for i := range sym.reg.vector {
		v.elems = append(v.elems, operand{name: x.name + "." + "xyzw"[i:i+1], pos: x.pos})
	}
	return v
}

// guard lowers @p.
func (o *operands) guard(g *guard) isa.Operand {
	p := o.register(&operand{name: g.reg.text, pos: g.reg.pos}, isa.Pred)
	p.Not = g.not
	return p
}

// destination lowers a destination register.
func (o *operands) destination(x *operand, t isa.Type) isa.Operand {
	switch {
	case x.kind != nameOperand:
		o.errorf(x.pos, CodeOperand, "the destination of %s is a register, found %s", o.in.name.text, kindName(x))
		return isa.Operand{}
	case x.not:
		o.errorf(x.pos, CodeOperand, "a destination cannot be inverted")
		return isa.Operand{}
	case x.name == "_":
		return isa.Operand{Kind: isa.OperandSink}
	}
	if _, ok := specials[x.name]; ok {
		o.errorf(x.pos, CodeOperand, "special register %s cannot be written", x.name)
		return isa.Operand{}
	}
	r := o.register(x, t)
	if r.Kind == isa.OperandReg {
		bits := uint8(o.prog.Regs[r.Index].Type.Bits())
		if o.out.DstBits != 0 && o.out.DstBits != bits {
			o.errorf(x.pos, CodeType, "the registers of a vector have different widths")
		}
		o.out.DstBits = bits
	}
	return r
}

// source lowers a source register or constant.
func (o *operands) source(x *operand, t isa.Type) isa.Operand {
	if x.kind == constOperand {
		value, problem := x.value.encode(t)
		if problem != "" {
			o.errorf(x.pos, CodeRange, "%s", problem)
		}
		return isa.Operand{Kind: isa.OperandImm, Imm: value}
	}
	if x.kind != nameOperand {
		o.errorf(x.pos, CodeOperand, "expected a register or constant, found %s", kindName(x))
		return isa.Operand{}
	}
	if x.not && t != isa.Pred {
		o.errorf(x.pos, CodeOperand, "only a predicate can be inverted by '!'")
		return isa.Operand{}
	}
	if s, ok := specials[x.name]; ok {
		return o.special(x, s, t)
	}
	if sym := o.scope.lookup(x.name); sym != nil && sym.variable != nil &&
		(sym.variable.space != isa.SpaceParam || o.out.Op == isa.OpMov) {
		return o.address(x, sym.variable, t)
	}
	r := o.register(x, t)
	r.Not = x.not
	return r
}

// address is the address of a variable as an operand of type t. It must be known at lowering.
func (o *operands) address(x *operand, v *variable, t isa.Type) isa.Operand {
	if t.Float() || t.Bits() < 32 {
		o.errorf(x.pos, CodeType, "the address of %s does not fit .%s: expected 32 or 64 bits", clip(x.name),
			typeName(t))
	}
	o.wide = o.wide || t.Bits() == 64
	return o.variableAddress(x, v, isa.SpaceNone)
}

// special lowers the read of a special register. A narrower type reads the low bits, as old
// compilers read %tid through 16 bits.
func (o *operands) special(x *operand, s specialRegister, t isa.Type) isa.Operand {
	switch {
	case t.Float() || t == isa.Pred || t.Bits() > s.bits:
		o.errorf(x.pos, CodeType, "%s is an unsigned integer of %d bits, %s reads .%s", x.name, s.bits, o.in.opcode(),
			typeName(t))
	case s.bits == 64 && t.Bits() < 64 && s.reg != isa.GridID && s.reg != isa.WarpSize:
		o.errorf(x.pos, CodeType, "%s has 64 bits, %s reads %d", x.name, o.in.opcode(), t.Bits())
	case x.off != 0:
		o.errorf(x.pos, CodeOperand, "an offset wants a variable, %s is a register", x.name)
	}
	return isa.Operand{Kind: isa.OperandSpecial, Index: uint16(s.reg)}
}

// register lowers a register that the instruction reads or writes as type t.
func (o *operands) register(x *operand, t isa.Type) isa.Operand {
	none := isa.Operand{}
	sym := o.lookup(x, "register")
	if sym == nil {
		return none
	}
	if sym.reg == nil {
		o.errorf(x.pos, CodeOperand, "%s is a %s variable, expected a register; mov gives its address, ld its value",
			clip(x.name), spaceName(sym.variable.space))
		return none
	}
	if x.off != 0 || x.index != 0 {
		o.errorf(x.pos, CodeOperand, "an offset wants a variable, %s is a register", clip(x.name))
		return none
	}
	if sym.reg.vector > 0 {
		o.errorf(x.pos, CodeOperand, "%s is a vector: expected one element, such as %s.x", clip(x.name), clip(x.name))
		return none
	}
	have := sym.reg.typ
	switch {
	case have == isa.NoType:
		o.errorf(x.pos, CodeUnsupported, "register %s: type .%s is not supported", clip(x.name), sym.reg.words)
		return none
	case (have == isa.Pred) != (t == isa.Pred):
		want := "a register of type ." + typeName(t)
		if t == isa.Pred {
			want = "a predicate register"
		}
		o.errorf(x.pos, CodeType, "%s is declared .%s, expected %s", clip(x.name), sym.reg.words, want)
		return none
	case !agree(t, have, o.relaxed):
		o.errorf(x.pos, CodeType, "%s is declared .%s, which does not fit .%s: expected %s", clip(x.name),
			sym.reg.words, typeName(t), listed(fitting(t, o.relaxed)))
		return none
	}
	return o.materialise(x, sym)
}

// materialise gives a register its index at its first use.
func (l *lowering) materialise(x *operand, sym *symbol) isa.Operand {
	if sym.operand.Kind != isa.OperandNone {
		return sym.operand
	}
	kind, n := isa.OperandReg, len(l.prog.Regs)
	if sym.reg.typ == isa.Pred {
		kind, n = isa.OperandPred, len(l.prog.Preds)
	}
	if len(l.prog.Regs)+len(l.prog.Preds) >= isa.MaxRegisters {
		l.errorf(x.pos, CodeLimit, "the kernel uses more than %d registers", isa.MaxRegisters)
		return isa.Operand{}
	}
	if kind == isa.OperandPred {
		l.prog.Preds = append(l.prog.Preds, x.name)
	} else {
		l.prog.Regs = append(l.prog.Regs, isa.Reg{Name: x.name, Type: sym.reg.typ})
	}
	sym.operand = isa.Operand{Kind: kind, Index: uint16(n)}
	return sym.operand
}

// lookup finds a register or variable; what describes the expected operand.
func (o *operands) lookup(x *operand, what string) *symbol {
	if sym := o.scope.lookup(x.name); sym != nil {
		return sym
	}
	if _, ok := specials[x.name]; ok {
		o.errorf(x.pos, CodeOperand, "expected a %s, found special register %s", what, x.name)
		return nil
	}
	if why := missingSpecial(x.name); why != "" {
		o.errorf(x.pos, CodeUnsupported, "%s is not supported: %s", x.name, why)
		return nil
	}
	if o.m.functions[x.name] != nil {
		o.errorf(x.pos, CodeOperand, "%s is a function: mov gives its address", clip(x.name))
		return nil
	}
	if x.name == "_" {
		o.errorf(x.pos, CodeOperand, "'_' stands for a destination only")
		return nil
	}
	for s := o.scope; s != nil; s = s.up {
		if d := s.rangeOf(x.name, false); d != nil {
			o.errorf(x.pos, CodeName, "register %s is not among %s<%d>, which line %d declares", clip(x.name),
				clip(d.name.text), d.count, d.name.pos.Line)
			return nil
		}
	}
	words := o.scope.words()
	if strings.HasPrefix(x.name, "%") {
		words = append(words, specialWords...)
	}
	o.errorf(x.pos, CodeName, "undeclared %s %s%s", what, clip(x.name), didYouMean(x.name, words))
	return nil
}

// agree reports whether a register of type have can be an operand of type want (section 9.4). The
// sizes must be equal, and both are integers, both floats, or one is bits. Relaxed, an integer or
// bits may use a wider register, floats wider bits (section 9.4.1).
func agree(want, have isa.Type, relaxed bool) bool {
	if want == isa.Pred || have == isa.Pred {
		return want == have
	}
	if have.Bits() != want.Bits() && !(relaxed && have.Bits() > want.Bits()) {
		return false
	}
	if want.Float() && have.Float() {
		return want == have
	}
	return bitType(want) || bitType(have) || want.Float() == have.Float()
}

func bitType(t isa.Type) bool { return t >= isa.B8 && t <= isa.B64 }

// fitting lists the register types that agree with t.
func fitting(t isa.Type, relaxed bool) (words []string) {
	for have, name := range typeWords {
		if name != "" && agree(t, isa.Type(have), relaxed) {
			words = append(words, "."+name)
		}
	}
	return words
}

func kindName(x *operand) string {
	switch x.kind {
	case constOperand:
		return "constant " + x.value.String()
	case addressOperand:
		return "an address"
	case vectorOperand:
		return "a vector"
	}
	return clip(x.name)
}

// symbolic lowers an operand that may be the address of a variable. Without a type of its own, the
// instruction (isspacep) takes 32 or 64 bits.
func (o *operands) symbolic(x *operand, t isa.Type) {
	if x.kind == nameOperand {
		if sym := o.scope.lookup(x.name); sym != nil && sym.variable != nil {
			space := isa.SpaceGeneric
			if o.out.Op == isa.OpCvta && o.out.Mode != isa.ModeTo {
				space = o.out.Space
			}
			o.src(o.variableAddress(x, sym.variable, space))
			return
		}
	}
	if t != isa.NoType {
		o.wide = o.wide || t.Bits() == 64
		o.src(o.source(x, t))
		return
	}
	o.src(o.addressRegister(x))
}

// variableAddress is the address of a variable as an immediate: in its own space, or generic. The
// instruction must have the space of the variable.
func (o *operands) variableAddress(x *operand, v *variable, want isa.Space) isa.Operand {
	imm := isa.Operand{Kind: isa.OperandImm}
	name := clip(x.name)
	switch {
	case v.why != "":
		o.errorf(x.pos, CodeUnsupported, "%s cannot be used: %s", name, v.why)
		return imm
	case want != isa.SpaceNone && want != isa.SpaceGeneric && want != v.space:
		o.errorf(x.pos, CodeOperand, "%s is a %s variable, %s wants %s", name, spaceName(v.space), o.in.opcode(),
			spaceName(want))
		return imm
	case v.link == linkExtern && v.space != isa.SpaceShared:
		o.errorf(x.pos, CodeName, "%s is .extern: it is defined in another file", name)
		return imm
	case v.link == linkExtern && v.size > 0:
		o.errorf(x.pos, CodeUnsupported, "%s is an .extern .shared variable of fixed size, which another file defines",
			name)
		return imm
	}
	if v.opaque && v.words != "samplerref" &&
		!slices.ContainsFunc(o.prog.References, func(r isa.Reference) bool { return r.Addr == v.addr }) {
		o.prog.References = append(o.prog.References,
			isa.Reference{Name: v.name.text, Kind: v.words, Addr: v.addr, Pos: x.pos})
	}
	at, space := v.addr, v.space
	_, ofKernel := o.offsets[v]
	switch {
	case v.space == isa.SpaceLocal && o.spots[v] != nil, v.space == isa.SpaceParam && !ofKernel:
		o.uses = append(o.uses, use{pc: len(o.prog.Insts), src: int(o.out.NSrc), v: v})
		if v.argument {
			o.named[v] = append(o.named[v], len(o.prog.Insts))
		}
		space = isa.SpaceLocal
		if o.out.Space == isa.SpaceParam {
			o.out.Space = isa.SpaceLocal
		}
	case v.space == isa.SpaceShared, v.space == isa.SpaceLocal:
		if v.link == linkExtern {
			o.dynamicShared(v)
		} else if _, ok := o.offsets[v]; !ok {
			o.allocate(v)
		}
		at = o.offsets[v]
	case v.space == isa.SpaceParam:
		if o.out.Op == isa.OpSt {
			o.errorf(x.pos, CodeOperand, "parameter %s of the kernel is read-only", name)
		}
		at = o.offsets[v]
	}
	if want == isa.SpaceGeneric {
		at += window[space]
	}
	imm.Imm = at + uint64(x.off)
	if x.index > 0 {
		element := uint64(v.typ.Bytes()) * max(v.vector, 1)
		imm.Imm += (x.index - 1) * element
	}
	return imm
}

// window is the start of the generic addresses of a space.
var window = map[isa.Space]uint64{
	isa.SpaceShared: isa.SharedWindow, isa.SpaceLocal: isa.LocalWindow, isa.SpaceParam: isa.ParamWindow,
}

// dynamicShared notes that the source lowered next is the start of the dynamic part of shared
// memory. That start is known at the end.
func (o *operands) dynamicShared(v *variable) {
	if _, ok := o.offsets[v]; !ok {
		o.offsets[v] = 0
		o.prog.Vars = append(o.prog.Vars, isa.Local{Name: v.name.text, Space: isa.SpaceShared})
		o.prog.SharedAlign = max(o.prog.SharedAlign, uint32(v.align))
	}
	o.dynamic = append(o.dynamic, patch{len(o.prog.Insts), int(o.out.NSrc)})
}

// memory lowers [address].
func (o *operands) memory(x *operand) {
	if x.kind != addressOperand && x.index == 0 {
		o.errorf(x.pos, CodeOperand, "%s wants an address in brackets, found %s", o.in.name.text, kindName(x))
		return
	}
	if x.name == "" {
		n, ok := x.value.signed()
		if !ok || n != int64(uint32(n)) {
			o.errorf(x.pos, CodeRange, "address %s is out of range", x.value)
		}
		o.src(isa.Operand{Kind: isa.OperandImm, Imm: uint64(n)})
		return
	}
	o.out.Off = x.off
	base := &operand{name: x.name, pos: x.pos, index: x.index}
	sym := o.scope.lookup(x.name)
	if sym != nil && sym.variable != nil {
		o.src(o.variableAddress(base, sym.variable, o.out.Space))
		return
	}
	if o.out.Space == isa.SpaceParam && (o.fn != nil || o.out.Op == isa.OpSt) {
		o.out.Space = isa.SpaceLocal // of a function or a call
	}
	o.src(o.addressRegister(base))
}

// addressRegister lowers a register that holds an address (section 6.4.1): an integer or bits of
// width 32 or 64.
func (o *operands) addressRegister(x *operand) isa.Operand {
	if x.kind == constOperand {
		return o.source(x, isa.B64)
	}
	if x.kind != nameOperand || x.not || x.off != 0 || x.index != 0 {
		o.errorf(x.pos, CodeOperand, "expected a register or variable, found %s", kindName(x))
		return isa.Operand{}
	}
	sym := o.lookup(x, "register or variable")
	if sym == nil {
		return isa.Operand{}
	}
	if t := sym.reg.typ; t.Float() || t.Bits() < 32 {
		o.errorf(x.pos, CodeType, "%s is declared .%s: an address is an integer of 32 or 64 bits", clip(x.name),
			sym.reg.words)
		return isa.Operand{}
	}
	o.wide = o.wide || sym.reg.typ.Bits() == 64
	return o.materialise(x, sym)
}

// mov lowers mov: a copy, the address of a variable, or the packing or unpacking of a vector
// (section 9.7.8.3).
func (o *operands) mov() {
	ops := o.in.operands
	if len(ops) != 2 {
		o.errorf(o.in.name.pos, CodeOperand, "%s takes 2 operands d, a, found %d", o.in.opcode(), len(ops))
		return
	}
	d, a := &ops[0], &ops[1]
	for i := range ops {
		if ops[i].pair != nil {
			o.errorf(ops[i].pair.pos, CodeOperand, "mov has one destination, found a second one behind '|'")
			return
		}
	}
	for _, x := range []**operand{&d, &a} {
		if whole := o.whole(*x); whole != nil {
			*x = whole
		}
	}
	switch {
	case d.kind == vectorOperand && a.kind == vectorOperand:
		o.errorf(a.pos, CodeOperand, "mov packs or unpacks a vector, but not both at once: expected .v2 or .v4 for a copy")
	case d.kind == vectorOperand:
		o.out.Op = isa.OpUnpack
		part := o.part(d)
		for i := range d.elems {
			if part != isa.NoType {
				o.dst(o.destination(&d.elems[i], part))
			}
		}
		o.src(o.source(a, o.out.Type))
	case a.kind == vectorOperand:
		o.out.Op = isa.OpPack
		o.dst(o.destination(d, o.out.Type))
		part := o.part(a)
		for i := range a.elems {
			if part != isa.NoType {
				o.src(o.source(&a.elems[i], part))
			}
		}
	default:
		o.dst(o.destination(d, o.out.Type))
		o.movSource(a)
	}
}

// part is the type of the elements of a vector that mov packs or unpacks.
func (o *operands) part(x *operand) isa.Type {
	n, bits := len(x.elems), o.out.Type.Bits()
	parts := map[int]isa.Type{8: isa.B8, 16: isa.B16, 32: isa.B32}
	if n != 2 && n != 4 || parts[bits/n] == isa.NoType || !bitType(o.out.Type) {
		o.errorf(x.pos, CodeOperand, "%s cannot pack or unpack %d elements: expected .b16, .b32 or .b64 with 2 or 4 elements of 8 to 32 bits", o.in.opcode(), n)
		return isa.NoType
	}
	return parts[bits/n]
}

func (o *operands) movSource(a *operand) {
	if a.kind == nameOperand {
		if f := o.m.functions[a.name]; f != nil && o.scope.lookup(a.name) == nil {
			o.src(o.functionAddress(a, f))
			return
		}
	}
	o.src(o.source(a, o.out.Type))
}

// functionAddress is the address of a function as an immediate.
func (o *operands) functionAddress(a *operand, f *function) isa.Operand {
	switch t := o.out.Type; {
	case f.body == nil:
		o.errorf(a.pos, CodeUnsupported, "%s is declared only: it is defined in another file", clip(a.name))
	case t.Float() || t.Bits() < 32:
		o.errorf(a.pos, CodeType, "the address of %s does not fit .%s: expected 32 or 64 bits", clip(a.name),
			typeName(t))
	case a.off != 0:
		o.errorf(a.pos, CodeOperand, "the address of a function takes no offset")
	}
	return isa.Operand{Kind: isa.OperandImm, Imm: f.address()}
}

// carry adds the carry flag (section 9.7.2), a predicate of its own. addc, subc and madc read it,
// .cc writes it.
func (o *operands) carry() {
	if o.flag == 0 {
		o.prog.Preds = append(o.prog.Preds, "%cc")
		o.flag = len(o.prog.Preds)
	}
	flag := isa.Operand{Kind: isa.OperandPred, Index: uint16(o.flag - 1)}
	if strings.HasSuffix(o.in.name.text, "c") {
		o.src(flag)
	} else {
		o.src(isa.Operand{Kind: isa.OperandImm})
	}
	if slices.ContainsFunc(o.in.words, func(w word) bool { return w.text == "cc" }) {
		o.dst(flag)
	}
}

// barrier checks the operands of bar.sync, bar.arrive and bar.red (section 9.7.12.1): 16 barriers,
// and a thread count for arrive.
func (o *operands) barrier() {
	ops := o.in.operands
	if o.out.Reduces() {
		ops = ops[1 : len(ops)-1] // without destination and predicate
	}
	if id := o.out.Src[0]; id.Kind == isa.OperandImm && id.Imm > 15 {
		o.errorf(ops[0].pos, CodeRange, "a CTA has barriers 0 to 15, found %d", id.Imm)
	}
	if o.out.Mode == isa.ModeArrive && len(ops) < 2 {
		o.errorf(o.in.name.pos, CodeOperand, "%s takes 2 operands a, b: it wants the number of threads", o.in.opcode())
	}
	if n := o.out.Src[1]; len(ops) == 2 && n.Kind == isa.OperandImm && (n.Imm == 0 || n.Imm > 1024) {
		o.errorf(ops[1].pos, CodeRange, "expected a number of threads from 1 to 1024, found %d", n.Imm)
	}
}

// readBarrier emits the second half of bar.red: released threads read the barrier's result. The
// predicate is a source of both halves, so that the analyses see that the result depends on it.
func (l *lowering) readBarrier(name string) {
	bar := &l.prog.Insts[len(l.prog.Insts)-1]
	read := *bar
	read.Op, read.Inserted = isa.OpB2R, true
	read.Text = "b2r.result " + clip(name)
	read.Src = [isa.MaxSrcs]isa.Operand{{Kind: isa.OperandSpecial, Index: uint16(isa.BarResult)}, bar.Src[2]}
	read.NSrc = 2
	bar.Dst, bar.NDst, bar.DstBits = [isa.MaxDsts]isa.Operand{}, 0, 0
	l.prog.Insts = append(l.prog.Insts, read)
}
