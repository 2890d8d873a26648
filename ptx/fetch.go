package ptx

import (
	"fmt"
	"strings"

	"divergo/isa"
)

// fetch lowers a texture or surface instruction to the template's statements with the operands in
// their places. A guard becomes a branch around them.
func (l *lowering) fetch(in *instruction, found *match) {
	site := &fetchSite{lowering: l, in: in, fetch: found.fetch, args: map[string]operand{}}
	if !site.operands(found) {
		return
	}
	if site.form == "tex" {
		if l.samples = true; l.textured {
			site.keep(found)
			return
		}
	}
	out := &found.Inst
	around := -1
	if strings.HasPrefix(site.form, "su") {
		l.samples, site.Unit = true, l.textured
	}
	if out.Guard.Kind == isa.OperandPred {
		around = len(l.prog.Insts)
		skip := isa.Inst{Op: isa.OpBra, Guard: out.Guard, Inserted: true, Pos: out.Pos, Loc: out.Loc, Text: "bra"}
		skip.Guard.Not = !skip.Guard.Not
		l.emit(skip)
	}
	if site.Unit {
		site.address(out)
		site.expand(out)
	} else if first := site.expand(out); first < len(l.prog.Insts) {
		l.prog.Insts[first].Inserted, l.prog.Insts[first].Text = false, out.Text
	}
	if around >= 0 {
		l.prog.Insts[around].Target = uint32(len(l.prog.Insts))
	}
}

// expand inserts the statements of the template for an instruction. It returns the PC of the first.
func (s *fetchSite) expand(out *isa.Inst) (first int) {
	l := s.lowering
	if l.fetching == nil {
		l.fetching = newScope(nil)
		for _, s := range textureRegisters().stmts {
			l.declareRegs(l.fetching, s.(*regDecl))
		}
	}
	hidden := *l.fetching
	hidden.up = l.scope
	l.scope = &hidden
	first, labels, wide := len(l.prog.Insts), len(l.prog.Labels), l.wide
	l.block(s.substitute(s.expansion()))
	l.scope, l.wide = hidden.up, wide
	l.prog.Labels = l.prog.Labels[:labels]
	for i := first; i < len(l.prog.Insts); i++ {
		made := &l.prog.Insts[i]
		made.Pos, made.Loc, made.Inserted = out.Pos, out.Loc, true
	}
	return first
}

// keep emits the instruction itself, for a texture unit. A handle that is a parameter is loaded in
// front of it. All texels are resident, as the predicate that is set behind it says.
func (s *fetchSite) keep(found *match) {
	l, out, wide := s.lowering, &found.Inst, s.wide
	s.form = "parameters"
	s.expand(out)
	out.Op, out.Type, out.SrcType = isa.OpTex, found.types[0], found.types[len(found.types)-1]
	out.Vec, out.Tex = uint8(len(s.Results)), s.tex()
	o := operands{lowering: l, in: s.in, out: out}
	held := isa.B32
	if s.Data == "f16" {
		held = isa.B16
	}
	for i := range s.Results {
		x := s.args[fmt.Sprint("$d", i)]
		o.dst(o.destination(&x, held))
	}
	o.src(s.handle(&o, "$t", s.Handle))
	if s.Sampler {
		o.src(s.handle(&o, "$s", s.SamplerHandle))
	}
	for _, name := range s.sources() {
		t := out.SrcType
		if name == "$layer" {
			t = isa.U32
		}
		x := s.args[name]
		o.src(o.source(&x, t))
	}
	l.wide = wide
	l.prog.Insts = append(l.prog.Insts, *out)
	if s.Resident {
		s.form = "resident"
		for i := s.expand(out); i < len(l.prog.Insts); i++ {
			l.prog.Insts[i].Guard = out.Guard
		}
	}
}

// address emits the instruction by which a texture unit computes the address of an access to a surface. The
// access itself follows. A guard has become a branch around both.
func (s *fetchSite) address(found *isa.Inst) {
	l, wide, form := s.lowering, s.wide, s.form
	s.form = "parameters"
	s.expand(found)
	s.form = form
	out := &isa.Inst{
		Op: isa.OpTex, Type: isa.B64, SrcType: isa.S32, Vec: 2, Pos: found.Pos, Loc: found.Loc, Text: found.Text,
		Tex: isa.Tex{
			Dims: uint8(s.dims), Layered: s.Layered(), Whole: true, Surface: true, Clamp: s.Mode == "clamp",
		},
	}
	if !s.Formatted {
		out.Tex.Bytes = uint8(s.Bytes())
	}
	o := operands{lowering: l, in: s.in, out: out}
	hidden := *l.fetching
	hidden.up = l.scope
	l.scope = &hidden
	for _, name := range []string{"at", "v"} {
		o.dst(o.destination(&operand{kind: nameOperand, name: hiddenPrefix + name}, isa.B64))
	}
	l.scope = hidden.up
	o.src(s.handle(&o, "$t", s.Handle))
	for _, name := range s.sources() {
		x := s.args[name]
		o.src(o.source(&x, isa.B32))
	}
	l.wide = wide
	l.prog.Insts = append(l.prog.Insts, *out)
}

// tex is the form of the instruction.
func (s *fetchSite) tex() isa.Tex {
	level := map[string]isa.TexLevel{"level": isa.LevelGiven, "grad": isa.LevelGradient}[s.Mip]
	return isa.Tex{
		Dims: uint8(s.dims), Layered: s.Layered(), Cube: s.Cube(), Whole: s.Whole(), Gather: s.Gather,
		Component: uint8(s.Component), Sampler: s.Sampler, Level: level,
	}
}

// sources are the names of the operands of 32 bits, in the order of isa.Tex.
func (s *fetchSite) sources() (names []string) {
	if s.Layered() {
		names = append(names, "$layer")
	}
	for i := range s.Coordinates() {
		names = append(names, fmt.Sprint("$x", i))
	}
	switch s.Mip {
	case "level":
		names = append(names, "$lod")
	case "grad":
		for _, d := range []string{"$dx", "$dy"} {
			for _, axis := range s.Axes() {
				names = append(names, fmt.Sprint(d, axis))
			}
		}
	}
	return names
}

// handle is the operand of a handle that the given instruction of the template would load.
func (s *fetchSite) handle(o *operands, name, load string) isa.Operand {
	x, t := s.args[name], isa.B64
	switch {
	case s.Loads(load):
		return s.fetching.lookup(strings.Replace(name, "$", hiddenPrefix, 1)).operand
	case load != "mov.b64":
		t = isa.B32
	}
	return o.source(&x, t)
}

// fetchSite is an instruction while its operands are bound to the names of the template.
type fetchSite struct {
	*lowering
	in *instruction
	fetch
	args map[string]operand
}

// fetchShapes are the operand lists of the opcodes.
var fetchShapes = map[string]struct {
	form, operands string
	least, most    int
	toFirst        bool // a texture or surface comes first
}{
	"tex":     {"tex", "d, [a, c]", 2, 6, false},
	"tld4":    {"tex", "d, [a, c]", 2, 4, false},
	"txq":     {"query", "d, [a]", 2, 3, false},
	"istypep": {"istypep", "p, a", 2, 2, false},
	"suq":     {"query", "d, [a]", 2, 2, false},
	"suld":    {"suld", "d, [a, b]", 2, 2, false},
	"sust":    {"sust", "[a, b], c", 2, 2, true},
	"sured":   {"sured", "[a, b], c", 2, 2, true},
}

// operands binds all operands; it returns false after a diagnostic.
func (s *fetchSite) operands(found *match) bool {
	shape := fetchShapes[s.in.name.text]
	s.form = shape.form
	if len(found.types) > 0 {
		s.Data, s.Coord = typeName(found.types[0]), typeName(found.types[len(found.types)-1])
	}
	if found.Vec > 1 {
		s.Vector = fmt.Sprint(".v", found.Vec)
	}
	ops := s.unbracketed(shape.toFirst)
	if len(ops) < shape.least || len(ops) > shape.most {
		s.errorf(s.in.name.pos, CodeOperand, "%s takes operands %s, found %d", s.in.opcode(), shape.operands,
			len(s.in.operands))
		return false
	}
	value, of := &ops[0], &ops[1]
	if shape.toFirst {
		value, of = of, value
	}
	switch s.form {
	case "istypep":
		s.args["$d0"] = *value
		return s.bind("$t", of, &s.Handle, "") && s.references()
	case "query":
		s.args["$d0"] = *value
		if (s.Mip == "level") != (len(ops) == 3) {
			s.errorf(s.in.name.pos, CodeOperand, "%s takes operands d, [a]%s", s.in.opcode(),
				map[bool]string{true: ", lod"}[s.Mip == "level"])
			return false
		}
		if s.Mip == "level" {
			s.args["$lod"] = ops[2]
		}
		return s.texture(of, false)
	}
	return s.texture(of, true) && s.value(value, found) && s.rest(ops[2:])
}

// unbracketed is the list of operands with those in brackets as one operand. Without brackets, the
// texture and the coordinates are two of them (section 9.7.9.3).
func (s *fetchSite) unbracketed(toFirst bool) []operand {
	ops := s.in.operands
	at := 1
	if toFirst {
		at = 0
	}
	if len(ops) < at+2 || ops[at].kind != nameOperand || s.form == "query" || s.form == "istypep" {
		return ops
	}
	both := operand{kind: addressOperand, pos: ops[at].pos, elems: ops[at : at+2]}
	list := append(ops[:at:at], both)
	return append(list, ops[at+2:]...)
}

// texture binds the texture or surface with its sampler and coordinates.
func (s *fetchSite) texture(x *operand, coordinates bool) bool {
	list := x.elems
	if x.kind != addressOperand {
		list = []operand{*x}
	}
	n := 1
	if coordinates {
		n = 2
	}
	surface := s.in.name.text[0] == 's'
	if len(list) != n && (len(list) != 3 || surface || !coordinates) {
		s.errorf(x.pos, CodeOperand, "%s wants %s in brackets", s.in.opcode(),
			map[bool]string{
				true:  "a texture or surface and its coordinates",
				false: "a texture or surface",
			}[coordinates])
		return false
	}
	kind := ".texref"
	if surface {
		kind = ".surfref"
	}
	if s.form == "query" {
		kind = ""
	}
	if !s.bind("$t", &list[0], &s.Handle, kind) {
		return false
	}
	if len(list) == 3 {
		s.Sampler = true
		if !s.bind("$s", &list[1], &s.SamplerHandle, ".samplerref") {
			return false
		}
	}
	if !coordinates {
		return true
	}
	names := []string{"$x0", "$x1", "$x2"}[:len(s.Coordinates())]
	if s.Layered() {
		names = append([]string{"$layer"}, names...)
	}
	return s.vector(&list[len(list)-1], names, "coordinates")
}

// vector binds the elements of an operand; surplus elements are ignored.
func (s *fetchSite) vector(x *operand, names []string, what string) bool {
	o := operands{lowering: s.lowering, in: s.in}
	if whole := o.whole(x); whole != nil {
		x = whole
	}
	list := x.elems
	if x.kind == nameOperand || x.kind == constOperand {
		list = []operand{*x}
	}
	if len(list) < len(names) {
		s.errorf(x.pos, CodeOperand, "%s wants %d %s, found %d", s.in.opcode(), len(names), what, len(list))
		return false
	}
	for i, name := range names {
		s.args[name] = list[i]
	}
	return true
}

// bind binds a handle: the name of a reference, a kernel parameter that is one, or a register.
func (s *fetchSite) bind(name string, x *operand, load *string, kind string) bool {
	arg := *x
	*load = "mov.b64"
	sym := s.scope.lookup(x.name)
	switch {
	case x.kind == addressOperand && len(x.elems) == 1:
		return s.bind(name, &x.elems[0], load, kind)
	case x.kind != nameOperand || sym == nil:
		// mov reports the mistake
	case sym.reg != nil:
		if sym.reg.typ.Bits() == 32 {
			*load = "cvt.u64.u32"
		}
	case sym.variable.space == isa.SpaceParam:
		arg.kind = addressOperand
		*load = "ld.param.b64"
		if sym.variable.size == 4 {
			*load = "ld.param.u32"
		}
	case !sym.variable.opaque:
		s.errorf(x.pos, CodeOperand, "%s is a %s variable, %s wants a %s", clip(x.name), spaceName(sym.variable.space),
			s.in.opcode(), orAny(kind))
		return false
	case kind != "" && "."+sym.variable.words != kind:
		s.errorf(x.pos, CodeOperand, "%s is a .%s, %s wants a %s", clip(x.name), sym.variable.words,
			s.in.opcode(), kind)
		return false
	}
	s.args[name] = arg
	return true
}

func orAny(kind string) string {
	if kind == "" {
		return ".texref, .samplerref or .surfref"
	}
	return kind
}

// references notes the addresses with which istypep compares. It recognises the variables of the
// module, but no objects of the host.
func (s *fetchSite) references() bool {
	for _, v := range s.m.vars {
		if v.opaque && v.words == s.Query && v.link != linkExtern && v.why == "" {
			s.Variables = append(s.Variables, fmt.Sprint(v.addr))
		}
	}
	return true
}

// value binds the values that are read or written.
func (s *fetchSite) value(x *operand, found *match) bool {
	o := operands{lowering: s.lowering, in: s.in, out: &isa.Inst{Vec: max(found.Vec, 1)}}
	if x.pair != nil {
		s.Resident = s.form == "tex"
		s.args["$p"] = operand{name: x.pair.text, pos: x.pair.pos}
		if !s.Resident {
			s.errorf(x.pair.pos, CodeOperand, "%s has one destination, found a second one behind '|'", s.in.name.text)
			return false
		}
	}
	if o.out.Vec == 1 && x.kind == vectorOperand && len(x.elems) == 1 {
		x = &x.elems[0]
	}
	list := o.elements(x)
	for i, e := range list {
		d := fetched{Low: 2 * i, High: 2*i + 1}
		s.args[fmt.Sprint("$d", i)] = e
		if s.form == "suld" {
			d.Move = s.move(i, &e)
		}
		s.Results = append(s.Results, d)
	}
	return len(list) > 0
}

// move is the instruction that moves an element of a surface to a destination, which may be wider
// than the element.
func (s *fetchSite) move(i int, x *operand) string {
	bits := 32
	if sym := s.scope.lookup(x.name); x.kind == nameOperand && sym != nil && sym.reg != nil {
		bits = sym.reg.typ.Bits()
	}
	switch {
	case s.Data == "b64":
		return fmt.Sprint("mov.b64 $d", i)
	case bits == 64:
		return fmt.Sprint("cvt.u64.u32 $d", i)
	case bits == 16 && (s.Data == "b8" || s.Data == "b16"):
		return fmt.Sprintf("mov.b32 {$d%d, %%g}", i)
	}
	return fmt.Sprint("mov.b32 $d", i)
}

// rest binds the level or the gradients.
func (s *fetchSite) rest(ops []operand) bool {
	want, names := 0, "no operand"
	switch s.Mip {
	case "level":
		want, names = 1, "lod"
	case "grad":
		want, names = 2, "dPdx, dPdy"
	}
	switch {
	case len(ops) < want:
		s.errorf(s.in.name.pos, CodeOperand, "%s wants %s behind the coordinates", s.in.opcode(), names)
		return false
	case len(ops) > want:
		s.errorf(ops[want].pos, CodeUnsupported, "%s with an offset or a depth to compare is not supported",
			s.in.opcode())
		return false
	case s.form == "tex" && s.Cube() && (s.Whole() || s.Mip == "grad"):
		s.errorf(s.in.name.pos, CodeUnsupported,
			"%s is not supported: a cube has coordinates of type .f32 and no gradients", s.in.opcode())
		return false
	case s.Mip == "level":
		s.args["$lod"] = ops[0]
	case s.Mip == "grad" && s.Whole():
		s.errorf(s.in.name.pos, CodeOperand, "%s: gradients go with coordinates of type .f32", s.in.opcode())
		return false
	case s.Mip == "grad":
		for i, d := range []string{"$dx", "$dy"} {
			var list []string
			for _, axis := range s.Axes() {
				list = append(list, fmt.Sprint(d, axis))
			}
			if !s.vector(&ops[i], list, "gradients") {
				return false
			}
		}
	}
	return true
}

// substitute is b with the operands of the instruction. Instructions that would write to '_' are
// left out.
func (s *fetchSite) substitute(b *block) *block {
	made := &block{end: s.in.name.pos}
	var names []string
	for name, x := range s.args {
		names = append(names, name, kindName(&x))
	}
	text := strings.NewReplacer(names...)
	for _, st := range b.stmts {
		in, ok := st.(*instruction)
		if !ok {
			made.stmts = append(made.stmts, st)
			continue
		}
		with := *in
		with.operands, with.text = s.replaced(in.operands), text.Replace(in.text)
		if !sinks(with.operands) {
			made.stmts = append(made.stmts, &with)
		}
	}
	return made
}

// sinks reports whether '_' is the first operand, or the first of the vector in its place.
func sinks(list []operand) bool {
	for len(list) > 0 && list[0].kind == vectorOperand {
		list = list[0].elems
	}
	return len(list) > 0 && list[0].kind == nameOperand && list[0].name == "_"
}

func (s *fetchSite) replaced(list []operand) []operand {
	made := make([]operand, len(list))
	for i, x := range list {
		if strings.HasPrefix(x.name, "$") {
			x = s.args[x.name]
		} else if len(x.elems) > 0 {
			x.elems = s.replaced(x.elems)
		}
		made[i] = x
	}
	return made
}
