package key

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Declaration is a struct of keys that belongs into another one, whose type does
// not know it. Its keys follow the name and a dot; Usual is the struct, with the
// defaults.
type Declaration struct {
	Name  string
	Usual any
}

// Check compares the defaults with their ranges.
func (d Declaration) Check() error {
	v := reflect.New(reflect.TypeOf(d.Usual))
	v.Elem().Set(reflect.ValueOf(d.Usual))
	return NewCheck(d.Name+".", v.Interface()).Err()
}

// Declared is the field of a struct that holds the values of its declarations,
// which the struct lists with a method Declarations() []Declaration. It has a line
// NAME.KEY="VALUE" for each value that is not the default, in order, so that equal
// configurations are equal values.
type Declared string

var declared = reflect.TypeFor[Declared]()

// declarations of a struct that has a field of type Declared.
func declarations(t reflect.Type) []Declaration {
	d, ok := reflect.Zero(t).Interface().(interface{ Declarations() []Declaration })
	if !ok {
		panic(fmt.Sprintf("key: %s lists no declarations", t))
	}
	return d.Declarations()
}

// value of a name, if there is one.
func (d Declared) value(name string) (text string, ok bool) {
	for line := range strings.Lines(string(d)) {
		if quoted, found := strings.CutPrefix(strings.TrimSpace(line), name+"="); found {
			text, _ = strconv.Unquote(quoted) // as put has quoted it
			return text, true
		}
	}
	return "", false
}

// put stores a value, or takes it out where it is the default.
func (d *Declared) put(name string, v, usual reflect.Value) {
	var lines []string
	for line := range strings.Lines(string(*d)) {
		if !strings.HasPrefix(line, name+"=") {
			lines = append(lines, line)
		}
	}
	if !v.Equal(usual) {
		lines = append(lines, name+"="+strconv.Quote(fmt.Sprint(v))+"\n")
		slices.Sort(lines)
	}
	*d = Declared(strings.Join(lines, ""))
}

// Fill is the struct of a declaration, with what d has of it.
func (d Declared) Fill(of Declaration) (any, error) {
	v := reflect.New(reflect.TypeOf(of.Usual))
	v.Elem().Set(reflect.ValueOf(of.Usual))
	for _, k := range List(of.Name+".", v.Type().Elem()) {
		if text, ok := d.value(k.Name); ok {
			if err := k.Set(v.Interface(), text); err != nil {
				return nil, err
			}
		}
	}
	return v.Elem().Interface(), nil
}

// declare makes the key of a declared struct one of the struct around, whose
// Declared is at the index.
func (k Key) declare(of Declaration, name string, index []int) Key {
	k.own, k.usual, k.index = name, reflect.ValueOf(of.Usual).FieldByIndex(k.index), index
	return k
}

// Open is a struct for a decoder that has a field for each declaration, with the
// values of the struct that c points to. Take stores there what it has then.
func Open(c any) (doc any, take func()) {
	to := reflect.ValueOf(c).Elem()
	v, store := open(to)
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	return p.Interface(), func() { store(p.Elem()) }
}

func open(v reflect.Value) (doc reflect.Value, store func(doc reflect.Value)) {
	var fields []reflect.StructField
	var values []reflect.Value
	var stores []func(reflect.Value)
	add := func(tag reflect.StructTag, v reflect.Value, store func(reflect.Value)) {
		fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", len(fields)), Type: v.Type(), Tag: tag})
		values, stores = append(values, v), append(stores, store)
	}
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		for i := range v.NumField() {
			switch f, x := v.Type().Field(i), v.Field(i); {
			case f.Anonymous:
				walk(x)
			case f.Type == declared:
				d := x.Addr().Interface().(*Declared)
				for _, of := range declarations(v.Type()) {
					usual, filled := reflect.ValueOf(of.Usual), reflect.ValueOf(of.Usual)
					if now, err := d.Fill(of); err == nil {
						filled = reflect.ValueOf(now)
					}
					add(reflect.StructTag(fmt.Sprintf(`toml:%q`, of.Name)), filled, func(doc reflect.Value) {
						for _, k := range List(of.Name+".", usual.Type()) {
							d.put(k.Name, doc.FieldByIndex(k.index), usual.FieldByIndex(k.index))
						}
					})
				}
			case f.Type.Kind() == reflect.Struct:
				inner, store := open(x)
				add(f.Tag, inner, store)
			default:
				add(f.Tag, x, x.Set)
			}
		}
	}
	walk(v)
	doc = reflect.New(reflect.StructOf(fields)).Elem()
	for i := range values {
		doc.Field(i).Set(values[i])
	}
	return doc, func(doc reflect.Value) {
		for i, store := range stores {
			store(doc.Field(i))
		}
	}
}
