package gpu

import (
	"fmt"
	"reflect"
	"sync"

	"divergo/internal/key"
	"divergo/internal/nearest"
)

// Key is one value of a Config, described by the tags of its field: see package key.
type Key = key.Key

// Keys lists all keys in the order of Config's fields.
var Keys = sync.OnceValue(func() []Key { return key.List("", reflect.TypeFor[Config]()) })

// findKey returns the key of that name. The error suggests the nearest one.
func findKey(name string) (Key, error) {
	keys, err := findKeys(name)
	if err != nil {
		return Key{}, err
	}
	return keys[0], nil
}

// findKeys returns the key of that name, or the keys that had that name earlier.
func findKeys(name string) (list []Key, err error) {
	for _, k := range Keys() {
		if k.Name == name || k.Old != "" && k.Old == name {
			list = append(list, k)
		}
	}
	if list == nil {
		err = unknownKey(name)
	}
	return list, err
}

// Ends returns the ends of the range of an integer key. The other keys of the machine must be
// within their ranges.
func (c *Config) Ends(k *Key) (low, high int) {
	end := func(b key.Bound) int {
		if b.Key == "" {
			return b.N
		}
		other, err := findKey(b.Key)
		if err != nil {
			panic(err) // key.List has checked that it exists
		}
		return other.Value(c).(int)
	}
	return end(k.Range.Low), end(k.Range.High)
}

func unknownKey(name string) error {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.Name)
	}
	if w := nearest.Word(name, names); w != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", name, w)
	}
	return fmt.Errorf("unknown key %q; \"divergo list keys\" shows all", name)
}
