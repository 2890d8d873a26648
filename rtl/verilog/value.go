package verilog

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// value is what an SSA value stands for: *word, list, pointer, *array, *ssa.Function, boxed, window,
// either or opaque.
type value any

// list is a struct, an array or a tuple.
type list []value

// object is a variable.
type object struct {
	name string
	id   int
}

// pointer points into an object. Null is the condition that it is nil; then obj may be nil too.
type pointer struct {
	null *word
	obj  *object
	path []step
}

// step is a field of a struct (the index is nil) or an element of an array.
type step struct {
	field int
	index *word
}

// window is a slice of an array: n elements from the given one on.
type window struct {
	of      pointer
	from, n int
}

// boxed is an interface that holds a value of a known type.
type boxed struct {
	typ types.Type
	val value
}

// opaque is a value of the live module that is no hardware. Only its use is refused.
type opaque struct{ what string }

// either is one of two functions.
type either struct {
	on   *word
	a, b value
}

// cell is a State, a Mem or a Wire: the variables with its present and its next value.
type cell struct{ now, next *object }

// array is a memory with many entries: its contents at the begin of the cycle, and the writes since.
type array struct {
	mem    *memory
	writes []*write
}

// write changes an entry from old to elem if the condition holds.
type write struct {
	on, at    *word
	old, elem value
}

func (x *machine) fresh(name string) *object {
	x.objects++
	return &object{name, x.objects}
}

// zero is the zero value of a type.
func (x *machine) zero(t types.Type) value {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsString != 0 {
			return opaque{"a string"}
		}
		return x.constant(0)
	case *types.Array:
		a := make(list, u.Len())
		for i := range a {
			a[i] = x.zero(u.Elem())
		}
		return a
	case *types.Struct:
		a := make(list, u.NumFields())
		for i := range a {
			a[i] = x.zero(u.Field(i).Type())
		}
		return a
	case *types.Pointer:
		return pointer{null: x.constant(1)}
	}
	return opaque{"nil of type " + t.String()}
}

// choose is a if c, else b.
func (x *machine) choose(c *word, a, b value) value {
	switch v := a.(type) {
	case *word:
		if w, ok := b.(*word); ok {
			return x.mux(c, v, w)
		}
	case list:
		w, ok := b.(list)
		if !ok || len(v) != len(w) {
			break
		}
		if len(v) == 0 || &v[0] == &w[0] {
			return a
		}
		r := make(list, len(v))
		for i := range v {
			r[i] = x.choose(c, v[i], w[i])
		}
		return r
	case pointer:
		if w, ok := b.(pointer); ok {
			return x.choosePointer(c, v, w)
		}
	case *array:
		return x.chooseArray(c, v, b.(*array))
	case boxed:
		if w, ok := b.(boxed); ok && types.Identical(v.typ, w.typ) {
			return boxed{v.typ, x.choose(c, v.val, w.val)}
		}
	case window:
		if w, ok := b.(window); ok && v.from == w.from && v.n == w.n {
			if p, ok := x.choosePointer(c, v.of, w.of).(pointer); ok {
				return window{p, v.from, v.n}
			}
		}
	case cell:
		if b == a {
			return a
		}
	case *ssa.Function, either:
		switch b.(type) {
		case *ssa.Function, either:
			if b == a {
				return a
			}
			return either{c, a, b}
		}
	}
	return opaque{"a choice between two values that are not signals"}
}

func (x *machine) choosePointer(c *word, a, b pointer) value {
	null := x.mux(c, a.null, b.null)
	switch {
	case a.obj == nil:
		return pointer{null, b.obj, b.path}
	case b.obj == nil:
		return pointer{null, a.obj, a.path}
	case a.obj != b.obj || len(a.path) != len(b.path):
		return opaque{fmt.Sprintf("a choice between pointers to %s and %s", a.obj.name, b.obj.name)}
	}
	path := slices.Clone(a.path)
	for i := range path {
		if a.path[i].index == nil {
			if a.path[i] != b.path[i] {
				return opaque{"a choice between pointers to two fields of " + a.obj.name}
			}
			continue
		}
		path[i].index = x.mux(c, a.path[i].index, b.path[i].index)
	}
	return pointer{null, a.obj, path}
}

// chooseArray keeps the writes of both sides, each under its condition.
func (x *machine) chooseArray(c *word, a, b *array) value {
	n := 0
	for n < len(a.writes) && n < len(b.writes) && a.writes[n] == b.writes[n] {
		n++
	}
	if n == len(a.writes) && n == len(b.writes) {
		return a
	}
	r := &array{a.mem, slices.Clone(a.writes[:n])}
	ta, tb := a.writes[n:], b.writes[n:]
	for len(ta) > 0 && len(tb) > 0 && ta[0].at == tb[0].at &&
		(identical(ta[0].elem, tb[0].elem) || len(ta) == 1 && len(tb) == 1) {
		v, w := ta[0], tb[0]
		r.writes = append(r.writes, &write{
			x.mux(c, v.on, w.on), v.at, x.choose(c, v.old, w.old), x.choose(c, v.elem, w.elem),
		})
		ta, tb = ta[1:], tb[1:]
	}
	for _, w := range ta {
		r.writes = append(r.writes, &write{x.and1(c, w.on), w.at, w.old, w.elem})
	}
	for _, w := range tb {
		r.writes = append(r.writes, &write{x.and1(x.not(1, c), w.on), w.at, w.old, w.elem})
	}
	return r
}

// identical reports whether two values are known to be the same.
func identical(a, b value) bool {
	v, isList := a.(list)
	w, ok := b.(list)
	if isList && ok {
		return len(v) == len(w) && (len(v) == 0 || &v[0] == &w[0])
	}
	return !isList && !ok && a == b
}

// load is the part of v at the path.
func (x *machine) load(v value, path []step) value {
	if len(path) == 0 {
		return v
	}
	i := path[0].index
	switch a := v.(type) {
	case *array:
		return x.load(x.entry(a, i), path[1:])
	case list:
		if i == nil {
			return x.load(a[path[0].field], path[1:])
		}
		if len(a) == 1 {
			return x.load(a[0], path[1:])
		}
		if i.isConst() {
			if i.k >= uint64(len(a)) {
				panic(impossible{})
			}
			return x.load(a[i.k], path[1:])
		}
		if r := x.lookup(a, i); r != nil && len(path) == 1 {
			return r
		}
		n := len(a)
		if i.bits < 16 {
			n = min(n, 1<<i.bits)
		}
		r := x.load(a[n-1], path[1:])
		for k := n - 2; k >= 0; k-- {
			r = x.choose(x.equal(i, x.constant(uint64(k))), x.load(a[k], path[1:]), r)
		}
		return r
	}
	x.refuse("%s is used, which is no hardware", described(v))
	return nil
}

// lookup reads a table of constants, each bit of which is a bit of the index or constant. It is nil
// for other tables.
func (x *machine) lookup(a list, index *word) value {
	n := len(a)
	if n < 4 || n&(n-1) != 0 || index.bits > 16 || 1<<index.bits != n {
		return nil
	}
	table := make([]uint64, n)
	for k, v := range a {
		w, ok := v.(*word)
		if !ok || !w.isConst() {
			return nil
		}
		table[k] = w.k
	}
	r := x.constant(0)
	for b := range 64 {
		var source *word
	search:
		for i := -1; i <= index.bits; i++ {
			for k, t := range table {
				want := uint64(0)
				switch {
				case i == index.bits:
					want = 1
				case i >= 0:
					want = uint64(k) >> i & 1
				}
				if t>>b&1 != want {
					continue search
				}
			}
			source = x.constant(0)
			if i == index.bits {
				source = x.constant(1)
			} else if i >= 0 {
				source = x.bit(index, i)
			}
			break
		}
		if source == nil {
			return nil
		}
		r = x.binary("or", 64, r, x.binary("shl", 64, source, x.constant(uint64(b))))
	}
	return r
}

// store is v with the part at the path replaced.
func (x *machine) store(v value, path []step, part value) value {
	if len(path) == 0 {
		return part
	}
	i := path[0].index
	switch a := v.(type) {
	case *array:
		old := x.entry(a, i)
		return a.with(&write{x.constant(1), i, old, x.store(old, path[1:], part)})
	case list:
		r := slices.Clone(a)
		switch {
		case i == nil:
			r[path[0].field] = x.store(a[path[0].field], path[1:], part)
		case len(a) == 1:
			r[0] = x.store(a[0], path[1:], part)
		case i.isConst():
			if i.k >= uint64(len(a)) {
				panic(impossible{})
			}
			r[i.k] = x.store(a[i.k], path[1:], part)
		default:
			for k := range r {
				r[k] = x.choose(x.equal(i, x.constant(uint64(k))), x.store(a[k], path[1:], part), a[k])
			}
		}
		return r
	}
	x.refuse("%s is written, which is no hardware", described(v))
	return nil
}

// with adds a write. It replaces the last one if that is to the same entry.
func (a *array) with(w *write) *array {
	n := len(a.writes)
	if n > 0 && a.writes[n-1].at == w.at && a.writes[n-1].on == w.on {
		n--
		w.old = a.writes[n].old
	}
	return &array{a.mem, append(slices.Clone(a.writes[:n]), w)}
}

// entry is an entry of an array, after the writes of this cycle.
func (x *machine) entry(a *array, at *word) value {
	if at.isConst() && at.k >= uint64(a.mem.n) {
		panic(impossible{})
	}
	v := a.mem.read(x, at)
	for _, w := range a.writes {
		v = x.choose(x.and1(w.on, x.equal(w.at, at)), w.elem, v)
	}
	return v
}

func described(v value) string {
	switch v := v.(type) {
	case opaque:
		return v.what
	case *word:
		return "a number"
	case pointer:
		return "a nil pointer"
	}
	return fmt.Sprintf("a %T", v)
}
