package rtl

import (
	"bytes"
	"fmt"
	"math/bits"
	"reflect"
)

// RunChecked is Run for tests. In each cycle it also evaluates the processes that sleep. If that
// changes anything, it returns an error with name and cycle: the process depends on something
// outside its fields. It also finds processes that drive an unlisted wire, and those that change a
// parameter. It overwrites the scratch of a module before each of its processes. It does not call
// observers. After an error the Sim is of no use.
func (k *Sim) RunChecked(n uint64) error {
	k.alone("RunChecked")
	return k.check(k.now + n)
}

func (k *Sim) check(end uint64) error {
	k.settle()
	k.between = 0
	defer func() { k.between = 1 }()
	c := checker{
		k: k, awake: make([]uint64, len(k.next)), next: make([]uint64, len(k.next)),
		queues: make([]uint64, len(k.usedQueues)), mems: make([]uint64, len(k.usedMems)),
		fields: map[*module][]field{},
	}
	for _, m := range k.mods {
		c.fields[m] = fieldsOf(m)
	}
	k.double(true)
	defer k.double(false)
	for k.now < end {
		if err := c.cycle(); err != nil {
			return err
		}
	}
	return nil
}

// double stores the present and next values of what is written in place apart, or together again.
func (k *Sim) double(apart bool) {
	for _, s := range k.states {
		if s.writer != nil {
			s.double(apart)
		}
	}
	k.connect()
	for _, m := range k.mems {
		if m.writer != nil {
			m.double(apart)
		}
	}
}

// checker collects the marks of the processes, one process at a time, to find the origin of each
// mark.
type checker struct {
	k                  *Sim
	awake              []uint64
	next, queues, mems []uint64 // marked so far in this cycle
	staged             []byte
	fields             map[*module][]field
	nonsense           byte
	fixed              []byte // parameters of a module before one of its processes runs
}

// field is a part of a module that is not hardware: a parameter, which must not change, or scratch.
type field struct {
	path    string
	bytes   []byte
	scratch reflect.Value // invalid for a parameter
}

// fieldsOf lists the parameters and the scratch of a module. For a pointer the parameter is the
// pointer, not its target. For a slice of numbers it includes the numbers.
func fieldsOf(m *module) (fields []field) {
	for _, p := range m.parts {
		t := p.at.Type()
		for i := range t.NumField() {
			f := t.Field(i)
			tag := f.Tag.Get("rtl")
			if tag == "-" || mayHold(f.Type) {
				continue
			}
			path, v := p.path+"."+f.Name, addressOf(p.at.Field(i)).Elem()
			if tag == "scratch" {
				fields = append(fields, field{path: path, scratch: v})
				continue
			}
			fields = append(fields, field{path: path, bytes: bytesAt(v)})
			if v.Kind() == reflect.Slice && v.Len() > 0 && isNumbers(f.Type.Elem()) {
				fields = append(fields, field{path: path, bytes: bytesBehind(v)})
			}
		}
	}
	return fields
}

// isNumbers reports whether a type has no pointer.
func isNumbers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if !isNumbers(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return isNumbers(t.Elem())
	}
	return reflect.Bool <= t.Kind() && t.Kind() <= reflect.Complex128 && t.Kind() != reflect.Uintptr
}

// spoil overwrites a value: numbers with different bits each time, values with pointers with nil. A
// slice keeps its length.
func (c *checker) spoil(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			c.spoil(v.Index(i))
		}
	case isNumbers(v.Type()):
		b := bytesAt(v)
		for i := range b {
			b[i] = c.nonsense
		}
	default:
		v.SetZero()
	}
}

// begin spoils the scratch of a module, and saves its parameters.
func (c *checker) begin(m *module) {
	c.fixed = c.fixed[:0]
	for _, f := range c.fields[m] {
		if f.scratch.IsValid() {
			c.nonsense = c.nonsense*5 + 0x55
			c.spoil(f.scratch)
		}
		c.fixed = append(c.fixed, f.bytes...)
	}
}

// changed is the path of the first parameter of a module that its process has changed, or "".
func (c *checker) changed(m *module) string {
	fixed := c.fixed
	for _, f := range c.fields[m] {
		if !bytes.Equal(fixed[:len(f.bytes)], f.bytes) {
			return f.path
		}
		fixed = fixed[len(f.bytes):]
	}
	return ""
}

func (c *checker) cycle() error {
	k := c.k
	if k.due() <= k.now {
		k.fire()
	}
	copy(c.awake, k.next)
	clear(k.next)
	clear(k.dirty)
	for i, p := range k.procs {
		if err := c.process(i, p); err != nil {
			return err
		}
	}
	copy(k.next, c.next)
	copy(k.usedQueues, c.queues)
	copy(k.usedMems, c.mems)
	clear(c.next)
	clear(c.queues)
	clear(c.mems)
	clear(k.asked)
	for _, h := range k.states {
		h.edge()
	}
	k.edgeQueues()
	k.edgeMems()
	k.now++
	return nil
}

func (c *checker) process(i int, p *process) error {
	k := c.k
	awake := c.awake[i/64]>>(i%64)&1 != 0
	k.cur = i
	var written uint64
	if !awake {
		k.cur = len(k.procs) // its wake-ups go to a process that does nothing
		c.staged = c.staged[:0]
		for _, s := range p.mod.states {
			c.staged = append(c.staged, s.d...)
		}
		written = c.written()
	}
	c.begin(p.mod)
	p.tick.Tick()
	if path := c.changed(p.mod); path != "" {
		return fmt.Errorf("cycle %d: process %s changes %s, which is a parameter: registers are in a State or Mem, and what is good for one Tick only has the tag rtl:\"scratch\"", k.now, p.name, path)
	}
	if !awake {
		what := ""
		staged := c.staged
		for _, s := range p.mod.states {
			if what == "" && !bytes.Equal(staged[:len(s.d)], s.d) {
				what = "changes " + s.owned.path
			}
			staged = staged[len(s.d):]
		}
		switch {
		case what != "":
		case !empty(k.dirty):
			what = "changes a wire, or uses a queue with Pipe or Flow"
		case !empty(k.usedQueues):
			what = "uses queue " + k.queues[first(k.usedQueues)].owned.path
		case written != c.written():
			what = "writes a Mem"
		}
		if what != "" {
			return fmt.Errorf("cycle %d: process %s has a missing sensitivity: it sleeps, but if evaluated it %s",
				k.now, p.name, what)
		}
	} else if w := k.early(i); w != nil {
		return fmt.Errorf("cycle %d: process %s wakes %s in the same cycle, which runs before it: it drives a wire that it does not list in Drives", k.now, p.name, w.name)
	}
	merge(c.awake, k.dirty)
	merge(c.next, k.next)
	merge(c.queues, k.usedQueues)
	merge(c.mems, k.usedMems)
	return nil
}

// written identifies the staged writes to memories.
func (c *checker) written() uint64 {
	d := digest{}
	for i, m := range c.k.mems {
		if (c.mems[i/64]|c.k.usedMems[i/64])>>(i%64)&1 != 0 {
			if p := m.pending(); p != 0 {
				d.word(uint64(i))
				d.word(p)
			}
		}
	}
	return d.h
}

// early is a process up to i that is marked to run in this cycle although its turn has passed.
func (k *Sim) early(i int) *process {
	if j := first(k.dirty); j >= 0 && j <= i {
		return k.procs[j]
	}
	return nil
}

func empty(set []uint64) bool { return first(set) < 0 }

// first is the smallest member of a set, or -1.
func first(set []uint64) int {
	for i, w := range set {
		if w != 0 {
			return i*64 + bits.TrailingZeros64(w)
		}
	}
	return -1
}

// merge moves the members of from into to.
func merge(to, from []uint64) {
	for i, w := range from {
		to[i] |= w
		from[i] = 0
	}
}
