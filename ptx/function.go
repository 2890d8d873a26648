package ptx

import (
	"fmt"
	"slices"
	"strings"

	"divergo/isa"
)

// function is a .func (section 11.2.2), or the description of one in a .callprototype.
type function struct {
	name     word
	rets     []formal
	params   []formal
	body     *block // nil: declared only
	noreturn bool
	index    int  // in Module.funcs
	held     bool // an initialiser holds its address
}

// formal is a parameter or result of a function: a variable in the .param space or a register.
type formal struct {
	variable *variable
	reg      *regDecl
}

// name is the name of a formal.
func (f formal) name() word {
	if f.reg != nil {
		return f.reg.name
	}
	return f.variable.name
}

// layout is the size and alignment of a formal in memory, in bytes.
func (f formal) layout() (size, align uint64) {
	if f.variable != nil {
		return f.variable.size, f.variable.align
	}
	n := uint64(max(f.reg.typ.Bytes(), 1))
	return n, n
}

// typ is the type of a scalar formal, NoType for an array.
func (f formal) typ() isa.Type {
	switch {
	case f.reg != nil:
		return f.reg.typ
	case f.variable.size == uint64(f.variable.typ.Bytes()):
		return f.variable.typ
	}
	return isa.NoType
}

// offsets are the places of results and parameters in the memory that callers share with a
// function, results first, and its size.
func (f *function) offsets() (at []uint64, size uint64) {
	for _, x := range f.formals() {
		n, align := x.layout()
		size = alignUp(size, align)
		at = append(at, size)
		size += n
	}
	return at, size
}

// formals are the results and the parameters.
func (f *function) formals() []formal { return slices.Concat(f.rets, f.params) }

// address is the operand of indirect calls of f.
func (f *function) address() uint64 { return isa.FuncBase + uint64(f.index)*isa.InstBytes }

// agrees reports whether calls of f and of o pass the same types.
func (f *function) agrees(o *function) bool { return f.passes() == o.passes() }

// passes describes the results and parameters of a call of f.
func (f *function) passes() string {
	var s strings.Builder
	for _, x := range f.formals() {
		n, align := x.layout()
		fmt.Fprintf(&s, "%d %d,", n, align)
	}
	return fmt.Sprint(len(f.rets), ":", s.String())
}

// callSite are the operands of a call (section 9.7.11.5).
type callSite struct {
	rets, args []operand
	target     word
	list       *word // prototype or list of targets of an indirect call
}

// prototype is a .callprototype directive, targets a .calltargets directive
// (sections 11.3.2 and 11.3.3).
type (
	prototype struct {
		label word
		*function
	}
	targets struct {
		label word
		names []word
	}
)

// function parses a device function or its declaration.
func (p *parser) function() {
	p.next()
	p.attribute()
	f, ok := p.signature("the name of the function")
	if !ok {
		p.skipFunction()
		return
	}
	for p.callDirective(f) || p.atDirective("pragma") {
		if p.atDirective("pragma") {
			p.next()
			p.skipStatement()
		}
	}
	switch {
	case p.tok.kind == '{':
		f.body = p.body()
	case !p.accept(';') && !p.declared():
		p.errorf(p.tok.pos, CodeSyntax, "expected the body of the function in braces or ';', found %s", p.tok)
		p.skipFunction()
		return
	}
	p.declareFunction(f)
}

// callDirective parses a directive behind the parameters of a function that describes its calls. It
// is .noreturn, or gives the number of registers that the function preserves (.abi_preserve,
// .abi_preserve_control). Here all are preserved whatever that number (PTX ISA 9.0, section 11.4).
func (p *parser) callDirective(f *function) bool {
	switch {
	case p.atDirective("noreturn"):
		f.noreturn = true
		p.next()
	case p.atDirective("abi_preserve"), p.atDirective("abi_preserve_control"):
		p.next()
		p.literal("a number of registers", maxRegisters)
	default:
		return false
	}
	return true
}

// declared reports whether a declaration ends here without the ';' that old compilers leave out.
// The next directive then stands on a line of its own.
func (p *parser) declared() bool {
	return p.tok.kind == eof || p.tok.newline && p.tok.kind == dotWord && startsDirective[p.tok.text]
}

// declareFunction enters a function. Its declarations and definition must agree.
func (p *parser) declareFunction(f *function) {
	old := p.m.functions[f.name.text]
	switch {
	case old == nil:
		f.index = len(p.m.funcs)
		p.m.functions[f.name.text] = f
		p.m.funcs = append(p.m.funcs, f)
	case old.body != nil && f.body != nil:
		p.errorf(f.name.pos, CodeDuplicate, "function %s is defined twice: first in line %d", clip(f.name.text),
			old.name.pos.Line)
	case !f.agrees(old):
		p.errorf(f.name.pos, CodeOperand, "function %s has other parameters than in line %d", clip(f.name.text),
			old.name.pos.Line)
	case f.body != nil:
		f.index = old.index
		*old = *f
	}
}

// signature parses "(results) name (parameters)". Results and parameters may be left out.
func (p *parser) signature(what string) (f *function, ok bool) {
	f = &function{}
	if p.tok.kind == '(' {
		if f.rets, ok = p.formals("results"); !ok {
			return f, false
		}
	}
	if f.name, ok = p.ident(what); !ok {
		return f, false
	}
	if p.tok.kind == '(' {
		f.params, ok = p.formals("parameters")
	}
	return f, ok
}

// formals parses a list in parentheses.
func (p *parser) formals(what string) (list []formal, ok bool) {
	p.next()
	if p.accept(')') {
		return nil, true
	}
	for {
		switch {
		case p.atDirective("param"):
			v, ok := p.variable(linkNone)
			if !ok {
				return nil, false
			}
			list = append(list, formal{variable: v})
		case p.atDirective("reg"):
			d, ok := p.registerType()
			if !ok {
				return nil, false
			}
			if d.name, ok = p.ident("the name of a register"); !ok {
				return nil, false
			}
			list = append(list, formal{reg: &d})
		default:
			p.errorf(p.tok.pos, CodeSyntax, "expected .param or .reg, found %s", p.tok)
			return nil, false
		}
		if !p.accept(',') {
			return list, p.expect(')', "to close the list of "+what)
		}
	}
}

// skipFunction skips the rest of a function after a mistake in its head.
func (p *parser) skipFunction() {
	for p.tok.kind != '{' && p.tok.kind != ';' && p.tok.kind != eof && !p.atDirective("entry") &&
		!p.atDirective("func") {
		p.next()
	}
	if p.tok.kind == '{' {
		p.skipBraces()
		return
	}
	p.accept(';')
}

// call parses the operands of a call: (results), function, (arguments), list.
func (p *parser) call(in *instruction) (ok bool) {
	c := &callSite{}
	in.call = c
	if p.tok.kind == '(' {
		if c.rets, ok = p.arguments(); !ok || !p.expect(',', "after the results of the call") {
			return false
		}
	}
	if c.target, ok = p.ident("the function to call"); !ok {
		return false
	}
	if p.accept(',') {
		if p.tok.kind == '(' {
			if c.args, ok = p.arguments(); !ok || !p.accept(',') {
				return ok
			}
		}
		w, ok := p.ident("a label of .callprototype or .calltargets")
		c.list = &w
		return ok
	}
	return true
}

// arguments parses a list of operands in parentheses.
func (p *parser) arguments() (list []operand, ok bool) {
	p.next()
	if p.accept(')') {
		return nil, true
	}
	for {
		o, ok := p.operand()
		if !ok {
			return nil, false
		}
		list = append(list, o)
		if !p.accept(',') {
			return list, p.expect(')', "to close the list of arguments")
		}
	}
}

// labelled parses the directive behind a label, if it is not an instruction.
func (p *parser) labelled(b *block, l word) {
	switch {
	case p.atDirective("callprototype"):
		p.next()
		f, ok := p.signature("'_'")
		if !ok {
			p.skipStatement()
			return
		}
		b.stmts = append(b.stmts, &prototype{l, f})
		for p.callDirective(f) {
		}
		if !p.semicolon("the prototype") {
			p.skipStatement()
		}
	case p.atDirective("calltargets"):
		if names, ok := p.listed("the name of a function", "the list of functions"); ok {
			b.stmts = append(b.stmts, &targets{label: l, names: names})
		}
	case p.atDirective("branchtargets"):
		if names, ok := p.listed("a label", "the list of labels"); ok {
			b.stmts = append(b.stmts, &branchTargets{label: l, names: names})
		}
	}
}
