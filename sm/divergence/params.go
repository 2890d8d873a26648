package divergence

import (
	"fmt"
	"reflect"
	"sync"

	"divergo/internal/key"
)

// Params are the parameters of one mechanism or several: a struct P whose fields
// are keys, divergence.NAME.PARAM, ints, bools or types of words with tags
//
//	Reach int `toml:"reach" range:"1..32" unit:"entries" doc:"meaning, in a line" source:"where the default comes from"`
//
// The range may end in another field of the struct, and have pow2 behind it. A tag
// old:"NAME" is another name, divergence.NAME, that files and --set may use.
type Params[P comparable] struct{ declared key.Declaration }

// params counts those that were made: each has a place of its own in Options.
var params int

// NewParams makes keys of a struct with its defaults, for a variable of the package
// of a mechanism, whose Mechanism.Params it is.
func NewParams[P comparable](name string, usual P) *Params[P] {
	p := &Params[P]{key.Declaration{Name: name, Usual: usual, At: params}}
	if params++; params > key.MaxDeclared {
		panic(fmt.Sprintf("divergence: parameters of %s: want those of %d mechanisms at most", name, key.MaxDeclared))
	}
	return p
}

// Of is the struct that a configuration has.
func (p *Params[P]) Of(o Options) P { return o.Own.Value(p.declared).(P) }

// With is the configuration with another struct.
func (p *Params[P]) With(o Options, v P) Options {
	o.Own.Set(p.declared, v)
	return o
}

func (p *Params[P]) declaration() key.Declaration { return p.declared }

// Parameters are Params of some struct.
type Parameters interface{ declaration() key.Declaration }

// Declarations are the parameters of all mechanisms, in the order of these.
func (Options) Declarations() (list []key.Declaration) {
	there := map[int]bool{}
	for _, m := range mechanisms {
		if m.Params == nil {
			continue
		}
		if d := m.Params.declaration(); !there[d.At] {
			there[d.At] = true
			list = append(list, d)
		}
	}
	return list
}

// optionKeys are the keys of Options, less the divergence before them.
var optionKeys = sync.OnceValue(func() []key.Key { return key.List("", reflect.TypeFor[Options]()) })

// With is o with another value of a key, such as NAME.PARAM, for a mechanism that
// is built alone.
func (o Options) With(name, value string) (Options, error) {
	for _, k := range optionKeys() {
		if k.Name == name {
			err := k.Set(&o, value)
			return o, err
		}
	}
	return o, fmt.Errorf("there is no key divergence.%s", name)
}
