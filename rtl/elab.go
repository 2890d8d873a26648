package rtl

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// module is a block of hardware with processes.
type module struct {
	path   string
	root   bool
	states []*stateHdr
	reads  []reading // modules whose state this one reads
	outs   []AnyWire // wires in its fields
	ins    []AnyWire // wires it points to
	mems   []*ram    // memories it holds
	ports  []port
	procs  []*process
	parts  []part // structs it consists of
}

// part is a struct of a module. Its fields that hold no hardware are parameters and scratch: see
// fieldsOf.
type part struct {
	path string
	at   reflect.Value // the struct, addressable
}

// reading is a field of a module that points to another module.
type reading struct {
	to   key
	path string
	typ  reflect.Type
}

// port is a queue end in a field.
type port struct {
	f        *fifo
	producer bool
	path     string
}

// key identifies a struct by address and type. The first field of a struct has the same address, so
// a pointer is not enough.
type key struct {
	at  uintptr
	typ reflect.Type
}

// input is a field that points to a wire.
type input struct {
	w    AnyWire
	path string
}

// elaboration walks a design once.
type elaboration struct {
	k        *Sim
	seen     map[key]*module // modules; nil for other structs
	inputs   []input
	hostEnds []port
	places   map[storage]bool
	errs     []error
}

// New elaborates the design under root, a pointer to a struct, and returns its Sim. The error joins
// all faults of the design, each with the path of its field.
func New(name string, root any) (*Sim, error) { return elaborate(name, root, nil) }

// MustNew is New for designs known to be right; it panics on an error.
func MustNew(name string, root any) *Sim {
	k, err := New(name, root)
	if err != nil {
		panic(err)
	}
	return k
}

func elaborate(name string, root any, in *island) (*Sim, error) {
	e := &elaboration{
		k:    &Sim{name: name, between: 1, island: in},
		seen: map[key]*module{}, places: map[storage]bool{},
	}
	if in != nil {
		in.sim = e.k
	}
	v := reflect.ValueOf(root)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("rtl: %s: the root of a design is a pointer to a struct, not %T", name, root)
	}
	if isModule(v.Type()) {
		e.submodule(name, v, true)
	} else {
		e.seen[key{v.Pointer(), v.Type()}] = nil
		e.fields(name, v.Elem(), nil)
	}
	e.connect()
	if len(e.errs) == 0 {
		e.order()
	}
	if len(e.errs) != 0 {
		return nil, errors.Join(e.errs...)
	}
	e.bind()
	for _, m := range e.k.mods { // what only elaboration needs
		m.ins, m.outs, m.reads, m.mems, m.ports = nil, nil, nil, nil, nil
		for _, p := range m.procs {
			p.reads = nil
		}
	}
	return e.k, nil
}

func (e *elaboration) errorf(format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf(format, args...))
}

// ---- the walk ----

// tags are the words of the `rtl:"..."` and `trace:"true"` tags of a field, and the whole tag.
type tags struct {
	own, optional, inplace, handed, traced bool
	all                                    reflect.StructTag
}

// walked is a field of a struct that may hold hardware, or has a tag of its own.
type walked struct {
	reflect.StructField
	words []string // of the rtl tag
	tags  tags
	holds bool
	mixin bool // its fields are part of the struct, even if the Tick is its own
}

var walkedFields = memo[[]walked]{find: findWalked}

func findWalked(t reflect.Type) (list []walked) {
	for i := range t.NumField() {
		f := walked{StructField: t.Field(i)}
		tag := f.Tag.Get("rtl")
		if tag == "-" {
			continue
		}
		f.tags = tags{traced: f.Tag.Get("trace") == "true", all: f.Tag}
		if tag != "" {
			f.words = strings.Split(tag, ",")
			f.tags.own = slices.Contains(f.words, "own")
			f.tags.optional = slices.Contains(f.words, "optional")
			f.tags.inplace = slices.Contains(f.words, "inplace")
			f.tags.handed = slices.Contains(f.words, "handed")
		}
		f.holds = mayHold(f.Type)
		f.mixin = f.Anonymous && f.Type.Kind() == reflect.Struct && classOf(f.Type) == plainClass
		if f.holds || f.words != nil {
			list = append(list, f)
		}
	}
	return list
}

// fields walks the fields of a struct; m is the module it is part of, nil if none.
func (e *elaboration) fields(path string, v reflect.Value, m *module) {
	if m != nil {
		m.parts = append(m.parts, part{path, v})
	}
	list := walkedFields.of(v.Type())
	for i := range list {
		f := &list[i]
		for _, word := range f.words {
			switch word {
			case "", "own", "optional":
			case "inplace":
				if m == nil || classOf(f.Type) != stateClass && classOf(f.Type) != memClass &&
					(f.Type.Kind() != reflect.Pointer || classOf(f.Type.Elem()) != memClass) {
					e.errorf("%s.%s has tag rtl:\"inplace\", which is for a State or Mem of a module, not for a %s",
						path, f.Name, f.Type)
				}
			case "handed":
				if m == nil || !isHanded(f.Type) {
					e.errorf("%s.%s has tag rtl:\"handed\", which is for Mems of a module, not for a %s", path, f.Name, f.Type)
				}
			case "scratch":
				if m == nil || f.holds {
					e.errorf("%s.%s has tag rtl:\"scratch\", which is for what a module has besides its hardware, not for a %s", path, f.Name, f.Type)
				}
			case "sim":
				if t := f.Type; !isStorage(t) && (t.Kind() != reflect.Pointer || !isStorage(t.Elem())) {
					e.errorf("%s.%s has tag rtl:\"sim\", which is for a State, a Mem, or what they hold, not for a %s",
						path, f.Name, t)
				}
			default:
				e.errorf("%s.%s has tag rtl:%q, expected own, optional, inplace, handed, scratch, sim or -", path, f.Name, word)
			}
		}
		if !f.holds {
			continue
		}
		p := path
		if !f.Anonymous {
			p += "." + f.Name
		}
		fv := addressOf(v.Field(f.Index[0])).Elem()
		if f.mixin {
			e.fields(p, fv, m)
			continue
		}
		e.value(p, fv, m, f.tags)
	}
}

func (e *elaboration) value(path string, v reflect.Value, m *module, tg tags) {
	t := v.Type()
	switch v.Kind() {
	case reflect.Pointer:
		e.pointer(path, v, m, tg)
	case reflect.Interface:
		if !v.IsNil() && v.Elem().Kind() == reflect.Pointer {
			e.pointer(path, v.Elem(), m, tg)
		}
	case reflect.Slice, reflect.Array:
		if mayHold(t.Elem()) {
			for i := range v.Len() {
				e.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i), m, tg)
			}
		}
	case reflect.Struct:
		e.structure(path, v, m, tg)
	}
}

func (e *elaboration) structure(path string, v reflect.Value, m *module, tg tags) {
	p := addressOf(v)
	switch classOf(v.Type()) {
	case stateClass:
		s := p.Interface().(register).header()
		if m == nil {
			e.errorf("%s: a State belongs in a module, a struct with Tick or Processes", path)
			return
		}
		s.at = p.Elem()
		if e.place(s, path) {
			s.owned.tag = tg.all
			if tg.inplace {
				s.writer = m
			}
			m.states = append(m.states, s)
			e.k.states = append(e.k.states, s)
		}
	case wireClass:
		w := p.Interface().(AnyWire)
		if e.place(w, path) {
			e.k.wires = append(e.k.wires, w)
			if m == nil {
				e.k.pins = append(e.k.pins, w)
			} else {
				m.outs = append(m.outs, w)
			}
		}
	case memClass:
		e.memory(path, p, m, tg)
	case endClass:
		f, producer := v.Interface().(end).end()
		switch {
		case m == nil:
			if f != nil {
				e.hostEnds = append(e.hostEnds, port{f, producer, path})
			}
		case f != nil:
			m.ports = append(m.ports, port{f, producer, path})
		case !tg.optional:
			e.errorf("%s is not connected to a queue: set it, or tag it `rtl:\"optional\"`", path)
		}
	case foreignClass:
		f := p.Interface().(*Foreign)
		switch {
		case m == nil || f.model == nil:
			e.errorf("%s: a Foreign belongs in a module, with a model: see Foreign.Init", path)
		case e.place(f, path):
			e.k.foreign = append(e.k.foreign, f)
		}
	case otherClass:
	case queueClass:
		e.errorf("%s holds a %s by value: hold a pointer, its ends are copies", path, v.Type())
	default:
		if isModule(p.Type()) {
			e.child(path, p, m)
		} else {
			e.fields(path, v, m)
		}
	}
}

func (e *elaboration) pointer(path string, v reflect.Value, m *module, tg tags) {
	t := v.Type()
	if t == simType {
		if v.CanSet() {
			v.Set(reflect.ValueOf(e.k))
		}
		return
	}
	switch classOf(t.Elem()) {
	case wireClass:
		switch {
		case m == nil:
		case !v.IsNil():
			w := v.Interface().(AnyWire)
			m.ins = append(m.ins, w)
			e.inputs = append(e.inputs, input{w, path})
		case !tg.optional:
			e.errorf("%s, an input, is not connected to a wire: set it, or tag it `rtl:\"optional\"`", path)
		}
		return
	case memClass:
		switch {
		case !v.IsNil():
			e.memory(path, v, m, tg)
		case m != nil && !tg.optional:
			e.errorf("%s is nil: make it with NewMem, or tag it `rtl:\"optional\"`", path)
		}
		return
	case stateClass, endClass, queueClass, foreignClass, otherClass:
		return
	}
	switch {
	case v.IsNil():
	case isModule(t):
		if m == nil || m.root || tg.own {
			e.child(path, v, m)
		} else {
			m.reads = append(m.reads, reading{key{v.Pointer(), t}, path, t})
		}
	case (m == nil || tg.own) && t.Elem().Kind() == reflect.Struct && mayHold(t.Elem()):
		k := key{v.Pointer(), t}
		if _, ok := e.seen[k]; !ok {
			e.seen[k] = nil
			e.fields(path, v.Elem(), m)
		}
	}
}

// isHanded reports whether a field holds a Mem, or an array or slice of them.
func isHanded(t reflect.Type) bool {
	if t.Kind() == reflect.Array || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t.Kind() == reflect.Pointer && classOf(t.Elem()) == memClass
}

// child walks a module found at a place that makes it a submodule. The module around it reads it.
func (e *elaboration) child(path string, v reflect.Value, m *module) {
	k := key{v.Pointer(), v.Type()}
	if _, ok := e.seen[k]; !ok {
		e.submodule(path, v, false)
	}
	if m != nil {
		m.reads = append(m.reads, reading{k, path, v.Type()})
	}
}

func (e *elaboration) submodule(path string, v reflect.Value, root bool) {
	m := &module{path: path, root: root}
	e.seen[key{v.Pointer(), v.Type()}] = m
	e.k.mods = append(e.k.mods, m)
	if e.k.island != nil {
		if other := e.k.island.claim(v); other != nil {
			e.errorf("%s, a %s, is already part of island %s: only a Link may connect islands", path, v.Type(),
				other.sim.name)
			return
		}
	}
	e.fields(path, v.Elem(), m)
	p, ok := v.Interface().(Processor)
	if !ok {
		m.procs = []*process{{name: path, mod: m, tick: v.Interface().(Ticker), reads: m.ins, drives: m.outs}}
		return
	}
	for _, x := range p.Processes() {
		m.procs = append(m.procs, &process{
			name: path + "." + x.Name, mod: m, tick: tickFunc(x.Fn),
			reads: connected(x.Reads), drives: connected(x.Drives),
		})
	}
}

// connected drops optional inputs that are not connected.
func connected(wires []AnyWire) []AnyWire {
	return slices.DeleteFunc(slices.Clone(wires),
		func(w AnyWire) bool { return w == nil || reflect.ValueOf(w).IsNil() })
}

func (e *elaboration) memory(path string, v reflect.Value, m *module, tg tags) {
	r := v.Interface().(memory).ram()
	if r.touch == nil {
		e.errorf("%s is an empty Mem: make it with NewMem", path)
		return
	}
	if !e.places[r] {
		r.at = v.Elem()
		if !e.place(r, path) {
			return
		}
		r.owned.tag = tg.all
		e.k.mems = append(e.k.mems, r)
	} else if tg.traced && !r.traced { // the traced field gives the name and the place among the others
		r.owned.path, r.owned.tag = path, tg.all
		e.k.mems, e.k.parts = last(e.k.mems, r), last(e.k.parts, storage(r))
	}
	r.traced = r.traced || tg.traced
	if tg.inplace && m != nil {
		r.writer = m
	}
	if r.handed = r.handed || tg.handed; r.handed && (r.writer != nil || r.traced) {
		e.errorf("%s has the tag handed and another one: who holds an entry writes it, and it is in no waveform", path)
	}
	if m != nil && !r.handed {
		m.mems = append(m.mems, r)
	}
}

// last moves a member of a list to its end.
func last[T comparable](list []T, x T) []T {
	return append(slices.DeleteFunc(list, func(y T) bool { return y == x }), x)
}

// place notes the path of a piece of hardware that is found for the first time, and checks its
// type.
func (e *elaboration) place(s storage, path string) bool {
	o := s.home()
	if o.sim != nil {
		e.errorf("%s is already part of %s, in %s: only a Link may connect islands", path, o.path, o.sim.name)
		return false
	}
	o.path = path
	e.places[s] = true
	if !sound.of(s.typ()) {
		e.errorf("%s", cmp.Or(notPlain(s.typ(), path), badBits(s.typ(), path)))
	}
	e.k.parts = append(e.k.parts, s)
	return true
}

// ---- connections ----

// connect checks the ends of wires and queues and collects the readers of each part.
func (e *elaboration) connect() {
	k := e.k
	for _, w := range k.wires {
		w.whdr().driver, w.whdr().pin, w.whdr().readers = nil, false, nil
	}
	for _, m := range k.mods {
		for _, p := range m.procs {
			k.order = append(k.order, p)
			for _, w := range p.drives {
				h := w.whdr()
				switch {
				case !e.places[w]:
					e.errorf("%s drives a wire that is not part of %s", p.name, k.name)
				case h.driver != nil:
					e.errorf("wire %s has two drivers: %s and %s", h.owned.path, h.driver.name, p.name)
				default:
					h.driver = p
				}
			}
		}
	}
	for _, in := range e.inputs {
		if !e.places[in.w] {
			where := "not part of " + k.name
			if o := in.w.whdr().owned; o.sim != nil {
				where = o.path + " in " + o.sim.name
			}
			e.errorf("%s is connected to a wire that is %s: only a Link may connect islands", in.path, where)
		}
	}
	for _, m := range k.mods {
		for _, w := range m.outs {
			if w.whdr().driver == nil {
				e.errorf("wire %s has no driver: no process of %s lists it in Drives", w.whdr().owned.path, m.path)
			}
		}
		for _, p := range m.procs {
			for _, w := range p.reads {
				if !e.places[w] && !slices.Contains(m.ins, w) {
					e.errorf("%s reads a wire that is not part of %s", p.name, k.name)
				}
				w.whdr().readers = append(w.whdr().readers, p)
			}
		}
	}
	for _, w := range k.pins {
		w.whdr().pin = w.whdr().driver == nil
	}
	e.sensitize()
	e.connectQueues()
}

// sensitize collects the processes that read each state and memory.
func (e *elaboration) sensitize() {
	for _, s := range e.k.states {
		s.readers = nil
	}
	for _, x := range e.k.mems {
		x.readers = nil
	}
	wake := func(of *module, procs []*process) {
		for _, s := range of.states {
			s.readers = append(s.readers, procs...)
		}
		for _, x := range of.mems {
			x.readers = append(x.readers, procs...)
		}
	}
	for _, m := range e.k.mods {
		wake(m, m.procs)
		for _, r := range m.reads {
			if to := e.seen[r.to]; to != nil {
				wake(to, m.procs)
			} else {
				e.errorf("%s reads a %s that is not part of %s: hold it in the top level, or tag the field `rtl:\"own\"`; only a Link may connect islands",
					r.path, r.typ, e.k.name)
			}
		}
	}
}

// connectQueues finds the two ends of each queue. Ends in structs that are no modules belong to the testbench, unless
// a module has them.
func (e *elaboration) connectQueues() {
	type ends struct{ path [2]string }
	found := map[*fifo]*ends{}
	attach := func(p port, m *module) {
		f := p.f
		x := found[f]
		if x == nil {
			if f.owned.sim != nil {
				e.errorf("%s is connected to queue %s of %s: only a Link may connect islands", p.path, f.owned.path,
					f.owned.sim.name)
				return
			}
			x = &ends{}
			found[f] = x
			f.ends = [2]*module{}
			e.place(f, p.path)
			e.k.queues = append(e.k.queues, f)
		}
		i, role := 1, "consumers"
		if p.producer {
			i, role = 0, "producers"
		}
		if x.path[i] != "" {
			if m != nil {
				e.errorf("queue %s has two %s: %s and %s", f.owned.path, role, x.path[i], p.path)
			}
			return
		}
		x.path[i] = p.path
		f.ends[i] = m
		if p.producer {
			f.owned.path = p.path
		}
	}
	for _, m := range e.k.mods {
		for _, p := range m.ports {
			attach(p, m)
		}
	}
	for _, p := range e.hostEnds {
		attach(p, nil)
	}
	for _, f := range e.k.queues {
		x := found[f]
		switch {
		case f.link != nil && e.k.island == nil:
			e.errorf("%s is an end of a Link: Links are for the islands of a System, use a Queue", f.owned.path)
		case f.kind != far && x.path[0] == "":
			e.errorf("queue at %s has no producer: its Out end is in no module of %s", f.owned.path, e.k.name)
		case f.kind != near && x.path[1] == "":
			e.errorf("queue %s has no consumer: its In end is in no module of %s", f.owned.path, e.k.name)
		}
	}
}
