package divergence

import (
	"fmt"
	"reflect"

	"divergo/rtl"
)

// Counted are the counters of a mechanism that declares C as its Counts. They are written in place
// through D. No hardware reads Q in a cycle.
type Counted[C comparable] struct {
	rtl.State[C] `rtl:"sim,inplace"`
}

// Values returns the counts since reset; a peak, since Begin.
func (c *Counted[C]) Values() any { return *c.Q() }

// Begin resets the peaks.
func (c *Counted[C]) Begin() {
	q := *c.Q()
	v := reflect.ValueOf(&q).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("stat") == "peak" {
			v.Field(i).SetUint(0)
		}
	}
	c.Init(q)
}

// Counter is a field of Mechanism.Counts.
type Counter struct {
	Name   string // of the statistic: NAME.COUNTER
	Unit   string // "" for a plain count
	Doc    string // meaning, in a line
	Source string // author of the definition
	Warn   string // warning of a run in which the counter is not 0; "" for none

	field int
}

// Value returns this counter's value in counts, the struct that Counting.Values returns.
func (c *Counter) Value(counts any) uint64 { return reflect.ValueOf(counts).Field(c.field).Uint() }

// Counters lists the own counters of a mechanism. It panics if a field or tag is invalid, which is
// a mistake in the program.
func (m Mechanism) Counters() (list []Counter) {
	if m.Counts == nil {
		return nil
	}
	t := reflect.TypeOf(m.Counts)
	for i := range t.NumField() {
		f := t.Field(i)
		c := Counter{
			m.Name + "." + f.Tag.Get("name"), f.Tag.Get("unit"), f.Tag.Get("doc"), f.Tag.Get("source"),
			f.Tag.Get("warn"), i,
		}
		kind := f.Tag.Get("stat")
		if f.Type.Kind() != reflect.Uint64 || !f.IsExported() || f.Tag.Get("name") == "" || c.Doc == "" ||
			c.Source == "" || kind != "" && kind != "peak" {
			panic(fmt.Sprintf("divergence: %s.%s: want an exported uint64 with name, doc and source, and stat:\"peak\" or no stat", t, f.Name))
		}
		list = append(list, c)
	}
	return list
}
