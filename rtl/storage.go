package rtl

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Storage is a State or a Mem as hardware: words of equal width. A State is one word.
type Storage struct {
	Path   string
	Words  int
	Fields []Field // of a word
}

// Field is a part of a word; it has no name if it is the whole word.
type Field struct {
	Name string
	Bits int
}

// Width is the number of bits of a word.
func (s *Storage) Width() (bits int) {
	for _, f := range s.Fields {
		bits += f.Bits
	}
	return bits
}

// Storage lists the States and Mems of the design, as wide as their types and tags declare. It
// leaves out parts without bits and those with the tag `rtl:"sim"`. The map sizes gives the values
// of the names in tags. The error reports a missing one.
func (k *Sim) Storage(sizes map[string]int) ([]Storage, error) {
	var list []Storage
	w := widths{sizes: sizes}
	for _, part := range k.parts {
		o := part.home()
		s := Storage{Path: o.path, Words: 1}
		switch x := part.(type) {
		case *stateHdr:
		case *ram:
			s.Words = x.len()
		case *Foreign:
			for _, s := range x.model.Storage() {
				s.Path = o.path + "." + s.Path
				list = append(list, s)
			}
			continue
		default:
			continue
		}
		w.path = o.path
		if t := part.typ(); t.Kind() == reflect.Struct && !simulates(o.tag) {
			for i := range t.NumField() {
				f := t.Field(i)
				w.path = o.path + "." + f.Name
				if n := w.field(f.Type, f.Tag); n > 0 {
					s.Fields = append(s.Fields, Field{f.Name, n})
				}
			}
		} else {
			s.Fields = []Field{{"", w.field(t, o.tag)}}
		}
		if s.Width() > 0 && s.Words > 0 {
			list = append(list, s)
		}
	}
	return list, w.err
}

// simulates reports whether a field belongs to the simulation and not to the hardware.
func simulates(tag reflect.StructTag) bool {
	return slices.Contains(strings.Split(tag.Get("rtl"), ","), "sim")
}

// widths computes the bits of plain data.
type widths struct {
	sizes map[string]int
	path  string
	err   error
}

func (w *widths) field(t reflect.Type, tag reflect.StructTag) int {
	if simulates(tag) {
		return 0
	}
	if name, ok := tag.Lookup("if"); ok && w.number(name) == 0 {
		return 0
	}
	n := 1
	if name, ok := tag.Lookup("len"); ok && t.Kind() == reflect.Array {
		n, t = w.number(name), t.Elem()
	}
	return n * w.value(t, tag.Get("bits"))
}

func (w *widths) value(t reflect.Type, bits string) (n int) {
	switch {
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			n += w.field(t.Field(i).Type, t.Field(i).Tag)
		}
		return n
	case t.Kind() == reflect.Array:
		return t.Len() * w.value(t.Elem(), bits)
	case bits != "":
		return w.number(bits)
	case t.Kind() == reflect.Bool:
		return 1
	}
	return int(t.Size()) * 8
}

// number is the value of a tag.
func (w *widths) number(tag string) int {
	if n, err := strconv.Atoi(tag); err == nil {
		return n
	}
	n, ok := w.sizes[tag]
	if !ok && w.err == nil {
		w.err = fmt.Errorf("rtl: %s: a tag has the size %q, which has no value", w.path, tag)
	}
	return n
}

// isName reports whether a tag names a size instead of being a number.
func isName(tag string) bool { return tag != "" && tag[0] >= 'a' && tag[0] <= 'z' }
