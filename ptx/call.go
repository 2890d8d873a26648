package ptx

import (
	"fmt"
	"slices"

	"divergo/isa"
)

// spot is the place of a variable of a function in local memory.
type spot struct {
	at       uint64
	frame    bool // relative to the frame register
	outgoing bool // counted from the end of the frame: an argument of a call
}

// use is an address in local memory that is known only after its function has been lowered. It is
// source src of the instruction at pc.
type use struct {
	pc, src int
	v       *variable
	spot    *spot // if v is nil
}

// functions lowers the functions that the kernel calls.
func (l *lowering) functions() {
	for _, c := range l.callees {
		if l.full() {
			return
		}
		l.fn, l.frame, l.loc = c, 0, isa.Loc{}
		l.prog.Labels = append(l.prog.Labels, isa.Label{Name: c.name.text, PC: uint32(len(l.prog.Insts))})
		f := isa.Func{Name: c.name.text, Entry: uint32(len(l.prog.Insts)), Link: c.link, Cycle: c.cycle}
		if c.taken {
			f.Addr = c.address()
		}
		l.prog.Funcs = append(l.prog.Funcs, f)
		l.formals(c)
		l.block(c.body)
		l.endFunction(c.body.end)
		l.prog.Funcs[len(l.prog.Funcs)-1].Frame = uint32(l.frame)
		l.scope = l.scope.up
	}
}

// formals declares results and parameters. Those in registers are loaded at the entry and stored at
// the return.
func (l *lowering) formals(c *callee) {
	l.scope = newScope(l.scope)
	offsets, size := c.offsets()
	if c.cycle != 0 {
		l.frame = size
	}
	l.results = nil
	for i, x := range c.formals() {
		at := &spot{at: c.at + offsets[i], frame: c.cycle != 0}
		if x.variable != nil {
			l.declareVariable(x.variable)
			if x.variable.why != "" {
				l.errorf(x.variable.name.pos, CodeUnsupported, "parameter %s: %s", clip(x.name().text), x.variable.why)
			}
			l.spots[x.variable] = at
			continue
		}
		l.declareRegs(l.scope, x.reg)
		if x.reg.typ == isa.NoType || x.reg.vector > 0 {
			l.errorf(x.name().pos, CodeUnsupported, "a parameter of type .%s is not supported", x.reg.words)
			continue
		}
		o := l.implicit(c.name.pos)
		r := o.register(&operand{name: x.name().text, pos: x.name().pos}, x.reg.typ)
		if i < len(c.rets) {
			l.results = append(l.results, result{r, x, at})
		} else {
			l.transfer(isa.OpLd, r, x.typ(), at, c.name.pos, "ld.param."+x.reg.words+" "+x.name().text)
		}
	}
}

// result is a register that holds a result of a function.
type result struct {
	reg    isa.Operand
	formal formal
	at     *spot
}

// implicit makes the operands of an instruction that the PTX does not contain.
func (l *lowering) implicit(pos isa.Pos) operands {
	return operands{lowering: l, in: &instruction{name: word{"call", pos}}, out: &isa.Inst{}, relaxed: true}
}

// transfer emits a load or store of a register parameter. A predicate becomes a byte.
func (l *lowering) transfer(op isa.Op, value isa.Operand, t isa.Type, at *spot, pos isa.Pos, text string) {
	if t == isa.Pred {
		t = isa.U8
	}
	if value.Kind == isa.OperandPred {
		if l.passed == 0 {
			l.passed = 1 + int(l.hidden("%passed", isa.U32))
		}
		word := isa.Operand{Kind: isa.OperandReg, Index: uint16(l.passed - 1)}
		in := isa.Inst{
			Op: isa.OpSelp, Type: isa.U32, NSrc: 3, NDst: 1, DstBits: 32, Inserted: true, Pos: pos,
			Loc: l.loc, Text: "selp.u32 %passed, 1, 0",
		}
		in.Dst[0] = word
		in.Src = [isa.MaxSrcs]isa.Operand{{Kind: isa.OperandImm, Imm: 1}, {Kind: isa.OperandImm}, value}
		if op == isa.OpSt {
			l.emit(in)
		}
		l.transfer(op, word, t, at, pos, text)
		if op == isa.OpLd {
			in.Op, in.SrcType, in.Cmp, in.NSrc, in.DstBits, in.Text = isa.OpSetp, isa.U32, isa.CmpNe, 2, 0,
				"setp.ne.u32 %passed, 0"
			in.Dst[0] = value
			in.Src = [isa.MaxSrcs]isa.Operand{word, {Kind: isa.OperandImm}}
			l.emit(in)
		}
		return
	}
	in := isa.Inst{
		Op: op, Type: t, Space: isa.SpaceLocal, Vec: 1, NSrc: 1, Inserted: true, Pos: pos, Loc: l.loc,
		Text: text,
	}
	in.Src[0] = isa.Operand{Kind: isa.OperandImm}
	if op == isa.OpSt {
		in.Src[1], in.NSrc = value, 2
	} else {
		in.Dst[0], in.NDst = value, 1
		in.DstBits = uint8(l.prog.Regs[value.Index].Type.Bits())
	}
	l.uses = append(l.uses, use{pc: len(l.prog.Insts), spot: at})
	l.emit(in)
}

func (l *lowering) emit(in isa.Inst) {
	in.Target, in.Reconv, in.Likely = isa.NoPC, isa.NoPC, isa.NoPC
	l.prog.Insts = append(l.prog.Insts, in)
}

// ret lowers the return from a function: a jump to the one that returns. endFunction chooses that
// one.
func (l *lowering) ret(out isa.Inst) {
	for _, r := range l.results {
		l.transfer(isa.OpSt, r.reg, r.formal.typ(), r.at, out.Pos,
			"st.param."+r.formal.reg.words+" "+r.formal.name().text)
	}
	l.returns = append(l.returns, len(l.prog.Insts))
	out.Op = isa.OpBra
	l.prog.Insts = append(l.prog.Insts, out)
}

// endFunction resolves the open references of the function that ends here. It makes the last
// unguarded return the one to which the others jump, so that all paths meet in the function.
func (l *lowering) endFunction(end isa.Pos) {
	l.resolveBranches()
	p := l.prog
	guarded := func(pc int) bool { return p.Insts[pc].Guard.Kind != isa.OperandNone }
	if l.runsOff() || len(l.returns) > 0 && !slices.ContainsFunc(l.returns, func(pc int) bool { return !guarded(pc) }) {
		l.ret(isa.Inst{Target: isa.NoPC, Reconv: isa.NoPC, Likely: isa.NoPC, Pos: end, Loc: l.loc, Text: "ret"})
	}
	for i, pc := range slices.Backward(l.returns) {
		if guarded(pc) {
			continue
		}
		in := &p.Insts[pc]
		in.Op, in.NSrc = isa.OpRet, 1
		in.Src[0] = isa.Operand{Kind: isa.OperandReg, Index: l.fn.link}
		l.returns = slices.Delete(l.returns, i, i+1)
		for _, other := range l.returns {
			p.Insts[other].Target = uint32(pc)
		}
		break
	}
	l.returns = nil
	l.resolveUses()
}

// resolveUses fills in the addresses of variables in local memory.
func (l *lowering) resolveUses() {
	for _, u := range l.uses {
		at := u.spot
		if at == nil {
			at = l.spots[u.v]
		}
		if at == nil { // a parameter of no call
			at = l.reserve(u.v)
		}
		in := &l.prog.Insts[u.pc]
		if call, ok := l.argumentOf[u.v]; ok && l.calls(min(call, u.pc)+1, max(call, u.pc)) {
			l.errorf(in.Pos, CodeUnsupported,
				"%s of an argument belongs to its call: there is another one between them", in.Text)
		}
		in.Src[u.src].Imm += at.at
		if !at.frame {
			continue
		}
		frame := isa.Operand{Kind: isa.OperandReg, Index: l.prog.Frame}
		switch in.Op {
		case isa.OpMov, isa.OpCvta:
			switch {
			case in.Op == isa.OpMov:
			case in.Mode == isa.ModeTo:
				in.Src[u.src].Imm -= isa.LocalWindow
			default:
				in.Src[u.src].Imm += isa.LocalWindow
			}
			in.Type = map[int]isa.Type{32: isa.U32, 64: isa.U64}[in.Type.Bits()]
			in.Op, in.Mode, in.Space, in.NSrc = isa.OpAdd, isa.ModeNone, isa.SpaceNone, 2
			in.Src[1], in.Src[0] = in.Src[0], frame
		case isa.OpIsspacep:
			continue // every address of the window is valid
		default:
			if !in.Memory() {
				l.errorf(in.Pos, CodeUnsupported,
					"%s: in a recursive function the address of a .local variable or parameter wants a mov of its own",
					in.Text)
			}
			in.Off += int64(in.Src[0].Imm)
			in.Src[0] = frame
		}
		if at.outgoing {
			l.outgoing = append(l.outgoing, uint32(u.pc))
		}
	}
	l.uses = nil
}

// calls reports whether the instructions from from to before to contain a call.
func (l *lowering) calls(from, to int) bool {
	i, _ := slices.BinarySearch(l.callPCs, from)
	return i < len(l.callPCs) && l.callPCs[i] < to
}

// reserve gives a variable of a function its place.
func (l *lowering) reserve(v *variable) *spot {
	at := &spot{frame: l.fn != nil && l.fn.cycle != 0}
	if at.frame {
		if v.align > isa.FrameAlign {
			l.errorf(v.name.pos, CodeUnsupported,
				"%s: in a recursive function a variable has an alignment of %d bytes at most", clip(v.name.text),
				isa.FrameAlign)
		}
		at.at = alignUp(l.frame, v.align)
		if l.frame = at.at + v.size; l.frame > spaceLimit[isa.SpaceLocal] {
			l.errorf(v.name.pos, CodeLimit, "the .local variables take more than %d bytes", spaceLimit[isa.SpaceLocal])
		}
	} else {
		l.allocate(v)
		at.at = l.offsets[v]
	}
	l.spots[v] = at
	return at
}

// targets declares a .calltargets. All its functions have the same parameters.
func (l *lowering) targets(t *targets) {
	var first *function
	for _, w := range t.names {
		f := l.m.functions[w.text]
		switch {
		case f == nil:
			l.errorf(w.pos, CodeName, "undeclared function %s", clip(w.text))
		case first != nil && !f.agrees(first):
			l.errorf(w.pos, CodeOperand, "function %s has other parameters than %s", clip(w.text),
				clip(first.name.text))
		default:
			first = f
		}
	}
	l.scope.declarePrototype(t.label.text, first)
}

// call lowers a call (section 9.7.11.5). A guard becomes a branch around it.
func (l *lowering) call(s *instruction, out isa.Inst) {
	c := s.call
	f, target := l.called(c)
	if f == nil {
		return
	}
	if !l.count("results", c.rets, f.rets, f, c) || !l.count("arguments", c.args, f.params, f, c) {
		return
	}
	around := -1
	if out.Guard.Kind == isa.OperandPred {
		around = len(l.prog.Insts)
		skip := isa.Inst{Op: isa.OpBra, Guard: out.Guard, Inserted: true, Pos: out.Pos, Loc: out.Loc, Text: "bra"}
		skip.Guard.Not = !skip.Guard.Not
		l.emit(skip)
		out.Guard = isa.Operand{}
	}
	offsets, _ := f.offsets()
	var loads []func()
	for i, x := range f.formals() {
		at := &spot{at: target.at + offsets[i], frame: target.cycle != 0, outgoing: target.cycle != 0}
		if i < len(f.rets) {
			if load := l.argument(&c.rets[i], x, at, isa.OpLd); load != nil {
				loads = append(loads, load)
			}
		} else if store := l.argument(&c.args[i-len(f.rets)], x, at, isa.OpSt); store != nil {
			store()
		}
	}
	printed := func() {}
	switch {
	case f.asserts():
		l.assertion(target, &out)
	case f.prints():
		printed = l.print(c, target, &out)
	default:
		l.link(s, &out, f, target)
	}
	pc := len(l.prog.Insts)
	for _, v := range l.bound {
		l.argumentOf[v] = pc
	}
	l.bound = nil
	if out.Op == isa.OpCall {
		l.callPCs = append(l.callPCs, pc)
	}
	l.prog.Insts = append(l.prog.Insts, out)
	printed()
	for _, load := range loads {
		load()
	}
	if around >= 0 {
		l.prog.Insts[around].Target = uint32(len(l.prog.Insts))
	}
}

// link completes the instruction of a call with its target and return PC.
func (l *lowering) link(s *instruction, out *isa.Inst, f *function, target *callee) {
	pc := len(l.prog.Insts)
	out.NSrc, out.NDst = 1, 1
	out.Src[0] = isa.Operand{Kind: isa.OperandImm, Imm: uint64(pc) + 1}
	out.Dst[0] = isa.Operand{Kind: isa.OperandReg, Index: target.link}
	if f == target.function {
		l.callTargets = append(l.callTargets, callTarget{pc, f})
		return
	}
	o := operands{lowering: l, in: s, out: out}
	out.Src[1], out.NSrc = o.addressRegister(&operand{name: s.call.target.text, pos: s.call.target.pos}), 2
}

// external is a callee for a function of CUDA's run time, which has no code: a place for its
// arguments.
func (l *lowering) external(f *function) *callee {
	if l.runtime[f] == nil {
		_, size := f.offsets()
		at := variable{name: f.name, space: isa.SpaceLocal, size: size, align: 8}
		l.allocate(&at)
		l.runtime[f] = &callee{function: f, at: l.offsets[&at]}
	}
	return l.runtime[f]
}

// callTarget is a direct call whose function may not have been lowered yet.
type callTarget struct {
	pc int
	f  *function
}

// called finds the callee: a function, also as the target, or a prototype and the functions called
// by address.
func (l *lowering) called(c *callSite) (*function, *callee) {
	name := clip(c.target.text)
	if f := l.m.functions[c.target.text]; f != nil {
		if f.asserts() || f.prints() {
			return f, l.external(f)
		}
		if f.body == nil {
			l.errorf(c.target.pos, CodeUnsupported, "%s is declared only: it is defined in another file", name)
			return nil, nil
		}
		return f, l.found[f]
	}
	if l.m.isKernel(c.target.text) {
		l.errorf(c.target.pos, CodeOperand, "%s is a kernel, which cannot be called", name)
		return nil, nil
	}
	if sym := l.scope.lookup(c.target.text); sym == nil {
		var names []string
		for _, f := range l.m.funcs {
			names = append(names, f.name.text)
		}
		l.errorf(c.target.pos, CodeName, "undeclared function %s%s", name, didYouMean(c.target.text, names))
		return nil, nil
	}
	if c.list == nil {
		l.errorf(c.target.pos, CodeOperand,
			"the call of what %s points to wants a label of .callprototype or .calltargets behind the arguments", name)
		return nil, nil
	}
	f := l.scope.prototype(c.list.text)
	if f == nil {
		l.errorf(c.list.pos, CodeName, "%s is no label of a .callprototype or .calltargets above", clip(c.list.text))
		return nil, nil
	}
	by := l.byAddress(f)
	if by == nil {
		l.errorf(c.target.pos, CodeName, "no function with the parameters of %s has its address taken in this file",
			clip(c.list.text))
		return nil, nil
	}
	return &function{name: c.target, rets: f.rets, params: f.params}, by
}

// byAddress is a function with the parameters of f whose address is taken, or nil. All such
// functions are called in the same way.
func (l *lowering) byAddress(f *function) *callee {
	if l.addressed == nil {
		l.addressed = map[string]*callee{}
		for _, c := range slices.Backward(l.callees) {
			if c.taken {
				l.addressed[c.passes()] = c
			}
		}
	}
	return l.addressed[f.passes()]
}

// count compares the number of operands with that of formals.
func (l *lowering) count(what string, have []operand, want []formal, f *function, c *callSite) bool {
	if len(have) == len(want) {
		return true
	}
	pos := c.target.pos
	if len(have) > len(want) {
		pos = have[len(want)].pos
	}
	l.errorf(pos, CodeOperand, "%s has %s, the call has %d", clip(f.name.text), counted(len(want), what[:len(what)-1]),
		len(have))
	return false
}

// argument binds an operand of a call to a formal. A variable of the .param space has the place of
// the formal. The returned function moves a register or constant.
func (l *lowering) argument(x *operand, f formal, at *spot, op isa.Op) func() {
	name := f.name().text
	if x.kind == nameOperand {
		if sym := l.scope.lookup(x.name); sym != nil && sym.variable != nil {
			l.bindArgument(x, sym.variable, f, at)
			return nil
		}
	}
	t := f.typ()
	switch {
	case t == isa.NoType && f.reg != nil:
		return nil // reported at the function
	case t == isa.NoType:
		size, _ := f.layout()
		l.errorf(x.pos, CodeOperand, "parameter %s has %d bytes: expected a .param variable of that size, found %s",
			clip(name), size, kindName(x))
		return nil
	}
	o := l.implicit(x.pos)
	var value isa.Operand
	if op == isa.OpSt {
		value = o.source(x, t)
	} else if value = o.destination(x, t); value.Kind == isa.OperandSink {
		return nil
	}
	if value.Kind == isa.OperandNone {
		return nil // reported
	}
	text := fmt.Sprintf("%s.param.%s %s", map[isa.Op]string{isa.OpSt: "st", isa.OpLd: "ld"}[op], typeName(t), name)
	return func() { l.transfer(op, value, t, at, x.pos, text) }
}

// bindArgument puts a variable of the .param space at the place of the formal.
func (l *lowering) bindArgument(x *operand, v *variable, f formal, at *spot) {
	size, _ := f.layout()
	switch old := l.spots[v]; {
	case v.space != isa.SpaceParam:
		l.errorf(x.pos, CodeOperand, "%s is a %s variable: an argument is a .param variable, a register or a constant",
			clip(x.name), spaceName(v.space))
	case !v.argument:
		l.errorf(x.pos, CodeOperand, "%s is a parameter here: an argument is a .param variable of the block, a register or a constant", clip(x.name))
	case x.off != 0:
		l.errorf(x.pos, CodeOperand, "an argument takes no offset")
	case v.size != size:
		l.errorf(x.pos, CodeType, "%s has %d bytes, parameter %s has %d", clip(x.name), v.size,
			clip(f.name().text), size)
	case old != nil:
		l.errorf(x.pos, CodeUnsupported, "%s is an argument of several calls: declare a .param variable for each",
			clip(x.name))
	default:
		l.spots[v] = at
		l.bound = append(l.bound, v)
	}
}
