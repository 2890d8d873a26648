package key

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Fault is an illegal value of a key, or an illegal combination of values.
type Fault struct {
	Keys []string // the first is the key whose value is named
	text string
}

func (f *Fault) Error() string { return f.text }

// Check collects all faults of a configuration. NewCheck compares values with their ranges. Rules
// between keys follow:
//
//	k := key.NewCheck("dram.", c)
//	if k.Sound("dram.t_rc", "dram.t_ras", "dram.t_rp") && c.TRC < c.TRAS+c.TRP {
//		k.Refuse("want at least dram.t_ras + dram.t_rp = %d", c.TRAS+c.TRP)
//	}
//	return k.Err()
type Check struct {
	values map[string]any
	bad    map[string]bool
	asked  []string
	faults []error
}

// listed caches the lists of keys, because checks are frequent.
var listed sync.Map // of listing to []Key

type listing struct {
	prefix string
	t      reflect.Type
}

// NewCheck compares the values of the struct that c points to with their ranges. prefix comes
// before the names of the keys.
func NewCheck(prefix string, c any) *Check {
	id := listing{prefix, reflect.TypeOf(c).Elem()}
	keys, ok := listed.Load(id)
	if !ok {
		keys, _ = listed.LoadOrStore(id, List(id.prefix, id.t))
	}
	list := keys.([]Key)
	k := &Check{values: make(map[string]any, len(list)), bad: map[string]bool{}}
	for i := range list {
		k.values[list[i].Name] = list[i].Value(c)
	}
	for i := range list {
		k.inRange(&list[i], list, c)
	}
	return k
}

// inRange reports a value that is out of its range. If the end of the range is a key whose own
// value is out of range, the end is that of the key's range.
func (k *Check) inRange(key *Key, list []Key, c any) {
	var text string
	blame := []string{key.Name}
	switch key.Type {
	case "boolean":
		return
	case "word":
		value := key.Get(c)
		if key.word(value) == nil {
			return
		}
		text = key.word(value).Error()
	default:
		low, lowText := bound(key.Range.Low, false, list, c)
		high, highText := bound(key.Range.High, true, list, c)
		n := k.values[key.Name].(int)
		if key.Range.within(n, low, high) {
			return
		}
		for _, b := range []Bound{key.Range.Low, key.Range.High} {
			if b.Key != "" {
				blame = append(blame, b.Key)
			}
		}
		text = fmt.Sprintf("%s = %d: want %s", key.Name, n, key.Range.text(lowText, highText))
	}
	k.bad[key.Name] = true
	k.faults = append(k.faults, &Fault{blame, text})
}

// bound is the value of an end of a range, and its text.
func bound(b Bound, high bool, list []Key, c any) (n int, text string) {
	if b.Key == "" {
		return b.N, b.String()
	}
	at := &list[slices.IndexFunc(list, func(k Key) bool { return k.Name == b.Key })]
	n = int(at.field(c).Int())
	least, _ := bound(at.Range.Low, false, list, c)
	most, _ := bound(at.Range.High, true, list, c)
	switch {
	case at.Range.within(n, least, most):
		return n, fmt.Sprintf("%d (%s)", n, b.Key)
	case high:
		return most, fmt.Sprint(most)
	}
	return least, fmt.Sprint(least)
}

// Sound reports whether NewCheck found no fault in the values of keys, so that a rule about them
// can be tried. Refuse then reports on the same keys.
func (k *Check) Sound(names ...string) bool {
	k.asked = names
	return !slices.ContainsFunc(names, func(name string) bool {
		if _, ok := k.values[name]; !ok {
			panic("key: there is no " + name)
		}
		return k.bad[name]
	})
}

// Refuse reports that the values of the keys of the last Sound do not fit together. The message
// follows the first key and its value.
func (k *Check) Refuse(format string, args ...any) {
	text := fmt.Sprintf("%s = %v: %s", k.asked[0], k.values[k.asked[0]], fmt.Sprintf(format, args...))
	k.faults = append(k.faults, &Fault{k.asked, text})
}

// Err joins all faults; it is nil if there are none.
func (k *Check) Err() error { return errors.Join(k.faults...) }

// Faults lists the faults that were joined to an error.
func Faults(err error) []*Fault {
	switch e := err.(type) {
	case *Fault:
		return []*Fault{e}
	case interface{ Unwrap() []error }:
		var list []*Fault
		for _, part := range e.Unwrap() {
			list = append(list, Faults(part)...)
		}
		return list
	}
	return nil
}
