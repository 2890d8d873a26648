package divergence

import (
	"fmt"
	"reflect"
	"sync"

	"divergo/internal/key"
)

// Params are the parameters of one or more mechanisms: a struct P whose fields are keys,
// divergence.NAME.PARAM. Fields are ints, bools or types of words, with tags
//
//	Reach int `toml:"reach" range:"1..32" unit:"entries" doc:"meaning, in a line" source:"where the default comes from"`
//
// The range may end in another field of the struct, and may be followed by pow2. A tag old:"NAME"
// adds another name, divergence.NAME, that files and --set accept.
type Params[P comparable] struct{ declared key.Declaration }

// params counts the Params that exist: each has its own place in Options.
var params int

// NewParams makes keys of a struct with its defaults. Keep the result in a package variable and use
// it as Mechanism.Params. It panics if more than key.MaxDeclared exist.
func NewParams[P comparable](name string, usual P) *Params[P] {
	p := &Params[P]{key.Declaration{Name: name, Usual: usual, At: params}}
	if params++; params > key.MaxDeclared {
		panic(fmt.Sprintf("divergence: parameters of %s: want those of %d mechanisms at most", name, key.MaxDeclared))
	}
	return p
}

// Of returns the parameters in a configuration.
func (p *Params[P]) Of(o Options) P { return o.Own.Value(p.declared).(P) }

// With returns the configuration with other parameters.
func (p *Params[P]) With(o Options, v P) Options {
	o.Own.Set(p.declared, v)
	return o
}

func (p *Params[P]) declaration() key.Declaration { return p.declared }

// Parameters are the Params of any struct.
type Parameters interface{ declaration() key.Declaration }

// Declarations lists the parameters of all mechanisms, in the order of the mechanisms.
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

// optionKeys lists the keys of Options, without their prefix "divergence.".
var optionKeys = sync.OnceValue(func() []key.Key { return key.List("", reflect.TypeFor[Options]()) })

// With returns o with another value of a key, such as NAME.PARAM. It serves mechanisms built
// without a machine.
func (o Options) With(name, value string) (Options, error) {
	for _, k := range optionKeys() {
		if k.Name == name {
			err := k.Set(&o, value)
			return o, err
		}
	}
	return o, fmt.Errorf("there is no key divergence.%s", name)
}
