package waves

import (
	"reflect"
	"slices"
	"sort"

	"divergo/rtl"
)

// clock is the clock signal of a domain. It rises when a cycle starts.
type clock struct {
	id    uint32
	fs    func(cycle uint64) uint64
	cycle uint64 // the cycle of the edge at next
	falls bool   // the edge at next is a falling one
	next  uint64 // time of the next edge
}

// addClocks adds the clocks, and the cycle counter of the first one, in a scope before all others.
func (d *Dump) addClocks(domains []domain) (declare func()) {
	at := &scope{up: d.root, seg: "clocks", clocks: true}
	d.root.entries = slices.Insert(d.root.entries, 0, entry{sub: at})
	add := func(name string, t reflect.Type, width int) *variable {
		v := newVariable(rtl.Signal{Path: "clocks." + name, Width: width, Type: t, Kind: rtl.WireSignal}, at,
			origin{island: -1})
		at.entries = append(at.entries, entry{v: v})
		return v
	}
	counter := add("cycle", reflect.TypeFor[uint64](), 64)
	counter.counts = true
	var vars []*variable
	for _, x := range domains {
		vars = append(vars, add(x.name, reflect.TypeFor[bool](), 1))
	}
	return func() {
		at.open()
		for i, v := range vars {
			d.show(v)
			d.clocks = append(d.clocks, &clock{id: uint32(v.id), fs: domains[i].fs})
		}
		d.show(counter)
		d.cycle = uint32(counter.id)
	}
}

// seek sets next to the first edge after a time, and returns the value at that time.
func (c *clock) seek(fs uint64) uint64 {
	after := sort.Search(int(fs/c.fs(1))+2, func(i int) bool { return c.fs(uint64(i)) > fs })
	c.cycle = uint64(after - 1)
	if c.next = c.middle(); c.next > fs {
		c.falls = true
		return 1
	}
	c.cycle++
	c.next, c.falls = c.fs(c.cycle), false
	return 0
}

// present is the cycle in progress before next.
func (c *clock) present() uint64 {
	if c.falls {
		return c.cycle
	}
	return c.cycle - 1
}

func (c *clock) middle() uint64 { return c.fs(c.cycle) + (c.fs(c.cycle+1)-c.fs(c.cycle))/2 }

// toggle advances to the edge after next, and returns the value from the old next on.
func (c *clock) toggle() uint64 {
	if c.falls {
		c.cycle++
		c.next, c.falls = c.fs(c.cycle), false
		return 0
	}
	c.next, c.falls = c.middle(), true
	return 1
}
