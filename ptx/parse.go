package ptx

import (
	"bytes"
	"slices"
	"strings"

	"divergo/isa"
)

// parser reads a module by recursive descent, one token ahead. A method that returns false has
// reported a mistake. Its caller then skips to a possible start of the next statement.
type parser struct {
	*lexer
	m       *Module
	tok     token
	lastEnd int     // byte offset behind the token before tok
	lastPos isa.Pos // the same as a position
	depth   int
}

// MaxSource bounds the size of a module, in bytes. No compiled module is that large.
const MaxSource = 32 << 20

// Parse reads PTX text. An error is a List. The file name appears in diagnostics and in programs.
func Parse(file string, src []byte) (*Module, error) { return ParseAt(file, src, isa.ModuleBase) }

// ParseAt is Parse for a module whose variables begin at base. base is a multiple of 256, at least
// isa.ModuleBase, and lies behind the variables of other modules: see End.
func ParseAt(file string, src []byte, base uint64) (*Module, error) {
	src = bytes.TrimPrefix(bytes.TrimRight(src, "\x00"), []byte("\ufeff")) // a PTX image in an object file ends in NUL
	r := &reporter{file: file, src: string(src)}
	p := &parser{
		lexer: newLexer(r),
		m: &Module{
			base: base, named: map[string]int{}, file: file, src: r.src, fileAt: map[uint64]int32{},
			scope: newScope(nil), functions: map[string]*function{},
		},
	}
	if why := notText(r.src); why != "" {
		r.errorf(isa.Pos{}, CodeSyntax, "%s", why)
		return nil, r.err()
	}
	p.next()
	p.header()
	for p.tok.kind != eof && !p.full() {
		p.directive()
	}
	if !p.full() {
		if len(p.m.kernels) == 0 {
			p.errorf(p.tok.pos, CodeName, "no kernel in this file: expected an .entry")
		}
		p.resolveAliases()
		p.layout()
	}
	if err := r.err(); err != nil {
		return nil, err
	}
	return p.m, nil
}

// notText recognises input that is not PTX text at all.
func notText(src string) string {
	switch {
	case len(src) >= 1<<30:
		return "the file is larger than 1 GiB"
	case strings.TrimSpace(src) == "":
		return "the file is empty: expected PTX text, starting with .version"
	case strings.HasPrefix(src, "\x7fELF"):
		return "this is an ELF file (a cubin or object file), not PTX text"
	case strings.IndexByte(src[:min(len(src), 4096)], 0) >= 0:
		return "this is a binary file, not PTX text"
	}
	return ""
}

func (p *parser) next() {
	p.lastEnd = p.tok.end
	p.lastPos = isa.Pos{Line: p.tok.pos.Line, Col: p.tok.pos.Col + int32(p.tok.end-p.tok.off)}
	p.tok = p.lexer.next()
}

// enter counts nesting; it returns false beyond maxNesting.
func (p *parser) enter(what string) bool {
	if p.depth >= maxNesting {
		p.errorf(p.tok.pos, CodeLimit, "this %s is nested more than %d deep", what, maxNesting)
		return false
	}
	p.depth++
	return true
}

func (p *parser) leave() { p.depth-- }

// accept skips the token k if it is next.
func (p *parser) accept(k kind) bool {
	if p.tok.kind != k {
		return false
	}
	p.next()
	return true
}

// expect skips the token k or reports that it is missing.
func (p *parser) expect(k kind, where string) bool {
	if p.accept(k) {
		return true
	}
	p.errorf(p.tok.pos, CodeSyntax, "expected '%c' %s, found %s", rune(k), where, p.tok)
	return false
}

// semicolon ends a statement. A missing one is reported at its place. Parsing continues there if
// the next token is on a new line.
func (p *parser) semicolon(after string) bool {
	if p.accept(';') {
		return true
	}
	if p.tok.newline || p.tok.kind == eof || p.tok.kind == '}' {
		p.errorf(p.lastPos, CodeSyntax, "expected ';' after %s", after)
		return true
	}
	p.errorf(p.tok.pos, CodeSyntax, "expected ';' after %s, found %s", after, p.tok)
	return false
}

func (p *parser) ident(what string) (word, bool) {
	w := word{p.tok.text, p.tok.pos}
	if p.tok.kind != ident {
		p.errorf(p.tok.pos, CodeSyntax, "expected %s, found %s", what, p.tok)
		return w, false
	}
	p.next()
	return w, true
}

// integer parses a constant expression from 0 to most.
func (p *parser) integer(what string, most uint64) (uint64, bool) {
	pos := p.tok.pos
	c, ok := p.constExpr()
	if !ok {
		return 0, false
	}
	if c.float() || c.kind == constSigned && int64(c.bits) < 0 || c.bits > most {
		p.errorf(pos, CodeRange, "expected %s from 0 to %d, found %s", what, most, c)
		return 0, false
	}
	return c.bits, true
}

// literal parses a number without operators, from 0 to most.
func (p *parser) literal(what string, most uint64) (uint64, bool) {
	if p.tok.kind != number {
		p.errorf(p.tok.pos, CodeSyntax, "expected %s, found %s", what, p.tok)
		return 0, false
	}
	c, problem := parseNumber(p.tok.text)
	if problem != "" {
		p.errorf(p.tok.pos, CodeSyntax, "%s", problem)
		return 0, false
	}
	if c.float() || c.bits > most {
		p.errorf(p.tok.pos, CodeLimit, "expected %s from 0 to %d, found %s", what, most, p.tok)
		return 0, false
	}
	p.next()
	return c.bits, true
}

// skipStatement skips to behind the next ';', or to a brace. It also stops at a token at the start
// of a line that begins a new statement or directive.
func (p *parser) skipStatement() {
	for p.tok.kind != eof {
		switch p.tok.kind {
		case ';':
			p.next()
			return
		case '{', '}':
			return
		case dotWord:
			if p.tok.newline && startsDirective[p.tok.text] {
				return
			}
		case ident, '@':
			if p.tok.newline && p.depth > 0 && p.tok.text[0] != '%' {
				return
			}
		}
		p.next()
	}
}

// startsDirective are the words that begin a statement. At them the parser continues after a
// mistake.
var startsDirective = map[string]bool{
	"entry": true, "func": true, "visible": true, "extern": true, "weak": true, "common": true, "reg": true,
	"global": true, "const": true, "shared": true, "local": true, "file": true, "loc": true, "section": true,
	"pragma": true, "alias": true,
}

// skipBraces skips to behind the '}' that matches the '{' at the current token.
func (p *parser) skipBraces() {
	open := p.tok.pos
	for depth := 0; p.tok.kind != eof; p.next() {
		switch p.tok.kind {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.next()
				return
			}
		}
	}
	p.errorf(open, CodeSyntax, "this '{' is never closed: expected '}'")
}

// body parses the statements of a block; the current token is its '{'.
func (p *parser) body() *block {
	b := &block{}
	open := p.tok.pos
	if !p.enter("block") {
		p.skipBraces()
		return b
	}
	defer p.leave()
	p.next()
	for !p.full() {
		switch p.tok.kind {
		case '}':
			b.end = p.tok.pos
			p.next()
			return b
		case eof:
			p.errorf(open, CodeSyntax, "this '{' is never closed: expected '}'")
			return b
		case '{':
			b.stmts = append(b.stmts, p.body())
		case ';':
			p.next()
		case dotWord:
			if p.tok.text == "entry" || p.tok.text == "func" || p.tok.text == "visible" {
				p.errorf(p.tok.pos, CodeSyntax, "found %s inside a block: expected '}' for the '{' in line %d", p.tok,
					open.Line)
				return b
			}
			p.localDirective(b)
		default:
			p.statement(b)
		}
	}
	return b
}

// statement parses a label or an instruction.
func (p *parser) statement(b *block) {
	in := &instruction{}
	if p.tok.kind == '@' {
		p.next()
		in.guard = &guard{not: p.accept('!')}
		var ok bool
		if in.guard.reg, ok = p.ident("the predicate register of a guard"); !ok {
			p.skipStatement()
			return
		}
	}
	start := p.tok.off
	var ok bool
	if in.name, ok = p.ident("an instruction, label or directive"); !ok {
		if p.tok.kind == ')' || p.tok.kind == ']' {
			p.next()
		}
		p.skipStatement()
		return
	}
	if in.guard == nil && p.accept(':') {
		b.stmts = append(b.stmts, (*label)(&in.name))
		p.labelled(b, in.name)
		return
	}
	for p.tok.kind == dotWord {
		if n := len(in.words); n > 0 && joined(in.words[n-1].text, p.tok.text) {
			in.words[n-1].text += "." + p.tok.text
		} else {
			in.words = append(in.words, word{p.tok.text, p.tok.pos})
		}
		p.next()
		if in.words[len(in.words)-1].text == "const" && !p.bank() {
			p.skipStatement()
			return
		}
	}
	_, in.known = families[in.name.text]
	bulk := in.known && slices.ContainsFunc(in.words, func(w word) bool { return w.text == "bulk" })
	if !in.known || bulk { // refused with any operands
		_, isPTX := unsupported[in.name.text]
		p.skipOperands(!isPTX && !bulk)
		b.stmts = append(b.stmts, in)
		return
	}
	if in.name.text == "call" {
		if !p.call(in) {
			p.skipStatement()
			return
		}
		in.text = oneLine(p.src[start:p.lastEnd])
		b.stmts = append(b.stmts, in)
		if !p.semicolon("the call") {
			p.skipStatement()
		}
		return
	}
	bare := p.tok.kind == ';' || p.tok.newline && takesNothing(in.name.text)
	operands := p.operands
	if fetches(in.name.text) {
		operands = p.fetchOperands
	}
	if !bare && !operands(in) {
		p.skipStatement()
		return
	}
	in.text = oneLine(p.src[start:p.lastEnd])
	b.stmts = append(b.stmts, in)
	if !p.semicolon("the instruction") {
		p.skipStatement()
	}
}

// joined reports whether two modifiers form one: those of min and max, and the layouts of the two
// matrices of mma and wmma.
func joined(a, b string) bool {
	layout := func(w string) bool { return w == "row" || w == "col" }
	return a == "xorsign" && b == "abs" || layout(a) && layout(b)
}

// skipOperands skips to behind the ';' of an instruction whose operands do not matter. With
// oneLine, for an unknown word, the end of the line ends it as well.
func (p *parser) skipOperands(oneLine bool) {
	for p.tok.kind != ';' && p.tok.kind != '}' && p.tok.kind != eof && !(oneLine && p.tok.newline) {
		if p.tok.kind == '{' {
			p.skipBraces()
		} else {
			p.next()
		}
	}
	p.accept(';')
}

// operands parses a list of operands.
func (p *parser) operands(in *instruction) bool {
	for {
		o, ok := p.operand()
		if !ok {
			return false
		}
		in.operands = append(in.operands, o)
		if len(in.operands) > 16 {
			p.errorf(p.tok.pos, CodeOperand, "too many operands")
			return false
		}
		if !p.accept(',') {
			return true
		}
	}
}

// operand parses one operand (section 6).
func (p *parser) operand() (o operand, ok bool) {
	o.pos = p.tok.pos
	switch {
	case p.tok.kind == '[':
		return p.address()
	case p.tok.kind == '{':
		return p.vector()
	case p.tok.kind == '!':
		p.next()
		if p.tok.kind != ident {
			o.kind = constOperand
			if o.value, ok = p.unary(); ok {
				o.value = negate('!', o.value)
			}
			return o, ok
		}
		o.not = true
		o.name = p.name()
		return o, true
	case p.tok.kind == ident:
		o.name = p.name()
		switch p.tok.kind {
		case '|':
			p.next()
			q, ok := p.ident("the second destination")
			o.pair = &q
			return o, ok
		case '+', '-':
			o.off, ok = p.offset()
			return o, ok
		case '[':
			return o, p.index(&o)
		}
		return o, true
	case p.tok.kind == '-' && p.startsName(): // of vmad
		p.next()
		o.neg = true
		o.name = p.name()
		return o, true
	case p.startsConst():
		o.kind = constOperand
		o.value, ok = p.constExpr()
		return o, ok
	}
	p.errorf(p.tok.pos, CodeSyntax, "expected an operand, found %s", p.tok)
	return o, false
}

// name reads a register, variable or label, with the components of a special register: "%tid.x".
func (p *parser) name() string {
	name := p.tok.text
	p.next()
	if p.tok.kind == dotWord && !p.tok.newline {
		name += "." + p.tok.text
		p.next()
	}
	return name
}

// index parses the index behind the name of an array, as in a[5] (section 6.4.2).
func (p *parser) index(o *operand) bool {
	p.next()
	n, ok := p.integer("the index of an element", 1<<31)
	if !ok || !p.expect(']', "to close the index") {
		return false
	}
	if p.tok.kind == '[' {
		p.errorf(p.tok.pos, CodeUnsupported, "several indices are not supported: write %s+bytes", clip(o.name))
		return false
	}
	o.index = n + 1
	return true
}

// offset parses the offset behind a name, as in name+8, name+-8 and name-8.
func (p *parser) offset() (int64, bool) {
	if p.tok.kind == '+' {
		p.next()
	}
	pos := p.tok.pos
	c, ok := p.constExpr()
	if !ok {
		return 0, false
	}
	n, fits := c.signed()
	if !fits || n != int64(int32(n)) {
		p.errorf(pos, CodeRange, "expected a signed offset of 32 bits, found %s", c)
		return 0, false
	}
	return n, true
}

// address parses an address in brackets (section 6.4.1).
func (p *parser) address() (o operand, ok bool) {
	p.next()
	o.pos, o.kind = p.tok.pos, addressOperand
	switch {
	case p.tok.kind == ident:
		o.name = p.name()
		switch p.tok.kind {
		case '+', '-':
			if o.off, ok = p.offset(); !ok {
				return o, false
			}
		case '[':
			if !p.index(&o) {
				return o, false
			}
		}
	case p.startsConst():
		if o.value, ok = p.constExpr(); !ok {
			return o, false
		}
	default:
		p.errorf(p.tok.pos, CodeSyntax, "expected an address: a register, variable or constant, found %s", p.tok)
		return o, false
	}
	return o, p.expect(']', "to close the address")
}

// maxElements is the largest number of elements of a vector: 256 bits in elements of 32.
const maxElements = 8

// vector parses {a, b} (section 6.4.3). A vector of one element is that element. After a mistake it
// skips the closing brace, which would otherwise end the block.
func (p *parser) vector() (o operand, ok bool) {
	o.pos, o.kind = p.tok.pos, vectorOperand
	p.next()
	for ok = true; ok; {
		var e operand
		if e, ok = p.element(); !ok {
			break
		}
		o.elems = append(o.elems, e)
		if len(o.elems) > maxElements {
			p.errorf(e.pos, CodeOperand, "a vector has at most %d elements", maxElements)
			break
		}
		if !p.accept(',') {
			ok = p.expect('}', "to close the vector")
			switch {
			case ok && len(o.elems) == 1:
				return e, true
			case ok:
				return o, true
			}
		}
	}
	for p.tok.kind != '}' && p.tok.kind != ';' && p.tok.kind != eof && !p.tok.newline {
		p.next()
	}
	p.accept('}')
	return o, false
}

// element parses an element of a vector: a register or constant.
func (p *parser) element() (e operand, ok bool) {
	e.pos = p.tok.pos
	switch {
	case p.tok.kind == ident:
		e.name = p.name()
		return e, true
	case p.startsConst():
		e.kind = constOperand
		e.value, ok = p.constExpr()
		return e, ok
	}
	p.errorf(p.tok.pos, CodeSyntax, "expected an element of a vector, found %s", p.tok)
	return e, false
}

// oneLine is s without comments and with single spaces.
func oneLine(s string) string {
	if !strings.ContainsAny(s, "/\t\n\r") && !strings.Contains(s, "  ") {
		return s
	}
	var out strings.Builder
	space := false
	for i := 0; i < len(s); {
		switch {
		case strings.HasPrefix(s[i:], "//"):
			i = after(s, i, "\n")
			space = true
		case strings.HasPrefix(s[i:], "/*"):
			i = after(s, i+2, "*/")
			space = true
		case strings.IndexByte(" \t\r\n\f\v", s[i]) >= 0:
			i++
			space = true
		default:
			if space {
				out.WriteByte(' ')
			}
			space = false
			out.WriteByte(s[i])
			i++
		}
	}
	return out.String()
}

// after is the index behind the next end in s[i:].
func after(s string, i int, end string) int {
	if n := strings.Index(s[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(s)
}
