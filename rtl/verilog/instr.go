package verilog

import (
	"go/constant"
	"go/token"
	"go/types"
	"math/bits"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// width is the number of bits of a number.
func width(t types.Type) int {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return 64
	}
	switch b.Kind() {
	case types.Bool, types.UntypedBool:
		return 1
	case types.Uint8, types.Int8:
		return 8
	case types.Uint16, types.Int16:
		return 16
	case types.Uint32, types.Int32:
		return 32
	}
	return 64
}

func signed(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0 && b.Info()&types.IsUnsigned == 0
}

// value is the value of an operand.
func (f *frame) value(v ssa.Value, now *flow) value {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value == nil {
			return f.zero(v.Type())
		}
		switch v.Value.Kind() {
		case constant.Bool:
			return f.truth(constant.BoolVal(v.Value))
		case constant.Int:
			k, ok := constant.Uint64Val(v.Value)
			if !ok {
				s, _ := constant.Int64Val(v.Value)
				k = uint64(s)
			}
			return f.constant(k & ones(width(v.Type())))
		}
		return opaque{"the constant " + v.Value.String()}
	case *ssa.Function:
		return v
	case *ssa.Global:
		return pointer{null: f.constant(0), obj: f.global(v)}
	}
	r, ok := now.env[v]
	if !ok {
		f.refuse("%s has no value", v)
	}
	return r
}

// global is a package variable, with the value of its initializer.
func (x *machine) global(g *ssa.Global) *object {
	if o, ok := x.globals[g]; ok {
		return o
	}
	for _, m := range g.Pkg.Members {
		if v, ok := m.(*ssa.Global); ok {
			o := x.fresh(v.Name())
			x.globals[v] = o
			x.fixed[o] = x.zero(v.Type().Underlying().(*types.Pointer).Elem())
		}
	}
	at := x.at
	f := &frame{machine: x, fn: g.Pkg.Func("init")}
	now := &flow{mem: memoryState{}, env: map[ssa.Value]value{}}
	for _, b := range f.fn.Blocks {
		for _, in := range b.Instrs {
			x.initialize(f, in, now)
		}
	}
	x.at = at
	return x.globals[g]
}

// initialize executes an instruction of the initializers of a package. A variable whose initializer
// cannot be executed becomes opaque.
func (x *machine) initialize(f *frame, in ssa.Instruction, now *flow) {
	store, stores := in.(*ssa.Store)
	var to *ssa.Global
	if stores {
		to, _ = root(store.Addr).(*ssa.Global)
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *Refusal, impossible:
			if to != nil {
				x.fixed[x.globals[to]] = opaque{"package variable " + to.Name()}
			}
		default:
			panic(r)
		}
	}()
	switch in.(type) {
	case *ssa.If, *ssa.Jump, *ssa.Return, *ssa.DebugRef:
		return
	}
	if to == nil {
		f.instruction(in, now)
		return
	}
	o := x.globals[to]
	x.fixed[o] = x.store(x.fixed[o], f.pointer(store.Addr, now).path, f.value(store.Val, now))
}

// root is the variable that an address points into.
func root(v ssa.Value) ssa.Value {
	for {
		switch a := v.(type) {
		case *ssa.FieldAddr:
			v = a.X
		case *ssa.IndexAddr:
			v = a.X
		default:
			return v
		}
	}
}

// get reads a variable.
func (f *frame) get(p pointer, now *flow) value {
	if p.obj == nil {
		f.refuse("a nil pointer is read")
	}
	v, ok := now.mem[p.obj]
	if !ok {
		if v, ok = f.fixed[p.obj]; !ok {
			f.refuse("%s has no value here", p.obj.name)
		}
	}
	return f.load(v, p.path)
}

// set writes a variable.
func (f *frame) set(p pointer, v value, now *flow) {
	old, ok := now.mem[p.obj]
	if !ok {
		f.refuse("a variable is written that is no hardware")
	}
	now.mem[p.obj] = f.store(old, p.path, v)
}

func (f *frame) word(v ssa.Value, now *flow) *word {
	w, ok := f.value(v, now).(*word)
	if !ok {
		f.refuse("%s is used as a number", described(f.value(v, now)))
	}
	return w
}

func (f *frame) pointer(v ssa.Value, now *flow) pointer {
	p, ok := f.value(v, now).(pointer)
	if !ok {
		f.refuse("%s is used as a pointer", described(f.value(v, now)))
	}
	return p
}

// part is a pointer one step further.
func part(p pointer, s step) pointer {
	return pointer{p.null, p.obj, append(slices.Clip(p.path), s)}
}

// instruction executes an instruction other than the end of a block.
func (f *frame) instruction(in ssa.Instruction, now *flow) {
	switch i := in.(type) {
	case *ssa.DebugRef:
		if w, ok := now.env[i.X].(*word); ok && w.name == "" && i.Object() != nil && !i.IsAddr {
			w.name = i.Object().Name()
		}
	case *ssa.Store:
		f.set(f.pointer(i.Addr, now), f.value(i.Val, now), now)
	case ssa.Value:
		now.env[i] = f.result(i, now)
	default:
		f.refuse("%s is no hardware", in)
	}
}

// result is the value of an instruction.
func (f *frame) result(v ssa.Value, now *flow) value {
	switch i := v.(type) {
	case *ssa.Alloc:
		o := f.fresh(i.Comment)
		now.mem[o] = f.zero(i.Type().Underlying().(*types.Pointer).Elem())
		return pointer{null: f.constant(0), obj: o}
	case *ssa.FieldAddr:
		return part(f.pointer(i.X, now), step{field: i.Field})
	case *ssa.IndexAddr:
		index := f.word(i.Index, now)
		if w, ok := f.value(i.X, now).(window); ok {
			return part(w.of, step{index: f.binary("add", 64, index, f.constant(uint64(w.from)))})
		}
		return part(f.pointer(i.X, now), step{index: index})
	case *ssa.Field:
		return f.load(f.value(i.X, now), []step{{field: i.Field}})
	case *ssa.Index:
		return f.load(f.value(i.X, now), []step{{index: f.word(i.Index, now)}})
	case *ssa.Slice:
		return f.slice(i, now)
	case *ssa.UnOp:
		return f.unary(i, now)
	case *ssa.BinOp:
		return f.operation(i, now)
	case *ssa.Convert:
		return f.convert(f.word(i.X, now), i.X.Type(), i.Type())
	case *ssa.ChangeType:
		return f.value(i.X, now)
	case *ssa.Extract:
		return f.value(i.Tuple, now).(list)[i.Index]
	case *ssa.MakeInterface:
		return boxed{i.X.Type(), f.value(i.X, now)}
	case *ssa.Call:
		return f.calls(i, now)
	}
	f.refuse("%s is no hardware", v)
	return nil
}

// slice is a part of an array with constant bounds.
func (f *frame) slice(i *ssa.Slice, now *flow) value {
	var w window
	switch v := f.value(i.X, now).(type) {
	case window:
		w = v
	case pointer:
		a, ok := f.get(v, now).(list)
		if !ok {
			f.refuse("a slice of something that is no array")
		}
		w = window{v, 0, len(a)}
	default:
		f.refuse("a slice of %s", described(v))
	}
	low, high := 0, w.n
	for bound, to := range map[ssa.Value]*int{i.Low: &low, i.High: &high} {
		if bound == nil {
			continue
		}
		k := f.word(bound, now)
		if !k.isConst() {
			f.refuse("the bounds of a slice depend on data")
		}
		*to = int(k.k)
	}
	return window{w.of, w.from + low, high - low}
}

func (f *frame) unary(i *ssa.UnOp, now *flow) value {
	w := width(i.Type())
	switch i.Op {
	case token.MUL:
		return f.get(f.pointer(i.X, now), now)
	case token.NOT:
		return f.not(1, f.word(i.X, now))
	case token.XOR:
		return f.not(w, f.word(i.X, now))
	case token.SUB:
		return f.binary("sub", w, f.constant(0), f.word(i.X, now))
	}
	f.refuse("operator %s is no hardware", i.Op)
	return nil
}

var operators = map[token.Token]string{
	token.ADD: "add", token.SUB: "sub", token.MUL: "mul", token.AND: "and", token.OR: "or", token.XOR: "xor",
	token.SHL: "shl", token.SHR: "shr",
}

func (f *frame) operation(i *ssa.BinOp, now *flow) value {
	if i.Op == token.EQL || i.Op == token.NEQ {
		r := f.same(f.value(i.X, now), f.value(i.Y, now))
		if i.Op == token.NEQ {
			r = f.not(1, r)
		}
		return r
	}
	a, b, w, neg := f.word(i.X, now), f.word(i.Y, now), width(i.X.Type()), signed(i.X.Type())
	switch i.Op {
	case token.AND_NOT:
		return f.binary("and", w, a, f.not(w, b))
	case token.LSS:
		return f.less(w, neg, a, b)
	case token.GTR:
		return f.less(w, neg, b, a)
	case token.LEQ:
		return f.not(1, f.less(w, neg, b, a))
	case token.GEQ:
		return f.not(1, f.less(w, neg, a, b))
	case token.QUO, token.REM:
		if !b.isConst() || bits.OnesCount64(b.k) != 1 || neg && a.bits >= w {
			f.refuse("a division is hardware only if the divisor is a constant power of two")
		}
		switch {
		case i.Op == token.REM && b.k == 1:
			return f.constant(0)
		case i.Op == token.REM:
			return f.cut(a, bits.TrailingZeros64(b.k))
		}
		return f.binary("shr", w, a, f.constant(uint64(bits.TrailingZeros64(b.k))))
	case token.SHR:
		if neg && a.bits >= w {
			f.refuse("a shift of a number that may be negative")
		}
	}
	if op, ok := operators[i.Op]; ok {
		return f.binary(op, w, a, b)
	}
	f.refuse("operator %s is no hardware", i.Op)
	return nil
}

// same compares two values.
func (x *machine) same(a, b value) *word {
	switch v := a.(type) {
	case *word:
		if w, ok := b.(*word); ok {
			return x.equal(v, w)
		}
	case list:
		if w, ok := b.(list); ok {
			r := x.constant(1)
			for i := range v {
				r = x.and1(r, x.same(v[i], w[i]))
			}
			return r
		}
	case pointer:
		if w, ok := b.(pointer); ok && w.obj == nil {
			return v.null
		} else if ok && v.obj == nil {
			return w.null
		}
	case *ssa.Function, boxed:
		if o, ok := b.(opaque); ok && o.what != "" {
			return x.constant(0) // only nil can be compared
		}
	case opaque:
		if _, ok := b.(opaque); ok {
			return x.constant(1)
		}
		return x.constant(0)
	}
	x.refuse("a comparison of %s", described(a))
	return nil
}

// convert changes the type of a number.
func (x *machine) convert(w *word, from, to types.Type) *word {
	if signed(from) && width(to) > width(from) && w.bits == width(from) {
		if !w.isConst() {
			x.refuse("a number that may be negative becomes wider")
		}
		return x.constant(uint64(int64(w.k<<(64-width(from)))>>(64-width(from))) & ones(width(to)))
	}
	return x.cut(w, width(to))
}

// calls executes a call.
func (f *frame) calls(i *ssa.Call, now *flow) value {
	var args []value
	for _, a := range i.Call.Args {
		args = append(args, f.value(a, now))
	}
	if b, ok := i.Call.Value.(*ssa.Builtin); ok {
		return f.builtin(b.Name(), i, args, now)
	}
	fn := i.Call.StaticCallee()
	switch {
	case i.Call.IsInvoke():
		v, ok := f.value(i.Call.Value, now).(boxed)
		if !ok {
			f.refuse("a method of an interface is called, whose type is not known")
		}
		fn = f.lib.prog.LookupMethod(v.typ, i.Call.Method.Pkg(), i.Call.Method.Name())
		args = append([]value{v.val}, args...)
	case fn == nil:
		return f.invoke(f.value(i.Call.Value, now), args, now)
	}
	return f.invoke(fn, args, now)
}

// invoke calls a function.
func (f *frame) invoke(fn value, args []value, now *flow) value {
	switch fn := fn.(type) {
	case *ssa.Function:
		if r, ok := f.intrinsic(fn, args, now); ok {
			return r
		}
		results, mem := f.call(fn, args, now.on, now.mem)
		now.mem = mem
		if len(results) == 1 {
			return results[0]
		}
		return list(results)
	case either:
		yes, no := &flow{on: []*word{fn.on}, mem: now.mem}, &flow{on: []*word{f.not(1, fn.on)}, mem: now.mem}
		a, b := f.invoke(fn.a, args, yes), f.invoke(fn.b, args, no)
		now.mem = f.merge(yes, no, nil).mem
		return f.choose(fn.on, a, b)
	}
	f.refuse("%s is called, which is not known", described(fn))
	return nil
}

func (f *frame) builtin(name string, i *ssa.Call, args []value, now *flow) value {
	switch name {
	case "len":
		switch v := args[0].(type) {
		case list:
			return f.constant(uint64(len(v)))
		case window:
			return f.constant(uint64(v.n))
		}
	case "min", "max":
		w := width(i.Type())
		r := args[0].(*word)
		for _, a := range args[1:] {
			y := a.(*word)
			if name == "max" {
				r = f.mux(f.less(w, signed(i.Type()), r, y), y, r)
			} else {
				r = f.mux(f.less(w, signed(i.Type()), y, r), y, r)
			}
		}
		return r
	}
	f.refuse("%s of %s is no hardware", name, described(args[0]))
	return nil
}
