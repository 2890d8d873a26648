// Package key gives the fields of configuration structs names, ranges, units
// and meanings.
//
// The struct tags of a field define its key in one line:
//
//	WarpSize int `toml:"warp_size" range:"1..64 pow2" unit:"threads" doc:"threads of a warp" source:"tbc: table 2"`
//
// This line defines the output of "divergo list keys" and the reference. It also defines what --set
// and a file accept, what a [Check] refuses, and the values that the random machines of package
// properties draw.
//
// A range is LOW..HIGH. Each end is a number, which may end in Ki or Mi, or the name of another key
// of the same struct. After it, pow2 demands a power of two, or 0 where LOW is 0. A boolean has no
// range.
//
// The type of a word lists its words with a method Words, from the table of [Choices] that has
// their functions. For a plain string the struct lists them, with a method Words(name string).
// Its method Word, if there is one, may take others.
//
// A source can begin with the key of a paper of package papers: "tbc: table 2".
package key

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"divergo/internal/nearest"
	"divergo/internal/papers"
)

// Key is one value of a configuration.
type Key struct {
	Name   string   // dotted path: sm.warp_size
	Type   string   // "integer", "boolean" or "word"
	Range  Range    // of an integer
	Words  []string // values of a word
	Unit   string   // of an integer; "" for a plain count
	Doc    string   // meaning, in a line
	Source string   // source of the default
	Old    string   // another dotted path that Set takes, if there is one

	index []int                                            // of the field, or of the Declared
	of    *Declaration                                     // the declaration whose struct has this key, if any
	inner []int                                            // index of the field in that struct
	other func(name, value string) (known bool, err error) // takes words that Words does not list, if not nil
}

// Range is the set of values of an integer.
type Range struct {
	Low, High Bound
	Power     bool // a power of two, or 0 if Low is 0
}

// Bound is one end of a range: a number, or the value of another key.
type Bound struct {
	N   int
	Key string // dotted path, "" for a number
}

func (b Bound) String() string {
	if b.Key != "" {
		return b.Key
	}
	return strconv.Itoa(b.N)
}

// String describes the range in words.
func (r Range) String() string {
	return r.text(r.Low.String(), r.High.String())
}

func (r Range) text(low, high string) string {
	switch {
	case r.Power && low == "0":
		return "0 or a power of two up to " + high
	case r.Power:
		return "a power of two from " + low + " to " + high
	}
	return low + " to " + high
}

// sources maps abbreviations for sources that many keys share.
var sources = map[string]string{
	"gpgpu": "GPGPU-Sim 2.1.1b",
	"ours":  "this model",
}

// List returns the keys of a struct, in the order of its fields. The name of an inner struct and a
// dot come before its keys; an embedded struct adds no name. The prefix comes before all names.
// List panics if it cannot read the tags of a field, which is a mistake in the program.
func List(prefix string, t reflect.Type) []Key {
	var keys []Key
	var walk func(t reflect.Type, path string, index []int)
	walk = func(t reflect.Type, path string, index []int) {
		for i := range t.NumField() {
			f := t.Field(i)
			at := append(append([]int(nil), index...), i)
			switch {
			case f.Anonymous:
				walk(f.Type, path, at)
			case f.Type == declared:
				for _, d := range declarations(t) {
					for _, k := range List(path+d.Name+".", reflect.TypeOf(d.Usual)) {
						keys = append(keys, k.declare(&d, path, at))
					}
				}
			case f.Type.Kind() == reflect.Struct:
				walk(f.Type, path+f.Tag.Get("toml")+".", at)
			default:
				k, err := read(path, t, f)
				if err != nil {
					panic(fmt.Sprintf("key: %s.%s: %v", t, f.Name, err))
				}
				k.index = at
				keys = append(keys, k)
			}
		}
	}
	walk(t, prefix, nil)
	for _, k := range keys {
		for _, b := range [...]Bound{k.Range.Low, k.Range.High} {
			if b.Key != "" && !slices.ContainsFunc(keys, func(k Key) bool { return k.Name == b.Key }) {
				panic(fmt.Sprintf("key: the range of %s has the unknown key %s", k.Name, b.Key))
			}
		}
	}
	return keys
}

// read makes the key of field f of struct t.
func read(path string, t reflect.Type, f reflect.StructField) (Key, error) {
	k := Key{
		Name: path + f.Tag.Get("toml"), Unit: f.Tag.Get("unit"), Doc: f.Tag.Get("doc"),
		Source: f.Tag.Get("source"),
	}
	k.Source = papers.Source(k.Source)
	if long, ok := sources[k.Source]; ok {
		k.Source = long
	}
	if old := f.Tag.Get("old"); old != "" {
		k.Old = path + old
	}
	if k.Name == path || k.Doc == "" || k.Source == "" {
		return k, fmt.Errorf("want toml, doc and source")
	}
	switch f.Type.Kind() {
	case reflect.Int:
		k.Type = "integer"
		var err error
		if k.Range, err = readRange(path, f.Tag.Get("range")); err != nil {
			return k, err
		}
	case reflect.Bool:
		k.Type = "boolean"
	case reflect.String:
		k.Type = "word"
		switch w := reflect.Zero(f.Type).Interface().(type) {
		case interface{ Words() Words }:
			if err := w.Words().check(); err != nil {
				return k, err
			}
			k.Words = w.Words().names()
		default:
			if s, ok := reflect.Zero(t).Interface().(interface{ Words(name string) []string }); ok {
				k.Words = s.Words(f.Tag.Get("toml"))
			}
			if s, ok := reflect.Zero(t).Interface().(interface {
				Word(name, value string) (known bool, err error)
			}); ok {
				k.other = s.Word
			}
		}
		if len(k.Words) == 0 {
			return k, fmt.Errorf("nothing says which words")
		}
	default:
		return k, fmt.Errorf("no key can be %s", f.Type)
	}
	return k, nil
}

// readRange reads LOW..HIGH [pow2].
func readRange(path, text string) (r Range, err error) {
	ends, power, _ := strings.Cut(text, " ")
	low, high, ok := strings.Cut(ends, "..")
	if !ok || power != "" && power != "pow2" {
		return r, fmt.Errorf("range %q: want LOW..HIGH or LOW..HIGH pow2", text)
	}
	r.Power = power != ""
	if r.Low, err = readBound(path, low); err == nil {
		r.High, err = readBound(path, high)
	}
	return r, err
}

func readBound(path, text string) (Bound, error) {
	if text == "" {
		return Bound{}, fmt.Errorf("a range without an end")
	}
	if text[0] > '9' {
		return Bound{Key: path + text}, nil
	}
	shift := 0
	for unit, s := range map[string]int{"Ki": 10, "Mi": 20} {
		if digits, ok := strings.CutSuffix(text, unit); ok {
			text, shift = digits, s
		}
	}
	n, err := strconv.Atoi(text)
	return Bound{N: n << shift}, err
}

// Set parses a value and stores it in the struct that c points to. It does not check the range; a
// Check does.
func (k *Key) Set(c any, value string) (err error) {
	if k.of == nil {
		return k.parse(k.field(c), value)
	}
	k.change(k.declared(c), func(f reflect.Value) { err = k.parse(f, value) })
	return err
}

// parse stores a value in a field, by the type of the key.
func (k *Key) parse(f reflect.Value, value string) error {
	if k.Type == "word" {
		value = strings.Trim(value, `"`)
		if err := k.word(value); err != nil {
			return err
		}
	}
	if !store(f, value) {
		return fmt.Errorf("%s = %q: want %s", k.Name, value, k.Want())
	}
	return nil
}

// store stores a text in a field, and reports whether the text is a value of the field's kind.
func store(f reflect.Value, text string) bool {
	switch f.Kind() {
	case reflect.Int:
		n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 0, 32)
		if err != nil {
			return false
		}
		f.SetInt(n)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return false
		}
		f.SetBool(text == "true")
	default:
		f.SetString(text)
	}
	return true
}

// word refuses a value that is none of the words.
func (k *Key) word(value string) error {
	for _, w := range k.Words {
		if w == value {
			return nil
		}
	}
	if k.other != nil {
		if known, err := k.other(k.Name, value); err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		} else if known {
			return nil
		}
	}
	return fmt.Errorf("%s: %w", k.Name, nearest.Unknown("value", value, k.Words))
}

// Get returns the value in the struct that c points to, in the form that Set reads.
func (k *Key) Get(c any) string { return fmt.Sprint(k.Value(c)) }

// Value returns the value in the struct that c points to: an int, a bool or a kind of string.
func (k *Key) Value(c any) any { return k.field(c).Interface() }

// Literal returns the value in the struct that c points to, in TOML.
func (k *Key) Literal(c any) string {
	if k.Type == "word" {
		return strconv.Quote(k.Get(c))
	}
	return k.Get(c)
}

// field is the field of the key in the struct that c points to. The field of a declared key cannot
// be set.
func (k *Key) field(c any) reflect.Value {
	if k.of == nil {
		return reflect.ValueOf(c).Elem().FieldByIndex(k.index)
	}
	return k.in(k.declared(c))
}

func (k *Key) declared(c any) *Declared {
	return reflect.ValueOf(c).Elem().FieldByIndex(k.index).Addr().Interface().(*Declared)
}

// Legal describes the values of the key.
func (k *Key) Legal() string {
	switch k.Type {
	case "integer":
		return k.Range.String()
	case "boolean":
		return "true, false"
	}
	return strings.Join(k.Words, ", ")
}

// Want describes the values of the key for an error.
func (k *Key) Want() string {
	switch {
	case k.Type == "integer" && k.Unit != "":
		return "an integer (" + k.Unit + "), " + k.Legal()
	case k.Type == "integer":
		return "an integer, " + k.Legal()
	case k.Type == "boolean":
		return "true or false"
	}
	return "one of " + k.Legal()
}

// Describe returns the legal values, the unit and the meaning, in this order.
func (k *Key) Describe() string {
	text := k.Legal()
	if k.Unit != "" {
		text += " " + k.Unit
	}
	return text + ": " + k.Doc
}

// within reports whether n is in a range whose ends are known.
func (r Range) within(n, low, high int) bool {
	return n >= low && n <= high && (!r.Power || n == 0 || bits.OnesCount(uint(n)) == 1)
}
