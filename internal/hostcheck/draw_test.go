package hostcheck

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// The features of a program besides operations. A program has only some of them, because some
// faults need the absence of a feature.
const (
	loops = iota
	switches
	gotos
	returns
	structs
	unions
	arrays
	pointers
	shared
	calls
	recursion
	methods
	addresses
	features
)

// addressed is the length of a run of seeds of which one program calls by address. The kernel of
// such a program contains all functions of its batch whose address is taken.
const addressed = 8

// limits of a program, which bound its running time.
const (
	most  = 24 // approximate number of statements that a thread executes in the body
	trips = 5  // rounds of a loop
)

// drawer draws a program.
type drawer struct {
	*rand.Rand
	p      *Program
	has    [features]bool
	uses   [groups]bool
	types  []string // scalars to use
	kinds  []record // structs and unions
	class  []string // classes, the base class first
	state  string   // type of the field of the classes
	cost   map[string]int
	tabled []Var // tables of constants

	// These belong to the function that is being drawn:
	f       *Func
	places  map[string][]place // by type
	structs []Var              // variables whose type is a struct
	spent   int                // statements executed
	size    int                // of the program, in statements
	limit   int
	again   int // calls of its own cycle that a function may still have
	names   int
}

// place is an expression that can be read, and assigned to unless read is set.
type place struct {
	form string
	args int // number of indices
	read bool
	ref  bool // a pointer can point to it
	view bool // it shares its bytes with another place
}

// record is a struct or union type.
type record struct {
	name   string
	fields []field
	packed bool // it is packed, or has a packed part
}

type field struct {
	name, typ string
	count     int
	view      bool
}

// Draw makes the program of a seed. Equal seeds give equal programs.
func Draw(seed uint64) *Program {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 3)), cost: map[string]int{}}
	d.p = &Program{Seed: seed}
	d.p.Block = []uint32{32, 32, 32, 64, 64, 40, 17}[d.IntN(7)]
	d.p.Grid = uint32(1 + d.IntN(8)/7)
	d.size = most >> d.IntN(3)
	for i := range d.has {
		d.has[i] = d.IntN(2) == 0
	}
	if seed%addressed != 0 {
		d.has[methods], d.has[addresses] = false, false
	}
	for i := range d.uses {
		d.uses[i] = d.IntN(2) == 0
	}
	d.uses[arithmetic], d.uses[comparisons] = true, true
	for _, t := range scalars {
		if d.IntN(3) == 0 && (d.uses[floating] || !isFloat(t)) {
			d.types = append(d.types, t)
		}
	}
	d.types = append(d.types, []string{"u32", "u64", "i32"}[d.IntN(3)])
	d.records()
	d.tables()
	d.functions()
	d.function(&Func{Name: "body", Result: "void"}, d.size)
	return d.p
}

func (d *drawer) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d *drawer, list []T) T { return list[d.IntN(len(list))] }

// name makes a new name in the program.
func (d *drawer) name(prefix string) string {
	d.names++
	return fmt.Sprint(prefix, d.names)
}

// records draws the struct and union types.
func (d *drawer) records() {
	if d.has[structs] {
		for range 1 + d.IntN(2) {
			r := record{name: d.name("S")}
			packed := ""
			if d.chance(20) {
				packed, r.packed = " __attribute__((packed))", true
			}
			text := []string{fmt.Sprintf("struct%s %s {", packed, r.name)}
			for range 1 + d.IntN(6) {
				f := field{name: d.name("field"), typ: pick(d, d.types)}
				suffix := ""
				switch {
				case !isFloat(f.typ) && d.chance(35):
					suffix = fmt.Sprintf(" : %d", 1+d.IntN(bitsOf(f.typ)))
				case d.chance(20):
					f.count = 2 << d.IntN(2)
					suffix = fmt.Sprintf("[%d]", f.count)
				case len(d.kinds) > 0 && d.chance(20):
					f.typ = d.kinds[0].name
					r.packed = r.packed || d.kinds[0].packed
				}
				text = append(text, fmt.Sprintf("    %s %s%s;", f.typ, f.name, suffix))
				r.fields = append(r.fields, f)
			}
			d.p.Types = append(d.p.Types, Decl{r.name, strings.Join(text, "\n") + "\n};"})
			d.kinds = append(d.kinds, r)
		}
	}
	if d.has[unions] {
		r := record{name: d.name("U")}
		const w = 2 // as long as the longest of the bit fields: {} clears only the first member
		r.fields = []field{
			{"w", "u64", w, false},
			{"h", "u32", 2 * w, true},
			{"q", "i16", 4 * w, true},
			{"b", "u8", 8 * w, true},
			{"x", "u32", 0, true},
			{"y", "i32", 0, true},
			{"z", "i64", 0, true},
		}
		n := 1 + d.IntN(31)
		d.p.Types = append(d.p.Types, Decl{
			r.name,
			fmt.Sprintf("union %s {\n    u64 w[%d];\n    u32 h[%d];\n    i16 q[%d];\n    u8 b[%d];\n    struct {\n        u32 x : %d;\n        i32 y : %d;\n        i64 z : %d;\n    };\n};",
				r.name, w, 2*w, 4*w, 8*w, n, 1+d.IntN(31), 1+d.IntN(63)),
		})
		d.kinds = append(d.kinds, r)
	}
}

// tables draws tables of constants.
func (d *drawer) tables() {
	for _, space := range []string{"CONSTANT", "GLOBAL"} {
		if !d.has[arrays] || !d.chance(40) {
			continue
		}
		t := pick(d, d.types)
		var values []string
		for range 8 {
			values = append(values, d.constant(t).Form)
		}
		name := d.name("table")
		d.p.Tables = append(d.p.Tables,
			Decl{name, fmt.Sprintf("%s %s %s[8] = {%s};", space, t, name, strings.Join(values, ", "))})
		d.tabled = append(d.tabled, Var{Name: name, Type: t})
	}
}

// functions draws the functions that the body calls.
func (d *drawer) functions() {
	if d.has[calls] {
		for range 1 + d.IntN(3) {
			d.function(d.signature("fn"), d.size/4)
		}
	}
	if d.has[recursion] {
		n := 1 + d.IntN(3)/2
		cycle := make([]*Func, n)
		for i := range cycle {
			cycle[i] = d.signature("r")
			cycle[i].cycle, cycle[i].Pure = 1, true
			cycle[i].Result = pick(d, d.types)
			d.cost[cycle[i].Name] = 1 << 20
		}
		first := len(d.p.Funcs)
		d.p.Funcs = append(d.p.Funcs, cycle...)
		for _, f := range cycle {
			d.fill(f, 4)
		}
		for _, f := range d.p.Funcs[first:] {
			d.cost[f.Name] = d.size / 2
		}
	}
	if d.has[addresses] {
		first := d.signature("g")
		first.Pure = true
		var names []string
		for range 4 {
			g := *first
			g.Name = d.name("g")
			names = append(names, g.Name)
			d.function(&g, d.size/6)
		}
		types := []string{"u32"}
		for _, v := range first.Params {
			types = append(types, v.Type)
		}
		d.p.Tables = append(d.p.Tables,
			Decl{"addresses", fmt.Sprintf("typedef %s (*Address)(%s);\nGLOBAL Address addresses[4] = {%s};",
				first.Result, strings.Join(types, ", "), strings.Join(names, ", "))})
	}
	if d.has[methods] {
		d.classes()
	}
}

// classes draws a class with virtual functions, and classes that override some of them.
func (d *drawer) classes() {
	var virtual []*Func
	for range 1 + d.IntN(2) {
		m := d.signature("m")
		m.Pure, m.Result = true, pick(d, d.types)
		virtual = append(virtual, m)
	}
	d.state = pick(d, d.types)
	for i := range 2 + d.IntN(2) {
		class := d.name("C")
		text := fmt.Sprintf("struct %s {\n    %s state;\n", class, d.state)
		if i > 0 {
			text = fmt.Sprintf("struct %s : %s {\n", class, pick(d, d.class))
		}
		for j, m := range virtual {
			if i > 0 && j > 0 && d.chance(40) {
				continue
			}
			own := *m
			own.Class = class
			text += "    virtual " + strings.Replace(own.head(), class+"::", "", 1) + ";\n"
			d.function(&own, d.size/6)
		}
		d.p.Types = append(d.p.Types, Decl{class, text + "};"})
		d.class = append(d.class, class)
	}
}

// signature draws the name, result and parameters of a function.
func (d *drawer) signature(prefix string) *Func {
	f := &Func{Name: d.name(prefix), Result: pick(d, d.types), Pure: d.chance(60), Inline: d.chance(25)}
	// clang-19 loads the words of a packed struct that is passed by value as if
	// they were aligned.
	passed := func() (record, bool) {
		r, ok := d.record()
		return r, ok && !r.packed
	}
	if d.chance(25) {
		if r, ok := passed(); ok {
			f.Result = r.name
		}
	}
	for range d.IntN(4) {
		v := Var{Name: d.name("p"), Type: pick(d, d.types)}
		if r, ok := passed(); ok && d.chance(20) {
			v.Type = r.name
		}
		f.Params = append(f.Params, v)
	}
	return f
}

// record draws a struct or union.
func (d *drawer) record() (record, bool) {
	if len(d.kinds) == 0 {
		return record{}, false
	}
	return pick(d, d.kinds), true
}

// function draws a function and adds it to the program.
func (d *drawer) function(f *Func, limit int) {
	d.p.Funcs = append(d.p.Funcs, f)
	d.fill(f, limit)
}

// fill draws the inside of a function.
func (d *drawer) fill(f *Func, limit int) {
	d.f, d.limit, d.spent, d.again = f, limit, 0, 1+d.IntN(4)/3
	d.places, d.structs = map[string][]place{}, nil
	d.outside()
	for _, v := range f.Params {
		d.declared(v)
	}
	if f.Class != "" {
		d.put(d.state, place{form: "state"})
	}
	d.variables()
	f.Body = d.list(1, 2+d.IntN(5), 0, false)
	d.neglected()
	if d.has[gotos] && d.chance(60) {
		d.jumps()
	}
	switch {
	case f.Name == "body":
		d.notes()
	case isScalar(f.Result):
		f.Return = d.result(f.Result)
	default:
		f.Return = d.structure(f.Result)
	}
	d.cost[f.Name] = d.spent + 4
}

// neglected adds calls to the function that is being drawn. The body gets a call of each function
// that no function without recursion calls so far. A recursive function gets a call of itself if it
// has none.
func (d *drawer) neglected() {
	text := ""
	for _, f := range d.p.Funcs {
		if _, body, _ := strings.Cut(f.text(), "\n"); f.cycle == 0 || f == d.f {
			text += body
		}
	}
	limit := d.limit
	d.limit = 1 << 20
	defer func() { d.limit = limit }()
	for _, g := range d.p.Funcs {
		if again := g.cycle != 0 && d.f.cycle != 0; (g == d.f && again || d.f.Name == "body") &&
			!mentions(text, g.Name+"(") {
			if e := d.call(func(f *Func) bool { return f == g }, 1); e != nil {
				s := d.keep(e)
				d.f.Body = slices.Insert(d.f.Body, d.IntN(len(d.f.Body)+1), s)
			}
		}
	}
}

// put makes a place available to expressions of its type.
func (d *drawer) put(typ string, p place) { d.places[typ] = append(d.places[typ], p) }

// outside makes the declarations outside the function available.
func (d *drawer) outside() {
	for _, v := range d.tabled {
		d.put(v.Type, place{form: v.Name + "[$0 & 7]", args: 1, read: true})
	}
	if d.has[shared] && !d.f.Pure {
		d.put("u64", place{form: "ROW[$0 & 3]", args: 1, ref: true})
	}
}

// declared makes the places of a variable available.
func (d *drawer) declared(v Var) {
	if v.Count > 0 {
		d.put(v.Type, place{form: fmt.Sprintf("%s[$0 & %d]", v.Name, v.Count-1), args: 1, ref: true})
		return
	}
	if isScalar(v.Type) || v.Type == "bool" {
		d.put(v.Type, place{form: v.Name, ref: v.Type != "bool" && d.chance(30)})
		return
	}
	d.structs = append(d.structs, v)
	d.fields(v.Name, v.Type)
}

func (d *drawer) fields(prefix, typ string) {
	for _, r := range d.kinds {
		if r.name != typ {
			continue
		}
		for _, f := range r.fields {
			name := prefix + "." + f.name
			switch {
			case f.count > 0:
				d.put(f.typ, place{form: fmt.Sprintf("%s[$0 & %d]", name, f.count-1), args: 1, view: f.view})
			case isScalar(f.typ):
				d.put(f.typ, place{form: name, view: f.view})
			default:
				d.fields(name, f.typ)
			}
		}
	}
}

// variables draws the variables of a function.
func (d *drawer) variables() {
	f := d.f
	add := func(v Var) {
		f.Vars = append(f.Vars, v)
		d.declared(v)
	}
	for range 2 + d.IntN(4) {
		t := pick(d, d.types)
		add(Var{Name: d.name("v"), Type: t, Init: d.leaf(t)})
	}
	for range d.IntN(3) {
		add(Var{Name: d.name("c"), Type: "bool", Init: d.condition(2)})
	}
	if d.has[arrays] {
		for range d.IntN(3) {
			add(Var{Name: d.name("a"), Type: pick(d, d.types), Count: 2 << d.IntN(3)})
		}
	}
	for range d.IntN(3) {
		if r, ok := d.record(); ok {
			add(Var{Name: d.name("s"), Type: r.name})
		}
	}
	if d.has[pointers] {
		for range 1 + d.IntN(2) {
			t := pick(d, d.types)
			if d.has[shared] && !f.Pure && d.chance(50) {
				t = "u64"
			}
			if e := d.reference(t); e != nil {
				name := d.name("q")
				f.Vars = append(f.Vars, Var{Name: name, Type: t + " *", Init: e})
				d.put(t, place{form: "(*" + name + ")"})
				d.put(t+" *", place{form: name})
			}
		}
	}
	if f.Class == "" && len(d.class) > 0 {
		d.objects()
	}
}

// objects draws variables with virtual functions, and a pointer to one of them.
func (d *drawer) objects() {
	f, base := d.f, d.class[0]
	var e *Expr
	for _, class := range d.class {
		v := Var{Name: d.name("o"), Type: class}
		f.Vars = append(f.Vars, v)
		at := &Expr{Form: fmt.Sprintf("(%s *)&%s", base, v.Name)}
		if e != nil {
			at = &Expr{Form: "($0 ? $1 : $2)", Args: []*Expr{d.condition(1), at, e}}
		}
		e = at
		d.put(d.state, place{form: v.Name + ".state"})
	}
	f.Vars = append(f.Vars, Var{Name: d.name("object"), Type: base + " *", Init: e})
}

// reference is the address of a place of a type, nil if there is none.
func (d *drawer) reference(t string) *Expr {
	var list []place
	for _, p := range d.places[t] {
		if p.ref {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil
	}
	at := func() *Expr { return d.at("&", pick(d, list), "") }
	if d.chance(50) {
		return &Expr{Form: "($0 ? $1 : $2)", Args: []*Expr{d.condition(1), at(), at()}}
	}
	return at()
}

// at is an expression that names a place, with drawn indices.
func (d *drawer) at(prefix string, p place, t string) *Expr {
	e := &Expr{Form: prefix + p.form, Type: t}
	for range p.args {
		e.Args = append(e.Args, d.expr("u32", 1))
	}
	return e
}

// constant is a constant of a scalar type, often an extreme one.
func (d *drawer) constant(t string) *Expr {
	n := bitsOf(t)
	var x uint64
	switch d.IntN(6) {
	case 0, 1:
		x = uint64(d.IntN(10))
	case 2:
		x = ^uint64(d.IntN(3))
	case 3:
		x = 1<<d.IntN(n) - uint64(d.IntN(2))
	case 4:
		x = 1<<(n-1) - uint64(d.IntN(2))
	default:
		x = d.Uint64()
	}
	x &= ^uint64(0) >> (64 - n)
	switch {
	case t == "f32" && d.chance(70):
		return &Expr{Form: fmt.Sprintf("(f32(%d) / 8)", int32(x%4096)-2048), Type: t}
	case t == "f64" && d.chance(70):
		return &Expr{Form: fmt.Sprintf("(f64(%d) / 8)", int32(x%4096)-2048), Type: t}
	case t == "f32":
		return &Expr{Form: fmt.Sprintf("single(%#xu)", x), Type: t}
	case t == "f64":
		return &Expr{Form: fmt.Sprintf("real(%#xull)", x), Type: t}
	}
	return &Expr{Form: fmt.Sprintf("%s(%#xull)", t, x), Type: t}
}

// leaf is an expression without subexpressions.
func (d *drawer) leaf(t string) *Expr {
	if list := d.places[t]; t == "bool" && len(list) > 0 && d.chance(40) {
		return &Expr{Form: pick(d, list).form, Type: t}
	}
	if t == "bool" {
		switch d.IntN(4) {
		case 0:
			return &Expr{Form: fmt.Sprintf("(t %% %d == %d)", 2+d.IntN(6), d.IntN(2)), Type: t}
		case 1:
			return &Expr{Form: fmt.Sprintf("(t < %d)", 1+d.IntN(40)), Type: t}
		case 2:
			return &Expr{Form: fmt.Sprintf("(input<u32>(t, %d) %% %d == 0)", d.IntN(100), 2+d.IntN(5)), Type: t}
		}
		s := pick(d, d.types)
		return &Expr{Form: "($0 > $1)", Type: t, Args: []*Expr{d.leaf(s), d.leaf(s)}}
	}
	switch n := d.IntN(10); {
	case n < 5 && len(d.places[t]) > 0:
		p := pick(d, d.places[t])
		e := &Expr{Form: p.form, Type: t}
		for range p.args {
			e.Args = append(e.Args, d.leaf("u32"))
		}
		return e
	case n < 7:
		return d.constant(t)
	case n == 7 && !isFloat(t):
		return &Expr{Form: pick(d, []string{t + "(t)", t + "(t & 3)", t + "(t >> 4)", t + "(t * 7)"}), Type: t}
	default:
		return &Expr{Form: fmt.Sprintf("input<%s>(t, %d)", t, d.IntN(100)), Type: t}
	}
}

// expr draws an expression of a scalar type or bool.
func (d *drawer) expr(t string, depth int) *Expr {
	if depth <= 0 || d.chance(15) {
		return d.leaf(t)
	}
	if t != "bool" && d.chance(12) {
		if e := d.call(func(f *Func) bool { return f.Pure && f.Result == t }, depth-1); e != nil {
			return e
		}
	}
	var list []op
	for range 8 {
		if g := d.IntN(groups); d.uses[g] && len(ops[g][t]) > 0 {
			list = ops[g][t]
			break
		}
	}
	if list == nil {
		return d.leaf(t)
	}
	o := pick(d, list)
	if slices.ContainsFunc(o.args, func(a string) bool { return a[0] == 'f' }) && !d.uses[floating] {
		return d.leaf(t)
	}
	e := &Expr{Form: o.form, Type: t}
	for _, a := range o.args {
		e.Args = append(e.Args, d.expr(a, depth-1-len(o.args)/3))
	}
	return e
}

func (d *drawer) condition(depth int) *Expr { return d.expr("bool", depth) }

// structure is an expression of a struct type: a variable or a call.
func (d *drawer) structure(t string) *Expr {
	var list []string
	for _, v := range d.structs {
		if v.Type == t {
			list = append(list, v.Name)
		}
	}
	if len(list) == 0 {
		return &Expr{Form: t + "{}", Type: t}
	}
	return &Expr{Form: pick(d, list), Type: t}
}

// call draws a call of a function that was drawn before. It returns nil if no function fits and is
// cheap enough.
func (d *drawer) call(fits func(*Func) bool, depth int) *Expr {
	f := d.f
	var list []*Func
	for _, g := range d.p.Funcs {
		again := g.cycle != 0 && f.cycle != 0
		switch {
		case g == f && !again, !fits(g), again && d.again == 0, g.Name[0] == 'g' && f.Name[0] == 'g':
		case !again && d.spent+d.cost[g.Name] > d.limit:
		case g.Class != "" && (d.object() == "" || f.Class != ""), f.Pure && !g.Pure:
		default:
			list = append(list, g)
		}
	}
	if len(list) == 0 {
		return nil
	}
	g := pick(d, list)
	name := g.Name
	e := &Expr{Type: g.Result}
	args := []string{"t"}
	switch {
	case g.cycle != 0 && f.cycle != 0:
		d.again--
		args = append(args, "depth - 1")
	case g.cycle != 0:
		args = append(args, fmt.Sprintf("(t ^ %d) & 3", d.IntN(8)))
	}
	d.spent += min(d.cost[g.Name], d.limit)
	if !g.Pure {
		args = append(args, "out")
	}
	switch {
	case g.Class != "":
		name = d.object() + "->" + name
	case name[0] == 'g':
		e.Args = append(e.Args, d.expr("u32", depth))
		name = "addresses[$0 & 3]"
	}
	for _, v := range g.Params {
		args = append(args, fmt.Sprintf("$%d", len(e.Args)))
		if isScalar(v.Type) {
			e.Args = append(e.Args, d.expr(v.Type, depth))
		} else {
			e.Args = append(e.Args, d.structure(v.Type))
		}
	}
	e.Form = fmt.Sprintf("%s(%s)", name, strings.Join(args, ", "))
	if g.cycle != 0 && f.cycle != 0 { // one expression, so that the test of depth stays with the call
		e.Form = fmt.Sprintf("(depth ? %s : $%d)", e.Form, len(e.Args))
		e.Args = append(e.Args, d.leaf(g.Result))
	}
	return e
}

// object is the name of the pointer to an object with virtual functions, "" if there is none.
func (d *drawer) object() string {
	for _, v := range d.f.Vars {
		if strings.HasPrefix(v.Name, "object") {
			return v.Name
		}
	}
	return ""
}

// result is the result of a function: a combination of all that it has computed.
func (d *drawer) result(t string) *Expr {
	e := d.expr(t, 2)
	for _, v := range d.f.Vars {
		if v.Type == t && v.Count == 0 {
			o := "^"
			if isFloat(t) {
				o = "+"
			}
			e = &Expr{Form: fmt.Sprintf("(%s)($0 %s $1)", t, o), Type: t, Args: []*Expr{e, {Form: v.Name, Type: t}}}
		}
	}
	return e
}

// notes adds statements that write all variables of the body to the output.
func (d *drawer) notes() {
	f := d.f
	note := func(k int, e *Expr) {
		f.Body = append(f.Body, &Stmt{
			Kind:  Simple,
			Exprs: []*Expr{{Form: fmt.Sprintf("note(out, %d, $0)", k), Args: []*Expr{e}}},
		})
	}
	k := 0
	for _, t := range append(scalars, "bool") {
		for _, p := range d.places[t] {
			if p.read || p.view {
				continue
			}
			e := &Expr{Form: p.form, Type: t}
			if p.args > 0 {
				e.Args = []*Expr{{Form: fmt.Sprintf("u32(%d)", d.IntN(16)), Type: "u32"}}
			}
			note(k, e)
			k++
		}
	}
}
