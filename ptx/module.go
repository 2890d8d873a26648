package ptx

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"divergo/isa"
)

// header parses .version, .target and .address_size (section 11.1).
func (p *parser) header() {
	if !p.atDirective("version") {
		p.errorf(p.tok.pos, CodeSyntax, "expected .version at the start of the module, found %s", p.tok)
	}
	for !p.full() {
		switch {
		case p.atDirective("version"):
			p.version()
		case p.atDirective("target"):
			p.target()
		case p.atDirective("address_size"):
			p.addressSize()
		default:
			if p.m.target == 0 && p.m.version != 0 {
				p.errorf(p.tok.pos, CodeSyntax, "expected .target after .version, found %s", p.tok)
			}
			return
		}
	}
}

func (p *parser) atDirective(name string) bool { return p.tok.kind == dotWord && p.tok.text == name }

// version parses ".version 4.2" (section 11.1.1).
func (p *parser) version() {
	p.next()
	major, minor, _ := strings.Cut(p.tok.text, ".")
	a, err := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	if p.tok.kind != number || err != nil || err2 != nil || a < 1 || a > 9 || b > 9 {
		p.errorf(p.tok.pos, CodeSyntax, "expected a PTX ISA version such as 4.2, found %s", p.tok)
		p.m.version = 42
	} else {
		p.m.version = 10*a + b
	}
	p.next()
}

// target parses ".target sm_35, debug" (section 11.1.2).
func (p *parser) target() {
	for {
		p.next()
		w, ok := p.ident("a target such as sm_35")
		if !ok {
			p.m.target = 35
			p.skipStatement()
			return
		}
		sm, isArch := strings.CutPrefix(w.text, "sm_")
		n, err := strconv.Atoi(strings.TrimRight(sm, "abcdef"))
		switch {
		case isArch && err == nil && n >= 10 && n < 1000:
			p.m.target = n
		case w.text == "map_f64_to_f32":
			p.m.mapF64 = true
		case w.text == "debug" || strings.HasPrefix(w.text, "texmode_"):
		default:
			p.errorf(w.pos, CodeName, "unknown target %s: expected sm_ and a number, debug, texmode_unified, texmode_independent or map_f64_to_f32", clip(w.text))
			p.m.target = 35
		}
		if p.tok.kind != ',' {
			break
		}
	}
	if p.m.target == 0 {
		p.errorf(p.lastPos, CodeSyntax, "expected an architecture such as sm_35 in .target")
		p.m.target = 35
	}
}

// addressSize parses ".address_size 64" (section 11.1.3).
func (p *parser) addressSize() {
	p.next()
	pos := p.tok.pos
	if n, ok := p.literal("an address size", 64); ok {
		if n != 32 && n != 64 {
			p.errorf(pos, CodeRange, "expected an address size of 32 or 64, found %d", n)
		}
		p.m.addressBits = int(n)
	} else {
		p.next()
	}
}

// directive parses one directive at module level.
func (p *parser) directive() {
	if p.tok.kind != dotWord {
		switch p.tok.kind {
		case '}':
			p.errorf(p.tok.pos, CodeSyntax, "this '}' closes nothing")
			p.next()
			return
		case '{':
			p.errorf(p.tok.pos, CodeSyntax, "expected a directive such as .entry before this block")
			p.skipBraces()
			return
		}
		if p.tok.kind != ';' {
			p.errorf(p.tok.pos, CodeSyntax, "expected a directive such as .entry or .global, found %s", p.tok)
		}
		p.next()
		p.skipStatement()
		return
	}
	link, ok := p.linking()
	if !ok {
		return
	}
	switch name := p.tok.text; name {
	case "entry":
		p.entry()
	case "func":
		p.function()
	case "global", "const", "shared", "local", "tex", "surf":
		p.variables(link, func(v *variable) { p.declareModule(v) })
	case "reg":
		p.registers(func(r *regDecl) {
			p.declareRegs(p.m.scope, r)
			p.m.regs = append(p.m.regs, r)
		})
	default:
		if !p.common() {
			p.errorf(p.tok.pos, CodeName, "unknown directive .%s%s", clip(name), didYouMean(name, directives))
			p.next()
			p.skipStatement()
		}
	}
}

var directives = []string{
	"abi_preserve", "abi_preserve_control", "address_size", "alias", "align", "common", "const", "entry", "extern",
	"file", "func", "global", "hidden", "loc", "local", "maxnctapersm",
	"maxnreg", "maxntid", "minnctapersm", "param", "pragma", "reg", "reqntid", "section", "shared", "target", "version",
	"visible", "weak",
}

// linking parses .extern, .visible, .weak and .common (section 11.6), and .hidden.
func (p *parser) linking() (l linking, ok bool) {
	for p.tok.kind == dotWord {
		switch p.tok.text {
		case "extern":
			l = linkExtern
		case "visible", "weak", "common", "hidden":
			l = linkDefined
		default:
			return l, true
		}
		p.next()
	}
	p.errorf(p.tok.pos, CodeSyntax, "expected .entry, .func or a state space after a linking directive, found %s",
		p.tok)
	p.skipStatement()
	return l, false
}

// common parses the directives that are allowed everywhere and have little effect on the machine.
func (p *parser) common() bool {
	switch p.tok.text {
	case "file":
		p.sourceFile()
	case "section":
		p.section()
	case "pragma":
		p.next()
		p.skipStatement()
	case "alias":
		p.alias()
	case "byte", "2byte", "4byte", "8byte", "quad", "b8", "b16", "b32", "b64": // of DWARF, one line each
		for p.next(); !p.tok.newline && p.tok.kind != eof; {
			p.next()
		}
	case "version", "target", "address_size":
		p.errorf(p.tok.pos, CodeDuplicate, ".%s belongs at the start of the module, once", p.tok.text)
		p.next()
		p.skipStatement()
	default:
		return false
	}
	return true
}

// sourceFile parses `.file 1 "k.cu", 1600000000, 123` (section 11.5.3).
func (p *parser) sourceFile() {
	p.next()
	n, ok := p.literal("a file number", 1<<32-1)
	if !ok {
		p.next()
		return
	}
	if p.tok.kind != text {
		p.errorf(p.tok.pos, CodeSyntax, "expected a file name in quotes, found %s", p.tok)
		return
	}
	if _, dup := p.m.fileAt[n]; !dup {
		p.m.fileAt[n] = int32(len(p.m.fileNames))
	}
	p.m.fileNames = append(p.m.fileNames, p.tok.text)
	p.next()
	for p.accept(',') {
		p.next() // time stamp, size
	}
}

// section skips debugging information (section 11.5.2): the name and the contents of the braces.
func (p *parser) section() {
	p.next()
	for p.tok.kind != '{' {
		if p.tok.kind == eof || p.tok.kind == ';' || p.tok.newline && p.tok.kind == dotWord {
			return
		}
		p.next()
	}
	p.skipBraces()
}

// entry parses a kernel (section 11.2.1).
func (p *parser) entry() {
	p.next()
	k := &kernel{}
	name, ok := p.ident("the name of the kernel")
	k.name, k.pos = name.text, name.pos
	listed := ok && p.tok.kind == '('
	if listed {
		ok = p.params(k)
	}
	if !ok {
		p.skipToBody()
	}
	p.launchBounds(k)
	switch {
	case p.tok.kind == '{':
		k.body = p.body()
		if !listed && p.m.version < 14 {
			k.paramsInside()
		}
	case p.accept(';'), ok && p.declared():
		return // a declaration
	default:
		p.errorf(p.tok.pos, CodeSyntax, "expected the body of the kernel in braces, found %s", p.tok)
		p.skipStatement()
		return
	}
	if !ok {
		return
	}
	if p.m.isKernel(k.name) {
		p.errorf(k.pos, CodeDuplicate, "kernel %s is defined twice", clip(k.name))
		return
	}
	if len(p.m.kernels) == maxKernels {
		p.errorf(k.pos, CodeLimit, "more than %d kernels in a file", maxKernels)
		return
	}
	p.m.named[k.name] = len(p.m.kernels)
	p.m.kernels = append(p.m.kernels, k)
}

// maxKernels bounds the kernels of a file. The largest libraries have a few thousand.
const maxKernels = 1 << 16

// paramsInside takes the parameters from the body if there is no parameter list, as before PTX ISA
// 1.4.
func (k *kernel) paramsInside() {
	k.body.stmts = slices.DeleteFunc(k.body.stmts, func(s stmt) bool {
		v, ok := s.(*variable)
		if !ok || v.space != isa.SpaceParam {
			return false
		}
		v.argument = false
		k.params = append(k.params, v)
		return true
	})
}

func (m *Module) isKernel(name string) bool {
	_, ok := m.named[name]
	return ok
}

// skipToBody skips to the '{' of a kernel or to the start of another directive.
func (p *parser) skipToBody() {
	for p.tok.kind != '{' && p.tok.kind != eof && p.tok.kind != ';' && !p.atDirective("entry") {
		p.next()
	}
}

func (p *parser) params(k *kernel) bool {
	p.next()
	if p.accept(')') {
		return true
	}
	for {
		if !p.atDirective("param") {
			p.errorf(p.tok.pos, CodeSyntax, "expected .param, found %s", p.tok)
			return false
		}
		v, ok := p.variable(linkNone)
		if !ok {
			return false
		}
		k.params = append(k.params, v)
		if !p.accept(',') {
			return p.expect(')', "to close the list of parameters")
		}
	}
}

// launchBounds parses the performance directives between the parameters and
// the body of a kernel (section 11.4).
func (p *parser) launchBounds(k *kernel) {
	for p.tok.kind == dotWord {
		w := p.tok
		p.next()
		switch w.text {
		case "maxntid", "reqntid":
			dims, ok := p.dims()
			if !ok {
				p.skipToBody()
				return
			}
			k.maxThreads = dims[0] * dims[1] * dims[2]
			if w.text == "reqntid" {
				k.reqThreads = dims
			}
		case "reqnctapercluster", "explicitcluster", "blocksareclusters":
			if w.text == "reqnctapercluster" {
				if dims, ok := p.dims(); !ok {
					p.skipToBody()
					return
				} else if dims == [3]uint32{1, 1, 1} {
					continue
				}
			}
			k.clusters = word{w.text, w.pos}
		case "minnctapersm", "maxnctapersm", "maxnreg", "maxclusterrank":
			if _, ok := p.integer("a number", 1<<20); !ok {
				p.skipToBody()
				return
			}
		case "noreturn":
		case "pragma":
			p.pragmas(func(s pragma) { k.pragmas = append(k.pragmas, s) })
		default:
			if startsDirective[w.text] {
				p.errorf(w.pos, CodeSyntax, "expected the body of the kernel in braces, found %s", w)
			} else {
				p.errorf(w.pos, CodeName, "unknown directive .%s of a kernel%s", clip(w.text),
					didYouMean(w.text, directives))
			}
			p.skipToBody()
			return
		}
	}
}

// dims parses up to three sizes of a CTA.
func (p *parser) dims() (dims [3]uint32, ok bool) {
	dims = [3]uint32{1, 1, 1}
	for i := range dims {
		pos := p.tok.pos
		n, ok := p.integer("a number of threads", 1024)
		if !ok {
			return dims, false
		}
		if n == 0 {
			p.errorf(pos, CodeRange, "a CTA has at least one thread")
			return dims, false
		}
		dims[i] = uint32(n)
		if i == 2 || !p.accept(',') {
			break
		}
	}
	return dims, true
}

// localDirective parses a directive inside a block.
func (p *parser) localDirective(b *block) {
	switch name := p.tok.text; name {
	case "reg":
		p.registers(func(r *regDecl) { b.stmts = append(b.stmts, r) })
	case "shared", "local", "global", "const", "param", "tex", "surf":
		p.variables(linkNone, func(v *variable) { p.declareInner(b, v) })
	case "extern", "weak", "common", "hidden":
		if link, ok := p.linking(); ok {
			p.variables(link, func(v *variable) { p.declareInner(b, v) })
		}
	case "loc":
		p.location(b)
	case "pragma":
		p.next()
		p.pragmas(func(s pragma) { b.stmts = append(b.stmts, s) })
	default:
		if !p.common() {
			p.errorf(p.tok.pos, CodeName, "unknown directive .%s%s", clip(name), didYouMean(name, directives))
			p.next()
			p.skipStatement()
		}
	}
}

// pragmas parses the strings of a .pragma up to its ';'.
func (p *parser) pragmas(add func(pragma)) {
	for p.tok.kind != ';' && p.tok.kind != '{' && p.tok.kind != '}' && p.tok.kind != eof {
		if p.tok.kind == text {
			add(pragma{p.tok.text, p.tok.pos})
		}
		p.next()
	}
	p.accept(';')
}

// location parses ".loc 1 25 3, function_name f, inlined_at 1 2 3" (section
// 11.5.4).
func (p *parser) location(b *block) {
	p.next()
	file, ok := p.literal("a file number", 1<<32-1)
	if !ok {
		p.skipStatement()
		return
	}
	line, ok := p.literal("a line number", 1<<31-1)
	if !ok {
		p.skipStatement()
		return
	}
	if _, ok = p.literal("a column number", 1<<32-1); !ok {
		p.skipStatement()
		return
	}
	at := location{file: file, line: int32(line)}
	for p.accept(',') {
		if p.tok.text == "inlined_at" {
			p.next()
			if at.callFile, ok = p.literal("a file number", 1<<32-1); !ok {
				break
			}
			if line, ok = p.literal("a line number", 1<<31-1); !ok {
				break
			}
			at.callLine = int32(line)
		}
		for !p.tok.newline && (p.tok.kind == ident || p.tok.kind == number || p.tok.kind == dotWord ||
			p.tok.kind == '+') {
			p.next()
		}
	}
	b.stmts = append(b.stmts, at)
}

// registers parses a .reg directive (sections 5.1.1 and 5.4.6).
func (p *parser) registers(declare func(*regDecl)) {
	d, ok := p.registerType()
	if !ok {
		p.skipStatement()
		return
	}
	for {
		r := d
		var ok bool
		if r.name, ok = p.ident("the name of a register"); !ok {
			p.skipStatement()
			return
		}
		if p.accept('<') {
			pos := p.tok.pos
			if r.count, ok = p.literal("a number of registers", maxRegisters); !ok ||
				!p.expect('>', "after the number of registers") {
				p.skipStatement()
				return
			}
			if r.count == 0 {
				p.errorf(pos, CodeRange, "%s<0> declares no register", clip(r.name.text))
			}
		}
		declare(&r)
		if !p.accept(',') {
			break
		}
	}
	if !p.semicolon("the declaration of registers") {
		p.skipStatement()
	}
}

// registerType parses .reg and the type behind it.
func (p *parser) registerType() (d regDecl, ok bool) {
	p.next()
	for p.tok.kind == dotWord {
		w := p.tok
		t, known := typeNames[w.text]
		switch {
		case w.text == "align":
			p.next()
			if _, ok := p.integer("an alignment", 1<<16); !ok {
				return d, false
			}
			continue
		case w.text == "v2" || w.text == "v4":
			d.vector = int(w.text[1] - '0')
		case known && alternate(t):
			p.errorf(w.pos, CodeType, "a register cannot have type .%s: %s", w.text, bitsInstead(t))
			return d, false
		case known || otherTypes[w.text]:
			d.typ, d.words = t, w.text
		default:
			p.errorf(w.pos, CodeName, "unknown type .%s of a register%s", clip(w.text), didYouMean(w.text, typeWords))
			return d, false
		}
		p.next()
	}
	if d.words == "" {
		p.errorf(p.tok.pos, CodeSyntax, "expected the type of the registers, found %s", p.tok)
		return d, false
	}
	return d, true
}

// maxRegisters bounds the registers of one declaration. Real kernels have at most about 60,000.
const maxRegisters = 1 << 20

// declareModule enters a module-level variable. A definition may follow an .extern declaration.
func (p *parser) declareModule(v *variable) {
	if old, ok := p.m.scope.names[v.name.text]; ok {
		prior := old.variable
		switch {
		case prior == nil || prior.space != v.space || prior.link != linkExtern && v.link != linkExtern:
			p.errorf(v.name.pos, CodeDuplicate, "%s is declared twice: first in line %d", clip(v.name.text),
				old.pos.Line)
		case v.link != linkExtern:
			*prior = *v
		}
		return
	}
	p.m.scope.names[v.name.text] = &symbol{pos: v.name.pos, variable: v}
	p.m.vars = append(p.m.vars, v)
}

// declareInner adds a variable to a block. In the .global or .const space it exists once, like
// those of the module, but only the block knows its name.
func (p *parser) declareInner(b *block, v *variable) {
	switch v.space {
	case isa.SpaceParam:
		v.argument = v.link == linkNone
	case isa.SpaceGlobal, isa.SpaceConst:
		p.m.inner = append(p.m.inner, v)
	}
	b.stmts = append(b.stmts, v)
}

// declareRegs enters registers into a scope.
func (r *reporter) declareRegs(s *scope, d *regDecl) {
	if line := s.declare(d); line != 0 {
		name := clip(d.name.text)
		if d.count > 0 {
			name += "<" + strconv.FormatUint(d.count, 10) + ">"
		}
		r.errorf(d.name.pos, CodeDuplicate, "%s is declared twice: first in line %d", name, line)
	}
}

// layout gives the module-level variables their addresses, .const before .global. It also fills in
// the addresses that initialisers hold.
func (p *parser) layout() {
	next := p.m.base
	vars := slices.Concat(p.m.vars, p.m.inner)
	for _, space := range []isa.Space{isa.SpaceConst, isa.SpaceGlobal} {
		for _, v := range vars {
			if v.space != space || v.link == linkExtern || v.why != "" {
				continue
			}
			next = alignUp(next, v.align)
			v.addr = next
			next += v.size
			if next > isa.GlobalBase-printSpace {
				p.errorf(v.name.pos, CodeLimit, "the variables of the module take more than %d bytes",
					isa.GlobalBase-printSpace-p.m.base)
				return
			}
		}
		if space == isa.SpaceConst {
			p.m.constBytes = next - p.m.base
		}
	}
	if f := p.m.functions[vprintf]; f != nil && f.prints() {
		p.m.printer = alignUp(next, printAlign)
	}
	for _, v := range vars {
		for i := range v.relocs {
			p.relocate(v, &v.relocs[i])
		}
	}
	p.share()
}

// End is the address behind the variables of the module, a multiple of 256.
func (m *Module) End() uint64 {
	end := m.base
	for _, g := range m.globals {
		end = max(end, g.Addr+g.Size)
	}
	return alignUp(end, 256)
}

// share makes the data common to the programs of all kernels.
func (p *parser) share() {
	p.m.variables = newScope(nil)
	for _, v := range p.m.vars {
		p.m.variables.names[v.name.text] = &symbol{pos: v.name.pos, variable: v}
	}
	for _, v := range slices.Concat(p.m.vars, p.m.inner) {
		if (v.space == isa.SpaceGlobal || v.space == isa.SpaceConst) && v.link != linkExtern && v.why == "" {
			p.m.globals = append(p.m.globals,
				isa.Global{Name: v.name.text, Space: v.space, Addr: v.addr, Size: v.size, Init: v.init})
		}
	}
	if p.m.printer != 0 {
		p.m.globals = append(p.m.globals,
			isa.Global{Name: "print buffer", Space: isa.SpaceGlobal, Addr: p.m.printer, Size: isa.PrintBytes})
	}
}

func alignUp(n, align uint64) uint64 { return (n + align - 1) &^ (align - 1) }

// relocate stores an address into the initialiser of v (section 5.4.4).
func (p *parser) relocate(v *variable, r *reloc) {
	sym, ok := p.m.scope.names[r.symbol.text]
	switch {
	case !ok && p.m.functions[r.symbol.text] != nil:
		f := p.m.functions[r.symbol.text]
		if !f.held {
			f.held = true
			p.m.taken = append(p.m.taken, f)
		}
		v.store(r, f.address()+uint64(r.off))
		return
	case !ok:
		p.errorf(r.symbol.pos, CodeName, "undeclared variable %s%s", clip(r.symbol.text),
			didYouMean(r.symbol.text, p.m.scope.words()))
		return
	case sym.variable == nil || sym.variable.space != isa.SpaceGlobal && sym.variable.space != isa.SpaceConst:
		p.errorf(r.symbol.pos, CodeOperand,
			"an initialiser can hold the address of a .global or .const variable only, %s is neither",
			clip(r.symbol.text))
		return
	case sym.variable.link == linkExtern:
		v.why = "its initialiser holds the address of " + r.symbol.text + ", which is defined in another file"
		return
	}
	v.store(r, sym.variable.addr+uint64(r.off))
}

// store puts an address into the initialiser.
func (v *variable) store(r *reloc, addr uint64) {
	addr = r.masked(addr)
	for i := range r.bytes {
		v.init[r.at+uint64(i)] = byte(addr >> (8 * i))
	}
}

// masked is the part of an address that mask() selects.
func (r *reloc) masked(value uint64) uint64 {
	if r.mask == 0 {
		return value
	}
	return (value & r.mask) >> bits.TrailingZeros64(r.mask)
}
