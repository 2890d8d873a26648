package waves

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"divergo/rtl"
)

// variable is a signal as the dump shows it.
type variable struct {
	sig    rtl.Signal
	width  int // bits
	origin origin
	in     *scope
	name   string   // in the dump, in the scope
	id     int      // position among the watched variables, -1 if it is not watched
	shown  bool     // it is in the dump
	counts bool     // it is shown as a decimal number
	calls  *[]named // names that the options give its values
}

// origin is the place of a signal in a system: its island, and the bundle there.
type origin struct{ island, bundle int }

const structKind = reflect.Struct

func newVariable(sig rtl.Signal, in *scope, o origin) *variable {
	return &variable{sig: sig, width: sig.Width, origin: o, in: in, id: -1}
}

// inOrder sorts variables in the order of the design.
func inOrder(vars []*variable) {
	slices.SortFunc(vars, func(a, b *variable) int {
		switch { // not cmp.Or, which compares everything
		case a.origin.island != b.origin.island:
			return a.origin.island - b.origin.island
		case a.origin.bundle != b.origin.bundle:
			return a.origin.bundle - b.origin.bundle
		}
		return cmp.Compare(uintptr(a.sig.Ptr), uintptr(b.sig.Ptr))
	})
}

// seg is the last segment of the path.
func (v *variable) seg() string { return lastSegment(v.sig.Path) }

func lastSegment(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// names are the names in the dump from the root to the variable.
func (v *variable) names() []string { return append(v.in.names(), v.name) }

// segs are the segments of the path from the root to the variable.
func (v *variable) segs() []string { return append(v.in.segs(), v.seg()) }

// isWire reports whether the variable shows the cycle itself, not the state after it.
func (v *variable) isWire() bool { return v.sig.Kind == rtl.WireSignal }

func (v *variable) mask() uint64 { return ^uint64(0) >> (64 - v.width) }

func (v *variable) signed() bool {
	switch v.sig.Type.Kind() {
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return true
	}
	return false
}

// named is a value of a signal that has a name.
type named struct {
	value uint64
	text  string
}

// maxEnumeration bounds the number of values whose names are looked up.
const maxEnumeration = 1024

// enumeration lists the values of the variable's type that have names, if the type is an integer
// with a String method. A text that only wraps the number, such as Phase(7), is no name.
func (v *variable) enumeration() []named {
	t := v.sig.Type
	if !t.Implements(reflect.TypeFor[fmt.Stringer]()) {
		return nil
	}
	value := reflect.New(t).Elem()
	var set func(uint64)
	switch {
	case v.signed():
		shift := 64 - v.width
		set = func(x uint64) { value.SetInt(int64(x<<shift) >> shift) }
	case t.Kind() == reflect.Bool:
		set = func(x uint64) { value.SetBool(x != 0) }
	case value.CanUint():
		set = value.SetUint
	default:
		return nil
	}
	var all []named
	for x := uint64(0); x <= v.mask() && x < maxEnumeration; x++ {
		set(x)
		if text := nameOf(value); text != "" && !saysNumber(text, value) {
			all = append(all, named{x, text})
		}
	}
	return all
}

// nameOf returns the name of a value. A value has no name if its String method panics, as with a
// table index out of range.
func nameOf(v reflect.Value) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return v.Interface().(fmt.Stringer).String()
}

// saysNumber reports whether a text only wraps the number, as stringer's Phase(7) does.
func saysNumber(text string, v reflect.Value) bool {
	number := ""
	switch {
	case v.CanInt():
		number = strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		number = strconv.FormatUint(v.Uint(), 10)
	default:
		return false
	}
	return text == number || strings.HasSuffix(text, "("+number+")")
}

// oneLine makes a name fit a line of a filter file.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
