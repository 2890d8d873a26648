package waves

import (
	"reflect"
	"sort"

	"divergo/rtl"
)

// clock is the clock signal of a domain. It rises when a cycle starts.
type clock struct {
	id    uint32
	fs    func(cycle uint64) uint64
	cycle uint64 // that next belongs to
	falls bool   // at next
	next  uint64 // time of the next edge
}

// clockVariable is the signal of a clock, in a scope of its own.
func clockVariable(domain string) *variable {
	sig := rtl.Signal{Path: "clocks." + domain, Width: 1, Type: reflect.TypeFor[bool](), Kind: rtl.WireSignal}
	return newVariable(sig)
}

// seek makes next the first edge after a time, and returns the value at that time.
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

func (c *clock) middle() uint64 { return c.fs(c.cycle) + (c.fs(c.cycle+1)-c.fs(c.cycle))/2 }

// toggle goes on to the edge after next, and returns the value from next on.
func (c *clock) toggle() uint64 {
	if c.falls {
		c.cycle++
		c.next, c.falls = c.fs(c.cycle), false
		return 0
	}
	c.next, c.falls = c.middle(), true
	return 1
}
