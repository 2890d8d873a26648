package rtl

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Storage is a State, a Mem or a queue as hardware: words of equal width. A State is one word.
type Storage struct {
	Path   string // of a queue: its Out end
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
			if x.handed { // its bits are those of the queues whose entries name it: see As
				continue
			}
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
		s.Fields = w.fields(part.typ(), o.tag)
		if s.Width() > 0 && s.Words > 0 {
			list = append(list, s)
		}
	}
	return list, w.err
}

// Queues lists the queues of the design, and the links that it feeds, as Storage lists the States.
// It leaves out queues with a Latency: their entries are in the stages of a pipeline.
func (k *Sim) Queues(sizes map[string]int) ([]Storage, error) {
	var list []Storage
	w := widths{sizes: sizes}
	for _, f := range k.queues {
		if f.kind == delayed || f.kind == far {
			continue
		}
		w.path = f.owned.path
		if s := (Storage{f.owned.path, int(f.cap), w.fields(f.shown(), "")}); s.Width() > 0 {
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

// fields lists the fields of a word of type t. The tag is that of a State or Mem as a whole.
func (w *widths) fields(t reflect.Type, tag reflect.StructTag) []Field {
	if t.Kind() != reflect.Struct || simulates(tag) {
		return []Field{{"", w.field(t, tag)}}
	}
	var list []Field
	path := w.path
	for i := range t.NumField() {
		f := t.Field(i)
		w.path = path + "." + f.Name
		if n := w.field(f.Type, f.Tag); n > 0 {
			list = append(list, Field{f.Name, n})
		}
	}
	return list
}

func (w *widths) field(t reflect.Type, tag reflect.StructTag) int {
	if simulates(tag) {
		return 0
	}
	if name, ok := tag.Lookup("if"); ok && w.number(name) == 0 {
		return 0
	}
	n := 1
	if names, ok := tag.Lookup("len"); ok {
		for name := range strings.SplitSeq(names, ",") {
			if t.Kind() == reflect.Array {
				n, t = n*min(w.number(name), t.Len()), t.Elem()
			}
		}
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
		return min(w.number(bits), 8*int(t.Size()))
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
