package verilog

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"divergo/rtl"
)

// Sizes gives numbers to the names in the tags `bits` and `len` of package rtl, such as "lanes".
// A name in the tag `if` is an option, which the design has if its number is not 0.
type Sizes map[string]int

// leaf is a number or truth value of a port, a register, or each entry of a memory.
type leaf struct {
	name  string
	width int
	group string // of a port that is an array: its name
	index []int  // fields and elements that lead to it, in the value of the port
	reset uint64
	mem   *memory
}

// memory is a Mem with several entries.
type memory struct {
	name   string
	n      int
	entry  value // with a *leaf in the place of each number
	leaves []*leaf
	resets map[*leaf][]uint64
	fixed  map[*leaf]bool // leaves that always have their reset value

	unreset bool // the reset keeps what is there: see the package comment
}

// read is an entry at the begin of the cycle.
func (m *memory) read(x *machine, at *word) value {
	return x.instance(m.entry, func(l *leaf) *word {
		if m.fixed[l] {
			return x.constant(l.reset)
		}
		return x.make("mem", l.width, 0, l, at)
	})
}

// instance replaces the leaves of a pattern.
func (x *machine) instance(v value, with func(*leaf) *word) value {
	switch v := v.(type) {
	case *leaf:
		return with(v)
	case list:
		r := make(list, len(v))
		for i := range v {
			r[i] = x.instance(v[i], with)
		}
		return r
	}
	return v
}

// design is a module after the symbolic execution of a cycle.
type design struct {
	*machine
	sizes    Sizes
	mem      memoryState
	finals   []final
	pointers map[uintptr]*object
	varying  map[string]bool // registers that do not always have their reset value

	inputs, outputs, registers []*leaf
	memories                   []*memory
	driven                     map[*leaf]*word // outputs, and the next values of registers
	writes                     map[*memory]*array
}

// final is a variable whose value at the end of a cycle counts.
type final struct {
	obj     *object
	pattern value
	mem     *memory
}

// translate executes the Tick of a module.
func (l *Library) translate(name string, m rtl.Ticker, s Sizes, varying map[string]bool) (d *design, err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case impossible:
			d, err = nil, fmt.Errorf("%s cannot be printed: its Tick always panics", name)
		case *Refusal:
			d, err = nil, fmt.Errorf("%s cannot be printed: %w", name, r)
		default:
			panic(r)
		}
	}()
	v := reflect.ValueOf(m)
	tick := l.method(v.Type(), "Tick")
	if tick == nil {
		return nil, fmt.Errorf("%s cannot be printed: the source of %s is not embedded", name, v.Type())
	}
	d = &design{
		machine: &machine{
			words: newWords(), lib: l, globals: map[*ssa.Global]*object{}, fixed: map[*object]value{},
			entries: map[*object]int{},
		},
		sizes: s, mem: memoryState{}, pointers: map[uintptr]*object{}, varying: varying,
		driven: map[*leaf]*word{}, writes: map[*memory]*array{},
	}
	d.at = tick.Pos()
	root := d.fresh(name)
	d.mem[root] = d.live(v.Elem(), "", "")
	_, mem := d.call(tick, []value{pointer{null: d.constant(0), obj: root}}, nil, d.mem)
	for _, f := range d.finals {
		if f.mem != nil {
			d.writes[f.mem] = mem[f.obj].(*array)
			continue
		}
		d.drive(f.pattern, mem[f.obj])
	}
	return d, nil
}

// drive records the values of leaves.
func (d *design) drive(pattern, v value) {
	switch p := pattern.(type) {
	case *leaf:
		w, ok := v.(*word)
		if !ok {
			d.refuse("%s becomes %s", p.name, described(v))
		}
		d.driven[p] = d.cut(w, p.width)
	case list:
		for i := range p {
			d.drive(p[i], v.(list)[i])
		}
	}
}

// live is a field of the module as a value: storage and ports as cells, all else as constants.
func (d *design) live(v reflect.Value, name string, tag reflect.StructTag) value {
	t := v.Type()
	switch {
	case t.Kind() == reflect.Pointer && v.IsNil():
		return pointer{null: d.constant(1)}
	case t.Kind() == reflect.Pointer:
		o, ok := d.pointers[v.Pointer()]
		if !ok {
			o = d.fresh(name)
			d.pointers[v.Pointer()] = o
			if isStorage(t.Elem(), "Wire") {
				d.mem[o] = d.input(v.Elem(), name)
			} else {
				d.mem[o] = d.live(v.Elem(), name, tag)
			}
		}
		return pointer{null: d.constant(0), obj: o}
	case isStorage(t, "Wire"):
		return d.output(v, name)
	case isStorage(t, "State"):
		return d.register(v.Field(0), name, tag)
	case isStorage(t, "Mem"):
		return d.memory(v.Field(0), name, tag)
	}
	switch t.Kind() {
	case reflect.Bool:
		return d.truth(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return d.constant(uint64(v.Int()) & ones(t.Bits()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return d.constant(v.Uint())
	case reflect.Array:
		r := make(list, v.Len())
		for i := range r {
			r[i] = d.live(v.Index(i), fmt.Sprintf("%s_%d", name, i), tag)
		}
		return r
	case reflect.Struct:
		r := make(list, v.NumField())
		for i := range r {
			f, with := t.Field(i), t.Field(i).Tag
			if tag.Get("reset") == "none" {
				with += ` reset:"none"`
			}
			r[i] = d.live(v.Field(i), join(name, f), with)
		}
		return r
	case reflect.Func:
		if v.IsNil() {
			return opaque{"a nil function"}
		}
		if fn := d.lib.function(v); fn != nil {
			return fn
		}
	}
	return opaque{fmt.Sprintf("%s, of type %s,", name, t)}
}

func isStorage(t reflect.Type, kind string) bool {
	return t.PkgPath() == reflect.TypeFor[rtl.Sim]().PkgPath() && strings.HasPrefix(t.Name(), kind+"[")
}

// join appends the name of a field. Embedded fields, and those named In and Out, add nothing.
func join(name string, f reflect.StructField) string {
	switch {
	case f.Anonymous, f.Name == "In", f.Name == "Out":
		return name
	case name == "":
		return snake(f.Name)
	}
	return name + "_" + snake(f.Name)
}

// snake turns a Go name into one of Verilog: NextPC becomes next_pc.
func snake(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) ||
			i+1 < len(runes) && unicode.IsLower(runes[i+1])) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	if s := b.String(); !reserved[s] {
		return s
	}
	return b.String() + "_"
}

// reserved are words of Verilog that fields can be called, and the names of the clock's ports.
var reserved = map[string]bool{
	"and": true, "or": true, "not": true, "xor": true, "reg": true, "wire": true, "input": true, "output": true,
	"module": true, "begin": true, "end": true, "case": true, "default": true, "for": true, "if": true, "else": true,
	"function": true, "integer": true, "release": true, "force": true, "table": true, "event": true, "clk": true,
	"reset": true, "join": true, "fork": true, "unused": true, "wait": true, "repeat": true, "time": true, "do": true,
	"bit": true, "byte": true, "int": true, "new": true, "this": true, "type": true, "final": true, "first": true, "static": true,
	"next": true, "last": true, "push": true, "pop": true, "priority": true, "unique": true, "set": true, "any": true,
	"edge": true, "inside": true, "with": true, "class": true, "signed": true, "unsigned": true, "small": true, "large": true, "medium": true, "pull": true,
}

// pattern makes a leaf for each number in a value. Elements beyond a `len`, fields of missing
// options and data of the simulation have none.
func (d *design) pattern(v reflect.Value, name string, tag reflect.StructTag, index []int, group string,
	add func(*leaf),
) value {
	t := v.Type()
	switch t.Kind() {
	case reflect.Array:
		n := t.Len()
		if k, ok := d.size(tag.Get("len")); ok {
			n = min(n, k)
		}
		r := make(list, t.Len())
		for i := range r {
			if i >= n {
				r[i] = d.constantsOf(v.Index(i))
				continue
			}
			r[i] = d.pattern(v.Index(i), fmt.Sprintf("%s_%d", name, i), tag, append(slices.Clip(index), i), name, add)
		}
		return r
	case reflect.Struct:
		r := make(list, t.NumField())
		for i := range r {
			f := t.Field(i)
			if option := f.Tag.Get("if"); option != "" && d.sizes[option] == 0 || f.Name == "_" {
				r[i] = d.constantsOf(v.Field(i))
				continue
			}
			if strings.Contains(f.Tag.Get("rtl"), "sim") {
				r[i] = d.simulated(v.Field(i), join(name, f))
				continue
			}
			r[i] = d.pattern(v.Field(i), join(name, f), f.Tag, append(slices.Clip(index), i), "", add)
		}
		return r
	}
	l := &leaf{name: name, group: group, index: index, width: int(t.Size()) * 8}
	switch {
	case v.Kind() == reflect.Bool:
		l.width = 1
		if v.Bool() {
			l.reset = 1
		}
	case v.CanUint():
		l.reset = v.Uint()
	case v.CanInt():
		l.reset = uint64(v.Int()) & ones(l.width)
	default:
		d.refuse("%s is of type %s, which is no hardware", name, t)
	}
	if k, ok := d.size(tag.Get("bits")); ok {
		l.width = min(l.width, k)
	}
	l.reset &= ones(l.width)
	add(l)
	return l
}

// size is the number in a tag.
func (d *design) size(tag string) (int, bool) {
	if n, err := strconv.Atoi(tag); err == nil {
		return n, true
	}
	n, ok := d.sizes[tag]
	return n, ok
}

// constantsOf is a value that never changes.
func (d *design) constantsOf(v reflect.Value) value { return d.live(v, "", "") }

// simulated is data that the hardware does not have. Nothing in the hardware may depend on it.
func (d *design) simulated(v reflect.Value, name string) value {
	p := d.pattern(v, name, "", nil, "", func(*leaf) {})
	return d.instance(p, func(l *leaf) *word { return d.make("sim", l.width, 0, l) })
}

func (d *design) input(v reflect.Value, name string) value {
	o := d.fresh(name)
	p := d.pattern(v.Field(0), name, "", nil, "", func(l *leaf) { d.inputs = append(d.inputs, l) })
	d.mem[o] = d.instance(p, func(l *leaf) *word { return d.make("in", l.width, 0, l) })
	return cell{o, o}
}

func (d *design) output(v reflect.Value, name string) value {
	o := d.fresh(name)
	p := d.pattern(v.Field(0), name, "", nil, "", func(l *leaf) { d.outputs = append(d.outputs, l) })
	d.mem[o] = d.instance(p, func(l *leaf) *word { return d.make("undriven", l.width, 0, l) })
	d.finals = append(d.finals, final{obj: o, pattern: p})
	return cell{o, o}
}

// register is the storage of a State.
func (d *design) register(v reflect.Value, name string, tag reflect.StructTag) value {
	now, next := d.fresh(name), d.fresh(name)
	d.mem[now] = d.stored(next, v, name, tag)
	d.mem[next] = d.mem[now]
	return cell{now, next}
}

// stored makes registers for a value. It returns what they hold at the begin of a cycle.
func (d *design) stored(next *object, v reflect.Value, name string, tag reflect.StructTag) value {
	if strings.Contains(tag.Get("rtl"), "sim") {
		return d.simulated(v, name)
	}
	p := d.pattern(v, name, tag, nil, "", func(l *leaf) { d.registers = append(d.registers, l) })
	d.finals = append(d.finals, final{obj: next, pattern: p})
	return d.instance(p, func(l *leaf) *word {
		if !d.varying[l.name] {
			return d.constant(l.reset)
		}
		return d.make("reg", l.width, 0, l)
	})
}

// memory is the storage of a Mem, whose entries are v. One entry is a register.
func (d *design) memory(v reflect.Value, name string, tag reflect.StructTag) value {
	now, next := d.fresh(name), d.fresh(name)
	d.entries[next] = v.Len()
	if v.Len() == 1 {
		one := d.fresh(name)
		d.mem[now] = list{d.stored(one, v.Index(0), name, tag)}
		if n := len(d.finals); n > 0 && d.finals[n-1].obj == one {
			d.finals[n-1] = final{obj: next, pattern: list{d.finals[n-1].pattern}}
		}
		d.mem[next] = d.mem[now]
		return cell{now, next}
	}
	m := &memory{
		name: name, n: v.Len(), resets: map[*leaf][]uint64{}, fixed: map[*leaf]bool{},
		unreset: tag.Get("reset") == "none",
	}
	m.entry = d.pattern(v.Index(0), name, tag, nil, "", func(l *leaf) {
		l.mem = m
		m.leaves = append(m.leaves, l)
	})
	for i := range v.Len() {
		j := 0
		d.pattern(v.Index(i), name, tag, nil, "", func(l *leaf) {
			m.resets[m.leaves[j]] = append(m.resets[m.leaves[j]], l.reset)
			j++
		})
	}
	for _, l := range m.leaves {
		m.fixed[l] = !d.varying[l.name]
	}
	d.memories = append(d.memories, m)
	d.mem[now] = &array{mem: m}
	d.mem[next] = d.mem[now]
	d.finals = append(d.finals, final{obj: next, mem: m})
	return cell{now, next}
}

// found lists registers that were taken as constant, and are not.
func (d *design) found() (list []string) {
	for _, l := range d.registers {
		if !d.varying[l.name] && !d.driven[l].is(l.reset) {
			list = append(list, l.name)
		}
	}
	for _, m := range d.memories {
		for _, l := range m.leaves {
			changed := func(c change) bool { return !c.value.is(l.reset) }
			other := func(r uint64) bool { return r != l.reset }
			if !d.varying[l.name] &&
				(slices.ContainsFunc(d.changes(m, l), changed) || slices.ContainsFunc(m.resets[l], other)) {
				list = append(list, l.name)
			}
		}
	}
	return list
}

// change is a write of a leaf of a memory.
type change struct{ on, at, value *word }

// changes lists the writes of a leaf, without those of the value that is there.
func (d *design) changes(m *memory, l *leaf) (list []change) {
	for _, w := range d.writes[m].writes {
		if v := d.leafOf(m, l, w.elem); v != d.leafOf(m, l, w.old) {
			list = append(list, change{w.on, w.at, d.cut(v, l.width)})
		}
	}
	return list
}

// leafOf is the word of a leaf in a value of an entry.
func (d *design) leafOf(m *memory, l *leaf, v value) (w *word) {
	var find func(p, v value)
	find = func(p, v value) {
		switch p := p.(type) {
		case *leaf:
			if p == l {
				w = v.(*word)
			}
		case list:
			for i := range p {
				find(p[i], v.(list)[i])
			}
		}
	}
	find(m.entry, v)
	return w
}
