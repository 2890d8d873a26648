package rtl

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// storage is a piece of hardware that holds bits: the part of a State, Wire, Queue or Mem that is
// the same for all types.
type storage interface {
	home() *owned
	typ() reflect.Type // of the value, or of an entry
	elaborated()       // keep the reset value
	restart()          // go back to it
	save(b []byte) []byte
	load(b []byte) []byte
	sum(d *digest)
}

// owned locates a piece of hardware in a design.
type owned struct {
	path  string
	sim   *Sim
	group int               // of signals
	tag   reflect.StructTag // of the field of a State or Mem
}

var (
	tickerType    = reflect.TypeFor[Ticker]()
	processorType = reflect.TypeFor[Processor]()
	registerType  = reflect.TypeFor[register]()
	wireType      = reflect.TypeFor[AnyWire]()
	memoryType    = reflect.TypeFor[memory]()
	endType       = reflect.TypeFor[end]()
	simType       = reflect.TypeFor[*Sim]()
	foreignType   = reflect.TypeFor[Foreign]()
)

// memo caches a property of types. A machine has the same few hundred types in thousands of places,
// and a program builds many machines.
type memo[V any] struct {
	find  func(reflect.Type) V
	found sync.Map
}

func (m *memo[V]) of(t reflect.Type) V {
	v, ok := m.found.Load(t)
	if !ok {
		v = m.find(t)
		m.found.Store(t, v)
	}
	return v.(V)
}

var (
	classes  = memo[class]{find: findClass}
	modules  = memo[bool]{find: findModule}
	hardware = memo[bool]{find: func(t reflect.Type) bool { return reaches(t, map[reflect.Type]bool{}) }}
	sound    = memo[bool]{find: func(t reflect.Type) bool { return notPlain(t, "") == "" && badBits(t, "") == "" }}
)

// class is the role of a struct type in the kernel.
type class uint8

const (
	plainClass class = iota // not of this package: a module, a part or a container
	stateClass
	wireClass
	memClass
	endClass
	queueClass // a Queue or Link
	foreignClass
	otherClass // another type of this package, which is not walked
)

func classOf(t reflect.Type) class { return classes.of(t) }

func findClass(t reflect.Type) class {
	if t.PkgPath() != simType.Elem().PkgPath() {
		return plainClass
	}
	p := reflect.PointerTo(t)
	switch {
	case t == foreignType:
		return foreignClass
	case p.Implements(registerType):
		return stateClass
	case p.Implements(wireType):
		return wireClass
	case p.Implements(memoryType):
		return memClass
	case t.Implements(endType):
		return endClass
	case strings.HasPrefix(t.Name(), "Queue["), strings.HasPrefix(t.Name(), "Link["):
		return queueClass
	}
	return otherClass
}

// isStorage reports whether a type is a State or a Mem.
func isStorage(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && (classOf(t) == stateClass || classOf(t) == memClass)
}

// isModule reports whether a pointer of type t points to a module. A struct that only embeds a
// pointer to a module inherits its methods but is not a module.
func isModule(t reflect.Type) bool { return modules.of(t) }

func findModule(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer || !t.Implements(tickerType) && !t.Implements(processorType) {
		return false
	}
	s := t.Elem()
	if s.Kind() != reflect.Struct {
		return false
	}
	for i := range s.NumField() {
		f := s.Field(i)
		if k := f.Type.Kind(); f.Anonymous && (k == reflect.Pointer || k == reflect.Interface) &&
			(f.Type.Implements(tickerType) || f.Type.Implements(processorType)) {
			return false
		}
	}
	return true
}

// mayHold reports whether a type can hold hardware. The walk skips types that cannot, such as
// programs and tables.
func mayHold(t reflect.Type) bool { return hardware.of(t) }

func reaches(t reflect.Type, seen map[reflect.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Pointer:
		return t == simType || isModule(t) || reaches(t.Elem(), seen)
	case reflect.Slice, reflect.Array:
		return reaches(t.Elem(), seen)
	case reflect.Struct:
		if c := classOf(t); c != plainClass {
			return c != otherClass
		}
		for i := range t.NumField() {
			if reaches(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// notPlain finds the first part of t that is not plain data and returns a message with its path and
// type. It returns "" if there is none.
func notPlain(t reflect.Type, path string) string {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if s := notPlain(t.Field(i).Type, path+"."+t.Field(i).Name); s != "" {
				return s
			}
		}
		return ""
	case reflect.Array:
		return notPlain(t.Elem(), path+"[]")
	case reflect.Bool, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float32, reflect.Float64:
		return ""
	case reflect.Int, reflect.Uint:
		return fmt.Sprintf("%s is of type %s, which has no fixed width: use %s8 to %[3]s64", path, t, t.Kind())
	}
	return fmt.Sprintf("%s is of type %s: registers are plain data (numbers, booleans, arrays and structs of them)",
		path, t)
}

// badBits finds a `bits` tag that does not fit its field.
func badBits(t reflect.Type, path string) string {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			at := path + "." + f.Name
			if tag, ok := f.Tag.Lookup("bits"); ok {
				e := f.Type
				for e.Kind() == reflect.Array {
					e = e.Elem()
				}
				n, err := strconv.Atoi(tag)
				if !isName(tag) && (err != nil || e.Kind() == reflect.Struct || n < 1 || n > int(e.Size())*8) {
					return fmt.Sprintf("%s has tag bits:%q, expected a number from 1 to the %d bits of its type %s", at,
						tag, e.Size()*8, e)
				}
			}
			if s := badBits(f.Type, at); s != "" {
				return s
			}
		}
	case reflect.Array:
		return badBits(t.Elem(), path+"[]")
	}
	return ""
}
