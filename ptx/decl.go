package ptx

import (
	"fmt"
	"math"
	"math/bits"

	"divergo/isa"
)

// typeWords are the fundamental types of the machine (section 5.2).
var typeWords = []string{
	isa.B8: "b8", isa.B16: "b16", isa.B32: "b32", isa.B64: "b64",
	isa.U8: "u8", isa.U16: "u16", isa.U32: "u32", isa.U64: "u64",
	isa.S8: "s8", isa.S16: "s16", isa.S32: "s32", isa.S64: "s64",
	isa.F32: "f32", isa.F64: "f64", isa.Pred: "pred",
	isa.F16: "f16", isa.F16x2: "f16x2", isa.BF16: "bf16", isa.BF16x2: "bf16x2", isa.TF32: "tf32", isa.F32x2: "f32x2",
	isa.E4M3x2: "e4m3x2", isa.E5M2x2: "e5m2x2",
}

var typeNames = func() map[string]isa.Type {
	m := map[string]isa.Type{}
	for t, name := range typeWords {
		if name != "" {
			m[name] = isa.Type(t)
		}
	}
	return m
}()

func typeName(t isa.Type) string { return typeWords[t] }

// alternate reports whether t is a format that only instructions have. Registers and variables that
// hold it have a bit type (section 5.2.3).
func alternate(t isa.Type) bool { return t == isa.BF16 || t >= isa.BF16x2 && t <= isa.E5M2x2 }

// bitsInstead names the declaration that holds an alternate format.
func bitsInstead(t isa.Type) string {
	return fmt.Sprintf("declare .b%d, only instructions have this type", t.Bits())
}

// otherTypes are types of the manual that the machine does not support.
var otherTypes = map[string]bool{
	"b128": true, "u16x2": true, "s16x2": true,
	"e4m3": true, "e5m2": true, "e4m3x4": true, "e5m2x4": true, "ue8m0x2": true,
	"e2m1": true, "e2m3": true, "e3m2": true, "e2m1x2": true, "e2m3x2": true, "e3m2x2": true, "e2m1x4": true,
	"e2m3x4": true, "e3m2x4": true,
	"b1": true, "u4": true, "s4": true,
	"texref": true, "samplerref": true, "surfref": true,
}

// opaqueWords are the types of references to textures, samplers and surfaces (section 5.3).
// opaqueBytes is the size of one: room for a struct divergo_texture, which the host fills in.
var opaqueWords = map[string]bool{"texref": true, "samplerref": true, "surfref": true}

const opaqueBytes = 128

var spaceNames = map[string]isa.Space{
	"global": isa.SpaceGlobal, "const": isa.SpaceConst, "shared": isa.SpaceShared, "local": isa.SpaceLocal,
	"param": isa.SpaceParam,
}

func spaceName(s isa.Space) string {
	switch s {
	case isa.SpaceGlobal:
		return ".global"
	case isa.SpaceConst:
		return ".const"
	case isa.SpaceShared:
		return ".shared"
	case isa.SpaceLocal:
		return ".local"
	case isa.SpaceParam:
		return ".param"
	}
	return "generic"
}

// spaceLimit is the largest size of one variable of each space, in bytes. Shared and generic
// windows are 16 MiB wide. A thread has at most 512 KiB of local memory, and a kernel 32764 bytes
// of parameters (section 5.1.6.1).
var spaceLimit = map[isa.Space]uint64{
	isa.SpaceGlobal: isa.GlobalBase - isa.ModuleBase,
	isa.SpaceConst:  isa.GlobalBase - isa.ModuleBase,
	isa.SpaceShared: isa.WindowSize,
	isa.SpaceLocal:  512 << 10,
	isa.SpaceParam:  32764,
}

// variables parses the declaration of one or more variables.
func (p *parser) variables(l linking, declare func(*variable)) {
	v, ok := p.variable(l)
	for ok {
		declare(v)
		if !p.accept(',') {
			if !p.semicolon("the declaration of a variable") {
				p.skipStatement()
			}
			return
		}
		w := *v
		w.init, w.relocs = nil, nil
		ok = p.declarator(&w)
		v = &w
	}
	p.skipStatement()
}

// variable parses a space, type and attributes, then the first name (section 5.4.1).
func (p *parser) variable(l linking) (*variable, bool) {
	v := &variable{link: l, space: spaceNames[p.tok.text], align: 1}
	oldStyle := map[string]string{"tex": "texref", "surf": "surfref"}[p.tok.text]
	p.next()
	if v.space == isa.SpaceConst && !p.bank() {
		return v, false
	}
	for p.tok.kind == dotWord {
		w := p.tok
		p.next()
		t, known := typeNames[w.text]
		switch {
		case known && alternate(t):
			p.errorf(w.pos, CodeType, "a variable cannot have type .%s: %s", w.text, bitsInstead(t))
			return v, false
		case known && t == isa.Pred:
			p.errorf(w.pos, CodeType, "a variable in memory cannot have type .pred")
			return v, false
		case known:
			v.typ, v.words = t, w.text
		case opaqueWords[w.text] && v.space == isa.SpaceGlobal:
			v.typ, v.words, v.opaque = isa.B8, w.text, true
		case opaqueWords[w.text] && v.space == isa.SpaceParam: // a handle
			if v.typ == isa.NoType {
				v.typ = isa.B64
			}
			v.words = w.text
		case otherTypes[w.text]:
			v.typ, v.words = isa.B8, w.text
			v.why = "type ." + w.text + " is not supported"
		case w.text == "v2":
			v.vector = 2
		case w.text == "v4":
			v.vector = 4
		case w.text == "align":
			if !p.alignment(&v.align) {
				return v, false
			}
		case w.text == "ptr":
			if !p.pointee() {
				return v, false
			}
		case w.text == "attribute":
			if !p.attributes() {
				return v, false
			}
		default:
			p.errorf(w.pos, CodeName, "unknown type .%s of a variable%s", clip(w.text), didYouMean(w.text, typeWords))
			return v, false
		}
	}
	if v.words == "" {
		p.errorf(p.tok.pos, CodeSyntax, "expected the type of the variable, found %s", p.tok)
		return v, false
	}
	if oldStyle != "" {
		v.space, v.typ, v.words, v.opaque = isa.SpaceGlobal, isa.B8, oldStyle, true
	}
	return v, p.declarator(v)
}

// bank skips the number of a bank in .const[2], a form before PTX ISA 2.2 (section 5.1.3). All
// banks are one space.
func (p *parser) bank() bool {
	if p.tok.kind != '[' {
		return true
	}
	p.next()
	_, ok := p.integer("a bank", 10)
	return ok && p.expect(']', "to close the bank")
}

// attribute skips an .attribute directive if there is one (section 5.4.8).
func (p *parser) attribute() bool {
	if !p.atDirective("attribute") {
		return true
	}
	p.next()
	return p.attributes()
}

// attributes skips the list behind .attribute: (.managed), (.unified(1,2)).
func (p *parser) attributes() bool {
	for depth := 0; p.tok.kind != ';' && p.tok.kind != '{' && p.tok.kind != eof; p.next() {
		switch p.tok.kind {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				p.next()
				return true
			}
		}
	}
	return p.expect(')', "to close the attribute")
}

// alignment parses the number behind .align (section 5.4.5).
func (p *parser) alignment(align *uint64) bool {
	pos := p.tok.pos
	n, ok := p.integer("an alignment", 1<<16)
	if ok && bits.OnesCount64(n) != 1 {
		p.errorf(pos, CodeRange, "an alignment is a power of two, found %d", n)
		return false
	}
	*align = n
	return ok
}

// pointee skips the description behind .ptr of the memory to which a parameter points (section
// 5.1.6.3).
func (p *parser) pointee() bool {
	for p.tok.kind == dotWord {
		switch {
		case p.tok.text == "align":
			p.next()
			var align uint64
			return p.alignment(&align)
		case spaceNames[p.tok.text] != isa.SpaceNone:
			p.next()
		default:
			return true
		}
	}
	return true
}

// declarator parses a name with its array dimensions and initialiser.
func (p *parser) declarator(v *variable) bool {
	var ok bool
	if v.name, ok = p.ident("the name of a variable"); !ok {
		return false
	}
	if p.tok.kind == '<' {
		p.errorf(p.tok.pos, CodeUnsupported, "numbered variables are supported for registers only")
		return false
	}
	element := uint64(v.typ.Bytes())
	if v.opaque {
		element = opaqueBytes
	}
	dims := []uint64{}
	open := false // the first dimension has no length
	for p.accept('[') {
		if len(dims) == 0 && p.accept(']') {
			open = true
			dims = append(dims, math.MaxInt32)
			continue
		}
		n, ok := p.integer("an array length", 1<<40)
		if !ok || !p.expect(']', "to close the array dimension") {
			return false
		}
		dims = append(dims, n)
	}
	if v.vector > 0 {
		dims = append(dims, v.vector)
	}
	natural := element * max(v.vector, 1)
	v.align = max(v.align, natural)
	total := element
	limit := spaceLimit[v.space]
	for i, n := range dims {
		if open && i == 0 {
			continue
		}
		hi, lo := bits.Mul64(total, n)
		if hi != 0 || lo > limit {
			p.errorf(v.name.pos, CodeLimit, "%s has more than %d bytes, the limit for %s", clip(v.name.text), limit,
				spaceName(v.space))
			return false
		}
		total = lo
	}
	v.size = total
	if open {
		v.size = 0
	}
	if v.opaque {
		return p.described(v)
	}
	if p.tok.kind == '=' && v.why != "" {
		p.skipInitialiser()
		return true
	}
	if p.tok.kind != '=' {
		if open && (v.link != linkExtern || v.space == isa.SpaceParam) {
			p.errorf(v.name.pos, CodeSyntax,
				"array %s has no length: only .extern arrays and arrays with an initialiser may leave it out",
				clip(v.name.text))
			return false
		}
		return true
	}
	if v.space != isa.SpaceGlobal && v.space != isa.SpaceConst || v.link == linkExtern {
		p.errorf(p.tok.pos, CodeOperand,
			"only .global and .const variables that are defined here can have an initialiser")
		return false
	}
	p.next()
	if total == 0 {
		p.errorf(v.name.pos, CodeRange, "%s has length 0 and cannot have an initialiser", clip(v.name.text))
		return false
	}
	in := initialiser{parser: p, v: v, element: element, dims: dims, limit: limit}
	if !in.value(0) {
		for p.tok.kind != ';' && p.tok.kind != eof && !(p.tok.newline && p.tok.kind == dotWord) {
			p.next()
		}
		return false
	}
	if open {
		v.size = (in.at*element + total - 1) / total * total
		if v.size > limit {
			p.errorf(v.name.pos, CodeLimit, "%s has more than %d bytes, the limit for %s", clip(v.name.text), limit,
				spaceName(v.space))
			return false
		}
	}
	return true
}

// initialiser fills in a variable from nested braces, row by row as in C
// (section 5.4.4).
type initialiser struct {
	*parser
	v       *variable
	element uint64   // bytes
	dims    []uint64 // the last dimension is that of a vector
	limit   uint64
	at      uint64 // element to fill in next
}

// value parses a scalar or, at nesting level, a list in braces.
func (in *initialiser) value(level int) bool {
	if in.tok.kind != '{' {
		return in.scalar()
	}
	pos := in.tok.pos
	if level >= len(in.dims) {
		in.errorf(pos, CodeSyntax, "too many braces: %s has %d dimensions", clip(in.v.name.text), len(in.dims))
		return false
	}
	row := uint64(1)
	for _, n := range in.dims[level+1:] {
		row *= n
	}
	start := in.at
	in.next()
	for in.tok.kind != '}' {
		if in.tok.kind == '{' && row > 0 {
			in.at = start + (in.at-start+row-1)/row*row
		}
		if (in.at-start)/max(row, 1) >= in.dims[level] {
			in.errorf(in.tok.pos, CodeRange, "too many values for %s", clip(in.v.name.text))
			return false
		}
		if !in.value(level+1) || in.full() {
			return false
		}
		if !in.accept(',') {
			break
		}
	}
	if level > 0 {
		in.at = start + row*in.dims[level]
	}
	return in.expect('}', "to close the initialiser")
}

// scalar parses a constant or an address: x, x+4, generic(x), 0xff(x).
func (in *initialiser) scalar() bool {
	r := reloc{at: in.at * in.element, bytes: int(in.element)}
	pos := in.tok.pos
	if r.at+in.element > in.limit {
		in.errorf(pos, CodeLimit, "%s has more than %d bytes, the limit for %s", clip(in.v.name.text), in.limit,
			spaceName(in.v.space))
		return false
	}
	if missing := int(r.at+in.element) - len(in.v.init); missing > 0 {
		in.v.init = append(in.v.init, make([]byte, missing)...)
	}
	in.at++
	if in.tok.kind == ident {
		return in.symbol(&r)
	}
	if in.tok.kind == number {
		mask := in.tok
		c, ok := in.constExpr()
		if !ok {
			return false
		}
		if in.tok.kind != '(' {
			return in.datum(pos, c)
		}
		if c.float() || c.bits == 0 {
			in.errorf(mask.pos, CodeRange, "the mask of an address is an integer other than 0")
			return false
		}
		in.next()
		r.mask = c.bits
		if in.startsConst() {
			v, ok := in.constExpr()
			return ok && in.datum(pos, constant{constUnsigned, r.masked(v.bits)}) &&
				in.expect(')', "to close the masked constant")
		}
		return in.symbol(&r) && in.expect(')', "to close the masked address")
	}
	c, ok := in.constExpr()
	return ok && in.datum(pos, c)
}

// symbol parses x, x+4 or generic(x)+4. The generic address of a .global or .const variable is its
// address.
func (in *initialiser) symbol(r *reloc) bool {
	var ok bool
	if r.symbol, ok = in.ident("the name of a variable"); !ok {
		return false
	}
	generic := r.symbol.text == "generic" && in.accept('(')
	if generic {
		if r.symbol, ok = in.ident("the name of a variable"); !ok {
			return false
		}
	}
	if generic && !in.expect(')', "to close generic(") {
		return false
	}
	if in.tok.kind == '+' || in.tok.kind == '-' {
		if r.off, ok = in.offset(); !ok {
			return false
		}
	}
	if t := in.v.typ; r.mask == 0 && (t.Float() || t.Bits() < 32) {
		in.errorf(r.symbol.pos, CodeType, "an address does not fit in type .%s: expected 32 or 64 bits", in.v.words)
		return false
	}
	in.v.relocs = append(in.v.relocs, *r)
	return true
}

// datum stores a constant.
func (in *initialiser) datum(pos isa.Pos, c constant) bool {
	value, problem := c.encode(in.v.typ)
	if problem != "" {
		in.errorf(pos, CodeRange, "%s", problem)
		return false
	}
	at := (in.at - 1) * in.element
	for i := range in.element {
		in.v.init[at+i] = byte(value >> (8 * i))
	}
	return true
}
