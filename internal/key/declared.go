package key

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// MaxDeclared is the number of structs of keys that can be declared to another struct.
const MaxDeclared = 32

// Declaration adds a struct of keys to another struct, whose type does not know it. The name and a
// dot come before its keys.
type Declaration struct {
	Name  string
	Usual any // the struct, with the defaults; its type is comparable
	At    int // its place in Declared
}

// Check compares the defaults with their ranges.
func (d Declaration) Check() error {
	v := reflect.New(reflect.TypeOf(d.Usual))
	v.Elem().Set(reflect.ValueOf(d.Usual))
	return NewCheck(d.Name+".", v.Interface()).Err()
}

// Declared is the field of a struct that holds the structs declared to it, each at its place. A nil
// entry stands for the defaults, so equal configurations are equal values. The struct around it
// lists the declarations with a method Declarations() []Declaration.
type Declared [MaxDeclared]any

var declared = reflect.TypeFor[Declared]()

// Value returns the struct of a declaration.
func (d *Declared) Value(of Declaration) any {
	if v := d[of.At]; v != nil {
		return v
	}
	return of.Usual
}

// Set replaces the struct of a declaration.
func (d *Declared) Set(of Declaration, v any) {
	if v == of.Usual {
		v = nil
	}
	d[of.At] = v
}

// declarations lists the declarations of a struct that has a field of type Declared.
func declarations(t reflect.Type) []Declaration {
	d, ok := reflect.Zero(t).Interface().(interface{ Declarations() []Declaration })
	if !ok {
		panic(fmt.Sprintf("key: %s lists no declarations", t))
	}
	return d.Declarations()
}

// declare makes the key of a declared struct a key of the struct around it. That struct has its
// Declared at the index. The path comes before the names of the declaration and the key.
func (k Key) declare(of *Declaration, path string, index []int) Key {
	k.of, k.inner, k.index = of, k.index, index
	if k.Old != "" {
		k.Old = path + strings.TrimPrefix(k.Old, path+of.Name+".")
	}
	return k
}

// in is the field of a key that is declared to the struct around d.
func (k *Key) in(d *Declared) reflect.Value {
	return reflect.ValueOf(d.Value(*k.of)).FieldByIndex(k.inner)
}

// change calls set with a copy of that field, and stores the result.
func (k *Key) change(d *Declared, set func(field reflect.Value)) {
	now := d.Value(*k.of)
	v := reflect.New(reflect.TypeOf(now)).Elem()
	v.Set(reflect.ValueOf(now))
	set(v.FieldByIndex(k.inner))
	d.Set(*k.of, v.Interface())
}

// Open returns a struct for a decoder. It has a field for each declaration, with its values in the
// struct that c points to. It also has one for each old name of a key. The function take stores its
// values in c.
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
					add(reflect.StructTag(fmt.Sprintf(`toml:%q`, of.Name)), reflect.ValueOf(d.Value(of)),
						func(doc reflect.Value) {
							d.Set(of, doc.Interface())
						})
				}
				for _, k := range renamed(v.Type()) {
					add(reflect.StructTag(fmt.Sprintf(`toml:%q`, k.Old)),
						reflect.Zero(reflect.PointerTo(k.in(d).Type())), func(doc reflect.Value) {
							if !doc.IsNil() {
								k.change(d, func(f reflect.Value) { f.Set(doc.Elem()) })
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

// renamed lists the keys declared to a struct that have an old name.
func renamed(t reflect.Type) []Key {
	return slices.DeleteFunc(List("", t), func(k Key) bool { return k.Old == "" })
}
